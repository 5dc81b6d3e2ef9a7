"""The phase `place` of level production as its rule says: visit the tree again and again until nothing changes.

`wherefrom.smartfrog.production.place` does the same without looking again at what can not have changed; programs with
many placements are compiled with both and compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from wherefrom.base.host import PureHost
from wherefrom.smartfrog.errors import FinalAttribute, NotPlaced, SmartFrogError
from wherefrom.smartfrog.production.nodes import Key, Node, Placed
from wherefrom.smartfrog.production.resolve import Lazy, NotFound, Resolver
from wherefrom.smartfrog.production.tree import HERE, Part, Path
from wherefrom.smartfrog.store import kind_of, span_of


class Visits:
    """One run of the phase."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.routes: list[Placed] = []
        self.moved = False

    def run(self, root: Node) -> list[SmartFrogError]:
        """Place everything; what could not be placed in the end."""
        while True:
            problems: list[SmartFrogError] = []
            self.moved = False
            placed = self.visit(root, problems)
            if not (placed and (problems or self.moved)):
                return problems

    def visit(self, node: Node, problems: list[SmartFrogError]) -> bool:
        """Place what can be placed below a component; whether there was anything."""
        placed = False
        walk: list[tuple[Node, Iterator[Key]]] = [(node, iter(_active(node)))]
        moved: list[tuple[Node, tuple[str, ...]]] = []
        marks = [0]
        while walk:
            holder, keys = walk[-1]
            for key in keys:
                slot = holder.entries.get(key)
                if slot is None:
                    continue
                if isinstance(key, tuple):
                    if self.place(holder, key, problems):
                        placed = True
                        moved.append((holder, key))
                elif type(slot.value) is Node and slot.value.holds:
                    marks.append(len(moved))
                    walk.append((slot.value, iter(_active(slot.value))))
                    break
            else:
                start = marks.pop()
                for at, placement in moved[start:]:
                    at.entries.pop(placement, None)
                    if at.tags:
                        at.tags.pop(placement, None)
                del moved[start:]
                walk.pop()
        return placed

    def place(self, holder: Node, key: tuple[str, ...], problems: list[SmartFrogError]) -> bool:
        """Make one placement, if what it goes into is there."""
        slot = holder.entries[key]
        span = span_of(slot)
        parts = tuple(Part(HERE, name, span=span) for name in key[:-1])
        text = ":".join(key)
        own = key[0]
        if own not in holder.entries:
            problems.append(NotPlaced(text, span, f"there is no `{own}` in {holder.path or 'the top level'}", None))
            return False
        try:
            path = Path(parts, span=span)
            route = self.resolver.follow(path, holder)
            if self.resolver.opened(route):  # `[..]` is a function before the phase of that name, so a component
                route = self.resolver.follow(path, holder)
        except NotFound as failure:
            problems.append(NotPlaced(text, span, str(failure.problem), None))
            return False
        except Lazy:
            problems.append(NotPlaced(text, span, "", "a lazy reference"))
            return False
        target = route.value
        if type(target) is not Node:
            problems.append(NotPlaced(text, span, "", kind_of(target)))
            return False
        name = key[-1]
        if "sfFinal" in target.tags.get(name, ()):
            raise FinalAttribute(name, span, span_of(target.entries[name]))
        placed = Placed(slot, holder, key, route)
        target.put(name, placed)
        self.routes.append(placed)
        value = slot.value
        if type(value) is Node:
            value.outer = target
            value.name = name
            self.moved = True  # what stands in it is to be looked at once more
            here: Node | None = target if value.holds else None
            while here is not None and not here.holds:
                here.holds = True
                here = here.outer
        if tags := holder.tags.get(key):
            target.add_tags(name, tags)
        return True


def _active(node: Node) -> list[Key]:
    """The placements in a component, and the components in it."""
    return [key for key, slot in node.entries.items() if isinstance(key, tuple) or slot.value.__class__ is Node]


def placing_program(seed: int) -> PureHost:
    """The program with this number: many placements, in any order, with paths through links and other placements."""
    random = Random(seed)
    names = list("abcd")[: random.choice([2, 3, 4])]
    may_fail = random.random() < 0.5

    def path(made: list[str]) -> str:
        if may_fail or not made or random.random() < 0.02:
            return ":".join(random.choice(names) for _ in range(random.choice([2, 2, 2, 3, 3, 4])))
        return f"{random.choice(made)}:{random.choice(names)}"

    def block(depth: int) -> str:
        lines: list[str] = []
        made: list[str] = []  # paths of components
        for _ in range(random.choice([1, 2, 3, 4, 6])):
            target = path(made) if random.random() < 0.6 else random.choice(names)
            kind = random.random()
            if kind < 0.3:
                lines.append(f"{target} {random.randrange(9)};")
            elif kind < 0.4:
                lines.append(f"{target} {random.choice(made or names)};")
            elif kind < 0.43:
                lines.append(f"{target} {random.choice(['PARENT', 'ROOT:P', 'LAZY a', 'PARENT:a'])};")
            elif depth < 3:
                lines.append(f"{target} extends {random.choice(['', '', '', 'P, '])}{{ {block(depth + 1)} }}")
                made.append(target)
        random.shuffle(lines)
        return "\n".join(lines)

    return PureHost({"main.sf": f"P extends {{ {block(2)} }}\nsfConfig extends {{ {block(0)} }}\n"})

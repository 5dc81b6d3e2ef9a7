"""Programs of the levels above the core that nobody wrote, and small changes to them.

`forward_program` writes links to anything before or after them; `production_program` adds what the production language
has: expressions, conditions, defaults, lazy links, properties, placements through anything. Few names meet often, so
that a good part of the programs compiles and what compiles has long histories.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from wherefrom.base.host import PureHost
from wherefrom.base.source import Span
from wherefrom.smartfrog.production.tree import Applied, Call, Path
from wherefrom.smartfrog.tree import (
    Block,
    Boolean,
    DataReference,
    Extends,
    Link,
    Null,
    Number,
    Reference,
    String,
    Vector,
)

PROPERTIES = {"host.name": "alpha", "port": "8080"}
LITERALS = ['"mutant"', "4711", "7", "true", "NULL"]


def forward_program(seed: int) -> PureHost:
    """The program of level forward with this number."""
    random = Random(seed)
    names = list("abcdeg")[: random.choice([2, 3, 4, 6])]

    def reference() -> str:
        return ":".join(random.choice([*names, "P", "sfConfig"]) for _ in range(random.choice([1, 1, 1, 2, 2, 3])))

    def body(depth: int) -> str:
        lines = []
        for _ in range(random.choice([1, 2, 2, 3, 4])):
            target = random.choice(names)
            if random.random() < 0.08:
                target = f"{random.choice(names)}:{target}"
            kind = random.random()
            if kind < 0.4:
                lines.append(f"{target} {random.randrange(9)};")
            elif kind < 0.65:
                lines.append(f"{target} {reference()};")
            elif depth < 4:
                prototypes = [
                    random.choice([*names, "P", "Q"]) if random.random() < 0.35 else f"{{ {body(depth + 1)} }}"
                    for _ in range(random.choice([1, 1, 2]))
                ]
                lines.append(f"{target} extends {', '.join(prototypes)} ")
        return "\n".join(lines)

    text = f"P extends {{ {body(1)} }}\nQ extends P, {{ {body(1)} }}\nsfConfig extends {{ {body(0)} }}\n"
    return PureHost({"main.sf": text})


class ProductionWriter:
    """Writes one program of level production.

    The names of a block are chosen before its values, so that most references find something: in the block, around it,
    or in a component that is there. A tenth of them is chosen blindly.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = list("abcdefg")[: random.choice([4, 5, 7])]
        self.left = random.choice([10, 16, 26])
        self.scopes: list[dict[str, list[str]]] = []
        self.templates: dict[str, list[str]] = {}

    def program(self) -> PureHost:
        """The whole program; the order of its top level is anything."""
        self.scopes.append({"top": []})
        parts = []
        for name in ("P", "Q", "R")[: self.random.choice([1, 2, 3])]:
            parts.append(f"{name} extends {self.prototypes(1, name)}")
            self.scopes[0][name] = self.templates.get(name, [])
        parts.append(f"top {self.literal()};")
        self.left += 10
        parts.append(f"sfConfig extends {self.prototypes(0, 'sfConfig')}")
        if self.random.random() < 0.2:
            parts.append(f"sfConfig:{self.name()} {self.literal()};")
        self.random.shuffle(parts)
        return PureHost({"main.sf": "\n".join(parts) + "\n"})

    def name(self) -> str:
        return self.random.choice(self.names)

    def literal(self) -> str:
        return self.random.choice([str(self.random.randrange(20)), '"text"', "true", "false", "NULL", "5L", "2.5D"])

    def reference(self) -> str:
        """A link's path."""
        if self.random.random() < 0.1:
            return ":".join(self.name() for _ in range(self.random.choice([1, 1, 2])))
        depth = self.random.randrange(len(self.scopes))
        if depth == len(self.scopes) - 1 and self.random.random() < 0.1 and depth:
            scope = self.scopes[depth - 1]
            if scope:
                return f"PARENT:{self.random.choice(list(scope))}"
        scope = self.scopes[depth]
        if not scope:
            return "top"
        first = self.random.choice(list(scope))
        path = f"ROOT:{first}" if depth == 0 and self.random.random() < 0.2 else first
        if scope[first] and self.random.random() < 0.8:
            path += f":{self.random.choice(scope[first])}"
        return path

    def value(self, depth: int = 0) -> str:
        """Anything but a component."""
        kind = self.random.random()
        if kind < 0.42 or depth > 2:
            return self.literal()
        if kind < 0.68:
            return self.reference()
        if kind < 0.75:
            return f"OPTIONAL({self.literal()}) {self.reference()}"
        if kind < 0.78:
            return f"LAZY {self.reference()}"
        if kind < 0.8:
            return f"PROPERTY {self.random.choice(list(PROPERTIES))}"
        if kind < 0.86:
            return f"({self.value(depth + 1)} ++ {self.value(depth + 1)})"
        if kind < 0.9:
            return f"({self.random.randrange(9)} {self.random.choice('+*-')} {self.random.randrange(9)})"
        if kind < 0.95:
            test = self.random.choice(["true", "false", f"({self.value(depth + 1)} == {self.value(depth + 1)})"])
            return f"IF {test} THEN {self.value(depth + 1)} ELSE {self.value(depth + 1)} FI"
        return f"[{self.value(depth + 1)}, {self.value(depth + 1)}]"

    def prototypes(self, depth: int, name: str) -> str:
        """The items of an `extends`; what the component will have is noted under its name."""
        known = [each for each in ("P", "Q", "R") if each in self.scopes[0] and each != name]
        inherited: list[str] = []
        items = []
        if known and self.random.random() < 0.45:
            for template in self.random.sample(known, self.random.choice([1, 1, min(2, len(known))])):
                items.append(self.random.choice([template, template, f"ROOT:{template}"]))
                inherited += self.templates.get(template, [])
        if not items or self.random.random() < 0.7:
            items.append(self.block(depth, inherited, name))
        else:
            self.templates[name] = inherited
        return ", ".join(items) + ("" if items[-1].startswith("{") else ";")

    def block(self, depth: int, inherited: list[str], name: str) -> str:
        """The attributes that a component writes itself."""
        own = [self.name() for _ in range(min(self.random.choice([1, 2, 3, 4]), max(self.left, 1)))]
        self.left -= len(own)
        scope: dict[str, list[str]] = {each: [] for each in [*inherited, *own]}
        self.scopes.append(scope)
        lines = []
        for target in own:
            if self.random.random() < 0.32 and depth < 4 and self.left > 0:
                lines.append(f"{target} extends {self.prototypes(depth + 1, target)}")
                scope[target] = self.templates.pop(target, [])
            else:
                lines.append(f"{target} {self.value()};")
                scope[target] = []
        holders = [each for each, inside in scope.items() if inside]
        if holders and self.random.random() < 0.4:
            holder = self.random.choice(holders)
            placed = self.random.choice([self.name(), self.random.choice(scope[holder])])
            value = self.value() if self.random.random() < 0.8 else f"extends {{ {self.name()} {self.literal()}; }}"
            lines.append(f"{holder}:{placed} {value}" + ("" if value.startswith("extends") else ";"))
        self.random.shuffle(lines)
        self.scopes.pop()
        self.templates[name] = list(scope)
        return "{ " + "\n".join(lines) + " }"


def production_program(seed: int) -> PureHost:
    """The program of level production with this number."""
    return ProductionWriter(Random(seed)).program()


def changes(block: Block, random: Random) -> Iterator[tuple[Span, str]]:
    """Every literal and every reference of a program, with something else to stand in its place."""
    found = list(_pieces(block))
    references = [node.span.text for node in found if isinstance(node, Path | Reference)]
    for node in found:
        if isinstance(node, Path) and node.data:
            continue
        if isinstance(node, Path | Reference):
            text = random.choice(references)
            while isinstance(node, Path) and not (node.lazy or node.default) and text.startswith(("LAZY", "OPTIONAL")):
                text = text.split()[-1]
            yield node.span, text
        else:
            yield node.span, random.choice(LITERALS)


def _pieces(node: object) -> Iterator[Path | Reference | Boolean | Number | String | Null]:
    match node:
        case Block():
            for assignment in node.assignments():
                value = assignment.value
                yield from _pieces(value.reference if isinstance(value, Link) else value)
        case Extends():
            for prototype in node.prototypes:
                yield from _pieces(prototype)
        case Call():
            for _, argument in node.arguments:
                yield from _pieces(argument)
        case Applied():
            yield from _pieces(node.block)
        case Vector():
            for item in node.items:
                yield from _pieces(item)
        case DataReference():
            pass
        case Path() | Reference() | Boolean() | Number() | String() | Null():
            if node.span.text != ";":
                yield node
        case _:
            pass

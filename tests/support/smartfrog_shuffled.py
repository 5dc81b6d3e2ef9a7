"""Programs of level production whose meaning the paper's rules of the core give.

A `Shuffled` program is written twice. `sorted` has everything before it is used, as the core wants it. `shuffled` has
the same statements in another order, so that prototypes, links and placements refer forwards. No name is written in two
components but to override an inherited attribute, and every link says its whole way, so that the two levels look names
up alike; what is linked to or extended is changed by no placement. So production must give what the core gives for the
sorted text, its attributes in the order of the shuffled one.
"""

from __future__ import annotations

from random import Random

from wherefrom.base.host import PureHost
from wherefrom.base.record import Record


class Shuffled(Record):
    """One program: both texts, and the order of the attributes of `sfConfig` in the shuffled one."""

    sorted: str
    shuffled: str
    order: tuple[str, ...]

    @property
    def hosts(self) -> tuple[PureHost, PureHost]:
        """The sorted program and the shuffled one."""
        return PureHost({"main.sf": self.sorted}), PureHost({"main.sf": self.shuffled})

    def in_order(self, document: dict[str, object]) -> dict[str, object]:
        """What the sorted program gives as the shuffled one must give it."""
        return {name: document[name] for name in self.order}


class Writer:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.made = 0
        self.prototypes: dict[str, list[str]] = {}  # what has been written so far, with the names of its literals

    def name(self, kind: str) -> str:
        """A name that was not used before."""
        self.made += 1
        return f"{kind}{self.made}"

    def literal(self) -> str:
        """A value that both levels read alike."""
        return self.random.choice([str(self.random.randrange(100)), '"text"', "true", "false", "NULL"])

    def component(self, known: dict[str, list[str]], depth: int) -> tuple[str, list[str]]:
        """The items of an `extends`, and the names of the literals that the component has."""
        items, names = [], []
        if known and self.random.random() < 0.6:
            parent = self.random.choice(list(known))
            items.append(parent)
            names += known[parent]
        lines = []
        for inherited in self.random.sample(names, min(len(names), self.random.choice([0, 0, 1, 2]))):
            lines.append(f"{inherited} {self.literal()};")
        for _ in range(self.random.choice([0, 1, 2, 3])):
            own = self.name("a")
            names.append(own)
            lines.append(f"{own} {self.literal()};")
        if depth and self.random.random() < 0.3:
            inside, _ = self.component(known, depth - 1)
            lines.append(f"{self.name('c')} extends {inside}")
        items.append("{ " + " ".join(lines) + " }")
        return ", ".join(items), names

    def program(self) -> Shuffled:
        """One program."""
        random = self.random
        top: list[str] = []
        for _ in range(random.choice([1, 2, 3, 5])):
            items, names = self.component(self.prototypes, 2)
            name = self.name("P")
            self.prototypes[name] = names
            top.append(f"{name} extends {items}")
        inside: list[tuple[str, str]] = []
        components: dict[str, list[str]] = {}
        targets = [f"{name}:{each}" for name, names in self.prototypes.items() for each in names]
        for _ in range(random.choice([2, 3, 5, 8])):
            name = self.name("x")
            if targets and random.random() < 0.45:
                inside.append((name, f"{name} {random.choice(targets)};"))
                targets.append(name)
            else:
                items, names = self.component(self.prototypes, 1)
                inside.append((name, f"{name} extends {items}"))
                components[name] = names
                targets += [f"{name}:{each}" for each in names]
        placements = []
        for holder in random.sample(list(components), min(len(components), random.choice([0, 1, 2]))):
            own = self.name("p")
            placements.append(f"{holder}:{own} {self.literal()};")
            if random.random() < 0.4:
                link = self.name("y")
                inside.append((link, f"{link} {holder}:{own};"))
        links = [(name, text) for name, text in inside if name.startswith("y")]
        first = [(name, text) for name, text in inside if not name.startswith("y")]
        rows = [text for _, text in first] + placements + [text for _, text in links]
        shuffled = [*inside, *(("", text) for text in placements)]
        random.shuffle(shuffled)
        configured = "sfConfig extends {\n  " + "\n  ".join(text for _, text in shuffled) + "\n}"
        mixed = [*top, configured]
        random.shuffle(mixed)
        plain = "\n".join([*top, "sfConfig extends {\n  " + "\n  ".join(rows) + "\n}"])
        return Shuffled(plain + "\n", "\n".join(mixed) + "\n", tuple(name for name, _ in shuffled if name))


def shuffled_program(seed: int) -> Shuffled:
    """The program with this number."""
    return Writer(Random(seed)).program()

"""Mostly valid SmartFrog programs that nobody wrote.

Like the authors' own generators (section 8.2 of the paper), this one walks the semantics while it writes: it keeps the
store that the text so far means and picks references that find something in it, so that most programs compile and many
have long histories of prototypes, links, overrides and placements. A few references are chosen blindly, for the errors.

It covers what the authors' generators leave out: vectors, NULL, floats, data references with several parts, comments,
several prototypes, several names for the same thing, includes (in any block), `sfConfig` set more than once.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from wherefrom.base.host import PureHost
from wherefrom.semantics.smartfrog.domains import BOTTOM, Ref, Store, Val
from wherefrom.semantics.smartfrog.errors import Err
from wherefrom.semantics.smartfrog.operations import bind, concat, find, inherit, paths, prefix, resolve

NAMES = ["a", "b", "c", "d", "e", "f", "port", "_x1", "k-2.b", "ж"]
STRINGS = ["", "x", "two words", 'quo\\"te', "tab\\t", "\\u00e9\\ud83d\\ude00", "$.a:b", "é // no comment /*", "NULL"]
NUMBERS = ["0", "1", "80", "-1", "65536", "1.5", "-0.25", "1e3", "2.5E-3", "12345678901234567890"]
MAX_STORE = 150
"""Stores stay small: the reference semantics copies everything."""


class Generated:
    """A program: its files, the main one being `main.sf`."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    @property
    def host(self) -> PureHost:
        return PureHost(self.files)

    def __repr__(self) -> str:
        return "\n".join(f"--- {name}\n{text}" for name, text in self.files.items())


class _Mistake(Exception):
    """The program has its error; whatever follows does not matter."""


class Writer:
    """Writes one program.  `mistakes` is the chance that a reference is chosen blindly."""

    def __init__(self, random: Random, statements: int = 22, mistakes: float = 0.01) -> None:
        self.random = random
        self.left = statements
        self.mistakes = mistakes
        self.files: dict[str, str] = {}
        self.names = random.choice([NAMES, NAMES[:4], NAMES[:2]])  # few names meet more often
        self.included = 0
        self.folder = ""

    def program(self) -> Generated:
        lines: list[str] = []
        try:
            store = self.body(lines, Ref(), Store(), 0)
            if not isinstance(find(store, Ref(("sfConfig",))), Store) and self.random.random() < 0.97:
                self.left += 8
                self.component(lines, Ref(), Ref(("sfConfig",)), store, 0)
        except _Mistake:
            pass
        if self.random.random() < 0.3:
            lines.insert(self.random.randrange(len(lines) + 1), self.comment())
        return Generated({"main.sf": "\n".join(lines) + "\n", **self.files})

    # --- statements ---

    def body(self, lines: list[str], ns: Ref, store: Store, depth: int) -> Store:
        """Some statements, appended to `lines` even when one of them is a mistake."""
        count = self.random.randint(2, 9) if depth == 0 else self.random.choice([0, 1, 1, 2, 2, 3, 4])
        for _ in range(count):
            if self.left <= 0:
                break
            self.left -= 1
            if self.random.random() < 0.06:
                inside: list[str] = []
                self.included += 1
                folder = self.random.choice(["", "lib/"])
                name = f"{folder}part{self.included}.sf"
                here, self.folder = self.folder, folder
                lines.append(f'#include "{"../" if here else ""}{name}"' + self.random.choice(["", ";"]))
                try:
                    store = self.body(inside, ns, store, depth + 1)
                finally:
                    self.files[name] = "\n".join(inside) + "\n"
                    self.folder = here
            else:
                store = self.statement(lines, ns, store, depth)
        return store

    def statement(self, lines: list[str], ns: Ref, store: Store, depth: int) -> Store:
        target = self.target(ns, store, depth)
        kind = self.random.random()
        nothing = not self.in_sight(ns, store) and self.random.random() >= self.mistakes
        if kind < 0.42 or (kind < 0.62 and nothing) or len(paths(store)) > MAX_STORE:
            lines.append(f"{self.written(target)} {self.basic()};")
            return self.bound(store, concat(ns, target), 0)
        if kind < 0.62:
            reference = self.reference(ns, store, components=False)
            lines.append(f"{self.written(target)} {self.written(reference)};")
            found = resolve(store, ns, reference)[1]
            if found is BOTTOM:
                raise _Mistake
            return self.bound(store, concat(ns, target), found)  # type: ignore[arg-type]
        return self.component(lines, ns, target, store, depth)

    def component(self, lines: list[str], ns: Ref, target: Ref, store: Store, depth: int) -> Store:
        """`target extends ...`."""
        place = concat(ns, target)
        lines.append(f"{self.written(target)} extends")
        if not (target == Ref(("sfConfig",)) or self.random.random() < 0.97) or depth > 6:
            lines[-1] += " {}"
            return self.bound(store, place, Store())
        store = self.bound(store, place, Store())
        for number in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            if number:
                lines[-1] += ","
            known = self.stores_in_sight(ns, store)
            if self.random.random() < 0.5 and (known or self.random.random() < self.mistakes):
                reference = self.reference(ns, store, components=True)
                lines.append(f"  {self.written(reference)}")
                try:
                    store = inherit(store, ns, reference, place)
                except Err:
                    raise _Mistake from None
            else:
                inside: list[str] = []
                lines.append("  {")
                try:
                    store = self.body(inside, place, store, depth + 1)
                finally:
                    lines += [f"    {line}" for line in inside]
                    lines.append("  }")
        return store

    def bound(self, store: Store, place: Ref, value: Val) -> Store:
        try:
            return bind(store, place, value)
        except Err:
            raise _Mistake from None

    # --- parts ---

    def target(self, ns: Ref, store: Store, depth: int) -> Ref:
        name = "sfConfig" if depth == 0 and self.random.random() < 0.25 else self.random.choice(self.names)
        if self.random.random() < self.mistakes:
            return Ref([self.random.choice(self.names), name])
        below = find(store, ns)
        inner = [r for r in paths(below) if r and isinstance(find(below, r), Store)] if isinstance(below, Store) else []
        if inner and self.random.random() < 0.25:
            return concat(self.random.choice(inner), name)
        return Ref((name,))

    def reference(self, ns: Ref, store: Store, components: bool) -> Ref:
        """A reference that finds something (a component, if asked for), nearly always."""
        if self.random.random() < self.mistakes:
            return Ref(self.random.choices(self.names, k=self.random.choice([1, 1, 2, 3])))
        known = self.stores_in_sight(ns, store) if components else self.in_sight(ns, store)
        return self.random.choice(known) if known else Ref((self.random.choice(self.names),))

    def in_sight(self, ns: Ref, store: Store) -> list[Ref]:
        """Every reference that `resolve` finds from `ns`."""
        found: dict[Ref, None] = {}
        level = ns
        while True:
            here = find(store, level)
            if isinstance(here, Store):
                found |= dict.fromkeys(r for r in paths(here) if r)
            if not level:
                return list(found)
            level = prefix(level)

    def stores_in_sight(self, ns: Ref, store: Store) -> list[Ref]:
        return [r for r in self.in_sight(ns, store) if isinstance(resolve(store, ns, r)[1], Store)]

    def basic(self, depth: int = 0) -> str:
        match self.random.randrange(8 if depth < 3 else 7):
            case 0:
                return self.random.choice(["true", "false"])
            case 1:
                return "NULL"
            case 2 | 3:
                return self.random.choice(NUMBERS)
            case 4 | 5:
                return f'"{self.random.choice(STRINGS)}"'
            case 6:
                return "DATA " + self.written(Ref(self.random.choices(self.names, k=self.random.choice([1, 1, 2, 3]))))
            case _:
                return "[" + ", ".join(self.basic(depth + 1) for _ in range(self.random.randrange(4))) + "]"

    def written(self, r: Ref) -> str:
        return self.random.choice([":", ":", ":", " : "]).join(r)

    def comment(self) -> str:
        return self.random.choice(["// a { comment", "/* a } comment */", "/**/", '/* " */ // "'])


def random_program(seed: int) -> Generated:
    """The program with this number, always the same."""
    random = Random(seed)
    return Writer(random, statements=random.choice([6, 12, 22, 40]), mistakes=random.choice([0, 0, 0, 0.02])).program()


@st.composite
def programs(draw: st.DrawFn, mistakes: float = 0.01) -> Generated:
    """Programs for Hypothesis, which makes failing ones smaller."""
    random = draw(st.randoms(use_true_random=False))
    return Writer(random, statements=draw(st.integers(1, 22)), mistakes=mistakes).program()

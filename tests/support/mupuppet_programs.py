"""Random muPuppet programs, and random changes to their literals.

Programs are made as abstract syntax, labels included, in the order of their source, so that nothing needs parsing; for
the comparison with the compiler `show_source` prints them. They are small and dense: a few variables, three classes
that may inherit, a defined type, a node, and conditionals that flip when a literal changes, because the interesting
flows are those through branches, scopes and declarations. A third of them compile; the rest reads or declares what is
not there, which costs little.

`Style` says which part of the language is used. `SOUND_FOR_THESIS` is the part for which the thesis' dependency rules
are sound: every read is qualified, and no class is declared under a condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from wherefrom.semantics.puppet.syntax import (
    SKIP,
    And,
    Arith,
    ArrayExp,
    Assign,
    Branch,
    CaseOf,
    ClassDecl,
    ClassDefinition,
    Comp,
    Data,
    Default,
    Define,
    Defined,
    Deref,
    Expression,
    HashExp,
    If,
    Include,
    Label,
    Match,
    NodeDef,
    NodeDefault,
    NodeName,
    Not,
    Or,
    Param,
    Program,
    QualifiedVar,
    Ref,
    Resource,
    Selector,
    Statement,
    TopVar,
    Unless,
    Value,
    Var,
    manifest,
    sequence,
)

INTEGERS = ("x", "y", "z")
CLASSES = ("a", "b", "c")
ATTRIBUTES = ("mode", "owner", "group", "content")


class Style(NamedTuple):
    """Which part of the language a program uses."""

    qualified: bool = False
    conditional_declarations: bool = True
    undef: bool = False
    extension: bool = False
    nodes: int = 40
    """How many programs of a hundred have a node."""
    heirs: int = 45
    """How many classes of a hundred inherit from another."""
    conditional_assignments: bool = True
    class_parameters: bool = True


FULL = Style()
QUALIFIED = Style(qualified=True)
LAX = Style(undef=True)
EXTENDED = Style(extension=True)
EXTENDED_LAX = Style(undef=True, extension=True)
SOUND_FOR_THESIS = Style(qualified=True, conditional_declarations=False)


class _Maker:
    """Makes one program."""

    def __init__(self, random: Random, style: Style) -> None:
        self.random = random
        self.style = style
        self.labels: list[Label] = []
        self.titles = 0
        self.resources: list[str] = []
        self.parameters: dict[str, bool] = {}
        self.define_declares = False
        self.has_define = False
        self.top: set[str] = set()
        self.declared: set[str] = set()

    def literal(self, v: Data) -> Value:
        label = Label(f"l{len(self.labels) + 1}", v)
        self.labels.append(label)
        return Value(v, label)

    def chance(self, percent: int) -> bool:
        return self.random.random() * 100 < percent

    # --- expressions: integers wherever a value is wanted, so that most programs are well typed ---

    def variable(self, scope: str, known: set[str]) -> Expression:
        """A variable that probably has a value here.  `scope` is `::`, `nd`, a class, or `def`."""
        pick = self.random.choice
        if self.style.qualified or self.chance(25):
            if scope in CLASSES and self.chance(60):
                own = [*sorted(known), *(["p"] if self.parameters.get(scope) else [])]
                if own:
                    return QualifiedVar(scope, pick(own))
            if scope == "def" and self.chance(60):
                return Var("q")
            if self.declared and self.chance(30):
                a = pick(sorted(self.declared))
                return QualifiedVar(a, "p" if self.parameters[a] and self.chance(70) else pick(INTEGERS))
            return TopVar(pick(sorted(self.top) or INTEGERS))
        if scope in CLASSES and self.parameters.get(scope) and self.chance(30):
            return Var("p")
        if scope == "def" and self.chance(40):
            return Var("q")
        sure = sorted(known | self.top if scope != "def" else self.top)
        return Var(pick(sure if sure and self.chance(70 if self.style.undef else 95) else INTEGERS))

    def integer(self, scope: str, known: set[str], depth: int = 2) -> Expression:
        roll = self.random.random()
        if depth == 0 or roll < 0.42:
            return self.literal(self.random.randrange(3))
        if roll < 0.80:
            return self.variable(scope, known)
        if roll < 0.88:
            op = self.random.choice("+-*")
            left = self.integer(scope, known, depth - 1)
            return Arith(op, left, self.integer(scope, known, depth - 1))
        if roll < 0.95 or not self.style.extension:
            return self.selector(scope, known, depth)
        return self.composite(scope, known, depth)

    def selector(self, scope: str, known: set[str], depth: int) -> Expression:
        e = self.integer(scope, known, 1)
        matches: list[Match] = []
        last = self.random.randrange(1, 3)
        default = self.random.choice((last, last, 0)) if self.chance(85) else -1
        for n in range(last + 1):
            if n == default:
                matches.append(Match(Default(), self.integer(scope, known, depth - 1)))
            if n < last:
                c = self.integer(scope, known, 1) if self.chance(20) else self.literal(n)
                matches.append(Match(c, self.integer(scope, known, depth - 1)))
        return Selector(e, tuple(matches))

    def composite(self, scope: str, known: set[str], depth: int) -> Expression:
        match self.random.randrange(3):
            case 0:
                items = tuple(self.integer(scope, known, depth - 1) for _ in range(2))
                return Deref(ArrayExp(items), self.integer(scope, known, 1) if self.chance(30) else self.literal(0))
            case 1:
                entries = tuple((k, self.integer(scope, known, depth - 1)) for k in ("k", "j"))
                return Deref(HashExp(entries), self.literal(self.random.choice(("k", "k", "j", "i"))))
            case _:
                if not self.resources:
                    return self.literal(0)
                title = self.literal(self.random.choice(self.resources))
                return Deref(Ref("file", title), self.literal("mode"))

    def condition(self, scope: str, known: set[str]) -> Expression:
        roll = self.random.random()
        if roll < 0.75:
            e = self.variable(scope, known) if self.chance(90) else self.integer(scope, known, 1)
            return Comp(
                self.random.choice(("==", "==", "==", "!=", ">", "<", ">=", "<=")),
                e,
                self.literal(self.random.randrange(3)),
            )
        if roll < 0.85:
            left = self.condition(scope, known)
            return (And if self.chance(50) else Or)(left, self.condition(scope, known))
        if roll < 0.93:
            return Not(self.condition(scope, known))
        return self.literal(self.chance(50))

    # --- statements ---

    def body(self, scope: str, known: set[str], size: int, depth: int, under: bool, least: int = 0) -> Statement:
        count = self.random.randrange(least, size + 1)
        return sequence([self.statement(scope, known, depth, under) for _ in range(count)])

    def statement(self, scope: str, known: set[str], depth: int, under: bool) -> Statement:
        """One statement; `under` says whether a condition is round it."""
        roll = self.random.random()
        declares = self.style.conditional_declarations or not under
        assigns = self.style.conditional_assignments or not under
        if roll < 0.30 and assigns:
            return self.assignment(scope, known)
        if roll < 0.52 or (depth == 0 and roll >= 0.75):
            return self.resource(scope, known)
        if roll < 0.69 and declares:
            return self.declaration(scope, known, under)
        if roll < 0.75 and self.has_define and (declares or not self.define_declares):
            return Defined("d", self.title(), (("q", self.integer(scope, known)),) if self.chance(70) else ())
        if depth == 0:
            return self.resource(scope, known)
        return self.conditional(scope, known, depth - 1)

    def assignment(self, scope: str, known: set[str]) -> Statement:
        fresh = [x for x in INTEGERS if x not in known]
        if not fresh and self.chance(97):
            return self.resource(scope, known)
        x = self.random.choice(fresh or INTEGERS)
        e = self.integer(scope, known)
        known.add(x)
        return Assign(x, e)

    def title(self) -> Expression:
        self.titles += 1
        return self.literal(f"f{self.titles}")

    def resource(self, scope: str, known: set[str]) -> Statement:
        title = self.title()
        names = ATTRIBUTES[: self.random.randrange(1, 3)]
        H = tuple((k, self.integer(scope, known) if self.chance(85) else self.condition(scope, known)) for k in names)
        self.resources.append(f"f{self.titles}")
        return Resource("file", title, H)

    def declaration(self, scope: str, known: set[str], under: bool) -> Statement:
        a = self.random.choice(CLASSES)
        again = a in self.declared and self.chance(90)
        if scope in ("::", "nd") and not under:
            self.declared.add(a)
        if self.chance(60) or again or not self.parameters.get(a):
            return Include(a)
        return ClassDecl(a, (("p", self.integer(scope, known)),))

    def conditional(self, scope: str, known: set[str], depth: int) -> Statement:
        """A conditional that may do something: Puppet refuses those that can not."""

        def branch(least: int = 0) -> Statement:
            return self.body(scope, set(known), 2, depth, True, least)

        roll = self.random.random()
        if roll < 0.6:
            e = self.condition(scope, known)
            s1 = branch(1)
            return If(e, s1, branch() if self.chance(45) else SKIP)
        if roll < 0.75:
            e = self.condition(scope, known)
            return Unless(e, branch(1))
        e = self.integer(scope, known, 1)
        C = [Branch(self.literal(n), branch(1)) for n in range(self.random.randrange(1, 3))]
        if self.chance(50):
            C.append(Branch(Default(), branch()))
        return CaseOf(e, tuple(C))

    # --- manifests ---

    def program(self) -> Program:
        items: list[Statement] = []
        known: set[str] = set()
        for x in INTEGERS:
            if self.chance(80):
                items.append(Assign(x, self.literal(self.random.randrange(3))))
                known.add(x)
        self.top = known
        self.define_declares = self.chance(40)
        if self.chance(60):
            q = (Param("q", self.literal(self.random.randrange(3))),)
            items.append(Define("d", q, self.body("def", {"q"}, 3, 1, not self.define_declares)))
            self.has_define = True
        for n, a in enumerate(CLASSES):
            with_parameter = self.style.class_parameters and self.chance(60)
            parent = self.random.choice(CLASSES[:n]) if n and self.chance(self.style.heirs) else None
            ρ = None
            if with_parameter:
                default = self.integer(a, set(), 1) if self.chance(40) else self.literal(self.random.randrange(3))
                ρ = (Param("p", default),)
            self.parameters[a] = with_parameter
            items.append(ClassDefinition(a, ρ, parent, self.body(a, set(), 3, 2, False)))
        items.extend(self.statement("::", known, 2, False) for _ in range(self.random.randrange(2, 7)))
        if self.chance(self.style.nodes):
            s = self.body("nd", set(), 4, 2, False)
            if self.chance(80):
                items.append(NodeDef(NodeDefault(()), s))
            else:  # real Puppet wants a node that matches
                items.append(NodeDef(NodeName("web"), s))
                items.append(NodeDef(NodeDefault((NodeName("web"),)), SKIP))
        return Program(manifest(items), tuple(self.labels))


def make_program(random: Random, style: Style = FULL) -> Program:
    """A random program."""
    return _Maker(random, style).program()


def other_value(random: Random, v: Data) -> Data:
    """Another value of the same kind."""
    if isinstance(v, bool):
        return not v
    if isinstance(v, int):
        return random.choice([n for n in range(4) if n != v])
    if isinstance(v, str):
        return v + "'" if random.random() < 0.7 else random.choice(["f1", "f2", "k", "j", "mode"])
    return v


def make_change(random: Random, program: Program, count: int = 1) -> Mapping[Label, Data]:
    """New values for `count` of the program's literals."""
    chosen = random.sample(program.labels, min(count, len(program.labels)))
    changes = {label: other_value(random, label.v) for label in chosen}
    return {label: v for label, v in changes.items() if v != label.v or type(v) is not type(label.v)}

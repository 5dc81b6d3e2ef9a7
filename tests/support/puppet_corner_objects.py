# ruff: noqa: E501 - programs stand on one line
"""Random Puppet programs about object types and sets of types, for comparison with real Puppet.

Object types with attributes of every kind, constants, functions, parents, equality, serialization, type parameters and
annotations, in a manifest, in a module's `types/` or inside a set of types that other sets refer to; and programs that
make objects of them by position and by name, read, compare, print, infer and put them into catalogs. Now and then a
definition breaks a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .puppet_corner_types import FACTS, NODE, Texts

SIMPLE = ("Integer", "String", "Optional[String]", "Array[Integer]", "Variant[Integer, String]", "Any", "Boolean")
FITTING = {
    "Integer": ("1", "7", "-2"),
    "String": ("'a'", "'b c'", "''"),
    "Optional[String]": ("'o'", "undef"),
    "Array[Integer]": ("[1, 2]", "[]"),
    "Variant[Integer, String]": ("3", "'v'"),
    "Any": ("undef", "{k => [1]}", "default", "Integer"),
    "Boolean": ("true", "false"),
}


class Attribute:
    """An attribute of an object type that is being written."""

    def __init__(self, name: str, kind: str, optional: bool, settable: bool) -> None:
        self.name = name
        self.kind = kind
        self.optional = optional
        self.settable = settable


class Shape:
    """An object type that was written: what its instances need."""

    def __init__(self, name: str, parent: Shape | None) -> None:
        self.name = name
        self.parent = parent
        self.own: list[Attribute] = []

    def attributes(self) -> list[Attribute]:
        above = self.parent.attributes() if self.parent else []
        covered = {each.name for each in self.own}
        return [each for each in above if each.name not in covered] + self.own


class Objects(Texts):
    """Writes object types and questions about them."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.shapes: list[Shape] = []
        self.lines: list[str] = []
        self.files: dict[str, str] = {}
        self.odd = random.random() < 0.25
        """Whether this program may break a rule."""

    def slip(self) -> bool:
        return self.odd and self.chance(0.15)

    # --- definitions -------------------------------------------------------------------------------------------------

    def attribute(self, name: str, shape: Shape) -> str:
        kind = self.random.choice(SIMPLE)
        fitting = self.random.choice(FITTING[kind]) if not self.slip() else self.value(1)
        match self.random.randrange(10):
            case 0 | 1 | 2 | 3:
                if kind == "Optional[String]":
                    shape.own.append(Attribute(name, kind, False, True))
                    return f"{name} => {kind}"
                shape.own.append(Attribute(name, kind, False, True))
                return f"{name} => {self.pick(kind, f'{{type => {kind}}}')}"
            case 4 | 5:
                shape.own.append(Attribute(name, kind, True, True))
                return f"{name} => {{type => {kind}, value => {fitting}}}"
            case 6:
                return f"{name} => {{type => {kind}, kind => constant, value => {fitting}}}"
            case 7:
                shape.own.append(Attribute(name, kind, True, True))
                return f"{name} => {{type => Optional[{kind}], kind => given_or_derived}}"
            case 8:
                word = self.pick("derived", "reference", "given_or_derived", "constant" if self.odd else "reference")
                if word in ("reference",):
                    shape.own.append(Attribute(name, kind, False, True))
                return f"{name} => {{type => {kind}, kind => {word}}}"
        if self.slip():
            return self.pick(
                f"{name} => {{kind => constant}}",
                f"{name} => 3",
                f"{name} => {{type => {kind}, strange => 1}}",
                f"{name} => {{}}",
            )
        override = shape.parent is not None and any(each.name == name for each in shape.parent.attributes())
        extra = ", override => true" if override and self.chance(0.8) else self.pick("", ", final => true")
        shape.own.append(Attribute(name, kind, False, True))
        return f"{name} => {{type => {kind}{extra}}}"

    def features(self, shape: Shape) -> list[str]:
        parts = []
        names = self.random.sample(("a", "b", "c", "d", "e"), self.random.randint(0, 3))
        above = {each.name for each in shape.parent.attributes()} if shape.parent else set()
        names = [name for name in names if name not in above or self.slip() or self.chance(0.1)]
        if names or self.chance(0.2):
            parts.append(f"attributes => {{{', '.join(self.attribute(name, shape) for name in names)}}}")
        if self.chance(0.25):
            constants = [
                f"{name} => {self.value(1)}"
                for name in self.random.sample(("k", "l", "m" if not self.slip() else "a"), 2)
            ]
            parts.append(f"constants => {{{', '.join(constants)}}}")
        if self.chance(0.25):
            functions = []
            for name in self.random.sample(("f", "g", "h"), self.random.randint(1, 2)):
                kind = self.pick(
                    "Callable[[], Integer]", "Callable[Integer]", "Callable[[String, Integer], String]", "Callable"
                )
                kind = "Integer" if self.slip() else kind
                functions.append(
                    f"{name} => {self.pick(kind, f'{{type => {kind}}}', f'{{type => {kind}, final => true}}')}"
                )
            parts.append(f"functions => {{{', '.join(functions)}}}")
        if self.chance(0.2) and (names or self.odd):
            chosen = self.random.choice(names or ["zz"])
            parts.append(f"equality => {self.pick(f'[{chosen}]', chosen, '[]')}")
        if self.chance(0.08):
            parts.append(f"equality_include_type => {self.pick('true', 'false')}")
        if self.chance(0.1) and names:
            parts.append(f"serialization => [{', '.join(names)}]")
        if self.chance(0.1):
            kind = self.pick("Integer", "String", "{type => Optional[Integer], value => 3}", "Type[Integer]")
            parts.append(f"type_parameters => {{{self.pick('p', names[0] if names else 'q')} => {kind}}}")
        if self.chance(0.05):
            parts.append(
                self.pick("checks => 3", "annotations => {}", "strange => 1" if self.odd else "annotations => {}")
            )
        self.random.shuffle(parts)
        return parts

    def define(self, name: str) -> tuple[str, str]:
        """An object type: its name in the program and the text of its initialization hash or call."""
        parent = self.random.choice(self.shapes) if self.shapes and self.chance(0.4) else None
        shape = Shape(name, parent)
        parts = self.features(shape)
        if parent:
            parts.insert(0, f"parent => {parent.name if not self.slip() else self.pick('Integer', 'Nowhere', name)}")
        if self.slip():
            parts.insert(0, f"name => {self.pick(repr(name), repr('Other'), '3')}")
        self.shapes.append(shape)
        return name, "{" + ", ".join(parts) + "}"

    # --- objects -------------------------------------------------------------------------------------------------------

    def instance(self) -> str:
        shape = self.random.choice(self.shapes)
        attributes = sorted(shape.attributes(), key=lambda each: each.optional)
        needed = [each for each in attributes if not each.optional]
        optional = [each for each in attributes if each.optional]
        given = needed + optional[: self.random.randint(0, len(optional))]
        if self.slip():
            given = given[:-1] if self.chance(0.5) else [*given, Attribute("zz", "Integer", False, True)]
        values = [self.random.choice(FITTING[each.kind]) if not self.slip() else self.value(1) for each in given]
        call = self.pick(
            f"{shape.name}(%s)", f"{shape.name}.new(%s)", f"new({shape.name}, %s)" if values else f"{shape.name}(%s)"
        )
        if self.chance(0.4):
            return call % (
                "{" + ", ".join(f"{each.name} => {text}" for each, text in zip(given, values, strict=True)) + "}"
            )
        return call % ", ".join(values)

    def member(self) -> str:
        return (
            self.pick("a", "b", "c", "d", "e", "k", "l", "f", "g", "h", "zz")
            if self.odd
            else self.pick("a", "b", "c", "k")
        )

    def ask(self) -> str:
        thing, other = self.instance(), self.instance()
        name, second = self.random.choice(self.shapes).name, self.random.choice(self.shapes).name
        return str(
            self.pick(
                f"notice({thing})",
                f"notice({thing}, {other})",
                f"notice([{thing}])",
                f'notice("${{{thing}}}")',
                f"notice({thing} == {other}, {thing} != {thing})",
                f"notice({thing} == {thing})",
                f"notice(type({thing}))",
                f"notice(type([{thing}, {other}], {self.pick('generalized', 'reduced', 'detailed')}))",
                f"notice({thing} =~ {name}, {thing} =~ Object, {thing} =~ Any, {thing} =~ RichData, {thing} =~ Data)",
                f"notice({name})",
                f"notice({name} == {second}, {name} < {second}, {name} >= {second}, {name} < Object)",
                f"notice(type({name}), String({name}, '{self.pick('%p', '%#p', '%s', '%#s')}'))",
                f"notice(String({thing}, '{self.pick('%p', '%#p', '%s', '%d', '%#s')}'))",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => {thing} }}",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => {name} }}",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => [{thing}, {{x => {other}}}] }}",
                f"notice({thing}.{self.member()})",
                f"notice({thing}.{self.member()})",
                f"notice({thing}.{self.member()}({self.value(1) if self.chance(0.3) else ''}))",
                f"notice({name}.{self.member()})",
                f"notice({name}[{self.value(1)}])",
                f"notice(unique([{thing}, {other}, {thing}]))",
                f"notice({{{thing} => 1}}[{other}])",
                f"notice(assert_type({name}, {other}))",
                f"notice({self.value(1)} =~ {name})",
                f"notice({thing} ? {{ {name} => 1, {second} => 2, default => 3 }})",
                f"notice(Integer({thing}))",
                f"notice({thing}.convert_to({self.pick('Array', 'Hash', 'String', 'Array, true')}))",
                f"function fn{self.random.randrange(10**6)}({name} $x) {{ $x }}",
                f"notice(with({thing}) |{name} $x| {{ $x.{self.member()} }})",
                f"notice({name}({self.value(1)}))",
                f"notice({name} =~ Type[{second}], {name} =~ Type[Object], Init[{name}])",
                f"notice({thing} {self.pick('<', '>', '+', 'in', '=~')} {other})",
                f"notice({name}.annotate({second}))" if self.odd else f"notice(Optional[{name}], Array[{name}])",
                f"notice({thing}[{self.pick('0', 'a', repr('a'))}])"
                if self.odd
                else f"notice({thing}.then |$x| {{ $x }})",
            )
        )

    def in_manifest(self, name: str) -> str:
        _, text = self.define(name)
        match self.random.randrange(5):
            case 0 | 1 | 2:
                return f"type {name} = Object[{text}]"
            case 3:
                return f"type {name} = {self.with_parent(text)}"
        return f"type {name} = Object {text}" if self.odd else f"type {name} = Object[{text}]"

    def with_parent(self, text: str) -> str:
        """Without `Object[...]`: a parent before the hash, or nothing."""
        shape = self.shapes[-1]
        if shape.parent is None or "parent => " not in text:
            return text if not self.odd else f"Integer {text}"
        before, _, rest = text.partition(f"parent => {shape.parent.name}")
        return f"{shape.parent.name} {before}{rest.removeprefix(', ')}"

    def in_module(self, name: str) -> str:
        path = f"modules/mod/types/{name.removeprefix('Mod::').lower()}.pp"
        self.files[path] = self.in_manifest(name)
        return ""

    # --- sets ----------------------------------------------------------------------------------------------------------

    def type_set(self, name: str, references: dict[str, str]) -> str:
        """A set of types; `references` are aliases of sets by their names in this one."""
        members = []
        local: list[Shape] = []
        aliases: list[str] = []
        outer = self.shapes
        self.shapes = [*local]
        for index in range(self.random.randint(1, 3)):
            member = f"{self.pick('A', 'B', 'C')}{index}"
            if self.chance(0.5):
                _, text = self.define(member)
                local.append(self.shapes[-1])
                form = self.pick(f"Object[{text}]", text, f"Object{text}", "{attributes => {}}")
                if form == text or "attributes => {}}" in form:
                    form = text
                if "parent => " in text and self.chance(0.3):
                    form = self.with_parent(text)
                members.append(f"{member} => {form}")
            else:
                inner = (
                    self.type(1) if self.chance(0.7) or not aliases else self.pick(f"Array[{aliases[-1]}]", aliases[-1])
                )
                members.append(f"{member} => {inner}")
                aliases.append(member)
        self.shapes = outer
        for shape in local:
            shape.name = f"{name}::{shape.name}"
        self.shapes = [*outer, *local]
        self.aliases += [f"{name}::{each}" for each in aliases]
        parts = [
            "pcore_version => '1.0.0'",
            f"version => '{self.pick('1.0.0', '1.2.3', '0.1.0' if not self.slip() else 'x')}'",
        ]
        parts.append(f"types => {{{', '.join(members)}}}")
        if references:
            entries = [
                f"{alias} => {{name => '{target}', version_range => '{self.pick('1.x', '>=0.1.0', '1.x')}'}}"
                for alias, target in references.items()
            ]
            parts.append(f"references => {{{', '.join(entries)}}}")
        if self.chance(0.1):
            parts.append(
                self.pick(
                    "name_authority => 'http://example.com/x'", "strange => 1" if self.odd else "annotations => {}"
                )
            )
        if self.slip():
            del parts[self.random.randrange(len(parts))]
        return f"type {name} = TypeSet[{{{', '.join(parts)}}}]"

    def ask_set(self, sets: list[str]) -> str:
        chosen = self.random.choice(sets)
        member = self.random.choice((*self.aliases, *(each.name for each in self.shapes), f"{chosen}::Nope"))
        return str(
            self.pick(
                f"notice({chosen})",
                f"notice({member})",
                f"notice(type({member}))",
                f"notice({self.value(1)} =~ {member})",
                f"notice(Array[{member}], {member} == {member}, {member} < Any)",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => {member} }}",
                f"notice({member}({self.value(1)}))",
                f"notice({chosen} == {self.random.choice(sets)}, {chosen} =~ Type[TypeSet], type({chosen}))",
                f"notice(with({self.value(1)}) |{member} $x| {{ $x }})",
                f"notice({chosen}[{self.pick(repr('A0'), '0')}])" if self.odd else f"notice(String({chosen}, '%p'))",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => {chosen} }}",
            )
        )


def make_objects(random: Random) -> dict[str, Any]:
    """Object types and objects."""
    maker = Objects(random)
    names = ["Alpha", "Beta", "Gamma"][: random.randint(1, 3)]
    lines = []
    for name in names:
        if maker.chance(0.15):
            maker.in_module(f"Mod::{name}")
        else:
            lines.append(maker.in_manifest(name))
    lines += [maker.ask() for _ in range(random.randint(1, 3))]
    return _request(maker, lines)


def make_sets(random: Random) -> dict[str, Any]:
    """Sets of types."""
    maker = Objects(random)
    lines: list[str] = []
    sets: list[str] = []
    for name in ("One", "Two")[: random.randint(1, 2)]:
        references = {f"Ref{index}": each for index, each in enumerate(sets)} if maker.chance(0.5) else {}
        if maker.chance(0.15) and not sets:
            name = "Mod"
            maker.files["modules/mod/types/init_typeset.pp"] = maker.type_set(name, references)
        else:
            lines.append(maker.type_set(name, references))
        sets.append(name)
    questions: list[Callable[[], str]] = [lambda: maker.ask_set(sets)]
    if maker.shapes:
        questions.append(maker.ask)
    lines += [random.choice(questions)() for _ in range(random.randint(1, 3))]
    return _request(maker, lines)


def _request(maker: Objects, lines: list[str]) -> dict[str, Any]:
    request: dict[str, Any] = {"manifest": "\n".join(lines) + "\n", "node": NODE, "facts": FACTS}
    if maker.files:
        request["files"] = maker.files
    return request

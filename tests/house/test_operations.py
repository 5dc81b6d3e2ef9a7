"""What happened is told by records: a closed set, each with its way to be computed again, and no word is compared.

The sets are written down here, so that a new operation is a decision: it needs a line in the table of its language
(`Computations`), or a reason why it can not be computed.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.rooms import ROOT, modules_of
from wherefrom.nix.trace.terms import COMPUTATIONS as NIX
from wherefrom.provenance.operations import EdgeLabel, Infix, Named, Op, Opaque, ProvenanceLabel
from wherefrom.puppet.output.computing import COMPUTATIONS as PUPPET
from wherefrom.smartfrog.production.computing import COMPUTATIONS as SMARTFROG

SRC = ROOT / "src"
HOMES = {
    "wherefrom.provenance.operations": (
        "At Named Infix FunctionCall BuiltIn Opaque Provided Untraced Shape Render Recalled"
    ),
    "wherefrom.puppet.kernel.operations": (
        "Arithmetic Comparison Logic Matching Membership Arrow Not Negate Access Interpolate Concatenate HieraText "
        "Item KeyAt ValueAt Counted Group DeferredArgument Entry Dug Member AttributeOf IteratorOver ErrorAt NoValue "
        "Truth TypeName ParsedType ConvertTo ReferenceTo ClassReference ClassName Presence AllOf AnyOf FqdnRand "
        "Hide Kept BytesAsText"
    ),
    "wherefrom.nix.trace.operations": (
        "Operator Decided Negate Not Interpolate InterpolatePath Has Attribute Element EmptySet EmptyList FunctionHead "
        "Constant"
    ),
    "wherefrom.smartfrog.labels": "Operator Calling ReadValue Stays Numbered",
    "wherefrom.ruby.operations": "MethodCall Joined Written NamedConstant Consulting ByRuby NamedTemplate",
}
"""The operations there are, by module."""
EDGE_LABELS = {
    "wherefrom.provenance.operations": "Reason NamedEdgeLabel Function Opened RecalledEdgeLabel",
    "wherefrom.puppet.kernel.edge_labels": (
        "VariableEdge ParameterEdge Changing DefaultFor OverrideIn ByCollector AddedBy ExportedBy"
    ),
    "wherefrom.smartfrog.labels": (
        "LinkedFrom WouldLeadTo FromPrototype ChangedInside PlacedBy PutBy Overriding OverriddenAt ComesBefore"
    ),
    "wherefrom.nix.trace.operations": "PassedOn Picked Chosen",
}
"""The edge labels there are, by module."""
ABSTRACT = {"At", "Named", "Infix", "Opaque"}
"""Bases of others, of which a language makes none itself; a saved outcome has `Infix`es that are not computed again."""
ONE_OF_A_KIND = {"Shape", "Reason", "ByRuby"}
"""Classes whose objects are constants of the modules above: no other code makes one."""


def kinds(base: type[ProvenanceLabel]) -> set[type[ProvenanceLabel]]:
    """All classes below `base`."""
    below = set(base.__subclasses__())
    return below.union(*map(kinds, below))


def listed(homes: dict[str, str]) -> set[type[ProvenanceLabel]]:
    return {getattr(importlib.import_module(home), name) for home, names in homes.items() for name in names.split()}


@pytest.fixture(scope="module", autouse=True)
def everything() -> None:
    """All modules are loaded, so that all classes are known."""
    for path in modules_of(SRC).values():
        if path.name != "__main__.py":
            importlib.import_module(".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__"))


def test_the_sets_are_closed() -> None:
    """There are the operations and edge labels that are listed, no others."""
    assert {each for each in kinds(Op) if each.__module__.startswith("wherefrom.")} == listed(HOMES)
    assert {each for each in kinds(EdgeLabel) if each.__module__.startswith("wherefrom.")} == listed(EDGE_LABELS)


def test_every_operation_can_be_computed_or_says_why_not() -> None:
    """One table for each language; an opaque operation has a reason and words."""
    tables: dict[str, set[type[ProvenanceLabel]]] = {
        "puppet": set(PUPPET.by_class),
        "nix": set(NIX.by_class),
        "smartfrog": set(SMARTFROG.by_class),
    }
    for operation in sorted(listed(HOMES), key=lambda each: each.__qualname__):
        if operation.__name__ in ABSTRACT:
            continue
        assert operation.__doc__
        room = operation.__module__.split(".")[1]
        if issubclass(operation, Opaque):
            assert operation.reason, operation
        elif room in tables:
            assert operation in tables[room], operation
        else:
            assert any(operation in table for table in tables.values()), operation


def test_words_tell_records_apart() -> None:
    """Two are equal if class and words are; a call is shown by its name."""
    assert Infix("+") == Infix("+") != Infix("-")
    assert Named("a") != Infix(" a") and len({Infix("+"), Infix("+")}) == 1


WORDS = {"startswith", "endswith", "partition", "split", "removeprefix", "removesuffix", "index", "find"}
ELSEWHERE = ("semantics/", "base/regex", "puppet/types/mismatch.py")
"""Where an `op` or a `Step` is something else."""
NOTES = ("nix/trace/cells.py", "nix/options/definitions.py")
"""Where `.op` is the symbol of a note of a recording program, compared with the constants of `nix/trace/operations`."""


def compared(tree: ast.AST) -> Iterator[ast.AST]:
    """Places that look into the words of an operation or edge label: comparisons, string methods, patterns."""

    def told(node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute) and node.attr == "words":
            return isinstance(node.value, ast.Attribute) and node.value.attr in ("op", "how", "why")
        return isinstance(node, ast.Attribute) and node.attr in ("op", "how", "why")

    def text(node: ast.AST) -> bool:
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            return any(map(text, node.elts))
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))

    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = (left, *others)
                if any(map(told, sides)) and any(map(text, sides)):
                    yield node
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if told(value) and attr in WORDS:
                yield node
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns):
                for name, pattern in zip(names, patterns, strict=True):
                    inside = list(ast.walk(pattern))
                    if name in ("op", "how", "why") and any(
                        isinstance(each, ast.MatchValue) and text(each.value) for each in inside
                    ):
                        yield node
            case ast.Call(func=ast.Name(id="Step" | "Copy" | "Overridden"), args=[first, *_]) if text(first):
                yield node
            case _:
                pass


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(modules_of(SRC).values()):
        name = str(path.relative_to(SRC / "wherefrom"))
        if not name.startswith(ELSEWHERE):
            yield name, ast.parse(path.read_text())


def test_no_word_is_compared() -> None:
    """Code looks at classes and constants."""
    found = [f"{name}:{node.lineno}" for name, tree in sources() for node in compared(tree)]  # type: ignore[attr-defined]
    assert [each for each in found if not each.startswith(NOTES)] == []
    assert len([each for each in found if each.startswith(NOTES)]) <= 2


def imported(tree: ast.Module) -> set[str]:
    """Those of `ONE_OF_A_KIND` that a module has from a module of operations."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports if (node.module or "").endswith("operations") for alias in node.names}
    return names & ONE_OF_A_KIND


def test_constants_are_made_where_they_are_listed() -> None:
    """A `Shape` or `Reason` that some other code made would be a free text again."""
    homes = {f"{home.replace('.', '/')}.py".removeprefix("wherefrom/") for home in (*HOMES, *EDGE_LABELS)}
    strays = [
        f"{name}:{node.lineno}"
        for name, tree in sources()
        if name not in homes and (names := imported(tree))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]
    assert strays == []


@pytest.mark.parametrize(
    "text",
    [
        "x.how == 'if'", "'if' == x.how", "x.op in ('+', '-')", "x.how.startswith('default for')", "Step('+', ())",
        "x.op.words == '+'", "x.op.words.partition(' ')", "match x:\n case Step(op='set' | 'list'): pass",
        "x.op == f'call {name}'",
    ],
)  # fmt: skip
def test_the_search_finds(text: str, tmp_path: Path) -> None:
    """The test can fail."""
    assert list(compared(ast.parse(text)))
    assert not list(compared(ast.parse("x.op is ADD or isinstance(x.how, Variable) or Step(ADD, ())")))

"""The names in a Nix file: bindings and arguments with their uses, attributes, options, and files that are named.

| kind        | name                                         | what defines it                                       |
|-------------|----------------------------------------------|-------------------------------------------------------|
| `variable`  | `x@120`: of the construct at 120             | `let`, `x: ...`, `{ ... } @ x: ...`                   |
| `argument`  | `x@120`                                      | `{ x, ... }: ...`: callers name it as well            |
| `attribute` | `a.b@120`, and `a.b` for whoever means it    | a binding of a set                                    |
| `template`  | the path of a file, without its first slash  | the file                                              |

A variable means what encloses it nearest; one that only a `with` may bind means nothing here. An attribute that is
selected from a set written in the file means the one of that set; one selected from the argument `config` means
whatever has that path as an option or as its definition, in any file.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator

from ...base.mentions import Mention
from ...base.source import SourceFile, Span
from .scope import children
from .tree import (
    AttrSet,
    Expr,
    Lambda,
    Let,
    OldLet,
    PathLiteral,
    PatternLambda,
    Select,
    Variable,
    With,
)

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_'-]*")


class _Bound:
    """What a name is bound to: kind and name of its definition, and its value where that is written."""

    __slots__ = ("kind", "name", "value")

    def __init__(self, kind: str, name: str, value: Expr | None = None) -> None:
        self.kind = kind
        self.name = name
        self.value = value


Scope = dict[str, _Bound]


def mentions_in(tree: Expr, source: SourceFile) -> list[Mention]:
    """All names in a tree; their places are in `source`."""
    walk = _Walk(source)
    stack: list[tuple[Expr, Scope, str]] = [(tree, {}, "")]
    while stack:
        stack.extend(walk.visit(*stack.pop()))
    return sorted(walk.mentions, key=lambda mention: (mention.at.start, not mention.defines))


class _Walk:
    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.mentions: list[Mention] = []

    def visit(self, node: Expr, scope: Scope, path: str) -> Iterator[tuple[Expr, Scope, str]]:
        """Note what a node names; what is below it, with the names that are seen there."""
        match node:
            case Variable(name) if name:
                self._use(name, node.span, scope)
            case PathLiteral(_, value):
                file = value if value.endswith(".nix") else os.path.join(value, "default.nix")
                self._add("template", (file.lstrip("/"),), node.span)
            case Lambda(argument, body):
                bound = self._define("variable", argument, node.argument_span, node.span, "argument")
                yield body, {**scope, argument: bound}, ""
            case PatternLambda():
                inside = dict(scope)
                for formal in node.formals:
                    extent = formal.span if formal.default is None else formal.span.to(formal.default.span)
                    inside[formal.name] = self._define("argument", formal.name, formal.span, extent, "argument")
                if node.name is not None and (span := self._whole_name(node)) is not None:
                    inside[node.name] = self._define("variable", node.name, span, node.span, "argument")
                yield from ((formal.default, inside, "") for formal in node.formals if formal.default is not None)
                yield node.body, inside, ""
            case Let(bindings, body):
                inside = self._scope(bindings, scope, "variable", "let")
                yield from self._bindings(bindings, scope, inside, "", is_let=True)
                yield body, inside, path
            case OldLet(bindings):
                yield from self._bindings(bindings, scope, self._scope(bindings, scope, "attribute", ""), "")
            case AttrSet():
                inside = self._scope(node, scope, "attribute", path) if node.recursive else scope
                yield from self._bindings(node, scope, inside, path)
            case With(outer, body):
                yield outer, scope, ""
                yield body, scope, path
            case Select():
                self._selected(node, scope)
                yield from ((child, scope, "") for child in children(node))
            case _:
                yield from ((child, scope, "") for child in children(node))

    # --- sets ---

    def _scope(self, node: AttrSet, scope: Scope, kind: str, path: str) -> Scope:
        inside = dict(scope)
        for attribute in node.attributes:
            dotted = attribute.name if kind == "variable" else _dotted(path, attribute.name)
            inside[attribute.name] = _Bound(kind, f"{dotted}@{attribute.span.start}", attribute.value)
        return inside

    def _bindings(
        self, node: AttrSet, outside: Scope, inside: Scope, path: str, is_let: bool = False
    ) -> Iterator[tuple[Expr, Scope, str]]:
        for attribute in node.attributes:
            value, dotted = attribute.value, _dotted(path, attribute.name)
            is_path = isinstance(value, AttrSet) and value.span == attribute.span  # `a.b = 1`: the set of `b`
            if not is_path:
                kind, detail = ("variable", "let") if is_let else ("attribute", "attribute")
                if attribute.inherited or attribute.selected:
                    detail = "inherit"
                extent = attribute.span if value.span.end < attribute.span.end else attribute.span.to(value.span)
                name = attribute.name if is_let else dotted
                self._add_definition(kind, name, _last(attribute.span), extent, detail, attribute.span.start)
            yield value, outside if attribute.inherited else inside, dotted
        for dynamic in node.dynamic:
            yield dynamic.name, inside, ""
            yield dynamic.value, inside, ""

    def _selected(self, node: Select, scope: Scope) -> None:
        """The attributes that a selection names, as far as the set is written here, or is that of all options."""
        if not isinstance(node.subject, Variable):
            return
        bound = scope.get(node.subject.name)
        value = bound.value if bound is not None else None
        if bound is not None and bound.kind == "argument" and node.subject.name == "config":
            steps: list[str] = []
            for step, span in zip(node.steps, node.step_spans):
                if not isinstance(step, str):
                    break
                steps.append(step)
                dotted = ".".join(steps)
                self._add("attribute", (dotted, f"config.{dotted}", f"options.{dotted}"), span)
            return
        path = ""
        for step, span in zip(node.steps, node.step_spans):
            written = None
            if isinstance(step, str) and isinstance(value, AttrSet):
                written = next((known for known in value.attributes if known.name == step), None)
            if written is None or not isinstance(step, str):
                return
            path = _dotted(path, step)
            owner = bound.name.partition("@")[0] if bound is not None else ""
            name = path if bound is None or bound.kind == "variable" else f"{owner}.{path}"
            name = _dotted(owner, path) if bound is not None and bound.kind == "variable" else name
            is_path = isinstance(written.value, AttrSet) and written.value.span == written.span
            if not is_path:
                self._add("attribute", (f"{name}@{written.span.start}",), span)
            value = written.value

    # --- names ---

    def _use(self, name: str, span: Span, scope: Scope) -> None:
        bound = scope.get(name)
        if bound is not None:
            before = self.source.text[max(0, span.start - 400) : span.start]
            inherits = re.search(r"\binherit\b[^;]*\Z", before) is not None
            self._add(bound.kind, (bound.name,), span, "inherit" if inherits else "")

    def _whole_name(self, node: PatternLambda) -> Span | None:
        """Where the name of all arguments stands: before the pattern, or behind it."""
        text, name = self.source.text, re.escape(node.name or "")
        before = re.compile(rf"({name})\s*@").match(text, node.span.start)
        behind = before or re.compile(rf"@\s*({name})\s*:").search(text, node.span.start, node.body.span.start)
        return None if behind is None else self.source.span(behind.start(1), behind.end(1))

    def _define(self, kind: str, name: str, at: Span, extent: Span, detail: str) -> _Bound:
        self._add_definition(kind, name, at, extent, detail, at.start)
        return _Bound(kind, f"{name}@{at.start}")

    def _add_definition(self, kind: str, name: str, at: Span, extent: Span, detail: str, start: int) -> None:
        names = (f"{name}@{start}", name) if kind == "attribute" else (f"{name}@{start}",)
        here = self._here(at)
        self.mentions.append(Mention(kind, names, here, here, True, self._here(extent), detail))

    def _add(self, kind: str, names: tuple[str, ...], span: Span, detail: str = "") -> None:
        here = self._here(span)
        self.mentions.append(Mention(kind, names, here, here, detail=detail))

    def _here(self, span: Span) -> Span:
        return self.source.span(span.start, span.end)


def _dotted(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _last(span: Span) -> Span:
    """The last step of an attribute path, if it is a name."""
    text = span.text
    last = text.rpartition(".")[2]
    if _NAME.fullmatch(last) and '"' not in text:
        return span.file.span(span.end - len(last), span.end)
    name = _NAME.search(text) if text[:1].isspace() else None  # of `inherit` the place begins before the name
    return span if name is None else span.file.span(span.start + name.start(), span.start + name.end())

"""A tree of a text in the middle of being written: for names and outlines, never for an evaluation.

A slip costs the expression that it is in, and nothing around it: what can not be read is a hole (a variable without a
name), the binding keeps its name, and reading goes on at the next binding that is indented no deeper. A bracket that is
open at the end is taken as closed there; a quote that is open at the end of its line, in a text whose quotes do not
fit, is taken as none. No errors are told from here.
"""

from __future__ import annotations

import re

from ...base.diagnostics import Diagnostic, LimitReached
from ...base.source import SourceFile, Span
from .lexer import Tokens, tokenize
from .parser import Parser
from .parser_sets import SetBuilder
from .tree import AttrSet, Expr, Formal, ListLiteral, Variable
from .walk import descendants

MOST_MENDED = 20
"""Errors of the lexer after which a text is read on."""
_LINE = re.compile(r"''.*?''|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*|(?P<open>\")", re.DOTALL)
_BINDS = frozenset(("ID", "STRING", '"', "inherit", "${", "or"))


def recovered(source: SourceFile) -> Expr:
    """What can be read of a broken text.  Its spans are in a source with the same places."""
    texts = [source.text, _LINE.sub(lambda match: " " if match["open"] else match[0], source.text)]
    trees = [_read(source, text) for text in dict.fromkeys(texts)]
    return max(trees, key=_bindings)


def _bindings(tree: Expr) -> int:
    """How many bindings a tree has."""
    return sum(len(node.attributes) for node in descendants(tree) if isinstance(node, AttrSet))


def _read(source: SourceFile, text: str) -> Expr:
    for _ in range(MOST_MENDED):
        try:
            tokens = tokenize(SourceFile(source.name, text))
            return Recovering(tokens, "/", None).parse_program()
        except (LimitReached, RecursionError):
            break
        except Diagnostic as problem:
            if problem.span is None or problem.span.start >= len(text):
                break
            start = problem.span.start
            text = f"{text[:start]}  {text[start + 2 :]}"[: len(text)]
    return Variable("", span=source.span(0))


class Recovering(Parser):
    """See the module's text."""

    def __init__(self, tokens: Tokens, directory: str, home: str | None) -> None:
        super().__init__(tokens, directory, home)
        self._text = tokens.source.text

    def parse_program(self) -> Expr:
        """One expression, and the bindings that stand behind it when a bracket before was closed too early."""
        tree = self.parse_expr()
        if self.kinds[self.at] == "EOF":
            return tree
        rest = self.parse_bindings(False, "EOF", self.at)
        return ListLiteral((tree, rest), span=self.source.whole())

    def is_pattern(self) -> bool:
        """Whether the brace that fits the `{` at hand is followed by a function's body."""
        at = depth = 0
        for at in range(self.at, len(self.kinds) - 1):
            depth += {"{": 1, "${": 1, "}": -1}.get(self.kinds[at], 0)
            if not depth or self.kinds[at] == ";":
                break
        return self.kinds[at] == "}" and self.kinds[at + 1] in (":", "@")

    def parse_pattern(self) -> tuple[list[Formal], bool]:
        """`{ a, b ? d, ... }`, in which commas may be missing."""
        formals: dict[str, Formal] = {}
        self.at += 1
        while self.kinds[self.at] not in ("}", "EOF"):
            if self.kinds[self.at] == "ID":
                formal = self.parse_formal()
                formals.setdefault(formal.name, formal)
            else:
                self.at += 1
        self.at += self.kinds[self.at] == "}"
        return list(formals.values()), True

    def parse_expr(self) -> Expr:
        """Any expression, or a hole."""
        depth, begun = self.depth, self.at
        try:
            return super().parse_expr()
        except Diagnostic as problem:
            if isinstance(problem, LimitReached):
                raise
            self.depth = depth
            return Variable("", span=Span(self.source, self.starts[begun], self.starts[begun]))

    def parse_bindings(self, recursive: bool, end: str, opened: int) -> AttrSet:
        """Definitions up to the token `end`, or to the end of the text."""
        builder = SetBuilder(recursive, self.token_span(opened))
        self.depth += 1
        begun, depth = self.at, self.depth
        while self.kinds[self.at] != "EOF":
            begun = self.at
            if self.kinds[begun] == end:
                if end != "}" or not self._starts_line(begun) or self._indent(begun) == self._indent(opened):
                    break
                if self._indent(begun) < self._indent(opened):
                    begun = -1  # the brace of a set around this one
                    break
                self.at += 1 + (self.kinds[begun + 1] == ";")  # of a set inside that was never opened
                continue
            try:
                if self.kinds[begun] == "inherit":
                    self.parse_inherit(builder)
                else:
                    self.parse_binding(builder)
            except Diagnostic as problem:
                if isinstance(problem, LimitReached):
                    raise
                self.depth = depth
                if not self._skip(begun, end):
                    break
        if self.kinds[self.at] == end and begun >= 0:
            self.at += 1
        builder.span = self.span_from(self.starts[opened])
        self.depth -= 1
        return builder.freeze()

    def parse_binding(self, builder: SetBuilder) -> None:
        """`a.b = e;`, of which the value and the semicolon may be missing."""
        begun = self.at
        path, spans = self.parse_attribute_path()
        span = Span(self.source, spans[0].start, spans[-1].end)
        value: Expr = Variable("", span=Span(self.source, span.end, span.end))
        if self.kinds[self.at] == "=":
            self.at += 1
            value = self.parse_expr()
        builder.add(list(path), value, span)
        if self.kinds[self.at] == ";":
            self.at += 1
        elif not (self._starts_line(self.at) and self.kinds[self.at] in _BINDS):
            self.unexpected("expecting ';'", begun)

    def _starts_line(self, at: int) -> bool:
        return at == 0 or "\n" in self._text[self.ends[at - 1] : self.starts[at]]

    def _indent(self, at: int) -> int:
        start = self.starts[at]
        line = self._text[self._text.rfind("\n", 0, start) + 1 : start + 1]
        return len(line) - len(line.lstrip(" \t"))

    def _skip(self, begun: int, end: str) -> bool:
        """Go to the next binding after the one that began at `begun`, or to `end`; false if the set ends before."""
        deepest = self._indent(begun) if end != "EOF" else len(self._text)
        at = begun + 1
        depth = 0
        while self.kinds[at] != "EOF":
            kind = self.kinds[at]
            if self._starts_line(at):
                indent = self._indent(at)
                if indent <= deepest and kind in _BINDS:
                    break
                if indent < deepest and kind in ("}", "in", ")", "]"):
                    self.at = at
                    return kind == end
            elif depth == 0 and self.kinds[at - 1] == ";" and at - 1 > begun:
                break
            if kind in ("{", "(", "[", "${"):
                depth += 1
            elif kind in ("}", ")", "]"):
                if depth == 0 and kind == end:
                    break
                depth = max(0, depth - 1)
            at += 1
        self.at = at
        return True

"""A tree of a text in the middle of being written: for names and outlines, never for a compilation.

The parser proper stops where Puppet stops, and what it could not read to its end is not in its tree. Here a slip costs
the statement (or the parameter) that it is in, and nothing around it:

- after it reading goes on at the next statement that is indented no deeper, whatever the brackets say;
- a bracket that is still open at the end, or where a definition begins at the left margin, is taken as closed there;
- a quote that is open at the end of its line, in a text whose quotes do not fit, is taken as none.

What a broken text means is not known, so no errors are told from here.
"""

from __future__ import annotations

import re
from contextlib import suppress

from ...base.source import SourceFile
from ..kernel.issues import PuppetError
from .lexer import Lexer
from .parser import STARTERS, GiveUp, Parser
from .tree import Block, Expression, Parameter, Program

_DEFINING = frozenset(("class", "define", "node", "function", "type"))
_LINE = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*|(?P<open>['\"])", re.DOTALL)
MOST_MENDED = 20
"""Errors of the lexer after which a text is read on."""


def recovered(source: SourceFile, epp: bool) -> Program:
    """What can be read of a broken text.  Its spans are in `source`."""
    lexer = _lexed(source, source.text, epp)
    program = _read(lexer, epp)
    if not epp and any(_is_long_string(lexer, at) for at in range(len(lexer.kinds))):
        closed = _read(_lexed(source, _LINE.sub(_without_open, source.text), epp), epp)
        if len(closed.definitions) > len(program.definitions):
            return closed
    return program


def _read(lexer: Lexer, epp: bool) -> Program:
    parser = Recovering(lexer)
    with suppress(GiveUp, RecursionError, PuppetError):
        return parser.template() if epp else parser.program()
    return parser.whole(())


def _lexed(source: SourceFile, text: str, epp: bool) -> Lexer:
    """The tokens of a text; what the lexer stumbles over is taken as blanks."""
    lexer = Lexer(source, text, epp=epp).run()
    for _ in range(MOST_MENDED):
        at = next((index for index, kind in enumerate(lexer.kinds) if kind == "ERROR"), None)
        if at is None:
            break
        start = lexer.starts[at]
        text = f"{text[:start]}  {text[start + 2 :]}"[: len(text)]
        lexer = Lexer(source, text, epp=epp).run()
    return lexer


def _is_long_string(lexer: Lexer, at: int) -> bool:
    """Whether a token is a text in quotes that goes over a line's end, or the lexer's error."""
    kind = lexer.kinds[at]
    if kind not in ("STR", "DQPRE", "DQMID", "DQPOST"):
        return kind == "ERROR"
    start, end = lexer.starts[at], lexer.ends[at]
    return lexer.source.text.find("\n", start, end) >= 0


def _without_open(match: re.Match[str]) -> str:
    return " " if match["open"] else match[0]


class Recovering(Parser):
    """See the module's text."""

    def statements(self, close: str) -> tuple[Expression, ...]:
        """Statements up to `close`, or to where this block must have ended."""
        kinds = self.kinds
        read: list[Expression] = []
        lists: dict[int, tuple[list[Expression], int]] = {}
        classes = len(self.namespace)
        while kinds[self.pos] not in (close, "END") and not self._begins_definition(close, self.pos):
            begun = self.pos
            try:
                statement = self.assignment_after(None)
                if kinds[self.pos] == ",":
                    comma, several = self.pos, [statement]
                    while kinds[self.pos] == ",":
                        self.pos += 1
                        several.append(self.assignment_after(None))
                    lists[len(read)] = several, comma
                read.append(statement)
                if kinds[self.pos] == ";":
                    self.pos += 1
            except PuppetError:
                del self.namespace[classes:]
                self._skip(begun, close)
        try:
            return self.with_calls(read, lists)
        except PuppetError:
            return tuple(read)

    def block(self) -> Block:
        """`{ statements }`, either brace of which may be missing."""
        kinds, begun = self.kinds, self.pos
        at = begun
        while kinds[at] not in ("{", "END") and (at == begun or not self.starts_line(at)):
            at += 1
        start = self.starts[begun]
        if kinds[at] == "{":
            start = self.starts[at]
            self.pos = at + 1
        statements = self.statements("}")
        if kinds[self.pos] == "}":
            self.pos += 1
        end = max(start, self.ends[self.pos - 1])
        return Block(statements, file=self.file, start=start, end=end)

    def parameters(self, close: str) -> tuple[Parameter, ...]:
        """Parameters up to `close`; one with a slip in it is left out."""
        kinds = self.kinds
        parameters: list[Parameter] = []
        while kinds[self.pos] not in (close, "{", "inherits", "END") and not self._begins_definition(")", self.pos):
            begun = self.pos
            try:
                parameters.append(self.parameter())
                if kinds[self.pos] == ",":
                    self.pos += 1
            except PuppetError:
                at = begun + 1
                while kinds[at] != "END" and not (
                    (kinds[at] in ("REF", "VAR", close) and self.starts_line(at))
                    or (kinds[at] == close and kinds[at + 1] in ("{", "inherits", "END"))
                ):
                    at += 1
                self.pos = at
        if kinds[self.pos] == close:
            self.pos += 1
        return tuple(parameters)

    def _begins_definition(self, close: str, at: int) -> bool:
        """Whether a definition begins at the left margin: then whatever is open has been left open."""
        if close == "END" or self.kinds[at] not in _DEFINING:
            return False
        start = self.starts[at]
        return start == 0 or self.file.text[start - 1] == "\n"

    def _indent(self, at: int) -> int:
        """How far the line of a token is indented."""
        text, start = self.file.text, self.starts[at]
        line = text.rfind("\n", 0, start) + 1
        rest = text[line : start + 1]
        return len(rest) - len(rest.lstrip(" \t"))

    def _skip(self, begun: int, close: str) -> None:
        """Go to the next statement that is indented no deeper than the one that began at `begun`."""
        kinds = self.kinds
        deepest = self._indent(begun)
        at = begun + 1
        while kinds[at] != "END":
            if kinds[at] in ("TEXT", "<%=") or self._begins_definition(close, at):
                break
            if self.starts_line(at):
                indent = self._indent(at)
                if kinds[at] == "}" and close == "}" and indent < deepest:
                    break
                if kinds[at] in STARTERS and indent <= deepest:
                    break
            elif kinds[at] == "}" and close == "}" and not self._has_opened(begun, at):
                break
            at += 1
        self.pos = at

    def _has_opened(self, begun: int, at: int) -> bool:
        """Whether a brace that was opened since `begun` is still open before `at`."""
        depth = 0
        for index in range(begun, at):
            if self.kinds[index] in ("{", "?{"):
                depth += 1
            elif self.kinds[index] == "}":
                depth -= 1
        return depth > 0

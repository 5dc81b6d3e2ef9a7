"""What all parts of the parser share: the tokens, the place in them, and the errors.

A parser method stands at the first token of its construct and leaves the place after the last one. The place moves
only past tokens that fit, so a syntax error is always at the current token: the first one that no program with this
beginning could have, which is also where Puppet's table-driven parser stops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NoReturn

from ...base.diagnostics import Label
from ..kernel.issues import CLASS_NOT_ALLOWED, STRING_NOT_A_NAME, SYNTAX_ERROR, Issue, PuppetError
from .lexer import Lexer
from .regexes import ruby_text
from .tree import Block, Definition, Expression, Operation, Parameter

OPENING = {"(": ")", "W(": ")", "[": "]", "L[": "]", "{": "}", "?{": "}", "<|": "|>", "<<|": "|>>"}


ENDS_A_VALUE = frozenset("NAME WORD REF NUM STR BOOL DQPOST REGEX VAR undef default ) ] }".split())


class Stream(ABC):
    """Tokens and the current place in them."""

    def __init__(self, lexer: Lexer) -> None:
        self.file = lexer.source
        self.kinds = lexer.kinds
        self.values = lexer.values
        self.starts = lexer.starts
        self.ends = lexer.ends
        self.pos = 0
        self.definitions: list[Definition] = []
        self.namespace: list[str] = []
        self.problems: list[PuppetError] = []

    # --- what the parts ask of one another ----------------------------------------------------------------------------

    @abstractmethod
    def expression(self, minimum: int = 0, left: Expression | None = None) -> Expression:
        """An operand with all operators that bind at least as tightly as `minimum`; `left` if already read."""

    @abstractmethod
    def assignment(self) -> Expression:
        """Anything that may stand as a statement."""

    @abstractmethod
    def assignment_after(self, left: Expression) -> Expression:
        """The resource, relationship or assignment that begins with the expression `left`."""

    @abstractmethod
    def attributes(self) -> tuple[Operation, ...]:
        """`name => value, ...` up to a token that is not taken."""

    @abstractmethod
    def block(self) -> Block:
        """`{ statements }`"""

    @abstractmethod
    def arguments(self, close: str, trailing_comma: bool = True) -> tuple[Expression, ...]:
        """Arguments up to the token `close`, which is left."""

    @abstractmethod
    def access_arguments(self, trailing_comma: bool) -> tuple[Expression, ...]:
        """Keys up to `]`, which is taken."""

    @abstractmethod
    def parameters(self, close: str) -> tuple[Parameter, ...]:
        """Parameters up to `close`, which is taken."""

    # --- tokens -------------------------------------------------------------------------------------------------------

    def expect(self, kind: str) -> int:
        """Take a token of `kind` and return its index."""
        at = self.pos
        if self.kinds[at] != kind:
            self.fail_here()
        self.pos = at + 1
        return at

    def definition_name(self) -> str:
        """The name in a definition."""
        kind = self.kinds[self.pos]
        if kind in ("NAME", "WORD", "REF"):
            self.pos += 1
            name: str = self.values[self.pos - 1]
            return name
        if kind == "class":
            self.fail(CLASS_NOT_ALLOWED, self.pos)
        if kind == "STR":
            self.fail(STRING_NOT_A_NAME, self.pos)
        self.fail_here()

    def qualified(self, name: str) -> str:
        """`name` inside the classes that are being defined."""
        return "::".join([*self.namespace, name])

    # --- errors -------------------------------------------------------------------------------------------------------

    def fail(self, issue: Issue, token: int, **arguments: Any) -> NoReturn:
        """Raise `issue` at a token."""
        raise PuppetError(issue, self.file.span(self.starts[token], self.ends[token]), **arguments)

    def fail_at(self, issue: Issue, node: Expression, **arguments: Any) -> NoReturn:
        """Raise `issue` at a node."""
        raise PuppetError(issue, node.at, **arguments)

    def fail_here(self) -> NoReturn:
        """Raise the syntax error for the current token; if the token is itself an error of the lexer, that."""
        at = self.pos
        kind = self.kinds[at]
        if kind == "ERROR":
            problem: PuppetError = self.values[at]
            raise problem
        span = self.file.span(self.starts[at], self.ends[at])
        if kind == "END":
            raise PuppetError(
                SYNTAX_ERROR, Label(span, "the text ends here"), *self.unclosed(), where="end of input", reported="file"
            )
        where = f"'{self.token_text(at)}'"
        raise PuppetError(SYNTAX_ERROR, span, *self.mismatched(kind), where=where, help=self.hint(at))

    def hint(self, at: int) -> str | None:
        """What the usual slips look like: a comma or colon that is missing, an `else if`."""
        kinds = self.kinds
        before = kinds[at - 1] if at else ""
        following = kinds[at + 1] if at + 1 < len(kinds) else ""
        word = self.file.text[self.starts[at] : self.ends[at]]
        if kinds[at] == "if" and before == "else":
            return "an `else` that tests again is written `elsif`"
        if following in ("=>", "+>") and before in ENDS_A_VALUE:
            if at >= 3 and kinds[at - 2] == "{" and kinds[at - 3] in ("NAME", "class"):
                return f"a title ends with a colon: `{self.file.text[self.starts[at - 1] : self.ends[at - 1]]}:`"
            return f"a comma is missing before `{word}`"
        return None

    def token_text(self, at: int) -> str:
        """The token as Puppet shows it."""
        kind, value = self.kinds[at], self.values[at]
        if kind == "BOOL":
            return "true" if value else "false"
        if kind == "REGEX":
            return ruby_text(value)
        if kind in ("EPP", "<%="):
            return ""
        return str(value)

    def unclosed(self) -> list[Label]:
        """At the end of the text: the innermost bracket that is still open."""
        waiting: list[int] = []
        for index in range(self.pos):
            kind = self.kinds[index]
            if kind in OPENING:
                waiting.append(index)
            elif waiting and kind == OPENING[self.kinds[waiting[-1]]]:
                waiting.pop()
        if not waiting:
            return []
        index = waiting[-1]
        span = self.file.span(self.starts[index], self.ends[index])
        return [Label(span, f"this `{self.values[index]}` is not closed")]

    def mismatched(self, kind: str) -> list[Label]:
        """At a closing bracket: the opening one that it does not fit."""
        if kind not in (")", "]", "}"):
            return []
        waiting: list[int] = []
        for index in range(self.pos):
            before = self.kinds[index]
            if before in OPENING:
                waiting.append(index)
            elif waiting and before == OPENING[self.kinds[waiting[-1]]]:
                waiting.pop()
        if not waiting or OPENING[self.kinds[waiting[-1]]] == kind:
            return []
        index = waiting[-1]
        span = self.file.span(self.starts[index], self.ends[index])
        return [Label(span, f"this `{self.values[index]}` is still open")]

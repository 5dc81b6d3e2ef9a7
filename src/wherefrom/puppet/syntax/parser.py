"""Puppet text to a tree.

`parse` reads a manifest and `parse_epp` a template; both give a `ParseResult`: the program and the diagnostics, syntax
errors as well as what the validator finds. `parse_expression` reads one expression, such as a type in a string. The
grammar is written down in `grammar.txt` beside this file, one production per method, and a test holds the two
together.

The first syntax error is Puppet's, at the same token and in the same words. After it the parser goes on at the next
statement, so that one run reports many; the tree then holds the statements that could be read.

Deep nesting costs Python frames. Ordinary code needs few; when they do not suffice the text is parsed again with a
larger stack, and beyond `MAX_DEPTH` frames it is refused.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from ...base.deep import with_deep_stack
from ...base.diagnostics import ERROR, Diagnostic, LimitReached
from ...base.record import Record
from ...base.source import SourceFile
from ..kernel.issues import CALL_NEEDS_PARENTHESES, ILLEGAL_COMMA_LIST, NESTED_TOO_DEEPLY, TOO_LARGE, PuppetError
from .definitions import ASSIGNS, EDGES, STATEMENT_CALLS, Definitions
from .lexer import Lexer
from .tree import (
    Assignment,
    Block,
    Call,
    Definition,
    Epp,
    Expression,
    Name,
    Program,
    Relationship,
)
from .validate import validate

MAX_PROBLEMS = 50
MAX_DEPTH = 300_000
MAX_CHARACTERS = 8_000_000  # a tree takes about 100 times the room of its text

# A token of one of these kinds that is the first on its line most likely begins a statement.
STARTERS = frozenset(
    "NAME VAR REF if unless case class define node function type @ @@ TEXT <%=".split(),
)


class ParseResult(Record):
    """A program and what was found wrong with it.  `program` holds what could be read even if there are errors."""

    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no errors (there may be warnings)."""
        return all(diagnostic.severity != ERROR for diagnostic in self.diagnostics)


class Parser(Definitions):
    """The whole parser: statements on top of definitions on top of expressions.

    `kept` are the statements at top level that could be read before the parser gave up. `stopped` is the token of the
    first error.
    """

    kept: tuple[Expression, ...] = ()
    stopped = sys.maxsize

    def assignment(self) -> Expression:
        return self.assignment_after(None)

    def assignment_after(self, left: Expression | None) -> Expression:
        """A relationship, or an assignment to one; `left` is its first expression if that has been read."""
        kinds = self.kinds
        if left is None:
            left = self.resource()
        else:
            while kinds[self.pos] == "{":
                left = self.resource_after(left)
        kind = kinds[self.pos]
        if kind not in EDGES and kind not in ASSIGNS:
            return left
        while kind in EDGES:
            at = self.starts[self.pos]
            self.pos += 1
            right = self.resource()
            left = Relationship(kind, left, right, file=self.file, start=left.start, end=right.end, operator_at=at)
            kind = kinds[self.pos]
        if kind in ASSIGNS:
            at = self.starts[self.pos]
            self.pos += 1
            right = self.assignment_after(None)
            left = Assignment(kind, left, right, file=self.file, start=left.start, end=right.end, operator_at=at)
        return left

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        at = self.expect("{")
        statements = self.statements("}")
        self.pos += 1
        return Block(statements, file=self.file, start=self.starts[at], end=self.ends[self.pos - 1])

    def statements(self, close: str) -> tuple[Expression, ...]:
        """Statements up to the token `close`, which is left.  Errors inside are noted, and reading goes on."""
        kinds = self.kinds
        read: list[Expression] = []
        lists: dict[int, tuple[list[Expression], int]] = {}
        calls = False
        classes = len(self.namespace)
        while kinds[self.pos] != close:
            begun = self.pos
            try:
                statement = self.assignment_after(None)
                if kinds[self.pos] == ",":
                    comma = self.pos
                    several = [statement]
                    while kinds[self.pos] == ",":
                        self.pos += 1
                        several.append(self.assignment_after(None))
                    lists[len(read)] = several, comma
                read.append(statement)
                calls = calls or type(statement) is Name
                if kinds[self.pos] == ";":
                    self.pos += 1
                    if kinds[self.pos] == close:
                        self.fail_here()
            except PuppetError as problem:
                del self.namespace[classes:]
                if close == "END":
                    self.kept = tuple(read)
                self.note(self.earlier(problem, begun, read, lists) if lists else problem)
                self.recover(begun, close)
        if lists or calls:
            try:
                return self.with_calls(read, lists)
            except PuppetError as problem:
                self.note(problem)
        return tuple(read)

    def with_calls(
        self, statements: list[Expression], lists: dict[int, tuple[list[Expression], int]]
    ) -> tuple[Expression, ...]:
        """Names of statement functions take what follows as arguments: `include a, b`."""
        result: list[Expression] = []
        for index, statement in enumerate(statements):
            before = result[-1] if result else None
            several, comma = lists.get(index, ([statement], -1))
            if isinstance(before, Name) and before.value in STATEMENT_CALLS:
                end = several[-1].end
                result[-1] = Call(before, tuple(several), None, True, file=self.file, start=before.start, end=end)
            elif comma >= 0:
                if isinstance(before, Name):
                    self.fail(CALL_NEEDS_PARENTHESES, comma, name=before.value)
                self.fail(ILLEGAL_COMMA_LIST, comma)
            else:
                result.append(statement)
        return tuple(result)

    def earlier(
        self,
        problem: PuppetError,
        begun: int,
        statements: list[Expression],
        lists: dict[int, tuple[list[Expression], int]],
    ) -> PuppetError:
        """The error that Puppet meets first: it looks at the statements so far before it refuses the token after."""
        if self.pos == begun and self.kinds[begun] != "ERROR" and self.kinds[begun - 1] != ";":
            try:
                self.with_calls(statements, lists)
            except PuppetError as found_before:
                return found_before
        return problem

    # --- after an error -----------------------------------------------------------------------------------------------

    def note(self, problem: PuppetError) -> None:
        """Keep an error; too many end the parse."""
        if not self.problems:
            self.stopped = self.pos
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise GiveUp

    def recover(self, begun: int, close: str) -> None:
        """Skip to the next statement of this block, or give up if the block, and so the text, has no end."""
        kinds = self.kinds
        at = self.pos
        depth = 0
        for index in range(begun, at):
            if kinds[index] in ("{", "?{"):
                depth += 1
            elif kinds[index] == "}":
                depth -= 1
        depth = max(depth, 0)
        moved = False
        while True:
            kind = kinds[at]
            if kind in ("END", "ERROR"):
                self.pos = at
                if kind == "ERROR" and self.values[at] is not self.problems[-1]:
                    self.note(self.values[at])
                self.pos = len(kinds) - 1
                raise GiveUp
            if moved and depth <= 0 and kind in STARTERS and self.starts_line(at):
                break
            if kind in ("{", "?{"):
                depth += 1
            elif kind == "}":
                if depth <= 0:
                    if close == "}":
                        break
                else:
                    depth -= 1
            at += 1
            moved = True
        self.pos = at

    def starts_line(self, at: int) -> bool:
        """Whether a token is the first one on its line."""
        return at == 0 or "\n" in self.file.text[self.ends[at - 1] : self.starts[at]]

    # --- whole texts --------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """A manifest."""
        with suppress(GiveUp):
            self.kept = self.statements("END")
        return self.whole(self.kept)

    def template(self) -> Program:
        """A template."""
        parameters = None
        try:
            self.expect("EPP")
            if self.kinds[self.pos] == "|":
                self.pos += 1
                parameters = self.parameters("|")
            self.kept = self.statements("END")
        except PuppetError as problem:
            self.stopped = min(self.stopped, self.pos)
            self.problems.append(problem)
        except GiveUp:
            pass
        end = len(self.file.text)
        block = Block(self.kept, file=self.file, start=0, end=end)
        return self.whole((Epp(parameters, block, file=self.file, start=0, end=end),))

    def whole(self, statements: tuple[Expression, ...]) -> Program:
        end = len(self.file.text)
        block = Block(statements, file=self.file, start=statements[0].start if statements else end, end=end)
        definitions: tuple[Definition, ...] = tuple(self.definitions)
        return Program(block, definitions=definitions, file=self.file, start=0, end=end)


class GiveUp(Exception):
    """The parser has reported enough, or there is nothing left to read."""


class ParserSettings(Record):
    """What Puppet's settings change about parsing.

    `strict` (`off`, `warning`, `error`) decides how a duplicate key in a hash is taken. `tasks` makes `plan` and
    `apply` keywords and refuses what belongs in catalogs, as for scripts. `namespace` is what a module's file may
    define (`location.file_namespace`); without it the file is free. `literal_types` warns of parameters whose types are
    computed, as Puppet 8 does. Without `validated`, what can be parsed is good.
    """

    strict: str = "warning"
    tasks: bool = False
    namespace: str | None = None
    literal_types: bool = False
    validated: bool = True


DEFAULTS = ParserSettings()


def parse(source: SourceFile, settings: ParserSettings = DEFAULTS) -> ParseResult:
    """A manifest as a tree, with syntax errors, or else with what the validator says."""
    return _parse(source, False, settings)


def parse_epp(source: SourceFile, settings: ParserSettings = DEFAULTS) -> ParseResult:
    """An EPP template as a tree whose only statement is an `Epp`."""
    return _parse(source, True, settings)


def check(source: SourceFile, settings: ParserSettings = DEFAULTS) -> list[Diagnostic]:
    """All errors and warnings of a manifest, or of a template if the file is named `.epp`."""
    return list(_parse(source, source.name.endswith(".epp"), settings).diagnostics)


def parse_expression(source: SourceFile) -> Expression:
    """One expression, such as a type written in a string.  Raises `PuppetError` if there is none, or more."""
    result = parse(source)
    for diagnostic in result.diagnostics:
        if diagnostic.severity == ERROR:
            raise diagnostic
    statements = result.program.body.statements
    if len(statements) != 1:
        parser = Parser(Lexer(source).run())
        if statements:
            parser.expression()
        parser.fail_here()
    return statements[0]


def _parse(source: SourceFile, epp: bool, settings: ParserSettings) -> ParseResult:
    end = len(source.text)
    if end > MAX_CHARACTERS:
        problem = PuppetError(TOO_LARGE, source.span(0), size=f"{end:,}", limit=f"{MAX_CHARACTERS:,}")
    else:
        try:
            return _parse_shallow(source, epp, settings)
        except RecursionError:
            pass
        try:
            return with_deep_stack(lambda: _parse_shallow(source, epp, settings), MAX_DEPTH)
        except (LimitReached, RecursionError):
            problem = PuppetError(NESTED_TOO_DEEPLY, source.span(0), limit=f"{MAX_DEPTH:,}")
    empty = Block((), file=source, start=end, end=end)
    return ParseResult(Program(empty, file=source, start=0, end=end), (problem,))


def _parse_shallow(source: SourceFile, epp: bool, settings: ParserSettings) -> ParseResult:
    lexer = Lexer(source, epp=epp, tasks=settings.tasks).run()
    parser = Parser(lexer)
    program = parser.template() if epp else parser.program()
    # Puppet stops lexing at the first error, so warnings about later tokens are not given.
    warnings = (warning for token, warning in lexer.warnings if token <= parser.stopped)
    diagnostics: list[Diagnostic] = [*warnings, *parser.problems]
    if settings.validated and not parser.problems:
        diagnostics += _validate(program, settings)
    return ParseResult(program, tuple(diagnostics))


def _validate(program: Program, settings: ParserSettings) -> list[Diagnostic]:
    if settings.tasks:
        from .tasks import validate_tasks

        return validate_tasks(program, settings.strict, settings.namespace)
    return validate(program, settings.strict, settings.namespace, settings.literal_types)

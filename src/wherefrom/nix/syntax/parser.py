"""From tokens to a tree: a hand-written recursive descent parser with operator precedences.

Each method that parses a production of `grammar.txt` bears its name: `parse_<production>`. The parser follows Nix 2.8's
grammar exactly, its oddities included (`a/b` is a path, `x:x` a URI, `f or` passes a variable called `or`), and only
its messages are its own: they name the token found, what was expected, and where the construct began.

Sets are collected in a `SetBuilder`, which merges attribute paths (parser_sets.py). Indented strings lose their
indentation here (`strip_indentation`).
"""

from __future__ import annotations

import os.path
from typing import NoReturn

from ...base.diagnostics import Label
from ...base.source import SourceFile, Span
from ..kernel.canonical import absolute_path, canonical_path
from ..kernel.errors import DuplicateFormal, DynamicNotAllowed, SyntaxProblem
from ..kernel.versions import OLD, Dialect
from .lexer import Tokens, tokenize, unescape
from .parser_sets import SetBuilder
from .tree import (
    Assert,
    AttrSet,
    Binary,
    Call,
    CurrentPosition,
    Expr,
    FloatLiteral,
    Formal,
    HasAttr,
    If,
    Interpolation,
    IntLiteral,
    Lambda,
    Let,
    ListLiteral,
    Negate,
    Not,
    OldLet,
    PathInterpolation,
    PathLiteral,
    PathStep,
    PatternLambda,
    SearchPath,
    Select,
    StringLiteral,
    Variable,
    With,
)

MAX_INT = 2**63 - 1
MAX_DEPTH = 10_000
"""How deeply expressions may nest.  Nix's own parser gives up at 10,000 symbols on its stack."""

_LEFT, _RIGHT, _NONE = 0, 1, 2

_OPERATORS: dict[str, tuple[int, int]] = {
    "->": (1, _RIGHT),
    "||": (2, _LEFT),
    "&&": (3, _LEFT),
    "==": (4, _NONE),
    "!=": (4, _NONE),
    "<": (5, _NONE),
    "<=": (5, _NONE),
    ">": (5, _NONE),
    ">=": (5, _NONE),
    "//": (6, _RIGHT),
    "+": (8, _LEFT),
    "-": (8, _LEFT),
    "*": (9, _LEFT),
    "/": (9, _LEFT),
    "++": (10, _RIGHT),
    "?": (11, _NONE),
}
_NOT_STRENGTH, _NEGATE_STRENGTH = 7, 12

_STARTS_SIMPLE = frozenset(
    ["ID", "STRING", "INT", "FLOAT", '"', "''", "PATH", "PATH_BEGIN", "SPATH", "URI", "(", "{", "[", "rec", "let"]
)


def parse(source: SourceFile, directory: str | None = None, home: str | None = None, dialect: Dialect = OLD) -> Expr:
    """The tree of a file.  Relative paths start from `directory` (the file's own if not given), `~` from `home`."""
    if directory is None:
        directory = os.path.dirname(os.path.abspath(source.name))
    return parse_tokens(tokenize(source), directory, home, dialect)


def parse_tokens(tokens: Tokens, directory: str, home: str | None, dialect: Dialect = OLD) -> Expr:
    """The tree of a file whose tokens are known."""
    if dialect.version >= (2, 26) and "\0" in tokens.source.text:
        _refuse_nul(tokens)
    return Parser(tokens, directory, home, dialect).parse_program()


def _refuse_nul(tokens: Tokens) -> None:
    """A string can not hold a NUL character (since Nix 2.26)."""
    for at, kind in enumerate(tokens.kinds):
        if kind in ("STR", "STRING", "IND_STR") and "\0" in tokens.texts[at]:
            place = Span(tokens.source, tokens.starts[at], tokens.ends[at])
            raise SyntaxProblem("a string cannot contain a NUL character", place)


class Parser:
    """The parser of one file; `at` is the index of the next token."""

    def __init__(self, tokens: Tokens, directory: str, home: str | None, dialect: Dialect = OLD) -> None:
        self.dialect = dialect
        self.tokens = tokens
        self.source = tokens.source
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.at = 0
        self.depth = 0
        self.directory = directory
        self.home = home

    # --- tokens and places ---

    def expect(self, kind: str, opened: int | None = None) -> None:
        """Step over a token of this kind.  `opened` is the token that began the construct, for the message."""
        if self.kinds[self.at] != kind:
            self.unexpected(f"expecting '{kind}'", opened)
        self.at += 1

    def unexpected(self, expecting: str = "", opened: int | None = None) -> NoReturn:
        """Complain about the next token."""
        kind, text, end = self.kinds[self.at], self.texts[self.at], self.ends[self.at]
        if kind == "STRING":
            text, end = '"', self.starts[self.at] + 1
        shown = "end of file" if kind == "EOF" else f"'{text or kind}'"
        here = self.source.span(self.starts[self.at], end)
        problem = SyntaxProblem(f"unexpected {shown}" + (f", {expecting}" if expecting else ""), here)
        if opened is not None:
            begun = self.source.span(self.starts[opened], self.ends[opened])
            problem.labels.append(Label(begun, f"this '{self.texts[opened]}' is not finished"))
        raise problem

    def span_from(self, start: int) -> Span:
        """From offset `start` to the end of the last token read."""
        return Span(self.source, start, self.ends[self.at - 1])

    def token_span(self, index: int) -> Span:
        """The place of one token."""
        return Span(self.source, self.starts[index], self.ends[index])

    # --- expressions ---

    def parse_program(self) -> Expr:
        """The whole file: one expression."""
        tree = self.parse_expr()
        if self.kinds[self.at] != "EOF":
            self.unexpected("expecting end of file")
        return tree

    def parse_expr(self) -> Expr:
        """Any expression."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxProblem(f"expressions are nested more than {MAX_DEPTH:,} deep", self.token_span(self.at))
        kind = self.kinds[self.at]
        after = self.kinds[self.at + 1] if kind != "EOF" else "EOF"
        if kind == "ID" and after == ":":
            tree = self.parse_lambda()
        elif (kind == "ID" and after == "@") or (kind == "{" and self.is_pattern()):
            tree = self.parse_pattern_lambda()
        elif kind == "let" and after != "{":
            tree = self.parse_let()
        elif kind == "if":
            tree = self.parse_conditional()
        elif kind == "with":
            tree = self.parse_with()
        elif kind == "assert":
            tree = self.parse_assertion()
        else:
            tree = self.parse_operation(0)
            if self.kinds[self.at] in ("|>", "<|"):
                tree = self.parse_pipe(tree)
        self.depth -= 1
        return tree

    def parse_pipe(self, left: Expr) -> Expr:
        """`x |> f |> g` and `g <| f <| x`: calls, weaker than every operator (feature `pipe-operators`)."""
        operator = self.kinds[self.at]
        if not self.dialect.has("pipe-operators"):
            hint = "experimental: --feature pipe-operators, with --nix 2.24 or later"
            raise SyntaxProblem(f"'{operator}' is not an operator", self.token_span(self.at), help=hint)
        operands = [left]
        while self.kinds[self.at] == operator:
            self.at += 1
            operands.append(self.parse_operation(0))
        if self.kinds[self.at] in ("|>", "<|"):
            self.unexpected("'|>' and '<|' do not mix: add parentheses")
        if operator == "<|":
            operands.reverse()
        piped = operands[0]
        for function in operands[1:]:
            first, last = sorted((piped.span, function.span), key=lambda span: span.start)
            piped = Call(function, (piped,), span=Span(self.source, first.start, last.end))
        return piped

    def parse_lambda(self) -> Expr:
        """`x: body`"""
        start = self.at
        self.at += 2
        body = self.parse_expr()
        return Lambda(
            self.texts[start], body, argument_span=self.token_span(start), span=self.span_from(self.starts[start])
        )

    def is_pattern(self) -> bool:
        """Whether the `{` at hand begins a function's pattern and not a set."""
        kinds, at = self.kinds, self.at + 1
        match kinds[at]:
            case "...":
                return True
            case "}":
                return kinds[at + 1] in (":", "@")
            case "ID":
                following = kinds[at + 1]
                return following in (",", "?") or (following == "}" and kinds[at + 2] in (":", "@"))
            case _:
                return False

    def parse_pattern_lambda(self) -> Expr:
        """`{ a, b ? d, ... } @ name: body`"""
        start = self.at
        name: str | None = None
        name_at = start
        if self.kinds[self.at] == "ID":
            name = self.texts[self.at]
            self.at += 2
            if self.kinds[self.at] != "{":
                self.unexpected("expecting '{'")
        formals, ellipsis = self.parse_pattern()
        if self.kinds[self.at] == "@" and name is None:
            name_at = self.at + 1
            if self.kinds[name_at] != "ID":
                self.at = name_at
                self.unexpected("expecting an identifier")
            name = self.texts[name_at]
            self.at += 2
        self.expect(":", start)
        for formal in formals:
            if formal.name == name:
                raise DuplicateFormal(name, self.token_span(name_at), formal.span)
        body = self.parse_expr()
        return PatternLambda(tuple(formals), ellipsis, name, body, span=self.span_from(self.starts[start]))

    def parse_pattern(self) -> tuple[list[Formal], bool]:
        """`{ a, b ? d, ... }`: the formals, and whether more arguments are welcome."""
        opened = self.at
        self.at += 1
        formals: dict[str, Formal] = {}
        ellipsis = False
        while self.kinds[self.at] != "}":
            if self.kinds[self.at] == "...":
                ellipsis = True
                self.at += 1
                if self.kinds[self.at] != "}":
                    self.unexpected("expecting '}'", opened)
                break
            formal = self.parse_formal()
            if formal.name in formals:
                raise DuplicateFormal(formal.name, formal.span, formals[formal.name].span)
            formals[formal.name] = formal
            if self.kinds[self.at] == ",":
                self.at += 1
            elif self.kinds[self.at] != "}":
                self.unexpected("expecting ',' or '}'", opened)
        self.at += 1
        return list(formals.values()), ellipsis

    def parse_formal(self) -> Formal:
        """`x` or `x ? default`"""
        if self.kinds[self.at] != "ID":
            self.unexpected("expecting an argument's name")
        at = self.at
        self.at += 1
        default = None
        if self.kinds[self.at] == "?":
            self.at += 1
            default = self.parse_expr()
        return Formal(self.texts[at], default, self.token_span(at))

    def parse_assertion(self) -> Expr:
        """`assert test; body`"""
        start = self.at
        self.at += 1
        test = self.parse_expr()
        self.expect(";", start)
        body = self.parse_expr()
        return Assert(test, body, span=self.span_from(self.starts[start]))

    def parse_with(self) -> Expr:
        """`with scope; body`"""
        start = self.at
        self.at += 1
        scope = self.parse_expr()
        self.expect(";", start)
        body = self.parse_expr()
        return With(scope, body, span=self.span_from(self.starts[start]))

    def parse_let(self) -> Expr:
        """`let bindings in body`"""
        start = self.at
        self.at += 1
        bindings = self.parse_bindings(True, "in", start)
        if bindings.dynamic:
            raise DynamicNotAllowed("let", bindings.dynamic[0].span)
        body = self.parse_expr()
        return Let(bindings, body, span=self.span_from(self.starts[start]))

    def parse_conditional(self) -> Expr:
        """`if test then yes else no`"""
        start = self.at
        self.at += 1
        test = self.parse_expr()
        self.expect("then", start)
        yes = self.parse_expr()
        self.expect("else", start)
        no = self.parse_expr()
        return If(test, yes, no, span=self.span_from(self.starts[start]))

    # --- operators ---

    def parse_operation(self, strength: int) -> Expr:
        """Operators that bind more strongly than `strength`."""
        kinds = self.kinds
        start_at = self.at
        start = self.starts[start_at]
        kind = kinds[start_at]
        if kind == "!" or kind == "-":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise SyntaxProblem(f"expressions are nested more than {MAX_DEPTH:,} deep", self.token_span(self.at))
            self.at += 1
            if kind == "!":
                operand = self.parse_operation(_NOT_STRENGTH)
                left: Expr = Not(operand, span=self.span_from(start))
            else:
                operand = self.parse_operation(_NEGATE_STRENGTH)
                left = Negate(operand, span=self.span_from(start))
            self.depth -= 1
        else:
            left = self.parse_application()
        while (entry := _OPERATORS.get(operator := kinds[self.at])) is not None:
            bond, direction = entry
            if bond <= strength:
                break
            at = self.at
            self.at += 1
            if operator == "?":
                steps, _ = self.parse_attribute_path()
                left = HasAttr(left, steps, span=self.span_from(start))
            else:
                right = self.parse_operation(bond - 1 if direction == _RIGHT else bond)
                left = Binary(operator, left, right, operator_span=self.token_span(at), span=self.span_from(start))
            if direction == _NONE:
                following = _OPERATORS.get(kinds[self.at])
                if following is not None and following[0] == bond:
                    self.unexpected(f"'{operator}' does not chain: add parentheses")
        return left

    def parse_application(self) -> Expr:
        """`f a b`; a call of a call is one call with more arguments, parentheses or not, as in Nix."""
        start = self.starts[self.at]
        function = self.parse_selection()
        kinds = self.kinds
        if kinds[self.at] not in _STARTS_SIMPLE:
            return function
        arguments: list[Expr] = []
        if isinstance(function, Call):
            arguments.extend(function.arguments)
            function = function.function
        while kinds[self.at] in _STARTS_SIMPLE:
            arguments.append(self.parse_selection())
        return Call(function, tuple(arguments), span=self.span_from(start))

    def parse_selection(self) -> Expr:
        """`e.a.b or d`"""
        at, kinds = self.at, self.kinds
        start = self.starts[at]
        if kinds[at] == "ID" and (name := self.texts[at]) != "__curPos":  # half of everything there is
            self.at = at + 1
            subject: Expr = Variable(name, span=Span(self.source, start, self.ends[at]))
        else:
            subject = self.parse_simple()
        kind = kinds[self.at]
        if kind == ".":
            self.at += 1
            steps, spans = self.parse_attribute_path()
            default = None
            if kinds[self.at] == "or":
                self.at += 1
                default = self.parse_selection()
            return Select(subject, steps, default, step_spans=spans, span=self.span_from(start))
        if kind == "or":
            variable = Variable("or", span=self.token_span(self.at))
            self.at += 1
            if isinstance(subject, Call):
                return Call(subject.function, (*subject.arguments, variable), span=self.span_from(start))
            return Call(subject, (variable,), span=self.span_from(start))
        return subject

    # --- simple expressions ---

    def parse_simple(self) -> Expr:
        """Names, literals, and whatever has its own brackets."""
        at = self.at
        kind = self.kinds[at]
        match kind:
            case "ID":
                self.at += 1
                span = self.token_span(at)
                name = self.texts[at]
                return CurrentPosition(span=span) if name == "__curPos" else Variable(name, span=span)
            case "INT":
                self.at += 1
                digits = self.texts[at].lstrip("0") or "0"
                if len(digits) > 19 or int(digits) > MAX_INT:
                    raise SyntaxProblem(f"invalid integer '{self.texts[at]}'", self.token_span(at), "more than 64 bits")
                return IntLiteral(int(digits), span=self.token_span(at))
            case "FLOAT":
                self.at += 1
                return self._float(at)
            case "URI":
                self.at += 1
                return StringLiteral(self.texts[at], span=self.token_span(at))
            case "SPATH":
                self.at += 1
                return SearchPath(self.texts[at][1:-1], span=self.token_span(at))
            case "STRING" | '"':
                return self.parse_string()
            case "''":
                return self.parse_indented_string()
            case "PATH" | "PATH_BEGIN":
                return self.parse_path()
            case "(":
                return self.parse_parenthesis()
            case "[":
                return self.parse_list()
            case "{":
                return self.parse_set()
            case "rec":
                return self.parse_recursive_set()
            case "let":
                return self.parse_old_let()
            case _:
                self.unexpected()

    def _float(self, at: int) -> Expr:
        value = float(self.texts[at])
        mantissa = self.texts[at].lower().partition("e")[0]
        if value == float("inf") or (value < 2.2250738585072014e-308 and mantissa.strip("0.")):
            raise SyntaxProblem(f"invalid float '{self.texts[at]}'", self.token_span(at), "out of range")
        return FloatLiteral(value, span=self.token_span(at))

    def parse_interpolation(self) -> Expr:
        """`${ expr }`"""
        opened = self.at
        self.at += 1
        inside = self.parse_expr()
        self.expect("}", opened)
        return inside

    def parse_string(self) -> Expr:
        """`"..."`"""
        opened = self.at
        self.at += 1
        if self.kinds[opened] == "STRING":
            return StringLiteral(unescape(self.texts[opened][1:-1]), span=self.token_span(opened))
        parts: list[Expr] = []
        while (kind := self.kinds[self.at]) != '"':
            if kind == "STR":
                parts.append(StringLiteral(self.texts[self.at], span=self.token_span(self.at)))
                self.at += 1
            elif kind == "${":
                parts.append(self.parse_interpolation())
            else:
                self.unexpected("expecting '\"'", opened)
        self.at += 1
        span = self.span_from(self.starts[opened])
        interpolated = any(self.kinds[i] == "${" for i in range(opened, self.at)) if len(parts) == 1 else True
        if not parts:
            return StringLiteral("", span=span)
        if not interpolated and isinstance(parts[0], StringLiteral):
            return StringLiteral(parts[0].value, span=span)
        return Interpolation(tuple(parts), span=span)

    def parse_indented_string(self) -> Expr:
        """`''...''`"""
        opened = self.at
        self.at += 1
        parts: list[tuple[Expr, str | None, bool]] = []
        while (kind := self.kinds[self.at]) != "''":
            if kind == "IND_STR":
                text = self.texts[self.at]
                literal = StringLiteral(text, span=self.token_span(self.at))
                parts.append((literal, text, self.at not in self.tokens.literal))
                self.at += 1
            elif kind == "${":
                parts.append((self.parse_interpolation(), None, False))
            else:
                self.unexpected("expecting \"''\"", opened)
        self.at += 1
        span = self.span_from(self.starts[opened])
        stripped = strip_indentation(parts)
        if not stripped:
            return StringLiteral("", span=span)
        if len(stripped) == 1 and isinstance(stripped[0], StringLiteral):
            return StringLiteral(stripped[0].value, span=span)
        return Interpolation(tuple(stripped), span=span)

    def parse_path(self) -> Expr:
        """`./x`, `~/x/${e}`"""
        start = self.at
        text = self.texts[start]
        self.at += 1
        head = PathLiteral(text, self.absolute(text, start), span=self.token_span(start))
        if self.kinds[start] == "PATH":
            return head
        parts: list[Expr] = [head]
        interpolated = False
        while (kind := self.kinds[self.at]) != "PATH_END":
            if kind == "STR":
                if not interpolated and len(parts) == 2:
                    self.unexpected("expecting '${'")  # `/a//b` is cut into pieces that the grammar does not join
                parts.append(StringLiteral(self.texts[self.at], span=self.token_span(self.at)))
                self.at += 1
            elif kind == "${":
                interpolated = True
                parts.append(self.parse_interpolation())
            else:
                self.unexpected("expecting the rest of a path")
        if not interpolated:
            self.unexpected("expecting '${'")
        self.at += 1
        return PathInterpolation(tuple(parts), span=self.span_from(self.starts[start]))

    def absolute(self, text: str, token: int) -> str:
        """The absolute path that a path token stands for.  A final slash stays (an interpolation follows it)."""
        if text.startswith("~"):
            if self.home is None:
                raise SyntaxProblem(
                    f"the path '{text}' cannot be resolved in pure mode", self.token_span(token), "no home directory"
                )
            path = canonical_path(self.home + "/" + text[2:])
        elif text.startswith("/"):
            path = canonical_path(text)
        else:
            return absolute_path(self.directory, text)
        return path + "/" if text.endswith("/") and path != "/" else path

    def parse_parenthesis(self) -> Expr:
        """`( expr )`"""
        opened = self.at
        self.at += 1
        inside = self.parse_expr()
        self.expect(")", opened)
        return inside

    def parse_list(self) -> Expr:
        """`[ a b ]`"""
        opened = self.at
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxProblem(f"expressions are nested more than {MAX_DEPTH:,} deep", self.token_span(self.at))
        self.at += 1
        elements: list[Expr] = []
        while self.kinds[self.at] != "]":
            if self.kinds[self.at] not in _STARTS_SIMPLE:
                self.unexpected("expecting an element or ']'", opened)
            elements.append(self.parse_selection())
        self.at += 1
        self.depth -= 1
        return ListLiteral(tuple(elements), span=self.span_from(self.starts[opened]))

    # --- sets ---

    def parse_old_let(self) -> Expr:
        """`let { ...; body = e; }`"""
        start = self.at
        self.at += 1
        if self.kinds[self.at] != "{":
            self.unexpected("expecting '{'", start)
        self.at += 1
        bindings = self.parse_bindings(True, "}", start)
        return OldLet(bindings, span=self.span_from(self.starts[start]))

    def parse_set(self) -> AttrSet:
        """`{ ... }`"""
        start = self.at
        self.at += 1
        return self.parse_bindings(False, "}", start)

    def parse_recursive_set(self) -> AttrSet:
        """`rec { ... }`"""
        start = self.at
        self.at += 1
        self.expect("{", start)
        return self.parse_bindings(True, "}", start)

    def parse_bindings(self, recursive: bool, end: str, opened: int) -> AttrSet:
        """Definitions up to the token `end`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxProblem(f"expressions are nested more than {MAX_DEPTH:,} deep", self.token_span(self.at))
        start = self.starts[opened]
        builder = SetBuilder(recursive, self.token_span(opened))
        while (kind := self.kinds[self.at]) != end:
            if kind == "inherit":
                self.parse_inherit(builder)
            elif kind == "EOF":
                self.unexpected(f"expecting '{end}'", opened)
            else:
                self.parse_binding(builder)
        self.at += 1
        builder.span = self.span_from(start)
        self.depth -= 1
        return builder.freeze()

    def parse_binding(self, builder: SetBuilder) -> None:
        """`a.b = e;`"""
        start = self.at
        path, spans = self.parse_attribute_path()
        self.expect("=")
        value = self.parse_expr()
        if self.kinds[self.at] != ";":
            self.unexpected("expecting ';'", None if self.at == start + 1 else start)
        self.at += 1
        keep = self.dialect.version >= (2, 17)
        builder.add(list(path), value, Span(self.source, spans[0].start, spans[-1].end), keep)

    def parse_inherit(self, builder: SetBuilder) -> None:
        """`inherit a b;` and `inherit (e) a b;`"""
        opened = self.at
        self.at += 1
        subject: Expr | None = None
        if self.kinds[self.at] == "(":
            subject = self.parse_parenthesis()
        # Nix says that all names of one `inherit` are defined right before the first; since 2.21 it tells their places
        place = self.ends[self.at - 1]
        while self.kinds[self.at] != ";":
            at = self.at
            name = self.parse_attribute("expecting a name or ';'", opened)
            span = self.span_from(self.starts[at])
            if not isinstance(name, str):
                raise DynamicNotAllowed("inherit", span)
            defined = span if self.dialect.version >= (2, 21) else Span(self.source, place, span.end)
            if subject is None:
                builder.inherit(name, Variable(name, span=span), defined, selected=False)
            else:
                value = Select(subject, (name,), None, step_spans=(span,), span=span)
                builder.inherit(name, value, defined, selected=True)
        self.at += 1

    def parse_attribute_path(self) -> tuple[tuple[PathStep, ...], tuple[Span, ...]]:
        """`a."b".${c}`: the steps and their places."""
        kinds, starts, ends, source = self.kinds, self.starts, self.ends, self.source
        steps: list[PathStep] = []
        spans: list[Span] = []
        while True:
            at = self.at
            if kinds[at] == "ID":
                steps.append(self.texts[at])
                self.at = after = at + 1
            else:
                steps.append(self.parse_attribute("expecting an attribute name", None))
                after = self.at
            spans.append(Span(source, starts[at], ends[after - 1]))
            if kinds[after] != ".":
                return tuple(steps), tuple(spans)
            self.at = after + 1

    def parse_attribute(self, expecting: str, opened: int | None) -> PathStep:
        """One step of an attribute path: a name, or an expression that gives it."""
        match self.kinds[self.at]:
            case "ID" | "or":
                self.at += 1
                return self.texts[self.at - 1]
            case "STRING" | '"':
                step = self.parse_string()
            case "${":
                step = self.parse_interpolation()
            case _:
                self.unexpected(expecting, opened)
        return step.value if isinstance(step, StringLiteral) else step


def strip_indentation(parts: list[tuple[Expr, str | None, bool]]) -> list[Expr]:
    """The parts of an indented string without the blanks that all its lines begin with.

    Each part comes with its text (nothing for an interpolation) and whether the text is raw, so that its blanks count.
    A last line of blanks alone does not count and is dropped; neither interpolations nor escaped characters are ever
    part of the indentation.
    """
    smallest = 1_000_000
    at_line_start, indent = True, 0
    for _, text, raw in parts:
        if text is None or not raw:
            if at_line_start:
                at_line_start = False
                smallest = min(smallest, indent)
            continue
        for character in text:
            if at_line_start:
                if character == " ":
                    indent += 1
                elif character == "\n":
                    indent = 0
                else:
                    at_line_start = False
                    smallest = min(smallest, indent)
            elif character == "\n":
                at_line_start, indent = True, 0
    stripped: list[Expr] = []
    at_line_start, dropped = True, 0
    for index, (part, text, _) in enumerate(parts):
        if text is None:
            at_line_start, dropped = False, 0
            stripped.append(part)
            continue
        kept: list[str] = []
        for character in text:
            if at_line_start:
                if character == " ":
                    dropped += 1
                    if dropped > smallest:
                        kept.append(character)
                    continue
                dropped = 0
                at_line_start = character == "\n"
            elif character == "\n":
                at_line_start = True
            kept.append(character)
        text = "".join(kept)
        if index == len(parts) - 1:
            before, newline, last = text.rpartition("\n")
            if newline and not last.strip(" "):
                text = before + newline
        stripped.append(StringLiteral(text, span=part.span))
    return stripped

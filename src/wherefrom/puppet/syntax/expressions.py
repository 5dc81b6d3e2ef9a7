"""Expressions: operands, operators by precedence, calls, conditions, literals and strings.

Precedence climbing over Puppet's table, weakest first:

    or   and   ?   < <= > >=   == !=   << >>   + -   * / %   =~ !~   in   ! - *(before an operand)   [ ] . ( ) <| |>

All operators between operands are left-associative. Two places need care because Puppet's grammar is an LALR one whose
conflicts are settled by precedence. The right side of `?` is closed by its brace, so what follows a selector applies to
the whole selector, whatever its strength (`$a ? {...}[1]`, `$a ? {...} * 2`). And a selector of one entry without
braces, `$a ? x => value`, takes all that follows into its value.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isinf
from typing import Any, cast

from ...base.record import replace
from ..kernel.issues import NUMBER_TOO_LARGE
from .stream import Stream
from .tree import (
    Access,
    And,
    Arithmetic,
    Array,
    Binary,
    Block,
    Boolean,
    Call,
    Case,
    CaseOption,
    Collector,
    Comparison,
    Default,
    Expression,
    Float,
    Hash,
    HashEntry,
    Heredoc,
    If,
    In,
    Integer,
    Interpolated,
    Interpolation,
    Lambda,
    Match,
    MethodCall,
    Minus,
    Name,
    Not,
    Operation,
    Or,
    Parenthesized,
    Query,
    Regex,
    RenderExpression,
    RenderText,
    ReservedWord,
    Selector,
    SelectorEntry,
    Splat,
    String,
    TypeName,
    Undef,
    Unless,
    Variable,
)

UNARY = 11
SELECT = 3

BINARY: dict[str, tuple[int, type[Binary]]] = {
    "or": (1, Or),
    "and": (2, And),
    "<": (4, Comparison),
    "<=": (4, Comparison),
    ">": (4, Comparison),
    ">=": (4, Comparison),
    "==": (5, Comparison),
    "!=": (5, Comparison),
    "<<": (6, Arithmetic),
    ">>": (6, Arithmetic),
    "+": (7, Arithmetic),
    "-": (7, Arithmetic),
    "*": (8, Arithmetic),
    "/": (8, Arithmetic),
    "%": (8, Arithmetic),
    "=~": (9, Match),
    "!~": (9, Match),
    "in": (10, In),
}

POSTFIX = frozenset(["(", "[", ".", "<|", "<<|"])
CONTINUES = frozenset(BINARY) | POSTFIX | {"?"}

# After an expression these make it more than one: a resource, a relationship, an assignment.
BEYOND_EXPRESSION = frozenset(["{", "->", "~>", "<-", "<~", "=", "+=", "-="])
DEFINITION_NAMES = frozenset(["NAME", "WORD", "REF", "class", "STR"])


class Expressions(Stream):
    """The part of the parser that reads expressions."""

    def expression(self, minimum: int = 0, left: Expression | None = None) -> Expression:
        kinds = self.kinds
        if left is None:
            handler = PREFIX.get(kinds[self.pos])
            if handler is None:
                self.fail_here()
            left = handler(self)
        while True:
            at = self.pos
            kind = kinds[at]
            if kind not in CONTINUES:
                return left
            if kind in POSTFIX:
                left = self.postfix(left, kind)
                continue
            if kind == "?":
                if minimum > SELECT:
                    return left
                left = self.selector(left)
                continue
            power, node = BINARY[kind]
            if power < minimum:
                return left
            self.pos = at + 1
            right = self.expression(power + 1)
            left = node(kind, left, right, file=self.file, start=left.start, end=right.end, operator_at=self.starts[at])

    # --- after an operand ---------------------------------------------------------------------------------------------

    def postfix(self, left: Expression, kind: str) -> Expression:
        """An index, a call, a method call or a collector query after `left`."""
        at = self.pos
        self.pos = at + 1
        if kind == "[":
            keys = self.access_arguments(True)
            return Access(left, keys, file=self.file, start=left.start, end=self.ends[self.pos - 1])
        if kind == "(":
            arguments = self.arguments(")")
            self.pos += 1
            block = self.block_argument()
            return Call(left, arguments, block, file=self.file, start=left.start, end=self.ends[self.pos - 1])
        if kind == ".":
            return self.method_call(left, at)
        return self.collector(left, kind == "<<|", at)

    def method_call(self, receiver: Expression, dot: int) -> Expression:
        """After the dot: `name`, `name(arguments)`, with or without a lambda."""
        kinds = self.kinds
        at = self.pos
        if kinds[at] != "NAME" and kinds[at] != "type":
            self.fail_here()
        name = self.values[at]
        self.pos = at + 1
        arguments: tuple[Expression, ...] = ()
        call_at = self.starts[dot]
        if kinds[self.pos] == "(":
            call_at = self.starts[self.pos]
            self.pos += 1
            arguments = self.arguments(")", trailing_comma=False)
            self.pos += 1
        end = self.ends[self.pos - 1]
        block = self.block_argument()
        return MethodCall(
            receiver,
            name,
            arguments,
            block,
            file=self.file,
            start=receiver.start,
            end=end if block is None else block.end,
            dot_at=self.starts[dot],
            call_at=call_at,
        )

    def block_argument(self) -> Lambda | None:
        """The lambda after a call, if there is one."""
        at = self.pos
        if self.kinds[at] != "|":
            return None
        self.pos = at + 1
        parameters = self.parameters("|")
        return_type = self.return_type()
        body = self.block()
        return Lambda(parameters, body, return_type, file=self.file, start=self.starts[at], end=body.end)

    def return_type(self) -> Expression | None:
        """`>> Type`, if there is one."""
        if self.kinds[self.pos] != ">>":
            return None
        self.pos += 1
        return self.plain_type()

    def plain_type(self) -> Expression:
        """`Type` or `Type[arguments]`, the only forms of a type before a parameter or after `>>`."""
        at = self.expect("REF")
        name = TypeName(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])
        if self.kinds[self.pos] != "[":
            return name
        self.pos += 1
        keys = self.access_arguments(False)
        return Access(name, keys, file=self.file, start=name.start, end=self.ends[self.pos - 1])

    def collector(self, left: Expression, exported: bool, at: int) -> Expression:
        """After `<|` or `<<|`: the query, and attributes if a brace follows."""
        close = "|>>" if exported else "|>"
        condition = None if self.kinds[self.pos] == close else self.expression()
        self.expect(close)
        query_end = self.ends[self.pos - 1]
        query = Query(exported, condition, file=self.file, start=self.starts[at], end=query_end)
        operations: tuple[Operation, ...] = ()
        if self.kinds[self.pos] == "{":
            self.pos += 1
            operations = self.attributes()
            self.expect("}")
        return Collector(left, query, operations, file=self.file, start=left.start, end=self.ends[self.pos - 1])

    def selector(self, left: Expression) -> Expression:
        """`? { match => value, ... }` or `? match => value`"""
        self.pos += 1
        entries: list[SelectorEntry] = []
        if self.kinds[self.pos] != "?{":
            entries.append(self.selector_entry())
        else:
            self.pos += 1
            while True:
                entries.append(self.selector_entry())
                if self.kinds[self.pos] == ",":
                    self.pos += 1
                    if self.kinds[self.pos] != "}":
                        continue
                self.expect("}")
                break
        return Selector(left, tuple(entries), file=self.file, start=left.start, end=self.ends[self.pos - 1])

    def selector_entry(self) -> SelectorEntry:
        """`match => value`"""
        match = self.expression()
        arrow = self.expect("=>")
        value = self.expression()
        return SelectorEntry(match, value, file=self.file, start=match.start, end=value.end, arrow=self.starts[arrow])

    # --- lists of expressions -----------------------------------------------------------------------------------------

    def arguments(self, close: str, trailing_comma: bool = True) -> tuple[Expression, ...]:
        kinds = self.kinds
        arguments: list[Expression | HashEntry] = []
        pairs = False
        if kinds[self.pos] == close:
            return ()
        while True:
            arguments.append(self.argument(False))
            pairs = pairs or type(arguments[-1]) is HashEntry
            kind = kinds[self.pos]
            if kind == ",":
                self.pos += 1
                if trailing_comma and kinds[self.pos] == close:
                    break
            elif kind == close:
                break
            else:
                self.fail_here()
        return self.gathered(arguments) if pairs else tuple(arguments)  # type: ignore[arg-type]

    def argument(self, keywords: bool) -> Expression | HashEntry:
        """An argument or a list element: anything, or `key => value`; `keywords` lets `type` and `function` stand."""
        key = self.entry_keyword(keywords)
        if key is None:
            key = self.assignment()
        if self.kinds[self.pos] != "=>":
            return key
        arrow = self.starts[self.pos]
        self.pos += 1
        value = self.hash_part()
        return HashEntry(key, value, file=self.file, start=key.start, end=value.end, arrow=arrow)

    def entry_keyword(self, alone: bool) -> Expression | None:
        """`type` or `function` as a word: before `=>`, and alone too where `alone` says so."""
        at = self.pos
        kind = self.kinds[at]
        if kind != "type" and kind != "function":
            return None
        following = self.kinds[at + 1]
        if kind == "type" and (following == "(" or following == "REF"):
            return None
        if kind == "function" and following in DEFINITION_NAMES:
            return None
        self.pos = at + 1
        if following != "=>" and not alone:
            self.fail_here()
        return String(kind, file=self.file, start=self.starts[at], end=self.ends[at])

    def hash_part(self) -> Expression:
        """A key or value of a hash."""
        word = self.entry_keyword(True)
        return self.assignment() if word is None else word

    def gathered(self, arguments: list[Expression | HashEntry]) -> tuple[Expression, ...]:
        """Neighbouring bare pairs become one hash."""
        result: list[Expression] = []
        waiting: list[HashEntry] = []
        for argument in arguments:
            if isinstance(argument, HashEntry):
                waiting.append(argument)
                continue
            if waiting:
                result.append(self.bare_hash(waiting))
                waiting = []
            result.append(argument)
        if waiting:
            result.append(self.bare_hash(waiting))
        return tuple(result)

    def bare_hash(self, entries: list[HashEntry]) -> Hash:
        """A hash without braces."""
        return Hash(tuple(entries), False, file=self.file, start=entries[0].start, end=entries[-1].end)

    def access_arguments(self, trailing_comma: bool) -> tuple[Expression, ...]:
        kinds = self.kinds
        keys: list[Expression | HashEntry] = []
        pairs = False
        while True:
            keys.append(self.access_argument())
            pairs = pairs or type(keys[-1]) is HashEntry
            if kinds[self.pos] == ",":
                self.pos += 1
                if not trailing_comma or kinds[self.pos] != "]":
                    continue
            self.expect("]")
            break
        return self.gathered(keys) if pairs else tuple(keys)  # type: ignore[arg-type]

    def access_argument(self) -> Expression | HashEntry:
        """A key: an expression, or a pair whose sides may be more than an expression."""
        kind = self.kinds[self.pos]
        if kind in ("@", "@@", "type", "function", "class"):
            key = self.argument(False)
            if isinstance(key, HashEntry) or kind in ("type", "function"):
                return key
            self.fail_here()
        key = self.expression()
        kind = self.kinds[self.pos]
        if kind in BEYOND_EXPRESSION:
            key = self.assignment_after(key)
            if self.kinds[self.pos] != "=>":
                self.fail_here()
        elif kind != "=>":
            return key
        arrow = self.starts[self.pos]
        self.pos += 1
        value = self.hash_part()
        return HashEntry(key, value, file=self.file, start=key.start, end=value.end, arrow=arrow)

    # --- operands -----------------------------------------------------------------------------------------------------

    def variable(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Variable(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def string(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return String(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def name(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Name(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def type_name(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return TypeName(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def number(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        digits = self.values[at]
        start, end = self.starts[at], self.ends[at]
        if digits.isdecimal() and (digits[0] != "0" or digits == "0"):
            return Integer(_integer(digits, 10), 10, file=self.file, start=start, end=end)
        if digits[:2] in ("0x", "0X"):
            return Integer(int(digits, 16), 16, file=self.file, start=start, end=end)
        if digits.isdecimal():
            return Integer(int(digits, 8), 8, file=self.file, start=start, end=end)
        number = float(digits)
        if isinf(number):  # no Float is as large
            self.fail(NUMBER_TOO_LARGE, at, value=digits, reported="nothing")
        return Float(number, file=self.file, start=start, end=end)

    def boolean(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Boolean(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def undef(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Undef(file=self.file, start=self.starts[at], end=self.ends[at])

    def default(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Default(file=self.file, start=self.starts[at], end=self.ends[at])

    def regex(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return Regex(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def reserved(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return ReservedWord(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def array(self) -> Expression:
        """`[a, b, k => v]`"""
        kinds = self.kinds
        at = self.pos
        self.pos = at + 1
        elements: list[Expression | HashEntry] = []
        pairs = False
        while kinds[self.pos] != "]":
            elements.append(self.argument(True))
            pairs = pairs or type(elements[-1]) is HashEntry
            if kinds[self.pos] == ",":
                self.pos += 1
            elif kinds[self.pos] != "]":
                self.fail_here()
        self.pos += 1
        items = self.gathered(elements) if pairs else tuple(elements)
        end = self.ends[self.pos - 1]
        return Array(items, file=self.file, start=self.starts[at], end=end)  # type: ignore[arg-type]

    def hash(self) -> Hash:
        """`{ key => value, ... }`"""
        at = self.pos
        self.pos = at + 1
        if self.kinds[self.pos] == "}":
            self.pos += 1
            return Hash((), file=self.file, start=self.starts[at], end=self.ends[at + 1])
        return self.hash_after(at, self.hash_part())

    def hash_after(self, brace: int, key: Expression) -> Hash:
        """A hash whose first key has been read."""
        kinds = self.kinds
        entries: list[HashEntry] = []
        while True:
            arrow = self.starts[self.expect("=>")]
            value = self.hash_part()
            entries.append(HashEntry(key, value, file=self.file, start=key.start, end=value.end, arrow=arrow))
            kind = kinds[self.pos]
            if kind == ",":
                self.pos += 1
                kind = kinds[self.pos]
            elif kind != "}":
                self.fail_here()
            if kind == "}":
                break
            key = self.hash_part()
        self.pos += 1
        return Hash(tuple(entries), file=self.file, start=self.starts[brace], end=self.ends[self.pos - 1])

    def parenthesized(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        inner = self.assignment()
        self.expect(")")
        return Parenthesized(inner, file=self.file, start=self.starts[at], end=self.ends[self.pos - 1])

    def negation(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        operand = self.expression(UNARY)
        return Not(operand, file=self.file, start=self.starts[at], end=operand.end)

    def minus(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        operand = self.expression(UNARY)
        return Minus(operand, file=self.file, start=self.starts[at], end=operand.end)

    def splat(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        operand = self.expression(UNARY)
        return Splat(operand, file=self.file, start=self.starts[at], end=operand.end)

    # --- strings with parts -------------------------------------------------------------------------------------------

    def interpolated(self) -> Interpolated:
        """Text and expressions, from `DQPRE` to `DQPOST`."""
        first = self.pos
        parts: list[String | Interpolation] = []
        while True:
            at = self.pos
            kind = self.kinds[at]
            if self.values[at]:
                start, end = self.starts[at], self.ends[at]
                parts.append(String(self.values[at], file=self.file, start=start, end=end))
            self.pos = at + 1
            if kind == "DQPOST":
                break
            value = as_variable(self.assignment())
            # Puppet gives an interpolation no place of its own; it lies between two texts.
            start = self.ends[at] - (2 if self.file.text.startswith("${", self.ends[at] - 2) else 0)
            parts.append(Interpolation(value, file=self.file, start=start, end=self.starts[self.pos]))
            if self.kinds[self.pos] not in ("DQMID", "DQPOST"):
                self.fail_here()
        return Interpolated(tuple(parts), file=self.file, start=self.starts[first], end=self.ends[self.pos - 1])

    def heredoc(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        if self.kinds[self.pos] == "DQPRE":
            text: String | Interpolated = self.interpolated()
        else:
            self.expect("STR")
            start, end = self.starts[self.pos - 1], self.ends[self.pos - 1]
            text = String(self.values[self.pos - 1], file=self.file, start=start, end=end)
        return Heredoc(self.values[at], text, file=self.file, start=self.starts[at], end=self.ends[at])

    # --- conditions ---------------------------------------------------------------------------------------------------

    def if_(self) -> If:
        """`if` or `elsif`, with all that follows."""
        at = self.pos
        self.pos = at + 1
        test = self.expression()
        then = self.block()
        kind = self.kinds[self.pos]
        otherwise: Block | If | None = None
        if kind == "else":
            self.pos += 1
            otherwise = self.block()
        elif kind == "elsif":
            otherwise = self.if_()
        end = (otherwise or then).end
        return If(test, then, otherwise, file=self.file, start=self.starts[at], end=end)

    def unless(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        test = self.expression()
        then = self.block()
        otherwise = None
        if self.kinds[self.pos] == "else":
            self.pos += 1
            otherwise = self.block()
        end = (otherwise or then).end
        return Unless(test, then, otherwise, file=self.file, start=self.starts[at], end=end)

    def case(self) -> Expression:
        """`case test { values: { statements } ... }`, with at least one option"""
        at = self.pos
        self.pos = at + 1
        test = self.expression()
        self.expect("{")
        options: list[CaseOption] = []
        while True:
            values = [self.expression()]
            while self.kinds[self.pos] == ",":
                self.pos += 1
                values.append(self.expression())
            colon = self.starts[self.expect(":")]
            body = self.block()
            options.append(
                CaseOption(tuple(values), body, file=self.file, start=values[0].start, end=body.end, colon=colon)
            )
            if self.kinds[self.pos] == "}":
                break
        self.pos += 1
        return Case(test, tuple(options), file=self.file, start=self.starts[at], end=self.ends[self.pos - 1])

    # --- templates ----------------------------------------------------------------------------------------------------

    def render_text(self) -> Expression:
        at = self.pos
        self.pos = at + 1
        return RenderText(self.values[at], file=self.file, start=self.starts[at], end=self.ends[at])

    def render_expression(self) -> Expression:
        """`<%= value %>`; braces may hold a hash or statements"""
        at = self.pos
        self.pos = at + 1
        value: Expression
        brace = self.pos
        if self.kinds[brace] == "{" and self.kinds[brace + 1] != "}":
            value = self.hash_or_block()
        else:
            value = self.expression()
        self.expect("%>")
        return RenderExpression(value, file=self.file, start=self.values[at], end=self.ends[self.pos - 1])

    def hash_or_block(self) -> Expression:
        """At `{`: a hash if an arrow follows the first expression, else statements."""
        brace = self.pos
        self.pos = brace + 1
        word = self.entry_keyword(False) if self.kinds[brace + 2] == "=>" else None
        first = self.assignment() if word is None else word
        if self.kinds[self.pos] == "=>":
            left: Expression = self.hash_after(brace, first)
            return self.expression(0, left)
        self.pos = brace
        block = self.block()
        return block.statements[0] if len(block.statements) == 1 else block


def as_variable(value: Expression) -> Expression:
    """A bare name in `${...}`, alone or before indexes and method calls, stands for a variable.

    The lexer has seen to it already, except where the end of a heredoc closes the interpolation.
    """
    if isinstance(value, Name):
        return Variable(value.value, file=value.file, start=value.start, end=value.end)
    if isinstance(value, Access):
        target = as_variable(value.target)
        return value if target is value.target else cast(Access, replace(value, target=target))
    if isinstance(value, MethodCall):
        receiver = as_variable(value.receiver)
        return value if receiver is value.receiver else cast(MethodCall, replace(value, receiver=receiver))
    return value


def _integer(digits: str, radix: int) -> int:
    """Digits to a number; a literal with thousands of digits is out of range anyway and costs quadratic time."""
    return int(digits, radix) if len(digits) < 4000 else 10**4000


PREFIX: dict[str, Callable[[Any], Expression]] = {
    "VAR": Expressions.variable,
    "STR": Expressions.string,
    "WORD": Expressions.string,
    "NAME": Expressions.name,
    "REF": Expressions.type_name,
    "NUM": Expressions.number,
    "BOOL": Expressions.boolean,
    "REGEX": Expressions.regex,
    "undef": Expressions.undef,
    "default": Expressions.default,
    "private": Expressions.reserved,
    "attr": Expressions.reserved,
    "[": Expressions.array,
    "L[": Expressions.array,
    "{": Expressions.hash,
    "(": Expressions.parenthesized,
    "W(": Expressions.parenthesized,
    "!": Expressions.negation,
    "-": Expressions.minus,
    "*": Expressions.splat,
    "DQPRE": Expressions.interpolated,
    "HEREDOC": Expressions.heredoc,
    "if": Expressions.if_,
    "unless": Expressions.unless,
    "case": Expressions.case,
    "TEXT": Expressions.render_text,
    "<%=": Expressions.render_expression,
}
"""What may start an expression.  The module of definitions adds `class`, `define`, `node`, `function` and `type`."""

"""From tokens to the tree, at level production: recursive descent, one method per production of `grammar.txt`.

It shares its frame with the core's parser (`Parser`): errors are gathered, and after one the parser goes on behind the
statement. Included files are found from the roots of a search path (`..parser.load` with `Roots`).
"""

from __future__ import annotations

from typing import Any

from ...base.source import Span
from ..errors import ReservedName, SmartFrogError, Unexpected
from ..lexer import MAX_ERRORS
from ..parser import Parser
from ..tree import Include, Specification
from .lexer import (
    BYTES,
    END,
    INCLUDE,
    NAME,
    NUMBER,
    RESERVED,
    STRING,
    bytes_value,
    name_value,
    number_value,
    string_value,
    tokenize,
)
from .tree import (
    BARE,
    HERE,
    NAMED,
    SEARCHED,
    Applied,
    Assignment,
    Block,
    Boolean,
    Bytes,
    Call,
    DataExtends,
    Default,
    Extends,
    Null,
    Number,
    Part,
    Path,
    Reference,
    String,
    Tagged,
    ToBeDefined,
    Value,
    Variable,
    Vector,
    plain_value,
)

FUNCTIONS = "org.smartfrog.sfcore.languages.sf.functions."
"""The names of functions are those of classes of SmartFrog's own compiler: programs write them."""
CHAINS = {
    "+": "Sum",
    "*": "Product",
    "++": "Concatenate",
    "<>": "Append",
    "&&": "And",
    "||": "Or",
    "x|": "Xor",
    "->": "Implies",
}
PAIRS = {
    "-": "Minus",
    "/": "Divide",
    "%": "Mod",
    "==": "EQ",
    "!=": "NE",
    ">=": "GE",
    "<=": "LE",
    ">": "GT",
    "<": "LT",
}
_LITERAL = frozenset((STRING, NUMBER))


class ProductionParser(Parser):
    """The parser of one file.  `include` answers a directive with the block to splice in."""

    tokenize = staticmethod(tokenize)

    # --- statements ---

    def parse_specification(self) -> Specification:
        """The whole file; what is written inside `extends { .. }` alone is the same."""
        whole = self.source.whole()
        if self.texts[0] == "extends" and self.kinds[0] == NAME and self.texts[1] == "{":
            self.at = 1
            block = self.parse_block()
            if self.kinds[self.at] != END:
                self.report(self.unexpected("the end of the file"))
            return Specification(Block(block.items, span=whole), span=whole)
        return super().parse_specification()

    def parse_items(self) -> list[Assignment | Include]:
        """Assignments and includes, up to a `}` or the end of the file.  Catches and gathers their errors."""
        items: list[Assignment | Include] = []
        texts = self.texts
        depth = self.depth
        while True:
            kind = self.kinds[self.at]
            text = texts[self.at]
            try:
                if kind == END or text == "}":
                    return items
                if text == ";":
                    self.at += 1
                elif kind == INCLUDE:
                    self.parse_include(items)
                elif kind == NAME or text[0] == '"' or text == "[" or text == "--":
                    items.append(self.parse_assignment())
                else:
                    raise self.unexpected("an attribute")
            except SmartFrogError as problem:
                self.report(problem)
                self.depth = depth
                if len(self.problems) >= MAX_ERRORS:
                    self.at = len(self.kinds) - 1
                self.skip_statement()

    def parse_include(self, items: list[Assignment | Include]) -> None:
        """`#include "file"`, added to `items`; nothing if the file may be missing and is."""
        start = self.starts[self.at]
        if self.texts[self.at] == "#codebase":
            self.at += 1
            self.take_string("where the file is, in double quotes, after `#codebase`")
            if self.kinds[self.at] != INCLUDE or self.texts[self.at] == "#codebase":
                raise self.unexpected("`#include`")
        optional = self.texts[self.at] == "#include?"
        self.at += 1
        path = self.take_string("the name of a file in double quotes after `#include`")
        span = Span(self.source, start, self.end_of(self.at - 1))
        block = self.include_optional(path, span) if optional else self.include(path, span)
        if block is not None:
            items.append(Include(path, block, span=span))

    def parse_assignment(self) -> Assignment:
        """`[tags] target value`; without a value it is NULL."""
        at = self.at
        start = self.starts[at]
        kind, name = self.kinds[at + 1], self.texts[at]
        if kind in _LITERAL and self.kinds[at] == NAME and name not in RESERVED and "\\" not in name:
            source = self.source  # most attributes are so: a name and a number or string
            self.at = at + 1
            basic = self.parse_basic()
            target = Reference((name,), span=Span(source, start, start + len(name)))
            end = basic.span.end
            if self.texts[self.at] == ";":
                self.at += 1
            return Assignment(target, basic, span=Span(source, start, end))
        tags = self.parse_tags() if self.texts[self.at] == "[" else ()
        target = self.parse_target()
        value: Value
        if self.texts[self.at] == ";" and self.kinds[self.at] != STRING:
            value = Null(span=self.here())
        else:
            value = self.parse_value()
        span = Span(self.source, start, self.end_of(self.at - 1))
        if self.texts[self.at] == ";":
            self.at += 1
        if tags:
            return Tagged(target, value, tags, span=span)
        return Assignment(target, value, span=span)

    def parse_tags(self) -> tuple[str, ...]:
        """`[a, b c]`."""
        self.at += 1
        tags: list[str] = []
        while self.texts[self.at] != "]":
            tags.append(self.parse_label("a tag or `]`"))
            if self.texts[self.at] == ",":
                self.at += 1
        self.at += 1
        return tuple(tags)

    def parse_target(self) -> Reference:
        """`name`, `"any name"`, `--`, or a placement `a:b:name`."""
        opening = self.at
        text = self.texts[opening]
        if self.kinds[opening] == NAME and self.texts[opening + 1] != ":" and text not in RESERVED and "\\" not in text:
            self.at = opening + 1
            start = self.starts[opening]
            return Reference((text,), span=Span(self.source, start, start + len(text)))
        names: list[str] = []
        while True:
            kind, text = self.kinds[self.at], self.texts[self.at]
            if kind == NAME:
                names.append(self.take_name())
                if self.texts[self.at] == ":":
                    self.at += 1
                    continue
            elif kind == STRING and text[0] == '"':
                names.append(string_value(text, self.source, self.starts[self.at]))
                self.at += 1
            elif text == "--":
                names.append("--")
                self.at += 1
            else:
                raise self.unexpected("the name of an attribute")
            return Reference(tuple(names), span=self.span_from(opening))

    # --- values ---

    def parse_value(self) -> Value:
        """What an attribute is given."""
        kind = self.kinds[self.at]
        if kind in _LITERAL:
            return self.parse_basic()
        if self.texts[self.at] == "extends" and self.kinds[self.at] == NAME:
            return self.parse_extends()
        return self.parse_simple()

    def parse_simple(self) -> Value:
        """Anything but a component."""
        kind, text = self.kinds[self.at], self.texts[self.at]
        if kind == NAME:
            if text not in RESERVED:
                return self.parse_path()
            if text == "IF":
                return self.parse_condition()
            if text == "SWITCH":
                return self.parse_switch()
            if text in ("LAZY", "OPTIONAL", "APPLY", "ASSERT") or text in NAMED or text in BARE:
                return self.parse_path()
        elif text == "(":
            return self.parse_group()
        return self.parse_basic()

    def parse_basic(self, literal: bool = False) -> Value:  # type: ignore[override]  # it may be of the larger level
        """A value that stands for itself; inside of a literal vector there are no others."""
        at = self.at
        kind, text, start = self.kinds[at], self.texts[at], self.starts[at]
        span = Span(self.source, start, start + len(text))
        if kind == STRING:
            self.at = at + 1
            plain = "\\" not in text and text[0] == '"'
            return String(text[1:-1] if plain else string_value(text, self.source, start), span=span)
        if kind == NUMBER:
            self.at = at + 1
            return Number(number_value(text, self.source, start), span=span)
        if kind == BYTES:
            self.at = at + 1
            return Bytes(bytes_value(text, self.source, start), span=span)
        if kind == NAME:
            match text:
                case "true" | "false":
                    self.at = at + 1
                    return Boolean(text == "true", span=span)
                case "NULL":
                    self.at = at + 1
                    return Null(span=span)
                case "TBD":
                    self.at = at + 1
                    return ToBeDefined(span=span)
                case "DATA":
                    return self.parse_data()
                case "VAR":
                    return self.parse_variable()
        if text == "[|":
            return self.parse_literal()
        if text == "[" and not literal:
            return self.parse_vector()
        help = "a component is written `name extends { ... }`" if text == "{" else None
        if literal:
            help = "this vector holds values alone; one in `[ .. ]` may hold links and expressions"
        elif text == "extends":
            help = "a component in a vector or an expression is written in parentheses"
        raise self.unexpected("a value", help)

    def parse_literal(self) -> Vector:
        """`[| basic, .. |]`."""
        opening = self.at
        self.enter()
        self.at += 1
        items: list[Any] = []
        if self.texts[self.at] != "|]":
            items.append(self.parse_basic(literal=True))
            while self.texts[self.at] == ",":
                self.at += 1
                items.append(self.parse_basic(literal=True))
            if self.texts[self.at] != "|]":
                raise self.unclosed(opening, "vector", "|]") or self.unexpected("`,` or `|]`")
        self.at += 1
        self.depth -= 1
        return Vector(tuple(items), span=self.span_from(opening))

    def parse_vector(self) -> Call:  # type: ignore[override]
        """`[ simple, .. ]`, which is a function of its items."""
        opening = self.at
        self.enter()
        self.at += 1
        items: list[tuple[str, Value]] = []
        if self.texts[self.at] != "]":
            items.append(("", self.parse_simple()))
            while self.texts[self.at] == ",":
                self.at += 1
                items.append(("", self.parse_simple()))
            if self.texts[self.at] != "]":
                raise self.unclosed(opening, "vector", "]") or self.unexpected("`,` or `]`")
        self.at += 1
        self.depth -= 1
        return Call(f"{FUNCTIONS}Vector", tuple(items), "vector", span=self.span_from(opening))

    def parse_data(self) -> Path | Applied:  # type: ignore[override]
        """`DATA path`."""
        start = self.starts[self.at]
        self.at += 1
        path = self.parse_path(prefix=start)
        if isinstance(path, Applied):
            return Applied(path.kind, path.block, path.lazy, True, span=path.span)
        return Path(path.parts, path.lazy, True, path.default, span=path.span)

    def parse_path(self, prefix: int | None = None) -> Path | Applied:
        """A link: `LAZY OPTIONAL(1) a:b`."""
        start = self.starts[self.at] if prefix is None else prefix
        lazy = self.texts[self.at] == "LAZY" and prefix is None
        if lazy:
            self.at += 1
        if self.texts[self.at] in ("APPLY", "ASSERT"):
            applied = self.parse_applied()
            return Applied(applied.kind, applied.block, lazy, False, span=Span(self.source, start, applied.span.end))
        default = self.parse_optional() if self.texts[self.at] == "OPTIONAL" else None
        parts = self.parse_parts()
        return Path(parts, lazy, False, default, span=Span(self.source, start, self.end_of(self.at - 1)))

    def parse_optional(self) -> Default:
        """`OPTIONAL(basic)`, before the parts of a path."""
        opening = self.at
        self.at += 1
        if self.texts[self.at] != "(":
            return Default(None, None, span=self.span_from(opening))
        self.at += 1
        value = self.parse_basic(literal=True)
        self.take(")")
        return Default(value, plain_value(value), span=self.span_from(opening))

    def parse_applied(self) -> Applied:
        """`APPLY { .. }` or `ASSERT { .. }`."""
        opening = self.at
        kind = self.texts[self.at]
        self.at += 1
        if self.texts[self.at] != "{":
            raise self.unexpected("`{`")
        block = self.parse_block()
        return Applied(kind, block, span=self.span_from(opening))

    def parse_parts(self) -> tuple[Part, ...]:
        """`part:part`."""
        parts = [self.parse_part(True)]
        while self.texts[self.at] == ":":
            self.at += 1
            parts.append(self.parse_part(False))
        return tuple(parts)

    def parse_part(self, first: bool) -> Part:
        """One part of a path; a bare name is searched for if it is the first."""
        opening = self.at
        text = self.texts[opening]
        if self.kinds[opening] == NAME:
            if text not in RESERVED:
                self.at = opening + 1
                start = self.starts[opening]
                span = Span(self.source, start, start + len(text))
                return Part(SEARCHED if first else HERE, name_value(text), span=span)
            if text in BARE:
                self.at = opening + 1
                return Part(text, "", span=self.span_from(opening))
            if text in NAMED:
                kind = self.parse_head()
                return Part(kind, self.parse_label("a name"), span=self.span_from(opening))
            raise ReservedName(text, self.here())
        raise self.unexpected("a reference: a name, `PARENT`, `ROOT`, ...")

    def parse_head(self) -> str:
        """The word before a name that says how it is looked up."""
        self.at += 1
        return self.texts[self.at - 1]

    def parse_label(self, expected: str) -> str:
        """A name, or a string in its place."""
        if self.kinds[self.at] == STRING:
            self.at += 1
            return string_value(self.texts[self.at - 1], self.source, self.starts[self.at - 1])
        if self.kinds[self.at] == NAME:
            return self.take_name()
        raise self.unexpected(expected)

    def parse_variable(self) -> Variable:
        """`VAR` and what it may be."""
        opening = self.at
        self.at += 1
        if self.texts[self.at] == "{":
            self.at += 1
            self.parse_domain()
            self.take(",")
            if self.kinds[self.at] not in (STRING, NUMBER):
                raise self.unexpected("a string or a number")
            self.at += 1
            self.take("}")
        elif self.kinds[self.at] == STRING or (
            self.kinds[self.at] == NAME and self.texts[self.at] not in RESERVED - {*NAMED, *BARE}
        ):
            self.parse_domain()
        return Variable(span=self.span_from(opening))

    def parse_domain(self) -> None:
        """A string or a path."""
        if self.kinds[self.at] == STRING:
            self.at += 1
        else:
            self.parse_parts()

    # --- expressions ---

    def parse_group(self) -> Value:
        """`( .. )`: an expression with one operator, or a component."""
        opening = self.at
        self.enter()
        self.at += 1
        value = self.parse_extends() if self.texts[self.at] == "extends" else self.parse_operation(opening)
        if self.texts[self.at] != ")":
            help = None
            if self.texts[self.at] in CHAINS or self.texts[self.at] in PAIRS:
                help = "one kind of operator for each pair of parentheses, `- / %` and comparisons have two operands"
            elif self.kinds[self.at] == NUMBER and self.texts[self.at].startswith("-"):
                help = "a minus without a blank behind it belongs to the number: write `(a - b)`"
            raise self.unclosed(opening, "expression", ")") or self.unexpected("an operator or `)`", help)
        self.at += 1
        self.depth -= 1
        return value

    def parse_operation(self, opening: int) -> Value:
        """`! a`, `a + b + c`, `a - b`."""
        if self.texts[self.at] == "!":
            self.at += 1
            operand = self.parse_simple()
            span = Span(self.source, self.starts[opening], operand.span.end + 1)
            return Call(f"{FUNCTIONS}Not", (("data", operand),), "!", span=span)
        left = self.parse_simple()
        symbol = self.parse_operator()
        if symbol is None:
            return left
        right = self.parse_simple()
        if symbol in PAIRS:
            arguments = (("left", left), ("right", right))
            return Call(FUNCTIONS + PAIRS[symbol], arguments, symbol, span=self.span_to_here(opening))
        operands = [left, right]
        while self.texts[self.at] == symbol:
            self.at += 1
            operands.append(self.parse_simple())
        several = tuple(("", operand) for operand in operands)
        return Call(FUNCTIONS + CHAINS[symbol], several, symbol, span=self.span_to_here(opening))

    def parse_operator(self) -> str | None:
        """The operator that stands here, if one does."""
        text = self.texts[self.at]
        if self.kinds[self.at] == STRING or (text not in CHAINS and text not in PAIRS):
            return None
        self.at += 1
        return text

    def parse_condition(self) -> Call:
        """`IF c THEN a ELSE b FI`."""
        opening = self.at
        self.enter()
        self.at += 1
        condition = self.parse_simple()
        self.take("THEN")
        then = self.parse_simple()
        self.take("ELSE", "both branches are needed")
        other = self.parse_simple()
        self.take("FI")
        self.depth -= 1
        arguments = (("if", condition), ("then", then), ("else", other))
        return Call(f"{FUNCTIONS}IfThenElse", arguments, "IF", span=self.span_from(opening))

    def parse_switch(self) -> Call:
        """`SWITCH { names } IF c THEN v .. ENDSWITCH`."""
        opening = self.at
        self.enter()
        self.at += 1
        bindings = self.parse_block() if self.texts[self.at] == "{" else None
        arguments = [*self.parse_case()]
        while self.texts[self.at] == "IF":
            arguments += self.parse_case()
        self.take("ENDSWITCH")
        self.depth -= 1
        return Call(f"{FUNCTIONS}Switch", tuple(arguments), "SWITCH", bindings, span=self.span_from(opening))

    def parse_case(self) -> tuple[tuple[str, Value], tuple[str, Value]]:
        """`IF c THEN v`."""
        self.take("IF")
        condition = self.parse_simple()
        self.take("THEN")
        return ("IF", condition), ("THEN", self.parse_simple())

    # --- components ---

    def parse_extends(self) -> Extends:
        """`extends` and its prototypes; only before a last block may the comma be missing."""
        opening = self.at
        self.at += 1
        data = self.kinds[self.at] == NAME and self.texts[self.at] in ("DATA", "LAZY")
        if data:
            self.at += 1
        prototypes: list[Any] = []
        self.parse_prototype(prototypes)
        while True:
            if self.texts[self.at] == "," and self.kinds[self.at] != STRING:
                self.at += 1
                self.parse_prototype(prototypes)
            elif self.texts[self.at] == "{":
                prototypes.append(self.parse_block())
                break
            else:
                break
        kind = DataExtends if data else Extends
        return kind(tuple(prototypes), span=self.span_from(opening))

    def parse_prototype(self, prototypes: list[Any]) -> None:
        """A reference or a block, added to `prototypes`; `NULL` is nothing."""
        if self.texts[self.at] == "{":
            prototypes.append(self.parse_block())
            return
        if self.texts[self.at] == "NULL" and self.kinds[self.at] == NAME:
            self.at += 1
            return
        if self.kinds[self.at] != NAME or self.texts[self.at] in RESERVED - {*NAMED, *BARE}:
            raise self.unexpected("a prototype: a reference or `{`")
        opening = self.at
        parts = self.parse_parts()
        prototypes.append(Path(parts, span=self.span_from(opening)))

    # --- helpers ---

    def take(self, text: str, help: str | None = None) -> None:
        """The mark or word that must stand here."""
        if self.texts[self.at] != text or self.kinds[self.at] == STRING:
            raise self.unexpected(f"`{text}`", help)
        self.at += 1

    def take_string(self, expected: str) -> str:
        """The string that must stand here."""
        if self.kinds[self.at] != STRING:
            raise self.unexpected(expected)
        self.at += 1
        return string_value(self.texts[self.at - 1], self.source, self.starts[self.at - 1])

    def take_name(self) -> str:
        """The name that stands here."""
        name = self.texts[self.at]
        if self.kinds[self.at] != NAME:
            raise self.unexpected("a name")
        if name in RESERVED:
            raise ReservedName(name, self.here())
        self.at += 1
        return name_value(name)

    def span_to_here(self, opening: int) -> Span:
        """From token number `opening` to the one that stands here, which is to be the end."""
        return Span(self.source, self.starts[opening], self.end_of(self.at))


__all__ = ["CHAINS", "FUNCTIONS", "PAIRS", "ProductionParser", "Unexpected"]

"""Literals of Ruby: strings of all kinds, symbols, regular expressions, arrays, hashes, numbers.

The text of a literal is taken from the source between its delimiters and its interpolations, not from the parser's
tokens.
"""

from __future__ import annotations

from typing import Any

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from .errors import RubySyntaxError
from .literals import dedent, integer, unescape, unescape_word, unquote
from .reading import Reading


class Literals(Reading):
    """The part of the parser for literals."""

    def read_nil(self, node: object) -> n.Node:
        return n.Constant(None, span=self.span(node))

    def read_true(self, node: object) -> n.Node:
        return n.Constant(True, span=self.span(node))

    def read_false(self, node: object) -> n.Node:
        return n.Constant(False, span=self.span(node))

    def read_self(self, node: object) -> n.Node:
        return n.Self(span=self.span(node))

    def read_integer(self, node: object) -> n.Node:
        try:
            value = integer(self.text(node))
        except ValueError:
            raise RubySyntaxError("Invalid octal digit", self.span(node)) from None
        return n.Constant(value, span=self.span(node))

    def read_float(self, node: object) -> n.Node:
        return n.Constant(float(self.text(node).replace("_", "")), span=self.span(node))

    def read_simple_symbol(self, node: object) -> n.Node:
        return n.Constant(Symbol(self.text(node)[1:]), span=self.span(node))

    def read_hash_key_symbol(self, node: object) -> n.Node:
        return n.Constant(Symbol(self.text(node)), span=self.span(node))

    def read_character(self, node: object) -> n.Node:
        return n.Str(unescape(self.text(node)[1:]), span=self.span(node))

    def read_string(self, node: object) -> n.Node:
        return self._quoted(node, "string")

    def read_delimited_symbol(self, node: object) -> n.Node:
        return self._quoted(node, "symbol")

    def read_subshell(self, node: object) -> n.Node:
        return self.unsupported(node, "a command in backticks runs a program", refused=True)

    def _quoted(self, node: Any, kind: str) -> n.Node:
        opening, closing = self.text(node.children[0]), self.text(node.children[-1])
        raw = opening in ("'", ":'") or opening.startswith(("%q", "%s"))
        start, end = node.children[0].end_byte, node.children[-1].start_byte
        if raw:
            text = unquote(self.data[start:end].decode("utf-8", "surrogateescape"), closing)
            return self._plain(text, kind, node)
        return self._parts(node, start, end, kind)

    def _plain(self, text: str, kind: str, node: object) -> n.Node:
        if kind == "symbol":
            return n.Constant(Symbol(text), span=self.span(node))
        return n.Str(text, span=self.span(node))

    def _parts(self, node: Any, start: int, end: int, kind: str, options: str = "") -> n.Node:
        """A literal with interpolations: the raw text between them is taken from the source."""
        keep = kind == "regexp"
        parts: list[str | n.Node] = []
        at = start
        for child in node.children:
            if child.type == "interpolation":
                self._text_part(parts, at, child.start_byte, keep)
                parts.append(self.sequence(child))
                at = child.end_byte
        self._text_part(parts, at, end, keep)
        return self._joined(parts, kind, options, node)

    def _joined(self, parts: list[str | n.Node], kind: str, options: str, node: object) -> n.Node:
        if all(isinstance(part, str) for part in parts):
            text = "".join(str(part) for part in parts)
            if kind == "regexp":
                return n.Regex(text, options, span=self.span(node))
            return self._plain(text, kind, node)
        return n.Interpolated(tuple(parts), kind, options, span=self.span(node))

    def _text_part(self, parts: list[str | n.Node], start: int, end: int, keep: bool) -> None:
        if end > start:
            raw = self.data[start:end].decode("utf-8", "surrogateescape")
            parts.append(raw if keep else unescape(raw))

    def read_chained_string(self, node: object) -> n.Node:
        parts: list[str | n.Node] = []
        for child in self.named(node):
            part = self.node(child)
            if isinstance(part, n.Str):
                parts.append(part.value)
            elif isinstance(part, n.Interpolated):
                parts.extend(part.parts)
        return self._joined(parts, "string", "", node)

    def read_regex(self, node: Any) -> n.Node:
        opening, closing = self.text(node.children[0]), self.text(node.children[-1])
        options = closing.lstrip("/)]}>|!,;:'\"`~@#$%^&*-_=+")
        start, end = node.children[0].end_byte, node.children[-1].start_byte
        built = self._parts(node, start, end, "regexp", options)
        if isinstance(built, n.Regex) and opening == "/":
            return n.Regex(built.source.replace("\\/", "/"), options, span=built.span)
        return built

    def read_string_array(self, node: object) -> n.Node:
        return self._words(node, "string")

    def read_symbol_array(self, node: object) -> n.Node:
        return self._words(node, "symbol")

    def _words(self, node: Any, kind: str) -> n.Node:
        raw = self.text(node.children[0])[1] in "wi"
        items = []
        for child in self.named(node):
            if raw:
                items.append(self._plain(unescape_word(self.text(child)), kind, child))
            else:
                items.append(self._parts(child, child.start_byte, child.end_byte, kind))
        return n.ArrayLiteral(tuple(items), span=self.span(node))

    def read_heredoc_beginning(self, node: Any) -> n.Node:
        opening = self.text(node)
        body = self.heredocs.get(node.start_byte)
        if body is None:
            raise RubySyntaxError("syntax error: heredoc without an end", self.span(node))
        is_raw, is_squiggly = "'" in opening, opening.startswith("<<~")
        ending = next(child for child in body.children if child.type == "heredoc_end")
        start, end = body.start_byte, ending.start_byte
        if self.data[start : start + 2] == b"\r\n":
            start += 2
        elif self.data[start : start + 1] == b"\n":
            start += 1
        line_start = self.data.rfind(b"\n", 0, end) + 1
        end = max(start, line_start) if not self.data[line_start:end].strip() else end
        if "`" in opening:
            return self.unsupported(node, "a command in backticks runs a program", refused=True)
        raws: list[str | None] = []
        inner: list[n.Node] = []
        at = start
        for child in body.children:
            if child.type == "interpolation" and not is_raw:
                raws.append(self.data[at : child.start_byte].decode("utf-8", "surrogateescape"))
                raws.append(None)
                inner.append(self.sequence(child))
                at = child.end_byte
        raws.append(self.data[at:end].decode("utf-8", "surrogateescape"))
        if is_squiggly:
            raws = dedent(raws)
        parts: list[str | n.Node] = []
        values = iter(inner)
        for raw in raws:
            if raw is None:
                parts.append(next(values))
            elif raw:
                parts.append(raw if is_raw else unescape(raw))
        return self._joined(parts, "string", "", node)

    def read_array(self, node: object) -> n.Node:
        return n.ArrayLiteral(self.arguments(node)[0], span=self.span(node))

    def read_hash(self, node: object) -> n.Node:
        return n.HashLiteral(tuple(self.pair(child) for child in self.named(node)), span=self.span(node))

    def pair(self, node: Any) -> tuple[n.Node | None, n.Node]:
        """A pair of a hash, or a double splat."""
        if node.type == "hash_splat_argument":
            return None, self.node(self.splatted(node))
        key_node = node.child_by_field_name("key")
        value_node = node.child_by_field_name("value")
        key = self.node(key_node)
        if any(child.type == ":" for child in node.children) and key_node.type == "string":
            key = self._as_symbol(key)
        if value_node is None:
            value = self.word(self.text(key_node).rstrip(":"), key_node)
        else:
            value = self.node(value_node)
        return key, value

    def _as_symbol(self, key: n.Node) -> n.Node:
        if isinstance(key, n.Str):
            return n.Constant(Symbol(key.value), span=key.span)
        if isinstance(key, n.Interpolated):
            return n.Interpolated(key.parts, "symbol", span=key.span)
        return key

    def read_range(self, node: Any) -> n.Node:
        operator = node.child_by_field_name("operator")
        return n.RangeLiteral(
            self.optional(node.child_by_field_name("begin"), node),
            self.optional(node.child_by_field_name("end"), node),
            operator.type == "...",
            span=self.span(node),
        )

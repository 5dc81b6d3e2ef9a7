"""From tokens to the tree: recursive descent, one method per production of `grammar.txt`.

`load` is the front door. It reads a program with everything it includes and returns the tree, the files read and all
the syntax errors found. After an error the parser skips to the end of the statement (the next `;`, or the `}` that
closes the block) and goes on, so one run reports many errors; a tree with errors must not be evaluated.

An included file is found relative to the file that includes it, through the host, which refuses what lies outside its
roots. Its items are parsed once and shared if it is included again; a file that includes itself is an error. A session
keeps what was parsed (`ParsedFiles`): a file whose text is the same, and that of all it includes, is not parsed again.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from ..base.cache import Cache
from ..base.diagnostics import Diagnostic, LimitReached, ManyErrors, once
from ..base.host import Host
from ..base.record import Record
from ..base.source import SourceFile, Span
from .errors import (
    IncludeCycle,
    ReservedName,
    SmartFrogError,
    Unexpected,
    UnterminatedBlock,
)
from .lexer import END, INCLUDE, MAX_ERRORS, NAME, NUMBER, RESERVED, STRING, number_value, string_value, tokenize
from .tree import (
    Assignment,
    BasicValue,
    Block,
    Boolean,
    DataReference,
    Extends,
    Include,
    Link,
    Null,
    Number,
    Reference,
    Specification,
    String,
    Value,
    Vector,
)

MAX_INCLUDE_DEPTH = 100
MOST_KEPT = 1_000
"""Files that a session keeps."""


class Limits(Record):
    """Bounds that keep any input from taking all memory or time; all can be changed by the option of the same name.

    `max_nodes` bounds the attributes of the result (a few lines can ask for any number of them), and four times as many
    may be written on the way; `max_nesting` bounds the depth of text and result; `max_source` the characters of a file.
    """

    max_nodes: int = 500_000
    max_nesting: int = 500
    max_source: int = 16_000_000


class Program(Record):
    """A program with everything it includes: the tree, the files by name, and what is wrong with them."""

    tree: Specification
    sources: dict[str, SourceFile]
    included: dict[str, Span]
    problems: list[Diagnostic]

    def checked(self) -> Program:
        """This program, if nothing is wrong with it.  Raises the diagnostic, or `ManyErrors`."""
        if len(self.problems) == 1:
            raise self.problems[0]
        if self.problems:
            raise ManyErrors(self.problems)
        return self


class _Parsed(Record):
    """A file without errors: its text, its items, and for each of its directives the block that was spliced in."""

    source: SourceFile
    max_nesting: int
    level: str
    block: Block
    includes: tuple[tuple[str, Span, Block], ...]


class ParsedFiles:
    """The files that a session has parsed, by name.  Texts are compared, so nothing here is ever out of date."""

    def __init__(self) -> None:
        self._files: Cache[str, _Parsed] = Cache(MOST_KEPT)

    def get(self, source: SourceFile, max_nesting: int, level: str) -> _Parsed | None:
        """What was parsed of a file, if it has the same text now."""
        known = self._files.get(source.name)
        fits = (
            known is not None
            and (known.max_nesting, known.level) == (max_nesting, level)
            and known.source.text == source.text
        )
        return known if fits else None

    def put(self, parsed: _Parsed) -> None:
        """Keep a file; those that were kept first are forgotten when there are too many."""
        self._files.keep(parsed.source.name, parsed)


class Reading:
    """How the files of a level are read: which parser, and where an included file is."""

    def __init__(self, level: str, parser: type[Parser]) -> None:
        self.level = level
        self.parser = parser

    def file(self, path: str, at: Span, host: Host) -> tuple[str, Host]:
        """The name of an included file, and the host that reads it: relative to the file that has the directive."""
        return posixpath.normpath(posixpath.join(posixpath.dirname(at.file.name), path)), host


def load(
    source: SourceFile,
    host: Host,
    limits: Limits = Limits(),  # noqa: B008 - immutable
    kept: ParsedFiles | None = None,
    reading: Reading | None = None,
) -> Program:
    """Read the program whose main file is `source`.  Nesting needs stack: call it in `base.deep.with_deep_stack`."""
    return _Loader(host, limits, kept or ParsedFiles(), reading or Reading("core", Parser)).load(source)


class _Loader:
    """Reads files, follows includes and gathers errors."""

    def __init__(self, host: Host, limits: Limits, kept: ParsedFiles, reading: Reading) -> None:
        self.kept = kept
        self.reading = reading
        self.host = host
        self.limits = limits
        self.sources: dict[str, SourceFile] = {}
        self.included: dict[str, Span] = {}
        self.problems: list[Diagnostic] = []
        self._blocks: dict[str, Block] = {}
        self._open: list[str] = []

    def load(self, source: SourceFile) -> Program:
        block = self._parse(source)
        tree = Specification(block, span=block.span)
        return Program(tree, self.sources, self.included, once(self.problems))

    def _parse(self, source: SourceFile) -> Block:
        name = posixpath.normpath(source.name)
        known = self.kept.get(source, self.limits.max_nesting, self.reading.level)
        self.sources[source.name] = source if known is None else known.source
        self._open.append(name)
        includes: list[tuple[str, Span, Block]] = []

        def include(path: str, at: Span) -> Block:
            block = self._include(path, at)
            includes.append((path, at, block))
            return block

        try:
            if known is not None:
                if all(self._include(path, at) is block for path, at, block in known.includes):
                    return known.block
                self.sources[source.name] = source
            if len(source.text) > self.limits.max_source:
                what = f"{source.name} has {len(source.text):,} characters"
                raise LimitReached(what, self.limits.max_source, source.span(0), "the option max_source")

            def include_optional(path: str, at: Span) -> Block | None:
                parser.looked_for = True
                return include(path, at) if self._is_there(path, at) else None

            parser = self.reading.parser(source, include, self.limits.max_nesting, include_optional)
            block = parser.parse_specification().block
            self.problems += parser.problems
            if not self.problems and not parser.looked_for:
                level = self.reading.level
                self.kept.put(_Parsed(source, self.limits.max_nesting, level, block, tuple(includes)))
        except Diagnostic as problem:  # a limit: nothing of this file is used
            self.problems.append(problem)
            block = Block((), span=source.span(0))
        finally:
            self._open.pop()
        return block

    def _is_there(self, path: str, at: Span) -> bool:
        name, host = self.reading.file(path, at, self.host)
        return host.kind(name) is not None

    def _include(self, path: str, at: Span) -> Block:
        """The block of an included file, or an empty one with the reason among the problems."""
        name, host = self.reading.file(path, at, self.host)
        if name in self._blocks:
            return self._blocks[name]
        try:
            if name in self._open:
                raise IncludeCycle([*self._open[self._open.index(name) :], name], at)
            if len(self._open) >= MAX_INCLUDE_DEPTH:
                raise LimitReached("includes are nested too deeply", MAX_INCLUDE_DEPTH, at)
            source = host.source(name, at)
        except Diagnostic as problem:
            self.problems.append(problem)
            return Block((), span=at)
        self.included[name] = at
        block = self._blocks[name] = self._parse(source)
        return block


class Parser:
    """The parser of one file.  `include` answers a directive with the block to splice in."""

    tokenize = staticmethod(tokenize)

    def __init__(
        self,
        source: SourceFile,
        include: Callable[[str, Span], Block],
        max_nesting: int,
        include_optional: Callable[[str, Span], Block | None] = lambda path, at: None,
    ) -> None:
        self.source = source
        self.include = include
        self.include_optional = include_optional
        self.max_nesting = max_nesting
        self.looked_for = False  # whether there was a file that may be missing: what is parsed then is not kept
        tokens, self.problems = self.tokenize(source)
        self.unread_lines = {problem.span.line for problem in self.problems if problem.span is not None}
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.at = 0
        self.depth = 0

    # --- productions ---

    def parse_specification(self) -> Specification:
        """The whole file."""
        items: list[Assignment | Include] = []
        while True:
            items.extend(self.parse_items())
            if self.kinds[self.at] == END:
                break
            self.report(Unexpected("`}`", "an attribute", self.here(), help="no block is open here"))
            self.at += 1
            if len(self.problems) >= MAX_ERRORS:
                break
        self.problems.sort(key=lambda problem: problem.span.start if problem.span is not None else 0)
        whole = self.source.whole()
        return Specification(Block(tuple(items), span=whole), span=whole)

    def parse_items(self) -> list[Assignment | Include]:
        """Assignments and includes, up to a `}` or the end of the file.  Catches and gathers their errors."""
        items: list[Assignment | Include] = []
        texts = self.texts
        depth = self.depth
        while True:
            kind = self.kinds[self.at]
            try:
                if kind == NAME:
                    items.append(self.parse_assignment())
                elif kind == INCLUDE:
                    self.parse_include(items)
                elif kind == END or texts[self.at] == "}":
                    return items
                else:
                    help = "`extends` needs no `;` after it" if texts[self.at] == ";" else None
                    raise self.unexpected("an attribute", help)
            except SmartFrogError as problem:
                self.report(problem)
                self.depth = depth
                if len(self.problems) >= MAX_ERRORS:
                    self.at = len(self.kinds) - 1
                self.skip_statement()

    def parse_include(self, items: list[Assignment | Include]) -> None:
        """`#include "file"`, the `;` being optional; adds what is included to `items`."""
        start = self.starts[self.at]
        self.at += 1
        if self.kinds[self.at] != STRING:
            raise self.unexpected("the name of a file in double quotes after `#include`")
        path = string_value(self.texts[self.at], self.source, self.starts[self.at])
        span = Span(self.source, start, self.end_of(self.at))
        self.at += 1
        if self.texts[self.at] == ";":
            self.at += 1
        items.append(Include(path, self.include(path, span), span=span))

    def parse_assignment(self) -> Assignment:
        """`reference value`."""
        target = self.parse_reference()
        value = self.parse_value()
        return Assignment(target, value, span=Span(self.source, target.span.start, self.end_of(self.at - 1)))

    def parse_value(self) -> Value:
        """`basic ;`, `link ;` or `extends ...`."""
        value: Value
        if self.kinds[self.at] == NAME:
            text = self.texts[self.at]
            if text == "extends":
                return self.parse_extends()
            value = self.parse_basic() if text in RESERVED else self.parse_link()
        else:
            value = self.parse_basic()
        if self.texts[self.at] == ";":
            self.at += 1
        elif self.kinds[self.at] in (NAME, INCLUDE, END) or self.texts[self.at] == "}":
            self.report(self.unexpected("`;`"))  # as if it were there: what follows is a statement of its own
        else:
            raise self.unexpected("`;`")
        return value

    def parse_basic(self) -> BasicValue:
        """A value that stands for itself."""
        at = self.at
        kind = self.kinds[at]
        text = self.texts[at]
        start = self.starts[at]
        if text == "[":
            return self.parse_vector()
        span = Span(self.source, start, start + len(text))
        if kind == STRING:
            self.at = at + 1
            inside = text[1:-1] if "\\" not in text else string_value(text, self.source, start)
            return String(inside, span=span)
        if kind == NUMBER:
            self.at = at + 1
            return Number(number_value(text, self.source, start), span=span)
        if kind == NAME:
            if text == "true" or text == "false":
                self.at = at + 1
                return Boolean(text == "true", span=span)
            if text == "NULL":
                self.at = at + 1
                return Null(span=span)
            if text == "DATA":
                return self.parse_data()
        help = None
        if text == "{":
            help = "a component is written `name extends { ... }`"
        elif text == ";":
            help = "an attribute without a value is written `name NULL;`"
        raise self.unexpected("a value", help)

    def parse_data(self) -> DataReference:
        """`DATA reference`."""
        start = self.starts[self.at]
        self.at += 1
        reference = self.parse_reference()
        return DataReference(reference, span=Span(self.source, start, reference.span.end))

    def parse_vector(self) -> Vector:
        """`[basic, ...]`."""
        opening = self.at
        self.enter()
        self.at += 1
        items: list[BasicValue] = []
        if self.texts[self.at] != "]":
            items.append(self.take_item(opening))
            while self.texts[self.at] == ",":
                self.at += 1
                items.append(self.take_item(opening))
            if self.texts[self.at] != "]":
                raise self.unclosed(opening, "vector", "]") or self.unexpected("`,` or `]`")
        self.at += 1
        self.depth -= 1
        return Vector(tuple(items), span=self.span_from(opening))

    def parse_link(self) -> Link:
        """A reference as a value."""
        reference = self.parse_reference()
        return Link(reference, span=reference.span)

    def parse_extends(self) -> Extends:
        """`extends` and its prototypes.  A name that follows is a prototype, not the next attribute."""
        opening = self.at
        self.at += 1
        prototypes: list[Reference | Block] = []
        if self.kinds[self.at] != END and self.texts[self.at] != "}":
            self.parse_prototype(prototypes)
            while self.texts[self.at] == ",":
                self.at += 1
                self.parse_prototype(prototypes)
        return Extends(tuple(prototypes), span=self.span_from(opening))

    def parse_prototype(self, prototypes: list[Reference | Block]) -> None:
        """A reference or a block, added to `prototypes`."""
        if self.kinds[self.at] == NAME:
            prototypes.append(self.parse_reference())
        elif self.texts[self.at] == "{":
            prototypes.append(self.parse_block())
        else:
            raise self.unexpected("a prototype: a name or `{`")

    def parse_block(self) -> Block:
        """`{ ... }`."""
        opening = self.at
        self.enter()
        self.at += 1
        items = tuple(self.parse_items())
        if problem := self.unclosed(opening, "block", "}"):
            if len(self.problems) < MAX_ERRORS and not any(type(earlier) is type(problem) for earlier in self.problems):
                self.report(problem)  # of several open blocks the innermost is named
        else:
            self.at += 1
        self.depth -= 1
        return Block(items, span=self.span_from(opening))

    def parse_reference(self) -> Reference:
        """`name:name:...`."""
        opening = self.at
        name = self.take_name()
        if self.texts[self.at] != ":":
            start = self.starts[opening]
            return Reference((name,), span=Span(self.source, start, start + len(name)))
        names = [name]
        while self.texts[self.at] == ":":
            self.at += 1
            names.append(self.take_name())
        return Reference(tuple(names), span=self.span_from(opening))

    # --- helpers ---

    def report(self, problem: SmartFrogError) -> None:
        """Note an error, unless it only follows from a character on the same line that was reported already."""
        if problem.span is None or problem.span.line not in self.unread_lines:
            self.problems.append(problem)

    def take_name(self) -> str:
        """The name that stands here."""
        if self.kinds[self.at] != NAME:
            raise self.unexpected("a name")
        name = self.texts[self.at]
        if name in RESERVED:
            raise ReservedName(name, self.here())
        self.at += 1
        return name

    def take_item(self, opening: int) -> BasicValue:
        """An element of a vector."""
        if self.kinds[self.at] == END:
            raise self.unclosed(opening, "vector", "]") or self.unexpected("a value")
        if self.kinds[self.at] == NAME and self.texts[self.at] not in RESERVED:
            raise self.unexpected("a value", "a vector holds basic values only: no links, no components")
        return self.parse_basic()

    def enter(self) -> None:
        """Go one level deeper, if that is allowed."""
        self.depth += 1
        if self.depth > self.max_nesting:
            raise LimitReached("nested too deeply", self.max_nesting, self.here(), "the option max_nesting")

    def end_of(self, at: int) -> int:
        """Where token number `at` ends."""
        return self.starts[at] + len(self.texts[at])

    def span_from(self, opening: int) -> Span:
        """From token number `opening` to the last one taken."""
        return Span(self.source, self.starts[opening], self.end_of(self.at - 1))

    def here(self) -> Span:
        """The token that stands here."""
        return Span(self.source, self.starts[self.at], self.end_of(self.at))

    def unexpected(self, expected: str, help: str | None = None) -> SmartFrogError:
        """The error that says what is here and what was expected."""
        text = self.texts[self.at]
        if self.kinds[self.at] == END:
            shown = "the end of the file"
        elif self.kinds[self.at] == STRING:
            shown = "a string"
        else:
            shown = f"`{text if len(text) <= 40 else text[:37] + '...'}`"
        if expected == "`;`" and self.at > 0:  # the place to mend is behind the previous token
            end = self.end_of(self.at - 1)
            return Unexpected(shown, expected, Span(self.source, end - 1, end), help, behind=True)
        return Unexpected(shown, expected, self.here(), help)

    def unclosed(self, opening: int, what: str, closer: str) -> SmartFrogError | None:
        """The error that says that the file ends inside a bracket; nothing if it does not end here."""
        if self.kinds[self.at] != END:
            return None
        opened = Span(self.source, self.starts[opening], self.end_of(opening))
        return UnterminatedBlock(opened, what, closer, self.here())

    def skip_statement(self) -> None:
        """After an error: go behind the next `;` of this block, or stand before its `}`."""
        open_blocks = 0
        while self.kinds[self.at] != END:
            text = self.texts[self.at]
            if text == "{":
                open_blocks += 1
            elif text == "}":
                if open_blocks == 0:
                    return
                open_blocks -= 1
                if open_blocks == 0:
                    self.at += 1
                    return
            elif text == ";" and open_blocks == 0:
                self.at += 1
                return
            self.at += 1

"""Puppet text to tokens.

One compiled regular expression recognises white space, comments and the next token in a single match; the loop in
`Lexer.run` looks at which group matched. The few tokens that no single expression can describe (strings with parts,
heredocs, regular expressions against division, template text) are finished by hand. What depends on context depends on
little: the token before (`/` after an operand divides, `{` after `?` opens a selector), the character before (`[` after
a blank starts a list, `(` at the start of a line starts no call) and, in strings, the braces that are open.

Tokens are kept as four parallel lists (`kinds`, `values`, `starts`, `ends`): a token is an index, and hundreds of
thousands of them cost no object each. The kind of a punctuation mark or keyword is its own text, with these exceptions:

| kind              | token                                          | value                                         |
|-------------------|------------------------------------------------|-----------------------------------------------|
| `NAME`            | `foo`, `foo::bar`, `::foo`                     | the name                                      |
| `WORD`            | a bareword that is no name: `foo-bar`, `_x`    | the word                                      |
| `REF`             | `Foo`, `Foo::Bar`                              | the name as written                           |
| `VAR`             | `$x`, and the bare `x` of `${x}`               | the name without `$`                          |
| `STR` `NUM` `BOOL`| literals                                       | the string; the digits; the truth value       |
| `REGEX`           | `/x/`                                          | the pattern                                   |
| `DQPRE` `DQMID` `DQPOST` | text around the interpolations of a string | the text                                   |
| `HEREDOC`         | `@(END:syntax)`, followed by `STR` or `DQPRE`… | the syntax                                    |
| `L[`  `W(`  `?{`  | list start, `(` first on its line, selector brace | the mark                                   |
| `EPP` `TEXT` `<%=` `%>` | start, text, expression tags of a template | nothing; the text; the tag's offset; the tag  |
| `OTHER`           | a character that starts no token               | nothing                                       |
| `ERROR`           | the lexer's own error; lexing ends here        | a `PuppetError`                               |
| `END`             | the end of the text                            | nothing                                       |

An error is a token and not an exception, because Puppet's parser asks for tokens one by one: a syntax error before the
broken token must win over it.
"""

from __future__ import annotations

import re
from typing import Any

from ...base.diagnostics import Label
from ...base.patterns import compiled
from ...base.source import SourceFile
from ..kernel import issues
from ..kernel.issues import Issue, PuppetError
from .epp import scan_text
from .regexes import regex_trouble
from .strings import HeredocTag, IllegalUnicode, heredoc_body, heredoc_tag, unescape

KEYWORDS = frozenset(
    "case class default define if elsif else inherits node and or undef in unless function type attr private".split()
)
TASK_KEYWORDS = KEYWORDS | {"plan", "apply"}
BOOLEANS = {"true": True, "false": False}

# Tokens after which `/` divides; after anything else it may start a regular expression.
OPERANDS = frozenset(") ] |>> |> NAME WORD REF NUM STR BOOL DQPRE DQMID DQPOST HEREDOC REGEX VAR".split())

MAX_NESTED_HEREDOCS = 100

# Ruby's [[:blank:]] beyond ASCII.
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

NAME, MARK, VAR, SINGLE, DOUBLE, REF, OPEN_LIST, SPECIAL, BARE, NUMBER, NEWLINE, END = range(1, 13)


def _master(blanks: str = "", newline: bool = True, epp: bool = False) -> re.Pattern[str]:
    """The expression for one state: which blanks count, whether line ends are skipped, whether in a template."""
    space = rf"[ \t\r{blanks}\n]" if newline else rf"[ \t\r{blanks}]"
    close = r"-?%>|" if epp else ""
    return compiled(
        rf"""(?xsa)
        {space.replace(" ", chr(92) + " ")}*+
        (?: (?: \#[^\n]*+ | /\*(?:[^*]++|\*(?!/))*+\*/ ) {space.replace(" ", chr(92) + " ")}*+ )*+
        (?: ([a-z]\w*+(?![:\-]))
          | ({close}=>|,|==|;|->|~>|=~|!=|!~|\+>|\+=|-=|\)|\]|<<\||\|>>|<\||\|>|<=|>=|<<|>>|<-|<~|@@
             |[=+.?*%!|<>~]|:(?!:)|-(?!=))
          | (\$(?:(?:::)?(?:\w+::)*\w+)?)
          | ('(?:'(?:\\\\)*+'|(?:[^'\\]++|\\.)*+'))
          | ("(?:[^"\\$]++"|"(?!(?:\\\\)*["$])))
          | ((?:::)?[A-Z]\w*+(?:::[A-Z]\w*+)*+(?!::))
          | (\A\[|(?<=[\ \t\r\n{blanks}])\[)
          | ([{{}}()\["'@/])
          | ((?:::)?[a-z_](?:[\w-]*\w)?(?:::[a-z_](?:[\w-]*\w)?)*)
          | ((?:0[xX][0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE]-?\d+)?)\b)
          | (\n)
          | (\Z)
        )""",
    )


_MASTERS: dict[tuple[bool, bool, bool], re.Pattern[str]] = {}


def _master_for(ascii_only: bool, newline: bool, epp: bool) -> re.Pattern[str]:
    key = (ascii_only, newline, epp)
    if key not in _MASTERS:
        _MASTERS[key] = _master("" if ascii_only else _BLANKS, newline, epp)
    return _MASTERS[key]


_REGEX = compiled(r"/(?:[^/\\]++|\\.)*+/", re.S)
# Puppet takes a quote right at the start for text if another quote or `$` follows: `"${x}"", "` is one string.
_DOUBLE_CHUNK = compiled(r'((?:"(?=(?:\\\\)*["$]))?(?:[^"\\$]++|\\.)*+)("|\$\{?)', re.S)
_VARIABLE = re.compile(r"(?:::)?(?:\w+::)*\w+", re.A)
_LINE_BLANKS = re.compile(r"[ \t\r]+")
_WORD = re.compile(r"\w+", re.A)

_FIRST_WORDS = KEYWORDS | {"NUM", "NAME", "WORD"}


class Stop(Exception):
    """Lexing can not go on; the error is already a token."""


class Lexer:
    """Turns one text into tokens.  `shift` maps offsets of a heredoc's text to offsets of the file."""

    def __init__(
        self, source: SourceFile, text: str | None = None, epp: bool = False, depth: int = 0, tasks: bool = False
    ) -> None:
        self.source = source
        self.keywords = TASK_KEYWORDS if tasks else KEYWORDS
        self.text = source.text if text is None else text
        self.kinds: list[str] = []
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.warnings: list[tuple[int, PuppetError]] = []  # with the index of the token they were found in
        self.depth = depth
        self.braces = 0
        # Open interpolations: brace count outside, index of the first token inside, how the string goes on.
        self.open: list[tuple[int, int, HeredocTag | None]] = []
        self.jump: int | None = None
        self.string_start = 0
        self.string = -1  # index of the first token of the outermost string that is not yet closed
        self.epp = epp
        self.epp_expression = False
        self.epp_open = False

    # --- tokens -------------------------------------------------------------------------------------------------------

    def add(self, kind: str, value: object, start: int, end: int) -> None:
        """Append a token."""
        self.kinds.append(kind)
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)

    def fail(
        self, issue: Issue, at: int, reported: str = "place", begins: Label | None = None, **arguments: Any
    ) -> Stop:
        """Append the error token for `issue` and give the exception that ends lexing.

        Puppet lexes a string with its interpolations as one: an error inside comes instead of the whole string.
        """
        if self.string >= 0:
            for tokens in (self.kinds, self.values, self.starts, self.ends):
                del tokens[self.string :]
        end = min(at + 1, len(self.text))
        problem = PuppetError(issue, self.source.span(at, max(at, end)), begins, reported=reported, **arguments)
        self.add("ERROR", problem, at, at)
        return Stop()

    def run(self) -> Lexer:
        """Lex the whole text."""
        try:
            if self.epp:
                self.add("EPP", "", 0, 0)
                self.scan(self.template(0, False))
                if self.epp_open:
                    raise self.fail(issues.EPP_UNBALANCED_TAG, len(self.text))
            else:
                self.check_byte_order_mark()
                self.scan(0)
        except Stop:
            pass
        self.add("END", None, len(self.text), len(self.text))
        return self

    def check_byte_order_mark(self) -> None:
        """Puppet refuses a text that still has its byte order mark."""
        if self.text.startswith("\ufeff"):
            problem = PuppetError(
                issues.ILLEGAL_BOM, self.source.span(0, 1), format="UTF-8", bom="[EF BB BF]", reported="nothing"
            )
            self.add("ERROR", problem, 0, 0)
            raise Stop

    def scan(self, position: int) -> None:
        """The loop.  Everything that one match can not settle is handed to a method that returns where to go on."""
        text = self.text
        ascii_only = text.isascii()
        plain = _master_for(ascii_only, True, self.epp)
        match = plain.match
        add_kind, add_value = self.kinds.append, self.values.append
        add_start, add_end = self.starts.append, self.ends.append
        keywords = self.keywords
        opened = self.open
        while True:
            token = match(text, position)
            if token is None:
                position = self.unmatched(position)
                continue
            group = token.lastindex
            assert group is not None  # every alternative is a group
            start, position = token.span(group)
            if group == NAME:
                value = token[NAME]
                if value in keywords:
                    add_kind(value)
                    add_value(value)
                elif value in BOOLEANS:
                    add_kind("BOOL")
                    add_value(BOOLEANS[value])
                else:
                    add_kind("NAME")
                    add_value(value)
            elif group == MARK:
                value = token[MARK]
                if self.epp and value[-2:] == "%>":
                    if self.epp_expression:
                        self.add("%>", value, start, position)
                    position = self.template(position, value[0] == "-")
                    continue
                add_kind(value)
                add_value(value)
            elif group == VAR:
                add_kind("VAR")
                add_value(text[start + 1 : position])
            elif group == SINGLE:
                value = text[start + 1 : position - 1]
                if "\\" in value:
                    value = _SINGLE_ESCAPE.sub(r"\1", value)
                add_kind("STR")
                add_value(value)
            elif group == DOUBLE:
                add_kind("STR")
                add_value(text[start + 1 : position - 1])
            elif group == REF:
                add_kind("REF")
                add_value(token[REF])
            elif group == SPECIAL:
                value = text[start]
                if value == "{":
                    self.braces += 1
                    add_kind("?{" if self.kinds and self.before() == "?" else "{")
                elif value == "}":
                    self.braces -= 1
                    if opened and opened[-1][0] == self.braces:
                        position = self.close_interpolation(start)
                        match = (plain if self.jump is None else _master_for(ascii_only, False, self.epp)).match
                        continue
                    add_kind("}")
                elif value == "(":
                    add_kind("W(" if self.first_on_line(start) else "(")
                elif value == "[":
                    add_kind("[")
                else:
                    position = self.special(value, start)
                    match = (plain if self.jump is None else _master_for(ascii_only, False, self.epp)).match
                    continue
                add_value(value)
            elif group == OPEN_LIST:
                add_kind("L[")
                add_value("[")
            elif group == BARE:
                value = token[BARE]
                if "-" in value or value[0] == "_" or "::_" in value:
                    add_kind("WORD")
                    add_value(value)
                elif value in keywords:
                    add_kind(value)
                    add_value(value)
                elif value in BOOLEANS:
                    add_kind("BOOL")
                    add_value(BOOLEANS[value])
                else:
                    add_kind("NAME")
                    add_value(value)
            elif group == NUMBER:
                value = token[NUMBER]
                if value[0] == "0" and len(value) > 1 and not _NUMBER.fullmatch(value):
                    raise self.fail(issues.INVALID_OCTAL_NUMBER, start, value=value)
                add_kind("NUM")
                add_value(value)
            elif group == NEWLINE:  # only while heredocs wait: their texts lie between this line end and the next line
                position = self.jump if self.jump is not None else position
                self.jump = None
                match = plain.match
                continue
            else:
                if opened and opened[-1][2] is not None:  # Puppet lets the end of a heredoc close its last `${`
                    opened.pop()
                    self.add("DQPOST", "", len(text), len(text))
                    return
                if opened:
                    raise self.unclosed(len(text), self.last_match(opened[-1][1], len(text)))
                return
            add_start(start)
            add_end(position)

    def before(self) -> str:
        """The kind of the token before; where an interpolation starts Puppet still sees the one before the string."""
        kinds = self.kinds
        if not kinds:
            return ""
        if kinds[-1] == "DQPRE":
            return kinds[-2] if len(kinds) > 1 else ""
        return "}" if kinds[-1] == "DQMID" else kinds[-1]

    def first_on_line(self, start: int) -> bool:
        """Whether only blanks stand before `start` on its line."""
        text = self.text
        start -= 1
        while start >= 0 and text[start] in " \t\r":
            start -= 1
        return start < 0 or text[start] == "\n"

    # --- what one match can not settle --------------------------------------------------------------------------------

    def unmatched(self, position: int) -> int:
        """No token starts here: say why, as Puppet does, or make the stray character a token."""
        text = self.text
        position = _skip(text, position)
        letter = text[position]
        if letter in "0123456789":
            raise self.bad_number(position)
        if text.startswith("::", position) or "A" <= letter <= "Z":
            qualified = letter == ":"
            name = _REFERENCE.match(text, position)
            if name is not None:
                if qualified:
                    raise self.fail(issues.ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE, name.end() + 3)
                raise self.fail(issues.ILLEGAL_CLASS_REFERENCE, name.end() + 1)
            raise self.fail(issues.ILLEGAL_FULLY_QUALIFIED_NAME, position + 2)
        self.add("OTHER", "", position, position + 1)
        return position + 1

    def bad_number(self, start: int) -> Stop:
        """A digit that starts no number: find all of the would-be number, the digits before a dot included."""
        text = self.text
        word = _WORD.match(text, start)
        end = word.end() if word else start + 1
        if start > 1 and text[start - 1] == ".":
            while start - 2 >= 0 and text[start - 2].isdecimal():
                start -= 1
            if text[start - 1] != ".":
                start -= 1
            elif start - 2 >= 0 and text[start - 2].isdecimal():
                start -= 2
        value = text[start:end]
        if value[:2] in ("0x", "0X"):
            return self.fail(issues.INVALID_HEX_NUMBER, start, value=value)
        if len(value) > 1 and value[0] == "0" and value[1] != ".":
            return self.fail(issues.INVALID_OCTAL_NUMBER, start, value=value)
        if _DECIMAL.match(value):
            return self.fail(issues.INVALID_DECIMAL_NUMBER, start, value=value)
        return self.fail(issues.ILLEGAL_NUMBER, start, value=value)

    def special(self, letter: str, start: int) -> int:
        """A quote that needs more than one match, `@` or `/`."""
        if letter == '"':
            if not self.open:
                self.string = len(self.kinds)
                self.string_start = start
            return self.double_quoted(start, start + 1, "DQPRE", '"')
        if letter == "'":
            begins = Label(self.source.span(start, start + 1), "the string begins here")
            followed = self.followed_by(start + 1)
            raise self.fail(issues.UNCLOSED_QUOTE, start + 1, begins=begins, after='"\'"', followed_by=followed)
        if letter == "@":
            if self.text.startswith("(", start + 1):
                return self.heredoc(start)
            self.add("@", "@", start, start + 1)
            return start + 1
        if self.text.startswith("*", start + 1):
            raise self.fail(issues.UNCLOSED_MLCOMMENT, start)
        return self.slash(start)

    def slash(self, start: int) -> int:
        """A regular expression where an operand may stand, else a division."""
        regex = _REGEX.match(self.text, start) if self.before() not in OPERANDS else None
        if regex is None:
            self.add("/", "/", start, start + 1)
            return start + 1
        pattern = regex[0][1:-1].replace("\\/", "/")
        trouble = regex_trouble(pattern)
        if trouble is not None:
            raise self.fail(issues.BAD_REGEX, start, detail=trouble, reported="nothing")
        self.add("REGEX", pattern, start, regex.end())
        return regex.end()

    def followed_by(self, at: int) -> str:
        """The next few characters, as Puppet shows them."""
        if at >= len(self.text):
            return "<eof>"
        shown = self.text[at : at + 5] + "..."
        return shown.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")

    # --- strings with parts -------------------------------------------------------------------------------------------

    def double_quoted(self, start: int, position: int, kind: str, last: str | int) -> int:
        """Text of a double-quoted string from `position` to the next interpolation or to the end of the string.

        `start` is where the token begins: at the opening quote or where the text goes on after an interpolation.
        `last` is what came before, for the error if there is no end: the text, or the token that began `${...}`.
        """
        parts: list[str] = []
        while True:
            match = _DOUBLE_CHUNK.match(self.text, position)
            if match is None:
                raise self.unclosed(position, last if isinstance(last, str) else self.last_match(last, position - 1))
            chunk, mark = match.groups()
            position = match.end()
            if "\\" in chunk:
                chunk = self.unescape(chunk, None, position)
            parts.append(chunk)
            if mark == '"':
                whole = "STR" if kind == "DQPRE" else "DQPOST"
                self.add(whole, "".join(parts), start, position)
                if not self.open:
                    self.string = -1
                return position
            if mark == "${":
                self.add(kind, "".join(parts), start, position)
                return self.open_interpolation(position, None)
            name = _VARIABLE.match(self.text, position)
            if name is not None:
                self.add(kind, "".join(parts), start, position - 1)
                self.add("VAR", name[0], position - 1, name.end())
                start, position, kind, parts, last = name.end(), name.end(), "DQMID", [], name[0]
            else:
                parts.append("$")
                last = ""

    def unescape(self, chunk: str, escapes: frozenset[str] | None, position: int) -> str:
        """The meaning of `chunk`, which ends at `position`."""

        def warn(issue: Issue, **arguments: Any) -> None:
            span = self.source.span(position)
            token = self.string if self.string >= 0 else len(self.kinds)
            self.warnings.append((token, PuppetError(issue, span, severity="warning", **arguments)))

        try:
            return unescape(chunk, escapes, warn)
        except IllegalUnicode:
            raise self.fail(issues.ILLEGAL_UNICODE_ESCAPE, position) from None

    def open_interpolation(self, position: int, heredoc: HeredocTag | None) -> int:
        """After `${`: remember how to go on at the closing brace."""
        self.open.append((self.braces, len(self.kinds), heredoc))
        self.braces += 1
        return position

    def close_interpolation(self, brace: int) -> int:
        """At the `}` of `${...}`: a lone word, or one before `.` or `[`, means a variable; then the text goes on."""
        _, first, heredoc = self.open.pop()
        count = len(self.kinds) - first
        if count == 1 or (count > 1 and self.kinds[first + 1] in (".", "[")):
            if self.kinds[first] in _FIRST_WORDS:
                self.kinds[first] = "VAR"
        if heredoc is not None:
            return self.heredoc_text(heredoc, brace + 1, brace + 1, "DQMID")
        return self.double_quoted(brace + 1, brace + 1, "DQMID", first)

    def unclosed(self, at: int, last: str) -> Stop:
        """The error for a string that does not end.  Puppet names what its scanner matched last."""
        after = '"\'"' if last == "'" else f"'{last}'"
        begins = None
        if self.string >= 0 and self.string_start != at - 1:
            begins = Label(self.source.span(self.string_start, self.string_start + 1), "the string begins here")
        return self.fail(issues.UNCLOSED_QUOTE, at, begins=begins, after=after, followed_by=self.followed_by(at))

    def last_match(self, first: int, end: int) -> str:
        """What Puppet's scanner has matched last between `${` and `end`, from token `first` on.

        It matches words, quotes and blanks; marks do not count, and a failed attempt at blanks leaves nothing.
        """
        position = self.ends[first - 1]
        blanks = _LINE_BLANKS.match(self.text, position)
        matched = blanks[0] if blanks else ""
        position += len(matched)
        for index in range(first, len(self.kinds)):
            start, stop = self.starts[index], self.ends[index]
            matched = self.last_in_gap(position, start, matched)
            kind = self.kinds[index]
            if kind in ("STR", "DQPOST"):
                matched = self.text[max(stop - 2, start + (kind == "STR")) : stop]
            elif kind == "VAR" or self.text[start].isalnum() or self.text[start] in "_:":
                matched = self.text[start:stop] if self.text[start:stop] != "$" else ""
            position = stop
        return self.last_in_gap(position, end, matched)

    def last_in_gap(self, position: int, end: int, matched: str) -> str:
        """As `last_match`, over the white space and comments between two tokens."""
        while position < end:
            letter = self.text[position]
            if letter in " \t\r":
                blanks = _LINE_BLANKS.match(self.text, position)
                position = blanks.end() if blanks else position + 1
                matched = ""
                continue
            if letter == "\n":
                position += 1
            else:
                stop = self.text.find("*/" if self.text.startswith("/*", position) else "\n", position)
                position = end if stop < 0 else stop + (2 if letter == "/" else 0)
            blanks = _LINE_BLANKS.match(self.text, position, end)
            matched = blanks[0] if blanks else ""
            position += len(matched)
        return matched

    # --- heredocs -----------------------------------------------------------------------------------------------------

    def heredoc(self, start: int) -> int:
        """`@(TAG)`: find its text below this line, lex it on its own and put its tokens here."""
        tag = heredoc_tag(self, start)
        if self.depth >= MAX_NESTED_HEREDOCS:
            raise self.fail(issues.NESTED_TOO_DEEPLY, start, limit=MAX_NESTED_HEREDOCS)
        body = heredoc_body(self, tag, self.jump)
        self.jump = body.next_line
        self.add("HEREDOC", tag.syntax, start, tag.end)
        inner = Lexer(self.source, body.text, depth=self.depth + 1, tasks=self.keywords is TASK_KEYWORDS)
        try:
            position = inner.heredoc_text(tag, 0, 0, "DQPRE")
            if inner.open:
                inner.scan(position)
        except Stop:
            pass
        token = self.string if self.string >= 0 else len(self.kinds) - 1
        self.warnings += [(token, problem) for _, problem in inner.warnings]
        if inner.kinds[-1] == "ERROR":
            problem = inner.values[-1]
            where = problem.labels[0].span
            problem.labels[0].span = self.source.span(body.outside(where.start), body.outside(where.end))
            first = self.string if self.string >= 0 else len(self.kinds) - 1
            for tokens in (self.kinds, self.values, self.starts, self.ends):
                del tokens[first:]
            self.add("ERROR", problem, start, start)
            raise Stop
        self.kinds += inner.kinds
        self.values += inner.values
        self.starts += [body.outside(at) for at in inner.starts]
        self.ends += [body.outside(at) for at in inner.ends]
        return tag.end

    def heredoc_text(self, tag: HeredocTag, start: int, position: int, kind: str) -> int:
        """Text of a heredoc from `position` to the next interpolation or to its end."""
        text = self.text
        parts: list[str] = []
        while True:
            match = tag.chunk.match(text, position)
            if match is None:  # the text ends in an escape that escapes nothing
                raise self.fail(issues.HEREDOC_WITHOUT_END_TAGGED_LINE, position)
            chunk, mark = match.groups()
            position = match.end()
            if tag.escapes and "\\" in chunk:
                chunk = self.unescape(chunk, tag.escapes, position)
            parts.append(chunk)
            if not mark:
                self.add("STR" if kind == "DQPRE" else "DQPOST", "".join(parts), start, position)
                return position
            if mark == "${":
                self.add(kind, "".join(parts), start, position)
                return self.open_interpolation(position, tag)
            name = _VARIABLE.match(text, position)
            if name is not None:
                self.add(kind, "".join(parts), start, position - 1)
                self.add("VAR", name[0], position - 1, name.end())
                start, position, kind, parts = name.end(), name.end(), "DQMID", []
            else:
                parts.append("$")

    # --- templates ----------------------------------------------------------------------------------------------------

    def template(self, position: int, trim: bool) -> int:
        """Literal text of a template from `position`, up to the next tag or the end."""
        chunk = scan_text(self.text, position, trim)
        if chunk.issue is not None:
            raise self.fail(chunk.issue, chunk.end)
        if chunk.text or (chunk.text is not None and not chunk.tag):
            self.add("TEXT", chunk.text, position, chunk.end)
        self.epp_open = bool(chunk.tag)
        self.epp_expression = chunk.tag == "="
        if self.epp_expression:
            self.add("<%=", chunk.end - 3, position, chunk.end)
        return chunk.end


_SINGLE_ESCAPE = re.compile(r"\\([\\'])")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|0[0-7]+|0\.\d+(?:[eE]-?\d+)?", re.A)
_DECIMAL = re.compile(r"\d+[eE.]", re.A)
_REFERENCE = re.compile(r"(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*", re.A)


def _skip(text: str, position: int) -> int:
    """Past white space and comments."""
    match = _SKIP.match(text, position)
    return match.end() if match else position


_SKIP = compiled(
    rf"[ \t\r\n{_BLANKS}]*+(?:(?:#[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)[ \t\r\n{_BLANKS}]*+)*+",
)

r"""Ruby's regular expressions (Onigmo syntax), parsed into a tree and written for Python's `re`.

| Ruby                              | Python                                                                       |
|-----------------------------------|------------------------------------------------------------------------------|
| `^` `$`                           | ends of lines, always; `^` not after the newline that ends the text          |
| `\A` `\z` `\Z`                    | `\A`, `\Z`, `(?=\n?\Z)`                                                     |
| `.` and `(?m)`                    | `.` and `(?s)`                                                               |
| `\w \d \s \h`                     | ASCII classes; `\b` stays, it knows Unicode in both                          |
| `[[:alpha:]]` `\p{Lu}`            | Unicode classes, by ranges where Python has no name for them                 |
| `[a-z&&[^aeiou]]`, nested classes | alternatives and lookaheads                                                  |
| `(?<n>...)` `\k<n>` `\g<n>`       | named groups; calls are written out; plain groups beside them do not capture |
| `(?i)` in the middle              | `(?i:...)` to the end of the enclosing group, alternatives included          |
| `(?>...)` `a++` `a{1,2}+`         | atomic groups, possessive repeats; `{1,2}+` is a repeat of a repeat          |
| `(?<=ab|c)`                       | one lookbehind for each alternative                                          |
| `(?x)`                            | blanks and comments are left out here                                        |

What cannot be carried over (`\K`, `\G`, `\X`, the absent operator, recursive calls, scripts as properties) is refused
with `BadRegex`; what is wrong in Ruby as well has Ruby's words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .tree import (
    LINE_START,
    Alt,
    Backref,
    BadRegex,
    Chars,
    Conditional,
    Empty,
    Group,
    Look,
    Mark,
    Node,
    Repeat,
    Seq,
    uncaptured,
    write,
)

MAXIMUM_REPEAT = 100_000
MAXIMUM_DEPTH = 250
MAXIMUM_LENGTH = 100_000


_MARKS = {"A": r"\A", "z": r"\Z", "Z": r"(?=\n?\Z)", "b": r"\b", "B": r"\B"}
_CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_", "s": r" \t\r\n\f\v", "h": "0-9a-fA-F"}
_UNICODE_CLASSES = {"d": r"\d", "w": r"\w", "s": r"\s", "h": "0-9a-fA-F"}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_LINE_BREAK = r"(?>\r\n|[\n\v\f\r\x85\u2028\u2029])"
# The text of a bracket expression inside of [...], or, after `!`, of its complement.
_POSIX = {
    "alnum": "!\\W_",
    "alpha": "!\\W\\d_",
    "digit": r"\d",
    "word": r"\w",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
    "cntrl": r"\x00-\x1f\x7f-\x9f",
    "ascii": r"\x00-\x7f",
    "blank": r" \t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000",
}
_BY_CATEGORY = {
    "upper": ("Lu",),
    "lower": ("Ll",),
    "punct": ("P", "+", "$"),
    "graph": ("L", "M", "N", "P", "S"),
    "print": ("L", "M", "N", "P", "S", "Zs"),
}
_SCRIPTS = frozenset(
    "arabic armenian bengali common cyrillic devanagari georgian greek han hangul hebrew hiragana katakana latin "
    "thai".split()
)
_COUNT = re.compile(r"\{(?:(\d+)(,?)(\d*)|,(\d+))\}")
_CATEGORY = re.compile(r"[LMNPSZC][a-z]?")


@lru_cache(maxsize=256)
def category_ranges(categories: tuple[str, ...]) -> str:
    """The characters of some Unicode categories (basic plane), as the inside of a Python class."""
    from unicodedata import category

    # "+" and "$" stand for the ASCII symbols that POSIX counts as punctuation
    ascii_symbols = "$+<=>^`|~" if "+" in categories else ""
    wanted = tuple(letters for letters in categories if letters.isalpha())
    ranges: list[list[int]] = []
    for code in range(0x10000):
        char = chr(code)
        if category(char).startswith(wanted) or char in ascii_symbols:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"\\u{a:04x}" if a == b else f"\\u{a:04x}-\\u{b:04x}" for a, b in ranges)


class RubyPatternParser:
    """Recursive descent over the source; flags in force are kept per group."""

    def __init__(self, source: str, named: bool | None = None) -> None:
        self.source = source
        self.at = 0
        self.groups = 0
        self.depth = 0
        self.names: dict[str, int] = {}
        self.bodies: dict[str, Node] = {}
        self.calls: set[str] = set()
        self.backrefs: list[str] = []
        self.incomplete: str | None = None
        # Beside named groups, plain ones do not capture.
        self.named = bool(re.search(r"(?<!\\)\(\?<[A-Za-z_]", source)) if named is None else named
        self.extended = False
        self.unicode = False

    def fail(self, words: str) -> BadRegex:
        return BadRegex(f"{words}: /{self.source}/")

    def cannot(self, what: str) -> BadRegex:
        return BadRegex(f"{what} is not supported in regular expressions here: /{self.source}/")

    def parse(self) -> Node:
        if len(self.source) > MAXIMUM_LENGTH:
            raise BadRegex(f"regular expression too long ({len(self.source):,} characters)")
        node = self.alternatives()
        if self.at < len(self.source):
            raise self.fail("unmatched close parenthesis")
        for backref in self.backrefs:
            if backref.isdigit() and int(backref) > self.groups:
                raise self.fail("invalid backref number/name")
        if self.incomplete is not None:
            raise self.cannot(f"\\{self.incomplete} (a reference to a group that is not complete)")
        return node

    def peek(self, count: int = 1) -> str:
        return self.source[self.at : self.at + count]

    def alternatives(self) -> Node:
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise self.fail("too deep nest level")
        extended, unicode = self.extended, self.unicode
        options = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            options.append(self.sequence())
        self.extended, self.unicode = extended, unicode
        self.depth -= 1
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            char = self.source[self.at]
            if self.extended and char.isspace():
                self.at += 1
                continue
            if self.extended and char == "#":
                end = self.source.find("\n", self.at)
                self.at = len(self.source) if end < 0 else end + 1
                continue
            item = self.item()
            if item is not None:
                parts.append(self.quantified(item))
        return parts[0] if len(parts) == 1 else Seq(tuple(parts)) if parts else Empty()

    # --- repeats

    def quantified(self, item: Node) -> Node:
        while True:
            if self.extended:
                while self.peek().isspace():
                    self.at += 1
            char = self.peek()
            if char and char in "*+?":
                self.at += 1
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
                mode = self.peek() if self.peek() in ("?", "+") else ""
                self.at += len(mode)
                item = Repeat(item, low, high, mode)
                continue
            match = _COUNT.match(self.source, self.at)
            if match is None:
                return item
            self.at = match.end()
            if match[4] is not None:
                low, high = 0, int(match[4])
            else:
                low = int(match[1])
                high = low if not match[2] else int(match[3]) if match[3] else None
            if low > MAXIMUM_REPEAT or (high or 0) > MAXIMUM_REPEAT:
                raise self.fail("too big number for repeat range")
            if high is not None and high < low:
                raise self.fail("upper is smaller than lower in repeat range")
            exact = match[4] is None and not match[2]
            mode = "?" if self.peek() == "?" and not exact else ""
            self.at += len(mode)
            item = Repeat(item, low, high, mode)

    # --- single items

    def item(self) -> Node | None:
        char = self.source[self.at]
        self.at += 1
        if char == "(":
            return self.group()
        if char == "[":
            return self.bracket()
        if char == "\\":
            return self.escape()
        if char == ".":
            return Chars(".")
        if char == "^":
            return Mark(LINE_START)
        if char == "$":
            return Mark("(?m:$)")
        if char in "*+?" or (char == "{" and _COUNT.match(self.source, self.at - 1)):
            raise self.fail("target of repeat operator is not specified")
        return literal(char)

    def escape(self) -> Node:
        if self.at >= len(self.source):
            raise self.fail("too short escape sequence")
        char = self.source[self.at]
        self.at += 1
        if char in _MARKS:
            return Mark(_MARKS[char])
        if char.lower() in _CLASSES:
            inside = (_UNICODE_CLASSES if self.unicode else _CLASSES)[char.lower()]
            return Chars(f"[{'^' if char.isupper() else ''}{inside}]")
        if char == "R":
            return Chars(_LINE_BREAK)
        if char in "pP":
            return self.property_node(char == "P")
        if char in "KGXy":
            raise self.cannot(f"\\{char}")
        if char in "123456789":
            match = re.compile(r"[0-9]+").match(self.source, self.at - 1)
            assert match is not None
            if len(match[0]) == 1 or int(match[0]) <= self.groups:
                self.at = match.end()
                return self.backref(match[0])
        if char == "k":
            return self.backref(self.reference())
        if char == "g":
            return self.call(self.reference())
        self.at -= 1
        return literal(self.character())

    def character(self) -> str:
        """The character that an escape stands for, inside and outside of classes."""
        char = self.source[self.at]
        self.at += 1
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "x":
            match = re.compile(r"[0-9a-fA-F]{1,2}").match(self.source, self.at)
            if match is None:
                raise self.fail("invalid hex escape")
            self.at = match.end()
            return chr(int(match[0], 16))
        if char == "u":
            match = re.compile(r"([0-9a-fA-F]{4})|\{\s*([0-9a-fA-F]{1,6})\s*\}").match(self.source, self.at)
            code = int(match[1] or match[2], 16) if match is not None else -1
            if match is None or code > 0x10FFFF:
                raise self.fail("invalid Unicode escape")
            self.at = match.end()
            return chr(code)
        if char == "c" or self.source[self.at - 1 : self.at + 1] == "C-":
            self.at += char == "C"
            if not self.peek():
                raise self.fail("too short control sequence")
            control = self.peek()
            self.at += 1
            return chr(ord(control) & 0x1F)
        if char in "01234567":
            match = re.compile(r"[0-7]{1,3}").match(self.source, self.at - 1)
            assert match is not None
            self.at = match.end()
            return chr(int(match[0], 8) & 0xFF)
        return char

    def reference(self) -> str:
        match = re.compile(r"<([^>]+)>|'([^']+)'").match(self.source, self.at)
        if match is None:
            raise self.fail("invalid group name <>")
        self.at = match.end()
        return match[1] or match[2]

    def backref(self, name: str) -> Node:
        if re.fullmatch(r"-\d+", name):
            name = str(self.groups + 1 + int(name))
        if name.isdigit() and self.named:
            raise self.fail("numbered backref/call is not allowed. (use name)")
        if not name.isdigit() and name not in self.names:
            raise self.fail(f"undefined name <{name}> reference")
        self.backrefs.append(name)
        if name not in self.bodies:
            # A group that is not complete: an error at the end, if there is none of that number.
            self.incomplete = self.incomplete or name
        return Backref(name)

    def call(self, name: str) -> Node:
        """`\\g<name>`: the group's pattern once more.  A call of a group from inside of it is recursive."""
        body = self.bodies.get(name)
        if body is None:
            raise self.cannot(f"\\g<{name}> (a call of a group that is not complete)")
        return Group(uncaptured(body))

    def property_node(self, negated: bool) -> Node:
        inside = self.property_class(negated)
        return Chars(f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]")

    def property_class(self, negated: bool) -> str:
        """`\\p{Name}` as the inside of a class, or of its complement after `!`."""
        match = re.compile(r"\{(\^?)([^}]*)\}").match(self.source, self.at)
        if match is None:
            raise self.fail("invalid character property name {p}")
        self.at = match.end()
        inside = self.named_class(match[2])
        if inside is None:
            if match[2].lower() in _SCRIPTS:
                raise self.cannot(f"\\p{{{match[2]}}} (a script)")
            raise self.fail(f"invalid character property name {{{match[2]}}}")
        return complement(inside) if negated != bool(match[1]) else inside

    def named_class(self, name: str) -> str | None:
        known = _POSIX.get(name.lower())
        if known is not None:
            return known
        if name.lower() in _BY_CATEGORY:
            return category_ranges(_BY_CATEGORY[name.lower()])
        short = {"Letter": "L", "Mark": "M", "Number": "N", "Punctuation": "P", "Symbol": "S", "Separator": "Z"}
        wanted = short.get(name.capitalize(), name)
        return category_ranges((wanted,)) if _CATEGORY.fullmatch(wanted) else None

    # --- groups

    def group(self) -> Node | None:
        if self.peek() != "?":
            if self.named:
                return self.close(Group(self.alternatives()))
            self.groups += 1
            number = self.groups
            body = self.alternatives()
            self.bodies[str(number)] = body
            return self.close(Group(body, number))
        self.at += 1
        rest = self.source[self.at : self.at + 2]
        if rest[:1] == "#":
            end = self.source.find(")", self.at)
            if end < 0:
                raise self.fail("end pattern in group")
            self.at = end + 1
            return None
        for kind in ("<=", "<!", "=", "!", ">"):
            if rest.startswith(kind):
                self.at += len(kind)
                return self.close(Look(kind, self.alternatives()))
        if rest[:1] == ":":
            self.at += 1
            return self.close(Group(self.alternatives()))
        if rest[:1] in ("<", "'"):
            return self.named_group()
        if rest[:1] == "(":
            return self.conditional()
        if rest[:1] == "~":
            raise self.cannot("the absent operator (?~...)")
        return self.options()

    def close(self, node: Node) -> Node:
        if self.peek() != ")":
            raise self.fail("end pattern with unmatched parenthesis")
        self.at += 1
        return node

    def named_group(self) -> Node:
        match = re.compile(r"(?:<([A-Za-z_]\w*)>|'([A-Za-z_]\w*)')").match(self.source, self.at)
        if match is None:
            name = re.compile(r"[<']([^>')]*)").match(self.source, self.at)
            raise self.fail(f"invalid group name <{name[1] if name else ''}>")
        self.at = match.end()
        name_text = match[1] or match[2]
        self.groups += 1
        number = self.groups
        again = name_text in self.names
        self.names.setdefault(name_text, number)
        body = self.alternatives()
        self.bodies[name_text] = self.bodies[str(number)] = body
        return self.close(Group(body, number, None if again else name_text))

    def conditional(self) -> Node:
        match = re.compile(r"\((?:<([^>]+)>|'([^']+)'|(\d+))\)").match(self.source, self.at)
        if match is None:
            raise self.fail("invalid conditional pattern")
        self.at = match.end()
        name = match[1] or match[2] or match[3]
        body = self.alternatives()
        options = body.options if isinstance(body, Alt) else (body, Empty())
        if len(options) > 2:
            raise self.fail("invalid conditional pattern")
        return self.close(Conditional(name, options[0], options[1]))

    def options(self) -> Node:
        match = re.compile(r"([imxadu]*)(?:-([imx]*))?([:)])").match(self.source, self.at)
        if match is None:
            if ")" not in self.source[self.at :]:
                raise self.fail("end pattern in group")
            raise self.fail("undefined group option")
        self.at = match.end()
        on, off = match[1], match[2] or ""
        extended, unicode = self.extended, self.unicode
        if "x" in on:
            self.extended = True
        if "x" in off:
            self.extended = False
        if "u" in on:
            self.unicode = True
        body = self.alternatives_with_flags()
        self.extended, self.unicode = extended, unicode
        flags = _python_flags(on, off)
        node = Group(body, flags=flags)
        # `(?i)` reaches to the end of the enclosing group, which closes itself.
        return self.close(node) if match[3] == ":" else node

    def alternatives_with_flags(self) -> Node:
        return self.alternatives()

    # --- classes

    def bracket(self) -> Node:
        """`[...]`, after the opening bracket."""
        return Chars(self.class_source())

    def class_source(self) -> str:
        """A class as a Python pattern for one character."""
        negated = self.peek() == "^"
        self.at += negated
        operands: list[str] = []
        simple = ""
        others: list[str] = []
        first = True
        while True:
            if self.at >= len(self.source):
                raise self.fail("premature end of char-class")
            char = self.source[self.at]
            if char == "]":
                if not first or (first and "]" not in self.source[self.at + 1 :]):
                    if first:
                        raise self.fail("empty char-class")
                    self.at += 1
                    break
            if self.peek(2) == "&&":
                self.at += 2
                operands.append(_one_of(simple, others))
                simple, others = "", []
                first = False
                continue
            first = False
            if self.peek(2) == "[:":
                posix = re.compile(r"\[:(\^?)(\w+):\]").match(self.source, self.at)
                if posix is not None:
                    inside = self.named_class(posix[2])
                    if inside is None:
                        raise self.fail("invalid POSIX bracket type")
                    self.at = posix.end()
                    simple, others = _add(complement(inside) if posix[1] else inside, simple, others)
                    continue
            if char == "[":
                self.at += 1
                others = [*others, self.class_source()]
                continue
            low = self.class_member()
            if isinstance(low, str) and len(low) != 1:
                simple, others = _add(low[1:] if low.startswith("=") else low, simple, others)
                continue
            if self.peek() == "-" and self.peek(2) not in ("-]", "-") and self.peek(3)[1:] != "&&":
                self.at += 1
                if self.peek() == "[":
                    simple += re.escape(low) + "\\-"
                    continue
                high = self.class_member()
                if len(high) != 1:
                    raise self.fail("char-class value at end of range")
                if high < low:
                    raise self.fail("empty range in char class")
                simple += f"{_class_char(low)}-{_class_char(high)}"
            else:
                simple += _class_char(low)
        operands.append(_one_of(simple, others))
        source = "".join(f"(?={operand})" for operand in operands[:-1]) + operands[-1]
        if not negated:
            return source if len(operands) == 1 else f"(?:{source})"
        if len(operands) == 1 and not others:
            return f"[^{simple}]"
        return f"(?:(?!{source})[\\s\\S])"

    def class_member(self) -> str:
        """One character; or, longer than that (marked with `=` if need be), the inside of a class."""
        char = self.source[self.at]
        self.at += 1
        if char != "\\":
            return char
        if self.at >= len(self.source):
            raise self.fail("premature end of char-class")
        letter = self.source[self.at]
        if letter.lower() in _CLASSES:
            self.at += 1
            inside = (_UNICODE_CLASSES if self.unicode else _CLASSES)[letter.lower()]
            return "=" + (complement(inside) if letter.isupper() else inside)
        if letter in "pP":
            self.at += 1
            return "=" + self.property_class(letter == "P")
        if letter == "b":
            self.at += 1
            return "\b"
        if letter == "R":
            self.at += 1
            return "R"
        return self.character()


def literal(char: str) -> Chars:
    """One character as itself."""
    return Chars(re.escape(char), frozenset(char))


def complement(inside: str) -> str:
    """The inside of the opposite class; `!` marks a complement."""
    return inside[1:] if inside.startswith("!") else "!" + inside


def _add(inside: str, simple: str, others: list[str]) -> tuple[str, list[str]]:
    if inside.startswith("!"):
        return simple, [*others, f"[^{inside[1:]}]"]
    return simple + inside, others


def _one_of(simple: str, others: list[str]) -> str:
    options = ([f"[{simple}]"] if simple else []) + others
    if not options:
        return "(?!)"
    return options[0] if len(options) == 1 else f"(?:{'|'.join(options)})"


def _class_char(char: str) -> str:
    return "\\" + char if char in r"\]^-[&~|" else char if char >= " " else f"\\x{ord(char):02x}"


def _python_flags(on: str, off: str) -> str:
    enabled = "".join({"i": "i", "m": "s"}.get(option, "") for option in dict.fromkeys(on))
    disabled = "".join({"i": "i", "m": "s"}.get(option, "") for option in dict.fromkeys(off))
    return enabled + (f"-{disabled}" if disabled else "")


def translate(source: str) -> tuple[str, Node]:
    """The Python pattern for a Ruby pattern, and its tree."""
    tree = RubyPatternParser(source).parse()
    return write(tree), tree

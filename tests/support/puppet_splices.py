"""Programs spliced from real ones: a part of a recorded program is replaced by a part of another, or changed a little.

Donors are the programs that real Puppet has answered about (`tests/oracle/puppet_corners*.jsonl`) and, where they are
installed, the manifests of Debian's modules. A program is read by the parser, an expression in it is chosen and the
text of an expression of another program is put in its place, so that what comes out has the grammar's shape but says
what nobody wrote: a condition where a title was, a lambda's body as a default. Mutations change numbers, words and
operators, drop a statement or say it twice.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.parser import parse

HERE = Path(__file__).resolve().parent
MODULES = Path("/usr/share/puppet/modules")
LONGEST = 1_500
_OPERATORS = ("+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "=~", "<<", "%")
_OPERATOR = re.compile(r" (\+|-|\*|/|==|!=|<|>|<=|>=|and|or|in|=~|<<|%) ")
_NUMBER = re.compile(r"(?<![\w.'\"$])\d+(?![\w.])")
_ENDLESS = re.compile(r"\b(?:Array|Iterator|Iterable)\b.*\d{9}|\d{9}.*\bArray\b", re.DOTALL)
"""Arrays of so many numbers fill Puppet's memory, for an hour."""
_WORD = re.compile(r"'([a-z]{1,8})'")


def _parts(text: str) -> list[tuple[type, int, int]]:
    """The expressions of a program: kind, start and end.  None for what can not be read."""
    try:
        result = parse(SourceFile("site.pp", text))
    except Diagnostic:
        return []
    if result.program is None or not result.ok:
        return []
    found = []
    for node in tree.walk(result.program):
        if isinstance(node, tree.Expression) and 0 < node.end - node.start < 200:
            found.append((type(node), node.start, node.end))
    return found


@cache
def programs() -> tuple[str, ...]:
    """The recorded programs that need no further files."""
    texts: dict[str, None] = {}
    for path in sorted((HERE.parent / "oracle").glob("puppet_corners*.jsonl")):
        for line in path.read_text().splitlines():
            request = json.loads(line)
            if set(request) <= {"about", "manifest"} and len(request["manifest"]) < LONGEST:
                texts[request["manifest"]] = None
    return tuple(texts)


@cache
def donors() -> dict[type, tuple[str, ...]]:
    """Texts of expressions by kind: of the recorded programs, and of Debian's modules where they are."""
    texts: dict[type, dict[str, None]] = defaultdict(dict)
    sources = [*programs(), *_manifests()]
    for text in sources:
        for kind, start, end in _parts(text):
            texts[kind][text[start:end]] = None
    return {kind: tuple(parts) for kind, parts in texts.items()}


def _manifests() -> list[str]:
    """Manifests of Debian's modules, the shorter ones."""
    files = sorted(MODULES.glob("*/manifests/*.pp"))[::9]
    return [text for file in files if len(text := file.read_text("utf-8", "replace")) < 6_000]


def spliced(random: Random) -> str:
    """A program that nobody wrote."""
    text = random.choice(programs())
    for _ in range(random.randint(1, 3)):
        change: Callable[[str, Random], str] = random.choice((_splice, _splice, _splice, _mutated, _moved))
        text = change(text, random)
    return text if len(text) < 2 * LONGEST and not _ENDLESS.search(text) else random.choice(programs())


def _splice(text: str, random: Random) -> str:
    """Another expression in the place of one: of its kind, or, one time in four, of any."""
    parts = _parts(text)
    if not parts:
        return text
    kind, start, end = random.choice(parts)
    known = donors()
    other = random.choice(sorted(known, key=lambda each: each.__name__)) if random.random() < 0.25 else kind
    return text[:start] + random.choice(known.get(other) or ("undef",)) + text[end:]


def _mutated(text: str, random: Random) -> str:
    """A number, a word or an operator is another one."""
    changes: tuple[tuple[re.Pattern[str], Callable[[], str]], ...] = (
        (_NUMBER, lambda: str(random.choice((0, 1, 2, 3, 7, 10, 255, 65536)))),
        (_WORD, lambda: f"'{random.choice(('a', 'b', 'x', '', '1', 'true', 'A', 'é'))}'"),
        (_OPERATOR, lambda: f" {random.choice(_OPERATORS)} "),
    )
    pattern, new = random.choice(changes)
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    return text[: place.start()] + new() + text[place.end() :]


def _moved(text: str, random: Random) -> str:
    """A line is dropped, said twice or exchanged with its neighbour."""
    lines = text.splitlines(keepends=True)
    at = random.randrange(len(lines)) if lines else 0
    if len(lines) < 2:
        return text + text if len(text) < LONGEST else text
    way = random.randrange(3)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, lines[at])
    else:
        lines[at], lines[at - 1] = lines[at - 1], lines[at]
    return "".join(lines)

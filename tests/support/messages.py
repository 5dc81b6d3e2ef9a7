"""Every message that the program can print, found in its source.

A message is a text that reaches an error (any class below `WherefromError`, click's usage errors, Puppet's table of
issues, Ruby's errors), a warning (`warn`, `warn_once`) or a note or hint of one (`help=`, `notes=`, `with_note`). The
texts are read from the syntax tree: constants and f-strings, directly as an argument, or by way of a variable of the
same function. What is filled in at run time is a gap, `{name}`. `docs/messages.md` lists them all; a test compares, and
looks up every message that the recorded cases and the documentation show.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src/wherefrom"
PAGE = ROOT / "docs/messages.md"
BASES = {"WherefromError", "ClickException", "UsageError", "BadParameter"}
EXTRA_SINKS = frozenset(
    "issue warn warn_once with_note note RubyError raise_error argument_error type_error runtime_error Reason Label "
    "error fail BadRegex".split()
)
"""Functions and methods that take a message."""
AREAS = {
    "cli": "Command line", "base": "All languages", "provenance": "All languages", "fleet": "Fleet", "puppet": "Puppet",
    "ruby": "Ruby", "nix": "Nix", "smartfrog": "SmartFrog", "semantics": "Reference semantics", "web": "Explorer",
}  # fmt: skip
LANGUAGES = frozenset({"Puppet", "Ruby", "Nix", "SmartFrog"})


@dataclass(frozen=True, order=True)
class Message:
    """One text: the area, the code if its class has one, what it is, the words, and the module that has it."""

    area: str
    code: str
    kind: str
    words: str
    module: str


def text_of(node: ast.AST) -> str | None:
    """The words of a constant or an f-string, with gaps."""
    match node:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{" + gap(part) + "}" for part in parts
            )
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first, second = text_of(left), text_of(right)
            if first is None and second is None:
                return None
            return (first if first is not None else "{...}") + (second if second is not None else "{...}")
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return text_of(inner)
    return None


def gap(node: ast.AST) -> str:
    """A short name for what is filled in."""
    value = node.value if isinstance(node, ast.FormattedValue) else node
    while True:
        match value:
            case ast.Name(id=name):
                return name
            case ast.Attribute(attr=name):
                return name
            case ast.Subscript(value=inner):
                value = inner
            case ast.Call(func=ast.Name(id=name)):
                return name.strip("_") if not value.args else gap(value.args[0]) if name != "count_of" else "count"
            case ast.Call(func=ast.Attribute(attr="join")):
                return gap(value.args[0]) if value.args else "..."
            case ast.Call(func=ast.Attribute(value=inner)):
                value = inner
            case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
                value = first.iter
            case _:
                return "..."


def area_of(path: Path) -> str:
    """The part of the page that a module belongs to."""
    return AREAS.get((*path.relative_to(SOURCE).parts, "")[0], "All languages")


class Defined(NamedTuple):
    """A class as it is written: its bases, and the code and severity that it sets itself."""

    path: Path
    name: str
    bases: list[str]
    code: str | None
    severity: str | None


@cache
def defined() -> list[Defined]:
    """Every class of the source."""
    found: list[Defined] = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                own: dict[str, str] = {}
                for line in node.body:
                    if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                        if isinstance(line.value, ast.Constant) and isinstance(line.value.value, str):
                            own[line.targets[0].id] = line.value.value
                        elif isinstance(line.value, ast.Name) and line.value.id == "WARNING":
                            own[line.targets[0].id] = "warning"
                bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
                bases += [base.attr for base in node.bases if isinstance(base, ast.Attribute)]
                found.append(Defined(path, node.name, bases, own.get("code"), own.get("severity")))
    return found


@cache
def namesakes() -> frozenset[Path]:
    """The modules with a class whose name another class has, too."""
    counts = Counter(each.name for each in defined())
    return frozenset(each.path for each in defined() if counts[each.name] > 1)


def classes(path: Path) -> dict[str, tuple[str, str]]:
    """The classes of messages that a module sees: names, with the code and severity that each has or inherits."""
    return classes_at(path if path in namesakes() else path.parent)


@cache
def classes_at(place: Path) -> dict[str, tuple[str, str]]:
    """Of classes with the same name a module sees its own, or the nearest; a language never those of another one."""
    area = area_of(place)
    hidden = LANGUAGES - {area, "Ruby" if area == "Puppet" else area} if area in LANGUAGES else frozenset()
    seen = [each for each in defined() if area_of(each.path) not in hidden]
    seen.sort(key=lambda each: (len(os.path.commonpath([each.path, place])), each.code is not None))
    known = {each.name: (each.bases, each.code, each.severity) for each in seen}
    out = dict.fromkeys(BASES, ("", "error"))
    grew = True
    while grew:
        grew = False
        for name, (bases, code, severity) in known.items():
            if name not in out and any(base in out for base in bases):
                above = next(out[base] for base in bases if base in out)
                out[name] = (code or above[0], severity or above[1])
                grew = True
    return out


@cache
def messages() -> list[Message]:
    """All of them, sorted, each once."""
    return sorted({message for path in sorted(SOURCE.rglob("*.py")) for message in _of(path)})


def _of(path: Path) -> Iterator[Message]:
    module = str(path.relative_to(SOURCE))
    area = area_of(path)
    tree = ast.parse(path.read_text("utf-8"))
    for scope, node in _calls(tree):
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        known = classes(path)
        if name in known:
            code, kind = known[name]
        elif name == "__init__" and isinstance(scope[-1], ast.FunctionDef) and len(scope) > 1:
            owner = scope[-2]
            if not isinstance(owner, ast.ClassDef) or owner.name not in known:
                continue
            code, kind = known[owner.name]
        elif name in EXTRA_SINKS:
            code, kind = "", "warning" if name.startswith("warn") else "note" if "note" in name else "error"
        else:
            continue
        if name == "issue" and node.args and isinstance(node.args[0], ast.Constant):
            code = str(node.args[0].value)
        arguments = node.args[2:3] if name == "issue" else node.args
        for argument in arguments:
            yield from (Message(area, code, kind, words, module) for words in _texts(argument, scope[-1]))
        for keyword in node.keywords:
            what = {"help": "hint", "notes": "note", "message": kind}.get(keyword.arg or "")
            if what:
                yield from (Message(area, code, what, words, module) for words in _texts(keyword.value, scope[-1]))


def _calls(tree: ast.Module) -> Iterator[tuple[list[ast.AST], ast.Call]]:
    stack: list[tuple[ast.AST, list[ast.AST]]] = [(tree, [tree])]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.Call):
            yield scope, node
        inner = [*scope, node] if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) else scope
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))


def _texts(node: ast.AST, scope: ast.AST, depth: int = 3) -> Iterator[str]:
    """The messages that an expression may be: words with a blank in them; of a variable, all that it is given."""
    match node:
        case ast.IfExp(body=body, orelse=otherwise):
            yield from _texts(body, scope, depth)
            yield from _texts(otherwise, scope, depth)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _texts(value, scope, depth)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            for element in elements:
                yield from _texts(element, scope, depth)
        case ast.Name(id=name) if depth:
            for line in ast.walk(scope):
                if isinstance(line, ast.Assign | ast.AugAssign) and name in _assigned(line):
                    yield from _texts(line.value, scope, depth - 1)
        case _:
            words = text_of(node)
            if words is not None and re.search(r"[a-z]{2}.* ", words):
                yield " ".join(words.split())


def _assigned(line: ast.Assign | ast.AugAssign) -> set[str]:
    """The variables that a statement gives a value."""
    targets = line.targets if isinstance(line, ast.Assign) else [line.target]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def pattern(words: str) -> re.Pattern[str]:
    """What a message may look like when it is printed."""
    parts = re.split(r"\{[^{}]*\}", words)
    return re.compile(".*".join(re.escape(part) for part in parts) + r"\Z", re.S)


def page() -> str:
    """`docs/messages.md`."""
    found = messages()
    grouped: dict[str, dict[str, list[Message]]] = defaultdict(lambda: defaultdict(list))
    for message in found:
        grouped[message.area][message.code].append(message)
    examples = dict(recorded())
    out = [HEAD.format(count=f"{len({(each.kind, each.words) for each in found}):,}")]
    for area in dict.fromkeys(AREAS.values()):
        out.append(f"\n## {area}\n")
        for code in sorted(grouped[area], key=lambda code: (code == "", code)):
            out.append(f"\n### {code or 'Without a code'}\n" if area not in ("",) else "")
            shown = [(each.kind, each.words) for each in grouped[area][code]]
            example = next((words for number, words in examples.items() if number == code), "") if code else ""
            if example:
                out += ["", "Example:", "", *_block(example)]
            out += ["", *[line for kind, words in dict.fromkeys(shown) for line in _entry(kind, words)]]
    text = "\n".join(out).rstrip() + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def _block(example: str) -> list[str]:
    return ["```text", *(line[:118] for line in example.splitlines()), "```"]


def _entry(kind: str, words: str) -> list[str]:
    """A list item, broken at 118 columns; backquotes in the words are kept by a longer fence."""
    fence = "``" if "`" in words else "`"
    blank = " " if fence == "``" else ""
    lines = []
    line = f"* {kind}: {fence}{blank}"
    for word in words.split(" "):
        if len(line) + len(word) > 112 and not line.endswith((fence, fence + blank)):
            lines.append(line.rstrip())
            line = f"  {word} "
        else:
            line += f"{word} "
    return [*lines, f"{line.rstrip()}{blank}{fence}"]


HEAD = """# Messages

Every message that the program can print: errors, warnings, notes and hints; {count} in all. Written by `make docs` from
the source; a test compares. `{{gaps}}` are filled in when the message is printed. A code never changes its meaning; the
words may. Codes begin with `W` (files, usage, limits), `P` (Puppet), `R` (Ruby), `N` (Nix) or `S` (SmartFrog). The
errors of Puppet, Ruby and Nix themselves have their own words, letter by letter, since people search for them."""

_SHOWN = re.compile(r"^(?:error|warning|note)\[(\w+)\]: (.*)$", re.M)


def recorded() -> Iterator[tuple[str, str]]:
    """Messages that were printed, in recorded cases and in the documentation: the code, and the whole diagnostic."""
    for path in sorted([*(ROOT / "tests/cases").rglob("*.case"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]):
        if path == PAGE:
            continue
        for block in re.split(r"\n\s*\n|^```.*$", path.read_text("utf-8", "replace"), flags=re.M):
            match = _SHOWN.search(block)
            if match:
                head, *rest = block[match.start() :].strip("\n").split("\n")
                yield match[1], "\n".join([head, *takewhile(re.compile(r"[ \d]").match, rest)])

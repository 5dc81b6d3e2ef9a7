"""Every sentence that the program can print, found in its source.

A message is a text that reaches an error (any class below `WherefromError`, click's usage errors, Puppet's table of
issues, Ruby's errors, whatever is raised), a warning (`warn`, `warn_once`) or a note or hint of one (`help=`, `notes=`,
`with_note`); an answer is a text that gets a style, is a row of one, or is printed; help is what options and commands
say of themselves; of the explorer, what its page shows.

The texts are read from the syntax tree: constants and f-strings, directly as an argument, or by way of a variable, of a
constant of the module, or of a function of the module that passes a parameter on (`raise self._bad("...")`). What is
filled in at run time is a gap, `{name}`. `docs/messages.md` lists them all; a test compares, and looks up every message
that the recorded cases and the documentation show.
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
MISTAKES = frozenset({"AssertionError", "NotImplementedError", "TypeError", "AttributeError", "KeyError"})
"""What is raised for mistakes of the program itself."""
STYLES = frozenset({"", "error", "warning", "strong", "dim", "place", "caret", "value", "key", "help"})
WORDED = frozenset(
    "base/splices.py cli/streams.py provenance/ladder.py provenance/origins.py puppet/hiera/levels.py "
    "puppet/output/missing.py".split()
)
"""Modules whose constants are pieces of answers, which reach them as fields of records."""
GENERATED = ("nix/emit/", "puppet/emit/")
"""Modules whose pairs of texts are generated code."""
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
    out = {message for path in sorted(SOURCE.rglob("*.py")) for message in _of(path)}
    out |= {Message("Explorer", "", "page", words, "web") for words in page_texts()}
    return sorted(out)


def _of(path: Path) -> Iterator[Message]:
    module = str(path.relative_to(SOURCE))
    yield from Module(ast.parse(path.read_text("utf-8")), module, area_of(path), classes(path)).messages()


class Module:
    """The messages of one module; `known` are the classes of messages that it sees."""

    def __init__(self, tree: ast.Module, name: str, area: str, known: dict[str, tuple[str, str]]) -> None:
        self.tree, self.name, self.area, self.known = tree, name, area, known
        self.calls = list(_calls(tree))
        self.functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        self.constants = [line for line in tree.body if isinstance(line, ast.Assign)]
        self.passing: dict[str, dict[str, tuple[str, str]]] = {}
        """Functions that pass a parameter on to a message: the code and kind, by the parameter's name."""
        while self._learn():
            pass

    def messages(self) -> Iterator[Message]:
        """All of them, some twice."""
        for scope, node in self.calls:
            for code, kind, argument in self._arguments(scope, node):
                for words in self._texts(argument, scope[-1]):
                    yield Message(self.area, code, kind, words, self.name)
        for statement in ast.walk(self.tree):
            if not isinstance(statement, ast.Raise) or not isinstance(statement.exc, ast.Call):
                continue
            name = _called(statement.exc)
            if name in MISTAKES or not name[:1].isupper():
                continue
            code, kind = self.known.get(name, ("", "error"))
            for argument in statement.exc.args:
                for words in _texts(argument, self.tree, 0):
                    yield Message(self.area, code, kind, words, self.name)
        if not self.name.startswith(GENERATED):
            yield from (Message(self.area, "", kind, words, self.name) for kind, words in self._answers())

    def _texts(self, argument: ast.AST, scope: ast.AST) -> Iterator[str]:
        yield from _texts(argument, scope)
        for name in _flowing(argument):
            for line in self.constants:
                if name in _assigned(line):
                    yield from _texts(line.value, self.tree, 0)

    def _arguments(self, scope: list[ast.AST], node: ast.Call) -> Iterator[tuple[str, str, ast.AST]]:
        """What a call makes a message of: the code, the kind and the expression."""
        name = _called(node)
        if name in self.known:
            code, kind = self.known[name]
        elif name == "__init__" and isinstance(scope[-1], ast.FunctionDef) and len(scope) > 1:
            owner = scope[-2]
            if not isinstance(owner, ast.ClassDef) or owner.name not in self.known:
                return
            code, kind = self.known[owner.name]
        elif name in EXTRA_SINKS:
            code, kind = "", "warning" if name.startswith("warn") else "note" if "note" in name else "error"
        else:
            passed = self.passing.get(name, {})
            given = dict(zip(_parameters(self.functions[name]), node.args)) if passed else {}
            given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            yield from ((*passed[parameter], value) for parameter, value in given.items() if parameter in passed)
            return
        if name == "issue" and node.args and isinstance(node.args[0], ast.Constant):
            code = str(node.args[0].value)
        yield from ((code, kind, argument) for argument in (node.args[2:3] if name == "issue" else node.args))
        for keyword in node.keywords:
            what = {"help": "hint", "notes": "note", "message": kind}.get(keyword.arg or "")
            if what:
                yield code, what, keyword.value

    def _learn(self) -> bool:
        """Note the parameters that reach a message; whether one was not known before."""
        before = sum(map(len, self.passing.values()))
        for scope, node in self.calls:
            function = scope[-1]
            if isinstance(function, ast.FunctionDef) and function.name not in ("__init__", *EXTRA_SINKS):
                for code, kind, argument in self._arguments(scope, node):
                    for name in set(_flowing(argument)) & set(_parameters(function)):
                        self.passing.setdefault(function.name, {}).setdefault(name, (code, kind))
        return sum(map(len, self.passing.values())) > before

    def _answers(self) -> Iterator[tuple[str, str]]:
        """Texts with a style, rows of answers, what is printed, and what options and commands say of themselves."""
        rows = any(
            isinstance(node, ast.alias) and node.name in ("Row", "aligned", "Styled") for node in ast.walk(self.tree)
        )
        for scope, pair in _tuples(self.tree):
            first, *rest = pair.elts
            styled = len(rest) == 1 and any(style in STYLES for style in _constants(rest[0]))
            if styled or (rows and len(rest) == 2 and not isinstance(first, ast.Tuple)):
                yield from (("answer", words) for words in self._texts(first, scope))
        for around, call in self.calls:
            name = _called(call)
            if name in ("print", "echo") or (name == "write" and "std" in ast.unparse(call.func)):
                for argument in call.args:
                    yield from (("answer", words) for words in self._texts(argument, around[-1]))
            if name in ("option", "argument", "Option") and self.name.startswith("cli/"):
                for keyword in call.keywords:
                    if keyword.arg == "help":
                        yield from (("help", words) for words in _texts(keyword.value, around[-1]))
        for line in self.constants if self.name in WORDED else ():
            yield from (("answer", words) for words in _texts(line.value, self.tree, 0))
        for function in self.functions.values():
            decorators = map(ast.unparse, function.decorator_list)
            if any(".command(" in each or ".group(" in each for each in decorators):
                paragraphs = (ast.get_docstring(function) or "").split("\n\n")
                yield from (("help", " ".join(text.split())) for text in paragraphs if not text.startswith("\b"))


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _parameters(function: ast.FunctionDef) -> list[str]:
    names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _flowing(node: ast.AST) -> Iterator[str]:
    """The names whose values are texts of a message, or parts of it."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.JoinedStr(values=parts):
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    yield from _flowing(part.value)
        case ast.BinOp(left=left, right=right):
            yield from (*_flowing(left), *_flowing(right))
        case ast.IfExp(body=body, orelse=otherwise):
            yield from (*_flowing(body), *_flowing(otherwise))


def _constants(node: ast.AST) -> list[object]:
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) else []


def _tuples(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Tuple]]:
    stack: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while stack:
        node, scope = stack.pop()
        if isinstance(node, ast.Tuple) and node.elts:
            yield scope, node
        inner = node if isinstance(node, ast.FunctionDef) else scope
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))


def page_texts() -> set[str]:
    """What the explorer's page says: texts between tags, and texts with a blank in quotes."""
    out: set[str] = set()
    for path in sorted((ROOT / "web/src").glob("*.tsx")):
        text = re.sub(
            r"/\*.*?\*/|//.*?$|^import .*?$|class(Name)?=(\{`.*?`\}|\".*?\")",
            "",
            path.read_text("utf-8"),
            flags=re.M | re.S,
        )
        shown = re.findall(r">([^<>{}()=;]*[a-z]{2}[^<>{}()=;]*)[<{]", text)
        shown += [each for pair in re.findall(r'"([^"\n]*)"|`([^`\n]*)`', text) for each in pair]
        for words in (" ".join(each.split()) for each in shown):
            if re.search(r"^[^,:.]*[a-z]{2}.* [a-z]", words) and not re.search(
                r"[.#][a-z-]+[ ,:]|^\$?\{|[{}]\)|=>|^M\b", words
            ):
                out.add(re.sub(r"\$\{[^}]*\}", "{...}", words))
    return out


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


GAP = re.compile(r"\{[^{}]*\}")
FEWEST = 6
"""Letters that a message must have of its own; with fewer (`{name}: {words}`) it fits everything."""
_ADDED = re.compile(r"( \((file: [^()]*, )?line: \d+(, column: \d+)?\)| \(limit: [\d,]+\))\Z")
"""What is put behind a message: its place in Puppet's manner, a limit."""


def pattern(words: str) -> re.Pattern[str]:
    """What a message may look like when it is printed."""
    return re.compile(".*".join(re.escape(part) for part in GAP.split(words)) + r"\Z", re.S)


class Listed:
    """Whether a printed message is one of those that were found."""

    def __init__(self, found: list[Message]) -> None:
        texts = {each.words for each in found}
        telling = {words for words in texts if len(re.findall("[a-zA-Z]", GAP.sub("", words))) >= FEWEST}
        pieces = {each.words for each in found if each.module in WORDED and each.kind == "answer"}
        self._telling = [pattern(words) for words in telling | {f"{words} {{...}}" for words in telling & pieces}]

    def has(self, printed: str) -> bool:
        """As a whole, or behind a name (`FILE: ...`, `File[/a] ...`)."""
        printed = _ADDED.sub("", printed)
        ends = [printed, *(printed[match.end() :] for match in re.finditer(r"(: |\] )", printed))]
        return any(each.match(end) for end in ends for each in self._telling)


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

Every sentence that the program can print, {count} in all: errors, warnings, notes and hints, answers, the texts of
`--help`, and what the explorer's page says. Written by `make docs` from the source; a test compares. `{{gaps}}` are
filled in when the message is printed. A code never changes its meaning; the words may. Codes begin with `W` (files,
usage, limits), `P` (Puppet), `R` (Ruby), `N` (Nix) or `S` (SmartFrog). The errors of Puppet, Ruby and Nix themselves
have their own words, letter by letter, since people search for them."""

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

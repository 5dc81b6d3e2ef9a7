"""The manual of the builtins, made from their docstrings.

python -m wherefrom.nix.builtins.manual > docs/nix-builtins.md
"""

from __future__ import annotations

from ...base.source import lines_of
from ..kernel.names import CONSTANTS, GLOBALS, INDEX
from . import load_all
from .registry import REGISTRY, Entry

_TITLES = {
    "arithmetic": "Numbers",
    "types": "Types",
    "lists": "Lists",
    "sets": "Attribute sets",
    "strings": "Strings",
    "versions": "Versions",
    "control": "Control",
    "convert": "Other notations",
    "files": "Paths and files",
    "store": "Derivations and the store",
    "world": "The world outside",
    "newer": "Since Nix 2.8",
}

_CONSTANT_TEXTS = {
    "builtins": "The set of all builtins, itself included.",
    "currentSystem": 'The platform: `"x86_64-linux"` unless told otherwise.',
    "currentTime": "Seconds since 1970 when the evaluation began.",
    "derivation": "A function: a set of attributes for each output of a derivation, with lazy `drvPath` and `outPath`.",
    "false": "The Boolean.",
    "langVersion": "The version of the language, 6.",
    "nixPath": "The search path for `<name>`, as a list of `{ prefix, path }`.",
    "nixVersion": 'The version of Nix that is followed, `"2.8.0"` unless `--nix` says otherwise.',
    "null": "The value that stands for nothing.",
    "storeDir": '`"/nix/store"`; nothing is ever written there.',
    "true": "The Boolean.",
}

_HEAD = """\
# Builtins

The builtins of Nix 2.8, and at the end [those that came later](#since-nix-28) (`--nix VERSION`). This page is generated
from the functions' own descriptions; a test runs every example and compares every builtin with answers recorded from
real Nix. Names marked with * are also variables of their own; all others are variables with two underscores before the
name (`__attrNames`).

What differs from Nix:

- The `fetch...` builtins are refused: wherefrom does not use the network. `fetchTree` and `getFlake` take directories
  and local git repositories.
- Files are read only below the allowed directories; looking elsewhere (`pathExists`, `readDir`, ...) is an error.
- There is no store. `derivation`, `toFile`, `path`, `filterSource` and `"${./path}"` compute the same paths as Nix and
  write nothing; files made with `toFile` or copied can be read again under their store path. What would have to be
  built first can not be read, and `storePath` knows only what the same evaluation made.
- `getEnv` sees only variables that were allowed by name.
- `trace` prints when the value is computed, which may be another moment than in Nix.
- What builtins make draws from the run's budget ([security](security.md)); a regular expression may use 100,000 states
  (as in Nix) and 3,000,000 remembered positions. `wherefrom eval --json` writes infinite numbers as texts, since what
  Nix writes is no JSON.
- Among lists of one or two elements, one that is written out in the program may be printed as `«repeated»` where Nix
  has two.
- Messages of `fromJSON` and `fromTOML` are worded differently.
"""


def examples(page: str) -> list[tuple[str, str]]:
    """The examples of a manual page: expression and what it prints."""
    lines = lines_of(page)
    return [
        (line.removeprefix("nix> "), lines[number + 1])
        for number, line in enumerate(lines)
        if line.startswith("nix> ") and number + 1 < len(lines)
    ]


def manual() -> str:
    """The whole page."""
    load_all()
    parts = [_HEAD]
    for module, title in _TITLES.items():
        parts.append(f"\n## {title}\n")
        parts.extend(_page(REGISTRY[name]) for name in sorted(INDEX) if INDEX[name] == module)
    parts.append("\n## Constants\n\n")
    parts.extend(f"- `{name}`{_star(name)}: {_CONSTANT_TEXTS[name]}\n" for name in CONSTANTS)
    return "".join(parts)


def _star(name: str) -> str:
    return " *" if name in GLOBALS else ""


def _page(entry: Entry) -> str:
    arguments = "".join(f" {name}" for name in entry.parameters)
    lines: list[str] = []
    in_example = False
    for line in lines_of(entry.manual):
        if line.startswith("nix> ") and not in_example:
            lines.append("```")
            in_example = True
        lines.append(line)
    if in_example:
        lines.append("```")
    text = "\n".join(lines)
    return f"\n### `{entry.name}{arguments}`{_star(entry.name)}\n\n{text}\n"


if __name__ == "__main__":
    print(manual(), end="")

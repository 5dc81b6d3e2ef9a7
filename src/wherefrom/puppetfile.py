"""What a `Puppetfile` says: which modules an environment should have, in which versions, and where they go.

A `Puppetfile` is Ruby, but nearly always literal `mod` statements (r10k, g10k, librarian-puppet); those are read as
text, and nothing is run:

    mod 'puppetlabs/stdlib', '9.4.1'
    mod 'nginx', :git => 'https://git.example.org/nginx', :tag => 'v2.1.0'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .base.record import Record
from .base.source import lines_of

NAME = "Puppetfile"
_MOD = re.compile(r"""^\s*mod[\s(]*['"](?P<name>[\w./-]+)['"]\s*,?(?P<rest>.*?)\)?\s*$""", re.DOTALL)
_DIRECTORY = re.compile(r"""^[ \t]*moduledir[ \t(]*['"]([^'"]+)['"]""", re.MULTILINE)
_COMMENT = re.compile(r"""^((?:[^'"#]|'[^']*'|"[^"]*")*)#.*$""")
_OPTION = re.compile(r"""(?::(\w+)\s*=>|\b(\w+):)\s*(?:['"]([^'"]*)['"]|:(\w+)|([^\s,]+))""")
_PLAIN = re.compile(r"""(?:['"]([^'"]*)['"]|:(\w+))(?!\s*=>)""")
_TELLING = ("tag", "ref", "commit", "branch", "version", "local", "default_branch")
"""The options that say which version it is, the most exact first."""


class ListedModule(Record):
    """One `mod`: its name as it is written, and the rest of the statement without blanks."""

    name: str
    rest: str

    @property
    def version(self) -> str:
        """The version in a word; nothing where the statement names none."""
        options = {
            (old or new): text or symbol or word
            for old, new, text, symbol, word in (match.groups("") for match in _OPTION.finditer(self.rest))
        }
        version = next((options[name] for name in _TELLING if name in options), "")
        if version or options:
            return version or options.get("git", "")
        plain = _PLAIN.match(self.rest)
        return "" if plain is None else plain[1] or plain[2]


def short_name(name: str) -> str:
    """The directory that a module is in: `stdlib` of `puppetlabs/stdlib` and of `puppetlabs-stdlib`."""
    return re.split("[/-]", name, maxsplit=1)[-1]


def modules_of(text: str) -> dict[str, ListedModule]:
    """The modules that a `Puppetfile` names, by the names of their directories."""
    modules: dict[str, ListedModule] = {}
    statement = ""
    for line in lines_of(text):
        bare = _COMMENT.sub(r"\1", line).strip()
        if not bare:
            continue
        statement = f"{statement} {bare}" if statement else bare
        if bare.endswith((",", "\\", "=>")):
            continue
        match = _MOD.match(statement)
        statement = ""
        if match is not None:
            module = ListedModule(match["name"], " ".join(match["rest"].replace("\\", " ").split()))
            modules[short_name(module.name)] = module
    return modules


def directory_of(text: str) -> str:
    """Where a `Puppetfile` has its modules put, relative to its own directory."""
    match = _DIRECTORY.search(text)
    return match[1] if match is not None else "modules"


def differing(before: Mapping[str, ListedModule], after: Mapping[str, ListedModule]) -> dict[str, str]:
    """The modules that two files name otherwise, each with words: `8.5.0 -> 9.4.1`, `new`, `gone`."""
    words: dict[str, str] = {}
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            version = (new or old or ListedModule("", "")).version
            words[name] = f"{'new' if old is None else 'gone'}{f' ({version})' if version else ''}"
        elif old.rest != new.rest:
            is_same_version = old.version == new.version
            words[name] = f"{old.rest} -> {new.rest}" if is_same_version else f"{old.version} -> {new.version}"
    return words

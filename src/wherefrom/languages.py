"""The table of the languages: which there are, and which one a file is written in.

A language's package is imported when the language is first asked for, and by nothing else above it.
"""

from __future__ import annotations

from importlib import import_module
from os.path import exists, isdir, join, splitext

from .base.diagnostics import UsageError
from .language import Language

_LANGUAGES = {
    "smartfrog": ("wherefrom.smartfrog.front", (".sf",)),
    "puppet": ("wherefrom.puppet.front", (".pp", ".epp")),
    "nix": ("wherefrom.nix.front.language", (".nix",)),
}

_PARTS = {".erb": "puppet", ".yaml": "puppet", ".yml": "puppet", ".eyaml": "puppet", ".json": "puppet"}
"""Files that are no programs and can be checked all the same if they are named: templates in Ruby, and data."""


def load_language(name: str) -> Language:
    """The language called `name`.  Its package is imported only now."""
    if name not in _LANGUAGES:
        raise UsageError(f"unknown language {name!r}: expected one of {', '.join(_LANGUAGES)}")
    language: Language = import_module(_LANGUAGES[name][0]).LANGUAGE
    return language


def language_of(path: str) -> str:
    """The name of the language a file is written in, by its suffix; a directory is a Puppet environment."""
    suffix = splitext(path)[1]
    for name, (_, suffixes) in _LANGUAGES.items():
        if suffix in suffixes:
            return name
    if suffix == "":
        return "puppet"
    known = ", ".join(suffix for _, suffixes in _LANGUAGES.values() for suffix in suffixes)
    raise UsageError(f"{path}: unknown suffix {suffix!r} (known: {known}); name the language with --language")


def language_to_check(path: str) -> str:
    """The same for a file that is only to be checked: templates and data have a language too."""
    return _PARTS.get(splitext(path)[1]) or language_of(path)


def language_at(path: str) -> str:
    """The name of the language of a file or directory; a directory with a `flake.nix` or `default.nix` is Nix."""
    if not isdir(path):
        return language_of(path)
    puppet = any(exists(join(path, name)) for name in ("environment.conf", "manifests", "modules"))
    nix = any(exists(join(path, name)) for name in ("flake.nix", "default.nix"))
    return "nix" if nix and not puppet else "puppet"


def all_suffixes() -> tuple[str, ...]:
    """Every suffix that names a language."""
    return tuple(suffix for _, suffixes in _LANGUAGES.values() for suffix in suffixes)


def part_suffixes() -> tuple[str, ...]:
    """Every suffix of files that are no programs and can be checked all the same."""
    return tuple(_PARTS)

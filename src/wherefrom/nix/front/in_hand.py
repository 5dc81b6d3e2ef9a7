"""The options behind what a person has in hand: a file of a machine or of a home, a unit, the name of a service.

NixOS makes `/etc/NAME` from `environment.etc.NAME` and units from `systemd`; home-manager makes files of a home from
`home.file` and `xdg.configFile`. Which of them a configuration has is tried, with and without `config` before it.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator

from ..kernel.values import Builtin, Value, function_info, is_function

_HOME = re.compile(r"(?:~|/home/[^/]+|/Users/[^/]+|/root)/(?P<name>.+)")
_UNIT = re.compile(r"(?:.*/)?(?P<name>[^/]+)\.(?P<kind>service|socket|timer|path|mount|target)")
_KINDS = {
    "service": "services", "socket": "sockets", "timer": "timers", "path": "paths", "mount": "mounts",
    "target": "targets",
}  # fmt: skip
_PARTS = ("text", "source")
PREFIXES = ("", "config.")
"""What may stand before an option: nothing, where a command was given the attribute that has the options."""


def candidates(words: str) -> Iterator[str]:
    """The paths that `words` could mean, the likeliest first."""
    for option in _options(words):
        for prefix in PREFIXES:
            yield prefix + option


def in_lines(words: str) -> Iterator[str]:
    """The paths of texts that a line of what `words` name could stand in."""
    name = words.rpartition(":")[0] if re.search(r":\d+$", words) else words
    for path in candidates(name):
        if path.endswith((*(f".{part}" for part in _PARTS), f'etc."{name[5:]}"')):
            yield path


def _options(words: str) -> Iterator[str]:
    unit = _UNIT.fullmatch(words)
    if unit is not None and (words.startswith("/etc/systemd/") or "/" not in words):
        yield f'systemd.{_KINDS[unit["kind"]]}."{unit["name"]}"'
        yield f'systemd.units."{unit["name"]}.{unit["kind"]}".text'
        yield f'systemd.user.{_KINDS[unit["kind"]]}."{unit["name"]}"'
    if words.startswith("/etc/"):
        yield from (f'environment.etc."{words[5:]}".{part}' for part in _PARTS)
        yield f'environment.etc."{words[5:]}"'
    home = _HOME.fullmatch(words)
    if home is not None:
        name = home["name"]
        if name.startswith(".config/"):
            yield from (f'xdg.configFile."{name[8:]}".{part}' for part in _PARTS)
        yield from (f'home.file."{name}".{part}' for part in _PARTS)
    if re.fullmatch(r"[\w-]+", words):
        yield from (f'{group}."{words}"' for group in ("services", "programs", "systemd.services"))


def hint_for_module(value: Value, file: str, path: str) -> str | None:
    """How to ask for an option of a module that was given alone: a function that takes `config` and others."""
    formals = function_info(value).formals if is_function(value) and type(value) is not Builtin else None
    if formals is None or formals.keys().isdisjoint(("config", "pkgs", "lib")):
        return None
    option = path if path.startswith("config.") else f"config.{path}"
    host = f"import <nixpkgs/nixos> {{ configuration = ./{os.path.relpath(file)}; }}"
    return f"this is a module; ask the host it is part of: wherefrom explain -E '{host}' {option} -I nixpkgs=DIR"

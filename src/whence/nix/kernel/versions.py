"""Which Nix to be like.

The language has changed little since Nix 2.8, but it has changed: `Machine.version` says which version's rules count,
and every place that depends on it compares with the number of the version that brought the change (`docs/nix.md` has
the table).  2.8 is the default, and the version that everything is compared with.
"""

from __future__ import annotations

from ...base.diagnostics import UsageError

DEFAULT = (2, 8)
LATEST = (2, 34)
"""The newest version whose changes are known here."""

Version = tuple[int, int]


def parse_version(text: str | None) -> Version:
    """A version as given on the command line: `2.18`, `latest`.  Raises `UsageError`."""
    if text is None:
        return DEFAULT
    if text == "latest":
        return LATEST
    parts = text.split(".")
    if len(parts) in (2, 3) and all(part.isdigit() for part in parts):
        version = (int(parts[0]), int(parts[1]))
        if DEFAULT <= version <= LATEST:
            return version
    low, high = (".".join(map(str, each)) for each in (DEFAULT, LATEST))
    raise UsageError(f"unknown version of Nix {text!r}: expected {low} to {high}, or latest")


def version_text(version: Version) -> str:
    """What `builtins.nixVersion` says."""
    return f"{version[0]}.{version[1]}.0"

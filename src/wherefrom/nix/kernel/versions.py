"""Which Nix to be like.

The language has changed little since Nix 2.8, but it has changed: `Machine.version` says which version's rules count,
and every place that depends on it compares with the number of the version that brought the change (`docs/nix.md` has
the table).  2.8 is the default, and the version that everything is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...base.diagnostics import UsageError
from ...base.record import Record

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
    low, high = (".".join(map(str, release)) for release in (DEFAULT, LATEST))
    raise UsageError(f"unknown version of Nix {text!r}: expected {low} to {high}, or latest")


def version_text(version: Version) -> str:
    """What `builtins.nixVersion` says."""
    return f"{version[0]}.{version[1]}.0"


class Dialect(Record):
    """A version of the language, and the experimental features that are on."""

    version: Version = DEFAULT
    features: frozenset[str] = frozenset()

    def has(self, feature: str) -> bool:
        """Whether an experimental feature is on."""
        return feature in self.features


OLD = Dialect()
"""Nix 2.8, nothing experimental."""

FEATURES = {"flakes": (2, 8), "pipe-operators": (2, 24), "parse-toml-timestamps": (2, 17)}
"""The experimental features of the language that are known here, and since when Nix has them."""


def parse_dialect(version: str | None, features: Iterable[str]) -> Dialect:
    """What the command line asks for.  Raises `UsageError`."""
    wanted = frozenset(features)
    number = parse_version(version)
    for name in sorted(wanted):
        if name not in FEATURES:
            raise UsageError(f"unknown feature {name!r}: expected one of {', '.join(FEATURES)}")
        if number < FEATURES[name]:
            since = ".".join(map(str, FEATURES[name]))
            raise UsageError(f"feature {name!r} came with Nix {since}: add --nix {since} or later")
    return Dialect(number, wanted)

"""Builtins on version numbers and package names, with the rules that Nix uses to decide which version is newer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..kernel.values import Attrs, Slot
from .registry import builtin
from .support import need_plain_string

if TYPE_CHECKING:
    from ..kernel.world import Machine

_DIGITS = frozenset("0123456789")


def components(version: str) -> Iterator[str]:
    """The parts of a version: runs of digits and runs of anything else; dots and dashes only separate."""
    at = 0
    while True:
        while at < len(version) and version[at] in ".-":
            at += 1
        if at == len(version):
            return
        start = at
        if version[at] in _DIGITS:
            while at < len(version) and version[at] in _DIGITS:
                at += 1
        else:
            while at < len(version) and version[at] not in _DIGITS and version[at] not in ".-":
                at += 1
        yield version[start:at]


def _number(component: str) -> int | None:
    """The number that a component is, if it is one that fits."""
    if component and all(char in _DIGITS for char in component):
        value = int(component) if len(component) < 30 else 1 << 64
        return value if value < 1 << 31 else None
    return None


def _older(left: str, right: str) -> bool:
    """Whether component `left` is older than `right`."""
    left_number, right_number = _number(left), _number(right)
    if left_number is not None and right_number is not None:
        return left_number < right_number
    if left == "" and right_number is not None:
        return True
    if left == "pre" and right != "pre":
        return True
    if right == "pre":
        return False
    # Words are older than numbers: 2.3a comes before 2.3.1.
    if right_number is not None:
        return True
    if left_number is not None:
        return False
    return left < right


def compare(left: str, right: str) -> int:
    """-1, 0 or 1: whether version `left` is older than, the same as or newer than `right`."""
    for one, other in zip_longest(components(left), components(right), fillvalue=""):
        if _older(one, other):
            return -1
        if _older(other, one):
            return 1
    return 0


@builtin("compareVersions", forces=(0, 1), checks=((0, "str"), (1, "str")))
def compare_versions(machine: Machine, left: Slot, right: Slot) -> Slot:
    """-1 if version `left` is older than `right`, 0 if they are the same, 1 if it is newer.

    nix> builtins.compareVersions "2.3pre1" "2.3"
    -1
    """
    one = need_plain_string(left)
    return compare(one, need_plain_string(right))


@builtin("splitVersion")
def split_version(machine: Machine, version: Slot) -> Slot:
    """The components of a version.

    nix> builtins.splitVersion "1.2.3pre4-5"
    [ "1" "2" "3" "pre" "4" "5" ]
    """
    return list(components(need_plain_string(version)))


@builtin("parseDrvName")
def parse_drv_name(machine: Machine, name: Slot) -> Slot:
    """The package name and version in a name: the version begins after the first dash not followed by a letter.

    nix> builtins.parseDrvName "nix-0.12pre12876"
    { name = "nix"; version = "0.12pre12876"; }
    """
    whole = need_plain_string(name)
    for at in range(len(whole) - 1):
        following = whole[at + 1]
        if whole[at] == "-" and not (following.isascii() and following.isalpha()):
            return Attrs({"name": whole[:at], "version": whole[at + 1 :]})
    return Attrs({"name": whole, "version": ""})

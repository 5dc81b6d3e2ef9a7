"""Spelling hints: the known name that is nearest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate a person most likely meant, or nothing if none is close.

    >>> nearest("prot", ["port", "host"])
    'port'
    >>> nearest("npt", ["ntp", "ssh"])
    'ntp'
    >>> nearest("x", ["port", "host"])
    """
    from difflib import get_close_matches  # needed on the error path only

    known = {candidate.lower(): candidate for candidate in candidates if candidate != name}
    close = get_close_matches(name.lower(), known, n=1, cutoff=0.7)
    if close:
        return known[close[0]]
    # In a short name two letters that changed places weigh too much for the rule above.
    letters = sorted(name.lower())
    return next((known[word] for word in known if len(word) == len(letters) and sorted(word) == letters), None)


def nearest_few(name: str, candidates: Iterable[str], number: int = 3) -> list[str]:
    """The candidates that were most likely meant, the nearest first.

    >>> nearest_few("os.familly", ["os.family", "os.name", "os"])
    ['os.family']
    """
    from difflib import get_close_matches

    known = {candidate.lower(): candidate for candidate in candidates if candidate != name}
    close = [known[word] for word in get_close_matches(name.lower(), known, n=number, cutoff=0.75)]
    first = nearest(name, known.values())
    return list(dict.fromkeys([*close, *([first] if first is not None else [])]))[:number]


def nearest_host(name: str, hosts: Iterable[str]) -> str | None:
    """The host that was most likely meant: one whose name lacks its domain, or one that is spelt like it.

    >>> nearest_host("web01", ["db01.example.org", "web01.example.org"])
    'web01.example.org'
    """
    known = list(hosts)
    return next((host for host in known if host.startswith(f"{name}.")), None) or nearest(name, known)

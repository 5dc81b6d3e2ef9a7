"""Paths as texts."""

from __future__ import annotations


def canonical_path(path: str) -> str:
    """An absolute path without `.`, `..`, double or final slashes."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def absolute_path(directory: str, text: str) -> str:
    """What a relative path literal means in a file of a directory.  A final slash stays: an interpolation follows it.

    >>> absolute_path("/a/b", "../c"), absolute_path("/a", "./d/")
    ('/a/c', '/a/d/')
    """
    path = canonical_path(f"{directory}/{text}")
    return path + "/" if text.endswith("/") and path != "/" else path

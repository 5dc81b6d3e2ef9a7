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

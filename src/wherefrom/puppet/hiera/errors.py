"""Errors of looking data up.

Puppet knows two kinds. Those about the configuration and about interpolation have an issue of their own and are told as
they are (`issue`); all others that happen while the global layer is asked are told with the key that was looked for in
front: "Lookup of key 'k' failed: ...".
"""

from __future__ import annotations

from ...base.source import Span
from ..kernel.failures import CatalogError


class HieraError(CatalogError):
    """A lookup that failed.  `coded`: it has an issue of its own."""

    def __init__(
        self, message: str, kind: str = "Hiera data", issue: str | None = None, at: Span | None = None
    ) -> None:
        super().__init__(message, at, issue=issue, kind=kind, lead="", column=False)
        self.coded = issue is not None


def unparsed(words: str, span: Span) -> HieraError:
    """An error in a file of data, at a place that Puppet does not tell."""
    failure = HieraError(words, at=span)
    failure.placeless = True
    return failure

"""Regular expressions of Puppet, which are Ruby's: `wherefrom.base.regex`, with Puppet's error for what is none."""

from __future__ import annotations

from ...base import regex
from ...base.regex import RubyRegex
from .type_failures import BadRegex

__all__ = ["RubyRegex", "compile_regex"]


def compile_regex(source: str) -> RubyRegex:
    """The compiled form of a pattern, kept for the next time.  Raises `BadRegex`."""
    try:
        return regex.compile_regex(source)
    except regex.BadRegex as problem:
        raise BadRegex(str(problem)) from None

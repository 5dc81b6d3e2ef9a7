"""Our matcher of Ruby's regular expressions, behind two names."""

from __future__ import annotations

from ..base.regex import BadRegex as BadPattern
from ..base.regex import compile_regex as compile_pattern

__all__ = ["BadPattern", "compile_pattern"]

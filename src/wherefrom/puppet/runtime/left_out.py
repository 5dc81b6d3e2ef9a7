"""Records of code that failed and was left out (`wherefrom.puppet.runtime.lenient`)."""

from __future__ import annotations

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ..kernel.failures import EvaluationError

FAILURE = "failure"
"""The kind of a leaf that stands for code that failed."""


class Follows(EvaluationError):
    """What can not be evaluated since something before it was left out."""


class LeftOut(Record):
    """Code that failed: whose it is (`Class[Ntp]`), and why; `own` is false where another failure is the reason."""

    owner: str
    problem: Diagnostic
    own: bool

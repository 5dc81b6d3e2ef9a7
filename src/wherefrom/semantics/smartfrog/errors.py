"""The paper's errors, err1 to err7. It leaves error handling informal: here the first error ends the evaluation.

`Cycle` is the one error that the two-pass semantics adds. The codes are those of the production evaluator, so that the
two can be compared; the words are the paper's. `put_at` adds the place, which the paper's functions do not know, where
the tree is at hand.
"""

from __future__ import annotations

from ...base.diagnostics import Diagnostic, Label
from ...base.source import Span


class Err(Diagnostic):
    """One of the paper's errors."""

    words = ""

    def __init__(self, detail: str) -> None:
        super().__init__(f"err{int(self.code[1:])}: {self.words}: {detail}")

    def put_at(self, span: Span) -> Err:
        """Say where, unless that is known already."""
        if not self.labels:
            self.labels.append(Label(span))
        return self


class Err1(Err):
    """bind: the parent is not a store."""

    code = "S001"
    words = "the parent is not a store"


class Err2(Err):
    """bind: the parent does not exist."""

    code = "S002"
    words = "the parent does not exist"


class Err3(Err):
    """bind: the root can not be replaced.  No program can ask for it."""

    code = "S003"
    words = "the root store cannot be replaced"


class Err4(Err):
    """inherit: the prototype is not a store."""

    code = "S004"
    words = "the prototype is not a store"


class Err5(Err):
    """V: the link's target does not exist."""

    code = "S005"
    words = "the link refers to nothing"


class Cycle(Err):
    """resolveLink: the link leads back to itself, or to a store that it is a part of."""

    code = "S008"
    words = "the link leads back to itself"

    def __init__(self, detail: str) -> None:
        Diagnostic.__init__(self, f"cycle: {self.words}: {detail}")


class Err7(Err):
    """SF: `sfConfig` is not a store."""

    code = "S007"
    words = "sfConfig is not a store"

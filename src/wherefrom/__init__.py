"""wherefrom compiles configurations and can say, for every value it produces, where it came from.

    >>> import wherefrom
    >>> outcome = wherefrom.compile("examples/firewall/test.sf")  # doctest: +SKIP
    >>> print(outcome.explain("testServer").text())  # doctest: +SKIP

The public face is small: `Session`, whose methods `compile`, `evaluate`, `explain`, `impact`, `diff`, `check` and
`load` (a saved outcome) are functions here too, each in a session of its own; `compare`; and the errors
`WherefromError` and `Diagnostic`. Everything is imported on first use, so `import wherefrom` itself costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import check, compare, compile, diff, evaluate, explain, impact, load
    from .base.diagnostics import Diagnostic, WherefromError
    from .language import Outcome
    from .provenance.explain import Explanation
    from .provenance.impact import Impact
    from .session import Session

__version__ = "0.1.0"

_FACE = {
    "compile": "api",
    "evaluate": "api",
    "check": "api",
    "load": "api",
    "compare": "api",
    "explain": "api",
    "impact": "api",
    "diff": "api",
    "Session": "session",
    "Impact": "provenance.impact",
    "Outcome": "language",
    "Explanation": "provenance.explain",
    "Diagnostic": "base.diagnostics",
    "WherefromError": "base.diagnostics",
}

__all__ = [
    "Diagnostic",
    "Explanation",
    "Impact",
    "Outcome",
    "Session",
    "WherefromError",
    "__version__",
    "check",
    "compare",
    "compile",
    "diff",
    "evaluate",
    "explain",
    "impact",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _FACE:
        raise AttributeError(f"module 'wherefrom' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"wherefrom.{_FACE[name]}"), name)

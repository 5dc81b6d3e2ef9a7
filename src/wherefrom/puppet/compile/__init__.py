"""From trees to closures.

Every expression of the tree becomes a Python function of a frame that returns the value and its origin. This is done
once for each tree, when its code is first needed; what does not depend on the run (literals and their leaves, places,
names, resolved functions) is worked out at that time and captured, so that running is little more than calling.

One module per family: `literals` (and strings, arrays, hashes, variables), `operators`, `access`, `control`, `calls`
(functions and lambdas), `catalog` (resources, defaults, overrides, collectors, arrows), `templates`. `effects` sums up
what a branch that is not taken would have done. `build` is the table they register in.
"""

from __future__ import annotations

from ..runtime.library import Code
from . import access, calls, catalog, control, literals, operators, templates
from .bodies import compile_body
from .build import compile_parameters

__all__ = [
    "Code",
    "access",
    "calls",
    "catalog",
    "compile_body",
    "compile_parameters",
    "control",
    "literals",
    "operators",
    "templates",
]

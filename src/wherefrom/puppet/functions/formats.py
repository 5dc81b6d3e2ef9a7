"""`sprintf`: text by a format.  The format language is `wherefrom.puppet.types.sprintf`."""

from __future__ import annotations

import re

from ..kernel.failures import FunctionFailure
from ..kernel.values import Value
from ..types import ruby
from .registry import function


@function(
    "sprintf",
    "Any $format, Any *$arguments",
    legacy=True,
    differs="`%.0e` of a number that lies just below a half may be rounded down where Ruby rounds up",
)
def sprintf(format: Value, *arguments: Value) -> str:
    """Text made by a format in the manner of C's `printf`, as Ruby understands it.

    With a hash as only argument, `%<name>d` and `%{name}` take its values by name.

    puppet> sprintf('%05.1f|%-4s|%x', 3.14159, 'ab', 255)
    '003.1|ab  |ff'
    puppet> sprintf('%<x>s is %<y>d', { 'x' => 'value', 'y' => 42 })
    'value is 42'
    """
    from ..kernel.type_failures import FormatProblem
    from ..types.sprintf import sprintf as show

    if not isinstance(format, str):
        raise FunctionFailure(f"no implicit conversion of {ruby.kind_name(format)} into String")
    try:
        return show(format, arguments, ruby.legacy_text)
    except FormatProblem as problem:
        # References are resources in the old interface.
        words = re.sub(r"Puppet::Pops::Types::P(Resource|Class)Type", "Puppet::Resource", problem.message)
        raise FunctionFailure(words) from None

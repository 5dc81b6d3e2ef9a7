"""What the kinds of types ask of the parts of this package that lie above them.

A type says which values it accepts, and for some kinds that takes more than the kinds themselves: the type of a value,
a match against a pattern, what `new` takes. Those parts know all kinds; so that the kinds need not know them, the
package (`wherefrom.puppet.types`) hands them in when it is imported. Types are values here, as in the language.
"""

from __future__ import annotations

from collections.abc import Callable

from ..kernel.values import Value


class Services:
    """One function for each question."""

    infer: Callable[[Value], Value]
    """The type of a value."""

    to_string: Callable[[Value], str]
    """The text of a type."""

    normalized_variant: Callable[[Value], Value]
    """The simplest form of a `Variant`."""

    match: Callable[[Value, Value], bool]
    """Does a value match a pattern, as `=~` and `case` have it?"""

    assert_instance: Callable[[str, Value, Value], Value]
    """The value, which must be an instance of a type; fails with the subject's name if it is not."""

    init_types: Callable[[Value], tuple[Value, Value, bool]]
    """What `Init[T]` accepts: single arguments of `new`, arrays of several, and whether one of several suffices."""


SERVICES = Services()

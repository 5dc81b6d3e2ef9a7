"""Functions that leave the code they stand in."""

from __future__ import annotations

from ...provenance.origins import Absent, guarded
from ..kernel.acts import Acts
from ..kernel.jumps import Break, Next, Return
from ..kernel.traced import Traced
from .registry import Call, calling


def _leaving(call: Call) -> Traced:
    """The value that leaves, which leaves because of the tests in force here."""
    argument = call.argument(0)
    value, origin = (
        argument if argument is not None else (None, Absent(f"value of {call.function.name}", (), call.span))
    )
    return value, guarded(origin, call.machine.guard)


@calling("return", "Any $value?", acts=Acts.RETURNS, passes_on=True)
def return_(call: Call) -> Traced:
    """Ends the function, class or define that it stands in; a function returns the argument, or `undef`.

    puppet> with(1) |$x| { if $x > 0 { next('positive') } 'negative' }
    'positive'
    """
    raise Return(*_leaving(call), call.span)


@calling("next", "Any $value?", acts=Acts.CONTINUES, passes_on=True)
def next_(call: Call) -> Traced:
    """Ends the lambda that it stands in for this time, with the argument (or `undef`) as its result.

    puppet> [1, 2, 3].map |$x| { if $x == 2 { next('two') } $x }
    [1, 'two', 3]
    """
    raise Next(*_leaving(call), call.span)


@calling("break", "", acts=Acts.BREAKS, passes_on=True)
def break_(call: Call) -> Traced:
    """Ends the innermost iteration: no further elements are looked at.

    puppet> [1, 2, 3].map |$x| { if $x == 2 { break() } $x }
    [1]
    """
    raise Break(None, guarded(Absent("break", (), call.span), call.machine.guard), call.span)


@calling("import", "Any *$args")
def import_(call: Call) -> Traced:
    """Was a way to read other manifests.  Puppet no longer has it, and the call fails.

    puppet> import('other.pp')
    error: Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation
    """
    raise call.fail(
        "Use of 'import' has been discontinued in favor of a manifest directory. "
        "See http://links.puppet.com/puppet-import-deprecation",
        "DISCONTINUED_IMPORT",
    )

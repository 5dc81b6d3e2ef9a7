"""`strftime`: times as text."""

from __future__ import annotations

from ...provenance.operations import FunctionCall
from ...provenance.origins import Leaf, Step
from ..kernel.traced import Traced
from ..kernel.values import Timespan, Timestamp
from .registry import Call, calling


@calling(
    "strftime",
    "Timespan $time_object, String $format",
    "Timestamp $time_object, String $format, String $timezone?",
    "String $format, String $timezone?",
)
def strftime(call: Call) -> Traced:
    """A `Timestamp` or `Timespan` as text, by a format such as `%Y-%m-%d`, perhaps in a time zone.

    Without a time (deprecated) it is the time of the compilation, which is an input like any other.

    puppet> strftime(Timestamp('2018-03-04T05:06:07'), '%Y/%m/%d %H:%M')
    '2018/03/04 05:06'
    puppet> strftime(Timespan({ 'hours' => 25, 'minutes' => 3 }), '%D:%H:%M')
    '1:01:03'
    """
    from ..kernel.times import format_timespan, format_timestamp

    value = call.values[0]
    if isinstance(value, Timespan):
        return call.computed(format_timespan(value, call.values[1]))
    if isinstance(value, Timestamp):
        return call.computed(format_timestamp(value, *call.values[1:]))
    call.machine.warn_once(
        "legacy#strftime",
        "The argument signature (String format, [String timezone]) is deprecated for #strftime. "
        "See #strftime documentation and Timespan type for more info",
        call.span,
    )
    seconds, clock = call.machine.clock()
    now = Timestamp(int(seconds * 1_000_000_000))
    clock = Leaf(clock.kind, clock.name, clock.span, now)  # the function is called again with a time
    text = format_timestamp(now, *call.values)
    return text, Step(FunctionCall("strftime"), (clock, *call.origins), call.span)

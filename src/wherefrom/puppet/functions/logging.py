"""Functions that say something: the log levels, and `fail`."""

from __future__ import annotations

from ...provenance.origins import Absent
from ..kernel.traced import Traced
from ..kernel.values import weigh_text
from ..types import ruby
from .registry import Call, calling


def _log(call: Call) -> Traced:
    from ..types import puppet_string

    texts = [puppet_string(value) for value in call.values]
    weigh_text(texts, call.span)  # a text that exists already is written out once more
    message = " ".join(texts)
    call.machine.log(call.function.name, message, call.span, call.step())
    return None, Absent(f"result of {call.function.name}", (), call.span)


@calling("debug", "Any *$values")
def debug(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `debug`.

    puppet> debug('looking', 1)
    undef
    """
    return _log(call)


@calling("info", "Any *$values")
def info(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `info`.

    puppet> info('started')
    undef
    """
    return _log(call)


@calling("notice", "Any *$values")
def notice(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `notice`.

    puppet> notice('a', [1, 2])
    undef
    """
    return _log(call)


@calling("warning", "Any *$values")
def warning(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `warning`.

    puppet> warning('careful')
    undef
    """
    return _log(call)


@calling("err", "Any *$values")
def err(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `err`.  Compiling goes on.

    puppet> err('wrong')
    undef
    """
    return _log(call)


@calling("alert", "Any *$values")
def alert(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `alert`.

    puppet> alert('look')
    undef
    """
    return _log(call)


@calling("crit", "Any *$values")
def crit(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `crit`.

    puppet> crit('bad')
    undef
    """
    return _log(call)


@calling("emerg", "Any *$values")
def emerg(call: Call) -> Traced:
    """Logs the arguments, with spaces between them, as a message of level `emerg`.

    puppet> emerg('worse')
    undef
    """
    return _log(call)


@calling("fail", "Any *$values", legacy=True)
def fail(call: Call) -> Traced:
    """Stops the compilation with the arguments, with spaces between them, as the error's message.

    puppet> fail('no such platform:', 'plan9')
    error: no such platform: plan9
    """
    raise call.fail(" ".join(map(ruby.legacy_text, call.values)))

"""Functions that reach for something by a name or path given as text: `get`, `getvar` and `call`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...base.diagnostics import Diagnostic
from ...provenance.origins import Absent, Choice, Items, Origin, Step
from ..kernel.acts import Acts
from ..kernel.failures import DataFailure, FunctionFailure
from ..kernel.operations import BYTES_AS_TEXT, HIDE, DeferredArgument, ErrorAt
from ..kernel.shadow import Shadow, gathered
from ..kernel.traced import Traced
from ..kernel.values import Binary, Deferred, ObjectValue, Sensitive, Value, bytes_text
from ..types.ruby import whole_number
from .collections import inside, walk_path
from .registry import Call, calling, mismatch
from .table import find


@calling("get", "Any $value, String $dotted_string, Any $default_value?, Callable[1,1] &$block?", passes_on=True)
def get(call: Call) -> Traced:
    """The value found in another along a path of keys and indexes with dots between them, or a default.

    Parts of the path in quotes may hold dots. A lambda gets the error if the path leads into something that has no
    parts, and its result is used.

    puppet> get({ 'a' => [{ 'b' => 'found' }] }, 'a.0.b')
    'found'
    puppet> get({ 'a' => 1 }, 'x.y', 'default')
    'default'
    """
    default = call.argument(2)
    return navigate(call, (call.values[0], call.origins[0]), call.values[1], call.origins[1], default)


def navigate(call: Call, start: Traced, path: str, reason: Origin, default: Traced | None) -> Traced:
    """Follow `path` from `start`."""
    if default is None:
        default = (None, Absent("default value", (), call.span))
    value, origin = start
    if value is None:
        return default[0], Choice((origin,), default[1], call.span, call.function.label)
    if not path:
        return value, Choice((reason,), origin, call.span, call.function.label)
    segments = split_path(path)
    _check_diggable([value, *segments])
    try:
        reached, reached_origin = walk_path(call, value, origin, [(segment, reason) for segment in segments])
    except DataFailure as failure:
        if call.block is None:
            raise
        origin = Choice((reason,), Step(ErrorAt(path), (origin,), call.span), call.span, call.function.label)
        value, block_origin = call.block.call((error_value(failure),), (origin,), origin)
        return value, Choice((origin, reason), block_origin, call.span, call.function.label)
    if reached is None:
        return default[0], Choice((reached_origin,), default[1], call.span, call.function.label)
    return reached, reached_origin


def _check_diggable(arguments: list[Value]) -> None:
    """Fail as `dig` does for what is no collection."""
    dig = find("dig")
    assert dig is not None
    dig.select(arguments, None)


_SEGMENT = re.compile(r"""(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)""")


def split_path(path: str) -> list[str | int]:
    """The keys and indexes of a dotted path; quoted parts may hold dots, whole numbers are indexes."""
    segments: list[str | int] = []
    at = 0
    text = "x." + path
    expecting = True
    while at < len(text):
        segment = _SEGMENT.match(text, at) if expecting else None
        if segment is None:
            if expecting or text[at] != ".":
                raise FunctionFailure("Syntax error in dotted-navigation string")
            at += 1
            expecting = True
            continue
        at = segment.end()
        expecting = False
        part = segment[0].strip()
        if part[:1] in ("'", '"'):
            segments.append(part[1:-1])
        elif re.fullmatch(r":?[+-]?[0-9]+", part):
            segments.append(whole_number(part) if not part.startswith(":") else 0)
        else:
            segments.append(part)
    if expecting:
        raise FunctionFailure("Syntax error in dotted-navigation string")
    return segments[1:]


def failure_at(value: Value, path: str) -> DataFailure:
    """The failure of following `path` into `value`, which is known to fail."""
    from ...provenance.origins import UNTRACED
    from .alone import AloneMachine

    get = find("get")
    assert get is not None
    try:
        get.call(AloneMachine(), [value, path], [UNTRACED, UNTRACED])
    except DataFailure as failure:
        return failure
    raise FunctionFailure("the path can be followed")


def error_value(failure: DataFailure) -> Value:
    """The `Error` object that a lambda gets to see."""
    from ..types.objects import ERROR

    details = dict(failure.details)
    return ObjectValue(
        ERROR, {"msg": failure.message, "kind": failure.kind, "details": details, "issue_code": failure.issue_code}
    )


@calling(
    "getvar",
    r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/] $get_string, Any $default_value?, Callable[1,1] &$block?",
    passes_on=True,
)
def getvar(call: Call) -> Traced:
    """The value of a variable named by a text, or of something inside it along a dotted path, or a default.

    puppet> getvar('facts.os.family')
    'Debian'
    puppet> getvar('nothing', 'default')
    'default'
    """
    parts = re.match(r"((?:::)?(?:\w+::)*\w+)(.*)\Z", call.values[0], re.DOTALL | re.ASCII)
    assert parts is not None
    name, path = parts[1], parts[2]
    if path.startswith("."):
        path = path[1:]
    elif path:
        raise call.fail(f"First character after var name in get string must be a '.' - got {path[0]}")
    default = call.argument(1)
    variable = call.machine.variable(name)
    if variable is None:
        absent = call.machine.absent_variable(name, call.span)
        if default is None:
            default = (None, absent)
        return default[0], Choice((call.origins[0], absent), default[1], call.span, call.function.label)
    named = (variable[0], Choice((call.origins[0],), variable[1], call.span, call.function.label))
    return navigate(call, named, path, call.origins[0], default)


@mismatch("getvar")
def _invalid_variable(values: Sequence[Value]) -> str | None:
    if 1 <= len(values) <= 2 and isinstance(values[0], str):
        return "The given string does not start with a valid variable name"
    return None


@calling("call", "String $function_name, Any *$arguments, Callable &$block?", "Deferred $deferred", acts=Acts.CALLS)
def call_(call: Call) -> Traced:
    """Calls the function whose name is given with the other arguments (and the lambda), or resolves a `Deferred`.

    puppet> call('join', ['a', 'b'], '-')
    'a-b'
    """
    first = call.values[0]
    if isinstance(first, Deferred):
        return _resolve(call, first, call.origins[0])
    return _called(call, first, call.values[1:], call.origins[1:])


def _called(call: Call, name: str, values: Sequence[Value], origins: Sequence[Origin]) -> Traced:
    try:
        value, origin = call.machine.call_function(name, values, origins, call.block, call.span)
        return value, Choice((call.origins[0],), origin, call.span, call.function.label)
    except Diagnostic as problem:
        if getattr(problem, "issue", None) == "UNKNOWN_FUNCTION" and f"'{name}'" in problem.message:
            raise call.fail(f"Unknown function '{name}'") from None
        raise


def _resolve(call: Call, deferred: Deferred, origin: Origin) -> Traced:
    arguments = _resolved_arguments(call, deferred, origin)
    if deferred.name.startswith("$"):
        value, source = _top_variable(call, deferred.name[1:], origin)
        _check_diggable([value, *(key for key, _ in arguments)])
        return walk_path(call, value, source, arguments)
    return _called(
        call, deferred.name, [value for value, _ in arguments], [argument_origin for _, argument_origin in arguments]
    )


def _top_variable(call: Call, name: str, origin: Origin) -> Traced:
    """A variable as the agent will look for it: from the top scope, and one that is not there is complained of."""
    machine = call.machine
    variable = machine.top_variable(name)
    if variable is not None:
        return variable
    absent = Choice((origin,), machine.absent_variable(name if "::" in name else f"::{name}", call.span))
    owner = name.rpartition("::")[0]
    reason = ""
    if owner:
        known = machine.class_exists(owner)[0]
        reason = f"class {owner} {'has not been evaluated' if known else 'could not be found'}"
    words = f"Undefined variable '{name}'; {reason}"
    if machine.setting("strict") == "error":
        raise call.fail(words)
    if machine.setting("strict") == "warning":
        machine.warn_once(f"Variable: {name}", words, None)
    return None, absent


def _resolved_arguments(call: Call, deferred: Deferred, origin: Origin) -> list[Traced]:
    """The arguments of a deferred call, with the deferred calls in them made."""
    return [
        _resolved(call, argument, Step(DeferredArgument(index), (origin,), call.span))
        for index, argument in enumerate(deferred.arguments or ())
    ]


def _resolved(call: Call, value: Value, origin: Origin) -> Traced:
    """A value with the deferred calls in it made, and bytes as the text that they are."""
    if isinstance(value, Deferred):
        return _resolve(call, value, origin)
    if isinstance(value, Binary):
        return bytes_text(value), Step(BYTES_AS_TEXT, (origin,), call.span)
    if isinstance(value, Sensitive):
        inner, hidden = _resolved(call, value.value, inside(origin, call))
        return (inner, hidden) if isinstance(inner, Sensitive) else (Sensitive(inner), Step(HIDE, (hidden,), call.span))
    if isinstance(value, list):
        shadow = Shadow(origin)
        return gathered(
            (_resolved(call, element, shadow.item(index)) for index, element in enumerate(value)), shadow.own
        )
    if isinstance(value, dict):
        shadow = Shadow(origin)
        entries = {
            key: _resolved(call, element, shadow.value(key, position))
            for position, (key, element) in enumerate(value.items())
        }
        return {key: element for key, (element, _) in entries.items()}, Items(
            {key: element_origin for key, (_, element_origin) in entries.items()}, shadow.own
        )
    return value, origin

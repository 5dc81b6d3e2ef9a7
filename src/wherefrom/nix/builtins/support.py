"""What builtins ask of their arguments: force a slot and insist on a type, with Nix's words when it is another.

Everything that builtins take from the evaluator besides `values` passes through here.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING

from ...base.budget import current
from ..kernel import operators
from ..kernel.errors import RefusedInNix, TypeMismatch
from ..kernel.operators import FEW, check_list_size
from ..kernel.running import running_here
from ..kernel.values import (
    Attrs,
    Slot,
    Value,
    apply,
    call_later,
    context_of,
    delay,
    describe_type,
    force,
    is_function,
    is_ready,
)
from .errors import ContextNotAllowed, NotAbsolute

if TYPE_CHECKING:
    from ..kernel.world import Machine


CALL = 10
"""Elements that a call which waits to be made takes the room of."""


def need_int(slot: Slot) -> int:
    """An integer."""
    value = force(slot)
    if type(value) is not int:
        raise TypeMismatch(describe_type(value), "an integer")
    return value


def need_index(slot: Slot) -> int:
    """An integer that counts elements or bytes.  Nix 2.8 keeps these in 32 bits, so the rest is cut off here too."""
    return (need_int(slot) + (1 << 31) & 0xFFFFFFFF) - (1 << 31)


def need_float(slot: Slot) -> float:
    """A float; an integer will do."""
    value = force(slot)
    if type(value) is float:
        return value
    if type(value) is not int:
        raise TypeMismatch(describe_type(value), "a float")
    return float(value)


def need_bool(slot: Slot) -> bool:
    """A Boolean."""
    if slot is True or slot is False:
        return slot
    value = force(slot)
    if value is True:
        return True
    if value is False:
        return False
    raise TypeMismatch(describe_type(value), "a Boolean")


def need_string(slot: Slot) -> str:
    """A string, with or without context."""
    value = force(slot)
    if not isinstance(value, str):
        raise TypeMismatch(describe_type(value), "a string")
    return value


def need_plain_string(slot: Slot) -> str:
    """A string that refers to no store path."""
    if type(slot) is str:
        return slot
    value = force(slot)
    if type(value) is str:
        return value
    if not isinstance(value, str):
        raise TypeMismatch(describe_type(value), "a string")
    for path in sorted(context_of(value)):
        raise ContextNotAllowed(str(value), path.lstrip("=").rsplit("!", 1)[-1])
    return str(value)


def need_list(slot: Slot) -> list[Slot]:
    """A list."""
    if type(slot) is list:
        return slot
    value = force(slot)
    if type(value) is not list:
        raise TypeMismatch(describe_type(value), "a list")
    return value


def walk_list(slot: Slot, doing: str) -> list[Slot]:
    """A list whose every element the builtin is going to look at."""
    items = slot if type(slot) is list else need_list(slot)
    if len(items) > FEW:
        budget = current()
        budget.steps -= len(items)
        if budget.steps < 0:
            budget.over("steps", doing)
    return items


def need_attrs(slot: Slot) -> Attrs:
    """An attribute set."""
    if type(slot) is Attrs:
        return slot
    value = force(slot)
    if type(value) is not Attrs:
        raise TypeMismatch(describe_type(value), "a set")
    return value


def need_function(slot: Slot) -> Value:
    """Something that can be called: a function, a builtin, or a set with `__functor`."""
    value = force(slot)
    if type(value) is FunctionType or is_function(value) or (type(value) is Attrs and "__functor" in value.table):
        return value
    raise TypeMismatch(describe_type(value), "a function")


def caller(function: Value) -> Callable[[Slot], Slot]:
    """A Python function that calls `function`, for builtins that do so again and again."""
    return function if type(function) is FunctionType else partial(apply, function)


def calls_later(function: Slot, arguments: Sequence[Slot]) -> list[Slot]:
    """A thunk for `function argument` for each argument.  As in Nix, the function itself is not looked at before."""
    if len(arguments) * CALL > FEW:
        check_list_size(len(arguments) * CALL, "calls that wait")
    if is_ready(function):
        function = function.value
    elif type(function) is tuple:  # a cell, with tracing on
        function = function[0]
    if type(function) is FunctionType:  # the quick way: nothing between the thunk and the function
        return [
            delay(function, argument) if argument is not None else call_later(function, None) for argument in arguments
        ]
    return [delay(partial(_apply_slot, function, argument)) for argument in arguments]


def _apply_slot(function: Slot, argument: Slot) -> Slot:
    return apply(force(function), argument)


# --- the world ------------------------------------------------------------------------------------------------------


def note_input(machine: Machine, kind: str, name: str, value: object) -> None:
    """With tracing on: note that the running builtin looked at something outside the program."""
    if machine.traced and (touched := running_here().touched) is not None:
        touched.append(input_slot(machine, kind, name, value))
    elif machine.masks is not None:
        machine.masks.use(kind, name)


def look_at(machine: Machine, path: str) -> None:
    """In a masked run: what follows depends on the file or directory at `path`, also if it can not be read."""
    if machine.masks is not None:
        machine.masks.use("file", path)


def input_slot(machine: Machine, kind: str, name: str, data: object, value: Value = None) -> Slot:
    """A value from outside the program; with tracing on it knows that it is an input (see `origins.KINDS`).

    `data` is what it is as plain data; `value` is the value, if that is another thing.
    """
    value = data if value is None else value
    if machine.masks is not None:
        return delay(None, value, machine.masks.bit(kind, name))
    if not machine.traced:
        return value
    from ...provenance.origins import Leaf
    from ..trace.cells import How

    return (value, How("leaf", "", None, leaf=Leaf(kind, name, None, data)))


# --- strings and paths ----------------------------------------------------------------------------------------------


def coerce_to_string(machine: Machine, slot: Slot, context: set[str], *, more: bool = False, copy: bool = True) -> str:
    """What is in `slot` as a plain text; its store context is added to `context`.

    With `copy` a path becomes the path of its copy in the store; with `more` numbers, Booleans, null and lists will do.
    """
    return str(operators.coerce_to_string(force(slot), context, machine, more=more, copy=copy))


def coerce_to_path(machine: Machine, slot: Slot, context: set[str]) -> str:
    """What is in `slot` as an absolute path.

    A string stays as it is: `file/..` is no directory, and `link/..` is the parent of what the link points to.
    """
    text = coerce_to_string(machine, slot, context, copy=False)
    if not text.startswith("/"):
        raise NotAbsolute(text)
    return text


def canonical(path: str) -> str:
    """An absolute path without `.`, `..` and double slashes.

    >>> canonical("//a/./b/../c/")
    '/a/c'
    """
    return "/" + os.path.normpath(path).lstrip("/")


def readable_path(machine: Machine, slot: Slot) -> str:
    """What is in `slot` as a path whose file may be read now: nothing that has to be built first."""
    context: set[str] = set()
    path = coerce_to_path(machine, slot, context)
    for reference in sorted(context):
        if reference[0] == "!":
            output, drv = reference[1:].split("!", 1)
            raise RefusedInNix(
                f"{path} is created by building output '{output}' of {drv}, and wherefrom builds nothing",
                help="files built by a derivation cannot be read during evaluation",
            )
    return machine.store.original(path)

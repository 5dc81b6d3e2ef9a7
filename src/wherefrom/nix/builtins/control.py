"""Builtins that decide when things are computed and what happens when they fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernel.errors import CATCHABLE, Aborted, NixError, Thrown
from ..kernel.output import deep_force, print_value
from ..kernel.running import running_here
from ..kernel.values import Attrs, Slot, force
from .registry import builtin
from .support import coerce_to_string

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("throw")
def throw(machine: Machine, message: Slot) -> Slot:
    """Fail with `message`.  `tryEval` can catch it.

    nix> (builtins.tryEval (throw "no")).success
    false
    """
    raise Thrown(str(coerce_to_string(machine, message, set())))


@builtin("abort")
def abort(machine: Machine, message: Slot) -> Slot:
    """Fail with `message`.  Nothing catches it.

    nix> if true then 1 else abort "never reached"
    1
    """
    raise Aborted(str(coerce_to_string(machine, message, set())))


@builtin("tryEval")
def try_eval(machine: Machine, value: Slot) -> Slot:
    """`{ success = true; value = ...; }`, or `{ success = false; value = false; }` after a throw or failed assertion.

    Only the outermost layer is evaluated, and other errors are not caught.

    nix> builtins.tryEval (assert false; 1)
    { success = false; value = false; }
    """
    if machine.traced:
        return _recorded_attempt(machine, value)
    try:
        force(value)
    except CATCHABLE:
        return Attrs({"success": False, "value": False})
    return Attrs({"success": True, "value": value})


def _recorded_attempt(machine: Machine, value: Slot) -> Attrs:
    """What `tryEval` gives, with what it depends on: after a failure, all that led to it."""
    from ..trace.failures import causes, verdict

    looked = machine.looked
    depth = len(looked)
    looked.append([])  # from here on the tests in force are noted
    try:
        force(value)
    except CATCHABLE as problem:
        because = causes(looked[depth:], problem)
        if (touched := running_here().touched) is not None:
            touched.extend(because)
        return Attrs({"success": verdict(False, because), "value": verdict(False, because)})
    finally:
        del looked[depth:]
    return Attrs({"success": verdict(True, (value,)), "value": value})


@builtin("seq", forces=(0,))
def seq(machine: Machine, first: Slot, second: Slot) -> Slot:
    """Evaluate `first` (its outermost layer), then return `second`.

    nix> builtins.seq (1 + 1) "done"
    "done"
    """
    force(first)
    return second


@builtin("deepSeq")
def deep_seq(machine: Machine, first: Slot, second: Slot) -> Slot:
    """Evaluate `first` and everything in it, then return `second`.

    nix> builtins.deepSeq [ 1 { a = 1 + 1; } ] "done"
    "done"
    """
    deep_force(first)
    return second


@builtin("trace", looks=True)
def trace(machine: Machine, message: Slot, value: Slot) -> Slot:
    """Print `message` (a string as it is, other values as Nix prints them) on standard error, then return `value`.

    nix> builtins.trace "looking" 1
    1
    """
    shown = force(message)
    machine.trace(f"trace: {str(shown) if isinstance(shown, str) else print_value(shown)}")
    return value


@builtin("addErrorContext")
def add_error_context(machine: Machine, message: Slot, value: Slot) -> Slot:
    """`value`; if evaluating it fails, the error also says `message`.

    nix> builtins.addErrorContext "while looking" 1
    1
    """
    try:
        force(value)
    except NixError as problem:
        try:
            problem.with_note(str(coerce_to_string(machine, message, set())))
        except NixError as another:
            another.blame(*problem.because)
            raise
        raise
    return value

"""Deferred calls as values of parameters: what Puppet finds out about them while it compiles.

A call that the agent will make has no value yet, but its function may say what type it returns, and that must fit the
parameter. A function that says nothing is warned about, once; one that does not take the arguments, or that is not
there at all, is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ..kernel.failures import CompilerFailed, Failure
from ..kernel.values import Deferred
from ..types import parse_type
from ..types.model import PuppetType

if TYPE_CHECKING:
    from ..types.containers import StructType
    from .compilation import Compilation

_RETURNED = {
    **dict.fromkeys(("alert", "crit", "debug", "emerg", "err", "info", "notice", "warning"), "Undef"),
    **dict.fromkeys(("epp", "inline_epp"), "Variant[String, Sensitive[String]]"),
}
"""The core functions that say what they return; those that want a lambda too can not be deferred."""


def returned_types(
    run: Compilation, struct: StructType, values: Mapping[str, object], lazily: bool
) -> dict[str, PuppetType | None]:
    """For each parameter whose value is a deferred call: the type that will be returned, or nothing.

    `lazily`: the resource is evaluated after the code that declares it, and Puppet does not tell where that stands.
    """
    types: dict[str, PuppetType | None] = {}
    for element in struct.elements:
        value = values.get(element.name)
        if isinstance(value, Deferred):
            try:
                types[element.name] = _returned(run, value)
            except Failure as problem:
                if not lazily:
                    raise
                cause = "NoMethodError" if problem.message.startswith("undefined") else "ArgumentError"
                raise CompilerFailed(cause, problem.message, None, "arguments") from None
            if types[element.name] is None:
                run.warn_once(
                    f"{value.name}_deferred_warning",
                    f"Deferred function {value.name} has no return_type, unable to guarantee value type during "
                    "compilation.\n   (file & line not available)",
                    None,
                )
    return types


def _returned(run: Compilation, deferred: Deferred) -> PuppetType | None:
    try:
        function = run.environment.function(deferred.name, None)
    except Diagnostic:
        raise Failure("undefined method `dispatcher' for NilClass:Class", kind="UNKNOWN_FUNCTION") from None
    code = getattr(function, "code", None)
    if code is None:
        _check(deferred, lambda: function.select(deferred.arguments, None))
        text = _RETURNED.get(deferred.name)
        return None if text is None else parse_type(text)
    _check(deferred, lambda: code.signature_of_run(run).takes(deferred.arguments, None))
    if code.return_code is None:
        return None
    declared: PuppetType = code.return_code(run.top)[0]
    return declared


def _check(deferred: Deferred, select: Any) -> None:
    try:
        fits = deferred.arguments is not None and select()
    except Diagnostic:
        fits = False
    if fits is False:
        from ..types.sprintf import inspect

        shown = "" if deferred.arguments is None else inspect(list(deferred.arguments))
        raise Failure(f"No matching arity found for {deferred.name} with arguments {shown}", kind="arguments")

"""Why nothing is at a path that is no resource: a part of a value, a variable, a key of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.spell import nearest
from ...provenance.explain import short
from ...provenance.extract import expression, leaves, where
from ...provenance.origins import Leaf, Origin
from ..kernel.shadow import part
from ..kernel.values import Sensitive
from .data import data_keys, keys_read, ladder_of
from .missing import MAX_INPUTS, Reason, input_words, why_absent
from .named_in_data import keys_in_data

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation

MAX_PARTS = 6
MAX_PLACES = 5


def why_no_part(
    run: Compilation, shown: str, value: object, origin: Origin, steps: Sequence[str | int]
) -> list[Diagnostic]:
    """Why a value has nothing at `steps`: what it has there instead, and what it was made from."""
    for step in steps:
        if isinstance(value, Sensitive):
            return []
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value, origin, shown = value[step], part(origin, step), f"{shown}[{step}]"
        elif isinstance(value, dict) and step in value:
            value, origin, shown = value[step], part(origin, step), f"{shown}.{step}"
        else:
            return [_no_such_part(run, shown, value, origin, step)]
    return []


def _no_such_part(run: Compilation, shown: str, value: object, origin: Origin, step: str | int) -> Reason:
    close = None
    match value:
        case dict():
            names = [str(key) for key in value]
            listed = ", ".join(names[:MAX_PARTS]) + (
                f" and {len(names) - MAX_PARTS} more" if len(names) > MAX_PARTS else ""
            )
            words = f"{shown} has no key {step}: " + (f"it has {listed}" if names else "it is empty")
            close = nearest(str(step), names)
        case list():
            words = f"{shown} has {len(value)} element{'s' * (len(value) != 1)}, counted from 0: there is no [{step}]"
        case _:
            words = f"{shown} is {short(value, 60)}: it has no elements"
    inputs = {leaf.key: leaf for leaf in leaves(expression(origin))}
    source = where(origin)
    places = [leaf for leaf in (source, *inputs.values()) if isinstance(leaf, Leaf)]
    span = next((leaf.span for leaf in places if leaf.span is not None), None) or getattr(origin, "span", None)
    notes = []
    listed_inputs = dict.fromkeys(
        input_words(leaf) + (f" ({leaf.span.place})" if leaf.span else "") for leaf in inputs.values()
    )
    if listed_inputs and source is None:
        more = len(listed_inputs) - MAX_INPUTS
        notes.append(
            "it comes from " + ", ".join(list(listed_inputs)[:MAX_INPUTS]) + (f" and {more} more" if more > 0 else "")
        )
    keys = dict.fromkeys(leaf.name.partition(".")[0] for leaf in places if leaf.kind == "hiera")
    for key in list(keys)[:2]:
        notes.append(f"to see all levels: wherefrom lookup {key} --node {run.node}")
    shown_places = (span,) if span is not None else ()
    return Reason(words, *shown_places, notes=notes, help=f"did you mean {close}?" if close else None)


def why_no_variable(run: Compilation, name: str) -> list[Diagnostic]:
    """Why a class has no such variable after the run."""
    class_name, mark, variable = name.removeprefix("::").rpartition("::")
    if not mark:
        return []
    definition = run.environment.find_class(class_name)
    if definition is None or class_name not in run.class_scopes:
        return why_absent(run, "class", class_name)
    known = list(run.class_scopes[class_name].vars)
    close = nearest(variable, known)
    span = definition.span
    return [
        Reason(
            f"class {class_name} is declared on {run.node}, but the code that ran does not assign ${variable}",
            *((span,) if span is not None else ()),
            help=f"did you mean ${class_name}::{close}?" if close else None,
        )
    ]


def why_no_path(run: Compilation, text: str) -> Iterator[Diagnostic]:
    """What a name without a type may be: a key of the data, a class, a type whose title is left out."""
    key = text.removeprefix("hiera:").removeprefix("::")
    name, _, parameter = key.rpartition("::")
    definition = run.environment.find_class(name) if name else None
    is_parameter = definition is not None and any(known.name == parameter for known in definition.parameters)
    base = key.partition(".")[0]
    if is_parameter or base in keys_read(run) or any(written.key == base for written in data_keys(run)):
        ladder = ladder_of(run, base)[0]
        said = f"its value on {run.node} is {short(ladder.shown, 60)}" if ladder.has_value else "no level has it"
        reason = Reason(f"{key} is a key of the data, not a value of the catalog: {said}")
        also = f", or explain 'Class[{name}].{parameter}', the parameter that it is for" if is_parameter else ""
        reason.help = f"ask with `wherefrom lookup {base} --node {run.node}`{also}"
        yield reason
    elif run.environment.find_class(key) is not None:
        yield Reason(f"{key} is a class: ask about Class[{key}]")
        if run.catalog.find("Class", key) is None:
            yield from why_absent(run, "class", key)
    else:
        yield from _elsewhere_in_data(run, base)


def _elsewhere_in_data(run: Compilation, key: str) -> Iterator[Reason]:
    """A key of files that this node does not read."""
    written = {place.path: place for place in keys_in_data(run, key)}
    hint = f"to see all levels: wherefrom lookup {key} --node {run.node}"
    for number, path in enumerate(sorted(written)[:MAX_PLACES]):
        notes = [f"{run.node} does not read this file", *([] if number else [hint])]
        yield Reason(f"{key} is a key of the data, not a value of the catalog", written[path].span, notes=notes)

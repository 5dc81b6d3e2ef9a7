"""From a path of an outcome to the explanation of an option, and to the reasons why there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, Label, PathNotFound
from ...base.source import lines_of
from ...base.spell import nearest
from ...provenance.impact import ImpactTarget, same_file
from ..kernel.errors import NixError
from ..kernel.values import Attrs, Slot, Value, force
from ..options.definitions import Definition, Merges, Option, dotted, path_of
from ..options.explain import Folded, OptionExplanation, OptionTree, TreeRow, no_origin
from ..options.notes import attribute, source_span
from ..trace.history import plain
from ..trace.merges import OPTION, Merge

if TYPE_CHECKING:
    from ...base.source import Span
    from .language import NixOutcome

Steps = Sequence[str | int]


def explain_option(outcome: NixOutcome, path: str, steps: list[str | int], root: Slot) -> Folded | None:
    """The explanation of an option, also of one whose value fails, or of a set of options; nothing for other values."""
    tree = _explain_tree(outcome, path, steps, root)
    if tree is not None:
        return tree
    try:
        containers = outcome._reach(path, steps, root)
        here = containers.pop()
        value = force(here)
        merges = outcome.merges
        merge = _as_option(merges, value) or _whole(outcome, merges.behind(here), steps, root)
        if merge is None:
            return None
        shown = plain(attribute(value, "value") if _as_option(merges, value) else here, strict=True)
    except PathNotFound:
        raise
    except NixError as problem:
        merge = _failed(outcome, steps, root)
        if merge is None:
            raise
        option = outcome.merges.option(merge)
        problem = outcome.machine.explain_error(problem)
        return OptionExplanation(path, None, no_origin, outcome.inputs_of(path), outcome.merges, option, problem)
    return OptionExplanation(
        path,
        shown,
        outcome.spine_of(steps, here, containers),
        outcome.inputs_of(path),
        outcome.merges,
        outcome.merges.option(merge),
    )


def _explain_tree(outcome: NixOutcome, path: str, steps: list[str | int], root: Slot) -> OptionTree | None:
    """The options below a path that is none itself."""
    options, names = located(root, steps)
    if options is None or not names:
        return None
    here: Slot = options
    for name in names:
        try:
            inner = attribute(force(here), name)
        except NixError:
            return None
        if inner is None or outcome.merges.of_result(force(here)) is not None:
            return None
        here = inner
    value = force(here)
    if type(value) is not Attrs or outcome.merges.of_result(value) is not None:
        return None
    if not has_options(outcome.merges, value):
        return None
    containers = outcome._reach(path, steps, root)
    slot = containers.pop()
    rows = tuple(_rows_below(outcome.merges, value, MAX_ROWS))
    return OptionTree(
        path,
        computable(slot),
        outcome.spine_of(steps, slot, containers),
        outcome.inputs_of(path),
        outcome.merges,
        rows,
    )


MAX_ROWS = 400
"""How many options below a path are listed."""


def _rows_below(merges: Merges, value: Attrs, limit: int, depth: int = 20) -> Iterator[TreeRow]:
    for name in value.sorted_names():
        try:
            inner = force(value.table[name])
        except NixError:
            continue
        merge = merges.of_result(inner)
        if merge is None:
            if type(inner) is Attrs and depth and limit > 0:
                for row in _rows_below(merges, inner, limit, depth - 1):
                    limit -= 1
                    yield row
            continue
        limit -= 1
        if limit < 0:
            return
        try:
            shown, failure = plain(inner.table["value"], strict=True), None
        except NixError as problem:
            shown, failure = None, lines_of(problem.message)[0]
        option = merges.option(merge)
        winners = tuple(row for row in option.definitions if row.counts)
        yield TreeRow(option.name, shown, failure, winners)


def computable(slot: Slot) -> object:
    """A value as plain data, without the options that fail."""
    try:
        return plain(slot, strict=True)
    except NixError:
        pass
    try:
        value = force(slot)
    except NixError:
        return None
    if type(value) is not Attrs:
        return None
    parts = {name: computable(value.table[name]) for name in value.sorted_names()}
    return {name: part for name, part in parts.items() if part is not None}


def _as_option(merges: Merges, value: Value) -> Merge | None:
    """The option itself, if that is what the path names (`options.services.web.port`)."""
    merge = merges.of_result(value)
    return merge if merge is not None and merge.watch.kind == OPTION else None


def _whole(outcome: NixOutcome, merge: Merge | None, steps: Steps, root: Slot) -> Merge | None:
    """The option that an element of a list belongs to, in place of the merge of that element."""
    path = path_of(merge) if merge is not None else ()
    if not path or not path[-1].startswith("[definition "):
        return merge
    return outcome.merges.named(path[:-1], located(root, steps)[0]) or merge


def located(root: Slot, steps: Steps) -> tuple[Slot | None, list[str]]:
    """The options beside the configuration that a path goes through, if there are any, and the path of the option."""
    names = [str(step) for step in steps]
    for index, name in enumerate(names):
        if name == "config":
            options = options_beside(root, steps[:index])
            if options is not None:
                return options, names[index + 1 :]
    return None, names


def _failed(outcome: NixOutcome, steps: Steps, root: Slot) -> Merge | None:
    """The merge of an option whose value can not be computed, or the innermost around it."""
    options, path = located(root, steps)
    for end in range(len(path), 0, -1):
        merge = outcome.merges.named(path[:end], options)
        if merge is not None:
            return merge
    return None


def options_beside(root: Slot, before: Steps) -> Slot | None:
    """The set `options` that stands beside a `config`."""
    slot = root
    try:
        for step in before:
            value = force(slot)
            slot = value[int(step)] if type(value) is list else value.table[str(step)]
        return attribute(force(slot), "options")
    except (NixError, LookupError, AttributeError, ValueError):
        return None


def _reach(slot: Slot, steps: Steps) -> None:
    """Compute what stands at a path, as far as there is something: what is merged on the way is noted."""
    try:
        for step in steps:
            value = force(slot)
            slot = value[int(step)] if type(value) is list else value.table[str(step)]
        force(slot)
    except (NixError, LookupError, AttributeError, ValueError):
        return


def missing_option(outcome: NixOutcome, steps: Steps, root: Slot) -> list[Diagnostic]:
    """Why nothing is at an option's path; nothing if it is not in a set of options."""
    options, path = located(root, steps)
    if options is not None:
        _reach(root, steps)
    merge = outcome.merges.named(path, options)
    if merge is not None:
        return _undefined(outcome.merges.option(merge))
    here: Slot = options
    for depth, name in enumerate(path if options is not None else ()):
        value = force(here)
        declared = outcome.merges.of_result(value)
        if declared is not None:
            place = outcome.merges.option(declared).declarations
            name, part = dotted(path[:depth]), path[depth:]
            problem = NotDefined(f"`{name}' is declared here, but `{dotted(part)}' is not defined in it", *place[:1])
            problem.help = _near_part(attribute(value, "value"), part)
            return [problem]
        inner = attribute(value, name)
        if inner is None:
            if not has_options(outcome.merges, value):
                return []
            near = nearest(name, value.table) if type(value) is Attrs else None
            problem = NotDefined(f"no module declares an option `{dotted(path[: depth + 1])}'")
            problem.help = f"did you mean `{dotted([*path[:depth], near])}'?" if near else None
            return [problem]
        here = inner
    return []


def _near_part(slot: Slot | None, part: Sequence[str]) -> str | None:
    """What of an option's value may have been meant."""
    for depth, name in enumerate(part):
        try:
            value = force(slot)
        except NixError:
            return None
        inner = attribute(value, name)
        if inner is None:
            near = nearest(name, value.table) if type(value) is Attrs else None
            return f"did you mean `{dotted([*part[:depth], near])}'?" if near else None
        slot = inner
    return None


def has_options(merges: Merges, value: Value, depth: int = 8) -> bool:
    """Whether a set holds options of a module system, however deep."""
    if merges.of_result(value) is not None:
        return True
    if type(value) is not Attrs or depth == 0:
        return False
    for slot in value.table.values():
        try:
            if has_options(merges, force(slot), depth - 1):
                return True
        except NixError:
            continue
    return False


def defined_by(outcome: NixOutcome, path: str, steps: list[str | int], root: Slot) -> str | None:
    """The option behind a path and the definitions of it that count, in a few words."""
    try:
        here = outcome._reach(path, steps, root).pop()
        force(here)
        merge = _whole(outcome, outcome.merges.behind(here), steps, root)
    except (PathNotFound, NixError):
        merge = None
    if merge is None:
        merge = _failed(outcome, steps, root)
    if merge is None:
        return None
    option = outcome.merges.option(merge)
    rows = [row for row in option.definitions if row.counts]
    return _describe_definitions(option.name, rows)


def _describe_definitions(name: str, rows: Sequence[Definition]) -> str:
    places = [row.place.place + (f" ({row.words})" if row.words else "") for row in rows if row.place is not None]
    shown = ", ".join(places[:4]) + (f" and {len(places) - 4} more" if len(places) > 4 else "")
    return f"{name}, defined {shown}" if places else name


def definitions_at(
    merges: Merges, target: ImpactTarget, paths: Sequence[str], names: set[str]
) -> list[tuple[str, list[str]]]:
    """The definitions that hold an input, each with the outputs of its option; the others with the first of them.

    `names` are names in the paths of the options in question.
    """
    held: dict[str, tuple[str, Definition]] = {}
    for merge in list(merges.merges):
        if merge.watch.kind == OPTION and names.intersection(path_of(merge)):
            option = merges.option(merge)
            for row in option.definitions:
                if row.place is not None and _holds(row, target):
                    held.setdefault(f"{row.place.place} {option.name}", (option.name, row))
    groups: list[tuple[str, list[str]]] = []
    left = list(paths)
    for name, row in held.values():
        assert row.place is not None
        words = f" ({row.words})" if row.words else ""
        own = [path for path in left if is_of(path, name)]
        status = "" if row.counts else f"{row.status}, "
        groups.append((f"{name}, {status}defined {row.place.place}{words}", own))
        left = [path for path in left if path not in own]
    if len(groups) == 1:
        groups[0][1].extend(left)
    return [group for group in groups if group[1]]


def _holds(row: Definition, target: ImpactTarget) -> bool:
    """Whether a definition holds the place that `target` names: from its name to the end of its value."""
    place = row.place
    if place is None or target.line is None or not same_file(place.file.name, target.name):
        return False
    value = source_span(row.content)
    end = value.end if value is not None and value.file is place.file and value.end > place.end else place.end
    return place.line <= target.line <= place.file.line_of(max(place.start, end - 1))


def is_of(path: str, option: str) -> bool:
    """Whether an output is an option's value or a part of it."""
    inside = f".{path}"
    return inside.endswith(f".{option}") or f".{option}." in inside or f".{option}[" in inside


def _undefined(option: Option) -> list[Diagnostic]:
    notes: list[Diagnostic] = []
    for definition in option.definitions:
        false = [condition for condition in definition.conditions if condition.value is not True]
        if not false or definition.place is None:
            continue
        note = NotDefined(f"`{option.name}' is defined here, but its condition is false", definition.place)
        for condition in false:
            if condition.place is not None:
                note.labels.append(Label(condition.place, f"this is {str(condition.value).lower()}"))
            for basis in condition.rests_on:
                because = f"{basis.name or 'it'} is {json.dumps(basis.value, default=str)}"
                if basis.place is not None:
                    note.labels.append(Label(basis.place, because + (" by default" if basis.is_default else "")))
        notes.append(note)
    if not notes:
        words = "is declared, but not defined" if option.declared else "is not defined"
        notes = [NotDefined(f"`{option.name}' {words}", span) for span in option.declarations[:1] or (None,)]
    return notes


class NotDefined(NixError):
    """Why an option, or a part of one, has no value."""

    code = "N051"
    severity = "note"

    def __init__(self, words: str, span: Span | None = None) -> None:
        super().__init__(words, span)

"""SmartFrog's front door: the language and its outcomes, as `wherefrom.language` wants them.

    source -> tokens -> tree (with includes) -> store of slots -> outcome

An outcome's paths are SmartFrog references into `sfConfig`, with `[i]` into vectors: `web:port`, `web:aliases[0]`. An
empty path, or `sfConfig` (unless there is an attribute of that name), is the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..base.diagnostics import Diagnostic, Label, PathNotFound, UsageError
from ..base.host import Host
from ..base.source import SourceFile
from ..base.spell import nearest
from ..base.workshop import Workshop
from ..language import Inputs, Language, Outcome, Selected
from ..provenance.composites import element
from ..provenance.operations import Op
from ..provenance.origins import Origin
from .errors import NotThere, OrderNotAsWritten
from .evaluate import evaluate
from .history import History, out_of_order
from .output import smartfrog_lines, yaml_lines
from .parser import Limits, ParsedFiles, Program, load
from .store import Component, Inherited, Rebuilt, Slot, kind_of, plain, span_of

_PATH = re.compile(r"(?P<names>[^\[\]]*)(?P<indices>(\[\d+\])*)")


class SmartFrogOutcome(Outcome):
    """The store that `sfConfig` compiled to."""

    language = "smartfrog"

    def __init__(self, program: Program, top: Component, workshop: Workshop) -> None:
        self.sources = program.sources
        self.program = program
        self._workshop = workshop
        self._top = top
        store = top.entries["sfConfig"].value
        assert isinstance(store, Component)
        self._store = store
        self._history = History(program.included)

    def document(self) -> dict[str, Any]:
        """The store as plain data; order is kept, data references are `$.a:b`."""
        return self._workshop.do(self._store.plain)

    def text(self) -> str:
        """The store as a SmartFrog program, which compiles to the same store."""
        return "\n".join(smartfrog_lines(self._store)) + "\n"

    def yaml(self) -> str:
        """The store as YAML in the paper's style: strings quoted, data references not."""
        return "\n".join(yaml_lines(self._store)) + "\n"

    def select(self, path: str) -> Selected:
        """The value at a reference like `web:port` or `web:aliases[0]`."""
        return self._workshop.do(lambda: self._select(path))

    def _select(self, path: str) -> Selected:
        names, indices = self._read(path)
        steps: list[tuple[Component, str]] = [(self._top, "sfConfig")]
        value: object = self._store
        for depth, name in enumerate(names):
            if not isinstance(value, Component):
                raise PathNotFound(path, f"{':'.join(names[:depth])} is {kind_of(value)}, not a component")
            if name not in value.entries:
                inside = ":".join(names[:depth]) or "sfConfig"
                near = nearest(name, value.entries)
                hint = ":".join([*names[:depth], near, *names[depth + 1 :]]) if near else None
                raise PathNotFound(path, f"{inside} has no attribute {name}", hint)
            steps.append((value, name))
            value = value.entries[name].value
        origin = self._history.at_path(steps)
        for index in indices:
            if not isinstance(value, list):
                raise PathNotFound(path, f"{':'.join(names)} is {kind_of(value)}, not a vector")
            if index >= len(value):
                raise PathNotFound(path, f"the vector has {len(value)} elements, counted from 0")
            value = value[index]
            inner = element(origin, index)
            assert inner is not None
            origin = inner
        canonical = ":".join(names) + "".join(f"[{index}]" for index in indices)
        if not canonical and "sfConfig" not in self._store.entries:
            canonical = "sfConfig"
        return Selected(canonical, plain(value), origin)

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: the component that lacks it, and an earlier one there that had it."""
        names, _ = self._read(path)
        slot = self._top.entries["sfConfig"]
        for depth, name in enumerate(names):
            inside = ":".join(names[:depth]) or "sfConfig"
            if not isinstance(slot.value, Component):
                why = f"`{inside}` is {kind_of(slot.value)}, so it has no attribute `{name}`"
                return [NotThere(why, Label(span_of(slot), "set here"))]
            if name not in slot.value.entries:
                return [*_lost(inside, name, slot), _never_there(inside, name, slot.value)]
            slot = slot.value.entries[name]
        return []

    def _read(self, path: str) -> tuple[list[str], list[int]]:
        shape = _PATH.fullmatch(path.strip())
        if shape is None:
            raise PathNotFound(path, "expected a reference like web:port or web:aliases[0]")
        names = [name.strip() for name in shape["names"].split(":")] if shape["names"] else []
        if names and names[0] == "sfConfig" and "sfConfig" not in self._store.entries:
            names = names[1:]
        return names, [int(index) for index in re.findall(r"\d+", shape["indices"])]

    def outputs(self) -> Iterator[Selected]:
        """Every basic value (vectors element by element) and every empty component or vector, in order."""
        return iter(self._workshop.do(lambda: list(self._outputs())))

    def _outputs(self) -> Iterator[Selected]:
        if not self._store.entries:
            yield Selected("sfConfig", {}, self._history.at_path([(self._top, "sfConfig")]))
        path: list[tuple[Component, str]] = [(self._top, "sfConfig")]
        stack = [iter(self._store.entries.items())]
        here = [self._store]
        while stack:
            for name, slot in stack[-1]:
                value = slot.value
                if isinstance(value, Component) and value.entries:
                    path.append((here[-1], name))
                    here.append(value)
                    stack.append(iter(value.entries.items()))
                    break
                origin = self._history.at_path([*path, (here[-1], name)])
                text = ":".join([name_above for _, name_above in path[1:]] + [name])
                yield from _elements(text, plain(value), origin)
            else:
                stack.pop()
                path.pop()
                here.pop()

    def apply(self, op: Op, arguments: list[object]) -> object:
        """SmartFrog computes nothing: its terms are literals and what is built from them."""
        raise UsageError(f"SmartFrog has no operation '{op}'")


def _lost(inside: str, name: str, slot: Slot) -> Iterator[Diagnostic]:
    """A component that stood here before, had the name, and was replaced."""
    here: Slot | None = slot
    while here is not None:
        old = here.hidden
        if old is not None and isinstance(old.value, Component) and name in old.value.entries:
            yield NotThere(
                f"`{inside}` had `{name}` before it was replaced",
                Label(span_of(here), "this starts anew; to change one attribute alone, place it: `a:b value;`"),
                Label(span_of(old.value.entries[name]), f"`{name}` was set here"),
            )
            return
        here = here.source if isinstance(here, Inherited | Rebuilt) else old


def _never_there(inside: str, name: str, component: Component) -> Diagnostic:
    """Where a component was made, and the prototypes that could have brought the name."""
    labels = [Label(component.written_at, f"`{inside}` is made here")] if component.written_at is not None else []
    here: Component | None = component
    while here is not None:  # a changed copy has the prototypes of what it is a copy of
        for search in here.prototypes or ():
            labels.append(Label(search.reference.span, f"prototype `{search.path}` has no `{name}` either"))
        here = here.base
    return NotThere(f"no statement gives `{inside}` an attribute `{name}`", *labels)


def _elements(path: str, value: object, origin: Origin) -> Iterator[Selected]:
    if not isinstance(value, list) or not value:
        yield Selected(path, value, origin)
        return
    for index, item in enumerate(value):
        inner = element(origin, index)
        assert inner is not None
        yield from _elements(f"{path}[{index}]", item, inner)


class SmartFrog(Language):
    """SmartFrog as the paper defines it, with `#include`."""

    name = "smartfrog"
    suffixes = (".sf",)

    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """All syntax errors; for a complete program also the first error of meaning, or warnings about order."""
        return Workshop().do(lambda: _check(source, host))

    def run(self, path: str, host: Host, inputs: Inputs, workshop: Workshop | None = None) -> SmartFrogOutcome:
        """Compile the program at `path`.  Options: `max_nodes`, `max_nesting`, `max_source` (see `Limits`)."""
        limits = limits_from(inputs)
        place = workshop or Workshop()
        return place.do(lambda: _compile(host.source(path), host, limits, place))


def _compile(source: SourceFile, host: Host, limits: Limits, workshop: Workshop) -> SmartFrogOutcome:
    program = load(source, host, limits, workshop.keep(ParsedFiles)).checked()
    top, _ = evaluate(program, limits)
    return SmartFrogOutcome(program, top, workshop)


def _check(source: SourceFile, host: Host) -> list[Diagnostic]:
    limits = Limits()
    program = load(source, host, limits)
    if program.problems:
        return program.problems
    if not any(assignment.target.names == ("sfConfig",) for assignment in program.tree.block.assignments()):
        return []  # a file to be included: names it uses may come from the includer
    try:
        top, _ = evaluate(program, limits)
    except Diagnostic as problem:
        return [problem]
    return list(_order_warnings(top))


def _order_warnings(top: Component) -> Iterator[Diagnostic]:
    """One warning for each component whose attributes come in another order than it writes them."""
    seen: set[int] = set()
    told: set[object] = set()
    stack = [top]
    while stack:
        component = stack.pop()
        inner = [slot.value for slot in component.entries.values() if isinstance(slot.value, Component)]
        stack.extend(inside for inside in reversed(inner) if id(inside) not in seen)
        seen.update(map(id, inner))
        for later, earlier in list(out_of_order(component).items())[:1]:
            slot = component.entries[later]
            at = span_of(slot)
            if at in told:
                continue
            told.add(at)
            put, by = _who_put(slot)
            yield OrderNotAsWritten(earlier, later, component.path, at, span_of(put), by)


def _who_put(slot: Slot) -> tuple[Slot, str]:
    """The slot that first put an inherited name, and the component in which it did."""
    put, by = slot.placed, ""
    while isinstance(put, Inherited):
        by = put.search.path
        put = put.source.placed
    return put, by


def limits_from(inputs: Inputs) -> Limits:
    """The bounds, as the options change them."""
    given = {name: inputs.options[name] for name in Limits.__fields__ if name in inputs.options}
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UsageError(f"{name} must be a positive whole number, not {value!r}")
    return Limits(**given)


LANGUAGE = SmartFrog()

"""SmartFrog's front door: the language and its outcomes, as `wherefrom.language` wants them.

    source -> tokens -> tree (with includes) -> store of slots -> outcome

An outcome's paths are SmartFrog references into `sfConfig`, with `[i]` into vectors: `web:port`, `web:aliases[0]`. An
empty path, or `sfConfig` (unless there is an attribute of that name), is the whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..base.deep import with_deep_stack
from ..base.diagnostics import Diagnostic, Label, ManyErrors, PathNotFound, UsageError
from ..base.execution import ExecutionContext
from ..base.host import Host, PureHost
from ..base.mentions import Expected, Mention, Token, expected_name
from ..base.source import SourceFile
from ..base.spell import nearest
from ..base.splices import Obstacle, Rewrite
from ..batch import BatchRequest
from ..language import Inputs, Language, Outcome, Selected
from ..provenance.composites import element, shape, unwrapped
from ..provenance.operations import Op
from ..provenance.origins import Items, Origin, Step
from .errors import NotThere, OrderNotAsWritten
from .evaluate import evaluate
from .forward import evaluate_forward
from .history import History, out_of_order
from .labels import ATTRIBUTES
from .output import smartfrog_lines, yaml_lines
from .parser import Limits, ParsedFiles, Program, load
from .production.nodes import Node, Route
from .production.output import key_text, program_text
from .production.output import plain as production_plain
from .protocol import LEVELS as LEVEL_NAMES
from .protocol import compiled, failed
from .store import Component, Inherited, Rebuilt, Search, Slot, kind_of, plain, span_of

if TYPE_CHECKING:
    from .production.evaluate import Compiled
    from .production.history import ProductionHistory

ORDER_OF = "order of "
"""Before the path of a component: the names of its attributes, in their order."""

_NAME = r'\s*(?:"(?:[^"\\]|\\.)*"|[^:\[\]"]*)\s*'
_PATH = re.compile(rf"(?P<names>{_NAME}(?::{_NAME})*)(?P<indices>(\[\d+\])*)")
_NAMES = re.compile(r'(?:^|:)\s*(?:"((?:[^"\\]|\\.)*)"|([^:\[\]"]*))')
_ODD = re.compile(r'[:\[\]"\\]|^\s|\s$|^$')
"""What a name must have to stand in quotes in a path."""


class SmartFrogOutcome(Outcome):
    """The store that `sfConfig` compiled to."""

    language = "smartfrog"

    def __init__(
        self, program: Program, top: Component, execution: ExecutionContext, phases: Compiled | None = None
    ) -> None:
        self.sources = program.sources
        self.program = program
        self._execution = execution
        self._top = top
        store = top.entries["sfConfig"].value
        assert isinstance(store, Component)
        self.store = store
        self._history: History | ProductionHistory = History(program.included)
        self._dropped = phases.dropped if phases is not None else {}
        if phases is not None:
            from .production.history import ProductionHistory

            self._history = ProductionHistory(
                program.included, phases.placed, program.tree.block, phases.functions, phases.resolver
            )
        self._plain: Callable[[object], object] = plain if phases is None else production_plain

    def document(self) -> dict[str, Any]:
        """The store as plain data; order is kept, data references are `$.a:b`."""
        return self._execution.do(lambda: cast("dict[str, Any]", self._plain(self.store)))

    def text(self) -> str:
        """The store as a SmartFrog program, which compiles to the same store."""
        if isinstance(self.store, Node):
            return self._execution.do(lambda: f"sfConfig {program_text(self.store)}\n")
        return "\n".join(smartfrog_lines(self.store)) + "\n"

    def yaml(self, hide: Callable[[Any], Any] = lambda document: document, as_is: bool = False) -> str:
        """The store as YAML in the paper's style: strings quoted, data references not.  There are no secrets in it."""
        if isinstance(self.store, Node):
            return super().yaml(hide, as_is)
        return "\n".join(yaml_lines(self.store)) + "\n"

    def select(self, path: str) -> Selected:
        """The value at a reference like `web:port` or `web:aliases[0]`."""
        return self._execution.do(lambda: self._select(path))

    def _select(self, path: str) -> Selected:
        ordered = path.startswith(ORDER_OF) and path not in self.store.entries
        names, indices = self._read(path.removeprefix(ORDER_OF) if ordered else path)
        steps: list[tuple[Component, str]] = [(self._top, "sfConfig")]
        value: object = self.store
        for depth, name in enumerate(names):
            if not isinstance(value, Component):
                raise PathNotFound(path, f"{path_of(names[:depth])} is {kind_of(value)}, not a component")
            key = key_named(value, name)
            if key is None:
                inside = path_of(names[:depth]) or "sfConfig"
                near = nearest(name, map(key_text, value.entries))
                hint = path_of([*names[:depth], near, *names[depth + 1 :]]) if near else None
                raise PathNotFound(path, f"{inside} has no attribute {name}", hint)
            steps.append((value, key))
            value = value.entries[key].value
        origin = self._history.at_path(steps)
        if ordered:
            if not isinstance(value, Component) or indices:
                raise PathNotFound(path, f"{self._canonical(names)} is {kind_of(value)}: only a component has an order")
            return Selected(ORDER_OF + self._canonical(names), names_of(value), self._order_origin(steps, origin))
        for index in indices:
            if not isinstance(value, list):
                raise PathNotFound(path, f"{path_of(names)} is {kind_of(value)}, not a vector")
            if index >= len(value):
                raise PathNotFound(path, f"the vector has {len(value)} elements, counted from 0")
            value = value[index]
            origin = element(origin, index) or origin  # what a function computed is told as a whole
        canonical = self._canonical(names) + "".join(f"[{index}]" for index in indices)
        return Selected(canonical, self._plain(value), origin)

    def _canonical(self, names: list[str]) -> str:
        """A path as it is written; the whole is `sfConfig` unless there is an attribute of that name."""
        return path_of(names) or ("" if "sfConfig" in self.store.entries else "sfConfig")

    def missing(self, path: str) -> list[Diagnostic]:
        """Why nothing is at `path`: the component that lacks it, and an earlier one there that had it."""
        names, _ = self._read(path)
        slot = self._top.entries["sfConfig"]
        for depth, name in enumerate(names):
            inside = path_of(names[:depth]) or "sfConfig"
            if not isinstance(slot.value, Component):
                why = f"`{inside}` is {kind_of(slot.value)}, so it has no attribute `{name}`"
                return [NotThere(why, Label(span_of(slot), "set here"))]
            key = key_named(slot.value, name)
            dropped = self._dropped.get((id(slot.value), name))
            if dropped is not None:
                return [_was_dropped(inside, name, dropped)]
            if key is None:
                return [*_lost(inside, name, slot), _never_there(inside, name, slot.value)]
            slot = slot.value.entries[key]
        return []

    def _read(self, path: str) -> tuple[list[str], list[int]]:
        shape = _PATH.fullmatch(path.strip())
        if shape is None:
            raise PathNotFound(path, "expected a reference like web:port or web:aliases[0]")
        names = names_in(shape["names"]) if shape["names"] else []
        if names and names[0] == "sfConfig" and "sfConfig" not in self.store.entries:
            names = names[1:]
        return names, [int(index) for index in re.findall(r"\d+", shape["indices"])]

    def outputs(self) -> Iterator[Selected]:
        """Every basic value (vectors element by element) and every empty component or vector, in order."""
        return iter(self._execution.do(lambda: list(self._outputs())))

    def _outputs(self) -> Iterator[Selected]:
        if not self.store.entries:
            yield Selected("sfConfig", {}, self._history.at_path([(self._top, "sfConfig")]))
        path: list[tuple[Component, str]] = [(self._top, "sfConfig")]
        stack = [iter(self.store.entries.items())]
        here = [self.store]
        while stack:
            for name, slot in stack[-1]:
                value = slot.value
                if isinstance(value, Component) and value.entries:
                    path.append((here[-1], name))
                    here.append(value)
                    stack.append(iter(value.entries.items()))
                    break
                origin = self._history.at_path([*path, (here[-1], name)])
                text = path_of([key_text(key) for _, key in (*path[1:], (here[-1], name))])
                yield from _elements(text, self._plain(value), origin)
            else:
                stack.pop()
                path.pop()
                here.pop()

    def everything(self) -> Iterator[Selected]:
        """The outputs, and the order of each component, as `explain` names it: `order of web`."""
        yield from self.outputs()
        for order, _ in self.orders():
            yield Selected(f"{ORDER_OF}{order.path}", order.value, order.origin)

    def orders(self) -> Iterator[tuple[Selected, str]]:
        """Of each component with several attributes their names, and what put them in their order."""
        return iter(self._execution.do(lambda: list(self._orders())))

    def _orders(self) -> Iterator[tuple[Selected, str]]:
        waiting: list[list[tuple[Component, str]]] = [[(self._top, "sfConfig")]]
        while waiting:
            steps = waiting.pop()
            holder, name = steps[-1]
            component = holder.entries[name].value
            assert isinstance(component, Component)
            if len(component.entries) > 1:
                names = [key_text(key) for _, key in steps[1:]]
                origin = self._order_origin(steps, self._history.at_path(steps))
                inside = f"{path_of(names)}:" if names else ""
                yield Selected(self._canonical(names), names_of(component), origin), inside
            inner = [name for name, slot in component.entries.items() if isinstance(slot.value, Component)]
            waiting += [[*steps, (component, name)] for name in reversed(inner)]

    def _order_origin(self, steps: list[tuple[Component, str]], component: Origin) -> Origin:
        """What decided which attributes a component has, and their order, of the component's origin.

        `steps` lead to it: the statements that put the components on the way say which component it is.
        """
        standing = [self._history.standing.of(holder.entries[name]) for holder, name in steps]
        own = Step(ATTRIBUTES, (*standing, *cast("tuple[Origin, ...]", shape(component))), standing[-1].span)
        inner = unwrapped(component)[1]
        placed = (inner.placed if isinstance(inner, Items) else None) or {}
        return Items(list(placed.values()), own, placed)

    def rewrites(self, path: str, wanted: object) -> Iterator[Rewrite | Obstacle]:
        """Changes of the sources that may give the attribute at `path` another value."""
        from .rewriting import rewrites

        selected = self.select(path)
        names, indices = self._read(path)
        block = self.program.tree.block
        placed = () if indices or path.startswith(ORDER_OF) else names
        return rewrites(selected.path, placed, selected.value, wanted, selected.origin, block, self.apply)

    def apply(self, op: Op, arguments: list[object]) -> object:
        """Compute an operator or function of level production again; the other levels compute nothing."""
        if not isinstance(self.store, Node):
            raise UsageError(f"SmartFrog has no operation '{op}'")
        from .production.computing import COMPUTATIONS

        return COMPUTATIONS.apply(op, arguments, None)


def names_of(component: Component) -> list[str]:
    """The names of a component's attributes, in their order."""
    return [key_text(name) for name in component.entries]


def names_in(path: str) -> list[str]:
    """The names of a path; one that holds `:`, brackets or quotes stands in quotes: `web:"a:b"`.

    >>> names_in('web: "a:b":port')
    ['web', 'a:b', 'port']
    """
    return [
        match[2].strip() if match[1] is None else re.sub(r"\\(.)", r"\1", match[1]) for match in _NAMES.finditer(path)
    ]


def path_of(names: Sequence[str]) -> str:
    """Names as a path.

    >>> path_of(["web", "a:b", "port"])
    'web:"a:b":port'
    """
    return ":".join(_quoted(name) if _ODD.search(name) else name for name in names)


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def key_named(component: Component, name: str) -> str | None:
    """The key of an attribute of this name; a placement that was not placed has the text of its path for one."""
    if name in component.entries:
        return name
    return next((key for key in component.entries if not isinstance(key, str) and key_text(key) == name), None)


def _lost(inside: str, name: str, slot: Slot) -> Iterator[Diagnostic]:
    """A component that stood here before, had the name, and was replaced."""
    here: Slot | None = slot
    while here is not None:
        old = here.hidden
        if old is not None and isinstance(old.value, Component) and name in old.value.entries:
            yield NotThere(
                f"`{inside}` had `{name}` before it was replaced",
                Label(
                    span_of(here), "this replaces the whole component; to change one attribute, place it: `a:b value;`"
                ),
                Label(span_of(old.value.entries[name]), f"`{name}` was set here"),
            )
            return
        here = here.source if isinstance(here, Inherited | Rebuilt) else old


def _was_dropped(inside: str, name: str, slot: Slot) -> Diagnostic:
    """What level production takes away when everything is computed."""
    from .production.link import DROPPED

    while isinstance(slot, Inherited | Rebuilt):
        slot = slot.source
    if slot.value is DROPPED:
        return NotThere(
            f"the assertions `{name}` of `{inside}` hold, and are not part of the result", Label(span_of(slot))
        )
    label = Label(span_of(slot), "its value was used, and is not part of the result")
    return NotThere(f"`{inside}` has `{name}` only while it is compiled: it is tagged `sfTemp`", label)


def _never_there(inside: str, name: str, component: Component) -> Diagnostic:
    """Where a component was made, and the prototypes that could have brought the name."""
    labels = [Label(component.written_at, f"`{inside}` is created here")] if component.written_at is not None else []
    here: Component | None = component
    while here is not None:  # a changed copy has the prototypes of what it is a copy of
        for search in here.prototypes or ():
            words = "has no `{}` either" if not _has_now(search, name) else "had no `{}` yet when it was copied"
            labels.append(Label(search.reference.span, f"prototype `{search.path}` " + words.format(name)))
        here = here.base
    return NotThere(f"no statement gives `{inside}` an attribute `{name}`", *labels)


def _has_now(search: Search | Route, name: str) -> bool:
    """Whether a prototype got an attribute after it was found: by a placement, as a rule."""
    component = search.value if isinstance(search, Route) else search.steps[-1][1].value if search.steps else None
    return isinstance(component, Component) and name in component.entries


def _elements(path: str, value: object, origin: Origin) -> Iterator[Selected]:
    if not isinstance(value, list) or not value:
        yield Selected(path, value, origin)
        return
    for index, item in enumerate(value):
        yield from _elements(f"{path}[{index}]", item, element(origin, index) or origin)


class SmartFrog(Language):
    """SmartFrog as the paper defines it, with `#include`."""

    name = "smartfrog"
    suffixes = (".sf",)

    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """All syntax errors; for a complete program also the first error of meaning, or warnings about order."""
        return ExecutionContext().do(lambda: _check(source, host))

    def mentions(self, source: SourceFile) -> list[Mention]:
        """Attributes, and the references that mean them."""
        from .mentions import mentions_in

        return with_deep_stack(lambda: mentions_in(source))

    def expected(self, source: SourceFile, offset: int) -> Expected | None:
        """Attributes of the file, and of the outermost level of other files; behind a colon, those of a component."""
        from .lexer import RESERVED

        return expected_name(source, self.tokens(source), offset, "_-", ":", sorted(RESERVED))

    def tokens(self, source: SourceFile) -> list[Token]:
        """The pieces of a file."""
        from .tokens import tokens_of

        return list(tokens_of(source))

    def check_with(self, source: SourceFile, host: Host, inputs: Inputs) -> list[Diagnostic]:
        """The same at the level that is asked for; above the core there are no warnings about order."""
        level = level_from(inputs)
        if level == "core":
            return self.check(source, host)
        return ExecutionContext().do(lambda: _check_level(source, host, inputs, level))

    def answer(self, request: BatchRequest, execution: ExecutionContext, roots: Sequence[str] = ()) -> dict[str, Any]:
        """The answer to a request of the batch protocol: the typed store, or the error with its phase and kind."""
        if request.manifest is not None or request.manifest_path is not None:
            return super().answer(request, execution, roots)
        host = PureHost(request.files)
        level = LEVEL_NAMES.get(request.level or "core", request.level or "core")
        options = {**request.settings, "level": level, "properties": request.properties, "environ": request.environment}
        inputs = Inputs(options=options)
        try:
            outcome = self.run(request.main or "main.sf", host, inputs, execution)
            return execution.do(lambda: compiled(request.id, outcome.store))
        except ManyErrors as problems:
            return failed(request.id, problems.diagnostics[0], level)
        except Diagnostic as problem:
            return failed(request.id, problem, level)

    def run(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None = None) -> SmartFrogOutcome:
        """Compile the program at `path`.

        Options: `level` (`core`, `forward` or `production`), `max_nodes`, `max_nesting`, `max_source` (see `Limits`).
        """
        limits = limits_from(inputs)
        level = level_from(inputs)
        place = execution or ExecutionContext()
        return place.do(lambda: _compile(path, host, inputs, level, limits, place))


EVALUATORS = {"core": evaluate, "forward": evaluate_forward}
LEVELS = (*EVALUATORS, "production")


def _compile(
    path: str, host: Host, inputs: Inputs, level: str, limits: Limits, execution: ExecutionContext
) -> SmartFrogOutcome:
    source = host.source(path)
    kept = execution.keep(ParsedFiles)
    if level != "production":
        program = _hinted(load(source, host, limits, kept), source, host, limits, inputs).checked()
        top, _ = EVALUATORS[level](program, limits)
        return SmartFrogOutcome(program, top, execution)
    from .production.evaluate import ProductionReading, evaluate_production  # the other levels do without it

    reading = ProductionReading(path, search_path_from(inputs))
    program = load(source, host, limits, kept, reading).checked()
    phases = evaluate_production(program, limits, texts_from(inputs, "properties"), texts_from(inputs, "environ"))
    return SmartFrogOutcome(program, phases.top, execution, phases)


def _hinted(program: Program, source: SourceFile, host: Host, limits: Limits, inputs: Inputs) -> Program:
    """Syntax errors that are none at level production say so, but for a `;` that is rather forgotten."""
    first = next(iter(program.problems), None)
    if first is not None and first.help is None and getattr(first, "expected", None) != "`;`":
        from .production.evaluate import ProductionReading

        reading = ProductionReading(source.name, search_path_from(inputs))
        if not load(source, host, limits, None, reading).problems:
            first.help = "this is SmartFrog as it was used, which --level production reads"
    return program


def search_path_from(inputs: Inputs) -> tuple[str, ...]:
    """The directories that includes of level production are looked for in, after the main file's own."""
    given = inputs.options.get("search_path") or ()
    if isinstance(given, str) or not all(isinstance(folder, str) for folder in given):
        raise UsageError(f"search_path must be a list of directories, not {given!r}")
    return tuple(given)


def texts_from(inputs: Inputs, name: str) -> dict[str, str]:
    """What references like `PROPERTY name` find."""
    given = inputs.options.get(name) or {}
    if not isinstance(given, dict) or not all(isinstance(text, str) for text in given.values()):
        raise UsageError(f"{name} must map names to strings, not {given!r}")
    return given


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


def _check_level(source: SourceFile, host: Host, inputs: Inputs, level: str) -> list[Diagnostic]:
    from .production.evaluate import ProductionReading, evaluate_production

    limits = limits_from(inputs)
    reading = ProductionReading(source.name, search_path_from(inputs)) if level == "production" else None
    program = load(source, host, limits, None, reading)
    if program.problems:
        return program.problems
    if not any(assignment.target.names[0] == "sfConfig" for assignment in program.tree.block.assignments()):
        return []
    try:
        if level == "production":
            evaluate_production(program, limits, texts_from(inputs, "properties"), texts_from(inputs, "environ"))
        else:
            EVALUATORS[level](program, limits)
    except ManyErrors as problems:
        return problems.diagnostics
    except Diagnostic as problem:
        return [problem]
    return []


def _order_warnings(top: Component) -> Iterator[Diagnostic]:
    """One warning for each component whose attributes come in another order than it writes them."""
    seen: set[int] = set()
    reported: set[object] = set()
    stack = [top]
    while stack:
        component = stack.pop()
        inner = [slot.value for slot in component.entries.values() if isinstance(slot.value, Component)]
        stack.extend(inside for inside in reversed(inner) if id(inside) not in seen)
        seen.update(map(id, inner))
        for later, earlier in list(out_of_order(component).items())[:1]:
            slot = component.entries[later]
            at = span_of(slot)
            if at in reported:
                continue
            reported.add(at)
            put, by = _who_put(slot)
            yield OrderNotAsWritten(earlier, later, component.path, at, span_of(put), by)


def _who_put(slot: Slot) -> tuple[Slot, str]:
    """The slot that first put an inherited name, and the component in which it did."""
    put, by = slot.placed, ""
    while isinstance(put, Inherited):
        by = put.search.path
        put = put.source.placed
    return put, by


def level_from(inputs: Inputs) -> str:
    """Which of the language's levels is asked for."""
    level = inputs.options.get("level", "core")
    if level not in LEVELS:
        raise UsageError(f"unknown level {level!r}: expected one of {', '.join(LEVELS)}")
    return str(level)


def limits_from(inputs: Inputs) -> Limits:
    """The bounds, as the options change them."""
    given = {name: inputs.options[name] for name in Limits.__fields__ if name in inputs.options}
    for name, value in given.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise UsageError(f"{name} must be a positive whole number, not {value!r}")
    return Limits(**given)


LANGUAGE = SmartFrog()

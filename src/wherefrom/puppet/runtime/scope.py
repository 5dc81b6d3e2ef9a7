"""Scopes: where variables live, and the control context that is in force.

A `Frame` maps names to traced values. There are two kinds. A `Scope` belongs to a resource that is being evaluated: the
top scope (Class[main]), a node, a class or a defined resource. A plain `Frame` is local: the body of a lambda, of a
function or of a template, or the place where the defaults of parameters are evaluated; it sees everything that the
frame it was made in sees.

A name is looked for frame by frame along `up`. For a class, `up` is the class it inherits from, else the node or top
scope it was first declared from (Puppet's static scoping; resource defaults alone go by `parent`, the declaring scope).

Beside variables a frame holds what provenance needs and what the language's match variables need:

* `guard`: the tests in force where evaluation stands, a linked list; every effect is recorded under it.
* `absent`: variables that a branch not taken would have assigned here, with the guards that kept it from doing so. A
  search that passes this frame without finding the name depends on them (the absence labels R1 and R2 of the repaired
  dependency rules).
* `link`: what decided which scope is above this one (rule R4).
* `match`: the groups of the last regular expression match, in force until the conditional it stood in ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...base.diagnostics import Label
from ...provenance.origins import Absent, Choice, Copy, Guard, Guarded, Origin
from ..kernel.edge_labels import DECLARED, VariableEdge, variable_of
from ..kernel.failures import EvaluationError, Failure
from ..kernel.traced import Traced
from .names import RESERVED, reserved

if TYPE_CHECKING:
    from ...base.source import Span
    from ..functions.registry import Machine
    from .compilation import Compilation
    from .definitions import Definition
    from .resources import Attribute, Resource

Match: TypeAlias = tuple[Sequence[str | None], tuple[Origin, ...]]
"""The groups of a match, and the origins of text and pattern."""

BUILT_IN = ("module_name", "caller_module_name")
PIECES = "@epp"
"""The variable that holds the text so far of a template; its name is none that a program can write."""


class UnevaluatedParameter(Exception):
    """A default asked for a parameter that has no value yet."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Frame:
    """Local variables, and everything that the frame it was made in sees."""

    __slots__ = ("absent", "base", "guard", "link", "match", "pending", "run", "times", "up", "vars")

    run: Compilation
    base: Scope
    up: Frame | None

    def __init__(self, up: Frame) -> None:
        self.vars: dict[str, Traced] = {}
        self.up = up
        self.run = up.run
        self.base = up.base
        self.guard: Guard | None = up.guard
        self.match: Match | None = None
        self.absent: dict[str, list[Guard]] | None = None
        self.link: Guard | None = None
        self.pending: set[str] | None = None
        self.times: dict[str, int] | None = None

    @property
    def machine(self) -> Machine:
        """What functions that are called from here may ask of the evaluator."""
        return self.run.machine_for(self)

    def below(self, name: str, value: object, origin: Origin) -> Frame:
        """A frame that sees one more variable."""
        frame = Frame(self)
        frame.vars[name] = (value, origin)
        return frame

    def find(self, name: str) -> tuple[Traced | None, list[Guard]]:
        """The variable, if any frame has it, and what could have put another before it."""
        causes: list[Guard] = []
        frame: Frame | None = self
        while frame is not None:
            variable = frame.vars.get(name)
            if variable is not None:
                if frame.times is not None and frame is not self.base:
                    self.note_early(frame.times.get(name), causes)
                return variable, causes
            if frame.pending is not None and name in frame.pending:
                raise UnevaluatedParameter(name)
            if frame.absent is not None:
                causes.extend(frame.absent.get(name, ()))
            if frame.link is not None:
                causes.append(frame.link)
            frame = frame.up
        return None, causes

    def note_early(self, assigned: int | None, causes: list[Guard]) -> None:
        """A class that could have been declared earlier would not have seen a variable that was assigned since."""
        run = self.run
        if assigned and run.absences.computed and run.declared_at is not None:
            causes.append(Guard(run.absences.early(min(assigned, run.declared_at)), None, None, DECLARED))

    def seek(self, name: str) -> Traced | None:
        """An unqualified variable, or nothing."""
        variable, causes = self.find(name)
        if variable is None:
            return None
        return (variable[0], not_shadowed(name, variable[1], causes)) if causes else variable

    def assign(self, name: str, value: object, origin: Origin, span: Span | None) -> None:
        """Assign a variable here, once."""
        if name in self.vars or self.pending is not None or name in RESERVED:
            self._refuse(name, span)
        if self.guard is not None:
            origin = Guarded(origin, self.guard)
        if self.absent is not None and name in self.absent:
            origin = not_shadowed(name, origin, self.absent[name])
        self.vars[name] = (value, Copy(variable_of(name), origin, span))
        if self.times is not None:
            self.times[name] = len(self.run.absences.notes)

    def _refuse(self, name: str, span: Span | None) -> None:
        if self.pending is not None:
            raise Failure(
                f"Attempt to assign variable {name} when evaluating parameters", kind="parameter not evaluated"
            )
        if name in RESERVED:
            in_node = self.base.source.kind == "node"
            if name == "server_facts" or (self is self.base and self.base.is_global and not in_node):
                words = f"Attempt to assign to a reserved variable name: '${name}'"
                raise EvaluationError(words, span, issue="ILLEGAL_RESERVED_ASSIGNMENT")
            raise reserved(name)
        words = "built in (or already assigned) variable" if name in ("name", "title") else "variable"
        raise EvaluationError(
            f"Cannot reassign {words} '${name}'", span, *self._first(name), issue="ILLEGAL_REASSIGNMENT"
        )

    def _first(self, name: str) -> list[Label]:
        """Where a variable got the value that it has: its assignment, or its declaration as a parameter."""
        for parameter in self.base.source.parameters if self is self.base else ():
            if parameter.name == name:
                return [Label(parameter.span, "a parameter, declared here")]
        origin = self.vars[name][1]
        if not isinstance(origin, Copy) or origin.span is None or not isinstance(origin.how, VariableEdge):
            return []
        return [Label(origin.span, "first assigned here")]

    def note_absent(self, names: Sequence[str], guard: Guard) -> None:
        """A branch that would have assigned `names` here was not taken because of `guard`."""
        if self.absent is None:
            self.absent = {}
        for name in names:
            self.absent.setdefault(name, []).append(guard)

    def matched(self) -> Match | None:
        """The groups of the match in force."""
        frame: Frame | None = self
        while frame is not None:
            if frame.match is not None:
                return frame.match
            frame = frame.up
        return None


class Scope(Frame):
    """The scope of a resource that is evaluated: top, node, class or define."""

    __slots__ = ("binding", "declared_at", "defaults", "parent", "resource", "source")

    def __init__(
        self, run: Compilation, parent: Scope | None, source: Definition, resource: Resource, up: Frame | None
    ) -> None:
        self.vars = {}
        self.up = up
        self.run = run
        self.base = self
        self.guard = None
        self.match = None
        self.absent = None
        self.link = None
        self.pending = None
        self.times = {}
        self.declared_at: int | None = None
        self.parent = parent
        self.source = source
        self.resource = resource
        self.defaults: dict[str, dict[str, Attribute]] = {}
        self.binding: Frame | None = None  # where parameters stand while their defaults are evaluated

    @property
    def is_global(self) -> bool:
        """Whether this is the top scope or a node's."""
        return self.parent is None or self.source.kind == "node"

    def enclosing(self) -> Scope | None:
        """The node or top scope that this scope was made under."""
        scope = self.parent
        while scope is not None and not scope.is_global:
            scope = scope.parent
        return scope

    def lookup_defaults(self, type_name: str) -> dict[str, Attribute]:
        """The resource defaults in force here for a type: those of declaring scopes, nearer ones first."""
        defaults: dict[str, Attribute] = {}
        scope: Scope | None = self
        while scope is not None:
            table = scope.defaults.get(type_name)
            if table:
                for name, attribute in table.items():
                    defaults.setdefault(name, attribute)
            scope = scope.parent
        return defaults

    def default_origins(self, type_name: str, name: str) -> list[Origin]:
        """The origins of the defaults in force for an attribute."""
        origins: list[Origin] = []
        scope: Scope | None = self
        while scope is not None:
            attribute = scope.defaults.get(type_name, {}).get(name)
            if attribute is not None:
                origins.append(attribute.origin)
            scope = scope.parent
        return origins

    def is_default(self, type_name: str, name: str, value: object) -> bool:
        """Whether `value` is what a default in force says."""
        scope: Scope | None = self
        while scope is not None:
            attribute = scope.defaults.get(type_name, {}).get(name)
            if attribute is not None and attribute.value == value:
                return True
            scope = scope.parent
        return False

    def global_scope(self) -> Scope:
        """The node or top scope from here, which functions and templates are evaluated in."""
        if self.is_global:
            return self
        return self.enclosing() or self


def not_shadowed(name: str, origin: Origin, causes: Sequence[Guard]) -> Origin:
    """`origin`, which is what it is because nothing nearer assigned `$name`."""
    return Choice((Absent(f"another variable ${name}", tuple(causes)),), origin)


def pieces_of(frame: Frame) -> list[Traced]:
    """The text so far of the template that is being rendered."""
    variable = frame.seek(PIECES)
    assert variable is not None
    pieces: list[Traced] = variable[0]
    return pieces

"""What a manifest defines: classes, defines and nodes, ready to be evaluated.

A `Definition` belongs to an environment and is shared by all compilations in it, so it holds nothing about any one of
them. Its body and its parameters' defaults and types are compiled into closures when they are first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...provenance.origins import Later, Leaf, Origin
from ..kernel.failures import CatalogError, EvaluationError, Failure
from ..types.access import ruby_class
from ..types.containers import StructElement, StructType
from ..types.model import ANY, OptionalType, PuppetType
from ..types.scalars import StringType
from .resource_types import METAPARAMETERS

if TYPE_CHECKING:
    from ...base.source import Span
    from .library import Code, Library
    from .scope import Frame


class ParameterCode:
    """A parameter: its name, its default and its type as code.  `rest` is set for `*$name`.

    `fixed` says that the type is the same in every run, so that it can be kept with the code.
    """

    __slots__ = ("default", "default_span", "fixed", "name", "rest", "span", "type_code")

    def __init__(
        self,
        name: str,
        default: Code | None,
        type_code: Code | None,
        rest: bool,
        span: Span,
        default_span: Span | None,
        fixed: bool,
    ) -> None:
        self.name = name
        self.default = default
        self.type_code = type_code
        self.rest = rest
        self.span = span
        self.default_span = default_span
        self.fixed = fixed


class Definition:
    """A class, a define or a node.  `name` is in lower case; `pattern` is a node's regular expression."""

    __slots__ = (
        "_body",
        "_others",
        "_parameters",
        "_struct",
        "environment",
        "kind",
        "module",
        "name",
        "name_origin",
        "parent",
        "pattern",
        "span",
        "tree",
    )

    def __init__(
        self,
        environment: Library,
        kind: str,
        name: str,
        parent: str | None,
        module: str | None,
        tree: Any,
        span: Span | None,
        pattern: Any = None,
    ) -> None:
        self.environment = environment
        self.kind = kind
        self.name = name
        self.parent = parent
        self.module = module
        self.tree = tree
        self.span = span
        self.pattern = pattern
        self.name_origin: Origin | None = None  # of a node that is named by a string
        self._body: Code | None = None
        self._others: Later | None = None
        self._parameters: list[ParameterCode] | None = None
        self._struct: Any = None

    def __repr__(self) -> str:
        return f"Definition({self.kind} {self.name})"

    @property
    def others(self) -> Later | None:
        """What else could have been the class or define of this name; nothing for the classes of a main manifest."""
        looked = self.kind == "define" if not self.module else self.kind in ("class", "define")
        if self._others is None and looked and self.span is not None:
            what = "class" if self.kind == "class" else "type"
            given = (what, self.name, self.span.file.name)
            self._others = Later(f"another {self.kind} {self.name}", self.environment.looked_for, None, given)
        return self._others

    @property
    def body(self) -> Code | None:
        """The code of the body; nothing if it is empty."""
        if self._body is None and self.tree is not None and getattr(self.tree, "body", None) is not None:
            self._body = self.environment.body_code(self.tree.body, getattr(self.tree, "parameters", ()))
        return self._body

    @property
    def parameters(self) -> list[ParameterCode]:
        """The parameters in order."""
        if self._parameters is None:
            written = getattr(self.tree, "parameters", ()) if self.tree is not None else ()
            self._parameters = self.environment.parameter_codes(written)
        return self._parameters

    @property
    def pattern_origin(self) -> Origin:
        """The origin of a node's regular expression."""
        return Leaf("literal", "", self.span, self.pattern)

    def parent_definition(self) -> Definition | None:
        """The class this one inherits from.  Fails if there is none of that name."""
        if self.parent is None:
            return None
        parent = self.environment.find_class(self.parent)
        if parent is None:
            raise EvaluationError(
                f"Could not find parent resource type '::{self.parent}' of type hostclass in {self.environment.name}",
                self.span,
                issue=None,
                kind="unknown parent",
                help=self.environment.near_class(self.parent),
                lead="",
                column=False,
            )
        return parent

    def struct(self, frame: Frame) -> Any:
        """The type of the whole parameter list, for checking: a `Struct`."""
        if self._struct is not None:
            return self._struct
        if self.is_fixed():
            self._struct = parameter_struct(self, frame)
            return self._struct
        kept = frame.run.parameter_types
        if self not in kept:
            kept[self] = parameter_struct(self, frame)
        return kept[self]

    def is_fixed(self) -> bool:
        """Whether the types of the parameters are the same in every run."""
        return all(parameter.fixed for parameter in self.parameters)


def not_a_type(subject: str, value: object) -> Failure:
    """What is said where a type is wanted and an expression gives something else."""
    words = f"{subject} is given a type that is not a Puppet Type, got {ruby_class(value)}"
    return Failure(words, kind="TYPE_MISMATCH")


def parameter_struct(definition: Definition, frame: Frame) -> StructType:
    """The type of the parameter list: what each parameter accepts, metaparameters included."""
    members: list[tuple[str, Any, bool]] = [("name", ANY, True), *((name, ANY, True) for name in METAPARAMETERS)]
    for parameter in definition.parameters:
        kind = ANY if parameter.type_code is None else parameter.type_code(frame.run.top)[0]
        if not isinstance(kind, PuppetType):  # `Class[a, b]` is an array of two types
            words = not_a_type(f"Parameter '{parameter.name}'", kind).message
            raise CatalogError(words, parameter.span, issue=None, kind="TYPE_MISMATCH", lead="", placeless=True)
        members.append((parameter.name, kind, parameter.default is not None))
    elements = []
    for name, kind, optional in members:
        key: PuppetType = StringType(None, name)
        elements.append(StructElement(OptionalType(key) if optional else key, kind))
    return StructType(tuple(elements))

"""What a manifest defines: classes, defines and nodes, ready to be evaluated.

A `Definition` belongs to an environment and is shared by all compilations in it, so it holds nothing about any one of
them. Its body and its parameters' defaults and types are compiled into closures when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Leaf, Origin

if TYPE_CHECKING:
    from ...base.source import Span
    from ..environment.environment import Environment
    from ..kernel.traced import Traced
    from .scope import Frame

Code = Any
"""A compiled expression: a function of a frame that gives a value and its origin."""


class ParameterCode:
    """A parameter: its name, its default and its type as code.  `rest` is set for `*$name`."""

    __slots__ = ("default", "default_span", "name", "rest", "span", "type_code")

    def __init__(
        self,
        name: str,
        default: Callable[[Frame], Traced] | None,
        type_code: Callable[[Frame], Traced] | None,
        rest: bool,
        span: Span,
        default_span: Span | None,
    ) -> None:
        self.name = name
        self.default = default
        self.type_code = type_code
        self.rest = rest
        self.span = span
        self.default_span = default_span


class Definition:
    """A class, a define or a node.  `name` is in lower case; `pattern` is a node's regular expression."""

    __slots__ = (
        "_body",
        "_parameters",
        "_struct",
        "environment",
        "kind",
        "module",
        "name",
        "parent",
        "pattern",
        "span",
        "tree",
    )

    def __init__(
        self,
        environment: Environment,
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
        self._body: Callable[[Frame], Traced] | None = None
        self._parameters: list[ParameterCode] | None = None
        self._struct: Any = None

    def __repr__(self) -> str:
        return f"Definition({self.kind} {self.name})"

    @property
    def body(self) -> Callable[[Frame], Traced] | None:
        """The code of the body; nothing if it is empty."""
        if self._body is None and self.tree is not None and getattr(self.tree, "body", None) is not None:
            from ..compile import compile_body

            self._body = compile_body(self.tree.body, self.environment)
        return self._body

    @property
    def parameters(self) -> list[ParameterCode]:
        """The parameters in order."""
        if self._parameters is None:
            from ..compile import compile_parameters

            written = getattr(self.tree, "parameters", ()) if self.tree is not None else ()
            self._parameters = compile_parameters(written, self.environment)
        return self._parameters

    @property
    def pattern_origin(self) -> Origin:
        """The origin of a node's regular expression."""
        return Leaf("literal", "", self.span, self.pattern)

    def parent_definition(self) -> Definition | None:
        """The class this one inherits from.  Fails if there is none of that name."""
        if self.parent is None:
            return None
        found = self.environment.find_class(self.parent)
        if found is None:
            from ..kernel.failures import EvaluationError

            raise EvaluationError(
                f"Could not find parent resource type '::{self.parent}' of type hostclass in {self.environment.name}",
                self.span,
                issue=None,
                kind="unknown parent",
                help=self.environment.near_class(self.parent),
                lead="",
                column=False,
            )
        return found

    def struct(self, frame: Frame) -> Any:
        """The type of the whole parameter list, for checking: a `Struct`."""
        if self._struct is None:
            from .binding import parameter_struct

            self._struct = parameter_struct(self, frame)
        return self._struct

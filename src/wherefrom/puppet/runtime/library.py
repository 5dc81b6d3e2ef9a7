"""The code that a run can reach by name, as the run and the compiled code see it.

A run needs classes, defines, functions, types and templates that it knows the names of alone. Who finds, reads and
compiles them is no business of this package: the environment (`wherefrom.puppet.environment`) lies above it, and is a
`Library`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ..hiera.asking import LookupCode
from .consulted import ClassesByName
from .effects import Jumping
from .recorded import AnswersAndClock

if TYPE_CHECKING:
    from ...base.diagnostics import Diagnostic
    from ...base.source import SourceFile, Span
    from ...provenance.origins import Guard, Later, Leaf
    from ..kernel.traced import Traced
    from ..syntax import tree
    from ..types.model import PuppetType
    from .definitions import Definition, ParameterCode
    from .effects import Effects, Summary
    from .resource_types import ResourceKind
    from .scope import Frame

Code: TypeAlias = "Callable[[Frame], Traced]"
"""A compiled expression: a function of a frame that gives a value and its origin."""


class RenderableTemplate(Protocol):
    """A template that is ready to be rendered."""

    def render(self, outer: Frame, guard: Guard | None, given: Traced | None, name: str) -> Traced:
        """Its text in a frame below `outer`, with the parameters `given` by a call of the function `name`."""


class Library(ClassesByName, Jumping, AnswersAndClock, LookupCode, Protocol):
    """Everything with a name that a run may ask for, and what belongs to all runs of one environment.

    Code that needs one thing asks a narrower port: bodies by name (`ClassesByName`), early exits (`Jumping`), clock and
    recorded answers (`AnswersAndClock`), types and modules for data (`LookupCode`).
    """

    name: str
    root: str | None
    settings: dict[str, Any]
    puppet_version: str
    lenient: bool
    sources: dict[str, SourceFile]
    warnings: list[Diagnostic]
    main: Definition
    settings_class: Definition

    @property
    def nodes(self) -> dict[str, Definition]:
        """The node definitions, by name."""

    # code

    def main_bodies(self) -> list[Code]:
        """The code of the main manifests."""

    def observes(self, file: str) -> bool:
        """Whether the code of a file tells its runs what each expression gave."""

    def body_code(self, node: tree.Node, parameters: Sequence[tree.Parameter] = ()) -> Code:
        """The code of a body whose value nobody looks at, of something with these parameters."""

    def parameter_codes(self, parameters: Sequence[tree.Parameter]) -> list[ParameterCode]:
        """The code of a list of parameters."""

    def programs(self) -> list[tree.Program]:
        """The parsed manifests, and the module files that were loaded."""

    def programs_with(self, words: Sequence[str]) -> list[tree.Program]:
        """The same, and those of further files that have one of `words` in them, to be looked at."""

    # things by name

    def find_class(self, name: str) -> Definition | None:
        """The class of this name."""

    def find_type(self, name: str) -> ResourceKind | Definition | None:
        """The resource type or define of this name (in lower case)."""

    def find_define(self, name: str) -> Definition | None:
        """The define of this name (in lower case)."""

    def match_node(self, name: str) -> tuple[Definition | None, Sequence[str | None] | None, list[str]]:
        """The node definition for a node, the groups of its pattern, and the names that were tried."""

    def is_function(self, name: str) -> bool:
        """Whether there is a function of this name by now."""

    def resolve_type_name(self, name: str) -> PuppetType | None:
        """The type that a name in a program says."""

    def check_alias(self, alias: PuppetType) -> None:
        """Work out what an alias stands for.  Fails if it is nothing."""

    def alias_literals(self, alias: PuppetType) -> list[Any]:
        """The literals that an alias is made of, those of other aliases in it included."""

    def near_type(self, name: str) -> str | None:
        """A hint for a type name that is not known."""

    def near_declared(self, name: str) -> str | None:
        """A hint for the type of a resource that is not known."""

    def near_class(self, name: str) -> str | None:
        """A hint for a class that is not known."""

    def readers_of(self, fact: str) -> int:
        """How many manifests read a fact by its dotted name."""

    # files

    def modules(self) -> Iterator[tuple[str, str]]:
        """The modules there are, with their directories."""

    def find_file(self, kind: str, path: str) -> str | None:
        """The file `MODULE/REST` below the module's `kind`, or an absolute path that exists."""

    def file_places(self, kind: str, path: str) -> list[str]:
        """The files that a path may be, the first first, whether they are there or not."""

    def template(self, path: str) -> RenderableTemplate:
        """A template file."""

    def template_of(self, source: SourceFile) -> RenderableTemplate:
        """A template given as text."""

    def render_erb(self, frame: Frame, name: str, span: Span | None) -> Traced:
        """The text of an ERB template file in the scope of `frame`."""

    def render_erb_text(self, frame: Frame, text: Traced, span: Span | None) -> Traced:
        """The text of an ERB template given as text."""

    # what is looked for and is not there

    def looked_for(self, what: str, name: str, chosen: str | None) -> tuple[Leaf, ...]:
        """What could have defined a class, define or resource type before the file that is `chosen`, as inputs."""

    def other_function(self, name: str) -> Later | None:
        """What else a name of a function could have meant; nothing where nothing is looked for."""

    # one run

    def serving(self, run: Any) -> AbstractContextManager[None]:
        """Serve a run: what is wrong with files that it makes be read is told to it."""

    def data_for(self, run: Any) -> Any:
        """Where values of class parameters and `lookup` come from; nothing if there is no data."""

    # what code that does not run would do

    def ruby_library(self) -> Any:
        """The Ruby of the modules."""

    def body_effects(self, definition: Definition) -> Effects | None:
        """What the body of a definition may do."""

    def summed(self, effects: Effects, declared: frozenset[str]) -> tuple[Summary, tuple[str, ...]]:
        """What some effects lead to where some classes are declared, and the questions that this depends on."""

    def static_answer(self, question: str) -> str:
        """The answer to a question about code that did not run."""

    def assigned_in_class(self, name: str) -> tuple[str, ...]:
        """The variables that the body of a class may assign."""

"""The registry of Puppet's functions: what a function is, how it is found, checked and called.

A function is registered by a decorator that gives its name and its signatures as Puppet would write them:

    @function("join", "Array $arg, String $delimiter?")
    def join(arg: list[Value], delimiter: str = "") -> str:
        '''The elements of `arg` as one string, with `delimiter` between them.

        puppet> join(['a', 'b'], '-')
        'a-b'
        '''

| in a signature          | means                                                              |
|-------------------------|--------------------------------------------------------------------|
| `Array $arg`            | a required parameter                                               |
| `String $delimiter?`    | a parameter that may be left out                                   |
| `Any *$values`          | any number of arguments                                            |
| `Any +$names`           | one or more arguments                                              |
| `Callable[2,2] &$block` | a lambda; with `?`, one that may be left out                       |

A function may have several signatures (Puppet calls them dispatches); the first that accepts the arguments wins, and
when none does Puppet's own words say why (`wherefrom.puppet.functions.signatures`). Signature texts are parsed when the
function is first called, and the modules that hold the functions are imported when one of their names is first asked
for (`wherefrom.puppet.functions.table`), so starting up costs nothing for what a manifest does not use.

There are two kinds of bodies:

* **computing** (`@function`): takes plain values and returns a plain value. Its origin is a `Step` of the
  `FunctionCall` and the origins of the arguments; the body knows nothing of origins.
* **moving or acting** (`@calling`): takes a `Call`, which holds values *and* origins, the lambda, the place and the
  machine, and returns `(value, origin)`. Functions that pass data on (`map`, `filter`, `dig`, `then`, ...) keep the
  origins of the elements they were given; functions that do something (`include`, `notice`, `fail`, ...) do it through
  the `Machine`.

The evaluator calls `Function.call(caller, values, origins, block, span)` and gets `(value, origin)`. Everything that
functions need of the evaluator is in the `Machine` and `Lambda` protocols below.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ...base.budget import LARGE, current
from ...base.record import Record
from ...provenance.operations import Function as Moved
from ...provenance.operations import FunctionCall
from ...provenance.origins import Origin, Step
from ...provenance.secrecy import note_derived, note_given
from ..kernel.acts import Acts
from ..kernel.failures import FunctionFailure
from ..kernel.traced import Traced
from ..kernel.values import Value

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import Span
    from ...provenance.origins import Absent, Guard, Leaf


# --- what the evaluator offers ---------------------------------------------------------------------------------------


class Lambda(Protocol):
    """A block given to a call: `|$x| { ... }`."""

    @property
    def puppet_type(self) -> Any:
        """Its type, a `Callable` of `wherefrom.puppet.types`."""

    @property
    def parameter_names(self) -> Sequence[str]:
        """The names of its parameters, without `$`."""

    @property
    def least(self) -> int:
        """How many arguments it needs."""

    @property
    def most(self) -> int | None:
        """How many arguments it takes; nothing if the last parameter captures the rest."""

    def can_take(self, least: int, most: int) -> bool:
        """Whether it can be called with `least` arguments, with `most`, and with any number between."""

    def call(self, values: Sequence[Value], origins: Sequence[Origin], because: Origin | None = None) -> Traced:
        """Run it.  `Next` ends here; `Break` and `Return` pass through.

        `because` is the origin of what decided that this call happens at all (the array that `each` walks, the value
        that `then` found defined): a guard for every effect inside.  Iterating functions pass the same object each
        time.
        """


FEW = 100
"""Elements or characters; a function that makes no more than these draws nothing for them."""


def _spend(result: Any, span: Span | None) -> None:
    """Draw from the budget for what a function has made."""
    budget = current()
    if type(result) is str:
        budget.draw("characters", len(result), "calling a function", span)
    else:
        budget.draw("elements", 6 * len(result), "calling a function", span)


class Machine(ABC):
    """The evaluator, as functions see it.  Every method acts in the scope of the call that is being evaluated."""

    @property
    @abstractmethod
    def host(self) -> Host:
        """The door to files and clock."""

    @property
    @abstractmethod
    def node_name(self) -> str:
        """The name of the node a catalog is made for."""

    @property
    @abstractmethod
    def puppet_version(self) -> str:
        """The Puppet version to emulate: `7` or `8`."""

    @property
    @abstractmethod
    def guard(self) -> Guard | None:
        """The tests in force at the call: what decided that it is made."""

    @abstractmethod
    def held(self, value: Value) -> Value:
        """A value as attributes hold it: references are names."""

    @abstractmethod
    def setting(self, name: str) -> Value:
        """A setting of Puppet, such as `strict` or `strict_variables`; nothing if it is not known."""

    # variables and functions

    @abstractmethod
    def variable(self, name: str) -> Traced | None:
        """The variable `name` (without `$`, perhaps qualified), or nothing if it is not defined.  Never fails."""

    @abstractmethod
    def top_variable(self, name: str) -> Traced | None:
        """The variable `name` as code at top scope sees it (in its lambdas too), or nothing."""

    @abstractmethod
    def absent_variable(self, name: str, span: Span | None) -> Origin:
        """Why the variable `name` is not there: everything that could have assigned it."""

    @abstractmethod
    def existing_variable(self, name: str) -> Traced | None:
        """The variable that `defined('$name')` finds, or nothing."""

    @abstractmethod
    def call_function(
        self, name: str, values: Sequence[Value], origins: Sequence[Origin], block: Lambda | None, span: Span | None
    ) -> Traced:
        """Call any function by name: one of these, or one written in Puppet.  Fails if there is none."""

    @abstractmethod
    def resolve_type(self, text: str, span: Span | None) -> object:
        """The type that a text names, aliases of the environment included."""

    # logs

    @abstractmethod
    def log(self, level: str, message: str, span: Span | None, origin: Origin) -> None:
        """Log a message that the manifest asked for."""

    @abstractmethod
    def warn_once(self, key: str, message: str, span: Span | None) -> None:
        """Log a warning of the compiler itself, once for each key in a run, with the place if it is given."""

    # the catalog

    @abstractmethod
    def declare_classes(
        self,
        names: Sequence[str],
        origins: Sequence[Origin],
        how: str,
        span: Span | None,
        given: Sequence[Origin],
    ) -> None:
        """Declare classes by name and evaluate them.  `how` is `include`, `contain` or `require`.

        `given` are the origins of the arguments that the names were taken from: how many there are depends on them.
        """

    @abstractmethod
    def realize(self, references: Sequence[tuple[str, str | None]], origin: Origin, span: Span | None) -> None:
        """Make virtual resources (type, title) real, when all resources are known."""

    @abstractmethod
    def create_resources(
        self,
        type_name: str,
        form: str,
        resources: Mapping[Any, Mapping[str, Traced]],
        origins: Mapping[Any, Origin],
        span: Span | None,
        given: Sequence[Origin],
        composites: Mapping[Any, tuple[Origin, ...]],
    ) -> None:
        """Declare resources: title to parameters; `form` is `regular`, `virtual` or `exported`; `origins` of titles.

        `given` are the origins of the arguments; `composites`, by title, those of the hashes with the parameters.
        """

    @abstractmethod
    def tag(self, names: Sequence[str], origin: Origin, span: Span | None) -> None:
        """Tag the resource (class or define) that is being evaluated."""

    @abstractmethod
    def tagged(self, name: str, span: Span | None = None) -> Traced:
        """Whether the resource being evaluated, or the catalog, has a tag."""

    @abstractmethod
    def type_or_class_exists(self, name: str) -> Traced:
        """Whether a class, define or resource type of this name can be found."""

    @abstractmethod
    def resource_type_exists(self, name: str) -> Traced:
        """Whether a define or resource type of this name can be found."""

    @abstractmethod
    def class_exists(self, name: str) -> Traced:
        """Whether a class of this name can be found."""

    @abstractmethod
    def resource_declared(self, type_name: str, title: str) -> Traced:
        """Whether the catalog has the resource by now; a class is the resource `Class`, with its name as title."""

    @abstractmethod
    def ask_database(self, query: str | list[Any]) -> Traced:
        """What PuppetDB answers to a query, which is sent as it is.  Fails where none may be asked."""

    @abstractmethod
    def clock(self) -> tuple[float, Leaf]:
        """What the clock says, in seconds since 1970."""

    @abstractmethod
    def recorded(
        self, name: str, values: Sequence[Value], origins: Sequence[Origin], span: Span | None
    ) -> Traced | None:
        """What was recorded of a call that asks the world outside, if that was given."""

    # files, templates and data

    @abstractmethod
    def find_file(self, kind: str, path: str) -> str | None:
        """The file that `MODULE/PATH` names below the module's `kind` (`files`, `templates`, `scripts`), or an
        absolute path that exists."""

    @property
    @abstractmethod
    def plain_templates(self) -> dict[str, str | None]:
        """Templates that were read: their text if they have no tags, else nothing."""

    @abstractmethod
    def missed_files(self, kind: str, path: str) -> list[Origin]:
        """The files that `find_file` looked for and that are not there, as inputs."""

    @abstractmethod
    def another_module(self, name: str) -> Origin:
        """Why a name is that of this module, or of none."""

    @abstractmethod
    def module_directory(self, name: str) -> str | None:
        """The directory of a module of the environment."""

    @abstractmethod
    def epp(self, path: str, parameters: Traced | None, span: Span | None) -> Traced:
        """Evaluate an EPP template file (`MODULE/NAME.epp` or an absolute path)."""

    @abstractmethod
    def inline_epp(self, text: Traced, parameters: Traced | None, span: Span | None) -> Traced:
        """Evaluate an EPP template text."""

    @abstractmethod
    def template(self, path: str, span: Span | None) -> Traced:
        """Evaluate an ERB template file."""

    @abstractmethod
    def inline_template(self, text: Traced, span: Span | None) -> Traced:
        """Evaluate an ERB template text."""

    @abstractmethod
    def lookup(self, key: str, merge: Value, span: Span | None, how: Mapping[str, Any]) -> Traced | Absent:
        """The value of a Hiera key, or why there is none.  `merge`: a strategy's name, a hash of options or nothing."""


class Caller(Protocol):
    """Whatever a call stands in."""

    @property
    def machine(self) -> Machine:
        """The evaluator, as the function that is called sees it."""


# --- functions -------------------------------------------------------------------------------------------------------


class SignatureParameter(Record):
    """A parameter of a signature.  `kind` is `required`, `optional`, `repeated`, `required_repeated` or `block`."""

    name: str
    type_text: str
    kind: str = "required"


_PARAMETER = re.compile(r"\s*(.+?)\s+([*+&]?)\$(\w+)(\??)\s*(?:,|\Z)", re.DOTALL)
_KINDS = {"": "required", "*": "repeated", "+": "required_repeated", "&": "block"}


class Signature:
    """One way to call a function: its parameters in order, and perhaps a lambda.

    `local` are type aliases that the signature's texts may use, by name.
    """

    __slots__ = ("block", "block_required", "body", "least", "local", "most", "parameters", "text", "types")

    def __init__(self, text: str, body: Callable[..., Any] | None, local: Mapping[str, str]) -> None:
        self.text = text
        self.body = body
        self.local = local
        self.block: SignatureParameter | None = None
        self.block_required = False
        self.types: Any = None
        parameters: list[SignatureParameter] = []
        least, most = 0, 0
        unlimited = False
        at = 0
        while at < len(text):
            declaration = _PARAMETER.match(text, at)
            if declaration is None:
                raise ValueError(f"not a signature: {text!r}")
            at = declaration.end()
            type_text, mark, name, optional = declaration.groups()
            kind = "optional" if optional and not mark else _KINDS[mark]
            parameter = SignatureParameter(name, type_text, kind)
            if kind == "block":
                self.block = parameter
                self.block_required = not optional
                continue
            parameters.append(parameter)
            if kind in ("required", "required_repeated"):
                least += 1
            most += 1
            unlimited = unlimited or kind.endswith("repeated")
        self.parameters = tuple(parameters)
        self.least = least
        self.most = None if unlimited else most


class Call:
    """One call of a function: arguments with their origins, the lambda, the place, and the machine."""

    __slots__ = ("block", "function", "machine", "origins", "signature", "span", "values")

    def __init__(
        self,
        function: Function,
        signature: Signature,
        machine: Machine,
        values: Sequence[Value],
        origins: Sequence[Origin],
        block: Lambda | None,
        span: Span | None,
    ) -> None:
        self.function = function
        self.signature = signature
        self.machine = machine
        self.values = values
        self.origins = origins
        self.block = block
        self.span = span

    def argument(self, index: int) -> Traced | None:
        """The argument at `index` with its origin, or nothing if it was not given."""
        return (self.values[index], self.origins[index]) if index < len(self.values) else None

    def step(self, *inputs: Origin) -> Origin:
        """The origin of a value that this function computed from `inputs` (from its arguments, if none are named)."""
        return Step(self.function.op, inputs or tuple(self.origins), self.span)

    def computed(self, value: Value) -> Traced:
        """A value computed from the arguments."""
        return value, Step(self.function.op, tuple(self.origins), self.span)

    def fail(self, message: str, issue: str = "RUNTIME_ERROR", kind: str | None = None) -> FunctionFailure:
        """The failure of this call, to be raised."""
        return FunctionFailure(message, issue=issue, kind=kind)


class Function:
    """A registered function: all that is known of it.  `newer` is what Puppet 8 has in its place, if another one.

    `differs` says in what it differs from Puppet's, `refuses` what it does not do but refuse, and `home` where it is
    from if it is not one of Puppet's own; the manual has tables of these. `passes_on` marks those that give what was
    there before: they make nothing large, and draw nothing from the budget for their result.
    """

    __slots__ = (
        "acts",
        "calling",
        "differs",
        "home",
        "label",
        "legacy",
        "mismatch",
        "name",
        "newer",
        "op",
        "passes_on",
        "refuses",
        "signatures",
    )

    def __init__(self, name: str, calling: bool, legacy: bool, acts: Acts) -> None:
        self.name = name
        self.acts = acts
        self.op = FunctionCall(name)
        self.label = Moved(name)
        self.calling = calling
        self.legacy = legacy
        self.signatures: list[Signature] = []
        self.mismatch: Callable[[Sequence[Value]], str | None] | None = None
        self.newer: Function | None = None
        self.passes_on = False
        self.differs = ""
        self.refuses = ""
        self.home = ""

    def __repr__(self) -> str:
        return f"Function({self.name})"

    @property
    def documentation(self) -> str:
        """The manual page: the docstring of the first body."""
        body = self.signatures[0].body
        return (body.__doc__ if body is not None else None) or ""

    def call(
        self,
        caller: Caller,
        values: Sequence[Value],
        origins: Sequence[Origin],
        block: Lambda | None = None,
        span: Span | None = None,
    ) -> Traced:
        """Check the arguments against the signatures, run the body that fits, and say where the result came from."""
        if self.newer is not None and caller.machine.puppet_version != "7":
            return self.newer.call(caller, values, origins, block, span)
        if self.legacy:
            from .signatures import legacy_arguments

            values = legacy_arguments(values, caller.machine.held)
        try:
            signature = self.select(values, block)
            body = signature.body
            assert body is not None
            for given in values:
                kind = type(given)
                if (kind is str or kind is list or kind is dict) and len(given) > LARGE:  # it may loop over that in C
                    current().walk(len(given), "calling a function", span)
            if self.calling:
                result: Traced = body(Call(self, signature, caller.machine, values, origins, block, span))
            else:
                value = body(*values)
        except Exception:
            note_given(values, origins)  # what went wrong may say them
            raise
        if self.calling:
            given = result[0]
            note_derived(given, result[1])
            if (type(given) is list or type(given) is dict) and len(given) > FEW and not self.passes_on:
                _spend(given, span)
            return result
        if (type(value) is list or type(value) is dict or type(value) is str) and len(value) > FEW:
            _spend(value, span)
        origin = Step(self.op, tuple(origins), span)
        note_derived(value, origin)
        return value, origin

    def apply(self, values: Sequence[Value]) -> Value:
        """Call a computing function on plain values again, as `Outcome.apply` does for a term.

        What Puppet 8 has in its place takes all that it takes, and more.
        """
        if self.newer is not None and not self.newer.calling:
            return self.newer.apply(values)
        if self.legacy:
            from ..types.callables import entry_name
            from .signatures import legacy_arguments

            values = legacy_arguments(values, entry_name)
        body = self.select(values, None).body
        assert body is not None
        return body(*values)

    def select(self, values: Sequence[Value], block: Lambda | None) -> Signature:
        """The first signature that accepts the arguments.  Raises Puppet's mismatch message if none does."""
        global _select
        if _select is None:  # imported late, as `signatures` imports this module, and kept, as calls are many
            from .signatures import select as _select
        chosen: Signature = _select(self, values, block)
        return chosen


_select: Any = None
FUNCTIONS: dict[str, Function] = {}
"""The functions whose modules have been imported; `wherefrom.puppet.functions.table` knows all."""

Body = TypeVar("Body", bound=Callable[..., Any])


def function(
    name: str,
    *signatures: str,
    local: Mapping[str, str] | None = None,
    legacy: bool = False,
    newer: bool = False,
    differs: str = "",
) -> Callable[[Body], Body]:
    """Register a computing function: the body takes plain values and returns one.

    `legacy` marks the functions of Puppet's old (3x) interface, whose arguments are counted but not typed; `newer` what
    Puppet 8 has in the place of one that is registered already. `differs` as in `Function`.
    """
    function = _function(name, False, legacy, Acts.NOTHING, newer)
    function.differs = differs or function.differs
    return _adding(function, signatures, local or {})


def calling(
    name: str,
    *signatures: str,
    local: Mapping[str, str] | None = None,
    legacy: bool = False,
    acts: Acts = Acts.NOTHING,
    newer: bool = False,
    passes_on: bool = False,
    differs: str = "",
    refuses: str = "",
    home: str = "",
) -> Callable[[Body], Body]:
    """Register a moving or acting function: the body takes a `Call` and returns a value with its origin.

    `acts` is what it may do beside that; `newer` as for computing ones; the others as in `Function`.
    """
    function = _function(name, True, legacy, acts, newer)
    function.passes_on = passes_on or function.passes_on
    function.differs = differs or function.differs
    function.refuses = refuses or function.refuses
    function.home = home or function.home
    return _adding(function, signatures, local or {})


def _function(name: str, calling: bool, legacy: bool, acts: Acts, newer: bool) -> Function:
    """The function to which a decorator adds signatures: a new one, or the one that was registered before."""
    known = FUNCTIONS.get(name)
    if newer:
        assert known is not None and known.newer is None
        known.newer = Function(name, calling, legacy, acts)
        return known.newer
    if known is None:
        known = FUNCTIONS[name] = Function(name, calling, legacy, acts)
    elif known.calling != calling:
        raise ValueError(f"{name} is registered both as computing and as calling")
    return known


def _adding(function: Function, signatures: Sequence[str], local: Mapping[str, str]) -> Callable[[Body], Body]:
    def decorate(body: Body) -> Body:
        function.signatures.extend(Signature(text, body, local) for text in signatures)
        return body

    return decorate


def mismatch(name: str) -> Callable[[Body], Body]:
    """Register words of its own for arguments that no signature of `name` accepts.

    The body takes the arguments and returns the message, or nothing to have the usual one.
    """

    def decorate(body: Body) -> Body:
        FUNCTIONS[name].mismatch = body
        return body

    return decorate

"""Ruby in one compilation: an interpreter with Puppet's world round it, and the ledger of what was read.

A `RubyRun` belongs to a `Compilation`. It is made when the first template or Ruby function is met; the programs it runs
come from the environment's `RubyLibrary`, compiled once.

**Where Ruby's values come from.** While a template or function runs, every read of something outside of it (a variable
of the scope, an attribute of a resource, a file, another function's result) is noted in the `Reads` of that activity,
absences included. What the activity gives back, and what it does to the catalog, depends on its arguments and on all
reads up to then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import CannotRead, Diagnostic, LimitReached, OutsideRoots, Refused
from ...base.secrets import learn
from ...provenance.composites import element, missing
from ...provenance.operations import FunctionCall, Op
from ...provenance.origins import Absent, Choice, Copy, Leaf, Origin, Step, code
from ...provenance.secrecy import OPENED, is_secret_now, note_derived, openings
from ...ruby.errors import NotSupported, RubyError, RubyRefused, RubySyntaxError
from ...ruby.interpreter import Interpreter
from ...ruby.making import Makings
from ...ruby.operations import RUBY, Consulting
from ...ruby.showing import to_s
from ...ruby.values import Arguments, Class, Exception_, Proc
from ...ruby.world import World
from ..hiera.context import LookupContext
from ..kernel.failures import EvaluationError, Failure
from ..kernel.values import ObjectValue
from ..runtime.recorded import answered, clock_of, to_record
from .changing import Changes
from .moving import MOVING, Parts, is_everywhere
from .values import enter, foreign_classes, leave

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from ...ruby.values import Module, Native
    from ..runtime.scope import Frame
    from .library import RubyLibrary


NESTED = 200
"""How many templates and functions of Ruby may be running inside each other."""


class Reads:
    """What one activity of Ruby (a call of a function, a template) has read so far; `op` names it in formulas."""

    __slots__ = (
        "_given",
        "_indexed",
        "_name",
        "_parts",
        "aliased",
        "before",
        "begun",
        "code",
        "frame",
        "inputs",
        "known",
        "last",
        "makings",
        "op",
        "scopes",
        "span",
    )

    def __init__(
        self,
        op: Op,
        inputs: Sequence[Origin],
        frame: Frame,
        span: Span | None,
        values: Sequence[Any] = (),
        name: str | None = None,
        block: Any = None,
    ) -> None:
        """`values` are the arguments of a function, `name` and `block` its own; `inputs` are the arguments' origins."""
        self.makings = Makings()
        # A function that is asked for data gets a context, through which it may ask for anything; the origin that comes
        # with its arguments is that of the level.
        is_data = any(isinstance(value, LookupContext) for value in values)
        self.known: list[tuple[Any, Origin]] = [] if is_data else list(zip(values, inputs, strict=False))
        """What was read, with its origins, as far as values go: parts of it may be found again."""
        self.before: dict[int, tuple[Any, Any]] | None = None
        """Containers that were changed, as they were before: known when the activity is over."""
        self.last: tuple[Any, Origin] = (None, Step(RUBY, ()))
        """What was read last, and its origin."""
        self._parts: Parts | None = None
        self._indexed = 0
        self._given = -1 if is_data or block is not None else len(inputs)
        self._name = name
        self.op = op
        self.inputs: list[Origin] = list(inputs)
        self.frame = frame
        self.span = span
        self.aliased: list[object] = []  # Puppet's containers that Ruby holds, and the scopes some were found in
        self.scopes: list[object] = []
        self.begun = len(self.inputs)  # how much had been read when the part that is being made was begun
        self.code: list[str] = []
        """The files of the functions that ran, of which the activity is one or called some in the old way."""

    def note(self, origin: Origin) -> None:
        """Something was read; the same thing twice in a row counts once, unless something began in between."""
        inputs = self.inputs
        if len(inputs) <= self.begun or inputs[-1] is not origin:
            inputs.append(origin)

    def ran(self, path: str, ruby: RubyRun) -> None:
        """The code of a file ran; what a template makes of it is known by what it reads."""
        if self._name is None:
            for leaf in ruby.code([path]):
                self.note(leaf)
        elif path not in self.code:
            self.code.append(path)

    def origin(self) -> Origin:
        """The origin of what is computed now: of the arguments, and of everything read until now."""
        is_more = self._name is not None and len(self.inputs) > self._given
        step = Step(Consulting(self._name or "") if is_more else self.op, tuple(self.inputs), self.span)
        leaves = ruby_of(self.frame.run).code(self.code) if self.code else ()
        return Choice(leaves, step) if leaves else step

    def parts(self, ruby: RubyRun) -> Parts:
        """What was read until now, part by part."""
        if self._parts is None:
            before = self.before if self.before is not None else ruby.changed.before
            self._parts = Parts(self.makings, ruby.interpreter.literals, before, self._name in MOVING)
        if self._indexed < len(self.known):
            self._parts.add(self.known[self._indexed :])
            self._indexed = len(self.known)
        return self._parts

    def origin_of(self, value: object, ruby: RubyRun) -> Origin:
        """The origin of `value`: parts of what was read that were moved into it keep theirs."""
        own = self.origin()
        if is_everywhere(value) and self._name not in MOVING:
            return own
        return self.parts(ruby).shadow(value, own)


class PuppetWorld(World):
    """The doors of a compilation: files below the host's roots, modules' own libraries, the node's clock and chance."""

    def __init__(self, ruby: RubyRun) -> None:
        self.ruby = ruby

    def reads(self) -> int:
        """How many things were read in the template or function that runs."""
        activities = self.ruby.activities
        return len(activities[-1].inputs) if activities else 0

    def picked(self, before: int, key: str, value: object) -> None:
        """A part of a hash that was read for its sake alone: the part is the input, not the hash."""
        if not self.ruby.activities:
            return
        activity = self.ruby.activities[-1]
        container, origin = activity.last
        inputs = activity.inputs
        if len(inputs) != before + 1 or inputs[-1] is not origin or type(container) is not dict:
            return
        if id(container) in self.ruby.changed.before or container.get(key) is not value:
            return
        part = element(origin, key) if key in container else Absent(key, missing(origin, key))
        if part is not None:
            inputs[-1] = part
            activity.last = value, part

    def constant(self, interpreter: Interpreter, scope: Module | None, name: str) -> Any:
        """`Puppet` and what is below it."""
        from .namespace import constant

        return constant(interpreter, scope, name)

    def home(self, at: Span | None) -> str | None:
        """Functions and templates are read by a class of Puppet's, inside of which their code stands."""
        if at is None:
            return None
        if "lib/puppet/functions/" in at.file.name:
            return "Puppet::Pops::Loader::RubyFunctionInstantiator"
        return None if at.file.name.endswith(".rb") else "Puppet::Parser::TemplateWrapper"

    def method(self, receiver: object, name: str) -> Native | None:
        """What Puppet adds to Ruby's own classes."""
        from .namespace import CORE_EXTENSIONS

        return CORE_EXTENSIONS.get(name)

    def require(
        self, interpreter: Interpreter, name: str, relative_to: str | None, at: Span
    ) -> SourceFile | bool | None:
        """A file of a module's `lib`; what belongs to Puppet itself is here already."""
        return self.ruby.library.required(name, relative_to)

    def file_kind(self, path: str, at: Span | None) -> str | None:
        host = self.ruby.environment.host
        kind: str | None = host.kind_asked(path)
        self.ruby.note(Leaf("file", path, None, path, absent=kind is None))
        return kind

    def is_link(self, path: str, at: Span | None) -> bool:
        kind = self.file_kind(path, at)
        return kind is not None and self.ruby.environment.host.link_target(path) is not None

    def read_file(self, path: str, at: Span | None) -> str:
        from ...ruby.classes import error

        host = self.ruby.environment.host
        try:
            content: bytes = host.read_bytes(path, at)
        except (Refused, LimitReached, OutsideRoots):
            raise
        except CannotRead:
            self.ruby.note(Leaf("file", path, None, None, absent=True))
            raise error("Errno::ENOENT", f"No such file or directory @ rb_sysopen - {path}") from None
        text = content.decode("utf-8", "surrogateescape")
        self.ruby.note(Leaf("file", path, None, text))
        return text

    def list_directory(self, path: str, at: Span | None) -> Sequence[str]:
        names: list[str] = self.ruby.environment.host.list_directory(path, at)
        self.ruby.note(Leaf("file", path, None, tuple(names)))
        return names

    def environment(self, name: str, at: Span | None) -> str | None:
        """An environment variable that the host shows; it shows none unless told so."""
        value: str | None = self.ruby.environment.host.environment(name)
        self.ruby.note(Leaf("environment", name, None, value))
        return value

    def now(self, at: Span | None) -> float:
        now, clock = clock_of(self.ruby.environment)
        self.ruby.note(clock)
        return now

    def is_frozen(self, value: object) -> bool:
        """Asked before every change of a container: facts and trusted data stay; what changes is put right later."""
        ruby = self.ruby
        if ruby.run is not None:
            if ruby.frozen is None:
                ruby.frozen = _frozen(ruby.run.top.vars)
            if id(value) in ruby.frozen:
                return True
        ruby.changed.about_to(value)
        return False


def _frozen(variables: Any) -> set[int]:
    """The containers of the node's facts and trusted data, by identity; they live as long as the run."""
    identities: set[int] = set()
    waiting = [variables[name][0] for name in ("facts", "trusted", "server_facts") if name in variables]
    while waiting:
        container = waiting.pop()
        identities.add(id(container))
        inside = container.values() if isinstance(container, dict) else container
        waiting.extend(item for item in inside if isinstance(item, dict | list))
    return identities


class RubyRun:
    """Ruby for one compilation, or (without one) for the resource types of an environment."""

    def __init__(self, library: RubyLibrary, run: Any) -> None:
        from ...base.budget import current

        self.library = library
        self.environment: Any = library.environment
        self.run: Any = run
        from .backends import CONTEXT
        from .datatypes import INSTANCE

        classes = {**foreign_classes(), LookupContext: CONTEXT, ObjectValue: INSTANCE}
        self.interpreter = Interpreter(PuppetWorld(self), current() if run is not None else current().fresh(), classes)
        self._unasked = Makings() if run is not None else None
        self.interpreter.makings = self._unasked
        self.files: dict[tuple[int, str], tuple[Any, Any]] = {}
        """What data functions made of files, by context and path; the context is kept alive beside it."""
        self._code: dict[tuple[Any, ...], tuple[Leaf, ...]] = {}
        self.activities: list[Reads] = []
        self.wrapper: Class | None = None
        """The class of templates in this run."""
        self.frozen: set[int] | None = None
        self._visible: tuple[Any, tuple[dict[str, Any], Origin, list[Any]]] | None = None
        self._odd_names: dict[str, str] | None = None
        self.changed = Changes()
        """Containers that Ruby code has changed and that Puppet may hold: see `settle`."""
        self.errors: dict[str, Class] = {}
        self.functions: dict[str, Any] = {}
        """Functions of both interfaces that were loaded in this run, by name; see `functions` and `legacy`."""
        self.legacy: dict[str, Any] = {}
        self.results: dict[str, Any] = {}
        """What the files of functions of the old interface ended with, by name."""
        self.datatypes: dict[str, Any] = {}
        """Types of objects that Ruby code has defined in this run, by name; see `datatypes`."""
        libraries = [path for _, path in library.directories()]
        self.interpreter.globals.update({"$LOAD_PATH": libraries, "$:": libraries})
        from .namespace import install

        install(self)

    def forget(self) -> None:
        """Variables have got other values: what was worked out from them is worked out anew, within a new budget."""
        from ...base.budget import current

        self.frozen = None
        self._visible = None
        self._odd_names = None
        self.changed = Changes()
        self.interpreter.budget = current()

    # --- the ledger --------------------------------------------------------------------------------------------------

    @property
    def activity(self) -> Reads | None:
        """What Ruby is doing now."""
        return self.activities[-1] if self.activities else None

    @property
    def frame(self) -> Any:
        """The frame that Ruby was called from."""
        return self.activities[-1].frame if self.activities else self.run.top

    def enter(self, reads: Reads) -> None:
        """A template or function begins."""
        if len(self.activities) >= NESTED:
            raise LimitReached("Ruby templates and functions are nested too deeply", NESTED, reads.span)
        self.activities.append(reads)
        self.interpreter.makings = reads.makings

    def leave(self) -> None:
        """It ends."""
        self.activities.pop()
        self.interpreter.makings = self.activities[-1].makings if self.activities else self._unasked

    def code(self, files: Sequence[str]) -> tuple[Leaf, ...]:
        """The code of some files and of what they have required: how its values came to be is not followed."""
        required = self.interpreter.required
        key = (*files, sum(map(len, required.values())))
        if key not in self._code:
            sources = {path: self.library.program(path).source for path in files}
            waiting = list(sources)
            while waiting:
                new = {name: file for name, file in required.get(waiting.pop(), {}).items() if name not in sources}
                sources.update(new)
                waiting.extend(new)
            self._code[key] = tuple(map(code, sources.values()))
        return self._code[key]

    def ran(self, path: str | None) -> None:
        """A function of another file was called in the old way, which is part of what runs."""
        if path is not None and self.activities:
            self.activities[-1].ran(path, self)

    def note(self, origin: Origin) -> None:
        """Something outside of Ruby was read."""
        if self.activities:
            self.activities[-1].note(origin)

    def note_value(self, value: object, origin: Origin) -> None:
        """A value of Puppet's was read: parts of it keep their origins, wherever Ruby puts them."""
        if self.activities:
            activity = self.activities[-1]
            activity.note(origin)
            activity.known.append((value, origin))
            activity.last = value, origin

    def origin(self) -> Origin:
        """The origin of what Ruby has in hand now."""
        return self.activities[-1].origin() if self.activities else Step(RUBY, ())

    def origin_of(self, value: object) -> Origin:
        """The origin of a value that Ruby has in hand now."""
        return self.activities[-1].origin_of(value, self) if self.activities else Step(RUBY, ())

    @property
    def span(self) -> Span | None:
        """The place in the manifest that Ruby was called from."""
        return self.activities[-1].span if self.activities else None

    def odd_names(self) -> dict[str, str]:
        """Variables of the top scope whose names have characters that Ruby's have not, by what templates call them."""
        if self._odd_names is None:
            names = (name for name in self.run.top.vars if not name.isidentifier())
            self._odd_names = {re.sub(r"[^\w]", "_", name): name for name in names}
        return self._odd_names

    def variables(self, frame: Frame) -> tuple[dict[str, Any], Origin, list[Any]]:
        """All variables that are visible from a frame: their values, where they came from together, and the containers.

        Some templates ask for all of them again and again; as long as none was assigned the answer is the same.
        """
        frames = []
        here: Frame | None = frame
        while here is not None:
            frames.append(here)
            here = here.up
        state = (frame, [len(here.vars) for here in frames])
        if self._visible is not None and self._visible[0] == state:
            return self._visible[1]
        from .scope import visible

        seen = visible(frame)
        values = {name: enter(self.interpreter, value) for name, (value, _) in seen.items()}
        containers = [value for value in values.values() if type(value) is list or type(value) is dict]
        answer = values, Step(RUBY, tuple(origin for _, origin in seen.values())), containers
        if not any(here.pending for here in frames):  # where defaults of parameters are evaluated, names come and go
            self._visible = state, answer
        return answer

    def settle(self, reads: Reads, code: Sequence[Origin] = ()) -> None:
        """Convert values that Ruby stored in shared containers to Puppet's, depending on the reads and on `code`."""
        if self.changed:
            self._visible = None
            reads.before = self.changed.before
            if self.run is not None and self.run.observed is not None:
                self.run.observed.changed(self.changed.before)
            if self.frozen is None and self.run is not None:
                self.frozen = _frozen(self.run.top.vars)
            self.changed.settle(
                reads.aliased,
                reads.frame,
                reads.scopes,
                self.frozen or (),
                lambda: Step(reads.op, (*reads.inputs, *code, *self.code(reads.code))),
                is_over=not self.activities,
            )

    def alias(self, value: object, scope: object = None) -> None:
        """Note that Ruby code holds this value of Puppet's and may change it; `scope` is where it was found."""
        if self.activities and (type(value) is list or type(value) is dict):
            activity = self.activities[-1]
            activity.aliased.append(value)
            if scope is not None:
                activity.scopes.append(scope)

    # --- calling -----------------------------------------------------------------------------------------------------

    def call_puppet(self, frame: Frame, name: str, arguments: Sequence[Any], block: Proc | None = None) -> object:
        """Call any function by name from Ruby, in the scope of `frame`."""
        values = [leave(argument) for argument in arguments]
        origins = [self.origin_of(argument) for argument in values]
        closure = None if block is None else RubyBlock(self, block)
        try:
            function = self.environment.function(name, None)
            call = getattr(function, "invoke", function.call)  # an exception of Ruby's stays one
            try:
                value, result = call(frame, values, origins, closure, self.span)
            except (RubyRefused, NotSupported) as problem:
                known = None
                if isinstance(function, Called) and closure is None:
                    known = function.answered(frame.run, values, origins, self.span)
                if known is None:
                    if isinstance(function, Called) and isinstance(problem, RubyRefused) and problem.help is None:
                        problem.help = to_record(frame.run, name, values)
                    raise
                value, result = known
        except RubyError:
            raise
        except Diagnostic as problem:
            raise self.raised(problem) from None
        self.note_value(value, result)
        return enter(self.interpreter, value)

    # --- errors ------------------------------------------------------------------------------------------------------

    def error(self, class_name: str, message: str) -> RubyError:
        """A Ruby exception of one of Puppet's own classes (`Puppet::ParseError`)."""
        return RubyError(Exception_(self.errors[class_name], message))

    def raised(self, problem: Diagnostic) -> Exception:
        """A failure of Puppet's as Ruby code can rescue it; what bounds a run can not be rescued."""
        if isinstance(problem, Refused | LimitReached):
            return problem
        exception = Exception_(self.errors["Puppet::ParseError"], problem.message)
        exception.host = problem
        return RubyError(exception)

    def message_of(self, problem: RubyError) -> str:
        """What an exception says of itself: its class may have a `message` or `to_s` of its own."""
        try:
            return to_s(self.interpreter, self.interpreter.send(problem.exception, "message"))
        except RubyError:
            return problem.message

    def failure(self, problem: RubyError, span: Span | None = None) -> Exception:
        """A Ruby exception that nobody rescued, as Puppet tells it."""
        exception = problem.exception
        if isinstance(exception.host, Diagnostic):
            return exception.host
        message = self.message_of(problem)
        if problem.is_a("Puppet::PreformattedError") or (
            problem.is_a("Puppet::ParseError") and exception.ivars.get("@file") is not None
        ):
            place = ", ".join(
                f"{name}: {value}"
                for name in ("file", "line")
                if (value := leave(exception.ivars.get(f"@{name}"))) is not None
            )
            words = f"{message} ({place})" if place else message
            return EvaluationError(words, span, issue=None, kind="ruby", lead="", placeless=True)
        failure = Failure(message, kind="ruby")
        failure.notes.extend(_trail(problem))
        return failure


def _trail(problem: RubyError) -> list[str]:
    """Where in Ruby it happened, for people."""
    return [f"raised at {place.place} in Ruby" for place in problem.places[:1]]


class RubyBlock:
    """A Ruby block given to a function of Puppet's: it can be called like a lambda."""

    __slots__ = ("block", "ruby")

    def __init__(self, ruby: RubyRun, block: Proc) -> None:
        self.ruby = ruby
        self.block = block

    @property
    def parameter_names(self) -> Sequence[str]:
        """Their names do not matter."""
        return tuple(f"p{index}" for index in range(self.block.width))

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        arity = self.block.arity
        return arity if arity >= 0 else -arity - 1

    @property
    def most(self) -> int | None:
        """How many arguments it takes."""
        arity = self.block.arity
        return arity if arity >= 0 else None

    def can_take(self, least: int, most: int) -> bool:
        """Whether so many arguments are right."""
        return self.least <= least and (self.most is None or self.most >= most)

    @property
    def puppet_type(self) -> Any:
        """Its type, by its arity alone."""
        from ..types.model import ANY
        from ..types.signatures import CallableSignature

        most = self.most
        return CallableSignature([ANY] * max(1, self.least), (), self.least, most).type

    def call(self, values: Sequence[object], origins: Sequence[Origin], because: Origin | None = None) -> Any:
        """Run it; what it is given becomes something that Ruby read."""
        ruby = self.ruby
        for value, origin in zip(values, origins, strict=False):
            ruby.note_value(value, origin)
        if because is not None:
            ruby.note(because)
        result = leave(self.block.call([enter(ruby.interpreter, value) for value in values]))
        return result, ruby.origin_of(result)


class LambdaProc(Proc):
    """A lambda of Puppet's as Ruby calls it: a block of `|*arguments|`, so that a pair of a hash stays one thing."""

    __slots__ = ("closure", "ruby")

    def __init__(self, ruby: RubyRun, closure: Any) -> None:
        self.ruby = ruby
        self.closure = closure
        self.is_lambda = False

    def call(self, arguments: Arguments, block: Proc | None = None) -> Any:
        ruby = self.ruby
        values = [leave(argument) for argument in arguments]
        origins = [ruby.origin_of(value) for value in values]
        value, result = self.closure.call(values, origins, ruby.origin())
        ruby.note_value(value, result)
        return enter(ruby.interpreter, value)

    @property
    def arity(self) -> int:
        least: int = self.closure.least
        return least if self.closure.most == least else -least - 1

    @property
    def names_of_host(self) -> tuple[tuple[str, str], ...]:
        names = self.closure.parameter_names
        kinds = ["req" if at < self.closure.least else "opt" for at in range(len(names))]
        if self.closure.most is None:
            kinds[-1] = "rest"
        return tuple(zip(kinds, names, strict=True))


def ruby_of(run: Any) -> RubyRun:
    """The Ruby of a compilation, made when it is first needed."""
    if run.ruby is None:
        run.ruby = RubyRun(run.environment.ruby_library(), run)
    ruby: RubyRun = run.ruby
    return ruby


_LACKING = ("NameError", "LoadError", "NotImplementedError")
"""Exceptions that may be raised because something of Ruby's is not here."""


class Called:
    """A function written in Ruby, as Puppet code calls it, whichever interface it is written for.

    What Ruby raised and nobody rescued is told as Puppet tells it. What the closed part of Ruby does not have is an
    error, or, if the run may ask a Ruby process (`--ruby`), that function alone is asked of one (see `process`).
    """

    __slots__ = ("name", "op", "path")

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self.path = path
        self.op = FunctionCall(name)

    def invoke(
        self,
        frame: Frame,
        values: Sequence[object],
        origins: Sequence[Origin],
        block: object = None,
        span: Span | None = None,
    ) -> tuple[object, Origin]:
        """Run it, from the scope of the caller; exceptions of Ruby's pass, for a caller in Ruby."""
        raise NotImplementedError

    def call(
        self,
        frame: Frame,
        values: Sequence[object],
        origins: Sequence[Origin],
        block: object = None,
        span: Span | None = None,
    ) -> tuple[Any, Origin]:
        """Run it, from the scope of the caller."""
        run = frame.run
        may_ask = run.may_ask_ruby and block is None
        before = openings()
        try:
            value, origin = self.invoke(frame, values, origins, block, span)
            origin = origin if before == openings() else Copy(OPENED, origin)
            note_derived(value, origin)
            return value, origin
        except RubyError as problem:
            if before != openings() or any(map(is_secret_now, origins)):
                learn(ruby_of(run).message_of(problem))  # what it says may be made of what it knows
            lacking = any(problem.is_a(name) for name in _LACKING)
            known = self.answered(run, values, origins, span) if lacking and block is None else None
            if known is not None:
                return self._owing(run, known)
            if not may_ask or not lacking:
                raise ruby_of(run).failure(problem, span) from None
        except (RubyRefused, NotSupported, RubySyntaxError) as problem:
            known = self.answered(run, values, origins, span) if block is None else None
            if known is not None:
                return self._owing(run, known)
            if not may_ask:
                if isinstance(problem, RubyRefused) and problem.help is None:
                    problem.help = to_record(run, self.name, values)
                raise
        from .process import ask_ruby

        return self._owing(run, ask_ruby(run, self.name, values, origins, span))

    def _owing(self, run: object, answer: tuple[object, Origin]) -> tuple[object, Origin]:
        """An answer from elsewhere, which another code would not have asked for."""
        return answer[0], Choice(ruby_of(run).code([self.path]), answer[1])

    def answered(
        self, run: Any, values: Sequence[Any], origins: Sequence[Origin], span: Span | None
    ) -> tuple[Any, Origin] | None:
        """What was recorded of the call, or what a Ruby process says where that is wanted."""

        def by_ruby() -> object:
            from .process import ask_ruby

            return ask_ruby(run, self.name, values, origins, span)[0]

        return answered(run, self.name, values, origins, span, by_ruby)

"""Functions of the old interface: `Puppet::Parser::Functions.newfunction(:name, :type => :rvalue) do |arguments| ...`.

The block runs as a method of the caller's scope: `return` ends the function, `lookupvar` and `function_other` are the
scope's own. Arguments are converted copies when Puppet code calls (`undef` at the outside is an empty text), and the
very objects when Ruby calls `function_name([...])`. A statement gives nothing back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.keys import Symbol
from ...ruby.classes import class_name, error
from ...ruby.errors import RubyError
from ...ruby.nodes import Call, Define, inside
from ...ruby.procs import method_from_block
from ...ruby.showing import to_s
from ...ruby.values import Arguments, Proc
from ..functions.signatures import legacy_arguments
from ..functions.table import find as find_function
from ..kernel.failures import EvaluationError, Failure
from .run import Called, Reads, RubyRun, ruby_of
from .scope import ScopeObject, reference_of
from .values import enter, leave, rebuilt, word

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Origin
    from ...ruby.programs import Program
    from ..runtime.scope import Frame


STUBS = frozenset(
    "assert_type binary_file break defined dig each epp filter find_file hiera hiera_array hiera_hash hiera_include"
    " inline_epp lest lookup map match new next reduce regsubst return reverse_each slice split step strftime then type"
    " with".split()
)
"""Functions of Puppet's own that the old interface has in name alone."""

OLD = frozenset(
    "contain create_resources digest fail file fqdn_rand generate include inline_template md5 realize require scanf"
    " sha1 sha256 shellquote sprintf tag tagged template versioncmp debug info notice warning err alert emerg"
    " crit".split()
)
"""Functions of Puppet's own that the old interface has."""

DEPRECATED = frozenset(("contain", "include", "require"))

REFACTOR = "https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html"


class Legacy:
    """What `newfunction` made."""

    __slots__ = ("arity", "block", "name", "rvalue")

    def __init__(self, name: str, rvalue: bool, arity: int, block: Proc) -> None:
        self.name = name
        self.rvalue = rvalue
        self.arity = arity
        self.block = block

    def check(self, count: int) -> str | None:
        """What is wrong with so many arguments."""
        arity = self.arity
        if arity >= 0 and count != arity:
            return f"{self.name}(): Wrong number of arguments given ({count} for {arity})"
        if arity < 0 and count < -arity - 1:
            return f"{self.name}(): Wrong number of arguments given ({count} for minimum {-arity - 1})"
        return None


def new_function(ruby: RubyRun, name: str, options: dict[Any, Any], block: Proc) -> None:
    """`newfunction(name, options, &block)`"""
    given = {word(key): leave(value) for key, value in options.items()}
    kind = given.get("type", Symbol("statement"))
    rvalue = (kind.name if type(kind) is Symbol else str(kind)) == "rvalue"
    arity = given.get("arity")
    ruby.legacy[name] = Legacy(name, rvalue, arity if isinstance(arity, int) else -1, block)


def loaded(ruby: RubyRun, name: str) -> Legacy | None:
    """The function of the old interface of this name, its file run if need be."""
    function = ruby.legacy.get(name)
    if function is None and name not in ruby.legacy:
        path = ruby.library.legacy_file(name)
        if path is not None:
            ruby.legacy[name] = None
            try:
                ruby.results[name] = ruby.interpreter.run(ruby.library.program(path))
            except RubyError:
                del ruby.legacy[name]
                raise
            function = ruby.legacy.get(name)
    return function


def check_file(program: Program, path: str) -> None:
    """Refuse a file that defines methods, or does not call `newfunction` with parentheses.

    Puppet's words tell the column of a method's name where they say "line".
    """
    calls = False
    for node in inside(program.root):
        if isinstance(node, Define):
            refused = EvaluationError(
                f"Illegal method definition of method '{node.name}' in source {path} on line {_column(node)} in legacy "
                f"function. See {REFACTOR} for more information",
                node.span,
                issue=None,
                kind="ruby",
                lead="",
                placeless=True,
            )
            refused.nodeless = True
            raise refused
        if isinstance(node, Call) and node.name == "newfunction":
            text = node.span.text
            calls = calls or text.startswith("newfunction(", text.index("newfunction"))
    if not calls:
        raise error(
            "ArgumentError",
            f"The code loaded from {path} does not seem to be a Puppet 3x API function - no 'newfunction' call.",
        )


def _column(node: Define) -> int:
    at = node.span.start + node.span.text.index(node.name, len("def"))
    return node.span.file.line_and_column(at)[1] - 1


def check_result(ruby: RubyRun, name: str, path: str) -> None:
    """Refuse a file that did not end with `newfunction`, or with one of another name."""
    result = ruby.results[name]
    if not isinstance(result, dict):
        raise error(
            "ArgumentError",
            f"Illegal legacy function definition! The code loaded from {path} did not return the result of calling "
            f"'newfunction'. Got '{class_name(result)}'",
        )
    named = to_s(None, result.get(Symbol("name")))
    if named != f"function_{name}":
        words = f"The code loaded from {path} produced mis-matched name, expected 'function_{name}', got '{named}'"
        raise error("ArgumentError", words)


class LegacyFunction(Called):
    """A function of the old interface."""

    __slots__ = ()

    def invoke(
        self,
        frame: Frame,
        values: Sequence[object],
        origins: Sequence[Origin],
        block: object = None,
        span: Span | None = None,
    ) -> tuple[object, Origin]:
        """The same for a caller in Ruby: exceptions pass."""
        ruby = ruby_of(frame.run)
        function = self._loaded(ruby)
        arguments = [_inside(ruby, reference_of(value)) for value in legacy_arguments(values)]
        known = [copy if _is_copy(copy, value) else value for copy, value in zip(arguments, values, strict=True)]
        reads = Reads(self.op, origins, frame, span, known, self.name)
        reads.ran(self.path, ruby)
        ruby.enter(reads)
        try:
            result = run_block(ruby, function, frame, list(arguments))
        finally:
            ruby.leave()
        ruby.settle(reads)
        value = rebuilt(result, reads.makings.moved) if function.rvalue else None
        return value, reads.origin_of(value, ruby)

    def _loaded(self, ruby: RubyRun) -> Legacy:
        """The function, its file looked at as Puppet's loader looks at it; Ruby's `function_name` does not look."""
        path = ruby.library.legacy_file(self.name)
        if path is None:
            raise Failure(f"Unknown function: '{self.name}'.", issue="UNKNOWN_FUNCTION")
        program = ruby.library.program(path)
        if program not in ruby.library.checked:
            check_file(program, path)
            ruby.library.checked.add(program)
        first = self.name not in ruby.legacy
        function = loaded(ruby, self.name)
        if first or function is None:
            check_result(ruby, self.name, path)
        assert function is not None
        return function


def _is_copy(copy: object, value: object) -> bool:
    """Whether an argument, as the function gets it, has the very parts that were given: some kinds are converted."""
    if type(copy) is list and type(value) is list:
        return len(copy) == len(value) and all(map(_is_copy, copy, value))
    if type(copy) is dict and type(value) is dict:
        return copy.keys() == value.keys() and all(_is_copy(item, value[key]) for key, item in copy.items())
    return copy is value


def _inside(ruby: RubyRun, value: object) -> object:
    """An argument with references inside of it made objects too (containers are copies already)."""
    if type(value) is list:
        return [_inside(ruby, item) for item in value]
    if type(value) is dict:
        return {key: _inside(ruby, item) for key, item in value.items()}
    return reference_of(enter(ruby.interpreter, value))


def run_block(ruby: RubyRun, function: Legacy, frame: Frame, arguments: Arguments) -> object:
    """The body of a function, in the scope of `frame`."""
    wrong = function.check(len(arguments))
    if wrong is not None:
        raise error("ArgumentError", wrong)
    scope = ScopeObject(frame)
    method = method_from_block(f"real_function_{function.name}", function.block, ScopeObject.ruby_class)
    return method.run(ruby.interpreter, scope, [arguments], None)


def call_old(ruby: RubyRun, frame: Frame, name: str, arguments: Arguments) -> object:
    """`scope.function_NAME(arguments)`, from Ruby."""
    function = loaded(ruby, name)
    if function is not None:
        ruby.ran(ruby.library.legacy_file(name))
        result = run_block(ruby, function, frame, arguments)
        return result if function.rvalue else None
    core = find_function(name) if name in STUBS or name in OLD else None
    if core is None:
        shown = ruby.interpreter.shown_receiver(ScopeObject(frame))
        raise error("NoMethodError", f"undefined method `function_{name}' for {shown}")
    if name in STUBS:
        words = f"{name}() can only be called using the 4.x function API. See Scope#call_function"
        raise ruby.error("Puppet::ParseError", words)
    value = call_core(ruby, frame, core, arguments)
    if name in DEPRECATED:
        words = f"Calling function_{name} via the Scope class is deprecated. Use Scope#call_function instead"
        ruby.run.warn_once(f"3xfunction#{name}", f"{words}\n   (file & line not available)", None)
    return value


def call_core(ruby: RubyRun, frame: Frame, function: Any, arguments: Arguments) -> object:
    """A function that wherefrom has itself, called from Ruby."""
    values = [leave(argument) for argument in arguments]
    try:
        value, result = function.call(frame, values, [ruby.origin_of(argument) for argument in values], None, ruby.span)
    except RubyError:
        raise
    except Diagnostic as problem:
        raise ruby.raised(problem) from None
    ruby.note_value(value, result)
    return enter(ruby.interpreter, value)

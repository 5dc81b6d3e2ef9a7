"""ERB templates: `template('module/name.erb')` and `inline_template('...')`.

A template runs with a wrapper object for `self`: one instance variable for every variable that is visible where the
function is called, which *is* Puppet's value (`@list << 1` changes `$list`), and the methods `scope`, `has_variable?`,
`classes`, `all_tags` and those that log. Each render makes a new wrapper, so that what a template assigns to `@x` is
seen by nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...base.secrets import learn
from ...base.source import Span
from ...provenance.operations import Op
from ...provenance.origins import Choice, Copy, Leaf, Origin, Step
from ...provenance.rendered import Rendered
from ...provenance.secrecy import OPENED, is_secret_now, openings
from ...ruby.classes import OBJECT, error
from ...ruby.erb import scan
from ...ruby.errors import RubyError
from ...ruby.operations import INLINE_TEMPLATE, JOINED, RUBY, NamedTemplate
from ...ruby.programs import Sink
from ...ruby.showing import to_s
from ...ruby.values import Arguments, Class, HostObject, Text
from ..kernel.edge_labels import PRINTED
from ..kernel.failures import Failure
from ..runtime.scope import Frame, UnevaluatedParameter
from ..runtime.variables import absence
from .moving import is_everywhere
from .run import Reads, RubyRun, ruby_of
from .scope import GETTEXT, LOGGERS, CatalogObject, ScopeObject, ruby_run, visible
from .values import enter, leave

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ...ruby.interpreter import Interpreter


def _scope(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> Any:
    return self.scope


def _file(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> Any:
    return self.path


def _has_variable(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> Any:
    name = leave(interpreter.send(arguments[0], "to_s"))
    return interpreter.send(self.scope, "include?", [name])


def _classes(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> Any:
    return interpreter.send(CatalogObject(ruby_run(interpreter).run), "classes", [])


def _all_tags(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> object:
    return interpreter.send(CatalogObject(ruby_run(interpreter).run), "tags", [])


def _no_tags(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> object:
    raise error("NotImplementedError", "Call 'all_tags' instead.")


def _shown(interpreter: Interpreter, self: Wrapper, arguments: Arguments, block: object) -> Any:
    return f"template[{self.path or 'inline'}]"


WRAPPER = Class("Puppet::Parser::TemplateWrapper", OBJECT, {
    **LOGGERS, **GETTEXT, "scope": _scope, "file": _file, "has_variable?": _has_variable, "classes": _classes,
    "all_tags": _all_tags, "tags": _no_tags, "to_s": _shown,
}, frozen=True)  # fmt: skip


class Wrapper(HostObject):
    """The `self` of a template: its scope, its file, and its variables."""

    __slots__ = ("path", "ruby_class", "ruby_variables", "scope")

    def __init__(self, cls: Class, scope: ScopeObject, path: str | None, variables: TemplateVariables) -> None:
        self.ruby_class = cls  # the class of this run: methods that a template defines go there
        self.scope = scope
        self.path = path
        self.ruby_variables = variables


class TemplateVariables:
    """The instance variables of a template: Puppet's variables as seen from a frame, read when they are asked for.

    Each read is noted with its origin, and so is what was not there. What the template assigns itself is its own.
    """

    __slots__ = ("frame", "own", "ruby")

    def __init__(self, ruby: RubyRun, frame: Frame) -> None:
        self.ruby = ruby
        self.frame = frame
        self.own: dict[str, Any] = {}

    def _find(self, name: str) -> Any:
        try:
            variable = self.frame.seek(name[1:])
        except UnevaluatedParameter:
            return None
        if variable is None:
            odd = self.ruby.odd_names().get(name[1:])
            variable = None if odd is None else self.frame.seek(odd)
        return variable

    def get(self, name: str, default: Any = None) -> Any:
        """The value of `@name`; nil, and an absence, if there is none."""
        if name in self.own:
            return self.own[name]
        variable = self._find(name)
        if variable is None:
            self.ruby.note(absence(self.frame, name[1:]))
            return default
        self.ruby.note_value(*variable)
        value = variable[0]
        kind = type(value)
        if kind is str:
            return value
        if kind is list or kind is dict:
            self.ruby.alias(value)
            return value
        return enter(self.ruby.interpreter, value)

    def __contains__(self, name: str) -> bool:
        if name in self.own:
            return True
        variable = self._find(name)
        self.ruby.note(variable[1] if variable is not None else absence(self.frame, name[1:]))
        return variable is not None and variable[0] is not None

    def __getitem__(self, name: str) -> Any:
        return self.get(name)

    def __setitem__(self, name: str, value: object) -> None:
        self.own[name] = value

    def __iter__(self) -> Iterator[str]:
        return iter([*(f"@{name}" for name in visible(self.frame)), *self.own])

    def items(self) -> list[tuple[str, Any]]:
        """All of them: reading all is reading each."""
        return [(name, self.get(name)) for name in dict.fromkeys(self)]


# Words in an expression by which it may leave something behind for what comes after it.
_CHANGING = re.compile(
    r"(?<![=!<>])=(?![=~])|<<|\w!|\b(?:push|append|prepend|unshift|insert|concat|store|update|replace|clear|delete"
    r"(?:_at|_if)?|shift|pop|fill|setvar|keep_if|do|def)\b"
)
_VARIABLE = re.compile(r"\s*-?\s*@\w+\s*")
_LITERAL = re.compile(r"['\"\d/`:%]|\b(?:true|false|nil)\b")


class TemplateExpression:
    """What is known of a `<%= %>` before it runs."""

    __slots__ = ("code", "is_changing", "is_variable", "span")

    def __init__(self, span: Span) -> None:
        text = span.text
        self.span = span
        self.code = Leaf("literal", "", span, text)
        self.is_variable = _VARIABLE.fullmatch(text) is not None
        self.is_changing = _CHANGING.search(text) is not None


class TemplateCode:
    """The code of a template as inputs: who changes a literal in it changes the text.

    `regions` are the tags between the parts of the text that hold a literal, in order.
    """

    __slots__ = ("expressions", "regions")

    def __init__(self, source: SourceFile) -> None:
        self.expressions: dict[int, TemplateExpression] = {}
        self.regions = [
            Leaf("literal", "", Span(source, offset, offset + len(text)), text)
            for kind, text, offset in scan(source.text)
            if kind == "code" and _LITERAL.search(text)
        ]

    def expression(self, span: Span) -> TemplateExpression:
        """The expression at a span of the template's tree."""
        known = self.expressions.get(id(span))
        if known is None:
            known = self.expressions[id(span)] = TemplateExpression(span)
        return known


class Fragments(Sink):
    """The text of a template with an origin for each part of it.

    A stretch of the template's text is a literal of it; what `<%= %>` gave is made of its code and of what was read
    meanwhile, and a copy if one variable was read and printed as it is. Everything read between them (conditions,
    loops, assignments), and the code that read it, decided that the parts after it are there and what they are: it is a
    test of each. Code that stands further on in the template has not run yet, unless the text went back, in a loop.
    """

    __slots__ = ("_at", "_openings", "_passed", "code", "decided", "lengths", "origins", "reads", "ruby", "seen")

    def __init__(self, ruby: RubyRun, reads: Reads, code: TemplateCode) -> None:
        super().__init__()
        self.ruby = ruby
        self.reads = reads
        self.code = code
        self.origins: list[Origin] = []
        self.lengths: list[int] = []
        self.decided: Origin | None = None
        self.seen = 0  # reads up to here are accounted for
        self._at = -1
        self._passed = 0  # so many of the code's regions have run
        self._openings = openings()

    def _settle(self, at: int) -> None:
        """What was read since the last part, and the code up to here, decides about the next ones."""
        inputs = self.reads.inputs
        new: list[Origin] | None = None
        regions = self.code.regions
        passed = self._passed
        if passed < len(regions):
            if at <= self._at:
                new = [*regions[passed:]]
                self._passed = len(regions)
            else:
                while passed < len(regions) and regions[passed].span.start < at:  # type: ignore[union-attr]
                    passed += 1
                if passed > self._passed:
                    new = [*regions[self._passed : passed]]
                    self._passed = passed
        self._at = at
        if len(inputs) > self.seen:
            new = inputs[self.seen :] if new is None else [*new, *inputs[self.seen :]]
            self.seen = self.reads.begun = len(inputs)
        if new is not None:
            self.decided = Step(RUBY, tuple(new) if self.decided is None else (self.decided, *new))
        if openings() != self._openings:
            self.decided = self._opened(self.decided or Step(RUBY, ()))

    def _opened(self, origin: Origin) -> Origin:
        """The origin of what Ruby did since the last part, which may have taken out a secret."""
        before, self._openings = self._openings, openings()
        return origin if before == self._openings else Copy(OPENED, origin)

    def _add(self, text: str, origin: Origin) -> None:
        self.parts.append(text)
        self.lengths.append(len(text))
        self.origins.append(origin if self.decided is None else Choice((self.decided,), origin))

    def text(self, text: str, span: Span) -> None:
        self._settle(span.start)
        self._add(text, Leaf("literal", "", span, text))

    def begin(self, span: Span) -> None:
        self._settle(span.start)

    def output(self, text: str, span: Span, given: object) -> None:
        inputs = self.reads.inputs
        new = inputs[self.seen :]
        expression = self.code.expression(span)
        if len(new) == 1 and expression.is_variable:
            origin: Origin = Copy(PRINTED, new[0], span)
        else:
            origin = Step(RUBY, (expression.code, *new), span)
            parts = self.reads.parts(self.ruby)
            if given is text and not is_everywhere(text):
                known = parts.origin(text)
                if known is not None:
                    origin = Choice((origin,), Copy(PRINTED, known, span))
            else:
                known = parts.operand(given.value if type(given) is Text else given)
                if known is not None:
                    origin = Choice((origin,), Step(JOINED, (known,), span))
        origin = self._opened(origin)
        self._add(text, origin)
        self.seen = self.reads.begun = len(inputs)
        if expression.is_changing:
            self.decided = origin if self.decided is None else Step(RUBY, (self.decided, origin))

    def append(self, text: str) -> None:
        self._settle(self._at)
        self._add(text, Step(RUBY, ()))

    def origin(self, span: Span | None) -> Origin:
        """The origin of the whole text."""
        self._settle(-1)
        return Rendered(self.origins, self.lengths, self.decided, span)


def render_file(frame: Frame, name: str, span: Span | None) -> tuple[str, Origin]:
    """`template(name)`"""
    path = frame.run.find_file("templates", name)
    if path is None:
        raise Failure(f"Could not find template '{name}'", kind="unknown template")
    ruby = ruby_of(frame.run)
    template = ruby.library.template(path)
    try:
        return _render(ruby, template, frame, path, NamedTemplate(name), (), span)
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise ruby.failure(problem, span) from None
        place = problem.span
        file = place.file.name if place is not None else path
        line = place.line if place is not None else 1
        detail = _detail(ruby, problem)
        words = f"Failed to parse template {name}:\n  Filepath: {file}\n  Line: {line}\n  Detail: {detail}\n"
        raise Failure(words, kind="template") from None


def render_text(frame: Frame, text: str, origin: Origin, span: Span | None) -> tuple[str, Origin]:
    """`inline_template(text)`"""
    ruby = ruby_of(frame.run)
    template = ruby.library.inline(text)
    try:
        return _render(ruby, template, frame, None, INLINE_TEMPLATE, (origin,), span)
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise ruby.failure(problem, span) from None
        raise Failure(f"Failed to parse inline template: {_detail(ruby, problem)}", kind="template") from None


def _detail(ruby: RubyRun, problem: RubyError) -> str:
    """An exception's words; a failure of Puppet's own, called from Ruby, has its own words."""
    host_exception = problem.exception.host
    return (
        host_exception.message
        if host_exception is not None and hasattr(host_exception, "message")
        else ruby.message_of(problem)
    )


def _render(
    ruby: RubyRun,
    template: Any,
    frame: Frame,
    path: str | None,
    op: Op,
    inputs: tuple[Origin, ...],
    span: Span | None,
) -> tuple[str, Origin]:
    interpreter = ruby.interpreter
    if ruby.wrapper is None:
        ruby.wrapper = Class(WRAPPER.name, WRAPPER)
    wrapper = Wrapper(ruby.wrapper, ScopeObject(frame), path, TemplateVariables(ruby, frame))
    reads = Reads(op, inputs, frame, span)
    if template.host is None:
        template.host = TemplateCode(template.source)
    sink = Fragments(ruby, reads, template.host)
    before = openings()
    ruby.enter(reads)
    try:
        text = template.render(interpreter, wrapper, sink, ruby.wrapper)
    except RubyError as problem:
        if before != openings() or any(map(is_secret_now, reads.inputs)):
            learn(_detail(ruby, problem))  # what it says may be made of what it knows
        raise
    finally:
        ruby.leave()
    ruby.settle(reads, template.host.regions)
    if len(text) == sum(sink.lengths) if type(text) is str else False:
        return text, sink.origin(span)
    result = leave(text)
    origin = reads.origin() if before == openings() else Copy(OPENED, reads.origin())
    return (result if isinstance(result, str) else to_s(interpreter, text)), origin

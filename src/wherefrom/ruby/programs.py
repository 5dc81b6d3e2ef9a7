"""Compiled programs and templates.

`compile_ruby` and `compile_erb` give objects that know their source and can be run by any interpreter, any number of
times. Closures are made on first use; what is compiled for one run serves all.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import wherefrom.ruby.nodes as n

from ..base.diagnostics import LimitReached
from ..base.source import SourceFile
from .classes import error
from .errors import BreakJump, NextJump, ReturnJump, ThrowJump
from .frames import Activation
from .parser import HEAD, parse_ruby
from .showing import uncaught
from .values import Class, HostObject, Module, Value, settle

if TYPE_CHECKING:
    from ..base.source import Span
    from .interpreter import Interpreter
    from .tracking import Rendered


class Program:
    """A compiled file of Ruby."""

    __slots__ = ("_body", "_literals", "_recording", "_tracked", "root", "source")

    def __init__(self, source: SourceFile, root: n.Root) -> None:
        self.source = source
        self.root = root
        self._body: Any = None
        self._tracked: Any = None
        self._recording: Any = None
        self._literals: dict[int, tuple[str, Any]] = {}

    def body(self, interpreter: Interpreter) -> Any:
        """The closure of the whole file: plain, tracked or recording, as the interpreter wants it."""
        if interpreter.makings is not None:
            if self._recording is None:
                from .making import RecordingCompiler

                compiler = RecordingCompiler(self.root)
                self._recording = compiler.compile(self.root.body)
                self._literals = compiler.literals
            interpreter.literals.update(self._literals)
            return self._recording
        if interpreter.tracker is not None:
            if self._tracked is None:
                from .tracked import TrackedCompiler

                self._tracked = TrackedCompiler(self.root).compile(self.root.body)
            return self._tracked
        if self._body is None:
            from .compiler import Compiler

            self._body = Compiler(self.root).compile(self.root.body)
        return self._body

    def run(
        self,
        interpreter: Interpreter,
        self_object: Value,
        locals_: dict[str, Value] | None = None,
        nesting: tuple[Module, ...] = (),
        definee: Module | None = None,
    ) -> Value:
        """The value of the last statement."""
        activation = Activation(None, [], nesting, definee)
        frame = [interpreter, self_object, None, activation, None, *[None] * (self.root.slots - HEAD)]
        try:
            return settle(self.body(interpreter)(frame))
        except ReturnJump as jump:
            return settle(jump.value)
        except (BreakJump, NextJump) as jump:
            raise error("LocalJumpError", "unexpected jump") from jump
        except ThrowJump as jump:
            raise uncaught(interpreter, jump) from None
        except RecursionError:
            raise error("SystemStackError", "stack level too deep") from None


class Sink:
    """Where a template writes.  A host that wants to know what wrote which part of the text subclasses it."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(self, text: str, span: Span) -> None:
        """A stretch of the template's own text."""
        self.parts.append(text)

    def begin(self, span: Span) -> None:
        """The expression of a `<%= %>` at `span` is about to be evaluated."""

    def output(self, text: str, span: Span, given: Value) -> None:
        """What that expression gave: a text, and the value that it was made of."""
        self.parts.append(text)

    def append(self, text: str) -> None:
        """Text that the template writes by its own hand (`_erbout << text`)."""
        self.parts.append(text)


class Template:
    """A compiled template.  `render` gives the text; `self_object` is what `@x` and bare words mean."""

    __slots__ = ("host", "program", "source")

    def __init__(self, source: SourceFile, root: n.Root) -> None:
        self.source = source
        self.program = Program(source, root)
        self.host: Any = None
        """What a host keeps beside it."""

    def render(
        self, interpreter: Interpreter, self_object: Value, sink: Sink | None = None, definee: Module | None = None
    ) -> Value:
        """The text (or what a `return` at the top of the template gives).  `definee` is where `def` puts methods."""
        output = sink or Sink()
        before = interpreter.globals.get("_erbout")
        interpreter.globals["_erbout"] = output
        root = self.program.root
        activation = Activation(None, [], (), definee)
        frame = [interpreter, self_object, None, activation, None, *[None] * (root.slots - HEAD)]
        frame[HEAD] = TemplateBuffer(output)
        try:
            self.program.body(interpreter)(frame)
        except ReturnJump as jump:
            return settle(jump.value)
        except ThrowJump as jump:
            raise uncaught(interpreter, jump) from None
        except RecursionError:
            raise error("SystemStackError", "stack level too deep") from None
        finally:
            interpreter.globals["_erbout"] = before
        return "".join(output.parts)

    def render_tracked(self, interpreter: Interpreter, self_object: Value) -> Rendered:
        """The text with the origin of every piece of it; the interpreter must have a tracker."""
        from .tracking import Rendered

        tracker = interpreter.tracker
        outer, tracker.fragments = tracker.fragments, []
        guard, tracker.guard = tracker.guard, None
        mark = len(tracker.reads)
        try:
            text = self.render(interpreter, self_object)
            return Rendered(text, tracker.fragments, tracker.since(mark, *tracker.hanging))
        finally:
            tracker.fragments = outer
            tracker.guard = guard


def _append(interpreter: Interpreter, self: Value, arguments: list[Value], block: Any) -> Value:
    from .showing import to_s

    for argument in arguments:
        text = to_s(interpreter, argument)
        self.output.append(text)
        if interpreter.tracker is not None:
            interpreter.tracker.written(text)
    return self


class TemplateBuffer(HostObject):
    """`_erbout`: the text written so far, for templates that append to it themselves."""

    __slots__ = ("output",)
    ruby_class = Class("String", None, {"<<": _append, "concat": _append})

    def __init__(self, output: Sink) -> None:
        self.output = output


def compile_ruby(source: SourceFile | str, name: str = "(ruby)") -> Program:
    """A program from the text of a file.  Raises `RubySyntaxError`."""
    file = SourceFile(name, source) if isinstance(source, str) else source
    try:
        return Program(file, parse_ruby(file))
    except RecursionError:
        raise _too_deep(file) from None


def compile_erb(source: SourceFile | str, name: str = "(erb)") -> Template:
    """A template from its text.  Raises `RubySyntaxError`."""
    from .erb import parse_erb

    file = SourceFile(name, source) if isinstance(source, str) else source
    try:
        return Template(file, parse_erb(file))
    except RecursionError:
        raise _too_deep(file) from None


def _too_deep(file: SourceFile) -> LimitReached:
    return LimitReached(f"{file.name} is nested too deeply to be read", sys.getrecursionlimit())

"""ERB templates: `template('module/name.erb')` and `inline_template('...')`.

A template runs with a wrapper object for `self`: one instance variable for every variable that is visible where the
function is called, which *is* Puppet's value (`@list << 1` changes `$list`), and the methods `scope`, `has_variable?`,
`classes`, `all_tags` and those that log. Each render makes a new wrapper, so that what a template assigns to `@x` is
seen by nobody else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Origin
from ...ruby.classes import OBJECT, error
from ...ruby.errors import RubyError
from ...ruby.showing import to_s
from ...ruby.values import Class, Object
from ..kernel.failures import Failure
from .run import Reads, RubyRun, ruby_of
from .scope import GETTEXT, LOGGERS, CatalogObject, ScopeObject, ruby_run, visible
from .values import enter, leave

if TYPE_CHECKING:
    from ...base.source import Span
    from ...ruby.interpreter import Interpreter

_NO_WORD = re.compile(r"[^\w]")


def _scope(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    return self.host.scope


def _file(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    return self.host.path


def _has_variable(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    name = leave(interpreter.send(arguments[0], "to_s"))
    return interpreter.send(self.host.scope, "include?", [name])


def _classes(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    return interpreter.send(CatalogObject(ruby_run(interpreter).run), "classes", [])


def _all_tags(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    return interpreter.send(CatalogObject(ruby_run(interpreter).run), "tags", [])


def _no_tags(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    raise error("NotImplementedError", "Call 'all_tags' instead.")


def _shown(interpreter: Interpreter, self: Object, arguments: list[Any], block: Any) -> Any:
    return f"template[{self.host.path or 'inline'}]"


WRAPPER = Class("Puppet::Parser::TemplateWrapper", OBJECT, {
    **LOGGERS, **GETTEXT, "scope": _scope, "file": _file, "has_variable?": _has_variable, "classes": _classes,
    "all_tags": _all_tags, "tags": _no_tags, "to_s": _shown,
}, frozen=True)  # fmt: skip


class Wrapping:
    """What a wrapper remembers: its scope and its file."""

    __slots__ = ("path", "scope")

    def __init__(self, scope: ScopeObject, path: str | None) -> None:
        self.scope = scope
        self.path = path


def render_file(frame: Any, name: str, span: Span | None) -> tuple[str, Origin]:
    """`template(name)`"""
    path = frame.run.environment.find_file("templates", name)
    if path is None:
        raise Failure(f"Could not find template '{name}'", kind="unknown template")
    ruby = ruby_of(frame.run)
    template = ruby.library.template(path)
    try:
        return _render(ruby, template, frame, path, f"template {name}", (), span)
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise ruby.failure(problem, span) from None
        place = problem.span
        file = place.file.name if place is not None else path
        line = place.line if place is not None else 1
        detail = _detail(ruby, problem)
        words = f"Failed to parse template {name}:\n  Filepath: {file}\n  Line: {line}\n  Detail: {detail}\n"
        raise Failure(words, kind="template") from None


def render_text(frame: Any, text: str, origin: Origin, span: Span | None) -> tuple[str, Origin]:
    """`inline_template(text)`"""
    ruby = ruby_of(frame.run)
    template = ruby.library.inline(text)
    try:
        return _render(ruby, template, frame, None, "inline_template", (origin,), span)
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise ruby.failure(problem, span) from None
        raise Failure(f"Failed to parse inline template: {_detail(ruby, problem)}", kind="template") from None


def _detail(ruby: RubyRun, problem: RubyError) -> str:
    """An exception's words; a failure of Puppet's own, called from Ruby, has its own words."""
    told = problem.exception.host
    return told.message if told is not None and hasattr(told, "message") else problem.message


def _render(
    ruby: RubyRun,
    template: Any,
    frame: Any,
    path: str | None,
    op: str,
    inputs: tuple[Origin, ...],
    span: Span | None,
) -> tuple[str, Origin]:
    interpreter = ruby.interpreter
    wrapper = Object(WRAPPER)
    wrapper.host = Wrapping(ScopeObject(frame), path)
    reads = Reads(op, inputs, frame, span)
    ivars = wrapper.ivars
    for name, (value, origin) in visible(frame).items():
        ivars["@" + (name if name.isidentifier() else _NO_WORD.sub("_", name))] = enter(interpreter, value)
        reads.note(origin)
    ruby.activities.append(reads)
    try:
        text = template.render(interpreter, wrapper)
    finally:
        ruby.activities.pop()
    ruby.settle()
    result = leave(text)
    return (result if isinstance(result, str) else to_s(interpreter, text)), reads.origin()

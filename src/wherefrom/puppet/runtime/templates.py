"""Templates as functions see them: found by name or given as text, and rendered in the frame they belong to.

A template file sees the top scope (or the node's); a template given as text sees the scope of its call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, ManyErrors
from ...base.source import SourceFile
from ...provenance.operations import Function
from ...provenance.origins import Choice, Leaf, Origin
from ..kernel.failures import Failure

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from .library import Library
    from .scope import Frame


def missed_files(environment: Library, kind: str, path: str) -> list[Origin]:
    """The files that a path could have been, before the one that it is (or all of them, if it is none), as inputs."""
    missed: list[Origin] = [] if path.startswith("/") else [environment.another_module(path.partition("/")[0])]
    chosen = environment.find_file(kind, path)
    for place in environment.file_places(kind, path):
        if place == chosen:
            break
        missed.append(Leaf("file", place, None, None, absent=True))
    return missed


def render_file(frame: Frame, path: str, parameters: Traced | None, span: Span | None) -> Traced:
    """`epp('module/name.epp', {...})`"""
    environment = frame.run.environment
    if not path.endswith(".epp") and not (path.startswith("/") and environment.host.kind_asked(path) is not None):
        path += ".epp"
    file = environment.find_file("templates", path)
    if file is None:
        raise Failure(f"Could not find template '{path}'", kind="unknown template")
    try:
        template = environment.template(file)
    except ManyErrors as problems:
        raise _invalid("epp", problems.diagnostics[0]) from None
    except Diagnostic as problem:
        raise _invalid("epp", problem) from None
    top = frame.base.global_scope()
    text, origin = template.render(top, frame.guard, parameters, "epp")
    missed = missed_files(environment, "templates", path)
    return text, Choice(tuple(missed), origin, span, Function("epp")) if missed else origin


def render_text(frame: Frame, text: Traced, parameters: Traced | None, span: Span | None) -> Traced:
    """`inline_epp('...', {...})`"""
    environment = frame.run.environment
    try:
        place = span.place if span is not None else "an unknown place"
        template = environment.template_of(SourceFile("inlined-epp-text", text[0], place))
    except ManyErrors as problems:
        raise _invalid("inline_epp", problems.diagnostics[0]) from None
    except Diagnostic as problem:
        raise _invalid("inline_epp", problem) from None
    value, origin = template.render(frame, frame.guard, parameters, "inline_epp")
    return value, Choice((text[1],), origin, span, Function("inline_epp"))


def _invalid(function: str, problem: Diagnostic) -> Failure:
    """A template that can not be read: a failure of the call, which also points into the template."""
    return Failure(
        f"{function}(): Invalid EPP: {problem.message}", *problem.labels, help=problem.help, kind="invalid template"
    )

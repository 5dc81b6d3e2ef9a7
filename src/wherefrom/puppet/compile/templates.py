"""EPP templates: text with expressions in it, evaluated like a lambda.

A template file sees the top scope (or the node's); a template given as text sees the scope of its call, unless it has
parameters of its own. What the template renders is collected piece by piece, so that the result's origin names every
expression that took part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...provenance.composites import shape
from ...provenance.origins import Absent, Choice, Leaf, Origin, guarded
from ...provenance.rendered import Rendered
from ..kernel.edge_labels import NEXT, RETURN
from ..kernel.failures import Failure
from ..kernel.jumps import Next, Return
from ..kernel.shadow import Shadow
from ..kernel.values import Sensitive, weigh_text
from ..runtime.binding import evaluate_default
from ..runtime.library import Code
from ..runtime.scope import PIECES, Frame, pieces_of
from ..syntax import tree
from ..types import check_parameters, infer_generalized, puppet_string
from .build import NOTHING, build, builds, compile_parameters

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from ..runtime.definitions import ParameterCode
    from ..runtime.library import Library


@builds(tree.RenderText)
def build_text(node: tree.RenderText, environment: Library, wanted: bool) -> Code:
    piece = (node.text, Leaf("literal", "", node.span, node.text))

    def render(frame: Frame) -> Traced:
        pieces_of(frame).append(piece if frame.guard is None else (node.text, guarded(piece[1], frame.guard)))
        return NOTHING

    return render


@builds(tree.RenderExpression)
def build_expression(node: tree.RenderExpression, environment: Library, wanted: bool) -> Code:
    code = build(node.value, environment)

    def render(frame: Frame) -> Traced:
        value, origin = code(frame)
        pieces_of(frame).append((value, guarded(origin, frame.guard)))
        return NOTHING

    return render


def _shape(origin: Origin) -> tuple[Origin, ...]:
    """What decided which parameters were given."""
    return (Absent("other parameters", shape(origin)),)


class Template:
    """A compiled template."""

    __slots__ = ("body", "declared", "parameters", "program", "span")

    def __init__(self, program: tree.Program, environment: Library) -> None:
        self.program = program
        """The tree, which is held for other environments that have the same file."""
        template = program.body.statements[0]
        assert isinstance(template, tree.Epp)
        self.declared = template.parameters is not None
        self.parameters: list[ParameterCode] = compile_parameters(template.parameters or (), environment)
        self.body = build(template.body, environment)
        self.span = template.span

    def render(self, outer: Frame, guard: Any, given: Traced | None, name: str) -> Traced:
        """Evaluate the template in a frame below `outer`."""
        frame = Frame(outer)
        frame.guard = guard
        values: dict[str, Traced] = {}
        if given is not None:
            shadow = Shadow(given[1])
            for index, (key, value) in enumerate(given[0].items()):
                values[str(key)] = (value, shadow.value(key, index))
        if self.declared or given is None:
            self._bind(frame, values, name, () if given is None else _shape(given[1]))
        else:
            frame.vars.update(values)
        pieces: list[Traced] = []
        frame.vars[PIECES] = (pieces, NOTHING[1])
        try:
            self.body(frame)
        except Return as jump:
            return jump.value, Choice((jump.origin,), jump.origin, jump.span, RETURN)
        except Next as jump:
            _check_text(name, jump.value)
            return jump.value, Choice((jump.origin,), jump.origin, jump.span, NEXT)
        texts: list[str] = []
        origins: list[Origin] = []
        sensitive = False
        for value, origin in pieces:
            if isinstance(value, Sensitive):
                sensitive = True
                value = value.value
            texts.append(value if type(value) is str else puppet_string(value))
            origins.append(origin)
        weigh_text(texts, self.span)
        text = "".join(texts)
        rendered: Origin = Rendered(origins, [len(text) for text in texts], None, self.span)
        return (Sensitive(text) if sensitive else text), rendered

    def _bind(self, frame: Frame, given: dict[str, Traced], name: str, shape_of_given: tuple[Origin, ...]) -> None:
        from ..types.containers import StructElement, StructType
        from ..types.model import ANY, OptionalType
        from ..types.scalars import StringType

        names = [parameter.name for parameter in self.parameters]
        frame.vars.update({key: traced for key, traced in given.items() if traced[0] is not None})
        frame.pending = {name for name in names if name not in frame.vars}
        elements = []
        for parameter in self.parameters:
            kind = ANY if parameter.type_code is None else parameter.type_code(frame.run.top)[0]
            key: Any = StringType(None, parameter.name)
            elements.append(StructElement(OptionalType(key) if parameter.default is not None else key, kind))
            if parameter.name not in frame.vars:
                if parameter.default is not None:
                    value, origin = evaluate_default(frame, parameter, names, name)
                    undef = given.get(parameter.name)
                    tests = shape_of_given if undef is None else (undef[1],)
                    frame.vars[parameter.name] = value, Choice(tests, origin) if tests else origin
                elif parameter.name in given:
                    frame.vars[parameter.name] = given[parameter.name]
            frame.pending.discard(parameter.name)
        frame.pending = None
        struct = StructType(tuple(elements))
        check_parameters("lambda", struct, {key: value for key, (value, _) in frame.vars.items()})


def _check_text(function: str, value: object) -> None:
    """What `next` gives instead of a template's text has to be a text."""
    if not isinstance(value, str) and not (isinstance(value, Sensitive) and isinstance(value.value, str)):
        words = f"value returned from function '{function}' has wrong type, expects a value of type String or "
        raise Failure(f"{words}Sensitive[String], got {infer_generalized(value)}", kind="TYPE_MISMATCH")

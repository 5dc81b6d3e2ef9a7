"""Object types whose functions are done by Ruby, as the compiler sees them; `datatypes` is how they are defined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.operations import FunctionCall
from ...ruby.errors import RubyError
from ..types.objects import ObjectType
from ..types.reading import value_from_text
from ..types.signatures import check_call
from .datatypes import RubyType, defined
from .run import LambdaProc, Reads, ruby_of
from .values import enter, leave

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Origin
    from ..kernel.values import ObjectValue
    from ..runtime.scope import Frame
    from ..types.model import PuppetType
    from .library import RubyLibrary


def read_type(library: RubyLibrary, name: str, path: str, resolve: Callable[[str], PuppetType | None]) -> ObjectType:
    """The type that a file defines."""
    definition = defined(library.types_run(), name, path)
    text = "{ " + (definition.interface or "") + " }"
    kind = ObjectType(lambda: value_from_text(text, resolve), definition.name)
    kind.implementation = RubyImplementation(name, path)
    return kind


class RubyImplementation(RubyType):
    """The functions of a type, done by Ruby."""

    __slots__ = ()

    def call(
        self, name: str, frame: Frame, values: Sequence[Any], origins: Sequence[Origin], block: Any, span: Span | None
    ) -> tuple[Any, Origin]:
        """Call a function of an object, which is the first of `values`."""
        ruby = ruby_of(frame.run)
        _check(values[0], name, values[1:], block)
        # The code is not looked for again by name: what it did is known by its inputs alone.
        reads = Reads(FunctionCall(f"{self.name}.{name}"), origins, frame, span, values, f"{self.name}.{name}", self)
        reads.ran(self.path, ruby)
        ruby.enter(reads)
        try:
            arguments = [enter(ruby.interpreter, value) for value in values[1:]]
            proc = None if block is None else LambdaProc(ruby, block)
            result = ruby.interpreter.send(self.instance(ruby, values[0]), name, arguments, proc)
        except RubyError as problem:
            raise ruby.failure(problem, span) from None
        finally:
            ruby.leave()
        ruby.settle(reads)
        value = leave(result)
        return value, reads.origin_of(value, ruby)


def _check(value: ObjectValue, name: str, arguments: Sequence[object], block: object) -> None:
    """Complain about arguments that a function's type does not take."""
    kind = value.puppet_type
    function = kind.all_functions().get(name) if isinstance(kind, ObjectType) else None
    if function is not None:
        check_call(function.label, function.type, arguments, block)

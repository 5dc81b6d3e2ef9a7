"""`Puppet::LookupContext`: what a data function is given to work with.

A function that a level of the hierarchy names (`lookup_key`, `data_hash`) gets a context: a place to keep values
between its calls, `not_found()` to say that it has nothing, and `interpolate` for texts with `%{...}`. Contexts live as
long as the compilation, one for each level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Guard, Items, Origin, Step, built_in
from ..kernel.failures import Failure
from ..kernel.operations import KEPT, NO_VALUE
from ..kernel.type_failures import ConversionError
from ..kernel.values import Iterator, hash_key, key_value
from ..types import common_type, generalize, infer, infer_set, parse_type
from ..types.containers import TupleType
from ..types.model import ANY, UNIT, OptionalType, PuppetType
from ..types.objects import ObjectType
from ..types.scalars import SCALAR, IntegerType
from ..types.signatures import CallableSignature
from .interpolate import interpolated

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..types.construct import Constructor
    from .asking import LookupFrame
    from .lookup import Search

_DONE = Step(NO_VALUE, ())
_KEY = OptionalType(SCALAR)


class NotFound(Exception):
    """`$context.not_found()`: the function has no value for the key, because of the tests in `guard`."""

    def __init__(self, guard: Guard | None = None) -> None:
        super().__init__()
        self.guard = guard


_MODULE_NAME = "Variant[String[1], Undef]"
_ATTRIBUTES = {
    "environment_name": {"type": "String[1]", "kind": "derived"},
    "module_name": _MODULE_NAME,
}
_FUNCTIONS = {
    "not_found": "Callable[[0, 0], Undef]",
    "explain": "Callable[[0, 0, Callable[0, 0]], Undef]",
    "interpolate": "Callable[1, 1]",
    "cache": "Callable[Optional[Scalar], Any]",
    "cache_all": "Callable[[Hash[Optional[Scalar], Any]], Undef]",
    "cache_has_key": "Callable[[Optional[Scalar]], Boolean]",
    "cached_value": "Callable[Optional[Scalar]]",
    "cached_entries": (
        "Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], "
        "Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]]"
    ),
    "cached_file_data": "Callable[String, Optional[Callable[Array[Integer]]]]",
}
"""What the type is said to have, as types are written; the methods themselves are those of `LookupContext`."""


class LookupContextType(ObjectType):
    """The type `Puppet::LookupContext`: an object type whose attributes and functions are told, and not looked up."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__({}, "Puppet::LookupContext")

    def accepts(self, value: object) -> bool:
        return isinstance(value, LookupContext)

    def iterable_type(self) -> None:
        return None

    def definition(self, with_name: bool = True) -> dict[str, Any]:
        def read(given: Any) -> Any:
            return {**given, "type": parse_type(given["type"])} if isinstance(given, dict) else parse_type(given)

        return {
            **({"name": self.name} if with_name else {}),
            "parent": ANY,
            "attributes": {name: read(given) for name, given in _ATTRIBUTES.items()},
            "functions": {name: read(given) for name, given in _FUNCTIONS.items()},
        }

    def own_constructor(self) -> Constructor:
        """`Puppet::LookupContext(module)`, which is made from its one argument and from no hash."""
        from ..types.construct import Constructor

        module = CallableSignature([parse_type(_MODULE_NAME)], ["module_name"], 0)
        return Constructor(f"new_{self.name}", [(module, _context_of_module)])


def _context_of_module(*arguments: Any) -> LookupContext:
    if not arguments:  # a method of Ruby's, which wants what the signature does not
        raise ConversionError("wrong number of arguments (given 0, expected 1)")
    return LookupContext(None, arguments[0], None)


CONTEXT_TYPE = LookupContextType()


class LookupContext:
    """One context: names, and the values that were kept.  One that a program made has the environment of the run."""

    def __init__(self, environment: str | None, module: str | None, search: Search | None) -> None:
        self.environment = environment
        self.module = module
        self.search = search
        self.kept: dict[Any, Traced] = {}

    @property
    def puppet_type(self) -> PuppetType:
        """Its type."""
        return CONTEXT_TYPE

    def environment_of(self, settings: Mapping[str, object]) -> str:
        """The name of the environment, in a run with these settings."""
        return self.environment or str(settings.get("environment", "production"))

    def __str__(self) -> str:
        return "Puppet::LookupContext({})"

    def call_method(
        self,
        name: str,
        frame: LookupFrame,
        values: Sequence[object],
        origins: Sequence[Origin],
        block: object,
        span: Span | None,
    ) -> Traced | None:
        """A method of the context; nothing if it has none of this name."""
        given, sources = list(values[1:]), list(origins[1:])
        if name in ("cache", "cache_has_key", "cached_value") and given and not _KEY.accepts(given[0]):
            kind = infer_set(given[0]).simple_name
            raise Failure(
                f"'function Puppet::LookupContext[{name}]' parameter '' expects a value of type Undef or Scalar, "
                f"got {kind}"
            )
        match name, given:
            case "environment_name", []:
                environment = self.environment_of(frame.run.settings)
                return environment, built_in(environment)
            case "module_name", []:
                return self.module, built_in(self.module)
            case "not_found", []:
                if self.search is None or not self.search.searches.stack:  # nobody is looking anything up
                    raise Failure("uncaught throw :no_such_key")
                raise NotFound(frame.machine.guard)
            case "explain", []:
                if self.search is None:
                    raise Failure("undefined method `report_text' for nil:NilClass")
                return None, _DONE
            case "interpolate", [value]:
                if self.search is None:
                    raise Failure("undefined method `invocation' for nil:NilClass")
                return interpolated(self.search, value, sources[0])
            case "cache", [key, value]:
                self.kept[hash_key(key)] = (value, sources[1])
                return value, sources[1]
            case "cache_all", [dict() as many]:
                from ..kernel.shadow import Shadow

                shadow = Shadow(sources[0])
                for index, (key, value) in enumerate(many.items()):
                    self.kept[key] = (value, shadow.value(key, index))
                return None, _DONE
            case "cache_has_key", [key]:
                return hash_key(key) in self.kept, Step(KEPT, (sources[0],))
            case "cached_value", [key]:
                return self.kept.get(hash_key(key), (None, _DONE))
            case "cached_entries", []:
                return self._entries(block)
        return None

    def _entries(self, block: Any) -> Traced:
        if block is None:
            pairs = [[key_value(key), value] for key, (value, _) in self.kept.items()]
            kind: PuppetType = UNIT
            for pair in pairs:
                size = IntegerType(2, 2)
                kind = common_type(kind, TupleType(tuple(generalize(infer(part)) for part in pair), size))
            return Iterator(lambda: iter(pairs), kind), _DONE
        for key, (value, origin) in self.kept.items():
            plain = key_value(key)
            if block.least == 2:
                block.call([plain, value], [_DONE, origin])
            else:
                block.call([[plain, value]], [Items((_DONE, origin), _DONE)])
        return None, _DONE

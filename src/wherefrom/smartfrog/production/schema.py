"""Elements of schemas: what an attribute of the component that holds the schema must be.

`sch extends Schema { port extends Integer; }` asks for `PARENT:port`. An element says whether the attribute may be
missing (`optional`), whether it must be a lazy link (`binding`) and of which class it must be.
"""

from __future__ import annotations

from ..errors import AssertionFailed
from .chain import chain
from .nodes import Application, Node
from .resolve import Lazy, NotFound, Resolver
from .tree import Path
from .values import ByteArray, Float, Long

_COMPONENT = "org.smartfrog.sfcore.componentdescription.ComponentDescription"


def class_of(value: object) -> str:
    """The class that a value has in SmartFrog's own compiler."""
    match value:
        case None:
            return "org.smartfrog.sfcore.common.SFNull"
        case bool():
            return "java.lang.Boolean"
        case Long():
            return "java.lang.Long"
        case int():
            return "java.lang.Integer"
        case Float():
            return "java.lang.Float"
        case float():
            return "java.lang.Double"
        case str():
            return "java.lang.String"
        case list():
            return "java.util.Vector"
        case Node():
            return _COMPONENT
        case ByteArray():
            return "org.smartfrog.sfcore.common.SFByteArray"
        case _:
            return "org.smartfrog.sfcore.languages.sf.sfreference.SFReference"


def fits(wanted: str, value: object) -> bool:
    """Whether a value is of a class, or of one below it."""
    actual = class_of(value)
    if wanted in ("anyClass", "java.lang.Object", actual):
        return True
    return wanted == "java.lang.Number" and isinstance(value, int | float) and not isinstance(value, bool)


def check_element(values: dict[str, object], arguments: Node, here: Node, resolver: Resolver) -> bool:
    """Check what one element of a schema asks for."""
    name = values.get("name")
    holder = here.outer
    assert type(holder) is Node
    slot = None
    lazy = False
    value: object = None
    if isinstance(name, str) and name in holder.entries and "sfLocal" not in holder.tags.get(name, ()):
        slot = holder.entries[name]
        try:
            slot = resolver.settled(holder, name, slot)
            value = slot.value
        except Lazy:
            lazy = True
        except NotFound:
            slot = None

    def fail(what: str) -> NotFound:
        described = values.get("description")
        words = f" ({described})" if described else ""
        where = holder.path or "the top level"
        given = chain(slot, arguments.written_at) if slot is not None else []
        problem = AssertionFailed(f"the schema of `{where}`: `{name}`{words} {what}", arguments.written_at, *given)
        return NotFound(problem, None, "assertion")

    binding, wanted = values.get("binding"), values.get("class")
    if binding not in ("anyBinding", "eager", "lazy"):
        raise fail(f"has a `binding` that is neither eager, lazy nor anyBinding: {binding!r}")
    if slot is None:
        if values.get("optional") is True:
            return True
        raise fail("is missing")
    if lazy or isinstance(value, Path | Application):
        if binding == "eager" and wanted != "anyClass":
            raise fail("is a lazy reference, but must be known")
        return True
    if binding == "lazy":
        raise fail("is not a reference, but must be a lazy one")
    classes = wanted if isinstance(wanted, list) else [wanted]
    if not all(isinstance(wanted_class, str) for wanted_class in classes):
        raise fail("has a `class` that is not a string")
    if not any(fits(str(wanted_class), value) for wanted_class in classes):
        names = " or ".join(str(wanted_class).rpartition(".")[2] for wanted_class in dict.fromkeys(classes))
        raise fail(f"is of class {class_of(value).rpartition('.')[2]}, not {names}")
    return True

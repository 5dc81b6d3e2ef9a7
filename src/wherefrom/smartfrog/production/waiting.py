"""What a lazy link would lead to, if it were followed in the finished store.

A lazy link is a value: SmartFrog follows it where the system runs, when it may lead elsewhere. A reader wants to know
what it leads to by the specification alone. So it is followed here when somebody asks, with all lazy links on its way,
and nothing in the store changes.
"""

from __future__ import annotations

from ...base.source import Span
from ..errors import SmartFrogError
from ..store import span_of
from .nodes import Node, Route
from .output import value_text
from .resolve import Lazy, NotFound, Resolver
from .tree import Path

LONGEST = 60


def would_lead_to(link: Path, holder: Node, run: Resolver) -> tuple[str, Span | None]:
    """In words what a lazy link in `holder` would lead to, and the place of that, if there is one."""
    if any(part.kind in ("HOST", "PROCESS") for part in link.parts):
        return "what is known where it runs", None
    resolver = Resolver(run.root, run.properties, run.environment)
    resolver.eager = True
    try:
        route = resolver.follow(Path(link.parts, span=link.span), holder)
    except NotFound as failure:
        if link.default is not None:
            return f"its default, {shortened(link.default.plain)}", link.default.span
        return f"nothing: {failure.problem.message}", None
    except Lazy as lazy:
        return "what a function gives where it runs", span_of(lazy.cause)
    except SmartFrogError:
        return "itself", None
    return f"{route.path}, which is {shortened(route.value)}", place_of(route)


def shortened(value: object) -> str:
    """A value in a few words."""
    if isinstance(value, Node):
        return "a component"
    text = value_text(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def place_of(route: Route) -> Span | None:
    """Where what a path led to was written."""
    if isinstance(route.value, Node):
        return route.value.written_at
    return span_of(route.target) if route.target is not None else None

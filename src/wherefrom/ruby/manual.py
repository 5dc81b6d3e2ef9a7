"""The page of methods: every class and module of Ruby that can be used, with its methods, written from the tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .builtins import core_constants
from .registry import PerRun
from .values import Method, Module

HEADER = """# Ruby: classes and methods

Written from the method tables by `wherefrom.ruby.manual`; a test keeps it true. A method that is not here does not
exist for wherefrom: calling it is Ruby's NoMethodError, or a refusal where it would reach out of the run. `name/2`
takes two arguments, `name/1+` one or more, `name/0-2` up to two, `name` any number. What each does is what Ruby 3.1
says; the differences are in [ruby.md](ruby.md).
"""


def _count(method: Method) -> str:
    if method.high < 0:
        return f"/{method.low}+" if method.low else ""
    return f"/{method.low}" if method.low == method.high else f"/{method.low}-{method.high}"


def _shown(methods: dict[str, Method]) -> str:
    return ", ".join(f"`{name}{_count(methods[name])}`" for name in sorted(methods))


def _filled(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def modules() -> Iterable[Module]:
    """Every class and module that can be reached, by name."""
    known: dict[int, Module] = {}

    def visit(module: Module) -> None:
        if id(module) not in known:
            known[id(module)] = module
            for value in module.constants.values():
                if isinstance(value, Module):
                    visit(value)

    for constant in core_constants().values():
        value = constant.make() if isinstance(constant, PerRun) else constant
        if isinstance(value, Module):
            visit(value)
    return sorted(known.values(), key=lambda module: module.name or "")


def page() -> str:
    """The whole page."""
    parts = [HEADER]
    exceptions = []
    for module in modules():
        name = module.name or ""
        if not module.methods and not module.own:
            if any(above.name == "Exception" for above in module.line()):
                exceptions.append(f"`{name}`")
            continue
        superclass = getattr(module, "superclass", None)
        below = f" < {superclass.name}" if superclass is not None and superclass.name != "Object" else ""
        mixed = [f"`{mixin.name}`" for mixin in module.included]
        parts.append(f"\n## {name}{below}\n")
        if mixed:
            parts.append(f"\nIncludes {', '.join(mixed)}.\n")
        if module.own:
            kind = "class" if module.is_class else "module"
            parts.append(f"\n{_filled(f'Of the {kind} itself: {_shown(module.own)}')}\n")
        if module.methods:
            parts.append(f"\n{_filled(_shown(module.methods))}\n")
    parts.append(f"\n## Exceptions\n\n{_filled(', '.join(exceptions))}\n")
    return "".join(parts)

"""The names that files give to types: aliases, object types and sets of types.

What a name stands for is worked out when it is first asked for, since aliases may name each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.source import Span
from ..kernel.failures import Failure
from ..kernel.type_failures import AliasProblem
from ..syntax import tree
from ..types import type_from_tree
from ..types.model import PuppetType, TypeAlias
from ..types.objects import ObjectType
from ..types.type_sets import TypeSetType
from .index import redefined


class TypeNames:
    """Types by name, in lower case.

    `resolve` finds what is named inside of them; `repeated` is called with keys that stand in a definition twice.
    """

    def __init__(self, resolve: Callable[[str], PuppetType | None], repeated: Callable[[str], None]) -> None:
        self._resolve = resolve
        self._repeated = repeated
        self.aliases: dict[str, PuppetType] = {}
        self._places: dict[str, Span] = {}
        self._trees: dict[str, tree.Expression] = {}
        self._sets: dict[str, tuple[str, tree.Expression]] = {}
        self._module_sets: set[str] = set()

    def add(self, node: tree.TypeAlias, module: str) -> None:
        from ..types.reading import object_definition

        name = node.name
        known = self._places.get(name.lower())
        named = Span(node.file, node.file.text.index(name, node.start), node.end)
        if known is not None:
            raise redefined("type", name.lower(), known, node)
        self._places[name.lower()] = named
        self._trees[name.lower()] = node.type
        quoted = None
        if isinstance(node.type, tree.Access):
            # Puppet quotes the right-hand side from the alias's name up to the last parameter's end
            quoted = node.file.text[named.start : node.type.keys[-1].end]
        if isinstance(node.type, tree.Access) and isinstance(node.type.target, tree.TypeName):
            definition = node.type.keys[0] if len(node.type.keys) == 1 else None
            if node.type.target.lower == "object" and definition is not None:
                self.aliases[name.lower()] = ObjectType(lambda: object_definition(definition, self._resolve), name)
                return
            if node.type.target.lower == "typeset" and definition is not None:
                self._sets[name.lower()] = (name, definition)
                if module not in ("", "environment"):
                    self._module_sets.add(name.lower())
                return
        self.aliases[name.lower()] = TypeAlias(name, lambda: type_from_tree(node.type, self._resolve, quoted))

    def literals(self, alias: PuppetType) -> list[Any]:
        """The literals that an alias is made of, those of other aliases in it included."""
        literals: list[object] = []
        seen: set[str] = set()
        waiting = [alias.name.lower()] if isinstance(alias, TypeAlias) else []
        while waiting:
            name = waiting.pop()
            written = self._trees.get(name) if name not in seen else None
            seen.add(name)
            stack: list[tree.Node] = [written] if written is not None else []
            while stack:
                node = stack.pop()
                if isinstance(node, tree.TypeName):
                    waiting.append(node.value.lower().removeprefix("::"))
                elif isinstance(node, tree.Integer | tree.Float | tree.String):
                    literals.append(node)
                stack.extend(node.children())
        return literals

    def known(self, lower: str) -> PuppetType | None:
        """The type that an alias or a set of types gives to a name; a set is made when it is first asked for."""
        if lower in self.aliases:
            return self.aliases[lower]
        if lower in self._sets:
            from ..types.reading import type_set_from_tree

            name, definition = self._sets.pop(lower)
            self.aliases[lower] = type_set = type_set_from_tree(name, definition, self._resolve, self._repeated)
            return type_set
        above, _, member = lower.rpartition("::")
        # Members are found by name of a module's set; of another one only when the set itself has been asked for.
        family = self.known(above) if above in self._module_sets else self.aliases.get(above)
        return family.member(member) if isinstance(family, TypeSetType) else None

    def check(self, alias: PuppetType) -> None:
        """Work out what an alias stands for.  Fails if it is nothing."""
        if isinstance(alias, TypeAlias):
            try:
                _ = alias.resolved
            except AliasProblem as problem:
                raise Failure(str(problem)) from None
        elif isinstance(alias, ObjectType):
            alias.read()

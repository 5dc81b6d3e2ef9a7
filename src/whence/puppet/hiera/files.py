"""Data files: YAML (and JSON, which is YAML as far as data goes) as Puppet values with an origin for every part.

Each scalar is an input of its own: its leaf names the key path and the place in the file. Composites are `Items`, so
that a value inside of a hash that was looked up keeps its own place.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Items, Leaf, Origin, Step
from ..errors import CatalogError
from ..values import hash_key

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile
    from ..runtime.scope import Traced

MAX_ALIASES = 100_000


def read_data(host: Host, path: str) -> Traced | None:
    """The hash in a data file, with origins; nothing if there is no such file."""
    if not host.is_file(path):
        return None
    source = host.source(path)
    if path.endswith(".json"):
        _check_json(source)
    return read_yaml(source)


def read_yaml(source: SourceFile) -> Traced:
    """The hash in a text; an empty text is an empty hash."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(source.text)
    try:
        node = loader.get_single_node()
        reader = _Reader(loader, source)
        value, origin = ({}, Items({}, Step("hash", ()))) if node is None else reader.traced(node, "")
    except yaml.YAMLError as problem:
        raise CatalogError(
            f"Unable to parse ({source.name}): {problem}", None, issue=None, kind="Hiera data", lead=""
        ) from None
    finally:
        loader.dispose()
    if not isinstance(value, dict):
        # Puppet warns and takes such a file for empty.
        return {}, Items({}, Step("hash", ()))
    return value, origin


def _check_json(source: SourceFile) -> None:
    try:
        json.loads(source.text)
    except ValueError as problem:
        span = source.span(getattr(problem, "pos", 0))
        raise CatalogError(
            f"Unable to parse ({source.name}): unexpected token at '{source.text}'",
            span,
            issue=None,
            kind="Hiera data",
            lead="",
            placeless=True,
        ) from None


class _Reader:
    """Turns the nodes of one document into values and origins."""

    def __init__(self, loader: Any, source: SourceFile) -> None:
        self.loader = loader
        self.source = source
        self.made = 0

    def traced(self, node: Any, path: str) -> Traced:
        import yaml

        self.made += 1
        if self.made > MAX_ALIASES:
            raise yaml.YAMLError("the document unfolds to too many values")
        if isinstance(node, yaml.MappingNode):
            self.loader.flatten_mapping(node)
            values: dict[Any, Any] = {}
            shadows: dict[Any, Origin] = {}
            for key_node, value_node in node.value:
                key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
                name = hash_key(key)
                values[name], shadows[name] = self.traced(value_node, f"{path}.{key}" if path else str(key))
            return values, Items(shadows, Step("hash", ()))
        if isinstance(node, yaml.SequenceNode):
            pairs = [self.traced(each, f"{path}.{index}") for index, each in enumerate(node.value)]
            return [value for value, _ in pairs], Items([origin for _, origin in pairs], Step("array", ()))
        value = self._scalar(node)
        return value, Leaf("hiera", path, self._span(node), value)

    def _scalar(self, node: Any) -> Any:
        value = self.loader.construct_object(node, deep=True)
        if isinstance(value, str):
            # A symbol of Ruby, which Puppet reads as a string.
            return value[1:] if len(value) > 1 and value[0] == ":" and not node.style else value
        return value if value is None or isinstance(value, bool | int | float) else node.value

    def _span(self, node: Any) -> Any:
        starts = self.source.line_starts
        start, end = node.start_mark, node.end_mark
        last = len(starts) - 1
        return self.source.span(starts[min(start.line, last)] + start.column, starts[min(end.line, last)] + end.column)

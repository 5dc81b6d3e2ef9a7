"""Data files, and YAML in them, as Puppet values with an origin for every part.

Each scalar is an input of its own: its leaf names the key path and the place in the file. Composites are `Items`, so
that a value inside of a hash that was looked up keeps its own place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...base.yaml_nodes import compose, yaml_loader
from ...provenance.origins import Items, Leaf, Origin, Step
from ..kernel.operations import NO_VALUE
from ..kernel.values import hash_key
from .errors import HieraError, unparsed
from .scalars import ForbiddenClass, NotAFloat, Symbol, check_mapping_tag, plain_scalar, tagged_scalar

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile, Span
    from ..kernel.traced import Traced


class DataFile:
    """What a file of data holds: a value with its origin, and whether it is as empty as no hash at all."""

    __slots__ = ("empty", "origin", "value")

    def __init__(self, value: Any, origin: Origin, empty: bool = False) -> None:
        self.value = value
        self.origin = origin
        self.empty = empty


def read_data(host: Host, path: str, reader: str) -> DataFile | None:
    """The content of a data file, with origins; nothing if there is no such file.  `reader` is `yaml_data`, ..."""
    if not host.is_file(path):
        return None
    source = host.source(path)
    if reader == "hocon_data":
        from .hocon import read_hocon

        return DataFile(*read_hocon(source))
    if reader == "json_data":
        from .json_data import read_json

        return DataFile(*read_json(source))
    value, origin = read_yaml(source)
    return DataFile(value, origin, value is None)


def read_yaml(source: SourceFile, plain: Callable[[str], Any] = plain_scalar) -> Traced:
    """The value in a text; nothing if it is empty.  `plain` reads what is not in quotes."""
    import yaml

    loader = yaml_loader(source.text)
    try:
        node = compose(loader, source)
        return (None, Step(NO_VALUE, ())) if node is None else _Reader(loader, source, plain).traced(node, "")
    except yaml.MarkedYAMLError as problem:
        raise _unparsed(source, problem) from None
    except yaml.YAMLError as problem:
        raise HieraError(f"Unable to parse ({source.name}): {problem}") from None
    finally:
        loader.dispose()


def _unparsed(source: SourceFile, problem: Any) -> HieraError:
    """A syntax error in Puppet's words, with its place."""
    mark = problem.context_mark or problem.problem_mark
    if mark is None:
        return HieraError(f"Unable to parse ({source.name}): {problem.problem}")
    place = min(source.line_starts[min(mark.line, len(source.line_starts) - 1)] + mark.column, len(source.text))
    if problem.problem.startswith("found undefined alias"):
        name = re.compile(r"\*?([^\s,\]}]*)").match(source.text, place)
        words = f"Unable to parse Unknown alias: {name[1] if name else ''}"
    else:
        words = " ".join(filter(None, (problem.problem, problem.context)))
        words = f"Unable to parse ({source.name}): {words} at line {mark.line + 1} column {mark.column + 1}"
    return unparsed(words, source.span(place))


def read_yaml_value(source: SourceFile) -> object:
    """The value in a text alone, as Puppet reads its own settings: symbols are texts."""

    def plain(text: str) -> Any:
        value = plain_scalar(text)
        return value.name if isinstance(value, Symbol) else value

    return read_yaml(source, plain)[0]


_OMAP = ("!omap", "tag:yaml.org,2002:omap")


class _Reader:
    """Turns the nodes of one document into values and origins."""

    def __init__(self, loader: Any, source: SourceFile, plain: Callable[[str], Any]) -> None:
        self.loader = loader
        self.source = source
        self.plain = plain

    def traced(self, node: Any, path: str) -> Traced:
        import yaml

        if isinstance(node, yaml.MappingNode):
            self._reading(node, lambda: check_mapping_tag(node.tag))
            values: dict[Any, Any] = {}
            shadows: dict[Any, Origin] = {}
            for key_node, value_node in node.value:
                key = self.traced(key_node, "")[0]
                if key == "<<" and not (self._is_tagged(key_node) and key_node.tag == "tag:yaml.org,2002:str"):
                    merged = self._merged(key_node, value_node, path)
                    if merged is not None:
                        values.update(merged[0])
                        shadows.update(merged[1])
                        continue
                name = hash_key(key)
                values[name], shadows[name] = self.traced(value_node, f"{path}.{key}" if path else str(key))
            return values, Items(shadows, Leaf("hiera", path, self._span(node), values))
        if isinstance(node, yaml.SequenceNode) and node.tag in _OMAP:
            entries = [
                element.value[0] for element in node.value if isinstance(element, yaml.MappingNode) and element.value
            ]
            mapping = yaml.MappingNode("tag:yaml.org,2002:map", entries, node.start_mark, node.end_mark)
            return self.traced(mapping, path)
        if isinstance(node, yaml.SequenceNode):
            pairs = [self.traced(element, f"{path}.{index}") for index, element in enumerate(node.value)]
            elements = [value for value, _ in pairs]
            return elements, Items([origin for _, origin in pairs], Leaf("hiera", path, self._span(node), elements))
        value = self._scalar(node)
        return value, Leaf("hiera", path, self._span(node), value)

    def _merged(self, key_node: Any, node: Any, path: str) -> tuple[dict[Any, Any], dict[Any, Origin]] | None:
        """What `<<: node` brings into the mapping at `path`; nothing where Ruby takes `<<` for a key like others.

        Ruby merges where `<<` stands: it replaces what is written before it, and is replaced by what comes later.
        """
        import yaml

        is_alias = node.start_mark.index < key_node.start_mark.index  # what stands for a node stands behind it
        if node.tag in _OMAP and not is_alias:
            return None
        parts = reversed(node.value) if isinstance(node, yaml.SequenceNode) and not is_alias else (node,)
        values: dict[Any, Any] = {}
        shadows: dict[Any, Origin] = {}
        for part in parts:
            value, origin = self.traced(part, path)
            if not isinstance(value, dict) or not isinstance(origin, Items) or not isinstance(origin.elements, Mapping):
                return None
            values.update(value)
            shadows.update(origin.elements)
        return values, shadows

    def _reading(self, node: object, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except ForbiddenClass as problem:
            raise unparsed(f"Unable to parse ({self.source.name}): {problem}", self._span(node)) from None
        except NotAFloat as problem:
            raise unparsed(f"Unable to parse {problem}", self._span(node)) from None

    def _scalar(self, node: object) -> object:
        return self._reading(node, lambda: self._word(node))

    def _is_tagged(self, node: Any) -> bool:
        """Whether a word has a tag: one that nobody wrote is the one that the word's own shape would give it."""
        return bool(node.tag != self.loader.resolve(type(node), node.value, (not node.style, bool(node.style))))

    def _word(self, node: Any) -> object:
        if self._is_tagged(node):
            return tagged_scalar(node.tag, node.value)
        return node.value if node.style else self.plain(node.value)

    def _span(self, node: Any) -> Span:
        starts = self.source.line_starts
        start, end = node.start_mark, node.end_mark
        last = len(starts) - 1
        return self.source.span(starts[min(start.line, last)] + start.column, starts[min(end.line, last)] + end.column)

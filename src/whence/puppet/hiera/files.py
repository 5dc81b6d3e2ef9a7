"""Data files: YAML (and JSON, which is YAML as far as data goes) as Puppet values with an origin for every part.

Each scalar is an input of its own: its leaf names the key path and the place in the file. Composites are `Items`, so
that a value inside of a hash that was looked up keeps its own place.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Items, Leaf, Origin, Step
from ..values import hash_key
from .errors import HieraError

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile
    from ..runtime.scope import Traced

MAX_ALIASES = 100_000


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
        _check_json(source)
    value, origin = read_yaml(source)
    return DataFile(value, origin, value is None)


def read_yaml(source: SourceFile) -> Traced:
    """The value in a text; nothing if it is empty."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(source.text)
    try:
        node = loader.get_single_node()
        return (None, Step("nothing", ())) if node is None else _Reader(loader, source).traced(node, "")
    except yaml.YAMLError as problem:
        raise HieraError(f"Unable to parse ({source.name}): {problem}") from None
    finally:
        loader.dispose()


def read_yaml_value(source: SourceFile) -> Any:
    """The value in a text alone."""
    return read_yaml(source)[0]


def _check_json(source: SourceFile) -> None:
    try:
        json.loads(source.text)
    except json.JSONDecodeError as problem:
        at = _blamed(source.text, problem)
        words = f"Unable to parse ({source.name}): unexpected token at '{source.text[at:]}'"
        failure = HieraError(words, at=source.span(problem.pos))
        failure.placeless = True
        raise failure from None


def _blamed(text: str, problem: json.JSONDecodeError) -> int:
    """Where Ruby's parser says that a text is wrong: in an array at the place, in an object at its beginning."""
    if problem.msg.startswith("Extra data"):
        return problem.pos
    opened: list[str] = []
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|[][{}]', text[: problem.pos]):
        if token in "[{":
            opened.append(token)
        elif token in "]}" and opened:
            opened.pop()
    if opened and opened[-1] == "[":
        return problem.pos
    return len(text) - len(text.lstrip())


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

"""Every place that a key is looked for on one node, each asked by itself: what `wherefrom lookup` shows.

A search stops where it has found enough. Here all levels are asked, in the same order and with the same variables as
the search that the compilation made (or, for a key that it never asked for, as one from the top scope, made when
everything has run). What a level below would have said costs nothing while nobody asks.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.record import replace
from ...base.source import Span
from ...provenance.extract import depends, expression, leaves, where
from ...provenance.ladder import CHOSEN, FAILED, HIDDEN, MERGED, NO_FILE, NO_KEY, Element, Ladder, Rung, WrittenKey
from ...provenance.origins import Absent, Leaf, Origin
from ..kernel.shadow import Shadow, part
from ..kernel.values import Sensitive, key_value
from .config import FILES
from .context import NotFound
from .eyaml import ENCRYPTED_WORDS, PUBLIC_KEY
from .keys import Key, dig
from .levels import OPTIONS, Asking, Location, Prepared
from .merging import Strategy

if TYPE_CHECKING:
    from .asking import LookupFrame
    from .lookup import Search, Searches


def ladder(searches: Searches, text: str, merge: object, top: LookupFrame, node: str) -> tuple[Ladder, Origin | None]:
    """The ladder of a key, and the origin of its value; `merge` in place of what the data says."""
    from .lookup import Search

    key = Key(text)
    by_the_program = dict(searches.asked)
    asked = searches.asked.get(text)
    frame, own_merge = asked if asked is not None else (top, None)
    search = Search(searches, frame)
    merge = merge if merge is not None else own_merge
    answer = search.lookup(text, merge)
    options, decided = search.options_of(key)
    strategy = Strategy(merge if merge is not None else options.get("merge"))
    searches.stack.append(search)
    try:
        rungs = list(_rungs(search, key))
    finally:
        searches.stack.pop()
    has_value = not isinstance(answer, Absent)
    value, origin = (None, None) if isinstance(answer, Absent) else answer
    secret = isinstance(value, Sensitive) or _converts_to_secret(options.get("convert_to"))
    secret = secret or any(rung.words == ENCRYPTED_WORDS for rung in rungs)
    searches.asked = by_the_program  # our own questions are none of the program's
    report = Ladder(
        text,
        node,
        has_value,
        value,
        "first" if strategy.takes_first else strategy.name,
        tuple(_judged(rungs, strategy)),
        tuple(_elements("", value, origin)) if origin is not None and not strategy.takes_first else (),
        tuple(_filled(origin)) if origin is not None else (),
        options or None,
        _options_place(decided),
        secret,
        asked is not None,
    )
    return report, origin


def _converts_to_secret(convert: object) -> bool:
    name = convert[0] if isinstance(convert, list) and convert else convert
    return isinstance(name, str) and name.startswith("Sensitive")


def _judged(rungs: list[Rung], strategy: Strategy) -> Iterator[Rung]:
    """The rungs, each with what became of its value.  A module's default hierarchy counts if nothing else says."""
    taken = False
    higher = any(rung.has_value and rung.layer != "module default" for rung in rungs)
    for rung in rungs:
        if not rung.has_value:
            yield rung
            continue
        if strategy.takes_first or (higher and rung.layer == "module default"):
            status = HIDDEN if taken or (higher and rung.layer == "module default") else CHOSEN
        else:
            status = MERGED
        taken = True
        yield replace(rung, status=status)


def _rungs(search: Search, key: Key) -> Iterator[Rung]:
    for layer, config, module in search.configs(key):
        asking = Asking(search, key, module, [])
        try:
            levels = asking.prepared(config)[0]
        except Diagnostic as problem:
            yield Rung(layer, "", "", FAILED, words=problem.message)
            continue
        for prepared in levels:
            yield from _level(asking, prepared, layer)
    for layer, config, module in search.configs(key):
        if config.defaults is not None and layer == "module":
            asking = Asking(search, key, module, [])
            for prepared in asking.prepared(config)[1]:
                yield from _level(asking, prepared, "module default")


def _level(asking: Asking, prepared: Prepared, layer: str) -> Iterator[Rung]:
    name = prepared.level.name
    if prepared.level.kind == "hiera3_backend":
        yield Rung(layer, name, "", FAILED, words="a backend of Hiera 3, which is never asked")
        return
    public = str(prepared.options.get(PUBLIC_KEY) or "")
    for location in prepared.locations:
        file = location.path if location is not None else ""
        because = tuple(_because(location))
        if location is not None and not location.exists:
            yield Rung(layer, name, file, NO_FILE, because=because, public_key=public)
            continue
        try:
            said = asking.at(prepared, location)
            if said is not None and asking.key.segments:
                said = dig(asking.key.text, asking.key.segments, *said)
        except NotFound:
            said = None
        except Diagnostic as problem:
            yield Rung(layer, name, file, FAILED, because=because, words=problem.message)
            continue
        if said is None:
            yield Rung(layer, name, file, NO_KEY, because=because, public_key=public)
        else:
            sealed = any(leaf.detail == ENCRYPTED_WORDS for leaf in leaves(expression(said[1])))
            words = ENCRYPTED_WORDS if sealed else ""
            place = _place(said[1], file)
            yield Rung(layer, name, file, CHOSEN, said[0], place, because, words, public)


def _because(location: Location | None) -> Iterator[Leaf]:
    """The inputs that a file's name was made from."""
    if location is None or location.origin is None:
        return
    seen: set[object] = set()
    for leaf in leaves(expression(location.origin)):
        if not leaf.absent and leaf.key not in seen:
            seen.add(leaf.key)
            yield leaf


def _place(origin: Origin, file: str) -> Span | None:
    """Where a value of a file stands: its own place, or the first of its elements'."""
    source = where(origin)
    if source is not None and source.span is not None:
        return source.span
    spans = [leaf.span for leaf in depends(origin) if leaf.span is not None and leaf.span.file.name == file]
    return min(spans, key=lambda span: span.start) if spans else None


def _elements(path: str, value: object, origin: Origin) -> Iterator[Element]:
    """The smallest parts of a value with the place of each."""
    value = value.value if isinstance(value, Sensitive) else value
    if isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _elements(f"{path}[{index}]", item, part(origin, index))
    elif isinstance(value, dict) and value:
        for key, item in value.items():
            name = str(key_value(key))
            yield from _elements(f"{path}.{name}" if path else name, item, part(origin, key))
    else:
        source = where(origin)
        yield Element(path, value, source.span if source is not None else None)


def _filled(origin: Origin) -> Iterator[Leaf]:
    """What `%{...}` in the value itself brought: inputs of its formula that are no data."""
    seen: set[object] = set()
    for leaf in leaves(expression(origin)):
        if leaf.kind not in ("literal", "hiera", "file") and leaf.key not in seen:
            seen.add(leaf.key)
            yield leaf


def _options_place(decided: tuple[Origin, ...]) -> Span | None:
    """Where `lookup_options` speaks of a key."""
    for origin in reversed(decided):
        spans = [leaf.span for leaf in depends(origin) if leaf.span is not None] if type(origin) is not Absent else []
        if spans:
            return min(spans, key=lambda span: span.start)
    return None


def written_keys(searches: Searches, top: LookupFrame) -> Iterator[WrittenKey]:
    """Every key of the files that this node's hierarchy reads: the global layer's and the environment's."""
    from .lookup import Search

    search = Search(searches, top)
    key = Key(OPTIONS)
    seen: set[str] = set()
    for _, config, _ in search.configs(key):
        for prepared in Asking(search, key, None, []).prepared(config)[0]:
            yield from _written(search, prepared, seen)


def _written(search: Search, prepared: Prepared, seen: set[str]) -> Iterator[WrittenKey]:
    for location in prepared.locations if prepared.level.function in FILES else ():
        if location is None or not location.exists or location.path in seen:
            continue
        seen.add(location.path)
        content = search.data.file(location.path, prepared.level.function)
        if content is None or not isinstance(content.value, dict):
            continue
        shadow = Shadow(content.origin)
        for name in content.value:
            plain = key_value(name)
            if isinstance(plain, str) and plain != OPTIONS:
                origin = shadow.value_in(content.value, name)
                yield WrittenKey(plain, location.path, _place(origin, location.path))


def data_directories(searches: Searches, top: LookupFrame) -> Iterator[str]:
    """The directories that this environment keeps its data in, as far as they are known before a run."""
    from .lookup import Search

    for _, config, _ in Search(searches, top).configs(Key(OPTIONS)):
        for level in config.levels:
            if level.function in FILES and level.locations is not None and "%{" not in level.datadir:
                yield posixpath.normpath(posixpath.join(level.root, level.datadir))

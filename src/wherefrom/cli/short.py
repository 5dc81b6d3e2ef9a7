"""Differences in few words: what people read of a comparison before they read all of it.

A resource that came or went is one line with the number of its attributes. Texts that are data on both sides (JSON, or
YAML in a file that is called so) are compared as data, key by key. Nodes are told as the set that they are. A comment
begins with a sentence to act on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import once
from ..base.plural import count_of
from ..provenance.explain import short
from .reports import by_cause, node_list, report

if TYPE_CHECKING:
    from ..base.diagnostics import Diagnostic
    from ..comparison import Comparison, Difference, FleetComparison

FEW_NODES = 3
"""So many are named one by one."""
SHOWN_NODES = 12
LARGEST_DATA = 200_000
"""Characters of a text that is read as data."""
_RESOURCE = re.compile(r"[\w:]+\[(?:(?!\]\.).)*\]", re.DOTALL)
_DATA_FILE = re.compile(r"\.(?:ya?ml|json)\]")


# --- resources ---


def condensed(comparison: Comparison) -> Comparison:
    """Without the attributes of resources that came or went as a whole."""
    whole = _whole(comparison)
    kept = tuple(difference for difference in comparison.differences if _resource_of(difference, whole) is None)
    return type(comparison)(kept, comparison.same, comparison.notes)


def attribute_counts(comparison: Comparison) -> dict[str, int]:
    """For each resource that came or went as a whole, how many attributes it has."""
    whole = _whole(comparison)
    names: dict[str, set[str]] = {path: set() for _, path in whole}
    for difference in comparison.differences:
        resource = _resource_of(difference, whole)
        if resource is not None:
            names[resource].add(re.split(r"[.\[]", difference.path[len(resource) + 1 :], maxsplit=1)[0])
    return {path: len(attributes) for path, attributes in names.items()}


def _whole(comparison: Comparison) -> set[tuple[str, str]]:
    return {
        (difference.change, difference.path)
        for difference in comparison.differences
        if difference.change in ("added", "removed") and _RESOURCE.fullmatch(difference.path)
    }


def _resource_of(difference: Difference, whole: Collection[tuple[str, str]]) -> str | None:
    """The resource that an attribute came or went with."""
    end = difference.path.find("].")
    while end >= 0:
        path = difference.path[: end + 1]
        if (difference.change, path) in whole:
            return path
        end = difference.path.find("].", end + 1)
    return None


# --- texts that are data ---


def data_changes(difference: Difference) -> list[str] | None:
    """What differs between two texts that are data, a line for each key; nothing if they are not."""
    before, after = difference.before, difference.after
    if max(len(before), len(after)) > LARGEST_DATA:
        return None
    is_yaml = _DATA_FILE.search(difference.path) is not None
    both = [_parsed(text, is_yaml) for text in (before, after)]
    if not all(isinstance(value, dict | list) for value in both):
        return None
    return list(_changed_parts("", *both)) or [" the same data in another notation"]


def _parsed(text: str, is_yaml: bool) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if not is_yaml:
        return None
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _known_by(value: object) -> str:
    """A text that is another one for other data: true is not 1, and keys may be of any kind, in any order."""
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{key!r}: {_known_by(part)}' for key, part in value.items()))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_known_by, value))}]"
    return repr(value)


def _changed_parts(path: str, before: object, after: object) -> Iterator[str]:
    if _known_by(before) == _known_by(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            below = f"{path}.{key}" if path else str(key)
            if key not in after:
                yield f"-{below}: {short(before[key], 80)}"
            elif key not in before:
                yield f"+{below}: {short(after[key], 80)}"
            else:
                yield from _changed_parts(below, before[key], after[key])
    elif isinstance(before, list) and isinstance(after, list):
        from ..base.lines import changed_runs

        old, new = ([_known_by(item) for item in items] for items in (before, after))
        for i1, i2, j1, j2 in changed_runs(old, new):
            if i2 - i1 == j2 - j1 == 1:
                yield from _changed_parts(f"{path}[{i1}]", before[i1], after[j1])
                continue
            yield from (f"-{path}[{index}]: {short(before[index], 80)}" for index in range(i1, i2))
            yield from (f"+{path}[{index}]: {short(after[index], 80)}" for index in range(j1, j2))
    else:
        yield f"-{path}: {short(before, 80)}"
        yield f"+{path}: {short(after, 80)}"


# --- nodes ---


def node_words(
    nodes: Sequence[str], everybody: Collection[str] = (), traits: Mapping[str, Mapping[str, str]] = {}
) -> str:
    """`2 nodes: web01, web02`; `all 312 web nodes`; `14 of 20 nodes with role=db: db01, ...`."""
    listed = node_list(list(nodes), SHOWN_NODES)
    if len(nodes) <= FEW_NODES:
        return f"{count_of(len(nodes), 'node')}: {listed}"
    if len(nodes) == len(everybody):
        return f"all {len(nodes)} nodes"
    described = _set_words(set(nodes), set(everybody), traits)
    return (
        described
        if described is not None and described.startswith("all ")
        else f"{described or count_of(len(nodes), 'node')}: {listed}"
    )


def each_failure(failed: Iterable[tuple[str, Sequence[Diagnostic]]]) -> list[tuple[list[str], Diagnostic]]:
    """What is wrong with nodes: each cause once, with the nodes that it keeps from compiling."""
    return by_cause(((node, problem) for node, problems in failed for problem in once(problems)), str)


def noted_failures(
    failed: Iterable[tuple[str, Sequence[Diagnostic]]],
    everybody: Collection[str],
    traits: Mapping[str, Mapping[str, str]] = {},
) -> list[Diagnostic]:
    """The same as diagnostics that say which nodes these are."""
    return [
        problem.with_note(f"while compiling {nodes[0] if len(nodes) == 1 else node_words(nodes, everybody, traits)}")
        for nodes, problem in each_failure(failed)
    ]


def tell_failures(
    failed: Iterable[tuple[str, Sequence[Diagnostic]]],
    everybody: Collection[str],
    traits: Mapping[str, Mapping[str, str]] = {},
) -> None:
    """The same on stderr."""
    report(noted_failures(failed, everybody, traits))


def _set_words(nodes: set[str], everybody: set[str], traits: Mapping[str, Mapping[str, str]]) -> str | None:
    """What the nodes have in common: a stem of their names, or a fact; whole groups before parts of one."""
    best: tuple[int, str] | None = None
    for trait in ("", *sorted({name for known in traits.values() for name in known})):
        groups: dict[str, set[str]] = {}
        for node in everybody:
            value = _stem(node) if not trait else traits.get(node, {}).get(trait, "")
            if value:
                groups.setdefault(value, set()).add(node)
        inside = [value for value, members in groups.items() if members & nodes]
        if not inside or nodes - set().union(*(groups[value] for value in inside)):
            continue
        names = [value if not trait else f"{trait}={value}" for value in sorted(inside)]
        members = set().union(*(groups[value] for value in inside))
        if members == nodes and len(inside) <= 2:
            words = (
                f"all {len(nodes)} {names[0]} nodes"
                if not trait and len(names) == 1
                else (
                    f"all {len(nodes)} nodes with {' or '.join(names)}"
                    if trait
                    else f"all {len(nodes)} {' and '.join(names)} nodes"
                )
            )
            return words
        if len(inside) == 1 and (best is None or len(members) < best[0]):
            what = f"{names[0]} nodes" if not trait else f"nodes with {names[0]}"
            best = len(members), f"{len(nodes)} of {len(members)} {what}"
    return best[1] if best is not None else None


def _stem(node: str) -> str:
    """The part of a node's name before its number: `web` of `web01.example.org`."""
    match = re.match(r"[A-Za-z][A-Za-z_-]*?(?=-?\d)", node.partition(".")[0])
    return match[0] if match is not None else ""


# --- a sentence to begin with ---


def sentence(comparison: Comparison) -> str:
    """What a change does, in one sentence for the reviewer."""
    if not comparison.differences:
        return f"no differences: all {count_of(comparison.same, 'output')} are the same"
    return f"{_deeds([comparison])}; {count_of(comparison.same, 'output')} stay the same"


def nodes_sentence(fleet: FleetComparison, stopped: Sequence[str] = ()) -> str:
    """The same for many nodes: what stops the change first."""
    verdict = fleet.verdict()
    if stopped:
        return f"stopped by {count_of(len(stopped), 'gate')}. {verdict}"
    if fleet.failed:
        return f"not ready: {count_of(len(fleet.failed), 'node')} would not compile. {verdict}"
    if not fleet.groups:
        return verdict
    return f"{verdict}; {_deeds([comparison for _, comparison in fleet.groups])}"


def _deeds(comparisons: Sequence[Comparison]) -> str:
    """`removes Package[a], adds 2 resources, changes 3`: what is gone first, by name where it is one."""
    changes: dict[str, dict[str, None]] = {"removed": {}, "added": {}, "changed": {}}
    for comparison in comparisons:
        whole = _whole(comparison)
        for difference in comparison.differences:
            if (difference.change, difference.path) in whole:
                changes[difference.change][difference.path] = None
            elif _resource_of(difference, whole) is None:
                changes["changed"][_owner(difference.path)] = None
    parts = [
        f"{verb} {next(iter(paths)) if len(paths) == 1 else f'{len(paths)} resources'}"
        for verb, paths in (
            ("removes", changes["removed"]),
            ("adds", changes["added"]),
            ("changes", changes["changed"]),
        )
        if paths
    ]
    return ", ".join(parts)


def _owner(path: str) -> str:
    match = re.match(r"(?:content of )?([\w:]+\[.*?\])(?=\.|\Z|/)", path)
    return match[1] if match is not None else path

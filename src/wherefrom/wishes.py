"""Outputs as they are wished to be, and changes of the sources that make them so.

A `Wish` names an output and the value that it is to have. The language's outcome lists changes that may do it
(`Outcome.rewrites`); here each is compiled, on an overlay of the files, and only what gives the wished value is a
`Proposal`. It knows what else changes, here and on other nodes. Nothing is written.

Proposals are in the order in which people would take them: changes of data and literals before new parameters, those
before constants in place of expressions, and an override last of all; then the fewest nodes, the fewest other outputs
(those on the way to the wished one do not count) and the shortest patch. Fewest outputs alone would be wrong: a
constant in place of a parameter changes least, and cuts the parameter off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, TypeAlias

from .base.diagnostics import Diagnostic, ManyErrors, PathNotFound, UsageError, WherefromError
from .base.plural import count_of
from .base.record import Record, replace
from .base.secrets import REDACTED, Secret, raw
from .base.splices import (
    ADDED_DATA,
    DEFINED,
    GONE,
    KINDS,
    REPLACED,
    Obstacle,
    Overlapping,
    Rewrite,
    Splice,
    changed_files,
    changed_lines,
    patch,
)
from .language import Catalog, Outcome, line_of
from .provenance.backwards import same

MOST_TRIED = 60
"""Combinations of changes that are compiled for one request; the likeliest come first."""

Files: TypeAlias = Mapping[str, bytes | None]
Compiled: TypeAlias = Callable[[str | None, Files], Outcome]
"""Compiles a node (nothing: the one that was asked about) with other contents of some files."""
Values: TypeAlias = Mapping[str, Any]
Concerned: TypeAlias = Callable[[Sequence[Rewrite]], Collection[str]]
"""The nodes that some changes could make a difference to: no others need to be compiled."""
MOST_NODES = 20
"""Nodes that a proposal is compiled for, of those that are concerned."""


class Wish(Record):
    """An output, and the text of the value that it is to have; nothing for one that is to be gone."""

    path: str
    text: str | None


class Wanted(Record):
    """A wish, understood: `value` is what is there now, `GONE` where nothing is."""

    path: str
    value: Any
    wanted: Any


class Change(Record):
    """An output that changes; `GONE` for one that is not there before or after."""

    path: str
    before: Any
    after: Any


class Proposal(Record):
    """A change of the sources that was compiled and gives the wished values.

    `files` are contents before (nothing for a new file) and after; `changes` the other outputs of this node;
    `elsewhere` those of other nodes, by node.
    """

    rewrites: tuple[Rewrite, ...]
    files: Mapping[str, tuple[bytes | None, bytes]]
    changes: tuple[Change, ...]
    elsewhere: Mapping[str, tuple[Change, ...]]
    broken: Mapping[str, str]
    """Nodes that do not compile any more, and why."""
    uncompiled: tuple[str, ...] = ()
    """Nodes that may change, and that it was not compiled for: there are too many."""
    directory: str = ""
    """The project's."""

    @property
    def rank(self) -> tuple[int, ...]:
        """Smaller is better; see the module's text."""
        classes = {REPLACED: 0, ADDED_DATA: 0, DEFINED: 0}
        through = {path for rewrite in self.rewrites for path in rewrite.through}
        elsewhere = [change for changes in self.elsewhere.values() for change in changes]
        others = sum(not _is_on_the_way(change.path, through) for change in (*self.changes, *elsewhere))
        return (
            max(classes.get(rewrite.kind, KINDS.index(rewrite.kind)) for rewrite in self.rewrites),
            len(self.broken),
            sum(bool(changes) for changes in self.elsewhere.values()) + len(self.uncompiled),
            others,
            sum(rewrite.is_among_secrets for rewrite in self.rewrites),
            max(KINDS.index(rewrite.kind) for rewrite in self.rewrites),
            sum(len(changed_lines(old, new)) for old, new in self.files.values()),
            sum(old is None for old, _ in self.files.values()),
        )

    @property
    def patch(self) -> str:
        """For `git apply`: below the current directory, or that of the project where a file lies elsewhere."""
        names = {name: os.path.normpath(name) for name in self.files}
        if any(name.startswith(("../", "/")) for name in names.values()):  # git refuses such names
            base = os.path.realpath(self.directory or ".")
            names = {name: os.path.relpath(os.path.realpath(name), base) for name in self.files}
        return patch({names[name]: contents for name, contents in self.files.items()})

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "kinds": [rewrite.kind for rewrite in self.rewrites],
            "sets": [rewrite.words for rewrite in self.rewrites if rewrite.words],
            "files": [
                {
                    "file": name,
                    "new": old is None,
                    "lines": [
                        {"sign": sign, "line": line, "text": text} for sign, line, text in changed_lines(old, new)
                    ],
                }
                for name, (old, new) in self.files.items()
            ],
            "patch": self.patch,
            "changes": [_change_json(change) for change in self.changes],
            "nodes": [
                {"node": node, "changes": [_change_json(change) for change in changes]}
                for node, changes in self.elsewhere.items()
                if changes
            ],
            "broken": [{"node": node, "message": words} for node, words in self.broken.items()],
            **({"uncompiled": list(self.uncompiled)} if self.uncompiled else {}),
        }


class Answer(Record):
    """What can be done for some wishes: proposals, the best first, and what was tried and does not work."""

    wanted: tuple[Wanted, ...]
    node: str | None
    proposals: tuple[Proposal, ...]
    obstacles: tuple[Obstacle, ...]
    nodes: tuple[str, ...] = ()
    """The other nodes that were compiled with each proposal."""

    @property
    def is_so(self) -> bool:
        """Whether everything is as it is wished to be."""
        return all(same(one.value, one.wanted) for one in self.wanted)

    def to_json(self) -> dict[str, Any]:
        """What `wherefrom set --json` prints."""
        return {
            **({"node": self.node} if self.node else {}),
            "wishes": [
                {
                    "path": one.path,
                    **{
                        name: value
                        for name, value in (("value", one.value), ("wanted", one.wanted))
                        if value is not GONE
                    },
                }
                for one in self.wanted
            ],
            "proposals": [proposal.to_json() for proposal in self.proposals],
            "obstacles": [{"what": obstacle.what, "because": obstacle.because} for obstacle in self.obstacles],
            "nodes": list(self.nodes),
        }


def _change_json(change: Change) -> dict[str, object]:
    sides = (("before", change.before), ("after", change.after))
    return {"path": change.path, **{name: value for name, value in sides if value is not GONE}}


def _is_on_the_way(path: str, through: Iterable[str]) -> bool:
    return any(path == known or path.startswith((f"{known}.", f"{known}[")) for known in through)


# --- what is wished --------------------------------------------------------------------------------------------------

_LINE = re.compile(r"(?P<file>/.*):(?P<line>\d+)")


def understood(wish: Wish, outcome: Outcome) -> Wanted:
    """The path and the two values.  The text is read as a value of the kind that is there.

    Raises `PathNotFound`, and `UsageError` for a text that is no such value.
    """
    path = wish.path.strip()
    line = _LINE.fullmatch(path)
    if line is not None:
        path = f"File[{line['file']}].content"
        value = outcome.select(path).value
        _refuse_secret(path, value)
        start, old = line_of(path, value, int(line["line"]))
        end = start + len(old)
        kept = old[len(old.rstrip("\r\n")) :]
        new = "" if wish.text is None else wish.text + kept
        return Wanted(path, value, value[:start] + new + value[end:])
    try:
        selected = outcome.select(path)
    except PathNotFound:
        unset = outcome.unset(path) if wish.text is not None and isinstance(outcome, Catalog) else None
        if wish.text is None or unset is None:
            raise
        return Wanted(unset, GONE, _read(wish.text, GONE, path))
    if isinstance(selected.value, Secret):
        if wish.text is None or not isinstance(selected.value.raw, str):
            _refuse_secret(path, selected.value)
        return Wanted(selected.path, selected.value, Secret(wish.text))
    if wish.text is None:
        return _smaller_list(path, outcome) or Wanted(selected.path, selected.value, GONE)
    wanted = _read(wish.text, selected.value, path)
    return Wanted(selected.path, selected.value, wanted)


_ELEMENT = re.compile(r"(?P<list>.+)\[(?P<index>\d+)\]", re.DOTALL)


def _smaller_list(path: str, outcome: Outcome) -> Wanted | None:
    """That an element of a list is to go, as a wish for the list: the next element takes its place."""
    element = _ELEMENT.fullmatch(path)
    if element is None:
        return None
    try:
        whole = outcome.select(element["list"])
    except PathNotFound:  # brackets round a title
        return None
    if not isinstance(whole.value, list):
        return None
    index = int(element["index"])
    return Wanted(whole.path, whole.value, [*whole.value[:index], *whole.value[index + 1 :]])


def _refuse_secret(path: str, value: object) -> None:
    if isinstance(value, Secret):
        raise UsageError(f"{path} is sensitive: a patch would show the new value; edit the encrypted data instead")


_MODE = re.compile(r"0\d+")
"""A number that is none for people: the mode of a file, a code."""


def _read(text: str, present: Any, path: str) -> Any:
    if isinstance(present, str) or (present is GONE and _MODE.fullmatch(text)):
        return text
    import yaml

    from .base.source import SourceFile
    from .base.yaml_nodes import yaml_value

    try:
        value = yaml_value(SourceFile(path, text))
    except (yaml.YAMLError, ValueError):
        raise UsageError(f"{text} is not a valid YAML value; put a string in quotes") from None
    if isinstance(present, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def holds(wanted: Wanted, outcome: Outcome) -> bool:
    """Whether an outcome has a value as it is wished to be."""
    try:
        value = outcome.select(wanted.path).value
    except PathNotFound:
        return wanted.wanted is GONE
    if isinstance(wanted.wanted, Secret):
        return bool(raw(value) == wanted.wanted.raw)
    return wanted.wanted is not GONE and not isinstance(value, Secret) and same(value, wanted.wanted)


# --- proposals -------------------------------------------------------------------------------------------------------


def proposals(
    wishes: Sequence[Wish],
    node: str | None,
    compiled: Compiled,
    refused: Callable[[str], str | None],
    others: Sequence[str] = (),
    reach: str | None = None,
    concerned: Concerned | None = None,
) -> Answer:
    """Changes that fulfil all wishes at once.

    `refused` says of a file why it must not be written, `others` are further nodes that each proposal is compiled for
    (with `concerned` only those of them that it concerns, and not too many),
    `reach` is the level of the data that may be written (see `Rewrite.reach`). Raises what compiling without any change
    raises.
    """
    outcome = compiled(node, {})
    wanted = tuple(understood(wish, outcome) for wish in wishes)
    unmet = [one for one in wanted if not (one.wanted is not GONE and same(one.value, one.wanted))]
    if not unmet:
        return Answer(wanted, node, (), ())
    obstacles: dict[Obstacle, None] = {}
    by_wish: list[list[Rewrite]] = []
    names: set[str] = set()
    for one in unmet:
        rewrites = _permitted(outcome.rewrites(one.path, one.wanted), refused, obstacles)
        names.update(name for rewrite in rewrites for name in rewrite.reach)
        by_wish.append([rewrite for rewrite in rewrites if reach is None or reach.lower() in rewrite.reach])
    if reach is not None and reach.lower() not in names:
        known = ", ".join(sorted(names)) or "none"
        raise UsageError(f"no change to the data has the reach {reach!r}; levels that could be changed: {known}")
    trial = _Trial(node, compiled, outcome, wanted, others, concerned)
    accepted: dict[tuple[tuple[str, bytes], ...], Proposal] = {}
    for combination in islice(_combined(by_wish), MOST_TRIED):
        proposal = trial.of(combination, obstacles)
        if proposal is not None:
            accepted.setdefault(tuple((name, new) for name, (_, new) in proposal.files.items()), proposal)
    written = {name for proposal in accepted.values() for name in proposal.files}
    obstacles.update((missed, None) for missed in trial.missed if missed.what not in written)
    ordered = sorted(accepted.values(), key=lambda proposal: proposal.rank)
    return Answer(wanted, node, tuple(ordered), tuple(obstacles), tuple(others))


def _permitted(
    rewrites: Iterable[Rewrite | Obstacle], refused: Callable[[str], str | None], obstacles: dict[Obstacle, None]
) -> list[Rewrite]:
    """The changes of files that may be written, each once, the better kinds first."""
    kept: dict[tuple[Any, ...], Rewrite] = {}
    for rewrite in rewrites:
        if isinstance(rewrite, Obstacle):
            obstacles[rewrite] = None
            continue
        rewrite = _behind_links(rewrite)
        problems = {splice.file: refused(splice.file) for splice in rewrite.splices}
        for file, words in problems.items():
            if words is not None:
                obstacles[Obstacle(file, words)] = None
        if not any(problems.values()):
            kept.setdefault(rewrite.splices, rewrite)
    return sorted(kept.values(), key=lambda rewrite: KINDS.index(rewrite.kind))


def _behind_links(rewrite: Rewrite) -> Rewrite:
    """The same change of the files themselves, where the configuration reads them by links."""

    def behind(splices: tuple[Splice, ...]) -> tuple[Splice, ...]:
        return tuple(Splice(_behind_link(one.file), one.start, one.end, one.text) for one in splices)

    changed: Rewrite = replace(rewrite, splices=behind(rewrite.splices), tried=behind(rewrite.tried))
    return changed


def _behind_link(name: str) -> str:
    """The file that a name leads to, named below the current directory where it lies there."""
    real, here = os.path.realpath(name), os.path.realpath(".")
    folder = os.path.realpath(os.path.dirname(name) or ".")
    if not os.path.islink(name) and folder == os.path.normpath(os.path.join(here, os.path.dirname(name))):
        return name
    return os.path.relpath(real, here) if real.startswith(here + os.sep) and not os.path.isabs(name) else real


def _combined(by_wish: Sequence[Sequence[Rewrite]]) -> Iterator[tuple[Rewrite, ...]]:
    """One change for each wish, the best of each first; a change that serves two wishes is made once."""
    if len(by_wish) == 1:
        yield from ((rewrite,) for rewrite in by_wish[0])
        return
    numbered = product(*(range(len(rewrites)) for rewrites in by_wish))
    ranks = sorted(islice(numbered, 20_000), key=sum)
    for numbers in ranks:
        yield tuple(dict.fromkeys(rewrites[number] for rewrites, number in zip(by_wish, numbers)))


class _Trial:
    """Compiles changes, and compares with what was there before."""

    def __init__(
        self,
        node: str | None,
        compiled: Compiled,
        outcome: Outcome,
        wanted: Sequence[Wanted],
        others: Sequence[str],
        concerned: Concerned | None,
    ) -> None:
        self.concerned = concerned
        self.node = node
        self.compiled = compiled
        self.outcome = outcome
        self.wanted = wanted
        self.others = others
        self.is_secret = any(isinstance(one.wanted, Secret) for one in wanted)
        self.before = values_of(outcome)
        self.missed: dict[Obstacle, None] = {}
        """Changes that compile and do not give what is wished."""
        self._before: dict[str, Values | None] = {}

    def of(self, rewrites: Sequence[Rewrite], obstacles: dict[Obstacle, None]) -> Proposal | None:
        """The proposal, if the changes do what is wished."""
        splices = [splice for rewrite in rewrites for splice in rewrite.splices]
        try:
            files = changed_files(splices, self.outcome.file_content)
        except (Overlapping, UnicodeDecodeError):
            return None
        shown = ", ".join(dict.fromkeys(splice.file for splice in splices))
        tried = [splice for rewrite in rewrites for splice in (rewrite.tried or rewrite.splices)]
        overlay = {name: new for name, (_, new) in changed_files(tried, self.outcome.file_content).items()}
        try:
            after = self.compiled(self.node, overlay)
            for one in self.wanted:
                if not holds(one, after):  # what is lazy fails here
                    said = f"{one.path} does not become so with {_said(rewrites)}"
                    self.missed.update((Obstacle(splice.file, said), None) for splice in splices)
                    return None
            values = values_of(after)
        except WherefromError as problem:
            because = "" if self.is_secret else f": {message_of(problem)}"  # which may quote the value
            obstacles[Obstacle(shown, f"does not compile with {_said(rewrites)}{because}")] = None
            return None
        asked = {one.path for one in self.wanted}
        changes = tuple(
            change for change in self._differences(self.before, values) if not _is_on_the_way(change.path, asked)
        )
        elsewhere: dict[str, tuple[Change, ...]] = {}
        broken: dict[str, str] = {}
        others, uncompiled = self._others(rewrites)
        for other in others:
            before = self._values_before(other)
            if before is None:
                continue
            try:
                elsewhere[other] = tuple(self._differences(before, values_of(self.compiled(other, overlay))))
            except WherefromError as problem:
                broken[other] = message_of(problem) if not self.is_secret else "its values are sensitive"
        directory = self.outcome.directory
        return Proposal(tuple(rewrites), files, changes, elsewhere, broken, uncompiled, directory)

    def _others(self, rewrites: Sequence[Rewrite]) -> tuple[Sequence[str], tuple[str, ...]]:
        """The nodes to compile, and those that are too many."""
        if self.concerned is None:
            return self.others, ()
        names = set(self.concerned(rewrites))
        several = [other for other in self.others if other in names]
        return several[:MOST_NODES], tuple(several[MOST_NODES:])

    def _differences(self, before: Values, after: Values) -> Iterator[Change]:
        """What changes; without values where a secret is wished, which may be part of any of them."""
        for change in differences(before, after):
            sides = (change.before, change.after)
            yield (
                change
                if not self.is_secret
                else Change(change.path, *(side if side is GONE else REDACTED for side in sides))
            )

    def _values_before(self, node: str) -> Values | None:
        """The outputs of another node as it is; nothing for one that does not compile anyway."""
        if node not in self._before:
            try:
                self._before[node] = values_of(self.compiled(node, {}))
            except WherefromError:
                self._before[node] = None
        return self._before[node]


def _said(rewrites: Sequence[Rewrite]) -> str:
    return ", ".join(rewrite.words or rewrite.kind for rewrite in rewrites)


def message_of(problem: WherefromError) -> str:
    """The first line of what is wrong."""
    if isinstance(problem, ManyErrors):
        problem = problem.diagnostics[0]
    return problem.message if isinstance(problem, Diagnostic) else str(problem)


def values_of(outcome: Outcome) -> dict[str, object]:
    """The outputs by their paths, without their histories."""
    values: dict[str, object] = {}
    for kind, title, name, value in outcome.values():
        values[f"{kind}[{title}]{'.' if name else ''}{name}" if kind else title] = value
    return values


def differences(before: Values, after: Values) -> Iterator[Change]:
    """What differs between two outcomes."""
    for path in dict.fromkeys([*before, *after]):
        old, new = before.get(path, GONE), after.get(path, GONE)
        if not (old is not GONE and new is not GONE and same(old, new)):
            yield Change(path, old, new)


def summary(changes: Sequence[Change]) -> str:
    """How many outputs change, in words."""
    return f"{count_of(len(changes), 'other output')} {'changes' if len(changes) == 1 else 'change'}"

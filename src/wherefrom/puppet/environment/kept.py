"""Environments that a session keeps from one run to the next.

An environment is opened once for all the runs that ask for it in the same way (path, module path, settings, roots), and
read through a `RecordingHost`. Before each further run the recorder looks whether anything that was read, listed or
found missing is otherwise now. If nothing is, all of it serves again: trees, definitions, compiled code, parsed data.
If something is, the environment forgets what depends on it (`Environment.changed`), or, where that would not do, is
opened anew. What a run gives is the same as in a session of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from ...base.cache import Cache
from ...base.host import Host
from ...base.recording import RecordingHost
from .environment import Environment

MOST_KEPT = 16
"""Environments; the one that was not asked for longest is forgotten."""


class Environments:
    """The environments of a session, by what they were opened with."""

    def __init__(self) -> None:
        self._kept: Cache[Hashable, tuple[Environment, RecordingHost]] = Cache(MOST_KEPT)

    def environment(
        self,
        key: Hashable,
        host: Host,
        open_environment: Callable[[Host], Environment],
        still: bool = False,
        observed: frozenset[str] | None = None,
    ) -> Environment:
        """The environment that was opened with `key`, as its files are now; `observed` are those that are watched.

        Where they are said to stand `still`, that is looked at once, for all the runs that follow.
        """
        known = self._kept.pop(key, None)
        if known is not None and not (still and known[1].is_still and known[0].can_be_kept):
            environment, recorder = known
            recorder.host = host
            changes = recorder.changes()
            if not environment.can_be_kept or (changes and not environment.changed(changes)):
                known = None
        if known is not None and not known[0].observe(observed):
            known = None
        if known is None:
            recorder = RecordingHost(host)
            known = open_environment(recorder), recorder
        if still and not known[1].is_still:
            known[1].stand_still()
        return self._kept.keep(key, known)[0]

    def changed(self, paths: Iterable[str]) -> None:
        """Files or directories are said to have changed."""
        changed_paths = list(paths)
        for _, recorder in self._kept.values():
            recorder.distrust(changed_paths)

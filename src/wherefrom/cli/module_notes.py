"""What a comparison has to say of modules: which ones the `Puppetfile`s of its sides name otherwise."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..base.diagnostics import Diagnostic
from ..puppetfile import NAME, differing, directory_of, modules_of
from ..revisions import RevisionHost, split_revision
from ..session import host_for
from .modules import text_of

if TYPE_CHECKING:
    from .options import Invocation

_LONGEST_LIST = 12


def notes_of(invocation: Invocation, before: str | None, after: str | None) -> list[str]:
    """What the `Puppetfile`s of two sides name otherwise, and where the modules of the sides came from."""
    texts: list[str | None] = []
    froms: list[str | None] = []
    words: list[str] = []
    for asked in (before, after):
        try:
            path, given = invocation.settled(asked)
        except Diagnostic:
            return []
        name, revision = split_revision(path)
        if not os.path.isdir(name) and revision is None:
            return []
        host = host_for(name) if revision is None else invocation.reader(name, path)
        texts.append(text_of(host, os.path.join(name, NAME)))
        froms.append(given.options.get("modules_from"))
        words.append(f"{name}@{revision}" if revision is not None else "")
    old, new = (modules_of(text or "") for text in texts)
    changed = differing(old, new)
    for asked in (before, after):
        changed = {module: warning for module, warning in changed.items() if not _is_held(invocation, asked, module)}
    if not changed:
        return []
    listed = [f"{module} {warning}" for module, warning in changed.items()]
    more = len(listed) - _LONGEST_LIST
    shown = ", ".join(listed[:_LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")
    warning = f"the {NAME} names different modules: {shown}."
    if any(froms):
        places = [f"those of {side} from {place}" for side, place in zip(words, froms) if place is not None]
        return [f"{warning} The modules used are {' and '.join(places)}"]
    lacking = next((side for side in words if side), "the other side")
    return [
        f"{warning} Both sides were compiled with the modules of the work tree, so effects of other versions are not "
        f"in this comparison: name the modules of {lacking} with --modules-from DIR, or use --bootstrap"
    ]


def _is_held(invocation: Invocation, asked: str | None, module: str) -> bool:
    """Whether a side has a module itself: a revision in git, as files or as a submodule."""
    path, _ = invocation.settled(asked)
    name, revision = split_revision(path)
    host = invocation.reader(name, path) if revision is not None else None
    if not isinstance(host, RevisionHost):
        return False
    folder = directory_of(text_of(host, os.path.join(name, NAME)) or "")
    return host.holds(os.path.join(name, folder, module))

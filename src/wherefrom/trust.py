"""Settings that ask for more than their project: they take effect when the user has trusted the file as it is.

A `wherefrom.toml` comes with a repository, and the repository may be a stranger's. Settings may narrow and choose
freely. What widens needs the user's word:

- a path outside of the directory that the file stands in, links followed, since what it names may be read: `roots`,
  `modulepath`, `facts`, `inventory`, `enc`, `hiera`, `answers`, `environment`, and keys of encrypted data
  (`eyaml_keys`);
- a `budget` that allows more of anything than the default;
- `public_outputs`, which opens what was computed from secrets;
- `bootstrap`, a program that `--bootstrap` runs.

Until then it is left out, and a warning says so. `wherefrom trust [FILE]` keeps the digest of the file's place and
content in the user's own directory, outside of any repository (`~/.local/state/wherefrom/trusted`): a file that was
changed, or a copy elsewhere, is not the one that was trusted. `--trust` trusts for one command, as in CI.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .base.budget import BOUNDS, Budget
from .base.diagnostics import WARNING, Diagnostic, UsageError
from .base.digests import sha256
from .base.folder import Folder
from .base.private_cache import KEYS, key_directory
from .base.source import Span, lines_of

TRUSTED = "trusted"
_MOST = 1 << 22


class Untrusted(Diagnostic):
    """Settings that ask for more than their project, in a file that nobody has trusted."""

    code = "W049"
    severity = WARNING

    def __init__(self, file: str, words: list[str], at: Span | None) -> None:
        super().__init__(
            f"{file} names things outside of its directory, which are ignored: {'; '.join(words)}",
            at,
            help=f"if you wrote or reviewed the file: `wherefrom trust {file}`, or --trust for this command",
        )


def widening(folder: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """What in some settings asks for more than their directory: the key, the value (of a list, one), and words."""
    inside = os.path.realpath(folder or ".")
    for name, value in settings.items():
        if name == "budget":
            limits = Budget.read(value).limits
            larger = [bound for bound, (default, _) in BOUNDS.items() if limits[bound] > default]
            if larger:
                yield name, value, f"a larger budget ({', '.join(larger)})"
        elif name == "public_outputs":
            for path in value:
                yield name, path, f"public_outputs = {path!r} shows what was computed from secrets"
        elif name == "bootstrap":
            yield name, value, f"bootstrap = {' '.join(value)!r} is a program that --bootstrap runs"
        elif name in PATHS:
            for path in value if isinstance(value, tuple) else (value,):
                if not _is_below(path, inside):
                    yield name, path, f"{name} = {path!r} is outside of it"


PATHS = frozenset("environment facts inventory enc hiera answers modulepath roots eyaml_keys".split())
"""Settings that are paths: what they name may be read."""


def narrowed(settings: Mapping[str, object], wide: list[tuple[str, Any, str]]) -> dict[str, Any]:
    """Settings without what asks for more."""
    left: dict[str, Any] = dict(settings)
    for name, value, _ in wide:
        if isinstance(left.get(name), tuple) and not isinstance(value, tuple):
            left[name] = tuple(path for path in left[name] if path != value)
        else:
            left.pop(name, None)
    return left


def _is_below(path: str, folder: str) -> bool:
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return False
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def digest_of(file: str, text: str) -> str:
    """What is kept of a file that is trusted: of its place and its content."""
    whole = os.path.realpath(file) + "\0" + text
    return str(sha256(whole.encode("utf-8", "surrogatepass")).hexdigest())


def is_trusted(file: str, text: str) -> bool:
    """Whether the user has trusted this file as it is."""
    return digest_of(file, text) in _known()


def trust(file: str, text: str) -> None:
    """From now on the file may ask for more, as long as it stays as it is.  Raises `UsageError`."""
    _write({**_known(), digest_of(file, text): os.path.realpath(file)})


def forget(file: str) -> bool:
    """No longer trust a file, whatever it says; whether it was."""
    known = _known()
    left = {digest: path for digest, path in known.items() if path != os.path.realpath(file)}
    if len(left) != len(known):
        _write(left)
    return len(left) != len(known)


def _folder() -> Folder | None:
    path = key_directory()
    return None if path is None or not hasattr(os, "geteuid") else Folder(path, KEYS)


def _known() -> dict[str, str]:
    """Digests that are trusted, and the files they are of."""
    folder = _folder()
    stored = None if folder is None else folder.read_private(TRUSTED, _MOST)
    if stored is None:
        return {}
    lines = (line.partition(" ") for line in lines_of(stored[0].decode("utf-8", "surrogateescape")))
    return {digest: path for digest, _, path in lines}


def _write(known: Mapping[str, str]) -> None:
    folder = _folder()
    if folder is None:
        raise UsageError("no home directory to store trust in: use --trust")
    try:
        if not folder.make_private():
            raise UsageError(f"{folder.path} is writable by other users, so trust is not stored there")
        lines = (f"{digest} {path}\n" for digest, path in known.items() if "\n" not in path)
        folder.replace(TRUSTED, "".join(lines).encode("utf-8", "surrogateescape"), 0o600)
    except OSError as problem:
        raise UsageError(f"cannot write {folder.path}: {(problem.strerror or str(problem)).lower()}") from None

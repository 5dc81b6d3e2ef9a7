"""Commands in a child that can be ended, kept by the kernel to what the command line names.

What evaluates a configuration runs in a child process (`wherefrom.base.contained`), so that there is somebody who can
end it and say why. Where the kernel has Landlock, that child may read the directory it was started in, what the
arguments and the project's settings name, and Python with our own code; it may write what `--save`, `--output` and `-o`
name, stores, the fleet's scratch files, and our caches. It makes no sockets, where the system can refuse them. Options
that ask for more (`--ruby`, `--puppetdb`, `--ray`, `--bootstrap`) leave all that out.

`serve` and `batch` listen and read requests in the process that was started, and evaluate in a servant
(`wherefrom.base.servant`), which is kept in the same way. A request of `batch` may name any file: it is kept from
writing, from programs and from the network alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..base.collector import stay
from ..base.contained import bound_rest, can_contain, in_child
from .reports import report

if TYPE_CHECKING:
    from ..fleet.requests import FleetRequest

BOUNDED = frozenset(
    "compile eval explain lookup impact set influence policy diff fleet step graph report check record warm".split()
)
"""Commands that run in a child."""
SERVING = frozenset(("serve", "batch", "lsp"))
"""Commands that evaluate in a servant."""
_ANYWHERE = frozenset(("batch", "lsp"))
"""Commands that hear later which files are asked about."""
_LONG = frozenset(("fleet", "check", "warm"))
_MANY = ("--nodes", "--watch")
"""Commands and options that have a lot to do between runs, or wait there: the number of nodes is what bounds them."""
KEPT = (BOUNDED | SERVING) - {"record"}
"""Commands that Landlock keeps to what they name.  `record` asks programs and servers."""
_FREE = ("--ruby", "--puppetdb", "--ray", "--bootstrap")
_WRITTEN = ("--save", "--output", "-o", "--store")
_SETTINGS = ("wherefrom.toml", "pyproject.toml")
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", "/etc/gitconfig",
    "/etc/ssl/openssl.cnf", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/proc",
    "/dev/null", "/dev/zero", "/dev/urandom", "/dev/full", "/dev/tty", "/dev/pts",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/pts", "/proc/self/fd")


def run_contained(arguments: Sequence[str], run: Callable[[], int]) -> int:
    """Run a command that evaluates in a child, others here; the status."""
    _Given.arguments = tuple(arguments)
    if not arguments or arguments[0] not in BOUNDED or not is_wanted():
        return run()

    def work() -> int:
        keep(arguments)
        if arguments[0] not in _LONG and not any(_is_option(argument, _MANY) for argument in arguments):
            bound_rest()
        return run()

    ended = in_child(work)
    if ended.problem is not None:
        report([ended.problem])
    return 3 if ended.status is None else ended.status


class _Given:
    """The command line of this process."""

    arguments: tuple[str, ...] = ()


def is_wanted() -> bool:
    """Whether evaluation is to be in a child of this process."""
    return can_contain() and os.environ.get("WHEREFROM_CONTAINED") != "no"


def prepare_servant() -> None:
    """What a servant of this command does first."""
    stay()
    keep(_Given.arguments)


def keep(arguments: Sequence[str]) -> int:
    """Keep this process to what a command line names; the version of Landlock, 0 where nothing is kept."""
    if not arguments or arguments[0] not in KEPT or any(_is_option(argument, _FREE) for argument in arguments):
        return 0
    from ..base.landlock import restrict
    from ..base.seccomp import refuse_sockets

    writable = [*_written(arguments), *_caches(), *_DEVICES]
    named = [] if arguments[0] in _ANYWHERE else [*_named(arguments)]
    asked = list(_asked(arguments, named))
    if any(request.options.get("puppetdb") is not None for request in asked):
        return 0
    refuse_sockets()
    if arguments[0] in _ANYWHERE:
        return restrict(["/"], writable, _SYSTEM)
    if arguments[0] == "set" and "--apply" in arguments:
        writable += [os.getcwd(), *named]
    named += (
        place if os.path.isdir(place) else os.path.dirname(place) for request in asked for place in request.places
    )
    readable = [
        os.getcwd(),
        *_own(),
        *named,
        *_settings([".", *named], "--trust" in arguments),
        *_repositories([".", *named]),
    ]
    if arguments[0] == "fleet":
        from ..base.folder import scratch_place
        from ..fleet.place import CURRENT

        writable += [scratch_place(), *(name for name in named if os.path.exists(os.path.join(name, CURRENT)))]
        if arguments[1:2] == ["plot"]:
            writable += _made([os.environ.get("MPLCONFIGDIR") or os.path.join(_cache_home(), "matplotlib")])
    return restrict(readable, writable, _SYSTEM)


def _is_option(argument: str, options: Sequence[str]) -> bool:
    return any(argument == option or argument.startswith(f"{option}=") for option in options)


def _named(arguments: Sequence[str]) -> Iterator[str]:
    """Directories of what arguments name: `FILE`, `DIR@REV`, `DIR#ATTR`, `NAME=DIR`, `DIR:DIR`, `--env NAME`."""
    shown = [os.environ.get(name, "") for name in (*arguments, *(word.partition("=")[2] for word in arguments)) if name]
    for argument in [*arguments[1:], *(path for value in shown for path in value.split(":"))]:
        for part in {argument, *argument.split("="), *argument.split(":"), *argument.partition("=")[2].split(":")}:
            for path in {part, part.partition("#")[0], part.rpartition("@")[0], part.removeprefix("-I")}:
                with suppress(ValueError):
                    if path and os.path.exists(path):
                        yield path if os.path.isdir(path) else os.path.dirname(path) or "."
                        yield os.path.dirname(os.path.realpath(path)) if os.path.isfile(path) else path


def _asked(arguments: Sequence[str], named: Sequence[str]) -> Iterator[FleetRequest]:
    """What stores among some directories are compiled from, where it is to be read when they are asked."""
    if list(arguments[:2]) == ["fleet", "compile"]:
        return
    for place in dict.fromkeys(named):
        if os.path.lexists(os.path.join(place, "request.json")):
            from ..base.folder import NotOurs
            from ..fleet.requests import is_store, read

            request = None
            with suppress(NotOurs):  # the command says so, if it has to read it
                request = read(place) if is_store(place) else None
            if request is not None and (request.is_own or not request.asks):
                yield request


def _settings(places: Sequence[str], trusting: bool) -> Iterator[str]:
    """Files of settings above some places, and what they name (it takes effect only as far as it is trusted)."""
    from ..base.diagnostics import WherefromError
    from ..project import find_project

    for place in dict.fromkeys(os.path.abspath(place) for place in places):
        folder = place
        while True:
            yield from (os.path.join(folder, name) for name in _SETTINGS)
            if folder == os.path.dirname(folder):
                break
            folder = os.path.dirname(folder)
        with suppress(WherefromError, OSError):
            project = find_project(place, trusting)
            if project is not None:
                paths = (project.environment, project.facts, project.inventory, project.enc, project.hiera)
                for path in (*paths, project.answers, *project.modulepath, *project.roots, *project.eyaml_keys):
                    if path is not None:
                        yield path if os.path.isdir(path) else os.path.dirname(path) or "."


def _repositories(places: Sequence[str]) -> Iterator[str]:
    """The repositories that some places lie in: git reads them whole."""
    for place in dict.fromkeys(os.path.realpath(place) for place in places):
        folder = place
        while True:
            inside = os.path.join(folder, ".git")
            yield os.path.join(folder, ".gitignore")  # what a revision does not have and git ignores is read
            if os.path.isdir(inside):
                yield inside
                break
            if os.path.isfile(inside):  # a work tree beside its repository
                from ..base.diagnostics import WherefromError
                from ..base.host import RealHost

                with suppress(WherefromError, OSError, ValueError, IndexError):  # git says what is wrong with it
                    words = RealHost([folder]).read_bytes(inside).decode().split()
                    yield os.path.dirname(os.path.dirname(os.path.join(folder, words[1])))
                break
            if folder == os.path.dirname(folder):
                break
            folder = os.path.dirname(folder)
    home = os.path.expanduser("~")
    yield from (os.path.join(home, ".gitconfig"), os.path.join(home, ".config/git"))


def _own() -> Iterator[str]:
    """Python, what it loads, and our own code."""
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix)
    yield os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    yield from (path for path in sys.path if path and os.path.isabs(path))


def _written(arguments: Sequence[str]) -> Iterator[str]:
    """Directories of what is to be written."""
    for place, argument in enumerate(arguments):
        for option in _WRITTEN:
            value = None
            if argument == option:
                value = arguments[place + 1] if place + 1 < len(arguments) else None
            elif argument.startswith(f"{option}=") or (len(option) == 2 and argument.startswith(option)):
                value = argument.removeprefix(option).removeprefix("=")
            if value:
                path = os.path.realpath(value)
                while not os.path.isdir(path):
                    path = os.path.dirname(path)
                yield path


def _caches() -> Iterator[str]:
    from ..base.private_cache import cache_directory, key_directory

    return _made(folder for folder in (cache_directory(), key_directory()) if folder is not None)


def _cache_home() -> str:
    """Where programs keep what they can make again."""
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def _made(folders: Iterable[str]) -> Iterator[str]:
    """Directories, which are made where they are not there: rules are about what is."""
    from ..base.folder import NOTHING, Folder

    for folder in folders:
        with suppress(OSError):
            Folder(folder, NOTHING).make(0o700)
        yield folder

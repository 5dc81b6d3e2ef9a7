"""What a directory of Puppet code has: the guesses behind `wherefrom init`.

Nothing is run and nothing outside the directory is read. The environment's root is known by `environment.conf`, else
`manifests/`, else a `Puppetfile`, else (a single module) `metadata.json`. Facts are looked for where people keep them.
A directory of several environments (`environments/NAME/`) is asked about the one called `production`, else the first.
A `Puppetfile` is Ruby, but nearly always literal `mod` lines; those are read as text, to say which modules it names
that no directory of the modulepath has.
"""

from __future__ import annotations

import os
import re

from .base.diagnostics import Diagnostic
from .base.host import RealHost
from .base.record import Record
from .project import FACT_SUFFIXES, nodes_of
from .puppetfile import directory_of, modules_of

_SIGNS = ("environment.conf", "manifests", "Puppetfile", "metadata.json")
_FACTS = ("facts", "factsets", "spec/factsets", "spec/facts", "test/facts", "tests/facts")
_INVENTORIES = ("inventory.yaml", "inventory.yml")
"""Beside `bolt-project.yaml`; Bolt's documentation, "Inventory files"."""
_ENVIRONMENTS = "environments"
_ENTRY = re.compile(r"^[ \t]*(\w+)[ \t]*=[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_HIERARCHY = re.compile(r"^version:\s*5\b", re.MULTILINE)


class Survey(Record):
    """What was found below `root`, all paths relative to it."""

    root: str
    sign: str | None
    modulepath: tuple[str, ...]
    absent_directories: tuple[str, ...]
    hiera: str | None
    other_hieras: tuple[str, ...]
    facts: str | None
    inventory: str | None
    nodes: tuple[str, ...]
    missing_modules: tuple[str, ...]
    environment: str = "."
    """The environment's directory; paths of its own (`modulepath`) are relative to it."""
    other_environments: tuple[str, ...] = ()
    inventory_problem: str | None = None
    """Why the inventory can not be used as it is."""


def survey(root: str) -> Survey:
    """Look at a directory."""
    host = RealHost([root])
    environment, *others = _environments(host, root)
    own_root = os.path.normpath(os.path.join(root, environment))
    sign = _sign(host, own_root)
    modulepath, absent = _modulepath(host, own_root)
    facts = next((name for name in _FACTS if _has_facts(host, os.path.join(root, name))), None)
    hieras = _hieras(host, own_root)
    inventory = next((name for name in _INVENTORIES if host.is_file(os.path.join(root, name))), None)
    own = "hiera.yaml" if host.is_file(os.path.join(own_root, "hiera.yaml")) else None
    return Survey(
        root,
        sign,
        modulepath,
        absent,
        own,
        () if own else tuple(os.path.normpath(os.path.join(environment, path)) for path in hieras),
        facts,
        inventory,
        tuple(nodes_of(os.path.join(root, facts))) if facts else (),
        missing_modules(own_root, modulepath),
        environment,
        tuple(others),
        None if inventory is None else _inventory_problem(host, os.path.join(root, inventory)),
    )


def _sign(host: RealHost, root: str) -> str | None:
    """By what the root of an environment is known."""
    return next((name for name in _SIGNS if host.kind(os.path.join(root, name)) is not None), None)


def _environments(host: RealHost, root: str) -> list[str]:
    """The environments below a directory, the one to ask about first: itself, if it is one."""
    folder = os.path.join(root, _ENVIRONMENTS)
    if _sign(host, root) is not None or not host.is_directory(folder) or os.path.islink(folder):
        return ["."]
    names = sorted(name for name in host.list_directory(folder) if not os.path.islink(os.path.join(folder, name)))
    environments = [name for name in names if _sign(host, os.path.join(folder, name)) is not None]
    environments.sort(key=lambda name: name != "production")
    return [os.path.join(_ENVIRONMENTS, name) for name in environments] or ["."]


def _inventory_problem(host: RealHost, path: str) -> str | None:
    """Why an inventory can not be used, in the words of who would read it."""
    from .targets import read_targets

    try:
        read_targets(host.source(path))
    except Diagnostic as problem:
        return problem.message.removeprefix(f"{path}: ")
    return None


def configured_modulepath(text: str) -> list[str]:
    """The entries of `modulepath` in an `environment.conf`, without the server's own (`$basemodulepath`)."""
    settings = {name: value.strip("\"'") for name, value in _ENTRY.findall(text)}
    entries = settings.get("modulepath", "modules").split(":")
    return [entry for entry in entries if entry and not entry.startswith("$")]


def missing_modules(root: str, modulepath: tuple[str, ...]) -> tuple[str, ...]:
    """Modules that the `Puppetfile` names and no directory of the modulepath has, as `author/name`."""
    host = RealHost([root])
    path = os.path.join(root, "Puppetfile")
    if not host.is_file(path):
        return ()
    text = host.source(path).text
    places = {*modulepath, directory_of(text)}
    return tuple(
        module.name
        for folder, module in modules_of(text).items()
        if not any(host.is_directory(os.path.join(root, place, folder)) for place in places)
    )


def _modulepath(host: RealHost, root: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    path = os.path.join(root, "environment.conf")
    entries = configured_modulepath(host.source(path).text) if host.is_file(path) else ["modules"]
    absent = [entry for entry in entries if not host.is_directory(os.path.join(root, entry))]
    return tuple(entries), tuple(absent)


def _has_facts(host: RealHost, path: str) -> bool:
    return host.is_directory(path) and any(name.endswith(FACT_SUFFIXES) for name in host.list_directory(path))


def _hieras(host: RealHost, root: str) -> tuple[str, ...]:
    """Files that look like a hierarchy of version 5, in the tree's upper levels."""
    candidates: list[str] = []
    folders = [("", 0)]
    while folders:
        folder, depth = folders.pop()
        for name in host.list_directory(os.path.join(root, folder)):
            below = os.path.join(folder, name)
            path = os.path.join(root, below)
            if name.startswith(".") or os.path.islink(path):
                continue
            if host.is_directory(path):
                if depth < 3:
                    folders.append((below, depth + 1))
            elif "hiera" in name and name.endswith((".yaml", ".yml")):
                text = host.source(path).text
                if _HIERARCHY.search(text) and "hierarchy:" in text:
                    candidates.append(below)
    return tuple(sorted(candidates, key=lambda path: (path.count(os.sep), path)))

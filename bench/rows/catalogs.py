"""Puppet catalogs: the example control repository, Debian's classes, two large nodes, loops, parsing.

*Command* is a whole command with an empty cache of parsed files or a filled one; of Puppet it is a Ruby process that
loads Puppet and compiles one catalog. *Cold* is one process that reads everything again for each catalog, *warm* one
that keeps its environment, as a server with its environments cached does. wherefrom keeps full provenance in all.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench import debian_classes as debian
from bench import debian_nodes
from bench.measure import Row, Side
from bench.rows.common import NOT_INSTALLED, PUPPET, ROOT, driven, lines, ours

GROUP = "Puppet: catalogs"
SAMPLE = 60
EXAMPLE = ROOT / "examples" / "control"

FILES = 'file { "/tmp/f$i": ensure => file, content => "number $i", mode => "0644" }'
LOOPS = {
    "1,000 files by each": f"Integer[1, 1000].each |$i| {{ {FILES} }}",
    "2,000 files by each": f"Integer[1, 2000].each |$i| {{ {FILES} }}",
    "4,000 files by each": f"Integer[1, 4000].each |$i| {{ {FILES} }}",
    "8,000 files by each": f"Integer[1, 8000].each |$i| {{ {FILES} }}",
    "1,000 defines with a file": (
        'define d($x) { file { "/tmp/$title": content => "$x" } }\nInteger[1, 1000].each |$i| { d { "f$i": x => $i } }'
    ),
    "1,000 files, 999 arrows": (
        'Integer[1, 1000].each |$i| { file { "/tmp/f$i": ensure => file } }\n'
        'Integer[1, 999].each |$i| { $j = $i + 1 File["/tmp/f$i"] -> File["/tmp/f$j"] }'
    ),
    "1,000 virtual resources, 10 collectors": (
        'Integer[1, 1000].each |$i| { $k = $i % 10 @file { "/tmp/f$i": ensure => file, owner => "o$k" } }\n'
        + "\n".join(f"File <| owner == 'o{k}' |> {{ mode => '060{k % 8}' }}" for k in range(10))
    ),
    "reduce over 100,000 integers": (
        '$r = Integer[1, 100000].reduce(0) |$m, $x| { ($m + $x * 3) % 1000007 }\nnotify { "$r": }'
    ),
}


def rows(scratch: Path) -> Iterator[Row]:
    """All rows of catalogs."""
    here = shutil.which("puppet") is not None
    absent = {} if here else {"Puppet": NOT_INSTALLED}
    yield from _example(scratch)
    if debian.MODULES.is_dir():
        debian.synchronized()
        yield from _debian(scratch, here, absent)
    else:
        gone = {"wherefrom": "Debian's packages puppet-module-* are not installed"}
        for name in ("Debian's classes", "Debian's nodes", "parsing"):
            yield Row(GROUP, name, {}, gone)
    for name, manifest in LOOPS.items():
        request = {"id": name, "manifest": manifest, "node": "node.example.com", "facts": {}, "modulepath": []}
        yield _beside(f"{name}, warm", [request], 4, here, absent)


def _beside(name: str, items: list[dict[str, Any]], repeat: int, here: bool, absent: Mapping[str, str]) -> Row:
    """A row of requests that both drivers understand."""
    sides = {"wherefrom": driven({**item, "kind": "puppet", "repeat": repeat} for item in items)}
    if here:
        sides["Puppet"] = Side(PUPPET, lines({**item, "repeat": repeat} for item in items), reports=True)
    return Row(GROUP, name, sides, absent)


def _example(scratch: Path) -> Iterator[Row]:
    """The example control repository from the command line, and questions about it."""
    node = ["--node", "web01.example.org"]
    mode = "File[/etc/motd].mode"
    rules = str(ROOT / "examples" / "policy" / "control.toml")
    commands = {
        "one node": ["compile", *node],
        "`explain`": ["explain", mode, *node],
        "`impact` of a fact": ["impact", "fact:os.family", *node],
        "`lookup` of a key": ["lookup", "profile::base::motd_mode", *node],
        "`set` a mode": ["set", mode, "0600", *node],
        "`policy` of all nodes": ["policy", "--rules", rules],
    }
    for name, arguments in commands.items():
        side = ours(*arguments, folder=EXAMPLE, ends=4 if "policy" in arguments else 0)
        yield Row(GROUP, f"example control repository, {name}, command", {"wherefrom": side})


def _debian(scratch: Path, here: bool, absent: Mapping[str, str]) -> Iterator[Row]:
    known = debian.recorded()
    compiled = [name for name in debian.classes() if "error" not in known.get(name, {"error": ""})]
    drawn = sorted(random.Random(1).sample(compiled, SAMPLE))
    classes = [debian.request(name) for name in drawn]
    for how in ("cold", "warm"):
        items = [{**item, "cold": how == "cold"} for item in classes]
        yield _beside(f"{SAMPLE} of Debian's classes, {how}", items, 4, here, absent)
    for name in debian_nodes.NODES:
        request = {**debian_nodes.request(name), "id": name}
        count = f"{len(debian_nodes.recorded()[name]['order']):,} resources"
        for how in ("cold", "warm"):
            items = [{**request, "cold": how == "cold"}]
            yield _beside(f"{name}, {count}, {how}", items, 4, here, absent)
        yield from _commands(scratch / name, name, request, here, absent)
    parsing = {"id": "all", "kind": "parse", "path": str(debian.MODULES), "repeat": 2}
    sides = {"wherefrom": driven([parsing]), "wherefrom, cached": driven([{**parsing, "cached": True}])}
    if here:
        command = [sys.executable, str(ROOT / "bench" / "puppet_parse.py"), str(debian.MODULES)]
        sides["Puppet"] = Side(command, reports=True)
    yield Row(GROUP, "parse the manifests of Debian's modules", sides, absent)


def _commands(folder: Path, name: str, request: dict[str, Any], here: bool, absent: Mapping[str, str]) -> Iterator[Row]:
    """The same node as a command, with an empty cache and a filled one, and what is asked about it."""
    (folder / "manifests").mkdir(parents=True)
    (folder / "manifests" / "site.pp").write_text(request["manifest"], encoding="utf-8")
    facts = folder / "facts.json"
    facts.write_text(json.dumps(request["facts"]), encoding="utf-8")
    cache = folder / "cache"
    given = [str(folder), "--node", request["node"], "--facts", str(facts), "--modulepath", str(debian.MODULES)]
    environment = {"XDG_CACHE_HOME": str(cache)}
    emptied = ours(
        "compile", "--json", *given, environment=environment, before=lambda: shutil.rmtree(cache, ignore_errors=True)
    )
    filled = ours("compile", "--json", *given, environment=environment)
    sides = {"wherefrom": filled, "wherefrom, empty cache": emptied}
    if here:
        sides["Puppet"] = Side(PUPPET, lines([request]))
    yield Row(GROUP, f"{name}, command", sides, absent)
    resources = debian_nodes.recorded()[name]["resources"]
    where = next(f"{ref}.ensure" for ref, each in resources.items() if "ensure" in (each["parameters"] or {}))
    yield Row(
        GROUP,
        f"{name}, `explain --json`, command",
        {"wherefrom": ours("explain", *given[:1], where, *given[1:], "--json", environment=environment)},
    )

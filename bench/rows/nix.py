"""Nix beside `nix-instantiate --eval --strict`: small programs, a module system, real libraries where they are given.

Whole commands, from the start of the process to the end of what they print, which must be equal. *No provenance* is the
same evaluation in a process that keeps none, *recorded* one that keeps all of it before anybody asks.

| program | what it does |
|---|---|
| Fibonacci | doubly recursive Fibonacci number 25: calls and integers |
| strict fold | over 100,000 elements, and 200,000, 400,000, 800,000 |
| updates | 2,000 updates `//` of a growing set |
| sort | 100,000 integers by a function |
| sort by a key | 20,000 sets by one of their attributes |
| 500 modules | that define 20 options each, merged by priority |
| a machine | thirty modules with four hundred options over a library in the manner of nixpkgs (3,300 lines) |

With `NIXPKGS=DIR` (a checkout of nixpkgs) options of a NixOS host are evaluated as well.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from bench import nix_modules
from bench.measure import Row, Side
from bench.rows.common import NOT_INSTALLED, driven, ours

GROUP = "Nix"
FOLD = "builtins.foldl' (sum: x: sum + x) 0 (builtins.genList (x: x) {count})"
PROGRAMS = {
    "Fibonacci": "let fib = n: if n < 2 then n else fib (n - 1) + fib (n - 2); in fib 25",
    **{f"strict fold over {count:,}": FOLD.format(count=count) for count in (100_000, 200_000, 400_000, 800_000)},
    "2,000 updates": """
let add = set: i: set // { "key${toString i}" = i; };
in builtins.length (builtins.attrNames (builtins.foldl' add { } (builtins.genList (i: i) 2000)))
""",
    "sort 100,000 integers": """
let scatter = i: i * 7919 - (i * 7919 / 100003) * 100003;
in builtins.elemAt (builtins.sort (a: b: a < b) (builtins.genList scatter 100000)) 77
""",
    "sort 20,000 sets by a key": """
let make = i: { name = "n${toString i}"; weight = i * 7919 - (i * 7919 / 10007) * 10007; };
in (builtins.elemAt (builtins.sort (a: b: a.weight < b.weight) (builtins.genList make 20000)) 77).name
""",
    "500 modules of 20 options": """
let
  range = builtins.genList (i: i);
  option = o: "option${toString o}";
  module = m: {
    config = builtins.listToAttrs (map (o: {
      name = option o;
      value = { priority = 100 - (m - (m / 7) * 7); content = m * 20 + o; };
    }) (range 20));
  };
  modules = map module (range 500);
  definitions = name: map (m: m.config.${name}) (builtins.filter (m: m.config ? ${name}) modules);
  highest = builtins.foldl' (best: d: if d.priority < best then d.priority else best) 1000;
  merge = name:
    let defs = definitions name; best = highest defs;
    in builtins.foldl' (sum: d: if d.priority == best then sum + d.content else sum) 0 defs;
in builtins.listToAttrs (map (o: { name = option o; value = merge (option o); }) (range 20))
""",
}
HOST = """
(import {nixpkgs}/nixos {{
  system = "x86_64-linux";
  configuration = {{ ... }}: {{
    boot.loader.grub.device = "/dev/sda";
    fileSystems."/".device = "/dev/sda1";
    services.nginx.enable = true;
    networking.hostName = "web01";
    networking.firewall.allowedTCPPorts = [ 443 ];
    system.stateVersion = "23.05";
  }};
}}).config.networking.firewall.allowedTCPPorts
"""


def rows(scratch: Path) -> Iterator[Row]:
    """All rows of Nix."""
    here = shutil.which("nix-instantiate") is not None
    absent = {} if here else {"Nix": NOT_INSTALLED}
    for name, program in PROGRAMS.items():
        path = scratch / f"{name.replace(',', '').replace(' ', '-')}.nix"
        path.write_text(program.strip() + "\n")
        yield Row(GROUP, name, _sides(path, here), absent)
    tree = nix_modules.write_tree(scratch / "machine")
    cache = scratch / "cache"
    environment = {"XDG_CACHE_HOME": str(cache)}
    sides = _sides(tree, here, environment)
    sides["wherefrom, empty cache"] = ours(
        *["eval", "--json", "--strict", str(tree)],
        environment=environment,
        before=lambda: shutil.rmtree(cache, ignore_errors=True),
    )
    yield Row(GROUP, "a machine of 400 options, everything it writes", sides, absent)
    option = ours("explain", str(tree), nix_modules.OPTION, environment=environment)
    yield Row(GROUP, "a machine of 400 options, `explain` one", {"wherefrom": option})
    yield _host(scratch, here, absent)


def _sides(path: Path, here: bool, environment: dict[str, str] | None = None) -> dict[str, Side]:
    """Nix, ours, and what recording costs: one process each, by its own clock, where it can be on or off."""
    more = {"environment": environment or {}}
    item = {"id": "", "kind": "nix", "path": str(path)}
    sides = {"wherefrom": ours("eval", "--json", "--strict", str(path), normal=json.loads, **more)}
    if here:
        nix = ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", "--json", str(path)]
        sides["Nix"] = Side(nix, normal=json.loads)
    sides["wherefrom, no provenance"] = driven([{**item, "trace": False}], **more)
    sides["wherefrom, recorded"] = driven([{**item, "trace": True}], **more)
    return sides


def _host(scratch: Path, here: bool, absent: dict[str, str]) -> Row:
    """A NixOS host, where nixpkgs is given."""
    name = "a NixOS host: ports of its firewall"
    nixpkgs = os.environ.get("NIXPKGS")
    if nixpkgs is None:
        return Row(GROUP, name, {}, {"wherefrom": "no checkout of nixpkgs was given (NIXPKGS=DIR)"})
    path = scratch / "host.nix"
    path.write_text(HOST.format(nixpkgs=nixpkgs))
    sides = {"wherefrom": ours("eval", "--json", "--strict", str(path), "--root", nixpkgs, normal=json.loads)}
    if here:
        nix = ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", "--json", str(path)]
        sides["Nix"] = Side(nix, normal=json.loads)
    return Row(GROUP, name, sides, absent)

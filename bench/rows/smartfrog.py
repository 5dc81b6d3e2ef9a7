"""SmartFrog beside Jsonnet: one tree of components written in both languages, in growing sizes.

The tree has prototypes, overrides, links, placements, vectors and data references; about 180 bytes of SmartFrog a
component. Both sides are whole commands, from the start of the process to the last byte of JSON text, and what they
print must be equal. wherefrom keeps provenance. Jsonnet is the C++ implementation (Python package `jsonnet`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from bench.measure import Row, Side
from bench.rows.common import driven, ours

GROUP = "SmartFrog"
SIZES = (100, 1_000, 2_000, 4_000, 8_000, 100_000)
LEVELS = ("forward", "production")
LEVEL_SIZE = 8_000
MACHINES_PER_GROUP = 20
COMPONENTS_PER_MACHINE = 3


def rows(scratch: Path) -> Iterator[Row]:
    """A row for each size, then the other levels of the language, then a question."""
    command = _jsonnet()
    absent = {} if command else {"Jsonnet": "the Python package jsonnet is not installed"}
    absent["Pkl"] = "not in Debian's packages nor a Python package"
    for size in SIZES:
        specification, program = scratch / f"{size}.sf", scratch / f"{size}.jsonnet"
        specification.write_text(smartfrog_text(size))
        program.write_text(jsonnet_text(size))
        most = ["--budget", "20", "--max-source", "50000000", "--max-size", "10000000"] if size > 10_000 else []
        sides = {"wherefrom": ours("compile", "--json", str(specification), *most, normal=json.loads)}
        if command:
            sides["Jsonnet"] = Side([*command, str(program)], normal=json.loads)
        yield Row(GROUP, f"{size:,} components", sides, absent, rounds=1 if size > 10_000 else 0)
    path = scratch / f"{LEVEL_SIZE}.sf"
    for level in LEVELS:
        yield Row(
            GROUP,
            f"{LEVEL_SIZE:,} components, level {level}",
            {"wherefrom": ours("compile", "--json", "--level", level, str(path))},
        )
    item = {"id": "", "kind": "explain", "path": str(path), "output": "group1:m3:web:running", "repeat": 4}
    yield Row(GROUP, f"explain a value of {LEVEL_SIZE:,} components", {"wherefrom": driven([item])})


def _jsonnet() -> list[str] | None:
    if shutil.which("jsonnet"):
        return ["jsonnet"]
    if find_spec("_jsonnet"):
        return [sys.executable, "-c", "import _jsonnet, sys; print(_jsonnet.evaluate_file(sys.argv[1]))"]
    return None


def smartfrog_text(components: int) -> str:
    """The tree in SmartFrog."""
    lines = [
        'Service extends { running true; user "www"; port 80; limits [16, 0.5, ["soft", true]]; restart NULL; }',
        'Machine extends { dns "ns.foo"; ntp "time.foo"; os extends { name "linux"; version 12; } reboot false; }',
        "sfConfig extends {",
    ]
    machine = 0
    while machine * COMPONENTS_PER_MACHINE < components:
        lines.append(f"  group{machine // MACHINES_PER_GROUP} extends {{")
        for number in range(MACHINES_PER_GROUP):
            prototype = "Machine" if number % 4 == 0 else f"m{number - number % 4}"
            lines += [
                f"    m{number} extends {prototype}, {{",
                f'      address "10.{machine // 65536}.{machine // 256 % 256}.{machine % 256}"; // machine {machine}',
                f'      comment "the machine number {machine}, in group {machine // MACHINES_PER_GROUP}";',
                f'      rack {machine % 40}; room "r{machine % 7}";',
                "      web extends Service, {",
                f"        port {8000 + machine % 1000}; /* not the default */",
                f'        aliases ["www{machine}.example.org", "web{machine}.example.org"];',
                f'        root "/srv/www/site-{machine}/htdocs"; weight {machine % 9}.5;',
                "      }",
                "      db extends Service, {",
                f'        port 5432; data "/var/lib/db/{machine}"; replica {"true" if number % 2 else "false"};',
                f'        user "db{machine % 100}"; size {machine * 17 % 1000};',
                "      }",
                f"      os:version {machine % 5 + 8};",
                "      backup db:data;",
                f"      refer DATA m{number}:web;",
                "    }",
            ]
            machine += 1
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def jsonnet_text(components: int) -> str:
    """The same tree in Jsonnet."""
    lines = [
        'local Service = { running: true, user: "www", port: 80, limits: [16, 0.5, ["soft", true]], restart: null };',
        'local Machine = { dns: "ns.foo", ntp: "time.foo", os: { name: "linux", version: 12 }, reboot: false };',
        "{",
    ]
    machine = 0
    while machine * COMPONENTS_PER_MACHINE < components:
        lines.append(f"  group{machine // MACHINES_PER_GROUP}: {{")
        lines.append("    local group = self,")
        for number in range(MACHINES_PER_GROUP):
            prototype = "Machine" if number % 4 == 0 else f"group.m{number - number % 4}"
            lines += [
                f"    m{number}: {prototype} {{",
                f'      address: "10.{machine // 65536}.{machine // 256 % 256}.{machine % 256}", // machine {machine}',
                f'      comment: "the machine number {machine}, in group {machine // MACHINES_PER_GROUP}",',
                f'      rack: {machine % 40}, room: "r{machine % 7}",',
                "      web: Service {",
                f"        port: {8000 + machine % 1000}, /* not the default */",
                f'        aliases: ["www{machine}.example.org", "web{machine}.example.org"],',
                f'        root: "/srv/www/site-{machine}/htdocs", weight: {machine % 9}.5,',
                "      },",
                "      db: Service {",
                f'        port: 5432, data: "/var/lib/db/{machine}", replica: {"true" if number % 2 else "false"},',
                f'        user: "db{machine % 100}", size: {machine * 17 % 1000},',
                "      },",
                f"      os+: {{ version: {machine % 5 + 8} }},",
                "      backup: self.db.data,",
                f'      refer: "$.m{number}:web",',
                "    },",
            ]
            machine += 1
        lines.append("  },")
    return "\n".join([*lines, "}"]) + "\n"

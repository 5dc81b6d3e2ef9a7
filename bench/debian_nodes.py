"""Two whole machines made of Debian's Puppet modules: a web server (LAMP), the controller of a small cloud (OpenStack).

    .venv/bin/python bench/debian_nodes.py            # against the recorded catalogs
    .venv/bin/python bench/debian_nodes.py lamp       # one of them
    .venv/bin/python bench/debian_nodes.py --record   # ask Puppet, and keep its catalogs

The manifests are `bench/debian/lamp.pp` and `bench/debian/openstack.pp`, the catalogs of Puppet 7.23 are in
`bench/debian/nodes.json.xz`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import debian_classes as debian
from bench.debian_classes import kept

from support.puppet_real import ask

RECORDED = debian.HERE / "nodes.json.xz"
NODES = ("lamp", "openstack")
FACTS = {"os_service_default": "<SERVICE DEFAULT>", "os_workers": 4, "os_package_type": "debian"}
"""What the OpenStack modules' own facts would say."""


def request(name: str) -> dict[str, Any]:
    """What is asked about a machine."""
    asked: dict[str, Any] = debian.request(name)
    asked["manifest"] = (debian.HERE / f"{name}.pp").read_text(encoding="utf-8")
    asked["facts"] = {**asked["facts"], **FACTS}
    return asked


def record() -> None:
    """Ask Puppet, and keep what it says."""
    answers = dict(zip(NODES, map(kept, ask(map(request, NODES))), strict=True))
    RECORDED.write_bytes(lzma.compress(json.dumps(answers, ensure_ascii=False).encode(), preset=9))
    for name, answer in answers.items():
        print(f"{name}: {answer.get('error') or len(answer['order'])}")


def recorded() -> dict[str, dict[str, Any]]:
    """What real Puppet said."""
    answers: dict[str, dict[str, Any]] = json.loads(lzma.decompress(RECORDED.read_bytes()))
    return answers


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("nodes", nargs="*", choices=[*NODES, []], help="only these")
    parser.add_argument("--record", action="store_true", help="ask Puppet, and keep its catalogs")
    options = parser.parse_args()
    if not debian.MODULES.is_dir():
        print(f"Debian's modules are not here: {debian.MODULES}", file=sys.stderr)
        return 2
    debian.synchronized()
    if options.record:
        record()
        return 0
    known = recorded()
    status = 0
    names = options.nodes or NODES
    for name in names:
        verdict, reason = debian.judge(debian.answer_to(request(name)), known[name])
        print(f"{name}: {len(known[name]['order'])} resources, {verdict} {reason}".rstrip())
        status |= verdict != "identical"
    return int(status)


if __name__ == "__main__":
    sys.exit(main())

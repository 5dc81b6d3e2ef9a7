"""A fleet over the example repository: nodes a second and core beside real Puppet, and what a one-line edit costs.

    python bench/fleet.py [NODES]      # 300 unless given

The generator makes nodes of every role at a hundred sites on two systems, and puts a level of data for sites into the
hierarchy, so that a line in the data of one site touches a hundredth of the nodes. All figures are processor time of
one process.
"""

from __future__ import annotations

import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path

from whence.cli.main import status_of
from whence.cli.options import read_facts
from whence.session import Session

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples/control"
SITES = 100
SYSTEMS = (("Debian", "Debian", "12"), ("RedHat", "Rocky", "9"))
ROLES = ("web", "database")


def generate(folder: Path, nodes: int) -> list[str]:
    """The example repository at `folder`, with so many nodes; their names."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("facts"))
    # Nobody decrypts here: real Puppet would need a library for it.
    hierarchy = (folder / "hiera.yaml").read_text().replace("    lookup_key: eyaml_lookup_key\n", "")
    head, mark, rest = hierarchy.partition("hierarchy:\n")
    (folder / "hiera.yaml").write_text(f'{head}{mark}  - name: site\n    path: "site/%{{facts.site}}.yaml"\n{rest}')
    for name in ("facts", "data/site"):
        (folder / name).mkdir()
    for index in range(SITES):
        (folder / f"data/site/site{index:02d}.yaml").write_text("profile::base::motd_mode: '0640'\n")
    names: list[str] = []
    for number in range(nodes):
        family, system, release = SYSTEMS[number // 2 % 2]
        role, site = ROLES[number % 2], f"site{number // 2 % SITES:02d}"
        name = f"{role}{number:05d}.{site}.example.org"
        facts = {
            "role": role,
            "site": site,
            "os": {"family": family, "name": system, "release": {"major": release, "full": release}},
            "networking": {
                "fqdn": name,
                "hostname": name.partition(".")[0],
                "ip": f"10.0.{number // 250}.{number % 250}",
            },
        }
        (folder / f"facts/{name}.json").write_text(json.dumps(facts))
        names.append(name)
    return names


def whence(*arguments: str) -> float:
    """Processor time of a command in this process."""
    begun = time.process_time()
    with redirect_stdout(io.StringIO()):
        status = status_of(list(arguments))
    assert status == 0, arguments
    return time.process_time() - begun


def alone(folder: Path, names: list[str]) -> float:
    """Seconds a node, compiled in a session and nothing else."""
    session = Session()
    facts = {name: read_facts(str(folder / "facts"), name) for name in names}
    session.compile(str(folder), node=names[0], facts=facts[names[0]])
    begun = time.process_time()
    for name in names:
        session.compile(str(folder), node=name, facts=facts[name]).document()
    return (time.process_time() - begun) / len(names)


def real_puppet(folder: Path, names: list[str]) -> float | None:
    """Seconds a node of real Puppet, warm: its best of several, over some nodes.  Nothing where it is not installed."""
    if shutil.which("puppet") is None:
        return None
    files = {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and "facts" not in path.parts and "keys" not in path.parts and path.suffix != ".toml"
    }
    manifest = files.pop("manifests/site.pp")
    requests = [
        {"id": name, "manifest": manifest, "node": name, "facts": read_facts(str(folder / "facts"), name)}
        | {"files": files, "repeat": 8}
        for name in names
    ]
    done = subprocess.run(
        ["ruby", str(ROOT / "bench/puppet_catalogs.rb")],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [answer for answer in answers if not answer["ok"]]
    assert not wrong, wrong[0]["error"]
    best: list[float] = [min(answer["seconds"][1:]) for answer in answers]
    return sum(best) / len(best)


def main() -> None:
    """Measure, and print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as temporary:
        base, head, store = Path(temporary) / "base", Path(temporary) / "head", Path(temporary) / "store"
        names = generate(base, count)
        shutil.copytree(base, head)
        puppet = real_puppet(base, names[:4])
        catalogs = alone(base, names[: min(count, 200)])
        common = ["--store", str(store), "--jobs", "1", "--facts", str(base / "facts")]
        small = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        whole = whence("fleet", "compile", str(base), *common)
        large = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        (head / "data/site/site42.yaml").write_text("profile::base::motd_mode: '0600'\n")
        difference = whence("fleet", "diff", str(base), str(head), *common)
        size = sum(path.stat().st_size for path in store.iterdir())
        print(f"{count} nodes")
        print(f"catalog alone                 {1 / catalogs:8.1f} nodes/s and core")
        print(f"fleet compile, all it stores  {count / whole:8.1f} nodes/s and core")
        if puppet is not None:
            print(f"real Puppet, warm             {1 / puppet:8.1f} nodes/s and core")
            print(f"catalog alone, ratio          {puppet / catalogs:8.1f}")
            print(f"fleet compile, ratio          {puppet * count / whole:8.1f}")
        part = f"1/{whole / difference:.1f} of a full compilation ({whole:.2f} s)"
        print(f"diff of a one-line edit       {difference:8.2f} s: {part}")
        print(f"memory                        {small:8.0f} MB before, {large:.0f} MB after")
        print(f"store                         {size / count:8.0f} bytes a node")


if __name__ == "__main__":
    main()

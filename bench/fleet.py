"""A fleet over the example repository: nodes a second and core beside real Puppet, what a one-line edit costs, memory.

    python bench/fleet.py [NODES] [--collect] [--no-questions]      # 1,000 unless given

The generator makes nodes of every role at a hundred sites on two systems, and puts a level of data for sites into the
hierarchy, so that a line in the data of one site touches a hundredth of the nodes. Every node exports its address; in
the example every node collects those of all, which would make a thousand nodes a million resources, so here nobody
does, or, with `--collect`, all nodes of a site do (real Puppet, without a database, finds its own alone).

Rates are processor time of one process in which a command was run before; those of a command in processes of its own,
with all that starting takes, stand beside them. Memory is that of the workers of a command, which are asked for it
while they run. Real Puppet compiles some of the nodes in a warm process, and must give the same catalogs.
octocatalog-diff, which starts Puppet for every node and revision, is not run: its row cites what its users tell. The
questions are asked of a store that is written for it: 1,000 nodes with 1,000 resources each.
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
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

from wherefrom.base.collector import at_rest
from wherefrom.cli.facts import read_facts
from wherefrom.cli.main import status_of
from wherefrom.fleet.questions import Questions
from wherefrom.fleet.store import TABLES, Store
from wherefrom.session import Session

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples/control"
SITES = 100
SYSTEMS = (("Debian", "Debian", "12"), ("RedHat", "Rocky", "9"))
ROLES = ("web", "database")
SAMPLE = 8
"""Nodes that real Puppet compiles, and compares."""
REPEATED = 7
"""How often something is measured; the best counts, as it does for Puppet."""


COLLECTOR = "  File <<| tag == 'lan' |>>\n"


def generate(folder: Path, nodes: int, collect: bool = False) -> list[str]:
    """The example repository at `folder`, with so many nodes; their names.  With `collect` those of a site collect."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("facts"))
    base = folder / "site/profile/manifests/base.pp"
    manifest = base.read_text()
    assert COLLECTOR in manifest
    if collect:
        manifest = manifest.replace("tag     => 'lan'", "tag     => $facts['site']")
    base.write_text(manifest.replace(COLLECTOR, COLLECTOR.replace("'lan'", "$facts['site']") if collect else ""))
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


def wherefrom(*arguments: str) -> float:
    """Processor time of a command in this process."""
    begun = time.process_time()
    with at_rest(), redirect_stdout(io.StringIO()):  # a command's own process looks for no cycles either
        status = status_of(list(arguments))
    assert status == 0, arguments
    return time.process_time() - begun


def command(*arguments: str) -> float:
    """Processor time of a command in processes of its own, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "wherefrom", *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def alone(folder: Path, names: list[str]) -> float:
    """Seconds a node, compiled in a session and nothing else."""
    session = Session()
    facts = {name: read_facts(str(folder / "facts"), name) for name in names}
    session.compile(str(folder), node=names[0], facts=facts[names[0]])
    with session.workshop.standing_still():
        session.compile(str(folder), node=names[0], facts=facts[names[0]])
        begun = time.process_time()
        for name in names:
            session.compile(str(folder), node=name, facts=facts[name]).document()
        return (time.process_time() - begun) / len(names)


def real_puppet(
    folder: Path, names: list[str], catalog: Callable[[str], dict[str, Any]] | None = None
) -> tuple[float, int] | None:
    """Seconds a node of real Puppet, warm: its best of several, over some nodes; and how many catalogs are equal.

    Ours is what `catalog` says, else what a session compiles.

    Nothing where it is not installed.
    """
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
        | {"files": files, **how}
        for name in names
        for how in ({"repeat": 8}, {})
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
    best: list[float] = [min(answer["seconds"][1:]) for answer in answers if "catalog" not in answer]
    ours = catalog or (lambda name: _catalog(folder, name))
    equal = [
        _resources(ours(answer["id"])) == _resources(answer["catalog"]) for answer in answers if "catalog" in answer
    ]
    return sum(best) / len(best), sum(equal)


def _catalog(folder: Path, name: str) -> dict[str, Any]:
    """A node's catalog, compiled in a session."""
    facts = read_facts(str(folder / "facts"), name)
    document: dict[str, Any] = Session().compile(str(folder), node=name, facts=facts).document()
    return document


def _resources(document: dict[str, Any]) -> list[Any]:
    return [[row["type"], row["title"], row["exported"], row.get("parameters", {})] for row in document["resources"]]


def memory(folder: Path, store: Path, names: list[str]) -> tuple[float, float]:
    """The most memory, in MB, that a command takes which compiles these nodes by two workers: a worker; who writes."""
    facts = folder.parent / f"facts{len(names)}"
    facts.mkdir()
    for name in names:
        shutil.copy(folder / f"facts/{name}.json", facts)
    arguments = ["fleet", "compile", str(folder), "--store", str(store), "--jobs", "2", "--facts", str(facts)]
    command = subprocess.Popen([sys.executable, "-m", "wherefrom", *arguments], stdout=subprocess.DEVNULL)
    most: dict[str, int] = {}
    own = 0
    while command.poll() is None:
        own = max(own, _high_water(str(command.pid)))
        for child in _children(command.pid):
            most[child] = max(most.get(child, 0), _high_water(child))
        time.sleep(0.02)
    assert command.returncode == 0, command.returncode
    return max(most.values()) / 1024, own / 1024


def _children(process: int) -> list[str]:
    """The processes that a process has started."""
    children: list[str] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            children += (task / "children").read_text().split()
    return children


def _high_water(process: str) -> int:
    """The most memory, in KB, that a process has had so far; nothing if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def catalogs(store: Path) -> dict[str, str]:
    """The digest of each node's catalog."""
    return {row["node"]: row["catalog"] for row in Store(str(store)).rows("nodes")}


# --- questions --------------------------------------------------------------------------------------------------------

NODES, RESOURCES, ATTRIBUTES, KINDS = 1_000, 1_000, 6, 40
LARGE = {
    "nodes": f"select 'node' || n as node, 'compiled' as status, '' as error, {RESOURCES}::integer as resources, "
    f"md5(n::varchar) as catalog, 1::bigint as own, 2::bigint as shared, 3::bigint as evidence, 1.0 as milliseconds "
    f"from range({NODES}) as nodes(n)",
    "resources": "select 'node' || n as node, 'File' as type, '/etc/file' || r as title, 'manifests/site.pp' as file, "
    f"r::integer as line, false as exported from range({NODES}) as nodes(n), range({RESOURCES}) as resources(r) "
    "order by 2, 3, 1",
    # Of a hundred values eight are those of the node's site, the others those of its role, or the same for all; one
    # node has odd ones.
    "attributes": "select 'node' || n as node, 'File' as type, '/etc/file' || r as title, "
    "'attribute' || a as attribute, case when n = 7 and r % 100 = 0 then '\"odd\"' "
    "when (n * 31 + r * 7 + a) % 100 < 8 then '\"site ' || n % 50 || '\"' when a < 3 then '\"all\"' "
    f"else '\"role ' || n % {KINDS} || '\"' end "
    f"as value, case when (n * 31 + r * 7 + a) % 100 < 8 then {10**9} + (n * {RESOURCES} + r) * {ATTRIBUTES} + a "
    f"else (n % {KINDS} * {RESOURCES} + r) * {ATTRIBUTES} + a end::bigint as dependency_set "
    f"from range({NODES}) as nodes(n), range({RESOURCES}) as resources(r), range({ATTRIBUTES}) as attributes(a) "
    "order by 2, 3, 4, 5, 1",
    "edges": f"select 'node' || n as node, 'Class[Main]' as source, 'File[/etc/file' || r || ']' as target "
    f"from range({NODES}) as nodes(n), range({RESOURCES}) as resources(r)",
    "inputs": "select i::bigint as input, "
    "case when i % 3 = 0 then 'literal' when i % 3 = 1 then 'hiera' else 'fact' end as kind, "
    "case when i % 3 = 0 then '' else 'name' || i end as name, 'manifests/file' || i % 100 || '.pp' as file, "
    '(i // 100)::integer as line, (i // 100)::integer as last_line, 1::integer as "column", false as absent '
    "from range(30000) as inputs(i)",
    "bundles": "select b::bigint as bundle, ((b + i * 17) % 30000)::bigint as input "
    "from range(30000) as bundles(b), range(20) as inputs(i)",
    "portions": "select p::bigint as portion, ((p * 13 + b * 7919) % 30000)::bigint as bundle "
    "from range(30000) as portions(p), range(4) as bundles(b)",
    "sets": "select distinct dependency_set, ((dependency_set * 7 + d * 1013) % 30000)::bigint as portion "
    "from (select distinct dependency_set from attributes), range(2) as parts(d)",
    "lookups": f"select 'node' || n as node, 'key' || k as key, (n % {KINDS} * 50 + k)::bigint as answer "
    f"from range({NODES}) as nodes(n), range(50) as keys(k)",
    "answers": "select a::bigint as answer, 0::integer as place, true as found, '\"' || a || '\"' as value, "
    "'' as module, 'role' as level, 'data/role.yaml' as file, a::integer as line "
    f"from range({KINDS * 50}) as answers(a)",
    "reads": "select 1::bigint as reads, 'content' as kind, 'manifests/site.pp' as name, 'digest' as digest",
}
"""The rows of a store with 6,000,000 attributes, by table."""


def large_store(folder: Path) -> Store:
    """A store of many large nodes, written by the database itself."""
    import duckdb

    store = Store(str(folder))
    store.key()
    database = duckdb.connect(":memory:", config={"threads": 2})
    files: dict[str, str] = {}
    for table in TABLES:
        database.execute(f"create table {table} as {LARGE[table]}")
        files[table] = f"{table}-000001-bench.parquet"
        database.execute(f"copy {table} to '{folder / files[table]}' (format parquet, compression zstd)")
    nodes = [f"node{number}" for number in range(NODES)]
    current = {"format": store.current()["format"], "generation": 1, "parts": [{"nodes": nodes, "files": files}]}
    (folder / "current.json").write_text(json.dumps(current))
    return store


def questions(folder: Path) -> list[tuple[str, float, int]]:
    """Questions to the large store: the seconds that each takes, opening the store included, and what it finds."""
    from wherefrom.fleet.answers import over_nodes

    store = large_store(folder)
    asked: dict[str, Callable[[Questions], list[Any]]] = {
        "impact hiera:name100": lambda store: store.impact("hiera:name100"),
        "where-used manifests/file1.pp:7": lambda store: store.impact("manifests/file1.pp:7"),
        "find 'File[/etc/file5*].attribute1 != x'": lambda store: store.find("File[/etc/file5*].attribute1 != x"),
        "lookup key7": lambda store: list(over_nodes(store, "key7").answers),
        "drift": lambda store: store.drift(),
        "drift --part 0.001": lambda store: store.drift(0.001),
    }
    times: list[tuple[str, float, int]] = []
    for name, ask in asked.items():
        best, rows = 1e9, 0
        for _ in range(3):
            begun = time.perf_counter()
            rows = len(ask(Questions(store)))
            best = min(best, time.perf_counter() - begun)
        times.append((name, best, rows))
    return times


def main() -> None:
    """Measure, and print a table."""
    flags = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    numbers = [int(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    count = numbers[0] if numbers else 1_000
    with tempfile.TemporaryDirectory() as temporary:
        base, head = Path(temporary) / "base", Path(temporary) / "head"
        names = generate(base, count, "--collect" in flags)
        shutil.copytree(base, head)
        (head / "data/site/site42.yaml").write_text("profile::base::motd_mode: '0600'\n")
        common = ["--jobs", "1", "--facts", str(base / "facts")]
        puppet = real_puppet(base, names[:SAMPLE])
        bare = min(alone(base, names[:100]) for _ in range(3))
        stores = [Path(temporary) / f"store.{number}" for number in range(REPEATED)]
        store, single = stores[-1], Path(temporary) / "single"
        whole = min(wherefrom("fleet", "compile", str(base), *common, "--store", str(place)) for place in stores)
        each = wherefrom("fleet", "compile", str(base), *common, "--no-share", "--store", str(single))
        assert catalogs(store) == catalogs(single)
        change = ["fleet", "diff", str(base), str(head), *common, "--store", str(store)]
        difference = min(wherefrom(*change) for _ in range(REPEATED))
        rows: list[tuple[str, float]] = [("catalog, nothing stored", 1 / bare)]
        rows += [("fleet compile --no-share", count / each), ("fleet compile", count / whole)]
        facts = ["--facts", str(base / "facts")]
        for jobs in ("1", "2"):
            places = [Path(temporary) / f"jobs{jobs}.{number}" for number in range(REPEATED)]
            arguments = ["fleet", "compile", str(base), *facts, "--jobs", jobs, "--store"]
            seconds = min(command(*arguments, str(place)) for place in places)
            rows.append((f"a command with --jobs {jobs}", count / seconds))
        started = min(command(*change) for _ in range(REPEATED))
        print(f"{count} nodes, processor time of one process")
        if puppet is not None:
            seconds, equal = puppet
            print(
                f"real Puppet, warm            {1 / seconds:8.1f} nodes/s and core; {equal} of {SAMPLE} catalogs equal"
            )
        print("octocatalog-diff (cited)          0.2 nodes/s: 4 to 5 s a node and revision by its users, not measured")
        for name, rate in rows:
            ratio = "" if puppet is None else f"{rate * puppet[0]:8.1f} x real Puppet"
            print(f"{name:28} {rate:8.1f} nodes/s and core {ratio}")
        print(f"the same catalogs with and without --no-share: {count}")
        print(
            f"diff of a one-line edit      {difference:8.2f} s: 1/{each / difference:.0f} of compiling each node "
            f"({each:.1f} s), 1/{whole / difference:.1f} of compiling all ({whole:.2f} s); "
            f"{started:.2f} s as a command"
        )
        parts = [count // 4, count // 2, count]
        most = [memory(base, Path(temporary) / f"store{part}", names[:part]) for part in parts]
        for place, who in enumerate(("a worker", "who writes")):
            told = ", ".join(f"{sizes[place]:.0f} MB with {part}" for sizes, part in zip(most, parts))
            print(f"{f'memory of {who} at most':28} {told}")
        size = sum(path.stat().st_size for path in store.iterdir())
        print(f"store                        {size / count:8.0f} bytes a node")
        if "--no-questions" in flags:
            return
        for name, seconds, found in questions(Path(temporary) / "large"):
            print(f"{name:40} {1000 * seconds:6.0f} ms, {found} rows, of {NODES} nodes x {RESOURCES} resources")


if __name__ == "__main__":
    main()

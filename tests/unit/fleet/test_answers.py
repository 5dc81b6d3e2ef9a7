"""`fleet lookup`: for every node and key, the value and the places that `wherefrom lookup` gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, write
from wherefrom.cli.main import status_of

pytest.importorskip("duckdb")

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/control"


def compiled(folder: Path, root: Path, *more: str) -> list[str]:
    """A store of an environment; the options that name both."""
    facts = ["--facts", str(root / "facts")]
    assert status_of(["fleet", "compile", str(root), *facts, "--store", str(folder / "s"), "--jobs", "1", *more]) == 0
    return facts


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The answer to a question, as JSON."""
    capsys.readouterr()
    assert status_of([*words, "--json"]) in (0, 1)
    return json.loads(capsys.readouterr().out)


def by_node(groups: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """For each node, whether a key has a value, the value, and the places it came from."""
    nodes: dict[str, tuple[Any, ...]] = {}
    for group in groups:
        for place in group.get("places", [{"nodes": group["nodes"], "from": group.get("from", [])}]):
            names = [
                name if isinstance(name, str) else f"{name['file']}:{name['line']}" if name["line"] else name["file"]
                for name in place["from"]
            ]
            nodes |= {node: (group["found"], group.get("value"), sorted(names)) for node in place["nodes"]}
    return nodes


def files_of(places: list[str]) -> set[str]:
    """The files of places."""
    return {place.partition(":")[0] for place in places} - {""}


def keys_of(capsys: pytest.CaptureFixture[str], store: Path) -> list[str]:
    """Every key that a node asked for."""
    document = answer(capsys, "fleet", "sql", "select distinct key from lookups order by 1", "--store", str(store))
    return [row[0] for row in document["rows"]]


MORE = {
    "data/common.yaml": (
        "profile::base::greeting: \"%{lookup('words.first')}\"\nprofile::base::mode: '0644'\n"
        "profile::web::port: \"%{alias('ports.web')}\"\nprofile::db::size: 10\n"
        "words:\n  first: hello\nports:\n  web: 80\n"
        "lookup_options:\n  profile::base::users: {merge: unique}\nprofile::base::users: [root]\n"
    ),
    "site/profile/hiera.yaml": (
        "version: 5\nhierarchy:\n  - {name: of the module, data_hash: yaml_data, path: own.yaml}\n"
        "  - {name: computed, lookup_key: profile::computed}\n"
    ),
    "site/profile/data/own.yaml": "profile::extra::level: low\n",
    "site/profile/functions/computed.pp": (
        "function profile::computed(String $key, Hash $options, Puppet::LookupContext $context) {\n"
        "  if $key == 'profile::extra::made' { 'made' } else { $context.not_found }\n}\n"
    ),
    "site/profile/manifests/extra.pp": (
        "class profile::extra($level, $made, $plain = 'plain', Optional $given = undef) {\n"
        "  notice(lookup('nobody::has', {default_value => 1}))\n}\n"
    ),
    "site/role/manifests/web.pp": (
        "class role::web { include profile::base\n  include profile::web\n  class { 'profile::extra': given => 1 } }\n"
    ),
}


@pytest.mark.parametrize("example", [True, False])
def test_the_same_as_lookup(tmp_path: Path, capsys: pytest.CaptureFixture[str], example: bool) -> None:
    """For merges, interpolations, aliases, levels of modules, functions and defaults of classes."""
    root = tmp_path / "c"
    if example:
        shutil.copytree(EXAMPLE, root)
    else:
        build(root, 8)
        write(root, MORE)
    facts = compiled(tmp_path, root)
    keys = keys_of(capsys, tmp_path / "s")
    assert len(keys) > 8
    for key in keys:
        own = by_node(answer(capsys, "fleet", "lookup", key, "--store", str(tmp_path / "s"))["groups"])
        every = by_node(answer(capsys, "lookup", str(root), key, "--nodes", *facts)["groups"])
        for node, (found, value, places) in own.items():
            assert (found, value) == every[node][:2], (key, node)
            assert files_of(places) == files_of(every[node][2]), (key, node)


def test_levels_and_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each value with its level, file and line; merged ones with several; functions by their level."""
    root = tmp_path / "c"
    build(root, 2)
    write(root, MORE)
    compiled(tmp_path, root)

    def told(key: str) -> list[tuple[Any, list[tuple[str, str, int]], list[str]]]:
        document = answer(capsys, "fleet", "lookup", key, "--store", str(tmp_path / "s"))
        return [
            (
                group.get("value"),
                [(place["level"], Path(place["file"]).name, place["line"]) for place in group["from"]],
                group["nodes"],
            )
            for group in document["groups"]
        ]

    assert told("profile::web::port") == [(8080, [("role", "web.yaml", 1)], ["web00.north"])]
    users = {tuple(nodes): (value, sorted(places)) for value, places, nodes in told("profile::base::users")}
    assert users[("web00.north",)] == (["root"], [("common", "common.yaml", 11)])
    assert users[("db01.north",)] == (["postgres", "root"], [("common", "common.yaml", 11), ("role", "db.yaml", 2)])
    assert told("profile::extra::level") == [("low", [("of the module", "own.yaml", 1)], ["web00.north"])]
    assert told("profile::extra::plain") == [
        ("plain", [("default of class profile::extra", "extra.pp", 1)], ["web00.north"])
    ]
    assert told("nobody::has") == [(None, [], ["web00.north"])]
    given = answer(capsys, "fleet", "lookup", "profile::extra::given", "--store", str(tmp_path / "s"))
    assert given["groups"] == [] and given["given"] == ["web00.north"]


def test_unknown_keys_parts_and_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A key that nobody asked for is told with the nearest; parts of values can be asked for; secrets are not shown."""
    root = tmp_path / "c"
    shutil.copytree(EXAMPLE, root)
    compiled(tmp_path, root)
    store = ["--store", str(tmp_path / "s")]
    capsys.readouterr()
    assert status_of(["fleet", "lookup", "nginx::worker_connection", *store]) == 1
    assert "did you mean nginx::worker_connections?" in capsys.readouterr().err
    assert status_of(["fleet", "lookup", "profile::db::settings.shared_buffers", *store]) == 0
    assert '"4GB"   1 node' in capsys.readouterr().out
    assert status_of(["fleet", "lookup", "profile::db::settings.nothing", *store]) == 1
    assert "no level has it" in capsys.readouterr().out
    assert status_of(["fleet", "lookup", "profile::db::password", *store]) == 0
    assert "(sensitive)" in capsys.readouterr().out

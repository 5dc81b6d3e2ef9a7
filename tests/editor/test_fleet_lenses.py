"""Code lenses with a fleet's store: on how many nodes a definition is used, and what may change with its lines."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from support.commands import wherefrom
from support.lsp_client import ROOT, Client

pytest.importorskip("pygls")
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

BASE = "site/profile/manifests/base.pp"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's control repository, its three nodes compiled into a store beside it."""
    folder = tmp_path_factory.mktemp("fleet") / "control"
    shutil.copytree(ROOT / "examples" / "control", folder)
    done = wherefrom("fleet", "compile", "--store", "../store", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def titles(client: Client, name: str, part: str) -> list[str]:
    """The lenses of a file by their words, once all have a part in them."""
    for _ in range(300):
        lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": client.uri(name)}})
        told = [client.request("codeLens/resolve", lens)["command"]["title"] for lens in lenses]
        if all(part in title for title in told):
            break
        time.sleep(0.2)
    return told


def reached(folder: Path, name: str, first: int, last: int) -> tuple[int, int]:
    """Resources and nodes, as `fleet impact` says it line by line."""
    resources, nodes = set(), set()
    for line in range(first, last + 1):
        told = wherefrom("fleet", "impact", f"{name}:{line}", "--store", "../store", "--json", cwd=folder)
        for row in json.loads(told.stdout)["affected"]:
            resources.add(row["path"].partition("].")[0].removesuffix("]"))
            nodes.update(row["nodes"])
    return len(resources), len(nodes)


def test_a_lens_says_how_far_a_class_reaches_in_the_fleet(compiled: Path) -> None:
    """What `fleet impact` says of its lines, in one number of resources and one of nodes."""
    with Client(compiled, "--store", "../store", options={"node": "web01.example.org"}) as client:
        for name, first in ((BASE, 6), ("site/profile/manifests/db.pp", 6), ("site/profile/manifests/wiki.pp", 6)):
            text = client.open(name)
            client.compiled(name)
            [title] = titles(client, name, "of the fleet")
            resources, nodes = reached(compiled, name, first, text.count("\n"))
            assert title.endswith(f"; {resources} resources on {nodes} of 3 nodes of the fleet"), title
        assert "resources on 1 of 3 nodes" in titles(client, "site/profile/manifests/db.pp", "fleet")[0]


def test_a_key_has_a_lens(compiled: Path) -> None:
    """Each key of the data, by its lines."""
    with Client(compiled, "--store", "../store", options={"node": "web01.example.org"}) as client:
        client.open("data/common.yaml")
        client.compiled("data/common.yaml")
        told = titles(client, "data/common.yaml", "of the fleet")
        assert len(told) == 7 and all("3 nodes of the fleet" in title for title in told)


def test_a_file_that_was_edited_since_has_counts_of_use_alone(compiled: Path, tmp_path: Path) -> None:
    """Lines of now are not those that the nodes were compiled from; who uses a class is known all the same."""
    folder = Path(shutil.copytree(compiled, tmp_path / "control"))
    assert wherefrom("fleet", "compile", "--store", "../store", cwd=folder).returncode == 0
    text = (folder / BASE).read_text()
    (folder / BASE).write_text(text.replace("# What", "#\n# What"))
    with Client(folder, "--store", "../store", options={"node": "web01.example.org"}) as client:
        client.open(BASE)
        client.compiled(BASE)
        [title] = titles(client, BASE, "of the fleet")
        assert "; used on 3 of 3 nodes of the fleet (the file was edited since" in title
        done = wherefrom("fleet", "compile", "--store", "../store", cwd=folder)
        assert done.returncode == 0, done.stderr
        [title] = titles(client, BASE, "resources")
        assert title.endswith("resources on 3 of 3 nodes of the fleet")


def test_a_definition_that_is_being_edited_has_no_lines_in_the_store(compiled: Path) -> None:
    """What was typed around it moves it; what was typed in it does not change what is saved."""
    with Client(compiled, "--store", "../store", options={"node": "web01.example.org"}) as client:
        text = client.open(BASE)
        client.compiled(BASE)
        [before] = titles(client, BASE, "of the fleet")
        for edited in (f"\n\n{text}", text.replace("enable => true", "enable => false")):
            client.change(BASE, edited)
            client.compiled(BASE)
            [after] = titles(client, BASE, "of the fleet")
            assert after.rpartition(";")[2] == before.rpartition(";")[2]


def test_an_untrusted_folder_is_told_nothing_of_a_fleet(compiled: Path) -> None:
    """Nothing is compiled there, and no store asked."""
    with Client(compiled, "--store", "../store", options={"trusted": False}) as client:
        client.open(BASE)
        params: dict[str, Any] = {"textDocument": {"uri": client.uri(BASE)}}
        assert client.request("textDocument/codeLens", params) is None

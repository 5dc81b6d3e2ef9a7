"""What the server advises beyond edits: why a class is not on the node, and modules that are not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.lsp_client import ROOT, Client

pytest.importorskip("pygls")

DB = "site/profile/manifests/db.pp"
SITE = "manifests/site.pp"


def test_a_lens_tells_why_a_class_is_not_on_the_node() -> None:
    """A click shows what `wherefrom explain --missing` says."""
    with Client(ROOT / "examples/control", options={"node": "web01.example.org"}) as client:
        client.open(DB)
        client.compiled(DB)
        [lens] = client.request("textDocument/codeLens", {"textDocument": {"uri": client.uri(DB)}})
        command = client.request("codeLens/resolve", lens)["command"]
        assert command["title"] == "not read on web01.example.org (why?)"
        assert command["arguments"][1] == "Class[profile::db]"
        params = {"command": command["command"], "arguments": command["arguments"]}
        words = client.request("workspace/executeCommand", params)
        assert "Class[profile::db] is declared in class role::database" in words
        assert "decided by fact role" in words and str(ROOT) not in words
        assert client.wait_for("window/showMessage")["message"] == words
        params["arguments"] = [command["arguments"][0], "Class[nowhere]"]
        assert "no class nowhere is defined" in client.request("workspace/executeCommand", params)


@pytest.mark.parametrize("commands", [["wherefrom/install"], []])
def test_a_module_of_the_puppetfile_is_installed_by_the_client(commands: list[str], tmp_path: Path) -> None:
    """Only a client that has the command is offered it: the server starts nothing."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "Puppetfile").write_text("mod 'puppet/nginx', '1.0.0'\n")
    (tmp_path / SITE).write_text("include nginx\n")
    (tmp_path / "environment.conf").write_text("modulepath = modules\n")
    with Client(tmp_path, options={"node": "n", "commands": commands}) as client:
        client.open(SITE)
        client.compiled(SITE)
        problems = client.last_problems(SITE)
        assert any("the Puppetfile names puppet/nginx" in problem["message"] for problem in problems)
        params: dict[str, Any] = {"textDocument": {"uri": client.uri(SITE)}, "range": problems[0]["range"]}
        fixes = client.request("textDocument/codeAction", {**params, "context": {"diagnostics": problems}})
        installing = [fix for fix in fixes if "command" in fix]
        assert [fix["title"] for fix in installing] == ["Install puppet/nginx: r10k puppetfile install"] * len(commands)
        for fix in installing:
            assert fix["command"]["command"] == "wherefrom/install"
            assert fix["command"]["arguments"] == [str(tmp_path), "r10k puppetfile install"]

"""The language server in a real editor: Neovim without a screen, with the settings that the documentation gives."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

from support.commands import ROOT

pytestmark = pytest.mark.oracle
pytest.importorskip("pygls")

BASE = "site/profile/manifests/base.pp"
SCRIPT = """
local answers, file = {}, vim.fn.getcwd() .. '/BASE'
vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local function wait(what)
  assert(vim.wait(60000, what, 20), 'nothing came')
end
local function ask(method, word, more)
  local line, column = unpack(vim.fn.searchpos(word, 'nw'))
  local here = { line = line - 1, character = column }
  local place = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = here }
  local all = vim.lsp.buf_request_sync(buffer, method, vim.tbl_extend('force', place, more or {}), 60000)
  local _, answer = next(all or {})
  return answer and answer.result
end
local status
vim.lsp.handlers['wherefrom/status'] = function(_, params) status = params end
wait(function() return status and status.state == 'ready' end)
answers.node = status.node
wait(function()
  answers.hover = ask('textDocument/hover', '\\\\$motd_mode,')
  return answers.hover.contents.value:find('```text', 1, true)  -- its history comes when there is time
end)
answers.definition = ask('textDocument/definition', '\\\\$motd_mode,')
answers.references = ask('textDocument/references', '\\\\$motd_mode,', { context = { includeDeclaration = true } })
answers.outline = ask('textDocument/documentSymbol', 'class')
local all = { start = { line = 0, character = 0 }, ['end'] = { line = 99, character = 0 } }
answers.hints = ask('textDocument/inlayHint', 'class', { range = all })
answers.highlight = ask('textDocument/documentHighlight', '\\\\$motd_mode,')
answers.completion = ask('textDocument/completion', 'content')
answers.signature = ask('textDocument/signatureHelp', "'profile/motd")
answers.symbols = ask('workspace/symbol', 'class', { query = 'ngserv' })
answers.colours = ask('textDocument/semanticTokens/full', 'class')
answers.lenses = ask('textDocument/codeLens', 'class')
answers.lens = vim.lsp.buf_request_sync(buffer, 'codeLens/resolve', answers.lenses[1], 60000)
answers.actions = ask('textDocument/codeAction', 'class', { range = all, context = { diagnostics = {} } })
answers.formatting = ask('textDocument/formatting', 'class', { options = { tabSize = 2, insertSpaces = true } })
answers.folds = ask('textDocument/foldingRange', 'class')
answers.calls = ask('textDocument/prepareCallHierarchy', 'profile::base')
answers.rename = ask('textDocument/rename', '\\\\$motd_mode,', { newName = 'mode_of_motd' })
vim.api.nvim_buf_set_text(buffer, 11, 15, 11, 19, { '' })
wait(function() return #vim.diagnostic.get(buffer) > 0 end)
local told = vim.diagnostic.get(buffer)
answers.problems = vim.tbl_map(function(it) return { it.lnum, it.col, it.message } end, told)
vim.cmd('undo')
wait(function() return #vim.diagnostic.get(buffer) == 0 end)
local out = io.open('answers.json', 'w')
out:write(vim.json.encode(answers))
out:close()
vim.cmd('qa!')
"""


def documented() -> str:
    """The settings in docs/editor.md for the Neovim that is tested."""
    page = (ROOT / "docs" / "editor.md").read_text("utf-8")
    return page.partition("Before that:\n\n```lua\n")[2].partition("```")[0]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What Neovim was told about a class."""
    editor = shutil.which("nvim")
    if editor is None:
        pytest.skip("Neovim is not installed")
    folder = tmp_path_factory.mktemp("neovim")
    control = folder / "control"
    shutil.copytree(ROOT / "examples" / "control", control)
    command = folder / "bin" / "wherefrom"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m wherefrom "$@"\n')
    command.chmod(0o755)
    (folder / "init.lua").write_text(documented())
    (folder / "script.lua").write_text(SCRIPT.replace("BASE", BASE))
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "PYTHONPATH": str(ROOT / "src")}
    scripts = ["-u", str(folder / "init.lua"), "-c", f"luafile {folder}/script.lua", "-c", "cquit"]
    ended = subprocess.run(
        [editor, "--headless", "-n", *scripts],
        cwd=control, env={**os.environ, **home, "PATH": f"{command.parent}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads((control / "answers.json").read_text())


def test_values_and_where_they_come_from(answers: Any) -> None:
    """On the first node that is known."""
    assert answers["node"] == "db01.example.org"
    shown = answers["hover"]["contents"]["value"]
    assert shown.startswith('`"0640"` on db01.example.org') and "data/os/Debian.yaml:2:27" in shown


def test_names(answers: Any) -> None:
    """Through code and data."""
    assert {place["uri"].rpartition("/")[2] for place in answers["definition"]} == {"Debian.yaml", "base.pp"}
    assert len(answers["references"]) == 3
    assert [child["name"] for child in answers["outline"][0]["children"]] == ["admins", "motd_mode", "ntp_servers"]


def test_hints(answers: Any) -> None:
    """What is drawn beside the text."""
    assert ' = "0640"' in {hint["label"] for hint in answers["hints"]}


def test_what_is_wrong_is_told_while_typing(answers: Any) -> None:
    """After a change that was not saved; it goes when the change does, for which the script waits."""
    assert [problem[:2] for problem in answers["problems"]] == [[11, 15]]


def test_every_row_of_the_table(answers: Any) -> None:
    """Each kind of question that Neovim can ask has an answer with something in it."""
    assert {mark["kind"] for mark in answers["highlight"]} == {2, 3}
    assert any(item["label"] == "content" for item in answers["completion"]["items"])
    assert answers["signature"]["signatures"][0]["label"].startswith("epp(")
    assert "nginx::server" in {symbol["name"] for symbol in answers["symbols"]}
    assert len(answers["colours"]["data"]) > 100
    [resolved] = [row["result"] for row in answers["lens"] if "result" in row]
    assert resolved["command"]["title"].startswith("reaches ")
    assert answers["actions"] == [] and answers["formatting"] == []
    assert len(answers["folds"]) > 3
    assert [item["name"] for item in answers["calls"]] == ["profile::base"]
    assert len(answers["rename"]["changes"]) == 2

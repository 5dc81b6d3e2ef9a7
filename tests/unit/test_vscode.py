"""The extension for Visual Studio Code: what its manifest names is there, and it is packed as an editor wants it."""

from __future__ import annotations

import importlib.util
import json
import re
import xml.etree.ElementTree
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text())


def test_what_the_manifest_names_is_there() -> None:
    """Grammars by their scopes, settings of languages, commands, and what the server is asked."""
    languages = {language["id"] for language in PACKAGE["contributes"]["languages"]}
    for grammar in PACKAGE["contributes"]["grammars"]:
        text = (FOLDER / grammar["path"]).read_text()
        assert json.loads(text)["scopeName"] == grammar["scopeName"] and grammar["language"] in languages
        for pattern in re.findall(r'"(?:match|begin|end)": ("(?:[^"\\]|\\.)*")', text):
            re.compile(json.loads(pattern))
    for language in PACKAGE["contributes"]["languages"]:
        assert json.loads((FOLDER / language["configuration"]).read_text())["brackets"]
    code = (FOLDER / "src/extension.ts").read_text()
    for command in PACKAGE["contributes"]["commands"]:
        assert f'"{command["command"]}"' in code
    served = (ROOT / "src/wherefrom/editor/features.py").read_text()
    asked = re.findall(r'ask\("(wherefrom/\w+)"', code)
    assert asked and all(f'server.command("{name}")' in served for name in asked)
    for name in PACKAGE["contributes"]["configuration"]["properties"]:
        assert name.startswith("wherefrom.") and "get<string" in code and name.partition(".")[2] in code
    assert "isTrusted" in code and PACKAGE["capabilities"]["untrustedWorkspaces"]["supported"] == "limited"


def test_the_package(tmp_path: Path) -> None:
    """A zip file with two manifests, the same each time."""
    spec = importlib.util.spec_from_file_location("vsix", FOLDER / "vsix.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folder = tmp_path / "vscode"
    for name in (*module.FILES, *(str(path.relative_to(FOLDER)) for path in (FOLDER / "syntaxes").iterdir())):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"" if name.startswith("dist/") else (FOLDER / name).read_bytes())
    packages = [tmp_path / "one.vsix", tmp_path / "two.vsix"]
    for package in packages:
        module.pack(folder, package)
    assert packages[0].read_bytes() == packages[1].read_bytes()
    with zipfile.ZipFile(packages[0]) as archive:
        names = set(archive.namelist())
        assert {"[Content_Types].xml", "extension.vsixmanifest", "extension/dist/extension.js"} <= names
        xml.etree.ElementTree.fromstring(archive.read("[Content_Types].xml"))
        identity = xml.etree.ElementTree.fromstring(archive.read("extension.vsixmanifest"))[0][0]
    assert identity.get("Id") == PACKAGE["name"] and identity.get("Version") == PACKAGE["version"]


def test_no_host_of_a_registry_is_named() -> None:
    """The lock has digests alone."""
    assert "resolved" not in (FOLDER / "package-lock.json").read_text()

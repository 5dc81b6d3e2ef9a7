"""Function modules and their inputs: which outputs depend on a place, and which edit made which difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from wherefrom.api import diff, impact

FILES = {
    "lib.nix": """{
  mkIf = condition: content: if condition then content else { };
  merge = builtins.foldl' (all: each: all // each) { };
}
""",
    "web.nix": """{ lib, config, ... }:
lib.merge [
  { name = "web"; port = 80; }
  (lib.mkIf config.tls { portTls = 443; })
]
""",
    "db.nix": """{ lib, config, ... }:
{
  port = 5432;
  host = "db${toString config.number}";
  size = config.number * 2;
}
""",
    "host.nix": """let
  lib = import ./lib.nix;
  call = file: import file { inherit lib config; };
  config = {
    number = 3;
    tls = true;
  };
in { web = call ./web.nix; db = call ./db.nix; }
""",
}


def write(folder: Path, **changes: tuple[str, str]) -> str:
    folder.mkdir()
    for name, text in FILES.items():
        before, after = changes.get(name.removesuffix(".nix"), ("", ""))
        (folder / name).write_text(text.replace(before, after) if before else text)
    return str(folder / "host.nix")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("host.nix:5:14", ["db.host", "db.size"]),
        ("host.nix:6:11", ["web.name", "web.port", "web.portTls"]),
        ("web.nix:4:36", ["web.portTls"]),
        ("db.nix:3:10", ["db.port"]),
        ("db.nix:1:3", []),
        ("host.nix:3:25", []),
        ("lib.nix:2:31", []),
    ],
)
def test_impact_of_a_place_in_a_function_module(tmp_path: Path, place: str, expected: list[str]) -> None:
    """A literal touches what reads it; the body of a function, where no literal stands, touches nothing."""
    path = write(tmp_path / "a")
    name, _, rest = place.partition(":")
    touched = impact(path, f"{tmp_path / 'a' / name}:{rest}")
    assert sorted(path for path, _ in touched.affected) == expected
    assert touched.unaffected == 6 - len(expected)


def test_each_edit_is_named_for_its_own_outputs(tmp_path: Path) -> None:
    """Three edits in three files."""
    changes = {"host": ("number = 3", "number = 4"), "web": ("443", "8443"), "db": ("5432", "5433")}
    comparison = diff(write(tmp_path / "a"), write(tmp_path / "b", **changes))
    blamed = {
        " ".join(edit.after_place.rpartition("/")[2] for edit in edits): sorted(each.path for each in differences)
        for edits, differences in comparison.by_edits()
    }
    assert blamed == {"host.nix:5": ["db.host", "db.size"], "db.nix:3": ["db.port"], "web.nix:4": ["web.portTls"]}

"""Small things that real repositories ran into: floats in `sprintf`, odd titles, keys with dots, paths of modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import wherefrom
from wherefrom.cli.main import wherefrom as command

FLOATS = {"2.675": "2.68", "0.025": "0.02", "1.005": "1.00", "0.005": "0.01", "2.5": "2.50", "-2.675": "-2.68"}
"""What real Puppet's `sprintf('%.2f', x)` gives: Ruby's formatting, which is not C's."""


def test_floats_are_written_as_ruby_writes_them(tmp_path: Path) -> None:
    """A remainder within a float's noise of one half goes to the even digit."""
    site = tmp_path / "site.pp"
    site.write_text("".join(f"notify {{ '{given}': message => sprintf('%.2f', {given}) }}\n" for given in FLOATS))
    outcome = wherefrom.compile(str(site))
    assert {given: outcome.select(f"Notify[{given}].message").value for given in FLOATS} == FLOATS


def test_an_integer_as_title(tmp_path: Path) -> None:
    """The resource has its name as a text, the code inside sees the integer, and it is no tag."""
    site = tmp_path / "site.pp"
    site.write_text(
        "define d() { notify { \"n${name}\": message => $title } }\ncreate_resources('d', { 8042 => {} })\n"
    )
    outcome = wherefrom.compile(str(site))
    assert outcome.select("Notify[n8042].message").value == 8042
    values = {selected.path: selected.value for selected in outcome.everything()}
    assert "8042" not in values["tags of D[8042]"] and "d" in values["tags of D[8042]"]


def test_paths_that_impact_prints_read_back(tmp_path: Path) -> None:
    """A key with a dot in it is written so that it is not taken for two."""
    site = tmp_path / "site.pp"
    site.write_text("class c($h = { 'a.b' => 'one', 'a' => { 'b' => 'two' } }) {}\ninclude c\n")
    outcome = wherefrom.compile(str(site))
    paths = [selected.path for selected in outcome.everything() if selected.path.startswith("Class[C].h")]
    values = {path: outcome.select(path).value for path in paths}
    assert sorted(value for value in values.values() if isinstance(value, str)) == ["one", "two"], values


@pytest.mark.parametrize("several", [False, True])
def test_a_module_path_may_be_a_text(several: bool, tmp_path: Path) -> None:
    """One directory, or several with colons between them; never its characters."""
    manifest = tmp_path / "modules" / "m" / "manifests" / "init.pp"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("class m { notify { 'there': } }\n")
    site = tmp_path / "site.pp"
    site.write_text("include m\n")
    path = f"{tmp_path / 'none'}:{tmp_path / 'modules'}" if several else str(tmp_path / "modules")
    outcome = wherefrom.compile(str(site), modulepath=path)
    assert any(selected.path.startswith("Notify[there]") for selected in outcome.everything())


def test_check_without_the_cache(tmp_path: Path) -> None:
    """`wherefrom check --no-cache` reads everything itself, and says the same."""
    site = tmp_path / "site.pp"
    site.write_text("notify { 'a': }\n")
    with_cache = CliRunner().invoke(command, ["check", str(site)])
    without = CliRunner().invoke(command, ["check", "--no-cache", str(site)])
    assert (without.exit_code, without.output) == (0, with_cache.output)

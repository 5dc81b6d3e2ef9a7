"""The table of functions, the registry and the manual agree with one another and with real Puppet."""

from __future__ import annotations

from pathlib import Path

import pytest

from wherefrom.puppet.functions import manual, registry, table
from wherefrom.puppet.functions.table import DIFFERS, LEGACY, MODULES, OTHERS, REFUSED

ROOT = Path(__file__).parents[3]

CURRENT = """
    abs alert all annotate any assert_type binary_file break call camelcase capitalize ceiling chomp chop compare
    contain convert_to crit debug defined dig downcase each emerg empty epp err eyaml_lookup_key filter find_file
    find_template flatten floor get getvar group_by hiera hiera_array hiera_hash hiera_include hocon_data import include
    index info inline_epp join json_data keys length lest lookup lstrip map match max min module_directory new next
    notice partition reduce regsubst require return reverse_each round rstrip scanf size slice sort split step strftime
    strip then tree_each type unique unwrap upcase values versioncmp warning with yaml_data
    """.split()
"""The functions of Puppet 7.23's current interface."""

OLD = """
    create_resources digest fail file fqdn_rand generate inline_template md5 realize sha1 sha256 shellquote sprintf tag
    tagged template
    """.split()
"""The functions that Puppet 7.23 has in its old interface alone."""


def test_all_core_functions_are_there() -> None:
    """88 of the current interface, 16 of the old one, and nothing else."""
    assert (len(CURRENT), len(OLD)) == (88, 16)
    assert table.names() == sorted([*CURRENT, *OLD, *OTHERS])
    assert sorted(LEGACY) == OLD


def test_table_is_what_the_modules_register() -> None:
    """Each function is registered by the module that the table names."""
    manual.load_all()
    for name, module in MODULES.items():
        function = table.find(name)
        assert function is not None
        bodies = {signature.body.__module__ for signature in function.signatures if signature.body is not None}
        assert bodies == {f"wherefrom.puppet.functions.{module}"}
        assert function.legacy == (name in LEGACY)
    assert sorted(registry.FUNCTIONS) == table.names()


def test_finding() -> None:
    """Names may begin with `::`; unknown ones are nothing."""
    assert table.find("::join") is table.find("join")
    assert table.find("no_such_function") is None


def test_refused_functions_are_functions() -> None:
    """The lists of refused and different functions name functions."""
    assert set(REFUSED) | set(DIFFERS) <= set(MODULES)


@pytest.mark.parametrize("name", table.names())
def test_manual_page(name: str) -> None:
    """Every function says what it does and shows an example."""
    assert len(manual.description(name)) > 20
    assert manual.examples(name)


def test_manual_is_up_to_date() -> None:
    """`docs/puppet-functions.md` is what `python -m wherefrom.puppet.functions.manual` prints."""
    assert (ROOT / "docs" / "puppet-functions.md").read_text(encoding="utf-8") == manual.manual()


def test_signatures_are_puppets() -> None:
    """A signature's text is taken apart into parameters."""
    signature = registry.Signature("Array $a, Pattern[/^[GEIM]*$/] $b?, Any *$c, Callable[1,1] &$d?", None, {})
    assert [(each.name, each.type_text, each.kind) for each in signature.parameters] == [
        ("a", "Array", "required"),
        ("b", "Pattern[/^[GEIM]*$/]", "optional"),
        ("c", "Any", "repeated"),
    ]
    assert (signature.least, signature.most, signature.block_required) == (1, None, False)
    with pytest.raises(ValueError, match="not a signature"):
        registry.Signature("Array", None, {})

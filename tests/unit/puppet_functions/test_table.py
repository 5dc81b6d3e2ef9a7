"""The table of functions, the registry and the manual agree with one another and with real Puppet."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.puppet_requests import answer
from wherefrom.puppet.functions import manual, registry, table
from wherefrom.puppet.functions.table import MODULES

ROOT = Path(__file__).parents[3]

FUNCTIONS = manual.every_function()
REFUSED = [function.name for function in FUNCTIONS if function.refuses]
DIFFERS = [function.name for function in FUNCTIONS if function.differs]

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
    others = [function.name for function in FUNCTIONS if function.home]
    assert table.names() == sorted([*CURRENT, *OLD, *others])
    assert [function.name for function in FUNCTIONS if function.legacy] == OLD


def test_table_is_what_the_modules_register() -> None:
    """Each function is registered by the module that the table names."""
    manual.load_all()
    for name, module in MODULES.items():
        function = table.find(name)
        assert function is not None
        bodies = {signature.body.__module__ for signature in function.signatures if signature.body is not None}
        assert bodies == {f"wherefrom.puppet.functions.{module}"}
    assert sorted(registry.FUNCTIONS) == table.names()


def test_finding() -> None:
    """Names may begin with `::`; unknown ones are nothing."""
    assert table.find("::join") is table.find("join")
    assert table.find("no_such_function") is None


REFUSALS = {
    "eyaml_lookup_key": ("eyaml_lookup_key('a', {}, undef)", "eyaml"),
    "generate": ("generate('/bin/echo', 'a')", "runs no programs"),
}
"""A call of each function that refuses, and what the error says."""
DIFFERENCES = {
    "annotate": (["annotate(Integer, 1)"], "expects a Type"),
    "reverse_each": (["$x = [1, 2].reverse_each", "$x.map |$y| { $y }", "$x.map |$y| { $y }"], "[2, 1]"),
    "scanf": (["scanf('a 1', '%s %d')"], "['a', 1]"),
    "slice": (["[1, 2, 3, 4, 5].step(2).slice(2)"], "[[1, 3], [5]]"),
    "sprintf": (["sprintf('%.0e', 2.5)"], "2e+00"),
    "tree_each": (["[Array[Integer]].tree_each.map |$x| { $x }"], "[[[], [Array[Integer]]], [[0], Array[Integer]]]"),
}
"""What each function that differs gives here, as the row says, or the error."""


@pytest.mark.parametrize("name", REFUSED)
def test_a_function_that_is_said_to_refuse_refuses(name: str) -> None:
    """The rows of the manual are run."""
    code, words = REFUSALS[name]
    reply = answer({"manifest": f"notice({code})"})
    assert not reply["ok"] and words in reply["error"]["message"]


@pytest.mark.parametrize("name", DIFFERS)
def test_a_function_that_is_said_to_differ_does_so(name: str) -> None:
    """Here it is as the row says; how Puppet does it is in the live comparison's known differences."""
    (*before, last), wanted = DIFFERENCES[name]
    reply = answer({"manifest": "\n".join([*before, f"$last = {last}", "notice(String($last))"])})
    told = reply["logs"][-1][1] if reply["ok"] else reply["error"]["message"]
    assert wanted in told


def test_nothing_else_is_said_to_refuse_or_differ() -> None:
    """Each row has a call that shows it."""
    assert set(REFUSALS) == set(REFUSED) and set(DIFFERENCES) == set(DIFFERS)


def test_templates_are_rendered() -> None:
    """ERB is Ruby, which runs here: the manual names no function for it that refuses."""
    erb = {"modules/m/templates/t.erb": "<%= 1 + 1 %>"}
    for code in ("template('m/t.erb')", "inline_template('<%= 1 + 1 %>')"):
        assert answer({"manifest": f"notice({code})", "files": erb})["logs"][-1][1] == "2"


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

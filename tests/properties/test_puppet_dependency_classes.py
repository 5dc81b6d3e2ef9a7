"""One small program for each way in which a dependency is easily lost: absences, data, effects, computed names, types.

Each row is a manifest, an output and the inputs that it must be said to depend on, written as `wherefrom impact` writes
them (`fact:nope`), or as literals in quotes or digits; `KEY@FILE` is a key of the data at one file.
"""

from __future__ import annotations

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends, evaluate_term, expression, hidden
from wherefrom.provenance.impact import parse_target
from wherefrom.provenance.origins import Leaf
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.saved import restore, save

HIERA = """version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: all, path: common.yaml}
"""
FACTS = {"os": {"family": "Debian"}, "role": "web"}


def compiled(site: str, **files: str) -> PuppetOutcome:
    """The outcome of an environment; keys of `files` have `/` as `__` and `.` as `_dot_`."""
    tree = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    host = PureHost({"env/manifests/site.pp": site, "env/hiera.yaml": HIERA, **tree})
    settings = {"strict": "off", "storeconfigs": True}
    return LANGUAGE.run("env", host, Inputs("web1", FACTS, {"settings": settings}))


def named(leaf: Leaf) -> set[str]:
    """The ways to write an input."""
    if leaf.kind == "literal":
        return {leaf.span.text if leaf.span is not None else ""}
    return {f"{leaf.kind}:{leaf.name}", f"{leaf.name}@{leaf.file.removeprefix('env/data/')}"}


ABSENT_FACTS = [
    ("if $facts['nope'] { $m = 'yes' } else { $m = 'no' } notify { 'a': message => $m }", "fact:nope"),
    ("notify { 'a': message => get($facts, 'nope', 'd') }", "fact:nope"),
    ("notify { 'a': message => dig($facts, 'os', 'nope') =~ Undef }", "fact:os.nope"),
    ("notify { 'a': message => getvar('facts.nope', 'd') }", "fact:nope"),
    ("notify { 'a': message => $nope =~ Undef }", "fact:nope"),
    ("notify { 'a': message => $nope =~ Undef }", "classifier:nope"),
    ("notify { 'a': message => \"${facts}\" }", "fact:"),
    ("notify { 'a': message => join(keys($facts)) }", "fact:"),
    ("notify { 'a': message => lookup('filled') }", "fact:nope"),
]
DATA = [
    ("class c($k = 'dflt') { notify { 'a': message => $k } } include c", "c::k@common.yaml"),
    ("class c($k = 'dflt') { notify { 'a': message => $k } } include c", "fact:os.family"),
    ("class c($k = 'dflt') { notify { 'a': message => $k } } include c", "file:env/data/os/Debian.yaml"),
    ("class c($k = 'dflt') { notify { 'a': message => $k } } include c", "file:env/hiera.yaml"),
    ("class k($v = 'dflt') { notify { 'a': message => $v } } include k", "lookup_options@common.yaml"),
    ("notify { 'a': message => lookup('miss', Any, undef, 'd') }", "miss@common.yaml"),
    ("notify { 'a': message => lookup('miss', { 'default_value' => 'd' }) }", "miss@common.yaml"),
    ("notify { 'a': message => lookup('miss') |$k| { 'd' } }", "miss@common.yaml"),
    ("notify { 'a': message => lookup(['miss', 'k1']) }", "miss@common.yaml"),
    ("notify { 'a': message => lookup('h.z', Any, undef, 'd') }", "h.z@common.yaml"),
    ("notify { 'a': message => lookup('through') }", "miss@common.yaml"),
    ("class n($p = 'd') { notify { 'a': message => $p } } include n", "n::p@common.yaml"),
    ("notify { 'a': message => file('m/missing', 'm/there') }", "file:env/modules/m/files/missing"),
]
STATE = [
    ("$x = 1 if $x == 2 { notify { 'n': } } if !defined(Notify['n']) { notify { 'a': message => 's' } }", "1"),
    ("$x = 1 if $x == 2 { $q = 1 } notify { 'a': message => defined('$q') }", "1"),
    ("$x = 1 class t { if $x == 2 { tag('t1') } if !tagged('t1') { notify { 'a': } } } include t", "1"),
    ("$x = 1 define d { notify { 'a': } } @d { 'i': } if $x == 1 { realize(D['i']) }", "1"),
    ("$x = 'v' define d($p = 1) { notify { 'a': message => $p } } d { 'i': } D <| title == $x |> { p => 2 }", "'v'"),
    ("node 'web1' { include c } node 'web2' { class { 'c': p => 2 } } "
     "class c($p = 1) { notify { 'a': message => $p } }", "node:name"),
    ("$x = 1 notify { 'b': } if $x == 2 { tag('never') } notify { 'a': tag => 'never' } "
     "Notify <| tag == 'never' |> { message => 'm' }", "'never'"),
    ("notify { 'a': message => 'm' } class t { tag('x') notify { 'b': } } include t "
     "Notify <| tag == 'x' |> { message => 'n' }", "'x'"),
]  # fmt: skip
NAMES = [
    ("$k = 'b' include $k class b { } class { 'c': } class c($p = 1) { notify { 'a': message => $p } }", None),
    ("$k = 'b' class { $k: } class b { } include c class c($p = 1) { notify { 'a': message => $p } }", "'b'"),
    (
        "function f($n) { if $n == 1 { include b } } f(2) class b { $v = 1 } notify { 'a': message => $b::v =~ Undef }",
        "2",
    ),
    ("$t = 'notify' Resource[$t] { 'a': message => 'm' }", "'notify'"),
    (
        "$k = 'b' create_resources('class', { $k => {} }) class b { } include c "
        "class c($p = 1) { notify { 'a': message => $p } }",
        "'b'",
    ),
    ("$k = 'b' $k.include class b { $v = 1 } class c { $v = 2 } notify { 'a': message => $c::v =~ Undef }", "'b'"),
    ("$v = 1 notify { 'a': message => getvar('v') }", "'v'"),
    ("notify { 'a': message => call('upcase', 'x') }", "'upcase'"),
    (
        "$x = 1 $y = $x ? { 2 => include(b), default => 3 } class b { $v = 1 } "
        "notify { 'a': message => $b::v =~ Undef }",
        "1",
    ),
]
TYPES = [
    ("notify { 'a': message => assert_type(Enum['x', 'y'], 'x') |$e, $g| { 'no' } }", "'y'"),
    ("type Port = Integer[1, 10] notify { 'a': message => 5 =~ Port }", "10"),
    ("notify { 'a': message => epp('m/t.epp', { 'b' => undef }) }", "undef"),
    ("function f($p = 'd') { $p } notify { 'a': message => f(*split('', ',')) }", "','"),
    ("notify { 'a': message => Hash([['x', 1], ['y', 2]])['x'] }", "'y'"),
    ("notify { 'a': message => [1, 2].map |$i| { if $i == 9 { break() } $i } }", "9"),
    ("notify { 'a': message => inline_epp('text') }", "'text'"),
]  # fmt: skip
FILES = {
    "env__data__common_dot_yaml": "k1: one\nk::v: found\nh: {a: 1}\nfilled: '%{facts.nope}'\nn::p: ~\n"
    "through: \"<%{lookup('miss')}>\"\ngone: \"%{alias('miss')}\"\n",
    "env__modules__m__files__there": "there",
    "env__modules__m__templates__t_dot_epp": "<%- | $b = 'd' | -%>\n<%= $b %>",
}


@pytest.mark.parametrize(("site", "wanted"), [*ABSENT_FACTS, *DATA, *STATE, *NAMES, *TYPES])
def test_nothing_is_lost(site: str, wanted: str | None) -> None:
    """The input is among those that the output depends on, and `impact` says so too."""
    outcome = compiled(site, **FILES)
    selected = outcome.select("Notify[a]" if "notify { 'a': }" in site else "Notify[a].message")
    found = set().union(*map(named, depends(selected.origin)))
    assert wanted is None or wanted in found, sorted(found)
    kind = (wanted or "").partition(":")[0]
    if kind in ("fact", "classifier", "file", "node"):
        affected = outcome.impact(str(wanted)).affected
        assert any(path.startswith("Notify[a]") for path, _ in affected)


def test_a_class_that_was_not_chosen_depends_on_the_choice_for_its_place_alone() -> None:
    """`include $k` could have declared any class: its tags and the order depend on `$k`, its parameters do not."""
    outcome = compiled("$k = 'b' include $k class b { } include c class c($p = 1) { notify { 'a': message => $p } }")
    paths = ("Notify[a].message", "tags of Notify[a]", "order", "classes")
    texts = {path: {text for leaf in depends(outcome.select(path).origin) for text in named(leaf)} for path in paths}
    assert "'b'" not in texts["Notify[a].message"]
    assert all("'b'" in texts[path] for path in paths[1:])


def test_a_class_may_be_contained_after_it_was_declared() -> None:
    """`contain` of a computed name could have named it, and given it the tags of what holds it."""
    outcome = compiled(
        "class a { notify { 'a': } } class b { } include a define d($k) { contain($k) } d { 'i': k => 'b' }"
    )
    assert "'b'" in {text for leaf in depends(outcome.select("tags of Notify[a]").origin) for text in named(leaf)}


def test_edges_of_containment_can_be_asked_about() -> None:
    """`contain` and `stage` decide where a class stands."""
    outcome = compiled(
        "$x = 1 class o { if $x == 1 { contain i } } class i { } include o stage { 'pre': before => Stage['main'] } "
        "class s { } class { 's': stage => 'pre' }"
    )
    contained = outcome.explain("Class[O] contains Class[I]")
    assert any(leaf.span is not None and leaf.span.text == "1" for leaf in contained.depends)
    assert outcome.explain("Class[o] contains class[i]").path == contained.path  # as people write it
    staged = outcome.explain("Stage[pre] contains Class[S]")
    assert any(leaf.span is not None and leaf.span.text == "'pre'" for leaf in staged.depends)


def test_arrows_to_a_query_owe_to_the_query_and_to_the_tags_that_it_asks_for() -> None:
    """Both decide which resources the arrow leads to; so does a tag that was not given."""
    outcome = compiled(
        "$x = 1 notify { 'a': } if $x == 2 { notify { 'd': tag => 'first' } } notify { 'c': tag => 'second' } "
        "notify { 'b': tag => 'first' } Notify['a'] -> Notify <| tag == 'first' |>"
    )
    edge = depends(outcome.select("Notify[a] -> Notify[b]").origin)
    texts = [leaf.span.text for leaf in edge if leaf.span is not None]
    assert texts.count("'first'") == 2, texts
    value = {text for leaf in depends(outcome.select("Notify[a].before[0]").origin) for text in named(leaf)}
    assert {"'first'", "'second'", "2"} <= value


def test_the_options_that_data_gives_for_a_key_are_inputs() -> None:
    """`merge` and `convert_to`, and those that another file does not give."""
    outcome = compiled(
        "notify { 'a': message => lookup('k')['y'] } notify { 'b': message => lookup('n') }",
        env__data__common_dot_yaml="k: {y: 1}\nn: 7\nlookup_options: {k: {merge: hash}, n: {convert_to: String}}\n",
        env__data__os__Debian_dot_yaml="k: {x: 2}\n",
    )
    for path, option in (("Notify[a].message", "k.merge"), ("Notify[b].message", "n.convert_to")):
        inputs = {text for leaf in depends(outcome.select(path).origin) for text in named(leaf)}
        assert f"hiera:lookup_options.{option}" in inputs
        assert "lookup_options@os/Debian.yaml" in inputs


def test_an_element_of_merged_hashes_owes_to_its_absence_above() -> None:
    """The key at the level above, which has a hash without it, could have given another value."""
    outcome = compiled(
        "notify { 'a': message => lookup('k', Hash, 'hash')['y'] }",
        env__data__common_dot_yaml="k: {y: 1}\n",
        env__data__os__Debian_dot_yaml="k: {x: 2}\n",
    )
    inputs = {text for leaf in depends(outcome.select("Notify[a].message").origin) for text in named(leaf)}
    assert "k.y@os/Debian.yaml" in inputs


def test_a_file_that_a_pattern_would_find_is_an_input() -> None:
    """A level with a `glob` depends on all that its directory could have; asking about such a file says so."""
    hiera = "version: 5\nhierarchy: [{name: more, glob: 'more/*.yaml'}, {name: all, path: common.yaml}]\n"
    outcome = compiled(
        "notify { 'a': message => lookup('k') }", env__hiera_dot_yaml=hiera, env__data__common_dot_yaml="k: 1\n"
    )
    assert "file:env/data/more" in {
        text for leaf in depends(outcome.select("Notify[a].message").origin) for text in named(leaf)
    }
    affected = [path for path, _ in outcome.impact("file:env/data/more/new.yaml", absent=True).affected]
    assert "Notify[a].message" in affected


def test_leaves_do_not_collide() -> None:
    """Two templates given as texts are two inputs, and so is a key that two files do not have."""
    outcome = compiled("notify { 'a': message => inline_epp('one') } notify { 'b': message => inline_epp('two') }")
    one, two = (depends(outcome.select(f"Notify[{name}].message").origin) for name in "ab")
    assert {leaf.name for leaf in one if leaf.key in {leaf.key for leaf in two}} == {"env/environment.conf"}
    outcome = compiled("notify { 'a': message => lookup('miss', Any, undef, 1) }",
                       env__data__common_dot_yaml="{}", env__data__os__Debian_dot_yaml="{}")  # fmt: skip
    missed = [leaf for leaf in depends(outcome.select("Notify[a].message").origin) if leaf.name == "miss"]
    assert sorted(leaf.file for leaf in missed) == ["env/data/common.yaml", "env/data/os/Debian.yaml"]


def test_a_saved_outcome_has_the_text_of_each_template() -> None:
    """Of two templates given as texts, each output names its own, and shows its own text."""
    outcome = compiled("notify { 'a': message => inline_epp('one') } notify { 'b': message => inline_epp('two') }")
    saved = restore(save(outcome))
    for name, own, other in (("a", "one", "two"), ("b", "two", "one")):
        leaves = depends(saved.select(f"Notify[{name}].message").origin)
        texts = {leaf.span.text for leaf in leaves if leaf.span is not None}
        assert {own, f"'{own}'"} <= texts and not {other, f"'{other}'"} & texts


def test_the_inside_of_a_define_owes_to_what_realized_it() -> None:
    """A define that is virtual and realized under a condition: what it declares, and the values there."""
    outcome = compiled(
        "$x = 1 define d($p) { notify { 'a': message => $p } } @d { 'i': p => 2 } if $x == 1 { realize(D['i']) }"
    )
    for path in ("Notify[a]", "Notify[a].message"):
        assert "1" in {text for leaf in depends(outcome.select(path).origin) for text in named(leaf)}, path


def test_a_class_that_a_computed_name_could_have_declared_is_missed_because_of_it() -> None:
    """`include $k`: that the class it does not name is absent depends on `$k`."""
    outcome = compiled(
        "$k = 'b' include $k class b { } class c { } notify { 'a': message => String(defined(Class['c'])) }"
    )
    assert "'b'" in {text for leaf in depends(outcome.select("Notify[a].message").origin) for text in named(leaf)}


def test_what_was_found_first_hides_what_stands_below() -> None:
    """Lower levels, and the default of the parameter."""
    outcome = compiled(
        "class c($k = 'dflt') { notify { 'a': message => $k } } include c",
        env__data__common_dot_yaml="c::k: low",
        env__data__os__Debian_dot_yaml="c::k: high",
    )
    covered = [each.value for each in hidden(outcome.select("Notify[a].message").origin)]
    assert outcome.select("Notify[a].message").value == "high" and covered == ["'dflt'", "low"]


def test_an_alias_of_nothing_is_an_empty_text_in_its_formula_too() -> None:
    """`%{alias('missing')}` is ''."""
    outcome = compiled("notify { 'a': message => lookup('gone') }", **FILES)
    selected = outcome.select("Notify[a].message")
    assert selected.value == evaluate_term(expression(selected.origin), outcome.apply) == ""


def test_impact_says_when_there_is_no_such_input() -> None:
    """A line, fact or key that is not there; a part or a whole of one that is counts."""
    outcome = compiled("notify { 'a': message => \"${facts['os']['family']}${lookup('deep.x')}\" }",
                       env__data__common_dot_yaml="deep:\n  x: 1\nother: 2\n")  # fmt: skip
    for there in ("fact:os", "fact:os.family", "fact:os.family.x", "hiera:deep", "hiera:deep.x",
                  "env/data/common.yaml:1", "env/data/common.yaml:2", "file:env/data/common.yaml"):  # fmt: skip
        parse_target(there)
        assert outcome.impact(there).is_known, there
    for nowhere in ("fact:nonexist", "env/manifests/site.pp:9999", "hiera:other", "env/data/common.yaml:3"):
        assert not outcome.impact(nowhere, absent=True).is_known, nowhere


def test_what_stands_in_for_a_query_owes_to_what_it_found() -> None:
    """Had the query found nothing, the arrow behind it would begin before it, and the list there be another."""
    outcome = compiled(
        "notify { 'b': } -> Notify <| tag == 'v' |> ~> notify { 'e': } notify { 'm': tag => 'v' } notify { 'z': } "
        "Notify['b'] ~> Notify['z']"
    )
    assert outcome.select("Notify[b].notify[0]").value == "Notify[z]"
    texts = {text for leaf in depends(outcome.select("Notify[b].notify[0]").origin) for text in named(leaf)}
    assert "'v'" in texts


KINDS_OF_LOSS: dict[str, tuple[object, ...]] = {
    "absent facts, and the set of facts": (ABSENT_FACTS,),
    "keys that no level has": (DATA,),
    "options of keys": (test_the_options_that_data_gives_for_a_key_are_inputs,),
    "elements that a level above does not have": (test_an_element_of_merged_hashes_owes_to_its_absence_above,),
    "files that a pattern would find, or that come first": (test_a_file_that_a_pattern_would_find_is_an_input, DATA),
    "leaves that collide": (test_leaves_do_not_collide, test_a_saved_outcome_has_the_text_of_each_template),
    "state of the catalog that is absent": (STATE, test_the_inside_of_a_define_owes_to_what_realized_it),
    "arrows to queries": (
        test_arrows_to_a_query_owe_to_the_query_and_to_the_tags_that_it_asks_for,
        test_what_stands_in_for_a_query_owes_to_what_it_found,
    ),
    "containment": (test_edges_of_containment_can_be_asked_about, test_a_class_may_be_contained_after_it_was_declared),
    "computed names": (
        NAMES,
        test_a_class_that_was_not_chosen_depends_on_the_choice_for_its_place_alone,
        test_a_class_that_a_computed_name_could_have_declared_is_missed_because_of_it,
    ),
    "types, templates, jumps": (TYPES,),
    "formulas of what is absent": (test_an_alias_of_nothing_is_an_empty_text_in_its_formula_too,),
    "values that are covered": (test_what_was_found_first_hides_what_stands_below,),
    "questions about what is no input": (test_impact_says_when_there_is_no_such_input,),
}
"""Every way in which a dependency was once lost, with its cases."""


def test_every_case_belongs_to_a_kind_of_loss() -> None:
    """The table has all rows and tests of this file."""
    listed = {id(case) for cases in KINDS_OF_LOSS.values() for case in cases}
    tests = [case for name, case in globals().items() if name.startswith("test_")]
    rows = [ABSENT_FACTS, DATA, STATE, NAMES, TYPES]
    own = (test_nothing_is_lost, test_every_case_belongs_to_a_kind_of_loss)
    assert all(rows) and [case for case in (*rows, *tests) if id(case) not in listed and case not in own] == []

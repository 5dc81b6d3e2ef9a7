"""Every place that a key is looked for on one node, each asked by itself."""

from __future__ import annotations

from typing import Any

import pytest

from support.puppet_dependency_programs import World
from support.site_worlds import compiled, site_world
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import hidden
from wherefrom.provenance.ladder import Ladder
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome

FILES = {
    "hiera.yaml": """version: 5
hierarchy:
  - {name: Node, path: "nodes/%{trusted.certname}.yaml"}
  - {name: Role, path: "role/%{facts.role}-%{facts.role}.yaml"}
  - {name: Computed, lookup_key: m::data}
  - {name: Common, path: common.yaml}
""",
    "data/role/web-web.yaml": "m::port: 8080\ntree:\n  a: {x: 1}\nlist: [b]\nfilled: 'in %{facts.role}'\n",
    "data/common.yaml": """lookup_options:
  tree: {merge: deep}
  list: {merge: unique}
  m::password: {convert_to: Sensitive}
  '^secret': {convert_to: [Sensitive]}
  empty: {merge: unique}
m::port: 80
tree:
  a: {y: 2}
  b: [3, {c: 4}]
list: [a, b]
empty: []
m::password: hunter2
secret: hunter3
nothing: ~
only: 5
""",
    "modules/m/manifests/init.pp": "class m($port = 1, $level = 2, $password = 'x', $own = 0) { }",
    "modules/m/functions/data.pp": """function m::data(String $key, Hash $options, Puppet::LookupContext $context) {
  $key ? { 'computed' => 1, 'm::port' => 443, 'bad' => fail('no luck'), default => $context.not_found() }
}
""",
    "modules/m/hiera.yaml": """version: 5
hierarchy:
  - {name: Own, path: own.yaml}
default_hierarchy:
  - {name: Last, path: last.yaml}
""",
    "modules/m/data/own.yaml": "m::port: 1024\nm::own: 6\n",
    "modules/m/data/last.yaml": "m::port: 1\nm::level: 7\nm::own: 8\n",
}


def outcome(site: str = "include m", files: dict[str, str] | None = None, **options: Any) -> PuppetOutcome:
    tree = {f"env/{name}": text for name, text in {**FILES, "manifests/site.pp": site, **(files or {})}.items()}
    return LANGUAGE.run("env", PureHost(tree), Inputs("web01", {"role": "web"}, options))


def rungs(ladder: Ladder) -> list[tuple[str, str, Any]]:
    """The name of each level, what became of it and what it said."""
    return [(rung.level, rung.status, rung.value) for rung in ladder.rungs]


def test_every_level_is_asked() -> None:
    """Also those behind the one that has the value; a module's default hierarchy, and the class's own, come last."""
    ladder = outcome().lookup("m::port")
    assert (ladder.value, ladder.has_value, ladder.merge, ladder.read) == (8080, True, "first", True)
    assert rungs(ladder) == [
        ("Node", "no file", None),
        ("Role", "chosen", 8080),
        ("Computed", "hidden", 443),
        ("Common", "hidden", 80),
        ("Own", "hidden", 1024),
        ("Last", "hidden", 1),
        ("class m", "hidden", "1"),
    ]
    assert [rung.layer for rung in ladder.rungs] == [*["environment"] * 4, "module", "module default", "class"]
    assert ladder.elements == () and ladder.filled == () and ladder.options is None and not ladder.secret


def test_places_and_why_a_file_is_read() -> None:
    """Each input that its name is made from, once."""
    node, role, computed, common = outcome().lookup("m::port").rungs[:4]
    assert role.file == "env/data/role/web-web.yaml" and role.span is not None and role.span.place.endswith(":1:10")
    assert [(leaf.kind, leaf.name) for leaf in role.because] == [("fact", "role")]
    assert [(leaf.kind, leaf.name) for leaf in node.because] == [("trusted", "certname")]
    assert node.file == "env/data/nodes/web01.yaml" and node.span is None
    assert (computed.file, computed.because) == ("", ())
    assert common.span is not None and common.span.line == 7


def test_a_default_hierarchy_counts_where_nothing_else_says() -> None:
    assert rungs(outcome().lookup("m::level"))[-2:] == [("Last", "chosen", 7), ("class m", "hidden", "2")]
    assert rungs(outcome().lookup("m::own"))[-3:] == [
        ("Own", "chosen", 6),
        ("Last", "hidden", 8),
        ("class m", "hidden", "0"),
    ]


def test_a_merged_value() -> None:
    """Each of the levels has a part in it; the smallest parts are told with their places."""
    ladder = outcome().lookup("tree")
    assert ladder.value == {"a": {"x": 1, "y": 2}, "b": [3, {"c": 4}]}
    assert (ladder.merge, ladder.options) == ("deep", {"merge": "deep"})
    assert ladder.options_span is not None and ladder.options_span.line == 2
    assert [status for _, status, _ in rungs(ladder)] == ["no file", "merged", "no key", "merged"]
    places = {
        element.path: (element.value, element.span.place if element.span else None) for element in ladder.elements
    }
    assert places == {
        "a.x": (1, "env/data/role/web-web.yaml:3:10"),
        "a.y": (2, "env/data/common.yaml:9:10"),
        "b[0]": (3, "env/data/common.yaml:10:7"),
        "b[1].c": (4, "env/data/common.yaml:10:14"),
    }
    role = ladder.rungs[1]
    assert role.span is not None and role.span.line == 3, "of a composite, the first of its elements"


def test_the_merge_that_is_asked_for_wins() -> None:
    assert outcome().lookup("tree", "first").value == {"a": {"x": 1}}
    assert outcome().lookup("tree", "first").merge == "first"
    assert outcome().lookup("list").value == ["b", "a"]
    assert outcome().lookup("list", "first").elements == ()
    asked = outcome("lookup('list', { 'merge' => 'first' })")
    assert asked.lookup("list").value == ["b"], "as the program asked"


def test_an_empty_value_is_its_own_smallest_part() -> None:
    (element,) = outcome().lookup("empty").elements
    assert (element.path, element.value) == ("", [])


def test_into_a_value() -> None:
    """A key with a path: each level is asked for the part."""
    ladder = outcome().lookup("tree.a")
    assert ladder.value == {"x": 1, "y": 2}
    assert rungs(ladder)[1] == ("Role", "merged", {"x": 1}) and rungs(ladder)[3] == ("Common", "merged", {"y": 2})
    assert [status for _, status, _ in rungs(outcome().lookup("tree.nope"))] == [
        "no file",
        "no key",
        "no key",
        "no key",
    ]


def test_what_is_filled_in_is_told() -> None:
    ladder = outcome().lookup("filled")
    assert ladder.value == "in web"
    assert [(leaf.kind, leaf.name) for leaf in ladder.filled] == [("fact", "role")]
    assert outcome().lookup("only").filled == ()


def test_a_key_that_nobody_asks_for_and_one_that_no_level_has() -> None:
    assert outcome().lookup("only").read is False
    assert outcome().lookup("only").read is False, "our own question is none of the program's"
    nothing = outcome().lookup("nope")
    assert (nothing.has_value, nothing.value) == (False, None)
    assert [status for _, status, _ in rungs(nothing)] == ["no file", "no key", "no key", "no key"]
    null = outcome().lookup("nothing")
    assert (null.has_value, null.value, null.rungs[-1].status) == (True, None, "chosen")


@pytest.mark.parametrize("key", ["m::password", "secret"])
def test_a_secret(key: str) -> None:
    """Whatever is converted to one."""
    ladder = outcome().lookup(key)
    assert ladder.secret and "hunter" not in str(ladder.to_json())
    assert outcome().lookup("only").secret is False


def test_encrypted_data_is_a_secret() -> None:
    files = {
        "hiera.yaml": "version: 5\nhierarchy:\n  - {name: E, path: e.yaml, lookup_key: eyaml_lookup_key}\n",
        "data/e.yaml": "k: ENC[PKCS7,AAAA]\nclear: 1\n",
    }
    sealed = outcome(files=files)
    assert sealed.lookup("k").secret and not sealed.lookup("clear").secret
    assert sealed.lookup("clear").rungs[0].words == ""


def test_a_level_that_fails() -> None:
    """What went wrong there is told, and the others are asked."""
    fine = outcome("", files={"data/role/web-web.yaml": "bad: 0\n"})
    ladder = fine.lookup("bad")
    assert rungs(ladder)[1] == ("Role", "chosen", 0)
    assert ladder.rungs[2].status == "failed" and "no luck" in ladder.rungs[2].words
    assert rungs(ladder)[3] == ("Common", "no key", None)


def test_a_backend_of_hiera_3() -> None:
    files = {"env/manifests/site.pp": "", "global/hiera.yaml": ":backends: [nope, yaml]\n:hierarchy: [common]\n"}
    inputs = Inputs("web01", {}, {"hiera_config": "global/hiera.yaml"})
    ladder = LANGUAGE.run("env", PureHost(files), inputs).lookup("k")
    assert (ladder.rungs[0].layer, ladder.rungs[0].level, ladder.rungs[0].status) == ("global", "nope", "failed")
    assert ladder.rungs[0].words == "a backend of Hiera 3, which is never asked"


def test_every_key_of_the_data() -> None:
    """Of files that this node reads, each with its place; what is said about keys is none."""
    keys = {(key.key, key.file.rpartition("/")[2], key.span.line if key.span else 0) for key in outcome().data_keys()}
    assert keys == {
        ("m::port", "web-web.yaml", 1), ("tree", "web-web.yaml", 3), ("list", "web-web.yaml", 4),
        ("filled", "web-web.yaml", 5), ("m::port", "common.yaml", 7), ("tree", "common.yaml", 9),
        ("list", "common.yaml", 11), ("empty", "common.yaml", 12), ("m::password", "common.yaml", 13),
        ("secret", "common.yaml", 14), ("nothing", "common.yaml", 15), ("only", "common.yaml", 16),
    }  # fmt: skip
    assert len(outcome().data_keys()) == 12


def test_a_file_that_two_levels_read_is_told_once() -> None:
    hiera = "version: 5\nhierarchy:\n  - {name: A, paths: [x.yaml, nope.yaml]}\n  - {name: B, path: x.yaml}\n"
    twice = outcome("", files={"hiera.yaml": hiera, "data/x.yaml": "k: 1\n2: no text\n"})
    assert [key.key for key in twice.data_keys()] == ["k"]


def test_where_the_data_is() -> None:
    """Directories of levels that read files, as far as they are known before a run."""
    hiera = """version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: A, path: a.yaml}
  - {name: B, path: b.yaml, datadir: other/../more}
  - {name: C, path: c.yaml, datadir: "%{role}"}
  - {name: D, lookup_key: m::data}
"""
    assert set(outcome("", files={"hiera.yaml": hiera}).data_directories()) == {"env/data", "env/more"}


def test_a_lower_level_without_parts_hides_none() -> None:
    """Nobody asked it for a part: that it has none is told by who is asked for what is hidden, and is no failure."""
    sites = {"site00": {"h": {"a": {"b": "seen"}}}}
    more = {"data/common.yaml": "h: text\n", "data/role/web.yaml": "h: {a: {b: below}}\n"}
    files = site_world("notify { 'x': message => lookup('h.a.b') }", sites, more)
    outcome = compiled(World(files, {"site": "site00", "role": "web"}, "n1", {}, {}))
    assert outcome is not None
    origin = next(output.origin for output in outcome.outputs() if output.path == "Notify[x].message")
    assert [value.value for value in hidden(origin)] == ["below"]


@pytest.mark.parametrize("extension", ["", "  :extension: yml\n"])
def test_hiera_3_reads_eyaml(extension: str) -> None:
    """As Puppet does where hiera-eyaml is installed; names that `hiera` is given as an override end as the backend."""
    ending = "yml" if extension else "eyaml"
    levels = ":backends: [eyaml, yaml]\n:hierarchy: [common]\n"
    files = {
        "env/manifests/site.pp": "",
        "global/hiera.yaml": f"{levels}:eyaml:\n  :datadir: data\n{extension}:yaml:\n  :datadir: data\n",
        f"global/data/common.{ending}": "a: plain\nh: {x: 1}\ns: ENC[PKCS7,AAAA]\n",
        "global/data/common.yaml": "a: hidden\nb: below\nh: {y: 2}\n",
        "global/data/over.eyaml": "a: over\n",
        f"global/data/over.{'no' if extension else 'other'}": "a: wrong\n",
    }
    host = PureHost(files)
    inputs = Inputs("web01", {}, {"hiera_config": "global/hiera.yaml"})
    whole = LANGUAGE.run("env", host, inputs)
    assert [whole.lookup(key).value for key in ("a", "b", "s")] == ["plain", "below", "<secret s>"]
    rung = whole.lookup("a").rungs[0]
    assert (rung.layer, rung.level, rung.file, rung.status) == (
        "global",
        "eyaml",
        f"global/data/common.{ending}",
        "chosen",
    )
    asked = "notice(hiera('a', '-', 'over'), lookup('h', Hash, 'hash'))"
    outcome = LANGUAGE.run("env", PureHost({**files, "env/manifests/site.pp": asked}), inputs)
    assert "over {y => 2, x => 1}" in [log.message for log in outcome.logs]

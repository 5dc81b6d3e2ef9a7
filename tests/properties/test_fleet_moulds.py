"""A fleet compiled with moulds is the fleet compiled node by node: every row of every table, reads and sets included.

Over edits of a small fleet with roles, sites, systems, data, templates in EPP and ERB, functions, types and defines.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, FILES, build, edited, write
from support.moulds import invocation_for
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.fleet.compiling import Worker, compile_fleet
from wherefrom.fleet.exports import ExportsFile
from wherefrom.fleet.moulds import Moulds
from wherefrom.fleet.rounds import Exchange
from wherefrom.fleet.store import Store
from wherefrom.provenance.export import Exporter

pytest.importorskip("pyarrow")


def results(root: Path, nodes: list[str], alone: bool) -> tuple[list[Any], int]:
    """What a worker gives for each node, with sets by content; how many nodes were compiled."""

    invocation = invocation_for(root)
    side = invocation.side(str(root), b"key")
    moulds = None if alone else Moulds(lambda node: invocation.inputs(str(root), node, trace=True)[2])
    compiled = 0

    def run(node: str, reads: Any) -> Any:
        nonlocal compiled
        compiled += 1
        return invocation.run(str(root), node, trace=True, reads=reads, ledger=not alone)

    worker = Worker(run, side, moulds)
    rows: list[Any] = []
    inputs: dict[int, Any] = {}
    bundles: dict[int, set[Any]] = {}
    portions: dict[int, set[Any]] = {}
    sets: dict[int, set[Any]] = {}
    reads: dict[int, set[Any]] = {}
    with invocation.standing_still(str(root)):
        for node in nodes:
            result = worker.result(node)
            for number, *row in result.get("inputs", ()):
                inputs[number] = tuple(row)
            for number, members in result.get("bundles", ()):
                bundles.setdefault(number, set()).update(members)
            for number, members in result.get("portions", ()):
                portions.setdefault(number, set()).update(*(bundles[member] for member in members))
            for number, members in result.get("sets", ()):
                sets.setdefault(number, set()).update(*(portions[member] for member in members))
            for number, entries in result["reads"]:
                reads.setdefault(number, set()).update(entries)
            rows.append(result)
    told = []
    for result in rows:
        columns = result.get("attributes", ())
        attributes = [[*row[:4], {inputs[member] for member in sets[row[4]]}] for row in zip(*columns)]
        evidence = reads.get(result["evidence"], set())
        others = [result.get(name) for name in ("ok", "message", "resources", "edges", "lookups", "catalog")]
        told.append([attributes, evidence, others, *(reads.get(result[name], set()) for name in ("own", "shared"))])
    return told, compiled


def compare(directory: Path, edits: int, count: int) -> tuple[int, int]:
    """How many nodes were looked at, and how many of them were compiled with moulds."""
    looked = compiled = 0
    files = dict(FILES)
    chance = random.Random(edits)
    for number in range(edits):
        root = directory / f"edit{number}"
        nodes = build(root, count)
        for name in FILES:
            if name not in files:
                (root / name).unlink()
        write(root, files)
        alone, _ = results(root, nodes, alone=True)
        moulded, runs = results(root, nodes, alone=False)
        for node, one, other in zip(nodes, alone, moulded):
            assert one[:3] == other[:3], (number, node)
            (own, shared), read = one[3:], other[3] | other[4]  # what several nodes read is told as shared
            assert own <= read <= own | shared, (number, node)  # whoever is compiled later shares with more
        looked += len(nodes)
        compiled += runs
        files = dict(FILES) if chance.random() < 0.3 else files
        files, _ = edited(files, chance)
    return looked, compiled


def test_edits_of_a_fleet(tmp_path: Path) -> None:
    looked, compiled = compare(tmp_path, 6, 16)
    assert looked == 96 and compiled < looked, (looked, compiled)


@pytest.mark.soak
def test_edits_of_a_fleet_for_long(tmp_path: Path) -> None:
    looked, compiled = compare(tmp_path, 500, 24)
    assert looked == 12_000 and compiled < looked / 2, (looked, compiled)


# --- whole stores, with what nodes export to each other -------------------------------------------------------------


def store_of(root: Path, nodes: list[str], folder: Path, share: bool) -> tuple[int, Any]:
    """How many compilations a store took, and everything that is in it, with sets by content."""
    store = Store(str(folder))
    invocation = invocation_for(root)
    exchange = Exchange.of_store(store.path)
    side = invocation.side(str(root), b"key")
    moulds = Moulds(lambda node: invocation.inputs(str(root), node, trace=True)[2]) if share else None
    compiled = 0

    def run(node: str, reads: Any) -> Any:
        nonlocal compiled
        compiled += 1
        more: dict[str, Any] = {"exports": exchange, "storeconfigs": True, "ledger": share}
        return invocation.run(str(root), node, trace=True, reads=reads, **more)

    with invocation.standing_still(str(root)):
        try:
            compile_fleet(store, nodes, run, side, 1, exchange=exchange, moulds=moulds)
        except Diagnostic as problem:
            return compiled, type(problem)
    return compiled, content(store)


def content(store: Store) -> Any:
    """Every table of a store, with sets, answers and reads by content; what is exported, with its history."""
    inputs = {number: row for number, *row in store.tuples("inputs")}
    sets: dict[int, set[Any]] = {}
    bundles: dict[int, set[Any]] = {}
    for number, member in store.tuples("bundles"):
        bundles.setdefault(number, set()).add(tuple(inputs[member]))
    portions: dict[int, set[Any]] = {}
    for number, member in store.tuples("portions"):
        portions.setdefault(number, set()).update(bundles[member])
    for number, member in store.tuples("sets"):
        sets.setdefault(number, set()).update(portions[member])
    answers: dict[int, list[Any]] = {}
    for number, *row in store.tuples("answers"):
        answers.setdefault(number, []).append(row)
    reads: dict[int, set[Any]] = {}
    for number, *row in store.tuples("reads"):
        reads.setdefault(number, set()).add(tuple(row))
    snapshot, _ = ExportsFile(store.path).snapshot()
    exported = []
    for node, exports in sorted(snapshot.nodes.items()):
        told: list[Any] = []
        for sent in exports.rows:
            exporter = Exporter()
            resource = snapshot.origins.exported(exports, sent)
            told.append([exporter.row(origin) for origin in (resource.existence, *resource.origins.values())])
            told.append(exporter.document())
        exported.append([node, exports.rows, exports.chained, told])
    nodes = []
    shared: set[Any] = set()
    for node, *told, own, beside, evidence, _ in store.tuples("nodes"):
        shared |= reads.get(beside, set())
        read = reads.get(own, set()) | reads.get(beside, set())
        nodes.append([node, *told, read, sorted(reads.get(evidence, ()))])
    return {
        "shared": shared,
        "nodes": sorted(nodes, key=lambda row: row[0]),
        "resources": sorted(store.tuples("resources")),
        "edges": sorted(store.tuples("edges")),
        "attributes": sorted((*row[:5], sorted(map(repr, sets.get(row[5], ())))) for row in store.tuples("attributes")),
        "lookups": sorted((node, key, repr(sorted(answers[number]))) for node, key, number in store.tuples("lookups")),
        "exports": exported,
    }


def different(one: Any, other: Any) -> Any:
    """The first rows that two stores do not have in common; nobody was made from another in the first.

    What is read for all nodes at once is more for who is compiled later, and does not count.
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        return None if one == other else (one, other)
    for row in (*one["nodes"], *other["nodes"]):
        row[5] -= one["shared"]
    for table, rows in one.items():
        if table == "shared":
            continue
        if rows != other[table]:
            pairs = [(row, there) for row, there in zip(rows, other[table]) if row != there]
            return table, len(rows), len(other[table]), pairs[:1]
    return None


SENDING = {
    **EXPORTING,
    "site/profile/manifests/lan.pp": (
        "class profile::lan(String $address, Array $collects) {\n"
        "  if $facts['role'] == 'web' {\n"
        "    @@profile::peer { $trusted['certname']: address => $address, tag => $facts['site'] }\n"
        '    @@file { "/etc/keys/${trusted[\'certname\']}": content => "${address}\\n", tag => key }\n'
        "  } else {\n    Profile::Peer <<| tag == 'north' |>>\n"
        "    File <<| tag == key and mode != '0600' |>> { mode => '0400' }\n  }\n}\n"
    ),
}
"""The same fleet, in which some nodes export and others collect."""


def compare_stores(folder: Path, whole: dict[str, str], edits: int, count: int, seed: int = 4) -> tuple[int, int, int]:
    """How many nodes were looked at, and how many compilations that took without moulds and with them."""
    looked = alone = shared = 0
    chance = random.Random(seed)
    files = dict(whole)
    for number in range(edits):
        root = folder / f"edit{number}"
        nodes = build(root, count)
        for name in FILES:
            if name not in files:
                (root / name).unlink()
        write(root, files)
        runs, one = store_of(root, nodes, folder / f"alone{number}", share=False)
        alone += runs
        runs, other = store_of(root, nodes, folder / f"shared{number}", share=True)
        shared += runs
        assert different(one, other) is None, (seed, number, different(one, other))
        looked += len(nodes)
        files = dict(whole) if chance.random() < 0.3 else files
        files, _ = edited(files, chance)
        for directory in (root, folder / f"alone{number}", folder / f"shared{number}"):
            shutil.rmtree(directory)
    return looked, alone, shared


def test_stores_of_nodes_that_export_or_collect(tmp_path: Path) -> None:
    looked, alone, shared = compare_stores(tmp_path, SENDING, 3, 16)
    assert looked == 48 and shared < 0.8 * alone, (looked, alone, shared)


def test_stores_of_nodes_that_export_and_collect(tmp_path: Path) -> None:
    looked, _, _ = compare_stores(tmp_path, EXPORTING, 1, 8)
    assert looked == 8


@pytest.mark.soak
def test_stores_of_nodes_that_export_for_long(tmp_path: Path) -> None:
    looked, alone, shared = compare_stores(tmp_path, SENDING, 250, 16)
    assert looked == 4_000 and shared < 0.8 * alone, (looked, alone, shared)


EXPORTS = {
    "a title that is a tag": "@@user { $trusted['certname']: home => $facts['ip'] }",
    "a title with parts": "@@notify { \"a::${facts['ip']}\": message => 'x' }",
    "a title that is a class's name": "@@notify { $facts['site']: message => $facts['ip'] }",
    "tags of the site": "@@notify { $trusted['certname']: message => 'x', tag => ['a', $facts['site']] }",
    "a path with an alias": "@@file { \"/srv/${facts['ip']}/\": ensure => directory }",
    "a name of its own": "@@notify { 'all': name => $facts['ip'], message => upcase($facts['ip']) }",
    "arrays and hashes": "@@notify { $facts['ip']: message => ['a', { 'b' => $facts['ip'] }], noop => true }",
    "a define around it": "define d() { @@notify { \"in ${title}\": } }\nd { $trusted['certname']: }",
    "overridden": "class a { @@notify { 'n': message => $facts['ip'] } }\nclass b inherits a {\n"
    "  Notify['n'] { message => 'b' } }\ninclude b",
    "a default": "Notify { message => $facts['ip'] }\n@@notify { $facts['ip']: }",
    "sensitive": "@@notify { $facts['ip']: message => Sensitive(\"s ${facts['ip']}\"), withpath => true }",
    "by a test": "if $facts['ip'] =~ /1/ { @@notify { 'one': } } else { @@notify { 'none': } }",
    "collected here": "@@notify { $facts['ip']: message => 'x' }\nNotify <<| title == $facts['ip'] |>>",
    "collected by all": "@@notify { $facts['ip']: tag => 'lan' }\nNotify <<| tag == 'lan' |>>",
    "collected by the others": "if $facts['site'] == 'a' { @@notify { $facts['ip']: tag => 'lan' } }\n"
    "else { Notify <<| tag == 'lan' |>>\n  file { '/x': content => $facts['ip'] } }",
    "data, collected at another site": "$z = lookup('z', { default_value => 'none' })\n"
    "if $facts['which'] == 'site' { @@notify { $facts['ip']: message => $z, tag => 'lan' } }\n"
    "else { Notify <<| tag == 'lan' |>>\n  file { '/x': content => $z } }",
    "data": "@@notify { $facts['ip']: message => lookup('k', { default_value => 'none' }) }",
    "a template": "@@notify { $facts['ip']: message => inline_template('<%= @ip %> <%= @site %>') }",
    "a number": "@@notify { \"${facts['count']}\": message => $facts['count'] }",
    "a whole fact": "@@notify { 'n': message => $facts['os'] }",
}
"""What nodes export, in ways that are easily got wrong when a node is made from another one."""


ENEMIES = {
    "a number by the node's name": "notify { \"${fqdn_rand(100)} ${fqdn_rand(9, $facts['ip'])}\": }",
    "an absent fact": "notify { 'n': message => \"${facts['none']} ${facts['maybe']}\" }",
    "a test of an absent fact": "if $facts['maybe'] { notify { $facts['maybe']: } } else { notify { 'no': } }",
    "the order of a hash": "$facts['os'].each |$key, $value| { notify { $key: message => $value } }",
    "all of a hash": "notify { 'n': message => $facts['os'] }",
    "a number and its text": "notify { 'n': message => $facts['count'] }\nnotify { \"${facts['count']}\": }",
    "a type": "class c(Variant[Integer, Enum['1']] $count) { notify { 'c': message => $count } }\n"
    "class { 'c': count => $facts['count'] }",
    "a type that fails": "class c(Pattern[/\\A10/] $ip) { notify { 'c': message => $ip } }\n"
    "class { 'c': ip => $facts['ip'] }",
    "some fail": "if $facts['site'] == 'b' { fail(\"no ${facts['ip']}\") }\nnotify { $facts['ip']: }",
    "sensitive": "notify { 'n': message => Sensitive(\"pass ${facts['ip']}\") }\nnotify { \"pass ${facts['ip']}\": }",
    "deferred": "notify { 'n': message => Deferred('inline_epp', [\"x ${facts['ip']}\"]) }",
    "a template by variables": "notify { 'n': message => inline_template('<%= @ip %> <%= scope[\"site\"] %>') }",
    "a template that looks up": "notify { 'n': message => inline_template('<%= scope.lookupvar(\"::ip\") %>') }",
    "a template with a test": "notify { 'n':\n  message => inline_template('<% if @ip =~ /1/ %>one"
    "<% else %>none<% end %>') }",
    "a template that asks for all": "notify { 'n': message => inline_template('<%= scope.to_hash.keys.sort.join %>') }",
    "a template of templates": "$x = inline_template('<%= @ip.upcase %>')\n"
    "notify { 'n': message => inline_template('<%= @x %>!') }",
    "virtual": "@notify { $facts['ip']: message => 'x' }\nrealize(Notify[$facts['ip']])",
    "virtual, by a collector": "@notify { $facts['ip']: tag => 'a' }\n"
    "Notify <| tag == 'a' |> { message => $facts['site'] }",
    "what a pattern captures": "if $facts['ip'] =~ /(\\d+)\\Z/ { notify { \"last ${1}\": } }",
    "a selector": "notify { 'n': message => $facts['ip'] ? { /7/ => 'seven', default => $facts['ip'] } }",
    "a comparison": "notify { 'n': message => $facts['ip'] > 'b' }",
    "a length": "notify { 'n': message => size($facts['ip']) }",
    "a key of its own": "notify { 'n': message => lookup(\"k_${facts['ip']}\", { default_value => 'none' }) }",
    "data with a fact in it": "notify { 'n': message => lookup('mixed') }",
    "a class by its name": "class a { notify { 'a': } }\nclass b { notify { 'b': message => $facts['ip'] } }\n"
    "if $facts['site'] != 'notify' { include $facts['site'] }",
    "whether something is defined": "notify { $facts['ip']: }\nif defined(Notify['10.0.0.7']) { notify { 'seven': } }",
    "two titles that meet": "notify { $facts['ip']: }\nnotify { 'default': message => 'x' }",
    "a relationship": "notify { $facts['ip']: }\nnotify { 'after': require => Notify[$facts['ip']] }",
    "an array of titles": "notify { [$facts['ip'], \"b ${facts['ip']}\"]: }",
    "a define": 'define d($x) { notify { "${title} ${x}": message => $name } }\n'
    "d { $facts['ip']: x => $facts['site'] }",
    "names of facts": "notify { 'n': message => $facts.keys.sort.join(' ') }",
    "a variable by its name": "notify { 'n': message => getvar(\"facts.${facts['which']}\") }",
    "a digest": "notify { 'n': message => md5($facts['ip']) }",
    "a text with an escape": "notify { \"a\\n${facts['ip']}\": message => @(\"E\"/L)\n  x ${facts['ip']}\n  | E\n}",
}
"""Manifests that are easily got wrong when a node is made from another one."""


@pytest.mark.parametrize("manifest", [*EXPORTS.values(), *ENEMIES.values()], ids=[*EXPORTS, *ENEMIES])
def test_what_is_easily_got_wrong(tmp_path: Path, manifest: str) -> None:
    root = tmp_path / "environment"
    hierarchy = "[{name: node, path: 'nodes/%{trusted.certname}.yaml'}, {name: site, path: 'site/%{facts.site}.yaml'}]"
    write(
        root,
        {
            "manifests/site.pp": f"{manifest}\n",
            "hiera.yaml": f"version: 5\ndefaults: {{datadir: data, data_hash: yaml_data}}\nhierarchy: {hierarchy}\n",
            "data/site/a.yaml": "k: of a\nmixed: 'at %{facts.ip} of %{trusted.certname}'\n",
            "data/site/b.yaml": "\n# and\nk: of a\nk_10.0.0.7: seven\nmixed: 'at %{facts.ip} of %{trusted.certname}'\n",
            "data/site/notify.yaml": "mixed: 'no %{facts.ip}'\n",
        },
    )
    nodes: list[str] = []
    for number, (site, ip, count) in enumerate(
        [("a", "10.0.0.1", 1), ("a", "10.0.0.2", 2), ("b", "10.0.0.3", "1"), ("b", "a::notify", 2),
         ("notify", "host", 1), ("a", "default", 1), ("b", "10.0.0.7", 1)]
    ):  # fmt: skip
        nodes.append(f"n{number}.example.org")
        system = {"name": "x", "release": ip} if number % 2 else {"release": ip, "name": "x"}
        facts = {"site": site, "ip": ip, "count": count, "os": system, "which": "ip" if number % 3 else "site"}
        facts |= {"maybe": f"perhaps {number}"} if number > 2 else {}
        write(root, {f"facts/{nodes[-1]}.yaml": json.dumps(facts)})
    _, one = store_of(root, nodes, tmp_path / "alone", share=False)
    _, other = store_of(root, nodes, tmp_path / "shared", share=True)
    assert different(one, other) is None, different(one, other)

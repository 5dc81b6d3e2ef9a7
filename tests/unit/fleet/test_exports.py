"""Exported resources between nodes: what a collector finds, where it came from, and rounds that end where they must."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, edited, facts_files, write
from wherefrom.base.diagnostics import Diagnostic, UsageError
from wherefrom.cli.facts import read_facts
from wherefrom.fleet.compiling import FleetSummary, compile_fleet
from wherefrom.fleet.exports import ExportsFile, Row, matches
from wherefrom.fleet.place import EXPORTS
from wherefrom.fleet.rounds import Exchange, NeverSettles
from wherefrom.fleet.store import Store
from wherefrom.fleet.traces import DigestedSnapshot
from wherefrom.language import Inputs, Outcome
from wherefrom.provenance.extract import where
from wherefrom.session import Session


class Fleet:
    """An environment with nodes, and a store of it."""

    def __init__(self, folder: Path, files: dict[str, str], nodes: tuple[str, ...] = ()) -> None:
        self.root = folder / "environment"
        self.store = folder / "store"
        self.root.mkdir(parents=True, exist_ok=True)
        write(self.root, files)
        write(self.root, {f"facts/{node}.yaml": "role: any\n" for node in nodes})

    @property
    def nodes(self) -> list[str]:
        """Those that have facts."""
        return sorted(name.removesuffix(".yaml") for name in os.listdir(self.root / "facts"))

    def compile(self, store: Path | None = None, processes: int = 1, nodes: list[str] | None = None) -> FleetSummary:
        """Bring the store up to date."""
        place = Store(str(store or self.store))
        exchange, session = Exchange.of_store(place.path), Session()
        answers = session.answers(str(self.root), Inputs(None, {}, {}))
        side = DigestedSnapshot(answers, lambda node: (self.root / "facts" / f"{node}.yaml").read_bytes(), place.key())

        def run(node: str, reads: Any) -> Outcome:
            facts = read_facts(str(self.root / "facts"), node)
            return session.compile(
                str(self.root), node=node, facts=facts, trace=True, reads=reads, exports=exchange, storeconfigs=True
            )

        return compile_fleet(place, nodes or self.nodes, run, side, processes, nodes is None, exchange=exchange)

    def outcome(self, node: str) -> Outcome:
        """One node, with what the others export."""
        exchange = Exchange.of_store(str(self.store))
        facts = read_facts(str(self.root / "facts"), node)
        return Session().compile(
            str(self.root), node=node, facts=facts, trace=True, exports=exchange, storeconfigs=True
        )

    def rows(self, table: str, store: Path | None = None) -> list[tuple[Any, ...]]:
        """Rows of a table, in order."""
        return sorted(Store(str(store or self.store)).tuples(table), key=repr)

    def state(self, store: Path | None = None) -> dict[str, Any]:
        """Everything that a store says about the nodes: values, exports."""
        snapshot, _ = ExportsFile(str(store or self.store)).snapshot()
        return {
            "nodes": [(row[0], row[1], row[2], row[4]) for row in self.rows("nodes", store)],
            "attributes": self.rows("attributes", store),
            "resources": self.rows("resources", store),
            "edges": self.rows("edges", store),
            "lookups": self.rows("lookups", store),
            "exports": {node: exports.content() for node, exports in snapshot.nodes.items() if not exports.is_empty},
        }

    def values(self, path: str) -> dict[str, Any]:
        """The value of an output on each node that has it."""
        type_name, _, rest = path.partition("[")
        title, _, attribute = rest.partition("]")
        return {
            node: json.loads(value)
            for node, kind, name, of, value in self.rows("attributes")
            if (kind, name, of) == (type_name, title, attribute.removeprefix("."))
        }


def site(manifest: str) -> dict[str, str]:
    """An environment of one manifest."""
    return {"manifests/site.pp": manifest}


PEERS = (
    "class peer(String $home = lookup('home')) {\n"
    "  @@user { $trusted['certname']: home => $home, tag => 'lan' }\n"
    "  User <<| tag == 'lan' |>> { comment => 'peer' }\n"
    "}\ninclude peer\n"
)
HIERA = (
    "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n"
    "  - {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: common, path: common.yaml}\n"
)
LAN = {
    "manifests/site.pp": PEERS,
    "hiera.yaml": HIERA,
    "data/common.yaml": "home: /home\n",
    "data/nodes/db01.yaml": "# of the database\n\nhome: /srv\n",
}


def test_origins_cross_nodes(tmp_path: Path) -> None:
    """A collected value says who exported it and which line made it there; that node's facts stay its own."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01"))
    assert fleet.compile().failed == ()
    assert fleet.values("User[db01].home") == {"db01": "/srv", "web01": "/srv"}
    assert fleet.values("User[web01].home") == {"db01": "/home", "web01": "/home"}
    answer = fleet.outcome("web01").explain("User[db01].home").to_json()
    assert answer["exported_by"] == "db01"
    assert (answer["where"]["file"], answer["where"]["line"]) == (str(tmp_path / "environment/data/nodes/db01.yaml"), 3)
    assert "ladder" not in answer  # that of web01 would say something else
    kinds = {(leaf["kind"], leaf.get("name"), leaf.get("node")) for leaf in answer["depends"]}
    assert ("trusted", "certname", "db01") in kinds and ("export", "User tag == lan", None) in kinds
    assert ("trusted", "certname", None) not in kinds
    snapshot, _ = ExportsFile(str(fleet.store)).snapshot()
    assert snapshot.sources_of("User[db01].home") == [("db01", f"{fleet.root}/data/nodes/db01.yaml:3:7")]
    assert snapshot.sources_of("User[other].home") == []
    own = fleet.outcome("db01").explain("User[db01].home").to_json()
    assert "exported_by" not in own


def test_what_a_collected_resource_is_like(tmp_path: Path) -> None:
    """As by way of PuppetDB: not exported, no place, its own tags, sorted metaparameters, an alias, no secrets."""
    manifest = (
        "class inner { @@file { 'motd': path => '/etc/motd', tag => ['lan', 'Prod'], content => Sensitive('x1y2'),\n"
        "    require => User['root'], mode => '0600', audit => [mode, content] } user { 'root': } }\n"
        "class outer { user { 'root': }\n File { owner => 'me', mode => '0644' }\n"
        "  File <<| mode == '0600' |>> { group => 'them' } }\n"
        "if $trusted['certname'] == 'db' { include inner } else { include outer }\n"
    )
    fleet = Fleet(tmp_path, site(manifest), ("db", "web"))
    assert fleet.compile().failed == ()
    resources = {row["title"]: row for row in fleet.outcome("web").document()["resources"]}
    assert resources["motd"] == {
        "type": "File",
        "title": "motd",
        "tags": ["file", "motd", "prod", "lan", "class", "outer"],
        "exported": False,
        "kind": "compilable_type",
        "parameters": {
            "path": "/etc/motd",
            "tag": ["Prod", "lan"],
            "require": "User[root]",
            "mode": "0600",
            "audit": ["content", "mode"],
            "alias": ["/etc/motd"],
            "owner": "me",
            "group": "them",
        },
    }


@pytest.mark.parametrize(
    ("query", "matched"),
    [
        ("", True),
        ("tag == 'lan'", True),
        ("tag == 'LAN'", True),
        ("tag == 'inner'", True),  # a class round it, where it was exported
        ("tag == 'outer'", False),
        ("tag != 'lan'", False),
        ("title == 'u'", True),
        ("title != 'u'", False),
        ("home == '/h'", True),
        ("home == '/g'", False),
        ("groups == 'a'", False),  # an array is no element of itself, for a database
        ("groups == $both", True),  # a literal array is refused, as by Puppet
        ("groups == $both[0]", False),
        ("uid == 7", True),
        ("uid == '7'", False),
        ("shell != '/bin/sh'", True),
        ("home == '/h' and uid == 8", False),
        ("home == '/h' or uid == 8", True),
        ("(home == '/g' or uid == 7) and tag == 'lan'", True),
    ],
)
def test_queries(tmp_path: Path, query: str, matched: bool) -> None:
    """A query asks a database about other nodes, and that compares as JSON does."""
    manifest = (
        "class inner { @@user { 'u': home => '/h', groups => ['a', 'b'], uid => 7, tag => 'lan' } }\n"
        f"class outer {{ $both = ['a', 'b']\n User <<| {query} |>> }}\n"
        "if $trusted['certname'] == 'db' { include inner } else { include outer }\n"
    )
    fleet = Fleet(tmp_path, site(manifest), ("db", "web"))
    assert fleet.compile().failed == ()
    assert list(fleet.values("User[u]")) == (["web"] if matched else [])


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (
            "@@user { 'same': }\nUser <<| |>>\n",
            "A duplicate resource was found while collecting exported resources, with the type and title User[same]",
        ),
        (
            "if $trusted['certname'] == 'web' { user { 'same': }\n User <<| |>> } else { @@user { 'same': } }\n",
            "A duplicate resource was found while collecting exported resources, with the type and title User[same]",
        ),
    ],
)
def test_duplicates(tmp_path: Path, manifest: str, message: str) -> None:
    """Two resources of one name, from two nodes, are an error of the node that collects both."""
    fleet = Fleet(tmp_path, site(manifest), ("db", "web"))
    failed = dict(fleet.compile().failed)
    assert failed["web"].partition(": ")[2] == message
    assert ("db" in failed) == ("if" not in manifest)
    assert fleet.compile().compiled == ()
    mended = manifest.replace("@@user { 'same': }", "@@user { $trusted['certname']: }")
    write(fleet.root, site(mended))
    assert fleet.compile().failed == ()
    write(fleet.root, site(manifest))
    assert dict(fleet.compile().failed) == failed


def test_two_collectors_may_find_the_same(tmp_path: Path) -> None:
    """The first has it, the second finds that it is there."""
    manifest = (
        "if $trusted['certname'] == 'db' { @@user { 'u': tag => 'a' } }\n"
        "else { User <<| tag == a |>> { comment => 'first' } User <<| |>> { comment => 'second' } }\n"
    )
    fleet = Fleet(tmp_path, site(manifest), ("db", "web"))
    assert fleet.compile().failed == ()
    assert fleet.values("User[u].comment") == {"web": "first"}


def test_a_node_that_is_gone_exports_nothing(tmp_path: Path) -> None:
    """Who leaves the fleet takes along what it exported; who is not named by `--nodes` does not leave."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01", "web02"))
    fleet.compile()
    assert set(fleet.values("User[web02]")) == {"db01", "web01", "web02"}
    (fleet.root / "facts/web02.yaml").unlink()
    fleet.compile(nodes=["web01"])
    assert set(fleet.values("User[web02]")) == {"db01", "web01", "web02"}
    summary = fleet.compile()
    assert set(summary.compiled) == {"db01", "web01"}
    assert fleet.values("User[web02]") == {}


def test_who_collects_it_is_compiled_again(tmp_path: Path) -> None:
    """An edit of what one node exports is an edit of whoever finds it; so is a line that moved, and is told."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01"))
    fleet.compile()
    write(fleet.root, {"data/nodes/db01.yaml": "home: /var\n"})
    assert set(fleet.compile().compiled) == {"db01", "web01"}
    assert fleet.values("User[db01].home") == {"db01": "/var", "web01": "/var"}
    write(fleet.root, {"data/nodes/db01.yaml": "# moved\n\nhome: /var\n"})
    assert set(fleet.compile().compiled) == {"db01", "web01"}
    answer = fleet.outcome("web01").explain("User[db01].home").to_json()
    assert answer["where"]["line"] == 3
    assert fleet.compile().compiled == ()


RING = {
    "manifests/site.pp": (
        "node 'a' { Flag <<| |>> }\nnode 'b' { Token <<| |>> }\n"
        "node 'c' { if lookup('seed') { @@flag { 'seed': } } }\n"
        'define flag { @@token { "t ${title}": } }\n'
        'define token { unless $title =~ /f t/ { @@flag { "f ${title}": } } }\n'
    ),
    "hiera.yaml": HIERA,
    "data/common.yaml": "seed: true\n",
}


def test_a_chain_of_exports_is_followed_to_its_end(tmp_path: Path) -> None:
    """What is collected may export in its turn, round after round; on several cores the end is the same."""
    fleet = Fleet(tmp_path, RING, ("a", "b", "c"))
    assert fleet.compile().failed == ()
    assert fleet.values("Flag[f t seed]") == {"a": "f t seed"}
    assert fleet.values("Token[t f t seed]") == {"b": "t f t seed"}
    assert fleet.compile().compiled == ()
    fleet.compile(tmp_path / "other", processes=2)
    assert fleet.state(tmp_path / "other") == fleet.state()


def test_exports_do_not_keep_themselves_alive(tmp_path: Path) -> None:
    """Two that export because of each other vanish with what made them, as from an empty store."""
    files = {
        **RING,
        "manifests/site.pp": RING["manifests/site.pp"]
        .replace('@@token { "t ${title}": }', "unless defined(Token['t']) { @@token { 't': } }")
        .replace(
            'unless $title =~ /f t/ { @@flag { "f ${title}": } }', "unless defined(Flag['f']) { @@flag { 'f': } }"
        ),
    }
    fleet = Fleet(tmp_path, files, ("a", "b", "c"))
    assert fleet.compile().failed == ()
    assert fleet.values("Flag[f]") == {"a": "f"}
    write(fleet.root, {"data/common.yaml": "seed: false\n"})
    assert fleet.compile().failed == ()
    assert fleet.values("Flag[f]") == {} and fleet.values("Token[t]") == {}
    fleet.compile(tmp_path / "fresh")
    assert fleet.state(tmp_path / "fresh") == fleet.state()


def test_exports_that_never_settle_are_named(tmp_path: Path) -> None:
    """One node exports unless the other does, the other if the first does: an error, with what comes and goes."""
    manifest = (
        "node 'a' { Token <<| |>> late { 'x': } }\nnode 'b' { Flag <<| |>> late { 'y': } }\n"
        "define flag { }\ndefine token { }\n"
        "define late { if $title == 'x' { unless defined(Token['t']) { @@flag { 'f': } } }\n"
        "  elsif defined(Flag['f']) { @@token { 't': } } }\n"
    )
    fleet = Fleet(tmp_path, site(manifest), ("a", "b"))
    with pytest.raises(NeverSettles) as raised:
        fleet.compile()
    assert raised.value.message == (
        "exported resources do not converge: after 4 rounds the same exports recur; "
        "these keep changing: Flag[f] of a, Token[t] of b"
    )


@pytest.mark.long
def test_exports_that_grow_for_ever_are_bounded(tmp_path: Path) -> None:
    """A chain without an end is an error too."""
    manifest = (
        "node 'a' { Ping <<| |>> }\nnode 'b' { @@ping { 's': } Pong <<| |>> }\n"
        'define ping { @@pong { "${title}x": } }\ndefine pong { @@ping { "${title}x": } }\n'
    )
    fleet = Fleet(tmp_path, site(manifest), ("a", "b"))
    with pytest.raises(NeverSettles, match="after 100 rounds they still change"):
        fleet.compile()


def test_a_store_and_its_exports_that_do_not_fit_are_mended(tmp_path: Path) -> None:
    """Whichever of the two a run that was killed did not come to write: the node is compiled again."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01"))
    fleet.compile()
    good = fleet.state()
    with sqlite3.connect(fleet.store / EXPORTS) as connection:
        connection.execute("delete from nodes where node = 'db01'")
    assert set(fleet.compile().compiled) == {"db01", "web01"}
    assert fleet.state() == good
    (fleet.store / EXPORTS).unlink()
    fleet.compile()
    assert fleet.state() == good
    old = (fleet.store / EXPORTS).read_bytes()
    write(fleet.root, {"data/nodes/db01.yaml": "home: /var\n"})
    fleet.compile()
    (fleet.store / EXPORTS).write_bytes(old)
    fleet.compile()
    assert fleet.values("User[db01].home") == {"db01": "/var", "web01": "/var"}


def test_a_file_that_holds_no_exports_is_told(tmp_path: Path) -> None:
    """Something else under the name of the file is wrong usage, not a traceback."""
    fleet = Fleet(tmp_path, LAN, ("db01",))
    fleet.compile()
    for content in (b"nothing of the kind" * 100, b""):
        (fleet.store / EXPORTS).write_bytes(content)
        with pytest.raises(UsageError, match=r"exports\.sqlite"):
            fleet.compile()
    assert (os.stat(fleet.store / EXPORTS).st_mode & 0o077) == 0


def test_a_lost_history_does_not_lose_the_resource(tmp_path: Path) -> None:
    """Where the table of origins is damaged, what was exported is still collected; it is an input of its own."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01"))
    fleet.compile()
    with sqlite3.connect(fleet.store / EXPORTS) as connection:
        connection.execute("update documents set body = x'00'")
    answer = fleet.outcome("web01").explain("User[db01].home").to_json()
    assert (answer["value"], answer["where"]["kind"], answer["exported_by"]) == ("/srv", "export", "db01")


def test_exports_are_shipped_whole(tmp_path: Path) -> None:
    """Another host sees the same exports, with their histories."""
    fleet = Fleet(tmp_path, LAN, ("db01", "web01"))
    fleet.compile()
    here = Exchange.of_store(str(fleet.store))
    there = Exchange.of_shipped(here.shipped())
    assert there.snapshot.state() == here.snapshot.state()
    query = ["and", ["=", "type", "User"], ["=", "exported", True], ["not", ["=", "certname", "web01"]]]
    (exported,) = there.search(query)
    assert exported.parameters == {"home": "/srv", "tag": "lan", "comment": "peer"}
    leaf = where(exported.origins["home"])
    assert leaf is not None and leaf.span is not None and leaf.span.line == 3


def test_what_cannot_be_asked_is_refused() -> None:
    """The query language is the part that collectors use."""
    row = Row("User", "u", (), {}, "", 0, 0, {}, ())
    with pytest.raises(UsageError, match="not a query"):
        matches(["~", "title", "a"], "n", row)


def test_secrets_stay_secret(tmp_path: Path) -> None:
    """A text that is sensitive on the node that exports it is on the node that collects it."""
    manifest = (
        "if $trusted['certname'] == 'db' { $s = Sensitive('topsecret')\n"
        "  @@user { 'u': home => $s.unwrap, password => $s } }\n"
        "else { User <<| |>> }\n"
    )
    fleet = Fleet(tmp_path, site(manifest), ("db", "web"))
    fleet.compile()
    outcome = fleet.outcome("web")
    assert "topsecret" in outcome.secrets()
    resource = next(row for row in outcome.document()["resources"] if row["title"] == "u")
    assert resource["parameters"] == {"home": "topsecret"}
    assert "topsecret" not in json.dumps(fleet.rows("attributes"))


def incremental(folder: Path, steps: int, count: int, seed: int) -> Iterator[tuple[str, Any, Any]]:
    """After each of some random edits: the edit, the store that was brought up to date, and a fresh one."""
    chance = random.Random(seed)
    first = {**EXPORTING, **facts_files(count)}
    files = first
    fleet = Fleet(folder, {})
    for step in range(steps):
        if chance.random() < 0.2:
            files = first
        shutil.rmtree(fleet.root)
        write(fleet.root, files)
        fresh = folder / f"fresh{step}"
        states: list[Any] = []
        for store in (fleet.store, fresh):
            try:
                fleet.compile(store)
                states.append(fleet.state(store))
            except Diagnostic as problem:
                states.append(type(problem))
        yield f"step {step} of seed {seed}", *states
        shutil.rmtree(fresh)
        files, _ = edited(files, chance)


@pytest.mark.long
def test_reuse_with_exports_is_sound(tmp_path: Path) -> None:
    """Whatever is edited: a store that is brought up to date is one that is made anew, values and dependencies."""
    for words, kept, fresh in incremental(tmp_path, 5, 6, seed=5):
        assert kept == fresh, words


@pytest.mark.soak
def test_reuse_with_exports_is_sound_for_long(tmp_path: Path) -> None:
    """The same for many edits: twenty thousand pairs of an edit and a node."""
    pairs = 0
    for seed in range(200):
        for words, kept, fresh in incremental(tmp_path / str(seed), 13, 8, seed):
            assert kept == fresh, words
            pairs += 8
        shutil.rmtree(tmp_path / str(seed))
    assert pairs >= 20_000

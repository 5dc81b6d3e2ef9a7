"""Wherefrom beside real Puppet and the real PuppetDB: what Puppet's terminus stores, wherefrom collects, and the
reverse.

The server is started from its packages in a folder (`support.puppetdb_real`); without them, and without Puppet's
terminus, there is nothing to compare with.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from support.certificates import Authority
from support.fleets import write
from support.puppetdb_real import PREFIX, RealPuppetDB, is_installed
from wherefrom.cli.main import status_of
from wherefrom.fleet.puppetdb import PuppetDB, PuppetDBFailed
from wherefrom.language import catalog_of

TERMINUS = PREFIX / "usr/lib/ruby/vendor_ruby/puppet/indirector/catalog/puppetdb.rb"
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(
        not (is_installed() and TERMINUS.exists() and shutil.which("puppet")),
        reason="needs the packages puppetdb, puppet-terminus-puppetdb, postgresql and puppet-agent",
    ),
]

SITE = """\
class lan(String $home = "/home/${facts['role']}") {
  @@user { $trusted['certname']: home => $home, uid => 7, tag => ['Lan', 'all'], groups => ['b', 'a'] }
  @@file { "key of ${trusted['certname']}":
    path    => "/etc/keys/${trusted['certname']}",
    content => Sensitive("secret of ${trusted['certname']}"),
    mode    => '0600',
    require => User[$trusted['certname']],
  }
  @@lan::peer { $trusted['certname']: address => $facts['address'], port => 22 }
}
define lan::peer($address, $port, $options = { 'a' => [1, 2.5, true, undef] }) {
  file { "/etc/peers/${title}": content => "${address}:${port}\n", before => Notify['peers'] }
}
class lan::all {
  File { owner => 'root' }
  notify { 'peers': message => Regexp['a+'] }
  User <<| tag == 'lan' |>> { managehome => true }
  User <<| tag == 'ALL' |>>
  Lan::Peer <<| title != 'none' and (port == 22 or port == 23) |>>
  if $facts['role'] == 'web' {
    File <<| mode == '0600' |>> -> Notify['peers']
    exec { '/bin/true': refreshonly => true, subscribe => Notify['peers'] }
  }
}
include lan
include lan::all
@user { 'virtual': }
@@user { "uncollected ${trusted['certname']}": require => Class['lan'] }
"""
NODES = {
    "db01": {"role": "db", "address": "10.0.0.1"},
    "web01": {"role": "web", "address": "10.0.0.2"},
    "web02": {"role": "web", "address": "10.0.0.3"},
}


class World:
    """A server, an environment, and Puppet with its terminus."""

    def __init__(self, folder: Path, server: RealPuppetDB, authority: Authority) -> None:
        self.folder = folder
        self.server = server
        cert, key = authority.sign("wherefrom")
        self.tls = ["--puppetdb", server.secure_url, "--cert", str(cert), "--key", str(key), "--ca", str(authority.ca)]
        self.plain = ["--puppetdb", server.url]
        self.site = folder / "environments/production"
        write(self.site, {"manifests/site.pp": SITE})
        ssl = folder / "puppet/ssl"
        for name, source in (
            ("certs/ca.pem", authority.ca),
            ("certs/wherefrom.pem", cert),
            ("private_keys/wherefrom.pem", key),
            ("crl.pem", authority.folder / "crl.pem"),
        ):
            (ssl / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, ssl / name)

    def puppet(self, nodes: Iterable[str] = NODES) -> list[dict[str, Any]]:
        """Facts and catalogs of nodes, stored by real Puppet; its answers."""
        script = Path(__file__).with_name("puppetdb.rb")
        requests = "".join(json.dumps({"node": node, "facts": NODES[node]}) + "\n" for node in nodes)
        done = subprocess.run(
            ["ruby", str(script), str(self.site), str(self.folder / "puppet"), self.server.secure_url],
            input=requests,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
            env={**os.environ},
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    def settle(self, query: str, count: int) -> None:
        """Wait until the server has worked off what it was sent: until so many rows match."""
        rows: list[Any] = []
        for _ in range(600):
            rows = PuppetDB(self.server.url).query(query)
            if rows and rows[0]["count"] == count:
                return
            time.sleep(0.2)
        raise AssertionError(f"{query}: {rows}, expected {count}")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server that runs, with a small fleet that real Puppet stored."""
    folder = tmp_path_factory.mktemp("puppetdb")
    authority = Authority(folder / "tls")
    cert, key = authority.sign("localhost")
    server = RealPuppetDB(folder / "server", {"ca": authority.ca, "cert": cert, "key": key})
    try:
        server.start()
        world = World(folder, server, authority)
        assert world.puppet() == [{"ok": True}] * 3
        world.settle("resources[count()] { exported = true }", 12)
        assert world.puppet() == [{"ok": True}] * 3  # now every node sees what the others export
        world.settle('resources[count()] { exported = false and type = "User" }', 6)
        yield world
    finally:
        server.stop()


def test_facts_come_from_it(world: World) -> None:
    """Facts that Puppet stored, over HTTP and over TLS; without a certificate nothing is told."""
    client = PuppetDB(world.server.url)
    assert client.nodes() == sorted(NODES)
    facts = client.facts("web01")
    assert {name: facts[name] for name in NODES["web01"]} == NODES["web01"]
    assert facts["trusted"]["certname"] == "web01"
    _, url, _, cert, _, key, _, ca = world.tls
    assert PuppetDB(url, cert, key, ca).nodes() == sorted(NODES)
    with pytest.raises(PuppetDBFailed):
        PuppetDB(url, ca=ca, seconds=20).nodes()


def test_catalogs_are_those_that_puppet_stored(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """Compiled with the same facts and exports, all nodes are the same, to the last parameter and edge."""
    for reach in (world.plain, world.tls):
        assert status_of(["fleet", "diff", str(world.site), "--stored", "--jobs", "1", *reach]) == 0
        assert capsys.readouterr().out == "3 nodes: 0 changed, 3 the same\n"


def test_the_embedded_exchange_ends_where_puppet_does(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the server's exports, the nodes of the fleet pass each other what Puppet's nodes got by way of it."""
    for node, facts in NODES.items():
        write(tmp_path, {f"facts/{node}.json": json.dumps(facts)})
    store = ["--store", str(tmp_path / "store")]
    assert status_of(["fleet", "compile", str(world.site), "--facts", str(tmp_path / "facts"), *store]) == 0
    capsys.readouterr()
    from wherefrom.fleet.puppetdb import stored_differences
    from wherefrom.fleet.rounds import Exchange
    from wherefrom.session import Session

    exchange, client = Exchange.of_store(str(tmp_path / "store")), PuppetDB(world.server.url)
    for node, facts in NODES.items():
        outcome = Session().compile(str(world.site), node=node, facts=facts, exports=exchange, storeconfigs=True)
        ours = catalog_of(outcome).stored()
        theirs = client.catalog(node)
        assert theirs is not None
        assert stored_differences(ours, theirs) == []


def test_queries_and_what_is_sent(world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PQL and arrays get the server's answers; what a fleet exports is stored by a command, and collected there."""
    write(
        tmp_path / "other",
        {
            "manifests/site.pp": (
                "$names = puppetdb_query('nodes[certname] { order by certname }')\n"
                "$same = puppetdb_query(['from', 'nodes', ['extract', ['certname'], ['=', 'certname', 'db01']]])\n"
                "notify { 'names': message => \"${names[0]['certname']} ${same[0]['certname']}\" }\n"
                "@@user { 'sent': home => '/sent', tag => 'sent' }\n"
            )
        },
    )
    other, store = str(tmp_path / "other"), ["--store", str(tmp_path / "store")]
    write(tmp_path, {"facts/extra.yaml": "role: none\n"})
    common = ["--facts", str(tmp_path / "facts"), *world.plain]
    assert status_of(["fleet", "compile", other, *store, *common, "--send"]) == 0
    assert "1 catalog sent to PuppetDB" in capsys.readouterr().out
    write(tmp_path, {"collect.pp": "User <<| tag == 'sent' |>>\n"})
    assert status_of(["compile", str(tmp_path / "collect.pp"), "--node", "db01", "--json", *world.plain]) == 0
    document = json.loads(capsys.readouterr().out)
    collected = next(row for row in document["resources"] if row["title"] == "sent")
    assert collected["parameters"] == {"home": "/sent", "tag": "sent"}
    assert status_of(["explain", other, "Notify[names].message", "--node", "extra", "--json", *common]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "db01 db01"
    with pytest.raises(PuppetDBFailed, match=r"400|500"):
        PuppetDB(world.server.url).query("this is no query")


def test_nodes_that_vanish(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    """What a node exported that was deactivated is collected by nobody: Puppet stores what we compile."""
    compared = ["fleet", "diff", str(world.site), "--stored", "--jobs", "1", "--nodes", "db01,web01", *world.tls]
    assert status_of(compared) == 0
    capsys.readouterr()
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    document = {"certname": "web02", "producer_timestamp": now}
    words = "command=deactivate_node&version=3&certname=web02"
    headers = {"Content-Type": "application/json"}
    request = Request(f"{world.server.url}/pdb/cmd/v1?{words}", json.dumps(document).encode(), headers)
    with urlopen(request, timeout=60) as answer:
        assert answer.status == 200
    world.settle('nodes[count()] { certname = "web02" and node_state = "active" }', 0)
    assert "web02" not in PuppetDB(world.server.url).nodes()
    assert status_of(compared) == 0
    told = capsys.readouterr().out
    assert "2 changed" in told and "removed User[web02]" in told and "removed File[/etc/peers/web02]" in told
    assert world.puppet(["db01", "web01"]) == [{"ok": True}] * 2
    world.settle('resources[count()] { certname in ["db01", "web01"] and exported = false and type = "User" }', 2)
    assert status_of(compared) == 0
    assert capsys.readouterr().out == "2 nodes: 0 changed, 2 the same\n"

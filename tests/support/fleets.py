"""Small fleets for tests: an environment with roles, sites and operating systems, and random edits of it."""

from __future__ import annotations

import random
from pathlib import Path

FILES = {
    "environment.conf": "modulepath = site:modules\n",
    "hiera.yaml": (
        "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n"
        "  - {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n"
        "  - {name: role, path: 'role/%{facts.role}.yaml'}\n"
        "  - {name: site, path: 'site/%{facts.site}.yaml'}\n"
        "  - {name: os, path: 'os/%{facts.os.family}.yaml'}\n"
        "  - {name: common, path: common.yaml}\n"
    ),
    "data/common.yaml": (
        "profile::base::greeting: hello\nprofile::base::mode: '0644'\nprofile::web::port: 80\n"
        "profile::db::size: 10\nunused: 1\nlookup_options:\n  profile::base::users: {merge: unique}\n"
        "profile::base::users: [root]\n"
    ),
    "data/role/web.yaml": "profile::web::port: 8080\n",
    "data/role/db.yaml": "profile::db::size: 20\nprofile::base::users: [postgres]\n",
    "data/site/north.yaml": "profile::base::greeting: 'hello from %{facts.site}'\n",
    "data/os/Debian.yaml": "profile::base::mode: '0640'\n",
    "manifests/site.pp": "node default { include \"role::${facts['role']}\" }\n",
    "site/role/manifests/web.pp": "class role::web { include profile::base\n  include profile::web }\n",
    "site/role/manifests/db.pp": "class role::db { include profile::base\n  include profile::db }\n",
    "site/profile/manifests/base.pp": (
        "class profile::base(String $greeting, String $mode, Array $users) {\n"
        "  file { '/etc/motd': content => epp('profile/motd.epp', {greeting => $greeting}), mode => $mode }\n"
        "  $users.each |$user| { profile::account { $user: } }\n}\n"
    ),
    "site/profile/manifests/account.pp": "define profile::account($uid = profile::number($title)) {\n"
    "  user { $title: uid => $uid }\n}\n",
    "site/profile/manifests/web.pp": (
        "class profile::web(Profile::Port $port) {\n"
        "  file { '/etc/web.conf': content => \"port ${port}\\n\" }\n"
        "  file { '/srv/index': content => file('profile/index.html') }\n}\n"
    ),
    "site/profile/manifests/db.pp": (
        "class profile::db(Integer $size) {\n  file { '/etc/db.conf': content => template('profile/db.erb') }\n"
        "  if defined('profile::extra') { notify { 'extra': } }\n}\n"
    ),
    "site/profile/functions/number.pp": "function profile::number(String $name) { 1000 + size($name) }\n",
    "site/profile/types/port.pp": "type Profile::Port = Integer[1, 65535]\n",
    "site/profile/templates/motd.epp": "<%- | $greeting | -%>\n<%= $greeting %>, <%= $trusted['certname'] %>\n",
    "site/profile/templates/db.erb": "size <%= @size %>\n",
    "site/profile/files/index.html": "welcome\n",
}
EXPORTING = {
    **FILES,
    "site/role/manifests/web.pp": FILES["site/role/manifests/web.pp"].replace(
        "include profile::web }", "include profile::web\n  include profile::lan }"
    ),
    "site/role/manifests/db.pp": FILES["site/role/manifests/db.pp"].replace(
        "include profile::db }", "include profile::db\n  include profile::lan }"
    ),
    "data/role/web.yaml": FILES["data/role/web.yaml"] + "profile::lan::collects: [north, south]\n",
    "data/common.yaml": FILES["data/common.yaml"]
    + "profile::lan::address: 10.0.0.1\nprofile::lan::collects: [north]\n",
    "site/profile/manifests/lan.pp": (
        "class profile::lan(String $address, Array $collects) {\n"
        "  @@profile::peer { $trusted['certname']: address => $address, tag => $facts['site'] }\n"
        "  @@file { \"/etc/keys/${trusted['certname']}\":\n"
        "    content => \"${address}\\n\", tag => [$facts['role'], key] }\n"
        "  $collects.each |$site| { Profile::Peer <<| tag == $site |>> }\n"
        "  if $facts['role'] == 'db' { File <<| tag == key and mode != '0600' |>> { mode => '0400' } }\n"
        "  if defined(Profile::Peer['web00.north']) { @@profile::seen { $trusted['certname']: } }\n"
        "  Profile::Seen <<| |>>\n}\n"
    ),
    "site/profile/manifests/peer.pp": (
        "define profile::peer($address, $port = 22) {\n"
        '  file { "/etc/peers/${title}": content => "${address} ${port}\\n" }\n'
        "  if $title == 'web00.north' { @@profile::seen { \"${title} ${trusted['certname']}\": } }\n}\n"
    ),
    "site/profile/manifests/seen.pp": 'define profile::seen { notify { "seen ${title}": } }\n',
}
"""The same fleet, whose nodes export and collect; some of what they export hangs on what they collect."""
ROLES = ("web", "db")
SITES = ("north", "south")
FAMILIES = ("Debian", "RedHat")


def write(root: Path, files: dict[str, str]) -> None:
    """Files below a directory."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def facts_of(number: int) -> tuple[str, str]:
    """The name and the facts of a node, as a file: every role at every site on every system."""
    role, site = ROLES[number % 2], SITES[number // 2 % 2]
    family = FAMILIES[number // 4 % 2]
    name = f"{role}{number:02d}.{site}"
    return name, f"role: {role}\nsite: {site}\nos: {{family: {family}, name: {family}}}\n"


def build(root: Path, count: int) -> list[str]:
    """An environment at `root` with so many nodes; their names."""
    write(root, FILES)
    names: list[str] = []
    for number in range(count):
        name, facts = facts_of(number)
        write(root, {f"facts/{name}.yaml": facts})
        names.append(name)
    return names


def edited(files: dict[str, str], chance: random.Random) -> tuple[dict[str, str], str]:
    """The files after one random edit, and the edit in words.  Not every edit leaves something that compiles."""
    files = dict(files)
    name = chance.choice([name for name in files if not name.startswith("facts/")])
    kind = chance.randrange(9)
    number = chance.randrange(100)
    if kind == 0:
        files[name] += f"# note {number}\n" if not name.endswith((".epp", ".erb", ".html")) else f"line {number}\n"
        return files, f"a line at the end of {name}"
    if kind == 1:
        lines = files[name].splitlines(keepends=True)
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines) if lines else "\n")
        files[name] = "".join(lines)
        return files, f"a line twice in {name}"
    if kind == 2 and len(files) > 12:
        del files[name]
        return files, f"{name} is gone"
    if kind == 3:
        place = chance.choice(("nodes/web00.north", "nodes/db01.north", "site/south", "os/RedHat", "role/web"))
        key, value = chance.choice(
            (
                ("profile::web::port", str(1000 + number)),
                ("profile::base::greeting", f"greeting{number}"),
                ("profile::db::size", str(number)),
                ("profile::base::users", f"[user{number}]"),
                ("other", str(number)),
                ("profile::lan::address", f"10.0.0.{number}"),
                ("profile::lan::collects", chance.choice(("[]", "[north]", "[south]", "[south, north]"))),
            )
        )
        path = f"data/{place}.yaml"
        files[path] = files.get(path, "") + f"{key}: {value}\n"
        return files, f"{key} in {path}"
    if kind == 4:
        where, text = chance.choice(
            (
                ("site/profile/manifests/extra.pp", "class profile::extra { }\n"),
                ("modules/extra/manifests/init.pp", "class extra { }\n"),
                ("site/profile/lib/puppet/functions/profile/number.rb", "# nothing\n"),
                ("modules/profile/manifests/web.pp", "class profile::web { }\n"),
                ("functions/number.pp", "function number() { 1 }\n"),
            )
        )
        files[where] = text
        return files, f"{where} is new"
    for old, new in chance.sample(
        (
            ("'0644'", f"'06{number:02d}'"), ("8080", str(8000 + number)), ("1000", str(2000 + number)),
            ("welcome", f"welcome {number}"), ("hello", f"good day {number}"), ("65535", "8000"),
            ("size", "extent"), ("include profile::base", "contain profile::base"), ("port ", f"port{number} "),
            ("10.0.0.1", f"10.0.1.{number}"), ("'web00.north'", "'db01.north'"), ("tag => $facts", "tag => $trusted"),
            ("if defined", "unless defined"), ("include profile::lan", ""), ("'0400'", f"'04{number:02d}'"),
        ),
        15,
    ):  # fmt: skip
        if old in files[name]:
            files[name] = files[name].replace(old, new, 1)
            return files, f"{old} becomes {new} in {name}"
    files[name] += "\n"
    return files, f"an empty line at the end of {name}"

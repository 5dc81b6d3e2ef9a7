"""Small fleets for tests: an environment with roles, sites and operating systems, and random edits of it."""

from __future__ import annotations

import random
from pathlib import Path

from wherefrom.cli.fleet import compile_command
from wherefrom.cli.options import Invocation

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
        "  file { '/srv/index': content => file('profile/index.html') }\n"
        "  file { '/srv/name': content => profile::loud($facts['site']) }\n}\n"
    ),
    "site/profile/manifests/db.pp": (
        "class profile::db(Integer $size) {\n  file { '/etc/db.conf': content => template('profile/db.erb') }\n"
        "  if defined('profile::extra') { notify { 'extra': } }\n}\n"
    ),
    "site/profile/functions/number.pp": "function profile::number(String $name) { 1000 + size($name) }\n",
    "site/profile/lib/puppet/functions/profile/loud.rb": (
        "Puppet::Functions.create_function(:'profile::loud') do\n"
        "  dispatch :loud do\n    param 'String', :words\n  end\n"
        "  def loud(words)\n    words.upcase + '!' * (words.length % 3)\n  end\nend\n"
    ),
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
"""The same fleet, whose nodes export and collect; some of what they export depends on what they collect."""
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


def facts_files(count: int) -> dict[str, str]:
    """The facts of so many nodes, as files."""
    return {f"facts/{name}.yaml": facts for name, facts in map(facts_of, range(count))}


def build(root: Path, count: int) -> list[str]:
    """An environment at `root` with so many nodes; their names."""
    write(root, {**FILES, **facts_files(count)})
    return [facts_of(number)[0] for number in range(count)]


HIERARCHIES = (
    ("  - {name: site,", "  - {name: 'of the place',"),
    ("'os/%{facts.os.family}.yaml'", "'os/%{facts.os.name}.yaml'"),
    ("'site/%{facts.site}.yaml'", "'site/%{facts.role}.yaml'"),
    ("path: common.yaml", "paths: [common.yaml, more.yaml]"),
    ("path: common.yaml", "glob: '*.yaml'"),
    ("path: common.yaml", "glob: '{more,common,r*/**/*}.yaml'"),
    ("datadir: data,", "datadir: other,"),
    ("  - {name: common,", "  - {name: early, path: role/db.yaml}\n  - {name: common,"),
    ("data_hash: yaml_data", "data_hash: json_data"),
    ("version: 5", "version: 5\ndefault_hierarchy: [{name: last, path: last.yaml}]"),
)
"""Edits of the hierarchy: a name, what a path is made of, more files, another directory, another level."""
CALLS = (("upcase", "downcase"), ("'!'", "'?'"), ("% 3", "% 2"), ("'String'", "'Integer'"), (":loud do", ":soft do"))
"""Edits of a function in Ruby."""
FACTS = (("north", "south"), ("RedHat", "Debian"), ("role: db", "role: web"), ("os:", "more: 1\nos:"))
"""Edits of a node's facts."""


def _replaced(files: dict[str, str], name: str, choices: tuple[tuple[str, str], ...], chance: random.Random) -> str:
    """One of some words in a file becomes others; the edit."""
    for old, new in chance.sample(choices, len(choices)):
        if old in files.get(name, ""):
            files[name] = files[name].replace(old, new, 1)
            return f"{old} becomes {new} in {name}"
    files[name] = files.get(name, "") + "\n"
    return f"an empty line at the end of {name}"


ENVIRONMENTS = (
    "modulepath = modules:site\n",
    "modulepath=site:modules\nmanifest = manifests\n",
    "modulepath = site\n",
    "# the same\nmodulepath = site:modules\nenvironment_timeout = 0\n",
    "modulepath = site:modules\nmanifest = manifests/site.pp\n",
)
METADATA = (
    ("site/profile/metadata.json", '{"name": "me-profile", "version": "1.0.0", "dependencies": []}\n'),
    (
        "site/profile/metadata.json",
        '{"name": "me-profile", "version": "1.0.0", "dependencies": [{"name": "me/extra"}]}\n',
    ),
    ("site/role/metadata.json", '{"name": "me-role", "version": "2.0.0", "dependencies": [{"name": "me-profile"}]}\n'),
    ("site/role/metadata.json", "{\n"),
    ("Puppetfile", "mod 'puppetlabs-stdlib', '9.4.1'\n"),
    ("Puppetfile", "mod 'extra', local: true\n"),
)


def _laid_out(name: str, text: str, chance: random.Random) -> str:
    """The same with another layout: blank lines, comments, more space at the ends of lines."""
    if not name.endswith((".pp", ".yaml", ".rb", ".conf", "Puppetfile")):
        return text
    lines = text.splitlines()
    way = chance.randrange(3)
    if way == 0:
        lines.insert(0, "# laid out anew")
    elif way == 1:
        lines.insert(0, "")
    elif not name.endswith(".conf"):
        lines = [f"{line}  " for line in lines]
    return "\n".join(lines) + "\n"


def edited(files: dict[str, str], chance: random.Random) -> tuple[dict[str, str], str]:
    """The files after one random edit, and the edit in words.  Not every edit leaves something that compiles."""
    files = dict(files)
    name = chance.choice([name for name in files if not name.startswith("facts/")])
    kind = chance.randrange(15)
    number = chance.randrange(100)
    if kind == 9:
        return files, _replaced(files, "hiera.yaml", HIERARCHIES, chance)
    if kind == 10:
        return files, _replaced(files, "site/profile/lib/puppet/functions/profile/loud.rb", CALLS, chance)
    of_facts = sorted(path for path in files if path.startswith("facts/"))
    if kind == 11 and of_facts:
        return files, _replaced(files, chance.choice(of_facts), FACTS, chance)
    if kind == 12:
        files[name] = _laid_out(name, files[name], chance)
        return files, f"another layout of {name}"
    if kind == 13:
        files["environment.conf"] = chance.choice(ENVIRONMENTS)
        return files, "another environment.conf"
    if kind == 14:
        path, text = chance.choice(METADATA)
        files[path] = text
        return files, f"another {path}"
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
                ("data/more.yaml", f"profile::db::size: {number}\n"),
                ("other/common.yaml", FILES["data/common.yaml"]),
                ("site/profile/hiera.yaml", "version: 5\nhierarchy: [{name: own, path: common.yaml, datadir: data}]\n"),
                ("site/profile/data/common.yaml", f"profile::account::uid: {number}\nprofile::db::size: {number}\n"),
                ("modules/profile/functions/number.pp", "function profile::number(String $name) { 5 }\n"),
                ("lib/puppet/functions/environment/one.rb", "# nothing\n"),
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


def invocation_for(root: Path) -> Invocation:
    """A request for the environment at `root`, whose nodes have their facts there, and no other options."""
    words = [str(root), "--store", "none", "--no-settings", "--facts", str(root / "facts")]
    options = dict(compile_command.make_context("compile", words).params)
    for name in ("path", "nodes", "store_path", "jobs", "ray", "parts", "batch", "send", "as_json"):
        del options[name]
    return Invocation(options)

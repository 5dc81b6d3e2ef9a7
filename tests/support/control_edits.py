"""A small control repository, and random edits of it: of what people edit in one.

`edited(random, number)` gives the repository before and after some edits: code, data, `hiera.yaml`, templates (ERB,
EPP), files that `file()` reads and those that catalogs point at, modules of the `Puppetfile`, facts, parameters with
other names, resources that come and go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from support.diff_causes import Side
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs, Outcome
from wherefrom.puppet.front import LANGUAGE

ROOT = "control"
NODE = "web01.example.org"
FACTS: dict[str, Any] = {
    "os": {"family": "Debian", "name": "Debian", "release": {"major": "12"}},
    "role": "web",
    "datacentre": "north",
    "memory": 2048,
    "virtual": True,
}
FILES = {
    "Puppetfile": "mod 'example/ntp', '1.0.0'\nmod 'example/motd', '2.1.0'\n",
    "hiera.yaml": """---
version: 5
defaults:
  datadir: data
  data_hash: yaml_data
hierarchy:
  - name: node
    path: "nodes/%{trusted.certname}.yaml"
  - name: role
    path: "role/%{facts.role}.yaml"
  - name: os
    path: "os/%{facts.os.family}.yaml"
  - name: common
    path: common.yaml
""",
    "data/common.yaml": """---
lookup_options:
  ntp::servers:
    merge: unique
  app::settings:
    merge: deep
ntp::servers:
  - 0.pool.example.org
  - 1.pool.example.org
ntp::mode: '0644'
app::port: 8080
app::settings:
  log:
    level: info
    file: /var/log/app.log
  threads: 4
motd::text: Welcome
classes:
  - base
""",
    "data/os/Debian.yaml": """---
ntp::servers:
  - 0.debian.example.org
ntp::mode: '0600'
app::package: app-debian
""",
    "data/os/RedHat.yaml": """---
ntp::servers:
  - 0.redhat.example.org
app::package: app-redhat
""",
    "data/role/web.yaml": """---
app::port: 80
app::settings:
  log:
    level: debug
classes:
  - app
""",
    "data/nodes/web01.example.org.yaml": """---
motd::text: This is web01
app::workers: 2
""",
    "manifests/site.pp": """lookup('classes', Array[String], 'unique').include

node 'web01.example.org' {
  include ntp
  notify { 'site': message => "in ${facts['datacentre']}" }
}

node default {
  notify { 'nobody': }
}
""",
    "modules/base/manifests/init.pp": """class base {
  include motd
  file { '/etc/base':
    ensure => directory,
    mode   => '0755',
  }
  if $facts['virtual'] {
    package { 'guest-tools': ensure => present }
  } else {
    package { 'smartmontools': ensure => present }
  }
}
""",
    "modules/motd/manifests/init.pp": """class motd(
  String $text = 'none',
  String $owner = 'root',
) {
  file { '/etc/motd':
    content => template('motd/motd.erb'),
    owner   => $owner,
    mode    => '0644',
  }
}
""",
    "modules/motd/templates/motd.erb": """<%= @text %>
running <%= @facts['os']['name'] %>
<% if @facts['memory'].to_i > 1024 -%>
large
<% end -%>
end
""",
    "modules/ntp/manifests/init.pp": """class ntp(
  Array[String] $servers,
  String $mode = '0640',
  Boolean $restart = true,
) {
  package { 'ntp':
    ensure => installed,
  }
  -> file { '/etc/ntp.conf':
    content => epp('ntp/ntp.conf.epp', { 'servers' => $servers }),
    mode    => $mode,
  }
  ~> service { 'ntp':
    ensure => running,
    enable => true,
  }
  file { '/etc/ntp.keys':
    content => file('ntp/keys'),
    mode    => '0400',
  }
}
""",
    "modules/ntp/templates/ntp.conf.epp": """<%- | Array $servers | -%>
driftfile /var/lib/ntp/drift
<% $servers.each |$server| { -%>
server <%= $server %> iburst
<% } -%>
restrict default
""",
    "modules/ntp/files/keys": "1 M secret-one\n2 M secret-two\n",
    "modules/app/manifests/init.pp": """class app(
  Integer $port,
  Hash $settings,
  String $package = 'app',
  Integer $workers = 1,
) {
  $total = $workers * $settings['threads']
  package { $package: ensure => latest }
  app::site { ['main', 'admin']:
    port => $port,
  }
  $settings.each |$key, $value| {
    notify { "setting ${key}": message => "${value}" }
  }
  $size = $facts['memory'] ? {
    Integer[4096] => 'large',
    Integer[1024] => 'middle',
    default       => 'small',
  }
  file { '/etc/app.conf':
    content => "port=${port}\\nworkers=${total}\\nsize=${size}\\n",
  }
  file { '/etc/app.acl':
    source => 'puppet:///modules/app/acl',
  }
}
""",
    "modules/app/manifests/site.pp": """define app::site(
  Integer $port,
  String $root = "/srv/${title}",
) {
  file { "/etc/app/${title}.conf":
    content => "root ${root}\\nlisten ${port}\\n",
  }
  if $port < 1024 {
    notify { "${title} is privileged": }
  }
}
""",
    "modules/app/files/acl": "admin rw\nguest r\n",
}
"""By names below the directory."""

Edited = tuple[dict[str, str], dict[str, Any]]
Edit = Callable[[Random, dict[str, str], dict[str, Any]], None]


def _replace(
    random: Random, files: dict[str, str], pattern: str, new: Callable[[re.Match[str]], str], names: str
) -> None:
    """Replace one of the places of a pattern in files whose names match."""
    places = [
        (name, match)
        for name, text in files.items()
        if re.search(names, name)
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]
    if places:
        name, match = random.choice(places)
        files[name] = files[name][: match.start()] + new(match) + files[name][match.end() :]


def _literal(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """Another mode, number or word in a manifest."""
    del facts
    _replace(random, files, r"'0\d{3}'", lambda match: f"'0{random.randint(100, 777)}'", r"\.pp$")


def _word(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    _replace(
        random, files, r"=> (present|installed|latest|running|true)",
        lambda match: f"=> {random.choice(('absent', 'held', 'stopped', 'false'))}", r"\.pp$",
    )  # fmt: skip


def _datum(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    _replace(
        random, files, r"(: |- )([\w./]+)$",
        lambda match: f"{match[1]}{random.choice((match[2] + 'x', 7, 8443, 'other'))}", r"^data/",
    )  # fmt: skip


def _key_removed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A key and what belongs to it."""
    del facts
    _replace(random, files, r"^[\w:]+:.*\n(?:[ -].*\n)*", lambda match: "", r"^data/")


def _key_added(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    name = random.choice([name for name in files if name.startswith("data/")])
    files[name] += random.choice(
        (
            "ntp::restart: false\n",
            "motd::owner: admin\n",
            "app::workers: 6\n",
            "ntp::mode: '0444'\n",
            "motd::text: Hello\n",
        )
    )


def _item(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """An item of a list comes."""
    del facts
    _replace(
        random, files, r"^  - .*\n", lambda match: f"{match[0]}  - new{random.randint(1, 9)}\n", r"^data/(common|os)"
    )


def _level(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A level of the hierarchy goes, or another is put in."""
    del facts
    if random.random() < 0.6:
        _replace(random, files, r"^  - name: .*\n    path: .*\n", lambda match: "", r"^hiera\.yaml$")
    else:
        path = random.choice(("role/web.yaml", "os/RedHat.yaml", "no.yaml"))
        level = f"  - name: new{random.randint(1, 9)}\n    path: {path}\n"
        _replace(random, files, r"^  - name: ", lambda match: level + match[0], r"^hiera\.yaml$")


def _template(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A line of a template, or of a file that is read, is another."""
    del facts
    _replace(
        random,
        files,
        r"^(\w[^<\n]*)$",
        lambda match: match[1] + random.choice(("!", " more", "\nnext")),
        r"/(templates|files)/",
    )


def _condition(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """Another bound, in a template or a manifest."""
    del facts
    _replace(
        random,
        files,
        r"(> |< |\[)(1024|4096)",
        lambda match: f"{match[1]}{random.choice((1, 2048, 99999))}",
        r"\.(erb|pp)$",
    )


def _fact(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del files
    name = random.choice(list(facts))
    values: dict[str, tuple[Any, ...]] = {
        "os": tuple({**FACTS["os"], "family": family, "name": name} for family in ("RedHat", "Suse") for name in "AD"),
        "role": ("db", "mail"),
        "datacentre": ("south", "west"),
        "memory": (512, 8192, 4096),
        "virtual": (False,),
    }
    facts[name] = random.choice(values[name])


def _fact_removed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del files
    facts.pop(random.choice(("datacentre", "virtual", "role")), None)


def _renamed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A parameter has another name wherever it is written."""
    del facts
    module, name = random.choice(
        (("motd", "text"), ("motd", "owner"), ("ntp", "mode"), ("app", "workers"), ("app", "port"))
    )
    new = f"{name}_{random.choice('xyz')}"
    for file, text in files.items():
        if file.startswith("data/"):
            files[file] = text.replace(f"{module}::{name}:", f"{module}::{new}:")
        elif file == f"modules/{module}/manifests/init.pp":
            files[file] = text.replace(f"${name}", f"${new}").replace(f"${{{name}}}", f"${{{new}}}")
        elif file.startswith(f"modules/{module}/templates/"):
            files[file] = text.replace(f"@{name}", f"@{new}")


def _resource_removed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    _replace(random, files, r"^  (?:package|notify|file) \{[^{}]*\}\n", lambda match: "", r"\.pp$")


def _resource_added(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    title = f"added{random.randint(1, 99)}"
    _replace(random, files, r"^\}\n\Z", lambda match: f"  notify {{ '{title}': message => 'new' }}\n}}\n", r"init\.pp$")


def _include_removed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    _replace(random, files, r"^  (include \w+|- (?:base|app))\n", lambda match: "", r"\.(pp|yaml)$")


def _override(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A collector that overrides, at the end of the site."""
    del facts
    value = random.choice(("'0111'", "'0222'"))
    files["manifests/site.pp"] += (
        f"File <| title == '{random.choice(('/etc/motd', '/etc/ntp.conf', '/etc/base'))}' |> {{ mode => {value} }}\n"
    )


def _attribute_removed(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    del facts
    _replace(random, files, r"^    (?:mode|owner|ensure|enable) +=> .*\n", lambda match: "", r"\.pp$")


def _comment(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """What no output depends on."""
    del facts
    name = random.choice([name for name in files if name.endswith((".pp", ".yaml"))])
    files[name] = f"# a remark {random.randint(1, 9)}\n{files[name]}"


def _module(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """Another version of a module of the `Puppetfile`: another default, a line in a file, a resource more."""
    module, old = random.choice((("ntp", "1.0.0"), ("motd", "2.1.0")))
    if f"'{old}'" not in files["Puppetfile"]:
        return
    files["Puppetfile"] = files["Puppetfile"].replace(old, "3.0.0")
    _replace(random, files, r"'06?4[04]'", lambda match: "'0604'", rf"^modules/{module}/manifests/")
    del facts
    _replace(random, files, r"^(driftfile|running|1 M)", lambda match: f"# 3.0\n{match[1]}", rf"^modules/{module}/")
    if random.random() < 0.5:
        new = "  notify { 'upgraded': message => 'to 3.0.0' }\n}\n"
        _replace(random, files, r"^\}\n\Z", lambda match: new, rf"^modules/{module}/manifests/init")


def _acl(random: Random, files: dict[str, str], facts: dict[str, Any]) -> None:
    """A file that the catalog points at."""
    del facts
    files["modules/app/files/acl"] += f"user{random.randint(1, 99)} r\n"


EDITS: tuple[Edit, ...] = (
    _literal, _word, _datum, _datum, _key_removed, _key_added, _item, _level, _template, _template, _condition, _fact,
    _fact, _fact_removed, _renamed, _resource_removed, _resource_added, _include_removed, _override, _attribute_removed,
    _comment, _acl, _acl, _module, _module,
)  # fmt: skip


def edited(random: Random, number: int) -> tuple[Side, Side, list[str]]:
    """The repository before and after edits, and the names of these."""
    files, facts = dict(FILES), dict(FACTS)
    names: list[str] = []
    for _ in range(number):
        edit = random.choice(EDITS)
        edit(random, files, facts)
        names.append(edit.__name__.strip("_"))
    return _side(FILES, FACTS), _side(files, facts), names


def _side(files: dict[str, str], facts: dict[str, Any]) -> Side:
    return Side({f"{ROOT}/{name}": text for name, text in files.items()}, Inputs(NODE, facts))


def compiled_control(files: dict[str, str], inputs: Inputs) -> Outcome | None:
    """The outcome of the repository, or nothing if it does not compile."""
    try:
        return LANGUAGE.run(ROOT, PureHost(files), inputs)
    except WherefromError:
        return None

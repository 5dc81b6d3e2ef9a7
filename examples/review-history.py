"""Eleven commits as they are made to control repositories: `python examples/review-history.py DIRECTORY`.

Makes a git repository of a small control repository and eleven commits to it, each of another kind, with a tag before
each (`before-1` to `before-11`) and after it (`after-1`, ...). What `wherefrom diff .@before-N .@after-N --node
web01.example.org` answers is in `examples/review-answers.txt`, and a test compares. The modules of the Puppetfile are
not in git (`.gitignore`), as in most repositories.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BASE = {
    ".gitignore": "/modules/\n",
    "environment.conf": "modulepath = site:modules\n",
    "Puppetfile": "mod 'example/ntp', '1.0.0'\n",
    "modules/ntp/manifests/init.pp": """class ntp (Array[String] $servers) {
  package { 'ntp': ensure => installed }
  -> file { '/etc/ntp.conf': content => epp('ntp/ntp.conf.epp', { 'servers' => $servers }) }
  ~> service { 'ntp': ensure => running }
}
""",
    "modules/ntp/templates/ntp.conf.epp": """driftfile /var/lib/ntp/drift
<% $servers.each |$server| { -%>
server <%= $server %> iburst
<% } -%>
""",
    "manifests/site.pp": """node /^web\\d+/ {
  include profile::base
  include profile::web
}
node default {
  include profile::base
}
""",
    "site/profile/manifests/base.pp": """class profile::base (String $motd = 'Welcome', Boolean $monitored = false) {
  include ntp
  file { '/etc/motd': content => template('profile/motd.erb') }
  file { '/etc/krb5.acl': source => 'puppet:///modules/profile/krb5.acl', mode => '0600' }
  file { '/etc/scripts': ensure => directory, recurse => true, source => 'puppet:///modules/profile/scripts' }
  if $monitored {
    package { 'node-exporter': ensure => installed }
  }
}
""",
    "site/profile/manifests/web.pp": """class profile::web (Integer $port, Hash $sites = {}) {
  package { 'nginx': ensure => installed }
  $sites.each |$name, $settings| {
    profile::site { $name: port => $port, * => $settings }
  }
  user { 'deploy': ensure => present, shell => '/bin/bash' }
}
""",
    "site/profile/manifests/site.pp": """define profile::site (Integer $port, String $root = "/srv/${title}") {
  file { "/etc/nginx/sites/${title}.conf": content => "listen ${port};\\nroot ${root};\\n" }
}
""",
    "site/profile/templates/motd.erb": "<%= @motd %>\nThis is <%= @facts['os']['name'] %>.\n",
    "site/profile/files/krb5.acl": "admin@EXAMPLE.ORG *\nbackup@EXAMPLE.ORG l\n",
    "site/profile/files/scripts/backup.sh": "#!/bin/sh\nexec backup /srv\n",
    "hiera.yaml": """version: 5
hierarchy:
  - name: Role
    path: role/%{facts.role}.yaml
  - name: Common
    path: common.yaml
""",
    "data/role/web.yaml": """profile::web::port: 80
profile::web::sites:
  wiki: {}
  shop: { root: /srv/shop-2 }
""",
    "data/common.yaml": """ntp::servers:
  - 0.pool.example.org
  - 1.pool.example.org
  - 2.pool.example.org
""",
    "data/site/north.yaml": "profile::base::motd: Welcome to the north\n",
    "facts/web01.example.org.yaml": "os: {name: Debian, family: Debian}\nrole: web\nsite: north\n",
    "wherefrom.toml": 'environment = "."\nfacts = "facts"\n',
}

COMMITS: list[tuple[str, dict[str, tuple[str, str]]]] = [
    (
        "Kerberos: backup may list no more",
        {
            "site/profile/files/krb5.acl": ("backup@EXAMPLE.ORG l\n", "monitor@EXAMPLE.ORG i\n"),
        },
    ),
    ("ntp: the second server is gone", {"data/common.yaml": ("  - 1.pool.example.org\n", "")}),
    ("web: listen to 8080", {"data/role/web.yaml": ("port: 80\n", "port: 8080\n")}),
    (
        "motd: say where help is",
        {
            "site/profile/templates/motd.erb": ("This is", "Help: help@example.org\nThis is"),
        },
    ),
    (
        "data: a level for sites",
        {
            "hiera.yaml": (
                "  - name: Common\n",
                "  - name: Site\n    path: site/%{facts.site}.yaml\n  - name: Common\n",
            ),
        },
    ),
    (
        "base: monitoring",
        {
            "data/common.yaml": ("ntp::servers:\n", "profile::base::monitored: true\nntp::servers:\n"),
        },
    ),
    (
        "web: deployments have an account of their own elsewhere",
        {
            "site/profile/manifests/web.pp": ("  user { 'deploy': ensure => present, shell => '/bin/bash' }\n", ""),
        },
    ),
    (
        "sites: the parameter is called docroot",
        {
            "site/profile/manifests/site.pp": (
                'String $root = "/srv/${title}") {\n'
                '  file { "/etc/nginx/sites/${title}.conf": content => "listen ${port};\\nroot ${root};\\n" }',
                'String $docroot = "/srv/${title}") {\n'
                '  file { "/etc/nginx/sites/${title}.conf": content => "listen ${port};\\nroot ${docroot};\\n" }',
            ),
            "data/role/web.yaml": ("root: /srv/shop-2", "docroot: /srv/shop-2"),
        },
    ),
    (
        "scripts: backup is nice",
        {
            "site/profile/files/scripts/backup.sh": ("exec backup", "exec nice backup"),
        },
    ),
    ("Puppetfile: ntp 1.1.0", {"Puppetfile": ("1.0.0", "1.1.0")}),
    ("nodes: web servers begin with www", {"manifests/site.pp": ("/^web\\d+/", "/^www\\d+/")}),
]
"""Subject, and of each file the text before and after."""


def make(directory: Path) -> None:
    """Write the repository, one commit after the other."""
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise SystemExit(f"{directory} is not empty")
    for name, text in BASE.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    git(directory, "init", "-q", "-b", "main")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "A small control repository")
    for number, (subject, edits) in enumerate(COMMITS, 1):
        git(directory, "tag", f"before-{number}")
        for name, (before, after) in edits.items():
            text = (directory / name).read_text()
            if before not in text:
                raise SystemExit(f"{name} does not say {before!r}")
            (directory / name).write_text(text.replace(before, after))
        git(directory, "commit", "-q", "-a", "-m", subject)
        git(directory, "tag", f"after-{number}")


def git(directory: Path, *arguments: str) -> None:
    """Run git as one author at one time, whatever the machine's own settings are."""
    person = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-01T12:00:00Z"}
    who = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in person.items()}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(directory), *arguments], check=True, env=environment)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    make(Path(sys.argv[1]))

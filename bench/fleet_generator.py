"""Fleets of any size: every role at every site on every system, over the example repository or over Debian's modules.

    python bench/fleet_generator.py example 1000 DIRECTORY
    python bench/fleet_generator.py debian 10000 DIRECTORY     # needs Debian's packages puppet-module-*

The directory is an environment with `facts/NODE.json` and a `wherefrom.toml`; `wherefrom fleet compile --store STORE` there
compiles it. Over Debian's modules a web server is Apache with some sites and PHP, a database is MySQL with some
databases, a proxy HAProxy, a cache Redis and memcached; all have NTP and SSH, by data of their site and system.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import fleet

HERE = Path(__file__).resolve().parent

DEBIAN_MODULES = Path("/usr/share/puppet/modules")
SITES = 50
SYSTEMS = (("12", "bookworm"), ("11", "bullseye"))
ROLES = ("web", "database", "proxy", "cache")

DEBIAN_FILES = {
    "environment.conf": f"modulepath = site:{DEBIAN_MODULES}\n",
    "wherefrom.toml": f'environment = "."\nfacts = "facts"\nmodulepath = ["site", "{DEBIAN_MODULES}"]\n',
    "hiera.yaml": (
        "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n"
        "  - {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n"
        "  - {name: site, path: 'site/%{facts.site}.yaml'}\n"
        "  - {name: role, path: 'role/%{facts.role}.yaml'}\n"
        "  - {name: system, path: 'system/%{facts.os.distro.codename}.yaml'}\n"
        "  - {name: everywhere, path: common.yaml}\n"
    ),
    "manifests/site.pp": (
        "node default {\n  include profile::base\n  include \"profile::${facts['role']}\"\n}\n"
    ),
    "site/profile/manifests/base.pp": (
        "class profile::base(Array[String] $admins = []) {\n  include ntp\n  include ssh\n"
        "  file { '/etc/motd': content => \"${trusted['certname']} at ${facts['site']}\\n\" }\n"
        "  $admins.each |$admin| { user { $admin: ensure => present, managehome => true } }\n}\n"
    ),
    "site/profile/manifests/web.pp": (
        "class profile::web(Integer $sites = 4, Integer $timeout = 60) {\n"
        "  class { 'apache': default_vhost => false, mpm_module => 'prefork', timeout => $timeout }\n"
        "  include apache::mod::rewrite\n  include apache::mod::headers\n  include apache::mod::ssl\n"
        "  Integer[1, $sites].each |$i| {\n    apache::vhost { \"site${i}.${facts['site']}.example.com\":\n"
        "      port => 80, docroot => \"/srv/www/site${i}\", serveraliases => [\"www${i}\"],\n    }\n  }\n}\n"
    ),
    "site/profile/manifests/database.pp": (
        "class profile::database(Integer $databases = 3, Hash $settings = {}) {\n"
        "  class { 'mysql::server': override_options => { 'mysqld' => $settings } }\n"
        "  Integer[1, $databases].each |$i| {\n"
        "    mysql::db { \"db${i}\": user => \"user${i}\", password => 'x', host => 'localhost', grant => ['ALL'] }\n"
        "  }\n}\n"
    ),
    "site/profile/manifests/proxy.pp": (
        "class profile::proxy(Array[String] $backends = []) {\n  include haproxy\n"
        "  haproxy::listen { 'web': ipaddress => '*', ports => '80' }\n"
        "  $backends.each |$index, $name| {\n    haproxy::balancermember { $name: listening_service => 'web',\n"
        "      server_names => $name, ipaddresses => \"10.0.0.${index}\", ports => '80', options => 'check' }\n  }\n}\n"
    ),
    "site/profile/manifests/cache.pp": (
        "class profile::cache(String $memory = '256mb') {\n"
        "  class { 'redis': bind => '127.0.0.1', maxmemory => $memory }\n"
        "  class { 'memcached': max_memory => 256, listen_ip => '127.0.0.1' }\n}\n"
    ),
    "data/common.yaml": (
        "ntp::servers: [0.pool.ntp.org, 1.pool.ntp.org]\nprofile::base::admins: [ada, grace]\n"
        "ssh::storeconfigs_enabled: false\nssh::server_options:\n  PasswordAuthentication: 'no'\n"
    ),
    "data/role/proxy.yaml": "profile::proxy::backends: [web1, web2, web3]\n",
    "data/role/database.yaml": "profile::database::settings:\n  max_connections: 200\n",
    "data/system/bullseye.yaml": "profile::cache::memory: 128mb\n",
}  # fmt: skip


def debian_fleet(folder: Path, nodes: int) -> list[str]:
    """An environment over Debian's modules at `folder`, with so many nodes; their names."""
    for name, text in DEBIAN_FILES.items():
        _write(folder / name, text)
    for index in range(SITES):
        _write(folder / f"data/site/site{index:02d}.yaml", f"ntp::servers: [ntp.site{index:02d}.example.org]\n")
    facts = json.loads((HERE / "debian/facts.json").read_text(encoding="utf-8"))
    names: list[str] = []
    for number in range(nodes):
        role, site = ROLES[number % 4], f"site{number // 4 % SITES:02d}"
        release, codename = SYSTEMS[number // (4 * SITES) % 2]
        name = f"{role}{number:05d}.{site}.example.org"
        system = {**facts["os"], "release": {"major": release, "full": f"{release}.1", "minor": "1"}}
        system["distro"] = {**facts["os"].get("distro", {}), "codename": codename, "release": system["release"]}
        networking = {**facts.get("networking", {}), "fqdn": name, "hostname": name.partition(".")[0]}
        networking["ip"] = f"10.{number // 62_500}.{number // 250 % 250}.{number % 250}"
        own = {**facts, "os": system, "networking": networking, "role": role, "site": site}
        _write(folder / f"facts/{name}.json", json.dumps(own))
        names.append(name)
    return names


def example_fleet(folder: Path, nodes: int) -> list[str]:
    """The example repository at `folder`, with so many nodes; their names."""
    return fleet.generate(folder, nodes)


FLEETS = {"example": example_fleet, "debian": debian_fleet}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Write the fleet that the command line names."""
    if len(sys.argv) != 4 or sys.argv[1] not in FLEETS or not sys.argv[2].isdigit():
        print("\n".join((__doc__ or "").splitlines()[:4]), file=sys.stderr)
        return 0 if len(sys.argv) == 1 else 2
    if sys.argv[1] == "debian" and not DEBIAN_MODULES.is_dir():
        print(f"Debian's modules are not here: {DEBIAN_MODULES}", file=sys.stderr)
        return 2
    print(f"{len(FLEETS[sys.argv[1]](Path(sys.argv[3]), int(sys.argv[2])))} nodes in {sys.argv[3]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

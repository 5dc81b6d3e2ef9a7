"""A realistic fleet of any size, over Debian's Puppet modules: the same one for the same number of nodes and seed.

    python bench/fleet_generator.py 1000 DIRECTORY [SEED]     # needs Debian's packages puppet-module-*

The directory is an environment of roles and profiles (`bench/realistic`), with data by node, role, site and system,
`facts/NODE.json` and a `wherefrom.toml`; `wherefrom fleet compile --store STORE --trust` there compiles it (its modules
lie elsewhere). Nodes are of four kinds:

| kind    | nodes | roles                        | resources |
|---------|-------|------------------------------|-----------|
| `small` | 60 %  | bastion, cache, mail, monitor, runner | about 60 |
| `db`    | 20 %  | database, ledger             | about 200 |
| `web`   | 15 %  | web                          | about 400 |
| `cloud` | 5 %   | cloud                        | about 700 |

They stand at twelve sites, run six operating systems, and have facts as real nodes do: numbers, uptimes, addresses,
disks, most of which no manifest asks for. Every node exports its `sshkey` and a `host`; bastions collect the keys of
their site, monitors the hosts, web servers export a backend that the caches of their site collect. Passwords of
databases are encrypted (`eyaml`) unless the fleet is `plain`, as where real Puppet without hiera-eyaml is asked.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
KEYS = HERE.parent / "examples/control/keys"

MODULES = Path("/usr/share/puppet/modules")
SITES = tuple(f"{town}{number}" for town in ("ams", "ber", "cph", "dub", "lis", "osl") for number in (1, 2))
KINDS = {"small": 60, "db": 20, "web": 15, "cloud": 5}
"""The kinds of nodes, and how many of a hundred are of each."""
ROLES = {
    "small": ("bastion", "cache", "mail", "monitor", "runner"),
    "db": ("database", "ledger"),
    "web": ("web",),
    "cloud": ("cloud",),
}


class System(NamedTuple):
    """An operating system."""

    name: str
    family: str
    release: str
    codename: str


SYSTEMS = (
    System("Debian", "Debian", "11.9", "bullseye"),
    System("Debian", "Debian", "12.4", "bookworm"),
    System("Ubuntu", "Debian", "20.04", "focal"),
    System("Ubuntu", "Debian", "22.04", "jammy"),
    System("CentOS", "RedHat", "8.5", "Core"),
    System("Rocky", "RedHat", "9.3", "Blue Onyx"),
)

FILES = {
    "environment.conf": f"modulepath = site:{MODULES}\n",
    "wherefrom.toml": f'environment = "."\nfacts = "facts"\nmodulepath = ["site", "{MODULES}"]\n',
}
SECRET = "not-a-secret"


def generate(folder: Path, nodes: int, seed: int = 1, plain: bool = False) -> dict[str, list[str]]:
    """The fleet at `folder`: the names of its nodes, by kind.  `plain`: no data is encrypted."""
    chance = random.Random(seed)
    shutil.copytree(HERE / "realistic", folder)
    for name, text in {**FILES, **_data(plain)}.items():
        _write(folder / name, text)
    if not plain:
        for key in KEYS.iterdir():
            _write(folder / "keys" / key.name, key.read_text(encoding="utf-8"))
    shared = json.loads((HERE / "debian/facts.json").read_text(encoding="utf-8"))
    names: dict[str, list[str]] = {kind: [] for kind in KINDS}
    (folder / "facts").mkdir()
    for number in range(nodes):
        kind = _kind(number)
        role = chance.choice(ROLES[kind])
        site = chance.choice(SITES)
        name = f"{role}{number:05d}.{site}.example.org"
        system = chance.choice(SYSTEMS)
        (folder / f"facts/{name}.json").write_text(json.dumps(_facts(chance, shared, name, role, site, system)))
        if chance.random() < 0.02:
            _write(folder / f"data/nodes/{name}.yaml", f"profile::base::swappiness: {chance.randrange(100)}\n")
        names[kind].append(name)
    return names


def _kind(number: int) -> str:
    """The kind of a node: each of a hundred has its place, spread so that few nodes have all kinds too."""
    place = number * 37 % 100
    for kind, share in KINDS.items():
        if place < share:
            return kind
        place -= share
    raise AssertionError(place)


def _data(plain: bool) -> dict[str, str]:
    """The hierarchy, and data for each site."""
    backend = "" if plain else (
        "    lookup_key: eyaml_lookup_key\n    options:\n      pkcs7_private_key: keys/private_key.pkcs7.pem\n"
        "      pkcs7_public_key: keys/public_key.pkcs7.pem\n"
    )  # fmt: skip
    hierarchy = (
        "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n"
        "  - {name: node, path: 'nodes/%{trusted.certname}.yaml'}\n"
        f"  - name: secrets\n    path: secrets.yaml\n{backend}"
        "  - {name: role, path: 'role/%{facts.role}.yaml'}\n"
        "  - {name: site, path: 'site/%{facts.site}.yaml'}\n"
        "  - {name: system, paths: ['system/%{facts.os.name}-%{facts.os.release.major}.yaml', "
        "'system/%{facts.os.family}.yaml']}\n"
        "  - {name: everywhere, path: common.yaml}\n"
    )
    files = {"hiera.yaml": hierarchy, "data/secrets.yaml": f"profile::database::password: {_secret(plain)}\n"}
    for number, site in enumerate(SITES):
        files[f"data/site/{site}.yaml"] = (
            f"profile::base::servers: [ntp.{site}.example.org, 10.{number}.0.1]\n"
            f"profile::database::databases: {16 + number % 5}\nprofile::web::sites: {6 + number % 3}\n"
        )
    return files


def _secret(plain: bool) -> str:
    """A password, for the keys of the example."""
    if plain:
        return SECRET
    text = (KEYS.parent / "data/role/database.yaml").read_text(encoding="utf-8")
    return "".join(text[text.index("ENC[") : text.index("]", text.index("ENC[")) + 1].split())


def _facts(chance: random.Random, shared: dict[str, Any], name: str, role: str, site: str, system: System) -> Any:
    """The facts of a node."""
    major = system.release if system.name == "Ubuntu" else system.release.partition(".")[0]
    release = {"full": system.release, "major": major, "minor": system.release.partition(".")[2]}
    host, _, domain = name.partition(".")
    address = f"10.{SITES.index(site)}.{chance.randrange(250)}.{chance.randrange(1, 250)}"
    cores = chance.choice((1, 2, 4, 8, 16, 32))
    memory = chance.choice((2, 4, 8, 16, 64)) * 1_073_741_824 - chance.randrange(50_000_000)
    distro = {"codename": system.codename, "id": system.name, "release": release}
    interfaces = {
        port: {"ip": address if port == "eth0" else f"192.168.{number}.{chance.randrange(250)}", "mtu": 1500}
        | {"mac": ":".join(f"{chance.randrange(256):02x}" for _ in range(6))}
        for number, port in enumerate(("eth0", "eth1", "docker0")[: chance.randint(1, 3)])
    }
    disks = {
        f"sd{letter}": {"size_bytes": chance.randrange(10**10, 10**12), "model": "QEMU", "serial": f"{chance.random()}"}
        for letter in "abcd"[: chance.randint(1, 4)]
    }
    mounts = {
        path: {
            "filesystem": "ext4",
            "available_bytes": chance.randrange(10**11),
            "capacity": f"{chance.randrange(99)}%",
        }
        for path in ("/", "/boot", "/var", "/srv")
    }
    return {
        **shared,
        "role": role,
        "site": site,
        "fqdn": name,
        "hostname": host,
        "domain": domain,
        "clientcert": name,
        "ipaddress": address,
        "osfamily": system.family,
        "operatingsystem": system.name,
        "operatingsystemrelease": system.release,
        "operatingsystemmajrelease": major,
        "lsbdistcodename": system.codename,
        "lsbdistid": system.name,
        "os": {**shared["os"], "name": system.name, "family": system.family, "release": release, "distro": distro},
        "networking": {"fqdn": name, "hostname": host, "domain": domain, "ip": address, "interfaces": interfaces},
        "processors": {"count": cores, "physicalcount": 1, "models": ["Xeon"] * cores, "isa": "x86_64"},
        "processorcount": cores,
        "memory": {"system": {"total_bytes": memory, "available_bytes": chance.randrange(memory), "used": "1 GiB"}},
        "memorysize_mb": memory / 1_048_576,
        "uptime_seconds": chance.randrange(10**7),
        "load_averages": {"1m": chance.random(), "5m": chance.random(), "15m": chance.random()},
        "disks": disks,
        "mountpoints": mounts,
        "ssh": {"ed25519": {"key": f"AAAA{chance.getrandbits(256):064x}", "type": "ssh-ed25519"}},
        "is_virtual": chance.random() < 0.8,
        "os_service_default": "<SERVICE DEFAULT>",
        "os_workers": max(2, cores // 2),
        "os_package_type": system.family.lower(),
    }


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> int:
    """Write the fleet that the command line asks for."""
    if len(sys.argv) not in (3, 4) or not all(word.isdigit() for word in (sys.argv[1], *sys.argv[3:])):
        print("\n".join((__doc__ or "").splitlines()[:3]), file=sys.stderr)
        return 0 if len(sys.argv) == 1 else 2
    if not MODULES.is_dir():
        print(f"Debian's modules are not here: {MODULES}", file=sys.stderr)
        return 2
    names = generate(Path(sys.argv[2]), int(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    told = ", ".join(f"{len(several)} {kind}" for kind, several in names.items())
    print(f"{told} nodes in {sys.argv[2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

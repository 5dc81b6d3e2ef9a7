"""Example facts of usual operating systems, to start from: `wherefrom init --facts debian-12`.

They are made from a table, not taken from machines: what decides in most modules (family, name, release, kernel,
service provider, paths) is as Facter 4 says it of a fresh installation; addresses and sizes are examples. Old names of
facts (`osfamily`, `ipaddress`) are there too, as Puppet 7 has them. Facts of a real node replace them.
"""

from __future__ import annotations

from typing import Any

from .base.record import Record


class System(Record):
    """What tells one system from the others."""

    family: str
    name: str
    release: str
    codename: str | None = None
    kernel: str = "Linux"
    kernel_release: str = "6.1.0-18-amd64"
    hardware: str = "x86_64"
    architecture: str = "x86_64"
    services: str = "systemd"
    interface: str = "eth0"


SYSTEMS = {
    "debian-11": System("Debian", "Debian", "11.9", "bullseye", "Linux", "5.10.0-28-amd64", architecture="amd64"),
    "debian-12": System("Debian", "Debian", "12.5", "bookworm", "Linux", "6.1.0-18-amd64", architecture="amd64"),
    "ubuntu-22.04": System("Debian", "Ubuntu", "22.04", "jammy", "Linux", "5.15.0-101-generic", architecture="amd64"),
    "ubuntu-24.04": System("Debian", "Ubuntu", "24.04", "noble", "Linux", "6.8.0-31-generic", architecture="amd64"),
    "redhat-9": System("RedHat", "RedHat", "9.4", "Plow", "Linux", "5.14.0-427.el9.x86_64"),
    "rocky-9": System("RedHat", "Rocky", "9.4", "Blue Onyx", "Linux", "5.14.0-427.el9.x86_64"),
    "almalinux-8": System("RedHat", "AlmaLinux", "8.9", "Midnight Oncilla", "Linux", "4.18.0-513.el8.x86_64"),
    "sles-15": System("Suse", "SLES", "15.5", None, "Linux", "5.14.21-150500.55-default"),
    "archlinux": System("Archlinux", "Archlinux", "rolling", None, "Linux", "6.8.2-arch2-1"),
    "freebsd-14": System(
        "FreeBSD", "FreeBSD", "14.0-RELEASE", None, "FreeBSD", "14.0-RELEASE", "amd64", "amd64", "freebsd",
        interface="em0",
    ),
    "windows-2022": System(
        "windows", "windows", "2022", None, "windows", "10.0.20348", "x86_64", "x64", "windows", interface="Ethernet",
    ),
}  # fmt: skip
"""By the names that `init --facts` takes."""


def facts_of_system(name: str, number: int = 1) -> dict[str, Any]:
    """The facts of a node with this system."""
    system = SYSTEMS[name]
    host, domain = node_name(name).partition(".")[::2]
    parts = system.release.replace("-RELEASE", "").split(".")
    major = system.release if system.name == "Ubuntu" else parts[0]
    release = {"full": system.release, "major": major}
    if len(parts) > 1 and system.name != "Ubuntu":
        release["minor"] = parts[1]
    os: dict[str, object] = {
        "architecture": system.architecture,
        "family": system.family,
        "hardware": system.hardware,
        "name": system.name,
        "release": release,
    }
    if system.kernel == "Linux":
        os["selinux"] = {"enabled": False}
        if system.codename is not None:
            os["distro"] = {"codename": system.codename, "id": system.name, "release": dict(release)}
    address, network = f"192.0.2.{10 + number}", "192.0.2.0"
    kernel_version = system.kernel_release.partition("-")[0]
    modern: dict[str, object] = {
        "os": os,
        "kernel": system.kernel,
        "kernelrelease": system.kernel_release,
        "kernelversion": kernel_version,
        "kernelmajversion": ".".join(kernel_version.split(".")[:2]),
        "networking": {
            "domain": domain,
            "fqdn": f"{host}.{domain}",
            "hostname": host,
            "interfaces": {
                system.interface: {
                    "ip": address, "mac": f"52:54:00:00:00:{10 + number:02x}", "netmask": "255.255.255.0",
                    "network": network,
                }
            },
            "ip": address,
            "netmask": "255.255.255.0",
            "network": network,
            "primary": system.interface,
        },
        "memory": {"system": {"total_bytes": 4_294_967_296, "total": "4.00 GiB"}},
        "processors": {"count": 2, "physicalcount": 1, "isa": system.hardware},
        "is_virtual": True,
        "virtual": "kvm",
        "service_provider": system.services,
        "timezone": "UTC",
        "facterversion": "4.3.0",
    }  # fmt: skip
    if system.kernel != "windows":
        modern["path"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        modern["identity"] = {"user": "root", "uid": 0, "group": "root", "gid": 0, "privileged": True}
    return {**modern, **_old_names(modern, system)}


def _old_names(facts: dict[str, Any], system: System) -> dict[str, Any]:
    """The facts that Puppet 7 has by their old names too."""
    os, networking = facts["os"], facts["networking"]
    old = {
        "architecture": os["architecture"],
        "domain": networking["domain"],
        "fqdn": networking["fqdn"],
        "hardwaremodel": os["hardware"],
        "hostname": networking["hostname"],
        "interfaces": system.interface,
        "ipaddress": networking["ip"],
        "operatingsystem": os["name"],
        "operatingsystemmajrelease": os["release"]["major"],
        "operatingsystemrelease": os["release"]["full"],
        "osfamily": os["family"],
        "processorcount": 2,
    }
    if "distro" in os:
        old["lsbdistcodename"] = os["distro"]["codename"]
        old["lsbdistid"] = os["distro"]["id"]
    return old


def node_name(system: str) -> str:
    """The name of the example node: `debian-12.example.org`."""
    return f"{system.replace('.', '-')}.example.org"


def facts_text(system: str, number: int) -> str:
    """The facts of a system as a file."""
    import yaml

    body: str = yaml.safe_dump(facts_of_system(system, number), sort_keys=False, allow_unicode=True)
    return f"# An example, made by `wherefrom init --facts {system}`: replace it by the facts of a real node.\n{body}"

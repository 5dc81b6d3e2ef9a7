"""The versions of Puppet that a compilation can be like: 7.23, whose language this is, and 8.

As the release notes of Puppet 8 tell, the language is the same; what differs is what doubtful code leads to. `strict`
is `error` by default and `strict_variables` true, so that unknown variables, keys written twice and texts taken for
numbers are errors; and an agent sends no legacy facts any more (`$::osfamily`, `$facts['operatingsystem']`): only
`$facts['os']` and its like are there. Settings that are given win over these defaults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

VERSIONS = {"7": "7.23.0", "8": "8.11.0"}
"""What can be asked for, and the release it stands for."""

_DEFAULTS: dict[str, dict[str, Any]] = {"8": {"strict": "error", "strict_variables": True}}

_LEGACY = re.compile(
    r"""architecture | augeasversion | (bios|board|chassis)\w* | blockdevices? | blockdevice_\w+ | dhcp_servers | domain
    | fqdn | gid | hardwareisa | hardwaremodel | hostname | id | interfaces | ipaddress6?(_\w+)? | ldom(_\w+)?
    | lsb\w+ | macaddress(_\w+)? | macosx_\w+ | manufacturer | memory(free|size)(_mb)? | memorysize | mtu_\w+
    | netmask6?(_\w+)? | network6?(_\w+)? | operatingsystem(majrelease|release)? | osfamily | physicalprocessorcount
    | processor\d+ | processorcount | productname | rubyplatform | rubysitedir | rubyversion | scope6?(_\w+)?
    | selinux(_\w+)? | serialnumber | sp_\w+ | ssh\w*key | sshfp_\w+ | swap(encrypted|free|free_mb|size|size_mb)
    | system32 | uptime(_\w+)? | uuid | windows_\w+ | xendomains | zone_\w+ | zonename | zones""",
    re.VERBOSE,
)
"""Facts that Facter calls legacy (Facter manual, "Legacy facts")."""


def defaults_of(version: str) -> Mapping[str, Any]:
    """The settings that a version has by default, where they differ from those of 7."""
    return _DEFAULTS.get(version, {})


def without_legacy(facts: Mapping[str, object]) -> dict[str, Any]:
    """Facts without those that are legacy."""
    return {name: value for name, value in facts.items() if not _LEGACY.fullmatch(name)}

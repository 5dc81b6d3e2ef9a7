"""Whether there is such an input at all: a name that nothing knows is more likely misspelt than without effect.

A fact is known if the node has it, an output's history looked for it, Facter defines it, or a manifest, template, Ruby
file or file of data mentions it. A key of the data is known if a file of data has it, the run asked for it, a class has
such a parameter, or the code mentions it. Of a classifier, what it gives is known, what the code mentions, and classes.
The files are searched only for names that nothing else knows.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, UsageError
from ...base.spell import nearest_few
from ...language import data_of
from ...provenance.extract import depends
from ...provenance.impact import ImpactTarget, names_in, recorded_names, same_file

if TYPE_CHECKING:
    from ...base.host import Host
    from ...language import Outcome
    from ..runtime.compilation import Compilation

_OPEN = "*"
"""Stands for names that a machine chooses: of its disks, interfaces and mount points."""
_FACTER = """
aio_agent_version architecture augeas augeas.version augeasversion az_metadata.* bios_release_date bios_vendor
bios_version blockdevices boardassettag boardmanufacturer boardproductname boardserialnumber chassisassettag chassistype
clientcert clientnoop clientversion cloud cloud.provider dhcp_servers dhcp_servers.* disks disks.* dmi dmi.bios
dmi.bios.release_date dmi.bios.vendor dmi.bios.version dmi.board dmi.board.asset_tag dmi.board.manufacturer
dmi.board.product dmi.board.serial_number dmi.chassis dmi.chassis.asset_tag dmi.chassis.type dmi.manufacturer
dmi.product dmi.product.name dmi.product.serial_number dmi.product.uuid dmi.product.version domain ec2_metadata.*
ec2_userdata env_windows_installdir environment facterversion filesystems fips_enabled fqdn gce.* gid hardwareisa
hardwaremodel hostname hypervisors hypervisors.* id identity identity.gid identity.group identity.privileged
identity.uid identity.user implementation interfaces ipaddress ipaddress6 is_virtual kernel kernelmajversion
kernelrelease kernelversion ldom.* load_averages load_averages.15m load_averages.1m load_averages.5m lsbdistcodename
lsbdistdescription lsbdistid lsbdistrelease lsbmajdistrelease lsbminordistrelease lsbrelease macaddress manufacturer
memory memory.swap.* memory.system.* memoryfree memoryfree_mb memorysize memorysize_mb mountpoints mountpoints.* mtu
mtu.* netmask netmask6 network network6 networking networking.dhcp networking.domain networking.fqdn
networking.hostname networking.interfaces networking.interfaces.* networking.ip networking.ip6 networking.mac
networking.mtu networking.netmask networking.netmask6 networking.network networking.network6 networking.primary
networking.scope6 nim_type operatingsystem operatingsystemmajrelease operatingsystemrelease os os.architecture os.distro
os.distro.codename os.distro.description os.distro.id os.distro.release os.distro.release.full os.distro.release.major
os.distro.release.minor os.distro.specification os.family os.hardware os.macosx.* os.name os.release os.release.branch
os.release.full os.release.major os.release.minor os.release.patchlevel os.selinux os.selinux.config_mode
os.selinux.config_policy os.selinux.current_mode os.selinux.enabled os.selinux.enforced os.selinux.policy_version
os.windows.* osfamily partitions partitions.* path physicalprocessorcount processorcount processors processors.cores
processors.count processors.extensions processors.isa processors.models processors.physicalcount processors.speed
processors.threads productname ps puppetversion ruby ruby.platform ruby.sitedir ruby.version rubyplatform rubysitedir
rubyversion scope6 selinux selinux_config_mode selinux_config_policy selinux_current_mode selinux_enforced
selinux_policyversion serialnumber serverip serverip6 servername serverversion solaris_zones.* ssh ssh.* sshdsakey
sshecdsakey sshed25519key sshrsakey swapfree swapfree_mb swapsize swapsize_mb system32 system_profiler.* system_uptime
system_uptime.days system_uptime.hours system_uptime.seconds system_uptime.uptime timezone uptime uptime_days
uptime_hours uptime_seconds uuid virtual xen xen.domains xendomains zfs_featurenumbers zfs_version zonename zones
zpool_featureflags zpool_featurenumbers zpool_version agent_specified_environment
""".split()
"""The facts of Facter 4, structured and legacy, and those that the agent adds."""
_NUMBERED = re.compile(
    r"(?:ipaddress6?|netmask6?|network6?|macaddress|mtu|scope6|speed)_\w+|processor\d+|sp_\w+|ldom_\w+|ec2_\w+"
    r"|blockdevice_\w+_(?:model|size|vendor)|zone_\w+|macosx_\w+|sshfp_\w+"
)
_TRUSTED = ["authenticated", "certname", "domain", "extensions", "extensions.*", "external", "external.*", "hostname"]
_FOLDERS = ("manifests", "templates", "functions", "lib", "types", "data", "plans")
_SUFFIXES = (".pp", ".epp", ".erb", ".rb", ".yaml", ".yml", ".json", ".eyaml", ".conf", ".tpl", ".tmpl", "")
MAX_FILES = 20_000
"""Files that are searched for a name; a larger environment is taken to know it."""


def unknown_input(outcome: Outcome, run: Compilation, asked: ImpactTarget, others: Iterable[str]) -> UsageError | None:
    """What is wrong with the name of an input; nothing if it is known, or can not be known."""
    if asked.line is not None or not asked.name:
        return None
    known = list(recorded_names((output.origin for output in outcome.outputs()), asked.kind))
    match asked.kind:
        case "fact":
            known = [*names_in(run.inputs.facts or {}), *known, *others, *_FACTER]
            is_known = _has(known, asked.name) or _NUMBERED.fullmatch(asked.name) is not None
            what = "fact"
        case "trusted":
            known = [*names_in(run.inputs.trusted or {}), *known, *_TRUSTED]
            is_known, what = _has(known, asked.name), "trusted fact"
        case "hiera":
            known = [*known, *others, *(key.key for key in data_of(outcome).data_keys()), *data_of(outcome).keys_read()]
            is_known = (
                _has(known, asked.name) or _is_parameter(outcome, run, asked.name) or _inside(outcome, asked.name)
            )
            what = "key of the data"
        case "classifier":
            known = [*known, *map(str, run.inputs.classes), *map(str, run.inputs.parameters)]
            is_known = _has(known, asked.name) or run.environment.find_class(asked.name) is not None
            what = "class or parameter of a classifier"
        case "file":
            pointed = (leaf for output in outcome.contents() or () for leaf in depends(output.origin))
            known = [*outcome.sources, *known, *(leaf.name for leaf in pointed if leaf.kind == "file")]
            is_known = any(
                same_file(name, asked.name) or name.startswith(asked.name.rstrip("/") + "/") for name in known
            )
            is_known = is_known or run.environment.host.kind(_below(outcome, run, asked.name)) is not None
            is_known = is_known or any(same_file(path, asked.name) for path, _ in _files(outcome, run))
            what = "file"
        case _:
            return None
    if is_known or (asked.kind in ("fact", "hiera", "classifier") and _is_mentioned(outcome, run, asked.name)):
        return None
    near = nearest_few(asked.name, sorted(name for name in dict.fromkeys(known) if name and _OPEN not in name))
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return UsageError(f"unknown {what} {asked.name}{hint} (--absent allows names that do not exist yet)")


def _has(known: Iterable[str], name: str) -> bool:
    """Whether a name is known, or one below what is open, or a part of an element of a list."""
    for candidate in known:
        if candidate == name:
            return True
        if candidate.endswith(f".{_OPEN}") and (name == candidate[:-2] or name.startswith(candidate[:-1])):
            return True
    base, bracket, _ = name.partition("[")
    return bool(bracket) and _has(known, base)


def _is_parameter(outcome: Outcome, run: Compilation, key: str) -> bool:
    name, mark, parameter = key.rpartition("::")
    definition = run.environment.find_class(name) if mark else None
    return definition is not None and any(declared.name == parameter for declared in definition.parameters)


def _inside(outcome: Outcome, name: str) -> bool:
    """Whether `a.b` is a part of what some level says about `a`."""
    key, *steps = name.split(".")
    if not steps:
        return False
    for rung in data_of(outcome).lookup(key).rungs:
        value = rung.value if rung.has_value else None
        for step in steps:
            if isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            else:
                value = value.get(step) if isinstance(value, Mapping) else None
        if value is not None:
            return True
    return False


def _is_mentioned(outcome: Outcome, run: Compilation, name: str) -> bool:
    """Whether a file of the environment has the name, written as code and data write it."""
    steps = [re.escape(step) for step in name.split(".")]
    whole = re.escape(name)
    patterns = [re.compile(rf"(?<![\w.]){whole}(?![\w.])")]
    patterns += [re.compile(rf"(?:['\"$.@]|::|\[:){step}(?!\w)") for step in steps] if len(steps) > 1 else []
    for number, (_, text) in enumerate(_files(outcome, run)):
        if number >= MAX_FILES or patterns[0].search(text):
            return True
        if len(patterns) > 1 and all(pattern.search(text) for pattern in patterns[1:]):
            return True
    return False


def _below(outcome: Outcome, run: Compilation, name: str) -> str:
    root = run.environment.root
    return posixpath.join(root, name) if root is not None and not name.startswith("/") else name


def _files(outcome: Outcome, run: Compilation) -> Iterator[tuple[str, str]]:
    """The files of code and data of the environment, with their texts."""
    environment = run.environment
    seen: set[str] = set()
    for path, source in list(outcome.sources.items()):
        seen.add(path)
        if not path.startswith("--"):  # what options say mentions nothing
            yield path, source.text
    folders = [posixpath.join(directory, folder) for _, directory in environment.modules() for folder in _FOLDERS]
    if environment.root is not None:
        folders += [posixpath.join(environment.root, "manifests")]
    for folder in [*folders, *data_of(outcome).data_directories()]:
        for path in _walk(environment.host, folder):
            if path not in seen and posixpath.splitext(path)[1] in _SUFFIXES:
                seen.add(path)
                try:
                    yield path, environment.host.source(path).text
                except Diagnostic:
                    continue  # no text, or not to be read


def _walk(host: Host, folder: str, deepest: int = 12) -> Iterator[str]:
    if not deepest or host.kind(folder) != "directory":
        return
    for name in host.list_directory(folder):
        path = posixpath.join(folder, name)
        match host.kind(path):
            case "file":
                yield path
            case "directory":
                yield from _walk(host, path, deepest - 1)

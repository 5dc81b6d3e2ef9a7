"""Resource types that were Puppet's own until Puppet 6, and are those of modules which its packages ship since.

Code that declares a `mount` works on every server, although nobody has installed a module for it: Puppet's packages
have it in `/opt/puppetlabs/puppet/vendor_modules`, and distributions in packages of their own. wherefrom knows only the
modules of the modulepath. Source: the `*_core` repositories, and `configs/components/module-*` of puppet-agent's build.
"""

from __future__ import annotations

_TYPES = {
    "augeas_core": "augeas",
    "cron_core": "cron",
    "host_core": "host",
    "k5login_core": "k5login",
    "macdslocal_core": "computer macauthorization mcx",
    "mailalias_core": "mailalias",
    "maillist_core": "maillist",
    "mount_core": "mount",
    "nagios_core": "nagios_command nagios_contact nagios_contactgroup nagios_host nagios_hostdependency "
    "nagios_hostescalation nagios_hostextinfo nagios_hostgroup nagios_service nagios_servicedependency "
    "nagios_serviceescalation nagios_serviceextinfo nagios_servicegroup nagios_timeperiod",
    "network_device_core": "interface router vlan",
    "scheduled_task": "scheduled_task",
    "selinux_core": "selboolean selmodule",
    "sshkeys_core": "ssh_authorized_key sshkey",
    "yumrepo_core": "yumrepo",
    "zfs_core": "zfs zpool",
    "zone_core": "zone",
}
MODULE_OF = {name: module for module, names in _TYPES.items() for name in names.split()}
"""By the names of types: the modules that have them."""


def shipped_by(name: str) -> str | None:
    """What to say about a type that is not there, if a module that Puppet's packages ship has it."""
    lower = name.lower().removeprefix("::")
    module = MODULE_OF.get(lower)
    if module is None:
        return None
    return (
        f"{lower} is a type of the module puppetlabs-{module}, which Puppet's packages ship "
        "(in /opt/puppetlabs/puppet/vendor_modules): install it, or name its directory with --modulepath"
    )

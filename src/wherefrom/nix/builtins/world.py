"""Builtins that reach outside: the environment, which a host may show, and the network, which is never used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernel.values import Slot
from .registry import builtin
from .support import input_slot, need_plain_string

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("getEnv")
def get_env(machine: Machine, name: Slot) -> Slot:
    """An environment variable, or the empty string.  Only variables that were allowed by name can be seen.

    nix> builtins.getEnv "NO_SUCH_VARIABLE"
    ""
    """
    wanted = need_plain_string(name)
    return input_slot(machine, "environment", wanted, machine.host.environment(wanted) or "")

"""Random requests of the kinds that bulk comparison with real Puppet once found wanting; `KINDS` has them by name."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .puppet_corner_objects import make_objects, make_sets
from .puppet_corner_requests import (
    make_classified,
    make_deferred,
    make_forms,
    make_module_data,
    make_sensitive,
    make_tasks,
)
from .puppet_corner_types import make_types

KINDS: dict[str, Callable[[Random], dict[str, Any]]] = {
    "types": make_types,
    "objects": make_objects,
    "sets": make_sets,
    "classified": make_classified,
    "module_data": make_module_data,
    "sensitive": make_sensitive,
    "deferred": make_deferred,
    "tasks": make_tasks,
    "forms": make_forms,
}

"""What one value depends on, as a masked run tells it: three groups of inputs."""

from __future__ import annotations

from typing import NamedTuple

from ...provenance.origins import Leaf


class InputGroups(NamedTuple):
    """The inputs of one value, in order of files and lines."""

    value: tuple[Leaf, ...]
    """What computing it used."""
    shape: tuple[Leaf, ...]
    """What else decided that there is such an attribute or element at all."""
    library: tuple[Leaf, ...]
    """The files of libraries that either used, each as a whole."""

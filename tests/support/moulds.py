"""Nodes that are like another one, and whether what is made from that one's catalog is what is compiled for them."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from support.puppet_dependency_programs import NODES, ROOT, WORDS, World
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.cli.options import Invocation
from wherefrom.fleet.rows import Form
from wherefrom.language import Inputs
from wherefrom.provenance.origins import Leaf
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome

STRANGE = ("zz7", "A B", "7", "Web1", "x-y.z", "/etc/x", "File[/a]", "", "true")
"""Values that no program compares anything with, and some that are easily taken for something else."""


def inputs_of(world: World) -> Inputs:
    """What a compilation of a world is given."""
    options: dict[str, Any] = {
        "classes": world.classes,
        "parameters": world.parameters,
        "settings": {"strict": "off", "storeconfigs": True},
        "ledger": True,
    }
    return Inputs(world.node, world.facts, options)


def compiled(world: World) -> PuppetOutcome | None:
    """The outcome of a world, with what its run did beside; nothing if it does not compile."""
    try:
        return LANGUAGE.run(ROOT, PureHost(world.files), inputs_of(world))
    except WherefromError:
        return None


def neighbour(chance: Random, world: World) -> World:
    """The same files, another node: another name, or some other facts, or fewer."""
    facts = deepcopy(dict(world.facts))
    name = world.node
    for _ in range(chance.randrange(1, 4)):
        if chance.random() < 0.3:
            name = chance.choice((*NODES, "web9", "other.example.org", "a"))
            continue
        holder: dict[str, Any] = facts
        key = chance.choice(sorted(holder)) if holder else "role"
        while isinstance(holder.get(key), dict) and holder[key] and chance.random() < 0.9:
            holder = holder[key]
            key = chance.choice(sorted(holder))
        if chance.random() < 0.1:
            holder.pop(key, None)
        elif chance.random() < 0.1:
            holder[key] = chance.choice((7, True, None, ["a"], {"a": "b"}))
        else:
            holder[key] = chance.choice((*WORDS, *STRANGE, f"word{chance.randrange(1000)}"))
    return world._replace(node=name, facts=facts)


def rows(form: Form) -> list[Any]:
    """Everything that a form says, with sets by content."""
    bundles = [[_named(form.things[member]) for member in members] for members in form.bundles]
    sets = [sorted({name for member in members for name in bundles[member]}) for members in form.sets]
    attributes = [[*row[:4], sets[row[4]]] for row in form.attributes]
    return [form.resources, attributes, form.edges, form.answered]


def _named(member: Any) -> str:
    if isinstance(member, Leaf):
        return repr((member.key, member.absent))
    return repr((member.file.identity, member.start, member.end))


def invocation_for(root: Path) -> Invocation:
    """A request for the environment at `root`, whose nodes have their facts there, and no other options."""
    options: dict[str, Any] = dict.fromkeys(
        ("budget", "language", "node", "enc", "exports", "inventory", "puppetdb", "cert", "key", "ca",
         "modulepath", "hiera", "environment", "puppet_version", "attr",
         "nix_version", "inputs_directory", "home", "max_nodes", "max_nesting", "max_source")
    )  # fmt: skip
    options.update(dict.fromkeys(("strict_variables", "ruby", "no_cache"), False))
    many = ("root", "eyaml_key", "include", "arg", "argstr", "features", "override_input", "library", "env")
    options.update(dict.fromkeys(many, ()))
    return Invocation({**options, "no_settings": True, "facts": str(root / "facts")})

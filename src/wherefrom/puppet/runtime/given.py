"""What a compilation is given about its node, from what a run is given."""

from __future__ import annotations

from collections.abc import Mapping

from ...base.diagnostics import UsageError
from ...language import Inputs
from .inputs import NodeInputs, agent_facts
from .versions import VERSIONS, without_legacy


def node_inputs(inputs: Inputs) -> NodeInputs:
    """What a compilation is given about its node.

    An agent sends more facts than the tool that gathers them finds, and the server knows its own version; both are of
    the version whose language this is.
    """
    options = inputs.options
    facts = dict(inputs.facts)
    node = inputs.node or node_name(facts)
    version = puppet_version(options)
    if version != "7":
        facts = without_legacy(facts)
    if options.get("agent_facts", True):
        facts = {**agent_facts(node, VERSIONS[version]), **facts}
    return NodeInputs(
        node,
        facts,
        options.get("trusted"),
        options.get("parameters"),
        options.get("classes"),
        None,
        {"serverversion": VERSIONS[version], **(options.get("server_facts") or {})},
        options.get("changed_parameters"),
    )


def puppet_version(options: Mapping[str, object]) -> str:
    """The Puppet version to emulate.  Raises `UsageError` for one that is not known."""
    given = str(options.get("puppet_version") or "7")
    version = given.partition(".")[0]
    if version not in VERSIONS:
        raise UsageError(f"unknown Puppet version {given}: expected one of {', '.join(VERSIONS)}")
    return version


def node_name(facts: Mapping[str, object]) -> str:
    """The name of a node that is not named: what its facts say, or `localhost`."""
    networking = facts.get("networking")
    if isinstance(networking, Mapping) and networking.get("fqdn"):
        return str(networking["fqdn"])
    return str(facts.get("fqdn") or facts.get("clientcert") or "localhost")

"""From a path, a host and inputs to an environment, and from there to the compilation for a node.

A file is a manifest of its own; a directory is an environment: `environment.conf`, `manifests/`, `modules/`,
`hiera.yaml`. Options: `modulepath` (directories), `environment` (its name), `manifest` (in place of the environment's
own), `hiera` (the environment's configuration of Hiera), `hiera_config` (that of the global layer, which comes before
it), `strict`, `strict_variables`, `trusted`, `classes` and `parameters` (what an external node classifier says),
`settings` (any other), `eyaml_keys` (files of private keys), `puppet_version` (`7` or `8`), `server_facts`
(`servername`, `serverip`), `agent_facts` (false: an agent adds nothing to the facts), `no_cache`, `ruby` (true: a
function that wherefrom's own Ruby can not run is asked of a Ruby process), `exports` (who knows what other nodes export,
for collectors; with `storeconfigs`), `database` (who answers `puppetdb_query`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.deep import with_deep_stack
from ..base.diagnostics import OutsideRoots
from ..base.host import Host, RealHost
from ..base.witness import Witness
from ..base.workshop import Workshop
from ..language import Inputs
from .environment.environment import Environment
from .environment.modules import manifest_sources
from .output.outcome import PuppetOutcome
from .output.wire import wire_value
from .runtime.given import node_inputs, puppet_version
from .runtime.ledger import Ledger
from .runtime.phases import compile_catalog, new_compilation
from .runtime.versions import defaults_of

if TYPE_CHECKING:
    from .runtime.compilation import Compilation
    from .syntax.cache import TreeCache

_SETTINGS = ("strict", "strict_variables", "storeconfigs")
ENVIRONMENT_OPTIONS = (
    *_SETTINGS,
    "modulepath",
    "environment",
    "manifest",
    "hiera",
    "hiera_config",
    "settings",
    "eyaml_keys",
    "puppet_version",
    "no_cache",
)
"""The options that decide what an environment is; the others are about one run."""


def open_environment(path: str, host: Host, inputs: Inputs) -> Environment:
    """The code at `path`, ready to be compiled for any node."""
    options = inputs.options
    version = puppet_version(options)
    settings = {**defaults_of(version), **(options.get("settings") or {})}
    settings.update({name: options[name] for name in _SETTINGS if options.get(name) is not None})
    name = str(options.get("environment") or settings.get("environment") or "production")
    settings["environment"] = name
    modulepath = directories(options.get("modulepath"))
    hiera = str(options["hiera"]) if options.get("hiera") else None
    everywhere = str(options["hiera_config"]) if options.get("hiera_config") else None
    # One file is parsed sooner than a cache is set up.
    many = bool(modulepath) or host.is_directory(path)
    cached = many and isinstance(host, RealHost | Witness) and not options.get("no_cache")
    cache = _cache() if cached else None
    if not host.is_directory(path):
        everywhere = everywhere or hiera
        data = _data(host, None, everywhere) if everywhere or modulepath else None
        _open_eyaml(data, options)
        return Environment(host, manifest_sources(host, path), modulepath, settings, name, None, data, cache, version)
    configuration = _configuration(host, path)
    own = [_below(path, folder) for folder in configuration.get("modulepath", "modules").split(":") if folder]
    manifest = str(options.get("manifest") or _below(path, configuration.get("manifest", "manifests")))
    _check_allowed(host, path, [*own, manifest])
    sources = manifest_sources(host, manifest) if host.exists(manifest) else []
    data = _data(host, path, everywhere, hiera)
    _open_eyaml(data, options)
    return Environment(host, sources, [*modulepath, *own], settings, name, path, data, cache, version)


def _cache() -> TreeCache:
    """The cache of parsed files, for environments of many."""
    from .syntax.cache import TreeCache, default_directory

    return TreeCache(default_directory())


def _data(host: Host, root: str | None, everywhere: str | None, own: str | None = None) -> Any:
    """Hiera, imported only if there may be data."""
    from .hiera import Data

    return Data(host, root, everywhere, own)


def _open_eyaml(data: Any, options: Mapping[str, Any]) -> None:
    """Read the keys of encrypted data, which are given by name and lie anywhere."""
    files = tuple(options.get("eyaml_keys") or ())
    if data is not None and files:
        from .hiera.eyaml import Eyaml

        data.eyaml = Eyaml(RealHost([posixpath.dirname(file) or "." for file in files]), files)


class Program:
    """An environment, compiled once, that gives the catalogs of many nodes."""

    def __init__(self, environment: Environment, workshop: Workshop | None = None) -> None:
        self.environment = environment
        self.workshop = workshop

    def run(self, inputs: Inputs) -> PuppetOutcome:
        """The catalog of one node."""
        run = self.start(inputs)
        with_deep_stack(lambda: compile_catalog(run))
        return PuppetOutcome(run, self.workshop)

    def start(self, inputs: Inputs) -> Compilation:
        """The compilation for one node, which has not begun."""
        options = inputs.options
        run = new_compilation(self.environment, node_inputs(inputs))
        run.rich_data = wire_value
        run.may_ask_ruby = bool(inputs.options.get("ruby"))
        run.exports = inputs.options.get("exports")
        run.database = inputs.options.get("database")
        if options.get("ledger"):
            run.ledger = Ledger()
        return run


_ENTRY = re.compile(r"^\s*(\w+)\s*=\s*(.*?)\s*$", re.MULTILINE)


def _configuration(host: Host, path: str) -> dict[str, str]:
    """`environment.conf`: lines `name = value`."""
    file = posixpath.join(path, "environment.conf")
    if not host.is_file(file):
        return {}
    return {name: value for name, value in _ENTRY.findall(host.source(file).text) if not name.startswith("#")}


def _check_allowed(host: Host, path: str, named: Sequence[str]) -> None:
    """Refuse an environment whose own configuration names what may not be read, however empty the rest would be."""
    for name in named:
        try:
            host.exists(name)
        except OutsideRoots as problem:
            raise problem.with_note(f"named by {posixpath.join(path, 'environment.conf')}") from None


def directories(given: str | Iterable[str] | None) -> list[str]:
    """A module path as options give it: directories, or one text with colons between them."""
    if given is None:
        return []
    return [folder for folder in given.split(":") if folder] if isinstance(given, str) else list(given)


def _below(path: str, name: str) -> str:
    return name if path == "." else posixpath.join(path, name)

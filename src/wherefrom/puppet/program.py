"""From a path, a host and inputs to an environment, and from there to the compilation for a node.

A file is a manifest of its own; a directory is an environment: `environment.conf`, `manifests/`, `modules/`,
`hiera.yaml`. Options: `modulepath` (directories), `environment` (its name), `manifest` (in place of the environment's
own), `hiera` (the environment's configuration of Hiera), `hiera_config` (that of the global layer, which comes before
it), `strict`, `strict_variables`, `trusted`, `classes` and `parameters` (what an external node classifier says),
`settings` (any other), `eyaml_keys` (files of private keys), `puppet_version` (`7` or `8`), `server_facts`
(`servername`, `serverip`), `agent_facts` (false: an agent adds nothing to the facts), `no_cache`, `ruby` (true: a
function that wherefrom's own Ruby can not run is asked of a Ruby process), `exports` (who knows what other nodes
export, for collectors; with `storeconfigs`), `database` (who answers `puppetdb_query`),
`data_only` (true: no code of the node is evaluated, for questions about data where the code is broken),
`lenient` (true: code that fails is left out),
`observe` (true: the outcome knows what every expression gave; or a list of files: what those in them gave),
`answers` (a file of recorded answers of the world outside), `recorder` (who asks it, and notes what it says),
`changed_parameters` (values for parameters, whoever declares their class or define: `Class[ntp].servers`).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.deep import with_deep_stack
from ..base.diagnostics import OutsideRoots
from ..base.execution import ExecutionContext
from ..base.host import Host, RealHost
from ..base.recording import RecordingHost
from ..base.secrets import learning
from ..language import Inputs
from ..provenance.observed import Observations
from .environment.environment import Environment
from .environment.modules import manifest_sources
from .output.outcome import PuppetOutcome
from .output.wire import wire_value
from .runtime.given import node_inputs, puppet_version
from .runtime.phases import compile_catalog, new_compilation
from .runtime.versions import defaults_of

if TYPE_CHECKING:
    from .runtime.compilation import Compilation
    from .runtime.recorded import RecordedAnswers
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
    "eyaml_public_key",
    "puppet_version",
    "no_cache",
    "data_only",
    "lenient",
    "observe",
    "answers",
)
"""The options that decide what an environment is; the others are about one run."""


def open_environment(path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None = None) -> Environment:
    """The code at `path`, ready to be compiled for any node.  Environments of one `execution` share trees."""
    environment = _opened(path, host, inputs, execution)
    environment.lenient = bool(inputs.options.get("lenient"))
    environment.observing = inputs.options.get("observe") not in (None, False)
    environment.observed = observed_files(inputs)
    if inputs.options.get("answers"):
        environment.answers = _answers(host, str(inputs.options["answers"]))
        environment.sources[environment.answers.source.name] = environment.answers.source
    return environment


def observed_files(inputs: Inputs) -> frozenset[str] | None:
    """The files whose expressions are observed, by their real names; nothing, for all or none."""
    files = inputs.options.get("observe")
    return frozenset(map(posixpath.realpath, files)) if isinstance(files, list | tuple) else None


def _answers(host: Host, path: str) -> RecordedAnswers:
    """Recorded answers: those of the revision, where it has the file, else those of the work tree."""
    from .runtime.recorded import read_answers

    return read_answers(host if host.is_file(path) else RealHost([posixpath.dirname(path) or "."]), path)


def _opened(path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None) -> Environment:
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
    cached = isinstance(host, RealHost | RecordingHost) and not options.get("no_cache")
    cache = _cache(cached, execution) if many and (cached or execution is not None) else None
    if not host.is_directory(path):
        everywhere = everywhere or hiera
        data = _data(host, None, everywhere) if everywhere or modulepath else None
        _open_eyaml(data, options)
        return Environment(host, manifest_sources(host, path), modulepath, settings, name, None, data, cache, version)
    configuration = _configuration(host, path)
    own = [_below(path, folder) for folder in configuration.get("modulepath", "modules").split(":") if folder]
    manifest = str(options.get("manifest") or _below(path, configuration.get("manifest", "manifests")))
    _check_allowed(host, path, [*own, manifest])
    is_read = host.exists(manifest) and not options.get("data_only")
    sources = manifest_sources(host, manifest) if is_read else []
    data = _data(host, path, everywhere, hiera)
    _open_eyaml(data, options)
    return Environment(host, sources, [*modulepath, *own], settings, name, path, data, cache, version)


def _cache(on_disk: bool, execution: ExecutionContext | None) -> TreeCache:
    """The cache of parsed files, for environments of many."""
    from .syntax.cache import Alive, TreeCache, default_directory

    alive = None if execution is None else execution.keep(Alive)
    return TreeCache(default_directory() if on_disk else None, alive=alive)


def _data(host: Host, root: str | None, everywhere: str | None, own: str | None = None) -> Any:
    """Hiera, imported only if there may be data."""
    from .hiera import Data

    return Data(host, root, everywhere, own)


def _open_eyaml(data: Any, options: Mapping[str, Any]) -> None:
    """Read the keys of encrypted data, which are given by name and lie anywhere."""
    files = tuple(options.get("eyaml_keys") or ())
    public = options.get("eyaml_public_key")
    if data is not None and (files or public):
        from .hiera.eyaml import Eyaml

        host = RealHost([posixpath.dirname(file) or "." for file in (*files, *([public] if public else []))])
        data.eyaml = Eyaml(host, files, public)


class CatalogProgram:
    """An environment, compiled once, that gives the catalogs of many nodes."""

    def __init__(self, environment: Environment, execution: ExecutionContext | None = None) -> None:
        self.environment = environment
        self.execution = execution

    def run(self, inputs: Inputs) -> PuppetOutcome:
        """The catalog of one node."""
        run = self.start(inputs)
        with learning() as run.learned:
            if run.data is not None and run.data.data.eyaml.can_open:
                run.learned.opened = 1  # what was decrypted in an earlier run is at hand
            with_deep_stack(lambda: compile_catalog(run))
            return PuppetOutcome(run, self.execution)

    def start(self, inputs: Inputs) -> Compilation:
        """The compilation for one node, which has not begun."""
        run = new_compilation(self.environment, node_inputs(inputs))
        run.rich_data = wire_value
        run.may_ask_ruby = bool(inputs.options.get("ruby"))
        run.exports = inputs.options.get("exports")
        run.recorder = inputs.options.get("recorder")
        run.database = inputs.options.get("database")
        run.data_only = bool(inputs.options.get("data_only"))
        run.left_out = [] if inputs.options.get("lenient") else None
        run.observed = Observations() if self.environment.observing else None
        run.shows_derived = bool(inputs.options.get("show_derived"))
        run.public_outputs = tuple(inputs.options.get("public_outputs") or ())
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

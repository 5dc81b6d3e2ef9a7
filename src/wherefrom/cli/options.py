"""Options that several commands share, and how they become the inputs of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..base.budget import Budget
from ..base.diagnostics import CannotRead, Diagnostic, ManyErrors, PathNotFound, Refused, UsageError, WherefromError
from ..base.host import STANDARD_INPUT
from ..base.json_bytes import json_bytes
from ..language import Inputs, Outcome
from ..languages import language_at
from ..project import Project, find_project, nodes_of
from ..provenance.impact import names_in
from ..revisions import split_revision
from ..session import Session, host_for
from .facts import (
    Hosts,
    Inventories,
    Listing,
    bytes_for,
    fact_nodes,
    file_of_node,
    is_pattern,
    lacks,
    matching,
    one_of,
    read_classifier,
    read_facts,
    targets_named,
    the_target,
    with_facts,
)
from .modules import Modules
from .reports import report
from .streams import hidden, hide, read_input, show_derived, write_bytes
from .what_if import NO_CHANGE, WhatIf, read_what_if

if TYPE_CHECKING:
    from ..base.host import Host
    from ..causes import Again
    from ..edits import EditedSide
    from ..fleet.puppetdb import PuppetDB
    from ..fleet.rounds import Exchange
    from ..fleet.traces import DigestedSnapshot
    from ..provenance.inventory import Inventory
    from ..targets import Target, Targets

Command = TypeVar("Command", bound=Callable[..., Any])


def input_options(command: Command) -> Command:
    """The inputs of a run, as options: `--node`, `--facts` and the languages' own."""
    for decorate in reversed(_INPUT_OPTIONS):
        command = decorate(command)
    return command


def input_parameters() -> list[click.Parameter]:
    """These options."""
    command = input_options(click.Command("any", params=[]))
    parameters = list(command.params)
    parameters.reverse()
    return parameters


def _fetched(given: Sequence[str]) -> dict[str, str]:
    """Files and directories by the URLs they came from; a URL may hold `=`, a path after it may not."""
    places: dict[str, str] = {}
    for text in given:
        url, equals, path = text.rpartition("=")
        if not equals or not url or not path:
            raise UsageError(f"--fetched {text}: expected URL=PATH")
        places[url] = path
    return places


def _complete_node(context: click.Context, _parameter: click.Parameter, typed: str) -> list[str]:
    """For the shell: the nodes whose facts are known."""
    facts, inventory = context.params.get("facts"), context.params.get("inventory")
    project = find_project(str(context.params.get("path") or ".")) if facts is None and inventory is None else None
    inventory = inventory or (project.inventory if project is not None else None)
    if inventory is not None:
        targets = Inventories().read(inventory, None)
        known = sorted({*targets.nodes, *targets.aliases})
    elif project is not None:
        known = list(project.nodes) or nodes_of(project.facts)
    else:
        known = nodes_of(facts)
    return [name for name in known if name.startswith(typed)]


_INPUT_OPTIONS = [
    click.option("--node", metavar="NAME", shell_complete=_complete_node, help="The node to compile for (Puppet)."),
    click.option("--facts", metavar="FILE", help="Facts as YAML or JSON, or a directory of NODE.yaml files (Puppet)."),
    click.option("--inventory", metavar="FILE", help="The nodes: Bolt's inventory.yaml, or PuppetDB's rows (Puppet)."),
    click.option("--modulepath", metavar="DIRS", help="Directories of modules, separated by colons (Puppet)."),
    click.option(
        "--modules-from",
        metavar="DIR",
        multiple=True,
        help="Modules for a revision that does not contain them (Puppet).",
    ),
    click.option(
        "--bootstrap", is_flag=True, help="Run the setting `bootstrap` for the modules of a revision (Puppet). Unsafe."
    ),
    click.option("--hiera", metavar="FILE", help="A hiera.yaml to use (Puppet)."),
    click.option("--enc", metavar="FILE", help="A classifier's answer as YAML, or a directory of NODE.yaml (Puppet)."),
    click.option("--eyaml-key", metavar="FILE", multiple=True, help="A private key for encrypted data (Puppet)."),
    click.option("--puppet", "puppet_version", metavar="VERSION", help="Puppet version to emulate: 7 or 8 (Puppet)."),
    click.option("--environment", metavar="NAME", help="The environment's name (Puppet)."),
    click.option("--strict-variables", is_flag=True, help="Make unknown variables errors (Puppet)."),
    click.option("--exports", metavar="STORE", help="A fleet's store, to collect exported resources from (Puppet)."),
    click.option("--puppetdb", metavar="URL", help="Ask this PuppetDB for facts, exports, queries (Puppet). Network."),
    click.option("--cert", metavar="FILE", help="Client certificate for PuppetDB (Puppet)."),
    click.option("--key", metavar="FILE", help="Private key of that certificate (Puppet)."),
    click.option("--ca", metavar="FILE", help="CA certificate that signed PuppetDB's (Puppet)."),
    click.option("--answers", metavar="FILE", help="Recorded answers of DNS, programs, PuppetDB, the clock (Puppet)."),
    click.option("--ruby", is_flag=True, help="Run unsupported Ruby functions in a Ruby process (Puppet). Unsafe."),
    click.option("-A", "--attr", metavar="PATH", help="Take this attribute of the value (Nix)."),
    click.option("-I", "--include", metavar="K=V", multiple=True, help="Add to the search path (Nix, SmartFrog)."),
    click.option("--arg", nargs=2, metavar="NAME EXPR", multiple=True, help="Argument for a function (Nix)."),
    click.option("--argstr", nargs=2, metavar="NAME TEXT", multiple=True, help="The same, as a string (Nix)."),
    click.option(
        "--nix", "nix_version", metavar="VERSION", help="Nix version to emulate: 2.8, 2.18, ..., latest (Nix)."
    ),
    click.option("--feature", "features", metavar="NAME", multiple=True, help="An experimental feature (Nix)."),
    click.option("--override-input", nargs=2, metavar="NAME DIR", multiple=True, help="A flake's input (Nix)."),
    click.option("--inputs", "inputs_directory", metavar="DIR", help="A directory of unpacked flake inputs (Nix)."),
    click.option(
        "--fetched", metavar="URL=PATH", multiple=True, help="What was fetched from a URL: a directory or file (Nix)."
    ),
    click.option(
        "--library", metavar="DIR", multiple=True, help="Treat this as library code, left out of answers (Nix)."
    ),
    click.option(
        "--env",
        "env",
        metavar="NAME[=TEXT]",
        multiple=True,
        help="Environment variable that the program may read, or is given (Nix, SmartFrog).",
    ),
    click.option("--home", metavar="DIR", help="What ~/ and $HOME stand for (Nix)."),
    click.option("--root", metavar="DIR", multiple=True, help="A further directory that may be read."),
    click.option("--no-settings", is_flag=True, help="Ignore wherefrom.toml, for repositories that you do not trust."),
    click.option("--trust", is_flag=True, help="Trust wherefrom.toml for this command."),
    click.option("--language", metavar="NAME", help="smartfrog, puppet or nix (default: by suffix)."),
    click.option(
        "--level",
        type=click.Choice(["core", "forward", "production"]),
        help="Language level: the paper's, with forward links, or the production language (SmartFrog).",
    ),
    click.option("--property", "properties", metavar="NAME=TEXT", multiple=True, help="A property (SmartFrog)."),
    click.option(
        "--max-size", "max_nodes", type=int, metavar="N", help="Limit on attributes of the outcome (SmartFrog)."
    ),
    click.option("--max-nesting", type=int, metavar="N", help="Limit on nesting in the source (SmartFrog)."),
    click.option("--max-source", type=int, metavar="N", help="Limit on the size of all sources (SmartFrog)."),
    click.option("--budget", metavar="NAME=N,...", help="Limits of a run; a plain number scales all limits."),
    click.option(
        "--show-derived", is_flag=True, help="Show values computed from secrets, but not the secrets (Puppet)."
    ),
    click.option("--no-cache", is_flag=True, help="Do not use the cache of parsed files."),
]


class Invocation:
    """What the shared options say."""

    def __init__(self, options: dict[str, Any]) -> None:
        budget: str | None = options.pop("budget")
        self.session = Session(budget=None if budget is None else Budget.read(budget))
        self._sessions: dict[str | None, Session] = {} if budget is None else {None: self.session}
        """By the budget that a project's settings name: the sessions for them; an option wins."""
        self.roots: tuple[str, ...] = options.pop("root")
        self._no_settings: bool = options.pop("no_settings")
        self._trusting: bool = options.pop("trust")
        self.language: str | None = options.pop("language")
        self.node: str | None = options.pop("node")
        self.facts: str | None = options.pop("facts")
        self.inventory_file: str | None = options.pop("inventory")
        self.enc: str | None = options.pop("enc")
        self.exports: str | None = options.pop("exports")
        self._exchange: Exchange | None = None
        self.database = _database(*(options.pop(name) for name in ("puppetdb", "cert", "key", "ca")))
        self.nodes: tuple[str, ...] = ()
        self.shows_secrets = False
        said = [options.pop(name, ()) for name in ("changed_facts", "changed_data", "changed_parameters")]
        self.what_if = read_what_if(*said)
        self.modules = Modules(options.pop("modules_from"), options.pop("bootstrap"))
        self.others_said: Mapping[str, Any] = {}
        """Keys of the data that the other side of a comparison says."""
        self._listing = Listing()
        self._hosts = Hosts()
        self._inventories = Inventories()
        self._input: bytes | None = None
        self._warned: set[str] = set()
        modulepath: str | None = options.pop("modulepath")
        self.options: dict[str, Any] = {
            "modulepath": modulepath.split(":") if modulepath else None,
            "hiera": options.pop("hiera"),
            "environment": options.pop("environment"),
            "eyaml_keys": list(options.pop("eyaml_key")) or None,
            "puppet_version": options.pop("puppet_version"),
            "strict_variables": options.pop("strict_variables") or None,
            "ruby": options.pop("ruby") or None,
            "answers": options.pop("answers"),
            "attr_path": options.pop("attr"),
            "search_path": list(options.pop("include")) or None,
            "args": dict(options.pop("arg")) or None,
            "argstrs": dict(options.pop("argstr")) or None,
            "nix_version": options.pop("nix_version"),
            "features": list(options.pop("features")) or None,
            "override_inputs": dict(options.pop("override_input")) or None,
            "inputs_directory": options.pop("inputs_directory"),
            "fetched": _fetched(options.pop("fetched")) or None,
            "library": list(options.pop("library")) or None,
            "environ": _environ(options.pop("env"), options.pop("home")) or None,
            "level": options.pop("level"),
            "properties": _properties(options.pop("properties")) or None,
            "max_nodes": options.pop("max_nodes"),
            "max_nesting": options.pop("max_nesting"),
            "max_source": options.pop("max_source"),
            "no_cache": options.pop("no_cache") or None,
            "show_derived": options.pop("show_derived") or None,
        }
        self.options = {name: value for name, value in self.options.items() if value is not None}
        if "show_derived" in self.options:
            show_derived()

    def run(
        self,
        path: str | None,
        node: str | None = None,
        facts_changed: Mapping[str, object] | None = None,
        **more: object,
    ) -> Outcome:
        """Compile `path`, or the project's environment, with these inputs and what the project's settings add.

        `facts_changed` are other values for some facts, by their dotted names.
        """
        if path == STANDARD_INPUT:
            return self._run_input(node, more)
        if "expression" in self.options:
            options = {**self.options, **more}
            return self.session.evaluate(options.pop("expression"), roots=self.roots, **options)
        directory, attribute = split_flake(path or ".")
        if attribute is not None:
            chosen = self._flake_options(path or "", attribute, more)
            return self.session.run(directory, Inputs(None, {}, chosen), language="nix", roots=self.roots)
        path, given, inputs = self.inputs(path, node, facts_changed, **more)
        files = given.what_if_files() or None
        try:
            outcome = given.session.run(path, inputs, language=self.language, roots=given.roots, files=files)
        except Diagnostic as problem:
            raise given.with_other_errors(problem, path, inputs, files) from None
        given.check_what_if(outcome)
        if not self.shows_secrets:
            hide(outcome.secrets(), given.session.budget)
        return outcome

    def _flake_options(self, path: str, attribute: str, more: Mapping[str, object]) -> dict[str, object]:
        """The options of a run for `DIR#ATTR`."""
        flake = _repository_reference(path) or True
        return {**self.options, **more, "flake": flake, **({"attr_path": attribute} if attribute else {})}

    def run_with(self, path: str | None, node: str | None, files: Mapping[str, bytes | None]) -> Outcome:
        """Compile with other contents of some files, and with histories."""
        directory, attribute = split_flake(path or ".")
        if attribute is not None:
            options = self._flake_options(path or "", attribute, {"trace": True})
            inputs = Inputs(None, {}, options)
            return self.session.run(directory, inputs, language="nix", roots=self.roots, files=files or None)
        path, given, inputs = self.inputs(path, node, trace=True)
        files = {**given.what_if_files(), **files}
        outcome = given.session.run(path, inputs, language=self.language, roots=given.roots, files=files or None)
        if not self.shows_secrets:
            hide(outcome.secrets(), given.session.budget)
        return outcome

    def with_other_errors(
        self, problem: Diagnostic, path: str, inputs: Inputs, files: Mapping[str, bytes | None] | None
    ) -> Diagnostic | ManyErrors:
        """A problem that ended the compilation of a catalog, with all others of the node that do not follow from it."""
        from .left_out import independent

        is_of_code = problem.code[0] in "PR" or problem.code == Refused.code
        if "reads" in inputs.options or "data_only" in inputs.options or not is_of_code:
            return problem
        lenient = Inputs(inputs.node, inputs.facts, {**inputs.options, "lenient": True, "trace": True})
        try:
            outcome = self.session.run(path, lenient, language=self.language, roots=self.roots, files=files)
        except WherefromError:
            return problem
        others = [one for one in independent(outcome) if str(one) != str(problem)]
        return ManyErrors([problem, *others]) if others else problem

    def inputs(
        self, path: str | None, node: str | None, facts_changed: Mapping[str, object] | None = None, **more: object
    ) -> tuple[str, Invocation, Inputs]:
        """What `run` compiles, with which settings, and what it gives: a node, its facts, what is said of it."""
        path, given = self._settled(path)
        return path, given, given.given_inputs(path, node, facts_changed, **more)

    def given_inputs(
        self, path: str, node: str | None, facts_changed: Mapping[str, object] | None = None, **more: object
    ) -> Inputs:
        """The same where the settings are known already."""
        given = self
        options = {**given.options, **more}
        with given.session.budget.fresh().in_force():
            node = given.chosen_node(node or given.node, path)
            facts = with_facts(given.facts_of(path, node), {**given.what_if.facts, **(facts_changed or {})})
            classified = read_classifier(given.enc, node) if given.enc is not None else {}
            target = given.target(path, node)
        if target is not None and target.variables:  # they are in the top scope, as a classifier's parameters are
            classified["parameters"] = {**target.variables, **classified.get("parameters", {})}
        if isinstance(facts.get("trusted"), dict) and "certname" in facts["trusted"]:
            options.setdefault("trusted", facts.pop("trusted"))  # as PuppetDB keeps it, beside the facts
        said = WhatIf(data={**given.others_said, **given.what_if.data}, parameters=given.what_if.parameters)
        options = {**given.exported(), **options, **classified, **said.options()}
        return Inputs(node, facts, options)

    def again(
        self,
        before: str | None,
        after: str | None,
        nodes: Sequence[str | None] = (None, None),
        other: Invocation | None = None,
        more: Sequence[Mapping[str, Any]] = ({}, {}),
    ) -> Again | None:
        """Who compiles one of two sides again with some edits made or taken back: it knows what causes a difference.

        Nobody, for saved outcomes and what can not be read twice. The second side may be that of an `other` request;
        each side may be of a node of its own, with `more` options.
        """
        if any(
            path is not None and (path.endswith(".json") or path == STANDARD_INPUT or "#" in path)
            for path in (before, after)
        ):
            return None
        sides: list[tuple[str, Invocation, Inputs]] = []

        def compiled(side: int, changes: EditedSide) -> Outcome | None:
            from ..edits import with_inputs

            if not sides:
                asked = ((self, before), (other or self, after))
                sides.extend(
                    given.inputs(path, node, **options) for (given, path), node, options in zip(asked, nodes, more)
                )
            path, given, inputs = sides[side]
            try:
                changed = with_inputs(inputs, changes.inputs)
                files = {**given.what_if_files(), **changes.files}
                return given.session.run(path, changed, language=self.language, roots=given.roots, files=files)
            except WherefromError:
                return None

        return compiled

    def targets(self, path: str | None) -> Targets | None:
        """What the inventory says, if there is one: that of the revision of `path`, where it has one."""
        if self.inventory_file is None:
            return None
        host = self._hosts.of(self.inventory_file, path or ".")
        if host is None and not os.path.exists(self.inventory_file):
            raise CannotRead(self.inventory_file, "no such file", help=_near_file(self.inventory_file))
        return self._inventories.read(self.inventory_file, host)

    def target(self, path: str, node: str | None) -> Target | None:
        """What the inventory says of a node.  Raises `CannotRead` if it has others and not this one."""
        targets = self.targets(path)
        if targets is None or node is None:
            return None
        target = targets.nodes.get(node)
        if target is None:
            close = targets.near(node)
            raise CannotRead(
                str(self.inventory_file), f"it has no target {node}", help=f"did you mean {close}?" if close else None
            )
        return target

    def _run_input(self, node: str | None, more: dict[str, Any]) -> Outcome:
        """Compile what standard input says: Puppet, unless `--language` says otherwise."""
        if self._input is None:
            self._input = read_input().read()
        project = None if self._no_settings or self.language not in (None, "puppet") else self._project(".")
        given = self._with_settings(project) if project is not None else self
        inputs = given.given_inputs(".", node, **more)
        outcome = given.session.run("-", inputs, language=self.language, roots=given.roots, content=self._input)
        if not self.shows_secrets:
            hide(outcome.secrets(), given.session.budget)
        return outcome

    def exported(self) -> dict[str, Any]:
        """What other nodes export, as options of a run, if a store of it was named."""
        if self.exports is None:
            given = self.asking()
            return {**given, "exports": self.database, "storeconfigs": True} if given else {}
        if self._exchange is None:
            from ..fleet.rounds import Exchange

            self._exchange = Exchange.of_existing(self.exports)
            self._exchange.others = self.database
        return {**self.asking(), "exports": self._exchange, "storeconfigs": True}

    def asking(self) -> dict[str, object]:
        """Who answers queries, as options of a run, if a server was named."""
        return {} if self.database is None else {"database": self.database}

    def facts_of(self, path: str, node: str | None) -> dict[str, Any]:
        """The facts of a node: from the file that was named, else from PuppetDB if that was; over the inventory's."""
        target = self.target(path, node)
        if self.facts is not None or self.database is None:
            if target is not None and target.facts and node is not None and self._has_none(path, node):
                return dict(target.facts)
            facts = read_facts(self.facts, node, self._hosts.of(self.facts, path), self._listing)
        elif node is None:
            raise UsageError("name a node with --node; its facts are read from PuppetDB")
        else:
            facts = dict(self.database.facts(node))
        if target is None:
            return facts
        from ..targets import deep_merge

        return deep_merge(target.facts, facts)

    def _has_none(self, path: str, node: str) -> bool:
        """Whether a directory of facts has none of this node."""
        if self.facts is None:
            return False
        host = self._hosts.of(self.facts, path)
        if host is None and self._listing.file(self.facts, node) is not None:
            return False
        host = host or host_for(self.facts)
        return host.is_directory(self.facts) and file_of_node(host, self.facts, node) is None

    def of_fleet(self) -> Invocation:
        """This request, for all nodes at once: they pass what they export among themselves."""
        if self.exports is not None:
            raise UsageError("--exports works on one node; nodes of a fleet collect from each other anyway")
        return self

    def _settled(self, path: str | None) -> tuple[str, Invocation]:
        """What to compile, and this request with what the project's settings add."""
        name, revision = split_revision(path or ".")
        named = path is not None and not path.startswith("@")
        project = None if self._no_settings else self._project(name)
        name = name if named else _environment(project)
        if revision is None and not os.path.exists(name):
            raise CannotRead(name, "no such file or directory", help=_near_file(name))
        settled = self
        if project is not None and _is_puppet(name, self.language):
            settled = self._with_settings(project)
        elif project is not None:
            settled = self._with_level(project)
        if revision is None:
            return name, settled
        asked, at_revision = path or ".", f"{name}@{revision}"
        bootstrap = project.bootstrap if project is not None else ()
        modules = self.modules.of(asked, name, bootstrap, lambda: self.reader(name, at_revision))
        return at_revision, settled if modules is None else settled.with_option("modules_from", modules)

    def settled(self, path: str | None) -> tuple[str, Invocation]:
        """What to compile for `path`, and this request with the project's settings."""
        return self._settled(path)

    def reader(self, name: str, path: str) -> Host | None:
        """Who reads the file or directory `name` for `path`, a revision; nobody where that does not have it."""
        return self._hosts.of(name, path)

    def with_option(self, name: str, value: object) -> Invocation:
        """This request with one more option of the run."""
        from copy import copy

        other = copy(self)
        other.options = {**self.options, name: value}
        return other

    def _project(self, start: str) -> Project | None:
        """The project that a file or directory belongs to; what was left out of its settings is told once."""
        project = find_project(start, self._trusting)
        if project is not None and project.untrusted is not None and project.file not in self._warned:
            self._warned.add(project.file)
            report([project.untrusted])
        return project

    def what_if_files(self) -> dict[str, bytes | None]:
        """The files that only this request has: what `--data` says."""
        return dict(self.what_if.files(self.others_said))

    def check_what_if(self, outcome: Outcome) -> None:
        """Refuse a parameter of something that the catalog does not have."""
        for name in self.what_if.parameters:
            reference = name.rpartition("].")[0] + "]"
            try:
                outcome.select(reference)
            except PathNotFound as problem:
                hint = f"; {problem.help}" if problem.help else ""
                raise UsageError(f"--param {name}: {reference} is not in the catalog{hint}") from None

    def as_it_is(self) -> Invocation:
        """This request without what is only supposed: the first side of a comparison."""
        from copy import copy

        plain = copy(self)
        plain.what_if = NO_CHANGE
        plain.others_said = self.what_if.data
        return plain

    def for_other(self, node: str | None, facts: str | None) -> Invocation:
        """This request for another node, or with other facts."""
        from copy import copy

        other = copy(self)
        other.node = node or self.node
        other.facts = facts or self.facts
        return other

    def environment(self) -> str:
        """The project's environment, where the command line names nothing else."""
        return self._settled(None)[0]

    def check(self, file: str, language: str | None) -> list[Diagnostic]:
        """What is wrong with one file."""
        return self.session.check(file, language=language, **{**self.options, **self.level_of(file)})

    def level_of(self, file: str) -> dict[str, str]:
        """The option `level` for a SmartFrog file, if the command line or its project's settings choose one."""
        project = find_project(file) if file.endswith(".sf") and not self._no_settings else None
        level: str | None = self.options.get("level") or (project.level if project is not None else None)
        return {} if level is None else {"level": level}

    def check_all(self, path: str) -> list[Diagnostic]:
        """What is wrong with the environment at `path` as a whole."""
        path, given = self._settled(path)
        return given.session.check_all(path, Inputs(None, {}, given.options), roots=given.roots)

    def inventory(self, path: str | None) -> Inventory:
        """What is written in the environment at `path`, or in the project's."""
        path, given = self._settled(path)
        return given.session.inventory(path, Inputs(None, {}, given.options), roots=given.roots)

    def watched(self, path: str | None) -> list[str]:
        """The files and directories that an answer depends on."""
        directory = split_flake(path or ".")[0]
        name, given = self._settled(directory if path is not None else None)
        place = name if os.path.isdir(name) else os.path.dirname(name) or "."
        named = [given.facts, given.inventory_file, given.enc, given.options.get("hiera"), given.options.get("answers")]
        named += given.options.get("modulepath") or ()
        return list(dict.fromkeys([place, *(entry for entry in named if entry)]))

    def budget_of(self, path: str | None) -> Budget:
        """What a run of `path` may use, by the options or the project's settings."""
        is_flake = split_flake(path or ".")[1] is not None
        return (self if is_flake else self._settled(path)[1]).session.budget

    def all_nodes(self, path: str | None, patterns: str = "") -> list[str]:
        """The nodes that the inventory, the settings or the facts know; of these, those that `patterns` name.

        `web*,db01`; with an inventory, its groups and aliases too.
        """
        place, given = self._settled(path)
        with given.session.budget.fresh().in_force():
            targets = given.targets(place)
        if targets is not None:
            return targets_named(targets, patterns, str(given.inventory_file))
        host = given._hosts.of(given.facts, place)
        known = list(given.nodes) or fact_nodes(given.facts, host)
        if not known and given.facts is None and given.database is not None:
            known = given.database.nodes()
        if not patterns:
            if not known:
                if given.facts is not None:
                    raise UsageError(
                        f"{given.facts} is not a directory of NODE.yaml files: name the nodes with --nodes A,B"
                    )
                raise UsageError(
                    "no nodes are known: name them with --nodes A,B, or give --facts DIR "
                    "(one NODE.yaml per node) or --inventory FILE"
                )
            return known
        chosen: list[str] = []
        there = set(known)
        for pattern in filter(None, patterns.split(",")):
            names = [pattern] if pattern in there else matching(pattern, known)
            if not names and is_pattern(pattern):
                raise UsageError(f"no node matches {pattern}{_near(pattern, known)}")
            if not names and lacks(given.facts, pattern, host):
                raise UsageError(f"{given.facts} has no facts for {pattern}{_near(pattern, known)}")
            chosen += names or [pattern]
        return list(dict.fromkeys(chosen))

    def fact_names(self, path: str | None) -> set[str]:
        """The dotted names of the facts of every node that is known."""
        place, given = self._settled(path)
        names: set[str] = set()
        try:
            nodes = given.all_nodes(path)
        except UsageError:  # no nodes are known
            return names
        for node in nodes:
            with suppress(Diagnostic):  # a file that is wrong is told when the node is compiled
                names.update(names_in(given.facts_of(place, node)))
        return names

    def side(self, path: str | None, key: bytes) -> DigestedSnapshot:
        """The state of the files and inputs that nodes of `path` are compiled from, as digests."""
        from ..fleet.traces import DigestedSnapshot

        path, given = self._settled(path)
        inputs = Inputs(None, {}, {**given.options, "storeconfigs": True})  # as nodes of a fleet are compiled
        answers = given.session.answers(path, inputs, language=self.language, roots=given.roots)
        modulepath = [answers.question("names", folder)[1] for folder in given.options.get("modulepath") or ()]
        side = DigestedSnapshot(answers, lambda node: given.given_to(path, node, modulepath), key)
        side.database = self.database
        return side

    def gives_the_same(self, *paths: str | None) -> bool:
        """Whether a node is given the same for all of some paths: by the same settings, from the work tree."""
        settled = [self._settled(path) for path in paths]
        contexts = [(given.facts, given.inventory_file, given.enc, given.options, given.roots) for _, given in settled]
        return all(split_revision(path)[1] is None for path, _ in settled) and all(
            one == contexts[0] for one in contexts
        )

    @contextmanager
    def standing_still(self, *paths: str | None) -> Iterator[None]:
        """Inside, the files below `paths` are taken to stand still, for many nodes that are compiled one by one."""
        with ExitStack() as stack:
            sessions = [self._settled(path)[1].session for path in paths]
            for session in dict.fromkeys(sessions):
                stack.enter_context(session.execution.standing_still())
            yield

    def given_to(self, path: str, node: str, modulepath: Sequence[str]) -> bytes:
        """What a node is given besides the code, as bytes: its facts, its classifier's answer, options, versions.

        `modulepath` is the option as seen from the environment, so that two directories can give the same.
        """
        from .. import __version__

        said = sorted(item for item in self.options.items() if item[0] != "modules_from")  # what lies there is read
        said = [(name, modulepath if name == "modulepath" else value) for name, value in said]
        pieces = [__version__.encode(), repr(said).encode(), repr(self.roots).encode()]
        host = self._hosts.of(self.facts, path)
        for folder, reader in ((self.facts, host), (self.enc, None)):
            pieces.append(bytes_for(folder, node, reader, self._listing if folder == self.facts else None))
        if self.facts is None and self.database is not None:
            pieces.append(json_bytes(self.database.facts(node)))
        targets = self.targets(path)
        if targets is not None:
            target = targets.nodes.get(node)
            pieces.append(b"none" if target is None else json_bytes([target.facts, target.variables]))
        for name in self.options.get("eyaml_keys") or ():
            pieces.append(host_for(name).read_bytes(name))
        return repr((node, *pieces)).encode("utf-8", "surrogateescape")

    def chosen_node(self, name: str | None, path: str) -> str | None:
        """The node asked for, where it goes by another name too; where several are at hand, one must be named."""
        targets = self.targets(path)
        if targets is not None and (name is not None or targets.nodes):
            return the_target(targets, name, str(self.inventory_file))
        if name is not None or self.facts is None or not os.path.isdir(self.facts):
            return name
        known = nodes_of(self.facts)
        if len(known) == 1:
            return known[0]
        if not known:
            raise UsageError(f"{self.facts} has no facts (expected NODE.yaml or NODE.json files)")
        raise UsageError(f"{self.facts} has facts of {one_of(known)}")

    def _session_for(self, budget: str | None) -> Session:
        """The session for what a project lets a run use; the same each time, as it keeps what it has read."""
        if budget is None or None in self._sessions:
            return self.session
        if budget not in self._sessions:
            self._sessions[budget] = Session(budget=Budget.read(budget))
        return self._sessions[budget]

    def _with_level(self, project: Project) -> Invocation:
        """This request with what a project says of languages other than Puppet."""
        if project.level is None or "level" in self.options:
            return self
        from copy import copy

        settled = copy(self)
        settled.options = {**self.options, "level": project.level}
        return settled

    def _with_settings(self, project: Project) -> Invocation:
        """This request where it says something, the project's settings elsewhere."""
        from copy import copy

        settled = copy(self)
        settled.session = self._session_for(project.budget)
        settled.node = self.node or project.node
        settled.nodes = project.nodes
        settled.facts = self.facts or project.facts
        settled.inventory_file = self.inventory_file or project.inventory
        settled.enc = self.enc or project.enc
        settled.roots = (*self.roots, *project.roots)
        settings = {
            "modulepath": list(project.modulepath) or None,
            "hiera": project.hiera,
            "answers": project.answers,
            "environment": project.environment_name,
            "eyaml_keys": list(project.eyaml_keys) or None,
            "puppet_version": project.puppet,
            "strict_variables": project.strict_variables,
            "public_outputs": list(project.public_outputs) or None,
        }
        settled.options = {**{name: value for name, value in settings.items() if value is not None}, **self.options}
        return settled


def _near_file(name: str) -> str | None:
    """A hint for a file that is not there: the nearest name in its directory."""
    from ..base.spell import nearest

    folder, last = os.path.split(name.rstrip("/"))
    if not os.path.isdir(folder or "."):
        return f"there is no directory {folder}"
    try:
        close = nearest(last, os.listdir(folder or "."))
    except OSError:  # a directory that must not be read
        return None
    return f"did you mean {os.path.join(folder, close)}?" if close else None


def _near(name: str, known: Sequence[str]) -> str:
    from ..base.spell import nearest_host

    close = nearest_host(name, known)
    return f"; did you mean {close}?" if close else ""


def nodes_option(command: Command) -> Command:
    """`--nodes`, which may name some: all nodes that are known otherwise."""
    decorate = click.option(
        "--nodes",
        metavar="[A,B*,...]",
        is_flag=False,
        flag_value="",
        shell_complete=_complete_node,
        help="All known nodes, or these (Puppet).",
    )
    return decorate(command)


def shown_options(command: Command) -> Command:
    """What the explorer shows beside the outcome: nodes, an earlier revision, a fleet's store with its differences."""
    for decorate in (
        click.option(
            "--diff", "comparison", metavar="FILE", help="With --store: output of `fleet diff --format json`."
        ),
        click.option("--store", "store_path", metavar="STORE", help="Also show a fleet's store."),
        click.option("--since", metavar="REV", help="A git revision to compare with."),
        nodes_option,
    ):
        command = decorate(command)
    return command


def _database(url: str | None, cert: str | None, key: str | None, ca: str | None) -> PuppetDB | None:
    """The PuppetDB that was named."""
    if url is None:
        if cert or key or ca:
            raise UsageError("--cert, --key and --ca need --puppetdb URL")
        return None
    from ..fleet.puppetdb import PuppetDB

    return PuppetDB(url, cert, key, ca)


def _properties(given: Sequence[str]) -> dict[str, str]:
    """`NAME=TEXT`, as many as there are."""
    texts: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--property {text}: expected NAME=TEXT")
        texts[name] = value
    return texts


def _environ(names: Sequence[str], home: str | None) -> dict[str, str]:
    """The environment variables that a program may see: those given, those named, if they are set, and the home."""
    shown: dict[str, str] = {}
    for given in names:
        name, equals, text = given.partition("=")
        if equals or name in os.environ:
            shown[name] = text if equals else os.environ[name]
    return {**shown, "HOME": os.path.abspath(home)} if home is not None else shown


def split_flake(path: str) -> tuple[str, str | None]:
    """`DIR#ATTR` or `git+file:DIR#ATTR`: the directory of a flake and the attribute; anything else as it is."""
    if "#" not in path or os.path.exists(path):
        return path, None
    directory, _, attribute = path.partition("#")
    if _repository_reference(path) is not None:
        from urllib.parse import unquote

        directory = directory.removeprefix("git+file:").partition("?")[0]
        directory = "/" + directory.lstrip("/") if directory.startswith("//") else directory
        return unquote(directory) or ".", attribute
    directory = directory.removeprefix("path:") or "."
    return directory, attribute


def _repository_reference(path: str) -> str | None:
    """The reference to a local git repository that a path with `#ATTR` begins with, if it is one."""
    return path.partition("#")[0] if path.startswith("git+file:") else None


def question(arguments: tuple[str, ...], what: str) -> tuple[str | None, str]:
    """`[FILE|DIR] WHAT`: the file or directory, if one was named, and what is asked of it."""
    if len(arguments) == 1:
        directory, attribute = split_flake(arguments[0])
        if attribute is not None and os.path.isdir(directory):
            return f"{_repository_reference(arguments[0]) or directory}#", attribute
        return None, arguments[0]
    if len(arguments) == 2:
        return arguments[0], arguments[1]
    raise click.UsageError(f"expected [FILE|DIR] {what}, found {len(arguments)} arguments")


def _environment(project: Project | None) -> str:
    if project is None:
        raise click.UsageError("name a FILE or DIR: no wherefrom.toml is here or above (`wherefrom init` writes one)")
    if project.environment is None:
        raise click.UsageError(f"name a FILE or DIR: {project.file} names no environment")
    return project.environment


def _is_puppet(path: str, language: str | None) -> bool:
    """Whether a project's settings, which are Puppet's, are about `path`."""
    if language:
        return language == "puppet"
    if os.path.isdir(path):
        return language_at(path) == "puppet"
    return path.endswith((".pp", ".epp")) or not os.path.splitext(path)[1]


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    write_bytes(json_bytes(hidden(document), indent=True) + b"\n")

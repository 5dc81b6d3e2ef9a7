"""Puppet's front door: the language and its outcomes, as `wherefrom.language` wants them.

    manifests -> trees -> environment (definitions, compiled once) -> compilation for a node -> catalog

The way is in `wherefrom.puppet.program`, which says what options there are.

Everybody comes in by this door: commands, `wherefrom.Session`, and requests of the batch protocol
(`wherefrom.puppet.batch`).
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, ManyErrors, WherefromError
from ..base.execution import ExecutionContext
from ..base.host import Host
from ..base.recording import ReadSet, RecordingHost
from ..base.source import SourceFile
from ..language import Inputs, Language

if TYPE_CHECKING:
    from ..base.mentions import Called, Described, Expected, Mention, Token
    from ..base.source import Span
    from ..batch import BatchRequest
    from ..provenance.inventory import Inventory
    from .answers import EnvironmentSnapshot
    from .environment.environment import Environment
    from .output.outcome import PuppetOutcome
    from .syntax.tree import Program

NAMING_FILES = ("hiera", "hiera_config", "answers")
"""Options that name files, whose directories may be read."""


class Puppet(Language):
    """The Puppet language as version 7 has it.  The evaluator is imported when something is to be run."""

    name = "puppet"
    suffixes = (".pp", ".epp")

    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """Everything that the parser and the validator find in one file; what is wrong with a file of data."""
        from .syntax.location import is_plan
        from .syntax.parser import ParserSettings, check

        if source.name.endswith((".erb", ".yaml", ".yml", ".eyaml", ".json")):
            from .environment.checking import check_file

            return list(check_file(host, source.name))

        return check(source, ParserSettings(tasks=is_plan(source.name, source.text)))

    def mentions(self, source: SourceFile) -> list[Mention]:
        """The names in a manifest, a template or a file of data."""
        from .syntax.mentions import mentions_in, mentions_in_ruby

        if source.name.endswith((".yaml", ".yml", ".eyaml")):
            from .hiera.mentions import mentions_in_data

            return mentions_in_data(source)
        if source.name.endswith(".erb"):
            return mentions_in_ruby(source)
        return mentions_in(_tree(source))

    def expected(self, source: SourceFile, offset: int) -> Expected | None:
        """What may be written at a place of a manifest or of data."""
        from .environment.completing import expected_at

        return None if source.name.endswith((".erb", ".json")) else expected_at(source, offset)

    def statements(self, source: SourceFile) -> list[Span]:
        """The statements of a manifest or an EPP template."""
        from .syntax.mentions import statements_of

        return statements_of(_tree(source)) if source.name.endswith(self.suffixes) else []

    def tokens(self, source: SourceFile) -> list[Token]:
        """The pieces of a manifest or an EPP template."""
        from .syntax.tokens import tokens_of

        return list(tokens_of(source)) if source.name.endswith(self.suffixes) else []

    def formatted(self, source: SourceFile) -> str | None:
        """A manifest with its arrows below each other."""
        from .syntax.layout import formatted

        return formatted(source) if source.name.endswith(".pp") else None

    def called(self, source: SourceFile, offset: int) -> Called | None:
        """The function whose arguments are being written."""
        from .environment.completing import called_at

        return called_at(source, offset) if source.name.endswith(self.suffixes) else None

    def signatures(self, name: str) -> list[Described]:
        """The ways to call a function of Puppet's, each with its manual page."""
        from .environment.completing import signatures_of

        return signatures_of(name)

    def check_all(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> list[Diagnostic]:
        """Names that nothing defines, and data that is wrong or matches no class parameter, in an environment."""
        from .environment.checking import check_environment
        from .kernel.failures import ParsingFailed

        try:
            return execution.do(lambda: list(check_environment(self._kept(path, host, inputs, execution))))
        except ParsingFailed as problem:
            return list(problem.problems)  # the main manifest: nothing else can be known
        except ManyErrors as problems:
            return problems.diagnostics

    def inventory(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> Inventory:
        """What an environment defines, and the keys of its data."""
        from .environment.inventory import inventory

        return execution.do(lambda: inventory(self._kept(path, host, inputs, execution)))

    def roots(self, inputs: Inputs) -> Sequence[str]:
        """The module path, and the directories of the Hiera configuration and of recorded answers."""
        from .environment.modules import module_roots
        from .program import directories

        folders = module_roots(directories(inputs.options.get("modulepath")))
        for option in NAMING_FILES:
            if inputs.options.get(option):
                folders.append(posixpath.dirname(str(inputs.options[option])) or ".")
        return folders

    def named_by(self, inputs: Inputs) -> Hashable | None:
        return repr([inputs.options.get(option) for option in ("modulepath", *NAMING_FILES)])

    def answer(self, request: BatchRequest, execution: ExecutionContext, roots: Sequence[str] = ()) -> dict[str, Any]:
        """The answer to a request of the batch protocol: a catalog or an error, in Puppet's own words."""
        from .batch import answer

        return answer(request, roots)

    def run(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext | None = None) -> PuppetOutcome:
        """Compile the catalog of a node from a manifest or an environment."""
        from .kernel.failures import ParsingFailed
        from .program import CatalogProgram

        try:
            place = execution or ExecutionContext()
            if isinstance(inputs.options.get("reads"), ReadSet):
                return place.do(lambda: self._recorded(path, host, inputs, place))
            return place.do(lambda: CatalogProgram(self._kept(path, host, inputs, place), place).run(inputs))
        except ParsingFailed as problem:
            # Puppet tells one, as the compiler's; people want all, as the front end found them.
            if len(problem.problems) > 1:
                raise ManyErrors(problem.problems) from None
            raise (problem.problems[0] if problem.problems else problem) from None

    def _recorded(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> PuppetOutcome:
        """Compile, and leave in the option `reads` what the run read, whether it comes to an end or not."""
        from .answers import settled
        from .program import CatalogProgram

        reads: ReadSet = inputs.options["reads"]
        reads.own["clock", "unknown"] = None  # until it is known what else an environment depends on that does not open
        environment = self._kept(path, host, inputs, execution)
        reads.own.clear()
        recorder = environment.host
        if not isinstance(recorder, RecordingHost) or inputs.options.get("ruby"):
            reads.own["clock", "unknown"] = None  # another process may have read anything
            return CatalogProgram(environment, execution).run(inputs)
        try:
            with recorder.recording(reads):
                outcome = CatalogProgram(environment, execution).run(inputs)
                for file in () if reads.queries else outcome.static_paths():  # another content of one is another node
                    recorder.own("content", file)
                return outcome
        finally:
            if not reads.queries:
                settled(reads, environment, path)

    def answers(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> EnvironmentSnapshot:
        """What the files of an environment answer now to what a run read."""
        from .answers import EnvironmentSnapshot

        def static_answer(question: str) -> str:
            try:
                return execution.do(lambda: self._kept(path, host, inputs, execution).static_answer(question))
            except WherefromError as problem:  # there is no environment
                return f"none: {problem}"

        return EnvironmentSnapshot(host, path, static_answer)

    def _kept(self, path: str, host: Host, inputs: Inputs, execution: ExecutionContext) -> Environment:
        """The environment, as the session has it from an earlier run that asked for the same, or opened now."""
        from .environment.kept import Environments
        from .program import ENVIRONMENT_OPTIONS, observed_files, open_environment

        def opened(through: Host) -> Environment:
            try:
                return open_environment(path, through, inputs, execution)
            except Exception:
                reads = inputs.options.get("reads")
                if isinstance(reads, ReadSet) and isinstance(through, RecordingHost) and not inputs.options.get("ruby"):
                    from .answers import relative

                    reads.own = {(kind, relative(name, path)): None for kind, name in through.asked()}
                raise

        if host.identity is None:
            return open_environment(path, host, inputs, execution)
        options = {name: inputs.options[name] for name in ENVIRONMENT_OPTIONS if name in inputs.options}
        observed = observed_files(inputs)
        if observed is not None:
            options["observe"] = "files"
        key = (path, os.getcwd(), host.identity, repr(sorted(options.items())))
        return execution.keep(Environments).environment(key, host, opened, execution.is_still, observed)


def _tree(source: SourceFile) -> Program:
    """The tree of a text, or what can be read of it."""
    from .syntax.parser import ParserSettings, parse, parse_epp
    from .syntax.recovering import recovered

    epp = source.name.endswith(".epp")
    result = (parse_epp if epp else parse)(source, ParserSettings(validated=False))
    return result.program if result.ok else recovered(source, epp)


LANGUAGE = Puppet()

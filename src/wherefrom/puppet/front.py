"""Puppet's front door: the language and its outcomes, as `wherefrom.language` wants them.

    manifests -> trees -> environment (definitions, compiled once) -> compilation for a node -> catalog

The way is in `wherefrom.puppet.program`, which says what options there are.

Everybody comes in by this door: commands, `wherefrom.Session`, and requests of the batch protocol
(`wherefrom.puppet.batch`).
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic, ManyErrors, WherefromError
from ..base.host import Host
from ..base.source import SourceFile
from ..base.witness import Reads, Witness
from ..base.workshop import Workshop
from ..language import Inputs, Language

if TYPE_CHECKING:
    from ..batch import BatchRequest
    from ..provenance.inventory import Inventory
    from .answers import Answers
    from .environment.environment import Environment
    from .output.outcome import PuppetOutcome


class Puppet(Language):
    """The Puppet language as version 7 has it.  The evaluator is imported when something is to be run."""

    name = "puppet"
    suffixes = (".pp", ".epp")

    def check(self, source: SourceFile, host: Host) -> list[Diagnostic]:
        """Everything that the parser and the validator find in one file."""
        from .syntax.parser import check

        return check(source)

    def check_all(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> list[Diagnostic]:
        """Names that nothing defines, and data that is wrong or binds to nothing, in an environment."""
        from .environment.checking import check_environment
        from .kernel.failures import ParsingFailed

        try:
            return workshop.do(lambda: list(check_environment(self._kept(path, host, inputs, workshop))))
        except ParsingFailed as problem:
            return list(problem.problems)  # the main manifest: nothing else can be known
        except ManyErrors as problems:
            return problems.diagnostics

    def inventory(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> Inventory:
        """What an environment defines, and the keys of its data."""
        from .environment.inventory import inventory

        return workshop.do(lambda: inventory(self._kept(path, host, inputs, workshop)))

    def roots(self, inputs: Inputs) -> Sequence[str]:
        """The module path, and the directory of the Hiera configuration."""
        from .environment.modules import module_roots
        from .program import directories

        folders = module_roots(directories(inputs.options.get("modulepath")))
        for option in ("hiera", "hiera_config"):
            if inputs.options.get(option):
                folders.append(posixpath.dirname(str(inputs.options[option])) or ".")
        return folders

    def answer(self, request: BatchRequest, workshop: Workshop, roots: Sequence[str] = ()) -> dict[str, Any]:
        """The answer to a request of the batch protocol: a catalog or an error, in Puppet's own words."""
        from .batch import answer

        return answer(request, roots)

    def run(self, path: str, host: Host, inputs: Inputs, workshop: Workshop | None = None) -> PuppetOutcome:
        """Compile the catalog of a node from a manifest or an environment."""
        from .kernel.failures import ParsingFailed
        from .program import Program

        try:
            place = workshop or Workshop()
            if isinstance(inputs.options.get("reads"), Reads):
                return place.do(lambda: self._recorded(path, host, inputs, place))
            return place.do(lambda: Program(self._kept(path, host, inputs, place), place).run(inputs))
        except ParsingFailed as problem:
            # Puppet tells one, as the compiler's; people want all, as the front end found them.
            if len(problem.problems) > 1:
                raise ManyErrors(problem.problems) from None
            raise (problem.problems[0] if problem.problems else problem) from None

    def _recorded(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> PuppetOutcome:
        """Compile, and leave in the option `reads` what the run read, whether it comes to an end or not."""
        from .answers import settled
        from .program import Program

        reads: Reads = inputs.options["reads"]
        reads.own["clock", "unknown"] = None  # until it is known what else an environment hangs on that does not open
        environment = self._kept(path, host, inputs, workshop)
        reads.own.clear()
        witness = environment.host
        if not isinstance(witness, Witness) or inputs.options.get("ruby"):
            reads.own["clock", "unknown"] = None  # another process may have read anything
            return Program(environment, workshop).run(inputs)
        try:
            with witness.recording(reads):
                return Program(environment, workshop).run(inputs)
        finally:
            settled(reads, environment, path)

    def answers(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> Answers:
        """What the files of an environment answer now to what a run read."""
        from .answers import Answers

        def told(question: str) -> str:
            try:
                return workshop.do(lambda: self._kept(path, host, inputs, workshop).told(question))
            except WherefromError as problem:  # there is no environment
                return f"none: {problem}"

        return Answers(host, path, told)

    def _kept(self, path: str, host: Host, inputs: Inputs, workshop: Workshop) -> Environment:
        """The environment, as the session has it from an earlier run that asked for the same, or opened now."""
        from .environment.kept import Environments
        from .program import ENVIRONMENT_OPTIONS, open_environment

        def opened(through: Host) -> Environment:
            try:
                return open_environment(path, through, inputs)
            except Exception:
                reads = inputs.options.get("reads")
                if isinstance(reads, Reads) and isinstance(through, Witness) and not inputs.options.get("ruby"):
                    from .answers import relative

                    reads.own = {(kind, relative(name, path)): None for kind, name in through.asked()}
                raise

        if host.identity is None:
            return open_environment(path, host, inputs)
        options = {name: inputs.options[name] for name in ENVIRONMENT_OPTIONS if name in inputs.options}
        key = (path, os.getcwd(), host.identity, repr(sorted(options.items())))
        return workshop.keep(Environments).environment(key, host, opened, workshop.is_still)


LANGUAGE = Puppet()

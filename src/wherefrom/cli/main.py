"""The `wherefrom` command: finds the subcommand, runs it, and turns what happens into the documented exit status.

| status | meaning                                              |
|--------|------------------------------------------------------|
| 0      | success                                              |
| 1      | the configuration is wrong; diagnostics on stderr    |
| 2      | the command was used wrongly                         |
| 3      | a bug of ours                                        |
| 130    | interrupted                                          |

Start-up counts, so each command's module is imported only when that command runs.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from .. import __version__
from ..base.diagnostics import Diagnostic, LimitReached, ManyErrors, UsageError
from . import INTERRUPTED
from .reports import report
from .streams import CannotWrite, forget_output, guarded_streams

STATUSES = {
    0: "success",
    1: "the configuration is wrong (or a file cannot be read); diagnostics on stderr",
    2: "the command was used wrongly",
    3: "a bug of ours",
    4: "`diff --exit-code` found differences, `fleet diff --fail-on` what it looks for, `policy` a broken rule",
    INTERRUPTED: "interrupted",
}
"""What each exit status means."""

COMMANDS = {
    "compile": "Compile a Puppet manifest to a catalog, a SmartFrog specification to a store.",
    "eval": "Evaluate a Nix expression and print its value as Nix prints it.",
    "explain": "Explain where a value came from: literal, formula, decisions, dependencies.",
    "lookup": "Show what each level of the data (Hiera) says about a key.",
    "impact": "List the outputs that may change when an input changes.",
    "set": "Propose edits that give an output another value, proved by compiling.",
    "influence": "List who could change an output: files, owners, facts.",
    "policy": "Hold rules about influence against all nodes.",
    "diff": "Compare two outcomes and name the edit behind each difference.",
    "fleet": "Compile all nodes into a store and query it.",
    "step": "Show the derivation by the rules of the language's formal semantics.",
    "graph": "Draw a catalog: containment, relationships, cycles.",
    "serve": "Show the outcome in a browser: values, where they came from, what may change.",
    "report": "Write what `serve` shows as one self-contained HTML file.",
    "lsp": "Serve an editor: the language server.",
    "check": "Parse and validate files; report all errors.",
    "batch": "Answer many requests: JSON lines in, JSON lines out.",
    "record": "Ask DNS, programs, PuppetDB what code asks them, and write the answers to a file.",
    "init": "Write a wherefrom.toml for a directory.",
    "trust": "Trust a wherefrom.toml that names things outside of its directory.",
    "warm": "Compile Nix files into the cache, before anybody asks about them.",
    "man": "Print the manual page.",
    "completion": "Print a shell completion script.",
}
"""Every command with its one-line help.  The command `x` is `command` in the module `wherefrom.cli.x`."""

EPILOG = """\b
Examples:
  wherefrom compile site.pp --node web01 --facts facts.yaml
  wherefrom explain site.pp 'File[/etc/motd].mode' --node web01
  wherefrom impact examples/firewall/servers.sf default.sf:4
  wherefrom eval -E '1 + 1'
"""


class LazyGroup(click.Group):
    """A group that knows its commands' names and imports a command when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"wherefrom.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from ..base.spell import nearest

            close = nearest(args[0], COMMANDS)
            hint = f" Did you mean '{close}'?" if close else ""
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--verbose",
    is_flag=True,
    is_eager=True,
    help="With --version: also show optional programs and isolation available here.",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    callback=lambda c, p, asked: _version(c, asked),
    help="Show the version.",
)
def wherefrom(verbose: bool) -> None:
    """Compile configurations and explain where every value came from."""


def _version(context: click.Context, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    click.echo(f"wherefrom {__version__}")
    if context.params.get("verbose"):
        from ..base.contained import can_contain
        from ..base.landlock import version
        from ..base.seccomp import is_there

        known = version()
        click.echo(f"Python {sys.version.split()[0]} on {sys.platform}")
        click.echo(f"Child processes with bounds: {'yes' if can_contain() else 'no: work is done in this process'}")
        kept = f"version {known}" if known else "not in this kernel: only our own checks keep a run to its directories"
        click.echo(f"Landlock: {kept}{' (files, TCP)' if known >= 4 else ' (files)' if known else ''}")
        click.echo(f"seccomp: {'yes (no sockets)' if is_there() else 'no: sockets are left to our own checks'}")
    context.exit()


def status_of(arguments: list[str]) -> int:
    """Run a command and say its exit status."""
    with guarded_streams():
        try:
            status = _status_of(arguments)
            sys.stdout.flush()
            return status
        except BrokenPipeError:
            # The reader went away (`wherefrom ... | head`); nothing more to say.
            forget_output()
            return 0
        except CannotWrite as problem:
            forget_output()
            print(f"wherefrom: cannot write to standard output: {problem}", file=sys.stderr)
            return 1


def _status_of(arguments: list[str]) -> int:
    try:
        result = wherefrom.main(arguments, prog_name="wherefrom", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except click.ClickException as problem:
        problem.show(sys.stderr)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except (BrokenPipeError, CannotWrite):
        raise
    except UsageError as problem:
        print(f"wherefrom: {problem}", file=sys.stderr)
        return 2
    except ManyErrors as problems:
        report(problems.diagnostics)
        return 1
    except Diagnostic as problem:
        report([problem])
        return 1
    except RecursionError:
        report([LimitReached("nested too deeply", sys.getrecursionlimit())])
        return 1
    except MemoryError:
        print("wherefrom: out of memory", file=sys.stderr)
        return 1
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        if package in ("", "wherefrom"):
            return _report_bug(problem)
        print(f"wherefrom: the package {package} is not installed; install wherefrom again with pip", file=sys.stderr)
        return 2
    except Exception as bug:
        return _report_bug(bug)


def _report_bug(bug: Exception) -> int:
    import traceback

    print(f"wherefrom: internal error: {type(bug).__name__}: {bug}", file=sys.stderr)
    if os.environ.get("WHEREFROM_DEBUG"):
        traceback.print_exception(bug)
    else:
        last = bug.__traceback__  # not `extract_tb`: it fails on generated code without columns
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        if last is not None:
            code = last.tb_frame.f_code
            where = os.path.basename(code.co_filename)
            print(f"  in {code.co_name} ({where}:{last.tb_lineno}); this is a bug in wherefrom.", file=sys.stderr)
        print("  Set WHEREFROM_DEBUG=1 for details.", file=sys.stderr)
    return 3

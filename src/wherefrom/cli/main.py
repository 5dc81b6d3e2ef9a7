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
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

import click

from .. import __version__
from ..base.collector import own_process
from ..base.diagnostics import Diagnostic, LimitReached, ManyErrors, UsageError
from .reports import report
from .streams import CannotWrite, fill_closed_descriptors, forget_output, guarded_streams

INTERRUPTED = 130

STATUSES = {
    0: "success",
    1: "the configuration is wrong (or a file can not be read); diagnostics on stderr",
    2: "the command was used wrongly",
    3: "a bug of ours",
    4: "`diff --exit-code` found differences, or `fleet diff --fail-on` what it looks for",
    INTERRUPTED: "interrupted",
}
"""What each exit status means."""

COMMANDS = {
    "compile": "Compile a Puppet manifest to a catalog, a SmartFrog specification to a store.",
    "eval": "Evaluate a Nix expression and print its value as Nix prints it.",
    "explain": "Say wherefrom a value came: literal, formula, dependencies, history.",
    "lookup": "Say what each level of the data (Hiera) says about a key.",
    "impact": "Say which outputs may change when an input does.",
    "diff": "Compare two outcomes and name the edit behind each difference.",
    "fleet": "Compile all nodes into a store, and ask about all of them.",
    "step": "Show the derivation by the rules of the language's formal semantics.",
    "graph": "Draw a catalog: containment, relationships, cycles.",
    "serve": "Show the outcome in a browser: values, wherefrom they came, what an input changes.",
    "report": "Write the same as one page that needs nothing else.",
    "check": "Parse and validate files; report all errors.",
    "batch": "Answer many requests: JSON lines in, JSON lines out.",
    "init": "Write a wherefrom.toml from what is found.",
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
@click.version_option(__version__, prog_name="wherefrom", message="%(prog)s %(version)s")
def wherefrom() -> None:
    """Compile configurations, and say for every value wherefrom it came."""


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    fill_closed_descriptors()
    own_process()
    _end_when_interrupted()
    status = status_of(sys.argv[1:] if arguments is None else arguments)
    if status == INTERRUPTED:
        os._exit(status)  # whoever interrupts does not want to wait until everything is tidied up
    if arguments is None:
        _leave(status)
    sys.exit(status)


def _end_when_interrupted() -> None:
    """Ctrl-C ends the process at once: to unwind a busy run first would take its memory apart, which may be long."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _leave(status: int) -> None:
    """End the process: what is left to do is done (writing caches), but a large history is not taken apart first."""
    import atexit

    atexit._run_exitfuncs()
    with suppress(OSError, ValueError, AttributeError):  # a stream that is closed, full or not there
        sys.stderr.flush()
    os._exit(status)


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
    except Exception as bug:
        return _report_bug(bug)


def _report_bug(bug: Exception) -> int:
    import traceback

    print(f"wherefrom: internal error: {type(bug).__name__}: {bug}", file=sys.stderr)
    if os.environ.get("WHEREFROM_DEBUG"):
        traceback.print_exception(bug)
    else:
        last = traceback.extract_tb(bug.__traceback__)[-1]
        where = os.path.basename(last.filename)
        print(f"  in {last.name} ({where}:{last.lineno}); this is a bug in wherefrom.", file=sys.stderr)
        print("  Set WHEREFROM_DEBUG=1 for details.", file=sys.stderr)
    return 3

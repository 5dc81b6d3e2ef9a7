"""`wherefrom eval`: a Nix value, printed as Nix prints it."""

from __future__ import annotations

import sys

import click

from ..base.diagnostics import UsageError
from ..base.host import MAX_FILE_BYTES
from ..base.json_bytes import json_utf8
from ..base.source import SourceFile
from ..nix.front.language import NixOutcome, show_parse
from ..session import host_for
from .options import Invocation, input_options, print_json
from .streams import read_input, write_bytes

EPILOG = """\b
Examples:
  wherefrom eval -E 'builtins.map (x: x * 2) [ 1 2 3 ]' --strict
  wherefrom eval default.nix -A services.web --json
  wherefrom eval .#nixosConfigurations.web.config.networking --json
  wherefrom eval module.nix --positions
"""


@click.command(epilog=EPILOG)
@click.argument("path", metavar="[FILE]", required=False)
@click.option("-E", "--expr", metavar="EXPR", help="Evaluate this text instead of a file.")
@input_options
@click.option("--strict", is_flag=True, help="Evaluate the whole value, not only its outermost part.")
@click.option("--json", "form", flag_value="json", help="Print the whole value as JSON.")
@click.option("--xml", "form", flag_value="xml", help="Print XML.")
@click.option("--no-location", is_flag=True, help="Leave the places out of the XML.")
@click.option("--positions", "form", flag_value="positions", help="Print where each attribute was defined.")
@click.option("--parse", "form", flag_value="parse", help="Print the syntax tree, as `nix-instantiate --parse` does.")
def command(
    path: str | None, expr: str | None, strict: bool, form: str | None, no_location: bool, **options: object
) -> None:
    """Evaluate FILE, or the expression EXPR, and print the value.

    FILE may be `-` for standard input, or `DIR#ATTR` for an output of a flake.
    """
    if (path is None) == (expr is None):
        raise click.UsageError("give either FILE or -E EXPR")
    invocation = Invocation({**options, "language": "nix"})
    if path == "-":
        expr = read_input().read(MAX_FILE_BYTES).decode("utf-8", "surrogateescape")
        path = None
    if form == "parse":
        print(_tree(path, expr))
        return
    more = {**invocation.options, "on_message": lambda line: print(line, file=sys.stderr, flush=True)}
    if path is not None:
        outcome = invocation.run(path, **more)
    else:
        outcome = invocation.session.evaluate(expr or "", roots=invocation.roots, **more)
    assert isinstance(outcome, NixOutcome)
    if form == "positions":
        print_json([{"path": name, "position": place} for name, place in outcome.positions()])
        return
    text = outcome.printed(form or "text", strict=strict or form == "json", positions=not no_location)
    if form == "json":
        write_bytes(json_utf8(text) + (b"\n" if sys.stdout.isatty() else b""))  # no line end, as Nix prints it
    elif sys.stdout.isatty():
        print(text)
    else:
        write_bytes(text.encode("utf-8", "surrogateescape") + b"\n")  # strings are bytes in Nix


def _tree(path: str | None, expr: str | None) -> str:
    if path is None:
        return show_parse(SourceFile("(string)", expr or ""), host_for("."), ".")
    host = host_for(path)
    if host.is_directory(path):
        raise UsageError(f"{path} is a directory")
    return show_parse(host.source(path), host)

"""`wherefrom report`: the outcome as one page."""

from __future__ import annotations

import click

from ..base.writing import write_whole
from .helping import LanguageCommand
from .options import Invocation, input_options, shown_options
from .reports import by_cause
from .serve import fleet_of, subject_of
from .short import node_words

EPILOG = """\b
Examples:
  wherefrom report --node web01 -o web01.html
  wherefrom report . --since main --node web01 -o change.html
  wherefrom report examples/firewall/test.sf -o firewall.html
"""


@click.command(cls=LanguageCommand, epilog=EPILOG)
@click.argument("path", metavar="[FILE|DIR]", required=False)
@input_options
@shown_options
@click.option("-o", "--output", metavar="FILE.html", required=True, help="The file to write.")
def command(
    path: str | None,
    nodes: str | None,
    since: str | None,
    store_path: str | None,
    comparison: str | None,
    output: str,
    **options: object,
) -> int:
    """Write the outcome of FILE or DIR (else of the project's environment) as one page that needs nothing else.

    It shows what `wherefrom serve` shows, without a server. Status 1 if something in it did not compile.
    """
    from ..web.documents import Documents, Refusal
    from ..web.report import report

    subject = subject_of(Invocation(options), path, nodes, since, fleet_of(store_path, comparison))
    documents = Documents(subject)
    chosen: list[str | None] = list(subject.nodes) if nodes is not None else [subject.node]
    page = report(documents, chosen)
    write_whole(output, page)
    failures: list[tuple[str, str]] = []
    for node in chosen:
        try:
            documents.outcome({"node": node} if node else {})
        except Refusal as refusal:
            failures.append((node or "", refusal.document["text"]))
    for several, text in by_cause(failures, str):
        words = f"{node_words(several, [node or '' for node in chosen])}:\n" if len(chosen) > 1 else ""
        click.echo(words + text, err=True, nl=False)
    print(f"{output}: {len(page):,} bytes")
    return 1 if failures else 0

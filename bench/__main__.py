"""`make bench`: measure all rows side by side with the real tools, and write the page of figures.

    python -m bench                     # all rows; writes docs/benchmarks.md and docs/benchmarks.json
    python -m bench smartfrog 400       # rows whose group and name hold these words; printed only
    python -m bench --list              # the names of all rows
    python -m bench --update fleet      # the same, put into the page in place of what these rows had there
    python -m bench --rounds 3 --json FILE WORDS

How a row is measured: `bench/measure.py`. What the rows are: `bench/rows`. Compare two files of figures with
`python bench/compare.py OLD NEW`; see where the time of a row goes with `make profile ROW='the name of a row'`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from pathlib import Path

from bench import page
from bench.measure import Result, Row, Special, measured
from bench.rows import GROUPS

ROOT = Path(__file__).resolve().parents[1]


def found(scratch: Path, words: Sequence[str]) -> Iterator[Row | Special]:
    """The rows that are meant."""
    for number, (group, rows) in enumerate(GROUPS.items()):
        folder = scratch / str(number)
        folder.mkdir()
        for row in rows(folder):
            if all(word.lower() in f"{group} {row.name}".lower() for word in words):
                yield row


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0], prog="python -m bench")
    parser.add_argument("words", nargs="*", help="only rows whose group and name hold all of these words")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file instead of the page")
    parser.add_argument("--update", action="store_true", help="put the rows into the page, which keeps the others")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    options = parser.parse_args()
    compile_dir(str(ROOT / "src"), quiet=1)  # as an installed package is
    results: list[Result] = []
    with tempfile.TemporaryDirectory() as scratch:
        for row in found(Path(scratch), options.words):
            if options.list:
                print(f"{row.group}: {row.name}", flush=True)
                continue
            for result in row.measure() if isinstance(row, Special) else [measured(row, options.rounds)]:
                results.append(result)
                print(page.line(result), flush=True)
    if options.list:
        return 0
    document = page.document(results, options.rounds)
    if options.json:
        Path(options.json).write_text(page.json_text(document), encoding="utf-8")
    elif options.update or not options.words:
        if options.update:
            document = page.merged(json.loads((ROOT / "docs" / "benchmarks.json").read_text("utf-8")), document)
        (ROOT / "docs" / "benchmarks.json").write_text(page.json_text(document), encoding="utf-8")
        (ROOT / "docs" / "benchmarks.md").write_text(page.markdown(document), encoding="utf-8")
    wrong = [f"{result.group}: {result.name}" for result in results if result.differ]
    for name in wrong:
        print(f"the sides gave different results: {name}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

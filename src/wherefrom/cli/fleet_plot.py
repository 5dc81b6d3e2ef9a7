"""`wherefrom fleet plot`: pictures of a fleet, as PNG or SVG."""

from __future__ import annotations

import json

from ..base.diagnostics import CannotRead, UsageError
from ..base.writing import write_whole
from ..fleet.charts import Causes, Reach, causes, reach
from ..fleet.plots import format_of, picture_of_causes, picture_of_reach
from ..session import host_for
from .options import print_json
from .streams import read_input


def draw(what: str, store_path: str | None, comparison: str | None, most: int, out: str | None, as_json: bool) -> int:
    """Draw a picture into a file; or print what it would show."""
    form = format_of(out) if out is not None else ""
    if out is None and not as_json:
        raise UsageError("name the output file: -o FILE.png or -o FILE.svg")
    chart = reach_of(store_path, most) if what == "reach" else causes_of(comparison, most)
    if as_json:
        print_json(chart.to_json())
    if out is not None:
        picture = picture_of_reach(chart, form) if isinstance(chart, Reach) else picture_of_causes(chart, form)
        write_whole(out, picture)
    return 0


def reach_of(store_path: str | None, most: int) -> Reach:
    """The reach of lines, from a store."""
    from .fleet_origins import questions_of

    if store_path is None:
        raise UsageError("plot reach needs --store STORE")
    return reach(questions_of(store_path), most)


def causes_of(comparison: str | None, most: int) -> Causes:
    """The causes of differences, from a file or standard input."""
    if comparison is None:
        raise UsageError("plot causes needs --diff FILE, with the output of `wherefrom fleet diff --format json`")
    try:
        if comparison == "-":
            text = read_input().read()
        else:
            text = host_for(comparison).read_bytes(comparison)
        document = json.loads(text)
    except CannotRead as problem:
        raise UsageError(str(problem)) from None
    except ValueError:
        raise UsageError(f"{comparison}: expected what `wherefrom fleet diff --format json` prints") from None
    return causes(document, most)

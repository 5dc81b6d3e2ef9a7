"""The fleet's plots as pictures, drawn by matplotlib without a display: PNG or SVG, by the name of the file.

Every number is written beside its bar, so that the picture can be read without a grid; labels are as they stand in the
files. What a picture shows is in `charts`; the explorer shows the same.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import UsageError
from ..base.extras import extra
from ..base.plural import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .charts import Bar, Causes, Reach

FORMATS = ("png", "svg")
BLUE, PALE, INK, DIM = "#2f6fb5", "#c9dcf0", "#1f2933", "#66727f"
_WIDTH = 10.0
_LONGEST = 58
"""Characters of a label; of longer ones the middle is left out."""
_SETTINGS = {
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": DIM,
    "axes.labelcolor": DIM,
    "xtick.color": DIM,
    "ytick.color": INK,
    "text.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "wherefrom",
    "text.parse_math": False,
}


def format_of(name: str) -> str:
    """The format that a file's name asks for.  Raises `UsageError`."""
    ending = name.rpartition(".")[2].lower()
    if ending not in FORMATS:
        raise UsageError(f"{name}: expected a name that ends in .png or .svg")
    return ending


def picture_of_reach(reach: Reach, form: str) -> bytes:
    """Lines of the largest reach, and how many lines reach how many nodes."""
    if not reach.bars:
        raise UsageError("nothing to plot: no output in the store depends on a line of code or data")
    count = len(reach.bars)
    figure, (above, below) = _figure(2, count, [max(count, 2), 5])
    title = f"Lines with the largest reach: {reach.lines} lines over {_nodes(reach.nodes)}"
    _bars(above, reach.bars, [bar.outputs for bar in reach.bars], title, _reached)
    above.set_xlabel("outputs that may change when the line does")
    numbers = [nodes for nodes, _ in reach.sharing]
    lines = [lines for _, lines in reach.sharing]
    below.bar(numbers, lines, width=max(0.8, reach.nodes / 120), color=BLUE)
    below.set_yscale("log", nonpositive="clip")
    below.set_ylim(bottom=0.7, top=max(lines) * 3)
    below.set_xlim(0, reach.nodes + max(1, reach.nodes / 60))
    below.set_title("Sharing of lines between nodes", loc="left", fontsize=11, fontweight="bold", color=INK)
    below.set_xlabel("nodes that a line reaches")
    below.set_ylabel("lines")
    below.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
    if len(numbers) <= 12:
        for number, height in zip(numbers, lines):
            below.annotate(f"{height:,}", (number, height), (0, 2), textcoords="offset points", ha="center", fontsize=9)
    _whole(below)
    _plain(below)
    return _written(figure, form)


def picture_of_causes(causes: Causes, form: str) -> bytes:
    """Changed nodes by the edit behind them."""
    if not causes.bars:
        raise UsageError("nothing to plot: nothing differs")
    figure, (axes,) = _figure(1, len(causes.bars), [1])
    many = count_of(causes.causes, "cause")
    title = f"Changed nodes by cause: {causes.changed:,} of {_nodes(causes.nodes)}, {many}"
    _bars(axes, causes.bars, [bar.nodes for bar in causes.bars], title, _changed)
    axes.set_xlabel("nodes that the edit changes")
    return _written(figure, form)


def _nodes(count: int) -> str:
    return f"{count:,} node{'s' * (count != 1)}"


def _reached(bar: Bar) -> str:
    return f"{bar.outputs:,} on {_nodes(bar.nodes)}"


def _changed(bar: Bar) -> str:
    return f"{_nodes(bar.nodes)}, {bar.outputs:,} output{'s' * (bar.outputs != 1)}"


def _figure(panels: int, bars: int, heights: list[int]) -> tuple[Any, Any]:
    """A figure of some panels, one below the other, high enough for the bars.  Raises `UsageError`."""
    with extra("plot"):
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    with rc_context(_SETTINGS):
        height = 1.3 + 0.42 * max(bars, 2) + (2.4 if panels > 1 else 0)
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(panels, 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    return figure, [row[0] for row in axes]


def _bars(axes: Any, bars: Sequence[Bar], lengths: list[int], title: str, tell: Any) -> None:
    places = range(len(bars))
    axes.barh(places, lengths, height=0.62, color=BLUE)
    axes.set_yticks(places, [_label(bar) for bar in bars], fontfamily="DejaVu Sans Mono", fontsize=8.5)
    axes.invert_yaxis()
    longest = max(lengths)
    axes.set_xlim(0, longest * 1.32)
    for place, (bar, length) in enumerate(zip(bars, lengths)):
        axes.annotate(
            tell(bar), (length, place), (5, 0), textcoords="offset points", va="center", fontsize=9, color=DIM
        )
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", color=INK, pad=10)
    _whole(axes)
    axes.tick_params(axis="y", length=0)
    _plain(axes)


def _label(bar: Bar) -> str:
    """The place, and below it what stands there."""
    return "\n".join(_short(words) for words in (bar.label, bar.words) if words)


def _short(words: str) -> str:
    half = (_LONGEST - 1) // 2
    return words if len(words) <= _LONGEST else f"{words[:half]}…{words[-half:]}"


def _whole(axes: Any) -> None:
    """Nodes and outputs are counted: no ticks between two numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _plain(axes: Any) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _written(figure: Any, form: str) -> bytes:
    from matplotlib import rc_context

    out = io.BytesIO()
    with rc_context(_SETTINGS):  # the same picture each time: no date in it
        figure.savefig(out, format=form, dpi=150, facecolor="white", metadata={"Date": None} if form == "svg" else None)
    return out.getvalue()

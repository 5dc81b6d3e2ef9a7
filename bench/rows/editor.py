"""The language server on the example control repository, by its client's clock: what an editor waits for.

The times are on the wall, from the request to the answer, in a server that has compiled the node.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.measure import Figures, Result, Special
from bench.rows.common import ROOT

from support.lsp_client import Client

GROUP = "Editor"
BASE = "site/profile/manifests/base.pp"
TIMES = 15


def rows(scratch: Path) -> Iterator[Special]:
    """All requests, in one server."""

    def measure() -> Iterator[Result]:
        if find_spec("pygls") is None:
            yield Result(GROUP, "requests", {}, {"wherefrom": "the extra editor is not installed"})
            return
        folder = scratch / "control"
        shutil.copytree(ROOT / "examples" / "control", folder)
        with Client(folder, options={"node": "web01.example.org"}) as client:
            started = perf_counter()
            client.open(BASE)
            client.ready()
            yield Result(
                GROUP, "open a class until its node is compiled", {"wherefrom": _figures([perf_counter() - started])}
            )
            text = (folder / BASE).read_text("utf-8")
            at = client.at(BASE, text, "$motd_mode,", 3)
            for name, method in (
                ("hover", "hover"),
                ("go to the definition", "definition"),
                ("references", "references"),
            ):
                more = {"context": {"includeDeclaration": False}} if method == "references" else {}
                times = []
                for _ in range(TIMES):
                    started = perf_counter()
                    client.request(f"textDocument/{method}", {**at, **more})
                    times.append(perf_counter() - started)
                yield Result(GROUP, name, {"wherefrom": _figures(times)})

    yield Special(GROUP, "requests", measure)


def _figures(times: list[float]) -> Figures:
    return Figures(median(times), min(times), max(times), 0)

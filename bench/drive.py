"""Work of ours done again and again in one process, for the rows of `bench`: JSON lines in, their times out.

Each line is one item: `{"id": ..., "kind": ..., "repeat": ...}` and what its kind needs. The answer has its `id` and
the processor seconds of each repetition; with `count` in their place the number of calls that the second repetition
makes, of Python functions and of those in C, which does not depend on how busy the machine is. Items of one process
share nothing but what is imported.

* `puppet`: a catalog. `manifest` or `folder`, `node`, `facts`, `modulepath`, `server_facts`; with `cold` everything is
  read again each time (but for the cache of parsed files on the disk, which any user has).
* `explain`: where `output` of a catalog came from; the catalog is compiled once before, and that is not counted.
* `impact`: what may change when `target` does; the same.
* `smartfrog`: a store from its text to JSON text.
* `nix`: a value, printed; `trace` says whether provenance is kept.
* `parse`: all manifests below a folder.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wherefrom.base.collector import own_process
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.host import RealHost
from wherefrom.language import Inputs
from wherefrom.session import Session


def puppet(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """Compiling a catalog and nothing else, in an environment that is kept, or read again if cold."""
    from wherefrom.puppet.front import LANGUAGE
    from wherefrom.puppet.program import CatalogProgram, open_environment
    from wherefrom.puppet.runtime.phases import compile_catalog

    where = asked.get("folder") or folder
    options = {"modulepath": asked["modulepath"], "server_facts": asked.get("server_facts", {}), "agent_facts": False}
    inputs = Inputs(asked["node"], asked["facts"], options)
    if "folder" not in asked:
        manifest = Path(folder, "manifests", "site.pp")
        manifest.parent.mkdir()
        manifest.write_text(asked["manifest"], encoding="utf-8")

    def load() -> CatalogProgram:
        return CatalogProgram(open_environment(where, RealHost([where, *LANGUAGE.roots(inputs)]), inputs))

    kept = load()

    def work() -> object:
        program = load() if asked.get("cold") else kept
        return compile_catalog(program.start(inputs))

    return work


def explain(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """Explaining a value of an outcome that is there."""
    outcome = Session().compile(asked["path"], **asked.get("inputs", {}))
    return lambda: outcome.explain(asked["output"])


def impact(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """What may change with an input, of an outcome that is there."""
    outcome = Session().compile(asked["path"], **asked.get("inputs", {}))
    return lambda: outcome.impact(asked["target"])


def smartfrog(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """A store, from text to JSON text."""
    return lambda: json.dumps(Session().compile(asked["path"], level=asked.get("level", "core")).document())


def nix(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """A value, printed in full."""
    from wherefrom.nix.front.language import NixOutcome

    inputs = Inputs(None, {}, {"trace": asked["trace"]})

    def work() -> object:
        outcome = Session().run(asked["path"], inputs)
        assert isinstance(outcome, NixOutcome)
        return outcome.printed("json", strict=True)

    return work


def parse(asked: dict[str, Any], folder: str) -> Callable[[], object]:
    """All manifests of a folder, parsed; with `cached` out of a cache that has them."""
    from wherefrom.base.source import SourceFile
    from wherefrom.puppet.syntax.cache import TreeCache
    from wherefrom.puppet.syntax.parser import parse as parsed

    root = Path(asked["path"])
    paths = sorted({path.resolve() for top in root.iterdir() for path in top.rglob("*.pp")})
    sources = [SourceFile(str(path), path.read_bytes().decode()) for path in paths]
    if asked.get("cached"):
        for source in sources:
            TreeCache(folder).parse(source)
        return lambda: [TreeCache(folder).parse(source) and None for source in sources]
    return lambda: [parsed(source) and None for source in sources]


KINDS = {each.__name__: each for each in (puppet, explain, impact, smartfrog, nix, parse)}


def counted(work: Callable[[], object]) -> int:
    """How many calls the second repetition makes."""
    work()
    calls = 0

    def seen(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Do the work of one line."""
    with tempfile.TemporaryDirectory() as folder:
        if asked.get("count"):
            return {"id": asked["id"], "calls": with_deep_stack(lambda: counted(KINDS[asked["kind"]](asked, folder)))}

        def repeated() -> list[float]:
            work = KINDS[asked["kind"]](asked, folder)
            times = []
            for _ in range(asked.get("repeat", 1)):
                before = time.process_time()
                work()
                times.append(time.process_time() - before)
            return times

        return {"id": asked["id"], "seconds": with_deep_stack(repeated)}


def main() -> None:
    """Answer all lines."""
    own_process()
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

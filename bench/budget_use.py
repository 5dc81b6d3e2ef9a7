"""How much of the default budget real configurations take.

    .venv/bin/python bench/budget_use.py                 # everything
    .venv/bin/python bench/budget_use.py --every 5       # every fifth of Debian's classes
    .venv/bin/python bench/budget_use.py examples nix    # only these

Everything is run with a tenth of each counted bound, so that what ends well leaves a factor of ten to spare. Printed is
the largest use of each bound, as a part of its default, and who takes it. Calls of functions in Nix are drawn
a thousand at a time. The status is 1 if a run went over.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "tests")]

from wherefrom import Session  # noqa: E402
from wherefrom.base.budget import BOUNDS, Budget  # noqa: E402
from wherefrom.base.diagnostics import WherefromError  # noqa: E402
from wherefrom.language import Inputs  # noqa: E402

SPARE = 10
UNCOUNTED = ("seconds", "memory", "depth")
TENTH = {name: default // SPARE for name, (default, _) in BOUNDS.items() if name not in UNCOUNTED}

Work = Callable[[Session], Any]


class Remembered(Budget):
    """A budget that keeps those that were made from it, one for each piece of work."""

    def __init__(self) -> None:
        super().__init__(**TENTH)
        self.spent: list[Budget] = []

    def fresh(self) -> Budget:
        made = super().fresh()
        self.spent.append(made)
        return made


def compiled(path: Path, **options: Any) -> Work:
    """A file or directory, with everything that an outcome can say."""

    def work(session: Session) -> None:
        outcome = session.run(str(path), Inputs("node.example.com", {}, options), roots=[str(ROOT / "examples")])
        outcome.document()

    return work


def checked(module: Path) -> Work:
    """The manifests of a module, parsed and validated."""

    def work(session: Session) -> None:
        for path in sorted(module.rglob("*.pp")):
            session.check(str(path))

    return work


def answered(request: dict[str, Any]) -> Work:
    """A request; that it fails is no matter, unless it is for want of budget."""

    def work(session: Session) -> None:
        answer = session.answer({**request, "agent_facts": False})
        message = str((answer.get("error") or {}).get("message", ""))
        if "the budget of" in message:
            raise WherefromError(message)

    return work


def examples(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """The examples of this repository."""
    for pattern in ("*/*.pp", "*/*.sf", "*/*.nix"):
        for path in sorted((ROOT / "examples").glob(pattern)):
            if path.name != "flake.nix":
                yield str(path.relative_to(ROOT)), compiled(path)
    yield "examples/control", compiled(ROOT / "examples/control")


def puppet(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """The loops of `bench/rows/catalogs.py`."""
    from bench.rows.catalogs import LOOPS

    for name, manifest in LOOPS.items():
        path = folder / "site.pp"
        path.write_text(manifest)
        yield name, compiled(path)


def nix(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """The programs of `bench/rows/nix.py` and `bench/nix_modules.py`."""
    from bench.nix_modules import write_tree
    from bench.rows.nix import PROGRAMS

    for name, text in PROGRAMS.items():
        path = folder / f"{name}.nix"
        path.write_text(text)
        yield name, compiled(path, no_cache=True)
    yield "module system", compiled(write_tree(folder / "tree"), no_cache=True)


def smartfrog(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """A specification of `bench/rows/smartfrog.py`."""
    from bench.rows.smartfrog import smartfrog_text

    path = folder / "a.sf"
    path.write_text(smartfrog_text(2_000))
    yield "2,000 components", compiled(path)


def debian(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """Debian's modules: whole machines, and each class by itself."""
    from bench import debian_classes, debian_nodes

    for name in debian_nodes.NODES:
        yield f"machine {name}", answered(debian_nodes.request(name))
    for name in debian_classes.classes()[::every]:
        yield f"class {name}", answered(debian_classes.request(name))


def parsed(folder: Path, every: int) -> Iterator[tuple[str, Work]]:
    """Debian's modules: every manifest checked."""
    from bench.debian_classes import MODULES

    for module in sorted(MODULES.iterdir()):
        yield f"check {module.name}", checked(module)


KINDS = {each.__name__: each for each in (examples, puppet, nix, smartfrog, parsed, debian)}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "kinds", nargs="*", choices=[*KINDS, []], help="examples, puppet, nix, smartfrog, parsed, debian"
    )
    parser.add_argument("--every", type=int, default=1, help="take every so manieth of Debian's classes")
    options = parser.parse_args()
    failed = 0
    for kind in options.kinds or KINDS:
        largest: dict[str, tuple[int, str]] = {}
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            budget = Remembered()
            session = Session(budget=budget)
            for name, work in KINDS[kind](Path(folder), options.every):
                count += 1
                budget.spent.clear()
                try:
                    work(session)
                except WherefromError as problem:
                    if "the budget of" in str(problem):
                        failed += 1
                        print(f"{kind}: {name}: {problem}")
                for bound in TENTH:
                    used = max((spent.used()[bound] for spent in budget.spent), default=0)
                    if used > largest.get(bound, (0, ""))[0]:
                        largest[bound] = (used, name)
        print(f"{kind}: {count:,} runs")
        for bound, (used, name) in largest.items():
            print(f"  {bound:15} {100 * used / BOUNDS[bound][0]:6.2f} %  {used:>12,}  {name}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Debian's Puppet modules: what wherefrom and real Puppet make of `include C`, for every class C that the modules
define.

    .venv/bin/python bench/debian_classes.py                  # ours against the recorded answers
    .venv/bin/python bench/debian_classes.py apache redis     # classes whose name holds one of these words
    .venv/bin/python bench/debian_classes.py --live           # ours against Puppet, asked now
    .venv/bin/python bench/debian_classes.py --record         # ask Puppet about everything, and keep the answers
    .venv/bin/python bench/debian_classes.py --time 20        # cold and warm compilation of 20 classes drawn at random,
                                                              # with wherefrom's cache of parsed files as any user has
                                                              # it

The modules are Debian's packages `puppet-module-*` (12, bookworm), with the facts of `bench/debian/facts.json`; nothing
is applied. The answers of Puppet 7.23 are in `bench/debian/classes.json.xz`: of a catalog its resources in order with
parameters, tags, files and lines, its edges and classes; of an error its words. An answer counts as identical if all of
that is equal, texts byte for byte; as refused if both refuse, with the same message if the words are equal too.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.puppet_real import ask, installed, normal  # noqa: E402

MODULES = Path("/usr/share/puppet/modules")
HERE = ROOT / "bench" / "debian"
RECORDED = HERE / "classes.json.xz"
NODE = "testnode.example.com"
SERVER_FACTS = {"serverversion": "7.23.0", "servername": "puppet.example.com", "serverip": "10.0.0.1"}

_CLASS = re.compile(r"^\s*class\s+((?:::)?[a-z]\w*(?:::\w+)*)", re.MULTILINE)


def classes() -> list[str]:
    """The names of all classes that the modules' manifests define."""
    files = (file for module in MODULES.iterdir() for file in (module / "manifests").rglob("*.pp"))
    return sorted({name.lstrip(":") for file in files for name in _CLASS.findall(file.read_text(encoding="utf-8"))})


def request(name: str) -> dict[str, Any]:
    """What is asked about a class."""
    facts = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
    return {
        "id": name,
        "manifest": f"include {name}\n",
        "node": NODE,
        "facts": facts,
        "server_facts": SERVER_FACTS,
        "modulepath": [str(MODULES)],
    }


def kept(answer: dict[str, Any]) -> dict[str, Any]:
    """What is compared."""
    return {key: value for key, value in normal(answer).items() if key != "logs"}


def synchronized() -> None:
    """Let Ruby find the libraries of all modules, as on a machine whose plugins are synchronized.

    Without that, types whose providers require another module's code fail to load, or not, by what was loaded before.
    """
    libraries = sorted(str(path) for path in MODULES.glob("*/lib"))
    os.environ["RUBYLIB"] = ":".join([*libraries, *os.environ.get("RUBYLIB", "").split(":")]).rstrip(":")


def real_answers(names: list[str], batch: int = 50) -> Iterator[tuple[str, dict[str, Any]]]:
    """What real Puppet says now."""
    for start in range(0, len(names), batch):
        part = names[start : start + batch]
        for name, answer in zip(part, ask(map(request, part)), strict=True):
            yield name, kept(answer)
        print(f"asked about {min(start + batch, len(names))} of {len(names)}", file=sys.stderr)


def record(names: list[str]) -> None:
    """Ask Puppet, and keep what it says."""
    answers = dict(real_answers(names))
    text = "".join(json.dumps([name, answers[name]], ensure_ascii=False) + "\n" for name in names)
    RECORDED.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    compiled = sum("error" not in answer for answer in answers.values())
    print(
        f"{len(names)} classes: {compiled} catalogs, {len(names) - compiled} errors; {RECORDED.stat().st_size:,} bytes"
    )


def recorded() -> dict[str, dict[str, Any]]:
    """What real Puppet said."""
    text = lzma.decompress(RECORDED.read_bytes()).decode()
    return dict(json.loads(line) for line in text.splitlines())


def our_answer(name: str) -> dict[str, Any]:
    """What wherefrom says about a class."""
    return answer_to(request(name))


def answer_to(asked: dict[str, Any]) -> dict[str, Any]:
    """What wherefrom says."""
    from wherefrom import Session

    return kept(json.loads(json.dumps(Session().answer({**asked, "agent_facts": False}))))


def judge(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """A verdict and, where it is a miss, the reason."""
    if "error" in theirs:
        if "error" not in mine:
            return "accepted", theirs["error"].splitlines()[0]
        if mine["error"] == theirs["error"]:
            return "same message", ""
        return "other message", f"{mine['error']}   INSTEAD OF   {theirs['error']}"
    if "error" in mine:
        return "failed", mine["error"].splitlines()[0]
    if mine == theirs:
        return "identical", ""
    return "different", difference(mine, theirs)


def difference(mine: dict[str, Any], theirs: dict[str, Any]) -> str:
    """The first thing that is not equal."""
    for ref, resource in theirs["resources"].items():
        other = mine["resources"].get(ref)
        if other is None:
            return f"{ref} is missing"
        for key, value in resource.items():
            if other.get(key) == value:
                continue
            if key != "parameters":
                return f"{ref}: {key} {other.get(key)!r} instead of {value!r}"
            ours, right = other.get(key) or {}, value or {}
            for name in {**right, **ours}:
                if ours.get(name) != right.get(name) or (name in ours) != (name in right):
                    return f"{ref}.{name}: {ours.get(name)!r} instead of {right.get(name)!r}"
            return f"{ref}: parameters in another order"
    for ref in mine["resources"]:
        if ref not in theirs["resources"]:
            return f"{ref} is too many"
    return next(f"{key} differ" for key in theirs if mine.get(key) != theirs[key])


def compare(names: list[str], theirs: Iterable[tuple[str, dict[str, Any]]], jobs: int, verbose: bool) -> Counter[str]:
    """Print the counts and every miss, by reason."""
    known = dict(theirs)
    verdicts: Counter[str] = Counter()
    misses: dict[tuple[str, str], list[str]] = {}
    with multiprocessing.Pool(jobs) as pool:
        for name, mine in zip(names, pool.imap(our_answer, names, chunksize=8), strict=True):
            verdict, reason = judge(mine, known[name])
            verdicts[verdict] += 1
            if reason:
                misses.setdefault((verdict, reason), []).append(name)
    for (verdict, reason), where in sorted(misses.items(), key=lambda each: (each[0][0], -len(each[1]))):
        shown = reason if verbose else reason[:220]
        print(f"{verdict:<14} {len(where):>4}  {shown}   [{', '.join(where[:3])}{', ...' if len(where) > 3 else ''}]")
    identical, different, failed = (verdicts[each] for each in ("identical", "different", "failed"))
    same, other, accepted = (verdicts[each] for each in ("same message", "other message", "accepted"))
    print(
        f"of {identical + different + failed} catalogs {identical} identical, {different} different, {failed} refused"
    )
    print(
        f"of {same + other + accepted} errors {same} with the same message, {other} with another, {accepted} accepted"
    )
    return verdicts


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only classes whose name holds one of these words")
    parser.add_argument("--record", action="store_true", help="ask Puppet about all classes, and keep the answers")
    parser.add_argument("--live", action="store_true", help="ask Puppet now")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="reasons in full")
    options = parser.parse_args()
    if not MODULES.is_dir():
        print(f"Debian's modules are not here: {MODULES}", file=sys.stderr)
        return 2
    names = [name for name in classes() if not options.words or any(word in name for word in options.words)]
    if options.record or options.live:
        if not installed():
            print("Puppet is not installed", file=sys.stderr)
            return 2
        synchronized()
    if options.record:
        record(names)
    else:
        theirs = real_answers(names) if options.live else recorded().items()
        compare(names, theirs, options.jobs, options.verbose)
    return 0


if __name__ == "__main__":
    sys.exit(main())

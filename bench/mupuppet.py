"""What the repaired dependency rules of muPuppet buy, and what they cost: the figures of docs/semantics/puppet.md.

    .venv/bin/python bench/mupuppet.py [PAIRS]

Generated programs of each style, one literal changed at a time, as in tests/properties/test_mupuppet.py. Three tables
are printed: how often something changed that did not say it depends on the literal (by either set of rules), how large
the sets of labels are, and how long a run takes; then how many of the labels are there for a reason, as far as a few
other values of the literal can tell.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.mupuppet_programs import (  # noqa: E402
    EXTENDED_LAX,
    FULL,
    LAX,
    QUALIFIED,
    SOUND_FOR_THESIS,
    Style,
    make_change,
    make_program,
    other_value,
)
from wherefrom.semantics.puppet.annotations import ALGEBRAS, everything  # noqa: E402
from wherefrom.semantics.puppet.judgement import Switches  # noqa: E402
from wherefrom.semantics.puppet.run import Outcome, Stuck, run  # noqa: E402
from wherefrom.semantics.puppet.syntax import Data, Label, Program  # noqa: E402
from wherefrom.semantics.puppet.theorems import dependency_violations, observe  # noqa: E402
from wherefrom.semantics.rules import OutOfFuel  # noqa: E402

STYLES = {
    "whole language, unqualified reads": FULL,
    "all reads qualified (muPuppet′)": QUALIFIED,
    "undef allowed": LAX,
    "undef, arrays, hashes, references": EXTENDED_LAX,
    "muPuppet″": SOUND_FOR_THESIS,
}
KINDS = {"value": "a value", "order": "the order", "missing": "a resource"}
CHANGES = 6
PROGRAMS = 600
OUTPUTS = 20_000


def outcome_of(program: Program, style: Style, change: dict[Label, Data] | None = None) -> Outcome | None:
    """What a program comes to, or nothing if it gets stuck."""
    try:
        return run(program, algebra=everything(), switches=Switches(undef=style.undef), override=change or {})
    except (Stuck, OutOfFuel):
        return None


def violations(style: Style, count: int) -> tuple[int, dict[str, Counter[str]]]:
    """How many pairs were looked at, and in how many something broke: by mode, by kind (`any` for all kinds)."""
    random = Random(7)
    pairs = 0
    broken: dict[str, Counter[str]] = {"thesis": Counter(), "repaired": Counter()}
    while pairs < count:
        program = make_program(random, style)
        first = outcome_of(program, style)
        if first is None:
            continue
        for _ in range(CHANGES):
            change = dict(make_change(random, program))
            second = outcome_of(program, style, change)
            if not change or second is None:
                continue
            pairs += 1
            for mode, counts in broken.items():
                kinds = {each.kind for each in dependency_violations(first, second, frozenset(change), mode)}
                counts.update(kinds | {"any"} if kinds else ())
    return pairs, broken


def sizes(style: Style) -> tuple[int, float, float, float]:
    """Outputs, mean sizes of their sets by the thesis' rules and by the repaired ones, and how many are larger."""
    random = Random(8)
    thesis: list[int] = []
    repaired: list[int] = []
    while len(thesis) < OUTPUTS:
        outcome = outcome_of(make_program(random, style), style)
        if outcome is not None:
            published = observe(outcome, "thesis")
            for key, out in observe(outcome, "repaired").items():
                if key in published:
                    thesis.append(len(published[key].D))
                    repaired.append(len(out.D))
    count = len(thesis)
    larger = sum(after > before for before, after in zip(thesis, repaired))
    return count, sum(thesis) / count, sum(repaired) / count, larger / count


def seconds() -> dict[str, float]:
    """The time of a run by algebra, side by side on the same programs."""
    random = Random(9)
    spent = dict.fromkeys(("plain", "thesis", "repaired"), 0.0)
    programs = 0
    while programs < PROGRAMS:
        program = make_program(random, FULL)
        if outcome_of(program, FULL) is None:
            continue
        programs += 1
        for name in spent:
            start = time.process_time()
            run(program, algebra=ALGEBRAS[name]())
            spent[name] += time.process_time() - start
    return {name: each / programs for name, each in spent.items()}


def tightness() -> tuple[int, int]:
    """Labels sampled from repaired sets, and those of them that some other value of the literal shows to matter.

    A value that stops the compilation counts: there the output is gone.
    """
    random = Random(10)
    sampled = telling = 0
    while sampled < PROGRAMS:
        program = make_program(random, FULL)
        outcome = outcome_of(program, FULL)
        observed = observe(outcome, "repaired") if outcome is not None else {}
        with_labels = [(key, out) for key, out in observed.items() if out.D]
        if not with_labels:
            continue
        key, out = random.choice(with_labels)
        label = random.choice(sorted(out.D, key=lambda each: int(each.name[1:])))
        sampled += 1
        for _ in range(CHANGES):
            other = outcome_of(program, FULL, {label: other_value(random, label.v)})
            again = observe(other, "repaired") if other is not None else {}
            if key not in again or again[key].value != out.value:
                telling += 1
                break
    return sampled, telling


def main() -> None:
    """Print the tables."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print("| programs | pairs | broken by the thesis' rules | by the repaired rules |\n|---|---|---|---|")
    for name, style in STYLES.items():
        pairs, broken = violations(style, count)
        thesis = broken["thesis"]
        kinds = ", ".join(f"{thesis[kind]} {words}" for kind, words in KINDS.items() if thesis[kind])
        print(f"| {name} | {pairs:,} | {thesis['any']}{f' ({kinds})' if kinds else ''} | {broken['repaired']['any']} |")
    print("\n| programs | outputs | thesis | repaired | larger for |\n|---|---|---|---|---|")
    for name, style in STYLES.items():
        outputs, before, after, larger = sizes(style)
        print(f"| {name} | {outputs:,} | {before:.2f} | {after:.2f} ({after / before - 1:+.1%}) | {larger:.1%} |")
    spent = seconds()
    base = spent["plain"]
    print(f"\n| run | ms a program | ratio |\n|---|---|---|\n| without provenance | {base * 1000:.2f} | 1.00 |")
    for name in ("thesis", "repaired"):
        print(f"| dependency, {name} rules | {spent[name] * 1000:.2f} | {spent[name] / base:.2f} |")
    sampled, telling = tightness()
    print(f"\nlabels that matter: {telling} of {sampled} sampled ({telling / sampled:.0%})")


if __name__ == "__main__":
    main()

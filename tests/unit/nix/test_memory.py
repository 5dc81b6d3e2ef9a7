"""Recording is bounded, and evaluations leave nothing behind."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc

import pytest

from support.nix_language import evaluate
from support.nix_programs import program
from wherefrom.base.diagnostics import WherefromError
from wherefrom.provenance.extract import depends

LOOPS = {
    "+": 'builtins.stringLength (builtins.foldl\' (s: i: s + "abcdefghij") "" (builtins.genList (i: i) %d))',
    "text": 'builtins.stringLength (builtins.foldl\' (s: i: "${s}abcdefghij") "" (builtins.genList (i: i) %d))',
    "++": "builtins.length (builtins.foldl' (s: i: s ++ [ i ]) [ ] (builtins.genList (i: i) %d))",
    "//": "builtins.length (builtins.attrNames (builtins.foldl' (s: i: s // { ${toString i} = i; }) { }"
    " (builtins.genList (i: i) %d)))",
    "// left": "builtins.length (builtins.attrNames (builtins.foldl' (s: i: { ${toString i} = i; } // s) { }"
    " (builtins.genList (i: i) %d)))",
}


def peak(text: str, traced: bool) -> int:
    """The most bytes that an evaluation holds at once."""
    gc.collect()
    tracemalloc.start()
    try:
        evaluate(text, traced=traced).printed("text", strict=True)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["++", *(pytest.param(name, marks=pytest.mark.long) for name in LOOPS if name != "++")]
)
def test_what_grows_in_a_loop_is_not_kept_in_every_stage(name: str) -> None:
    """Recorded memory stays within four times that of a plain run, and grows with the loop, not with its square."""
    text = LOOPS[name]
    small, large = peak(text % 500, traced=True), peak(text % 2000, traced=True)
    assert large < 6 * small
    assert large < 4 * peak(text % 2000, traced=False)


def live_objects() -> int:
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.long
@pytest.mark.parametrize("traced", [False, True])
def test_many_evaluations_leave_nothing_behind(traced: bool) -> None:
    """Nothing of a run is left when it is over: not its code, not its functions, not its names."""

    def run(count: int) -> None:
        for seed in range(count):
            try:
                evaluate(program(seed % 40, 3), traced=traced).printed("text", strict=True)
            except WherefromError:
                continue

    run(80)
    before = live_objects()
    run(160)
    assert live_objects() < before + 200


def test_threads_do_not_meet() -> None:
    """Plain and recorded evaluations in several threads give what each gives alone."""
    texts = [program(seed, 4) for seed in range(30)]

    def answers(traced: bool) -> list[str]:
        told = []
        for text in texts:
            try:
                outcome = evaluate(text, traced=traced)
                told.append(outcome.printed("text", strict=True))
                for selected in list(outcome.outputs())[:2]:
                    told.extend(leaf.span.place for leaf in depends(selected.origin) if leaf.span is not None)
            except WherefromError as problem:
                told.append(str(problem))
        return told

    alone = [answers(False), answers(True)]
    together: dict[int, list[str]] = {}

    def work(number: int) -> None:
        together[number] = answers(number % 2 == 1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[number] for number in range(4)] == [alone[number % 2] for number in range(4)]


TAILS = {
    "head and tail": "let go = list: sum: if list == [ ] then sum"
    " else go (builtins.tail list) (sum + builtins.head list); in { a = go (builtins.genList (i: i) %d) 0; }",
    "elemAt": "let list = builtins.genList (i: i) %d; go = i: if i == builtins.length list then 0"
    " else builtins.elemAt list i + go (i + 1); in { a = go 0; }",
    "getAttr": 'let set = builtins.listToAttrs (builtins.genList (i: { name = "n${toString i}"; value = i; }) %d);'
    " in { a = builtins.foldl' (sum: name: sum + builtins.getAttr name set) 0 (builtins.attrNames set); }",
}


def calls(text: str) -> int:
    """How many Python functions are called to tell the history of all outputs of a program."""
    outcome = evaluate(text, traced=True)
    assert outcome.select("a").value is not None
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        for output in outcome.outputs():
            depends(output.origin)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return count


@pytest.mark.parametrize("name", TAILS)
def test_the_history_of_a_loop_grows_with_the_loop(name: str) -> None:
    """A loop that looks at one element of a list at a time is told in time that grows with the list, not its square."""
    small, large = calls(TAILS[name] % 100), calls(TAILS[name] % 400)
    assert large < 5 * small

"""Whatever the input: a clear error with a place, in bounded time and memory, never a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import effort, lines
from support.examples import examples
from wherefrom.base.diagnostics import Diagnostic, LimitReached, ManyErrors, NotText, OutsideRoots, UsageError
from wherefrom.base.host import PureHost, RealHost
from wherefrom.language import Inputs
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome


def problems(text: str | bytes, files: dict[str, str] | None = None, **options: int) -> list[Diagnostic]:
    """What is wrong with a program."""
    try:
        LANGUAGE.run("main.sf", PureHost({"main.sf": text, **(files or {})}), Inputs(options=options))
    except ManyErrors as found:
        return found.diagnostics
    except Diagnostic as found:
        return [found]
    return []


def only(text: str | bytes, **options: int) -> Diagnostic:
    (problem,) = problems(text, None, **options)
    return problem


@pytest.mark.parametrize(
    "text",
    [
        "sfConfig extends " + "{ a extends " * 10_000 + "{}" + "}" * 10_000,
        "sfConfig extends " + "{ a extends " * 10_000,
        "sfConfig extends { v " + "[" * 10_000 + "]" * 10_000 + "; }",
    ],
    ids=["blocks", "open blocks", "vectors"],
)
def test_ten_thousand_levels_are_too_many(text: str) -> None:
    """Nesting is bounded; the error points at the level that is one too many."""
    problem = only(text)
    assert isinstance(problem, LimitReached)
    assert problem.span is not None and problem.span.text in ("{", "[")


def test_five_hundred_levels_are_fine() -> None:
    """Up to the limit everything works: compiling, printing, explaining, and what the text says is what is printed."""
    depth = 499
    text = "sfConfig extends " + "{ a extends " * depth + "{}" + "}" * depth
    outcome = LANGUAGE.run("main.sf", PureHost({"main.sf": text}), Inputs())
    (output,) = outcome.outputs()
    assert output.path == ":".join("a" * depth)
    again = LANGUAGE.run("main.sf", PureHost({"main.sf": outcome.text()}), Inputs())
    assert again.text() == outcome.text()
    assert outcome.yaml().count("\n") == depth


def test_limits_can_be_changed() -> None:
    """`max_nesting`, `max_nodes` and `max_source` are options; nonsense is refused."""
    three = "sfConfig extends { a extends { b extends {} } }"
    assert problems(three, max_nesting=3) == []
    assert isinstance(only(three, max_nesting=2), LimitReached)
    assert isinstance(only("sfConfig extends { a 1; b 2; }", max_nodes=1), LimitReached)
    assert isinstance(only(three, max_source=20), LimitReached)
    with pytest.raises(UsageError):
        problems(three, max_nodes=0)


def test_a_hundred_megabytes_are_too_much(tmp_path: Path) -> None:
    """A very large file is refused before it is read as a program."""
    path = tmp_path / "large.sf"
    with path.open("wb") as file:
        file.write(b"sfConfig extends {}")
        file.truncate(100 << 20)
    with pytest.raises(LimitReached, match="bytes"):
        LANGUAGE.run(str(path), RealHost([str(tmp_path)]), Inputs())


def test_binary_garbage() -> None:
    """Bytes that are no text are refused as such; characters that are no program get a bounded number of errors."""
    assert isinstance(only(Random(1).randbytes(10_000)), NotText)
    found = problems("\0\1\2 \x7f§ " * 10_000)
    assert 1 <= len(found) <= 21
    assert all(problem.span is not None for problem in found)


@settings(max_examples=examples(150), derandomize=True, deadline=None)
@given(st.text(st.sampled_from('ab{}[];:," \n\\/*#-1.extends DATA NULL true'), max_size=60))
def test_any_text_compiles_or_fails_cleanly(text: str) -> None:
    """Random text never raises anything but diagnostics, each with a place in the text; `check` agrees."""
    for problem in problems(text):
        assert problem.code[0] in "SW"
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    host = PureHost({"main.sf": text})
    LANGUAGE.check(host.source("main.sf"), host)


def test_truncated_programs_fail_cleanly() -> None:
    """A program cut off anywhere has an error at a place, or still compiles."""
    text = 'P extends { a "x\\"y"; /* c */ }\nsfConfig extends P, { b [1, [2]]; c DATA a:b; d:e a; }\n// end'
    for end in range(len(text)):
        for problem in problems(text[:end]):
            assert problem.span is not None


def test_exponential_programs_are_bounded() -> None:
    """552 bytes that ask for megabytes: an error, quickly; with a larger limit it compiles."""
    lines = ["x0 extends {}"] + [f"x{n} extends {{ l x{n - 1}; r x{n - 1}; }}" for n in range(1, 19)]
    text = "\n".join([*lines, "sfConfig x18;"])
    found: list[Diagnostic] = []
    assert effort(lambda: found.append(only(text))) < 100
    assert isinstance(found[0], LimitReached)
    assert problems(text, max_nodes=600_000) == []


def test_exponential_prototypes_are_bounded() -> None:
    """Prototypes double a component without a link: sizes with thousands of digits are no problem either."""
    lines = ["x0 extends {}"] + [f"x{n} extends {{ l extends x{n - 1} r extends x{n - 1} }}" for n in range(1, 400)]
    problem = only("\n".join([*lines, "sfConfig extends { all extends x399 }"]))
    assert isinstance(problem, LimitReached)
    itself = only("sfConfig extends {" + "".join(f"a{n} extends sfConfig " for n in range(400)) + "}")
    assert isinstance(itself, LimitReached)


def test_exponential_includes_are_bounded() -> None:
    """Files that include each other twice, level upon level, do a bounded amount of work."""
    files = {f"i{n}.sf": f'#include "i{n + 1}.sf"\n' * 2 for n in range(30)} | {"i30.sf": "x 1;"}
    found = problems('#include "i0.sf"', files, max_nodes=10_000)
    assert isinstance(found[0], LimitReached)


def test_wide_prototypes_are_bounded() -> None:
    """Many components that inherit many attributes: what is written is counted, used or not."""
    wide = "P extends {" + "".join(f"a{n} 1;" for n in range(300)) + "}"
    text = wide + "".join(f" c{n} extends P" for n in range(300)) + " sfConfig extends {}"
    assert isinstance(only(text, max_nodes=10_000), LimitReached)
    assert problems(text) == []


@pytest.mark.long
def test_long_histories_can_be_told() -> None:
    """A value that went through twenty thousand hands is explained without running out of stack."""
    links = "".join(f"a{n} a{n - 1};\n" for n in range(1, 20_000))
    outcome = LANGUAGE.run("m.sf", PureHost({"m.sf": f"a0 1;\n{links}sfConfig extends {{ x a19999; }}"}), Inputs())
    explanation = outcome.explain("x")
    assert explanation.where is not None and explanation.where.span is not None
    assert explanation.where.span.line == 1
    assert len(explanation.chain) == 20_000


def test_includes_stay_below_the_roots(tmp_path: Path) -> None:
    """A file outside the allowed directories is not read, by `..`, by absolute path or through a symbolic link."""
    (tmp_path / "secret.sf").write_text("x 1;")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.sf").symlink_to(tmp_path / "secret.sf")
    for path in ("../secret.sf", str(tmp_path / "secret.sf"), "link.sf"):
        (inside / "main.sf").write_text(f'#include "{path}"\nsfConfig extends {{}}')
        with pytest.raises(OutsideRoots):
            LANGUAGE.run(str(inside / "main.sf"), RealHost([str(inside)]), Inputs())


def test_byte_order_mark_and_line_ends() -> None:
    """A byte order mark is no character of the program; CRLF counts as a line end."""
    host = PureHost({"main.sf": "\ufeffsfConfig extends {\r\n  a 1;\r\n}\r\n".encode()})
    outcome: SmartFrogOutcome = LANGUAGE.run("main.sf", host, Inputs())
    where = outcome.explain("a").where
    assert where is not None and where.span is not None
    assert where.span.place == "main.sf:2:5"


def test_cost_grows_with_the_text() -> None:
    """Near-linear: eight times the components take less than nine times the work (quadratic would be sixty-four)."""

    def cost(count: int) -> int:
        body = "\n".join(f"c{n} extends P, {{ x {n}; in:y x; z c{max(n - 1, 0)}:x; }}" for n in range(1, count))
        text = f"P extends {{ a 1; in extends {{ y 2; }} }}\nsfConfig extends {{ c0 extends P, {{ x 0; }}\n{body} }}"
        return lines(lambda: LANGUAGE.run("m.sf", PureHost({"m.sf": text}), Inputs()).document())

    cost(1)  # imports are no part of it
    assert cost(2_000) / cost(250) < 9

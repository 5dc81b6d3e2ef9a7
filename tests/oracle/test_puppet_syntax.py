"""The front end against real Puppet, live: the cases, the installed modules, broken copies of them, random programs.

"The same" means the same verdict, the same error with its place, the same warnings, and an equal tree with every node
at the same line and column. Skipped where Puppet or its modules are not installed.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from support import grammar
from support.puppet_model import program_model, simplified
from support.puppet_oracle import ask, modules
from support.puppet_printer import to_source
from support.puppet_syntax import BREAKS_DOWN, key, puppet_said, said, snippets
from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax.lexer import Lexer
from wherefrom.puppet.syntax.parser import ParseResult, parse, parse_epp

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.usefixtures("real_puppet"),
]


def differences(texts: list[str], epp: bool = False) -> list[tuple[str, str, str]]:
    """Texts about which the two do not say the same, with what each says."""
    found = []
    answers = ask({"id": n, "text": text, "epp": epp, "tree": True} for n, text in enumerate(texts))
    for text, answer in zip(texts, answers, strict=True):
        result = (parse_epp if epp else parse)(SourceFile("site.pp", text))
        puppet, ours = puppet_said(answer), said(result)
        if puppet.startswith(BREAKS_DOWN):
            puppet = ours if not result.ok else puppet
        if puppet == ours and answer["ok"] and not same_tree(result, answer["tree"]):
            ours += "with another tree\n"
        if puppet != ours:
            found.append((text, puppet, ours))
    return found


def same_tree(result: ParseResult, model: Any) -> bool:
    found = simplified(program_model(result.program))
    return found[3]["body"] == "nothing" or found == simplified(model)


def read(path: Path) -> str:
    return path.read_bytes().decode()


def mutated(text: str, rng: random.Random, epp: bool) -> str:
    """The text with a token deleted, doubled, swapped with the next or put elsewhere, or a character deleted."""
    lexer = Lexer(SourceFile("site.pp", text), epp=epp).run()
    places = sorted({(start, end) for start, end in zip(lexer.starts, lexer.ends, strict=True) if end > start})
    if len(places) < 3:
        return text
    at = rng.randrange(len(places) - 1)
    (start, end), (next_start, next_end) = places[at], places[at + 1]
    token = text[start:end]
    match rng.choice(["delete", "double", "swap", "insert", "character"]):
        case "delete":
            return text[:start] + text[end:]
        case "double":
            return text[:end] + rng.choice(["", " "]) + token + text[end:]
        case "swap" if next_start >= end:
            return text[:start] + text[next_start:next_end] + text[end:next_start] + token + text[next_end:]
        case "insert":
            first, last = rng.choice(places)
            return text[:end] + rng.choice(["", " ", "\n"]) + text[first:last] + " " + text[end:]
    spot = rng.randrange(len(text))
    return text[:spot] + text[spot + 1 :]


def broken_modules(count: int, seed: int, suffix: str) -> list[str]:
    rng = random.Random(seed)
    files = [path for path in modules(suffix) if path.stat().st_size < 6_000]
    return [mutated(read(rng.choice(files)), rng, suffix == ".epp") for _ in range(count)] if files else []


def test_goldens_are_fresh() -> None:
    """Puppet still says what was recorded for the cases."""
    stale = []
    for case, name in snippets()[::7]:
        request = {"id": 1, "text": case.sections[name], "epp": name.endswith(".epp")}
        request |= {"strict": case.header.get("strict"), "tasks": case.header.get("tasks")}
        if "name" in case.header:
            request |= {"name": case.header["name"], "modulepath": "/modules"}
        stale.append((request, key(case, name), case.wants("puppet")[name]))
    answers = ask(request for request, _, _ in stale)
    wrong = [name for (_, name, want), answer in zip(stale, answers, strict=True) if puppet_said(answer) != want]
    assert wrong == []


@pytest.mark.parametrize("suffix", [".pp", ".epp"])
def test_modules(suffix: str) -> None:
    """Real modules: the same trees, for every thirtieth file (all of them in the long run)."""
    texts = [read(path) for path in modules(suffix)][:: 30 if suffix == ".pp" else 2]
    assert differences(texts, suffix == ".epp") == []


@pytest.mark.parametrize("suffix", [".pp", ".epp"])
def test_modules_print_back(suffix: str) -> None:
    """Every file of the modules is accepted, prints, and parses to the same tree again."""
    read_tree = parse_epp if suffix == ".epp" else parse
    for path in modules(suffix):
        first = read_tree(SourceFile(str(path), read(path)))
        assert first.ok, path
        printed = to_source(first.program)
        second = read_tree(SourceFile(str(path), printed))
        assert second.program == first.program, path


@pytest.mark.parametrize(("suffix", "count"), [(".pp", 400), (".epp", 100)])
def test_broken_modules(suffix: str, count: int) -> None:
    """Files with a token too many or too few: the same verdict in the same words."""
    assert differences(broken_modules(count, 7, suffix), suffix == ".epp") == []


def random_programs(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    made = grammar.load()
    return [grammar.write(made.sentence("program", rng), rng) for _ in range(count)]


def test_random_programs() -> None:
    """Programs that nobody would write, made from the grammar: the same trees and the same errors."""
    assert differences(random_programs(300, 3)) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_soak(seed: int) -> None:
    """Much more of the same.  At most one in a hundred may differ; none is known to."""
    texts = broken_modules(2_000, 100 + seed, ".pp")
    assert len(differences(texts)) <= len(texts) / 100
    assert differences(broken_modules(500, 100 + seed, ".epp"), epp=True) == []
    assert differences(random_programs(2_000, 100 + seed)) == []


@pytest.mark.soak
def test_all_modules() -> None:
    """All files of all modules: the same trees."""
    assert differences([read(path) for path in modules(".pp")]) == []

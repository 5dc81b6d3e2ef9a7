"""`docs/messages.md` has every message that the program can print."""

from __future__ import annotations

import ast
import os
import re

import pytest

from support.messages import PAGE, Listed, Message, Module, messages, page, recorded


def test_the_page_is_complete() -> None:
    """It is what the source says; `make docs` writes it again."""
    text = page()
    if os.environ.get("WHEREFROM_UPDATE"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def test_what_was_printed_is_on_it() -> None:
    """Every diagnostic in recorded cases and in the documentation is one of the messages that were found."""
    listed = Listed(messages())
    heads = [re.sub(r"^\w+\[\w+\]: ", "", block.splitlines()[0]) for _, block in recorded()]
    assert len(heads) > 100
    of_git = "git: "  # what git itself says is told as it is
    assert [words for words in dict.fromkeys(heads) if not listed.has(words) and not words.startswith(of_git)] == []


def test_the_test_can_fail() -> None:
    """A message that is not in the source is not found, though there are messages that are little but gaps."""
    listed = Listed(
        [Message("Nix", "N001", "error", words, "") for words in ("{name}: {words}", "`{name}' is missing")]
    )
    assert listed.has("`a' is missing") and listed.has("site.nix: `a' is missing")
    assert not listed.has("site.nix: something else") and not listed.has("`a' is missing here")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("raise Broken('a list is expected')", ("W090", "error", "a list is expected")),
        ("raise Other(f'{x} is not a list')", ("", "error", "{x} is not a list")),
        (
            "def bad(words): return Broken(words)\nraise bad('a list is expected')",
            ("W090", "error", "a list is expected"),
        ),
        (
            "class A:\n  def _bad(self, at, *, words): self._other(f'{at}: {words}')\n"
            "  def _other(self, words): raise Broken(words)\n  def f(self): self._bad(1, words='too many of them')",
            ("W090", "error", "too many of them"),
        ),
        ("WORDS = 'one of several'\nraise Broken(f'{WORDS} is wrong')", ("W090", "error", "one of several")),
        ("Broken('x', help='give another one')", ("W090", "hint", "give another one")),
        ("out = [('no value there', 'strong')]", ("", "answer", "no value there")),
        ("print(f'{count} files were read')", ("", "answer", "{count} files were read")),
    ],
)
def test_a_text_is_found_however_it_reaches_a_message(source: str, expected: tuple[str, str, str]) -> None:
    """Directly, by a helper, by a constant; as what is raised, said beside it or printed."""
    module = Module(ast.parse(source), "cli/x.py", "Command line", {"Broken": ("W090", "error")})
    assert expected in {(each.code, each.kind, each.words) for each in module.messages()}


def test_every_code_has_a_class_or_a_table() -> None:
    """A code stands for one area."""
    areas: dict[str, set[str]] = {}
    for message in messages():
        if message.code:
            areas.setdefault(message.code[0], set()).add(message.area)
    assert areas["N"] == {"Nix"} or areas["N"] <= {"Nix", "Reference semantics", "All languages"}
    assert isinstance(messages()[0], Message)

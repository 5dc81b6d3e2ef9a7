"""`docs/messages.md` has every message that the program can print."""

from __future__ import annotations

import os
import re

from support.messages import PAGE, Message, messages, page, pattern, recorded


def test_the_page_is_complete() -> None:
    """It is what the source says; `make docs` writes it again."""
    text = page()
    if os.environ.get("WHEREFROM_UPDATE"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text


def test_what_was_printed_is_on_it() -> None:
    """Every diagnostic in recorded cases and in the documentation is one of the messages that were found."""
    patterns = {pattern(each.words) for each in messages()}
    heads = [re.sub(r"^\w+\[\w+\]: ", "", block.splitlines()[0]) for _, block in recorded()]
    assert len(heads) > 100
    assert [words for words in dict.fromkeys(heads) if not any(each.match(words) for each in patterns)] == []


def test_every_code_has_a_class_or_a_table() -> None:
    """A code stands for one area."""
    areas: dict[str, set[str]] = {}
    for message in messages():
        if message.code:
            areas.setdefault(message.code[0], set()).add(message.area)
    assert areas["N"] == {"Nix"} or areas["N"] <= {"Nix", "Reference semantics", "All languages"}
    assert isinstance(messages()[0], Message)

"""Edits of whole statements: what changes the order of attributes beside another value or reference.

Two neighbouring statements change places, one is left out, written a second time, or its attribute gets another name.
An `Edit` says which part of the old text it touches and which part of the new text came of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from wherefrom.base.record import Record
from wherefrom.smartfrog.production.tree import Applied, Call
from wherefrom.smartfrog.tree import Assignment, Block, Extends


class Edit(Record):
    """`text` in the place of the characters from `start` to `end` of a file."""

    file: str
    start: int
    end: int
    text: str
    kind: str

    def made(self, files: Mapping[str, str]) -> dict[str, str]:
        """The files with the edit made."""
        old = files[self.file]
        return {**files, self.file: old[: self.start] + self.text + old[self.end :]}

    @property
    def regions(self) -> tuple[range, range]:
        """The characters that it touches in the old text, and those that came of it in the new one."""
        return range(self.start, self.end), range(self.start, self.start + len(self.text))


def blocks(node: object) -> Iterator[Block]:
    """Every block of a program, included ones too."""
    match node:
        case Block():
            yield node
            for assignment in node.assignments():
                yield from blocks(assignment.value)
        case Extends():
            for prototype in node.prototypes:
                yield from blocks(prototype)
        case Call(arguments=arguments):
            for _, argument in arguments:
                yield from blocks(argument)
        case Applied():
            yield from blocks(node.block)
        case _:
            pass


def statement(assignment: Assignment) -> tuple[int, int]:
    """Where a statement stands, its semicolon included."""
    text, end = assignment.span.file.text, assignment.span.end
    behind = end
    while behind < len(text) and text[behind].isspace():
        behind += 1
    return assignment.span.start, behind + 1 if text[behind : behind + 1] == ";" else end


def edits(tree: Block, random: Random) -> Iterator[Edit]:
    """For each statement of a program one edit of each kind."""
    targets = [each.target.span.text for block in blocks(tree) for each in block.assignments()]
    for block in blocks(tree):
        own = [item for item in block.items if isinstance(item, Assignment)]
        for number, item in enumerate(own):
            name, text = item.span.file.name, item.span.file.text
            start, end = statement(item)
            yield Edit(name, start, end, "", "left out")
            yield Edit(name, start, start, text[start:end] + "\n", "twice")
            other = random.choice(targets)
            yield Edit(name, item.target.span.start, item.target.span.end, other, "renamed")
            if number + 1 < len(own):
                next_start, next_end = statement(own[number + 1])
                swapped = text[next_start:next_end] + text[end:next_start] + text[start:end]
                yield Edit(name, start, next_end, swapped, "swapped")

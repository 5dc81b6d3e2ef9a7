"""Regular expressions as trees, whatever notation they were written in, and the same trees in Python's notation.

`Chars` is one character out of a set: as Python writes the set, and, where they can be listed, as its members.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..record import Record


class BadRegex(ValueError):
    """Text that is no regular expression, or one that cannot be carried over."""


class RegexTooLarge(BadRegex):
    """An expression that needs more states than allowed."""

    def __init__(self) -> None:
        super().__init__("regular expression too large")


class RegexTooHard(Exception):
    """Matching needs more work than allowed."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a regular expression took too many steps (limit: {limit:,})")
        self.limit = limit


class Node(Record):
    """Part of a regular expression."""


class Empty(Node):
    """Nothing, which always matches."""


class Chars(Node):
    """One character out of a class, written as Python writes it (without a quantifier)."""

    source: str
    members: frozenset[str] | None = None


class Seq(Node):
    """One after the other."""

    parts: tuple[Node, ...]


class Alt(Node):
    """One of several."""

    options: tuple[Node, ...]


class Repeat(Node):
    """`mode` is `""` (greedy), `?` (lazy) or `+` (possessive)."""

    body: Node
    low: int
    high: int | None
    mode: str


class Group(Node):
    """A group: capturing under a number (and perhaps a name), or with flags, or just brackets."""

    body: Node
    number: int | None = None
    name: str | None = None
    flags: str = ""


class Look(Node):
    """`kind` is `=`, `!`, `<=`, `<!` or `>` (an atomic group)."""

    kind: str
    body: Node


class Mark(Node):
    """An assertion without width, written as Python writes it."""

    source: str


class Backref(Node):
    """What a group matched."""

    group: str


class Conditional(Node):
    """`(?(group)yes|no)`"""

    group: str
    yes: Node
    no: Node


LINE_START = r"(?m:^)(?!(?<=\n)\Z)"
"""Ruby's `^`: the start of a line, but not after the newline that ends the text."""


def parts_of(node: Node) -> Iterator[Node]:
    """What a node is made of."""
    match node:
        case Seq():
            yield from node.parts
        case Alt():
            yield from node.options
        case Repeat() | Group() | Look():
            yield node.body
        case Conditional():
            yield node.yes
            yield node.no


def walk(node: Node) -> Iterator[Node]:
    """A node and everything below it."""
    yield node
    for part in parts_of(node):
        yield from walk(part)


def uncaptured(node: Node) -> Node:
    """The same pattern without capturing groups."""
    match node:
        case Group():
            return Group(uncaptured(node.body), None, None, node.flags)
        case Seq():
            return Seq(tuple(map(uncaptured, node.parts)))
        case Alt():
            return Alt(tuple(map(uncaptured, node.options)))
        case Repeat():
            return Repeat(uncaptured(node.body), node.low, node.high, node.mode)
        case Look():
            return Look(node.kind, uncaptured(node.body))
    return node


def can_be_empty(node: Node) -> bool:
    """Can the node match nothing?"""
    match node:
        case Chars():
            return False
        case Seq():
            return all(map(can_be_empty, node.parts))
        case Alt():
            return any(map(can_be_empty, node.options))
        case Group():
            return can_be_empty(node.body)
        case Repeat():
            return node.low == 0 or can_be_empty(node.body)
        case Look():
            return node.kind != ">" or can_be_empty(node.body)
    return True


def write(node: Node) -> str:
    """The pattern for Python's `re`."""
    match node:
        case Empty():
            return ""
        case Chars() | Mark():
            return node.source
        case Seq():
            return "".join(f"(?:{write(part)})" if isinstance(part, Alt) else write(part) for part in node.parts)
        case Alt():
            return "|".join(map(write, node.options))
        case Repeat():
            return _write_repeat(node)
        case Group():
            return _write_group(node)
        case Look():
            return _write_look(node)
        case Backref():
            return f"(?P={node.group})" if not node.group.isdigit() else f"(?:\\{node.group})"
        case Conditional():
            return f"(?({node.group}){write(node.yes)}|{write(node.no)})"
    raise TypeError(node)


def _write_repeat(node: Repeat) -> str:
    body = node.body
    inner = write(body)
    if not inner:
        return ""
    single = isinstance(body, Group | Look) or (isinstance(body, Chars) and _is_single(body.source))
    if not single or isinstance(body, Look):
        inner = f"(?:{inner})"
    simple: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    count = simple.get((node.low, node.high))
    if count is None:
        count = (
            f"{{{node.low}}}" if node.low == node.high else f"{{{node.low},{'' if node.high is None else node.high}}}"
        )
    if node.mode == "+" and can_be_empty(body):
        # Python's possessive repeats of what can be empty may never end.
        return f"(?>{inner}{count})"
    return inner + count + node.mode


def _is_single(source: str) -> bool:
    return len(source) == 1 or source.startswith(("[", "(")) or (source.startswith("\\") and len(source) == 2)


def _write_group(node: Group) -> str:
    inner = write(node.body)
    if node.name is not None:
        return f"(?P<{node.name}>{inner})"
    if node.number is not None:
        return f"({inner})"
    return f"(?{node.flags}:{inner})"


def _write_look(node: Look) -> str:
    if node.kind in ("<=", "<!"):
        body = node.body.body if isinstance(node.body, Group) and node.body.number is None else node.body
        options = body.options if isinstance(body, Alt) else (body,)
        looks = [f"(?{node.kind}{write(option)})" for option in options]
        if len(looks) == 1:
            return looks[0]
        return f"(?:{'|'.join(looks)})" if node.kind == "<=" else "".join(looks)
    return f"(?{node.kind}{write(node.body)})"

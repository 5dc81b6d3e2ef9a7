"""Types say something: how many `Any` and `type: ignore` each room has may fall, and not rise."""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wherefrom"
MOST: dict[str, tuple[int, int]] = {
    ".": (125, 1),
    "base": (105, 5),
    "base/regex": (25, 1),
    "cli": (125, 4),
    "editor": (105, 2),
    "fleet": (165, 3),
    "nix": (10, 1),
    "nix/builtins": (20, 1),
    "nix/emit": (25, 3),
    "nix/flakes": (15, 1),
    "nix/front": (25, 3),
    "nix/kernel": (35, 1),
    "nix/options": (30, 6),
    "nix/store": (10, 1),
    "nix/syntax": (10, 1),
    "nix/trace": (35, 1),
    "provenance": (80, 7),
    "puppet": (30, 1),
    "puppet/compile": (105, 3),
    "puppet/environment": (30, 1),
    "puppet/functions": (75, 2),
    "puppet/hiera": (110, 2),
    "puppet/kernel": (40, 2),
    "puppet/output": (185, 2),
    "puppet/rubyhost": (330, 3),
    "puppet/runtime": (130, 5),
    "puppet/syntax": (35, 4),
    "puppet/types": (175, 2),
    "ruby": (175, 3),
    "ruby/libraries": (55, 2),
    "ruby/methods": (135, 1),
    "semantics": (25, 1),
    "semantics/nix": (15, 1),
    "semantics/puppet": (90, 2),
    "semantics/smartfrog": (15, 1),
    "smartfrog": (20, 1),
    "smartfrog/production": (15, 5),
    "web": (30, 2),
}
"""By room: how often `Any` is written there, and how many complaints of the type checker are put aside."""
MOST_EXCEPTIONS = 59
"""How many complaints are put aside in all rooms together."""
SLACK = 100
"""How far a room may be below its row before the row must be lowered."""


def counted(text: str) -> tuple[int, int]:
    """How often a module writes `Any`, in annotations of any kind, and `type: ignore`."""
    anys = ignores = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            ignores += "type: ignore" in token.string
        elif token.type == tokenize.NAME:
            anys += token.string == "Any"
    return anys, ignores


def by_room() -> dict[str, tuple[int, int]]:
    """The same, over the modules of each room: a folder, or what lies at the top."""
    anys: Counter[str] = Counter()
    ignores: Counter[str] = Counter()
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE).parts
        room = parts[0] if len(parts) == 2 else "/".join(parts[:2]) if len(parts) > 2 else "."
        count = counted(file.read_text("utf-8"))
        anys[room] += count[0]
        ignores[room] += count[1]
    return {room: (anys[room], ignores[room]) for room in anys}


def test_types_do_not_get_weaker() -> None:
    """A room with more than its row must find types; one that has far less lowers its row, so that it stays so."""
    rooms = by_room()
    weaker = {room: count for room, count in rooms.items() if any(map(int.__gt__, count, MOST.get(room, (0, 0))))}
    assert weaker == {}, "say what the values are (a Protocol, a union, a TypeVar), or narrow before use"
    better = {
        room: rooms.get(room, (0, 0)) for room, most in MOST.items() if most[0] - rooms.get(room, (0, 0))[0] > SLACK
    }
    assert better == {}, "lower the row"
    assert sum(ignores for _, ignores in rooms.values()) <= MOST_EXCEPTIONS


def test_counting() -> None:
    """Code and comments count, texts do not."""
    text = "x: Any = 1  # type: ignore[assignment]\n'Any'\ny: Any | None = x\n"
    assert counted(text) == (2, 1)

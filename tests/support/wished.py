"""Other values for outputs, as a person would type them: for wishes at random."""

from __future__ import annotations

import re
from random import Random
from typing import Any


def another(value: Any, random: Random) -> str | None:
    """Another value of the same kind; nothing for what has no other."""
    if isinstance(value, bool):
        return "false" if value else "true"
    if isinstance(value, int):
        return str(value + random.randint(1, 9))
    if value in ("on", "off"):
        return "off" if value == "on" else "on"
    if re.fullmatch(r"0[0-7]{3}", value):
        return random.choice([mode for mode in ("0611", "0755", "0400") if mode != value])
    words = re.findall(r"[A-Za-z0-9]+", value)
    if not words:
        return None
    word = random.choice(words)
    return str(value).replace(word, word + random.choice(["x", "_y", "7"]), 1)

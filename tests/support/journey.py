"""Which of our functions a piece of work calls, in the order of their first calls, and which room calls which."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import wherefrom

PACKAGE = str(Path(wherefrom.__file__).parent) + "/"


class Journey:
    """What was called while something was done: `first` by place, `pairs` of modules, `calls` in all."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.first: dict[str, int] = {}
        self.pairs: set[tuple[str, str]] = set()
        self.calls = 0
        gc.collect()  # what an earlier run left does its last things now, not on this way
        before, before_threads = sys.getprofile(), threading.getprofile()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            self.result = work()
        finally:
            sys.setprofile(before)
            threading.setprofile(before_threads)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "call":
            return
        here = _module(frame)
        if here is None:
            return
        self.calls += 1
        place = f"{here}:{frame.f_code.co_qualname.replace('.<locals>', '')}"
        self.first.setdefault(place, self.calls)
        caller = frame.f_back
        while caller is not None:
            there = _module(caller)
            if there is not None:
                if there != here:
                    self.pairs.add((there, here))
                return
            caller = caller.f_back

    @property
    def files(self) -> set[str]:
        """The files that anything was called in."""
        return {place.partition(":")[0] for place in self.first}


def _module(frame: FrameType) -> str | None:
    name = frame.f_code.co_filename
    return name.removeprefix(PACKAGE) if name.startswith(PACKAGE) else None

"""Possessive repeats, also where Python matches them wrongly."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from wherefrom.base.patterns import atomic, compiled

CASES = [
    (r"-?[0-9](?:[\w.]|(?<=[eE])[+-])*+", ["16", "1e+5", "-3.25e-7x", "1+2", "x"]),
    (r"/\*(?:[^*]++|\*(?!/))*+\*/", ["/* a * b */ c", "/**/", "/***/", "/* a", "/* * / */"]),
    (r'"(?:[^"\\]++|\\.)*+"', ['"a\\"b" c', '"', '"\\\\"', '""']),
    (r"(?:ab?c)*+d", ["acabcd", "abd", "d"]),
    (r"(?:a|ab)*+c", ["abc", "aac", "c"]),
    (r"(?:a{1,2}+|b)++(?:c?+)$", ["aaabbc", "aab", "c"]),
    (r"(?P<word>(?:x|(?:y|z)?+w)*+)(?=!)", ["xyww!", "xy!", "!"]),
]
WALK = """
import importlib, pkgutil, re, sys
from re import _parser
from wherefrom.base import patterns
patterns.SOUND = False
import wherefrom
for found in pkgutil.walk_packages(wherefrom.__path__, "wherefrom."):
    if not found.name.endswith("__main__"):
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            if str(missing.name).startswith("wherefrom"):
                raise  # else a package of an extra
SINGLE = {_parser.LITERAL, _parser.NOT_LITERAL, _parser.ANY, _parser.IN}
def several(tree):
    for operation, operand in tree.data:
        if operation is _parser.POSSESSIVE_REPEAT and [part for part, _ in operand[2].data if part not in SINGLE]:
            return True
        parts = operand if isinstance(operand, (tuple, list)) else (operand,)
        inner = [each for part in parts for each in (part if isinstance(part, list) else (part,))]
        if any(several(each) for each in inner if isinstance(each, _parser.SubPattern)):
            return True
    return False
seen = 0
for name, module in sorted(sys.modules.items()):
    if name.startswith("wherefrom"):
        for key, value in vars(module).items():
            if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                seen += 1
                if several(_parser.parse(value.pattern, value.flags & ~re.UNICODE)):
                    print(name, key)
print(seen, file=sys.stderr)
"""


@pytest.mark.parametrize("pattern, texts", CASES)
def test_an_atomic_group_is_the_same(pattern: str, texts: list[str]) -> None:
    """What old Pythons get matches what it should: the longest repeat, and nothing is given back."""
    known = {"16": "16", "1e+5": "1e+5", "/* a * b */ c": "/* a * b */", "acabcd": "acabcd", "abc": None}
    rewritten = atomic(pattern)
    for text in texts:
        found = rewritten.match(text)
        if text in known:
            assert (found and found[0]) == known[text]
        expected = compiled(pattern).match(text)
        assert (found and (found.span(), found.groupdict())) == (expected and (expected.span(), expected.groupdict()))


def test_flags_are_kept() -> None:
    assert atomic(r"(?: A | b )*+ c", re.VERBOSE | re.IGNORECASE).fullmatch("aABc")


def test_possessive_repeats_of_groups_are_compiled_here() -> None:
    """Every expression of a module: `re.compile` would match some of them wrongly on Python 3.11.2."""
    done = subprocess.run([sys.executable, "-c", WALK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert int(done.stderr.splitlines()[-1]) > 200

r"""YAML that nobody wrote, and what Puppet's own reader, Ruby's, makes of it.

`document(random)` gives a text of odd words (numbers, times, symbols, tags, quotes), block texts, keys that are lists,
anchors, aliases and merges (`<<`) before and behind other keys. `ask_puppet` has one process of Ruby answer for many
texts; `ask_wherefrom` is ours, in the same words.
"""

from __future__ import annotations

import json
import subprocess
from random import Random
from typing import Any

from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.puppet.hiera.files import read_yaml
from wherefrom.puppet.hiera.scalars import Symbol
from wherefrom.puppet.kernel.values import key_value

SCALARS = [
    "1",
    "01",
    "08",
    "0o7",
    "0x1F",
    "1_000",
    "1,000",
    "1.5",
    "1e3",
    "1.5e3",
    ".5",
    "5.",
    "-.5",
    "+1",
    "-0",
    "0.0",
    "1:30",
    "1:30:15",
    "-1:30",
    "190:20:30.15",
    "~",
    "null",
    "Null",
    "NULL",
    "nUll",
    "",
    "yes",
    "Yes",
    "YES",
    "no",
    "on",
    "Off",
    "y",
    "n",
    "true",
    "True",
    "TRUE",
    "tRue",
    "false",
    ".inf",
    "-.inf",
    ".NaN",
    ".Inf",
    "2001-01-01",
    "2001-01-01 10:00:00",
    "2001-1-1",
    "2001-13-45",
    ":sym",
    ":'q s'",
    ':"q"',
    "a:b",
    "a: b",
    "::x",
    "- a",
    "-",
    "--",
    "---x",
    "a #c",
    "a#c",
    "'it''s'",
    '"a\\tb\\u00e9\\x41\\n"',
    "'a\\tb'",
    '"\\/"',
    "!!str 5",
    "!!int '5'",
    "!!int 0x10",
    "!!float 3",
    "!!bool yes",
    "!!null ''",
    "! 5",
    "!foo bar",
    "!!binary aGVsbG8=",
    "!ruby/sym abc",
    "!ruby/symbol abc",
    "!ruby/regexp /a/",
    "!ruby/range 1..2",
    "!str 5",
    "!!set {a, b}",
    "!!omap [a: 1, b: 2]",
    "!ruby/hash:Hash {a: 1}",
    "<<",
    "=",
    "&x 5",
    "*x",
    "é",
    '"\\U0001F600"',
    "%{facts.x}",
    '"%{x}"',
    "@a",
    "`a",
    "a\tb",
    "'a\n  b'",
    '"a\\\n  b"',
    "[]",
    "{}",
    "[1, a, [b]]",
    "[a, b,]",
    "{a: 1, b}",
    "{a: 1, 'b': 2, \"c\":3}",
    "{a:1}",
    "[a: 1, b: 2]",
    "{[1]: 2}",
    "{? a : b}",
    "[a,b: c]",
    "0b101",
    "0b2",
    "0xG",
    "1__0",
    "1_",
    "_1",
    "1.2.3",
    "1e",
    "1e+3",
    "1.e+3",
    "1.5E-2",
    "12345678901234567890",
    "0777",
    "0_7",
    "+0x1",
    "-0x1F",
    "1,2,3",
    "1,,2",
    ",1",
    "12e03",
    "9e999",
    "1.0_0",
    "685_230.15",
    "null ",
    "~a",
    "no thanks",
    "0.1e1",
    "-1_000.5",
    "1_000.",
    "00",
    "-01",
    "+.5",
    "3.14.15",
    "0:0",
    "60:60",
    "1:60",
    "01:30",
    "1:3",
    "1.5:2",
    "!!timestamp 2001-01-01",
    "2001-12-14t21:59:43.10-05:00",
    '"2001-01-01"',
    "!!str 2001-01-01",
    "!!float abc",
    "!!int abc",
    "'yes'",
    "!!str",
    "!!map {a: 1}",
    "!!seq [1]",
    "? a",
]
BLOCKS = [
    "|\n  a\n  b\n",
    ">\n  a\n  b\n\n  c\n",
    "|-\n  a\n",
    "|+\n  a\n\n",
    ">-\n  a\n   b\n  c\n",
    "|2\n   a\n",
    "|\n\n  a\n",
    "> # c\n  a\n",
    "|1-\n a\n",
]
KEYS = [
    "a",
    "b",
    "1",
    "01",
    "1.5",
    "true",
    "~",
    "null",
    ":s",
    "'q'",
    '"w"',
    "yes",
    "2001-01-01",
    "[1, 2]",
    "{a: 1}",
    "é",
    "a b",
    "<<",
    "!!str 1",
    "&k k",
    "",
    "0x1F",
    "1:30",
    "no",
    ".5",
]
MERGED = ["*x", "[*x, *y]", "{m: 1, a: 2}", "[{a: 1, b: 2}, {b: 3, c: 4}]", "5", "!!omap [a: 1]"]
BEFORE = ["", "", "---\n", "# c\n", "%YAML 1.1\n---\n", "--- \n"]
BEHIND = ["", "", "", "...\n", "---\nz: 1\n", "\n\n"]


def document(random: Random) -> str:
    """A text, mostly a mapping, some with anchors that others are merged from."""
    kind = random.random()
    start = random.choice(("", "x: &x {a: 1, b: 2, c: 3}\ny: &y\n  c: 4\n  d: 5\n"))
    if kind < 0.8:
        body = start + mapping(random, 2, 0)
    else:
        body = sequence(random, 2, 0) if kind < 0.9 else random.choice(SCALARS) + "\n"
    return random.choice(BEFORE) + body + random.choice(BEHIND)


def node(random: Random, depth: int, indent: int) -> str:
    """What stands behind a colon or a dash."""
    kind = random.random()
    if depth <= 0 or kind < 0.45:
        return f" {random.choice(SCALARS)}{random.choice(('', '', ' # c'))}\n"
    if kind < 0.53:
        head, _, body = random.choice(BLOCKS).partition("\n")
        return f" {head}\n" + "".join(f"{' ' * indent}{line}\n" if line else "\n" for line in body.split("\n")[:-1])
    if kind < 0.75:
        return random.choice(("", " &x", " &y")) + "\n" + mapping(random, depth - 1, indent)
    return random.choice(("", " &x")) + "\n" + sequence(random, depth - 1, indent)


def mapping(random: Random, depth: int, indent: int) -> str:
    """Lines of a mapping."""
    margin = " " * indent
    lines = ""
    for _ in range(random.randint(1, 4)):
        kind = random.random()
        if kind < 0.12:
            lines += f"{margin}{random.choice(('<<', '<<', QUOTED))}: {random.choice(MERGED)}\n"
        elif kind < 0.16:
            lines += f"{margin}? {random.choice(('k', '[1, 2]', '{z: 1}'))}\n{margin}:{node(random, 0, indent + 2)}"
        else:
            key = random.choice(KEYS) if random.random() < 0.4 else random.choice("abcd")
            lines += f"{margin}{key}:{node(random, depth, indent + random.choice((1, 2, 2, 4)))}"
    return lines


QUOTED = '"<<"'


def sequence(random: Random, depth: int, indent: int) -> str:
    """Lines of a list."""
    lines = ""
    for _ in range(random.randint(1, 3)):
        element = node(random, depth, indent + 2)
        lines += (
            " " * indent + "-" + (element if random.random() < 0.8 else " " + mapping(random, 0, indent + 2).lstrip())
        )
    return lines


_ASK = r"""
require 'json'; require 'puppet'; require 'puppet/util/yaml'
def show(v)
  case v
  when Hash then "{" + v.map { |k, x| show(k) + "=>" + show(x) }.join(",") + "}"
  when Array then "[" + v.map { |x| show(x) }.join(",") + "]"
  when String then "s" + v.dup.force_encoding("UTF-8").scrub("?").to_json
  when Symbol then ":" + v.to_s.to_json
  when Integer then v.to_s
  when Float then v.nan? ? "f:nan" : v.infinite? ? (v > 0 ? "f:inf" : "f:-inf") : "f:%.17g" % v
  when nil then "nil"
  when true, false then v.to_s
  else "?" + v.class.name
  end
end
$stdin.each_line do |l|
  t = JSON.parse(l)
  a = begin
    ["ok", show(Puppet::Util::Yaml.safe_load(t, [Symbol], "x.yaml"))]
  rescue Exception => e
    ["error", e.message.to_s.scrub("?")[0,150]]
  end
  puts JSON.generate(a)
end
"""


def ask_puppet(texts: list[str]) -> list[list[str]]:
    """What Puppet reads: ["ok", shown] or ["error", words]."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run(
        ["ruby", "-W0", "-e", _ASK], input=lines, capture_output=True, text=True, check=True, timeout=600
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def ask_wherefrom(text: str) -> list[str]:
    """What we read, in the same words."""
    try:
        return ["ok", shown(read_yaml(SourceFile("x.yaml", text))[0])]
    except Diagnostic as problem:
        return ["error", problem.message]


def shown(value: Any) -> str:
    """A value with its types."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{shown(key_value(key))}=>{shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    if isinstance(value, Symbol):
        return ":" + json.dumps(value.name, ensure_ascii=False)
    if isinstance(value, float):
        return f"f:{value:.17g}"
    if isinstance(value, str):
        return "s" + json.dumps(value, ensure_ascii=False)
    return "nil" if value is None else str(value).lower()

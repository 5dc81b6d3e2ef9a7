"""Ruby expressions and templates that nobody wrote, and what real Ruby says about them.

`expression(random)` gives an expression of about the constructs that templates and functions use, one in ten of them
ill-typed, so that error messages are compared too; `template(random)` gives ERB with odd tags. `ask_ruby` has one Ruby
process answer for many texts; `ask_wherefrom` is ours, in the same words.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from random import Random
from typing import Any

from wherefrom.base.budget import Budget
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.ruby import HostObject, Interpreter, RubyError, compile_erb, compile_ruby
from wherefrom.ruby.classes import OBJECT
from wherefrom.ruby.making import Makings
from wherefrom.ruby.showing import inspect
from wherefrom.ruby.tracking import Tracker
from wherefrom.ruby.values import Class

WORDS = ["", "a", "foo", "Bar", "foo bar", "10", "3.5", "a,b,,c,", "  x y ", "true", "é", "a-b_c", "Zz", "az", "1.9"]
INTEGERS = [0, 1, 2, 3, 7, -1, -5, 10, 100, 255, 1000, 12345678901234567890]
FLOATS = ["0.5", "1.5", "2.675", "-2.5", "3.0", "1e20", "1.0e-5", "100.25", "0.1"]
REGEXES = ["/o/", "/[a-c]/", "/(\\w)(\\w)/", "/^f/", "/\\s+/", "/,/", "/x*/", "/(?<n>o+)/", "/B/i", "/\\d+/"]

STRING_METHODS = (
    "upcase downcase capitalize swapcase length size reverse strip lstrip rstrip chomp chop chars bytes to_i to_f to_s"
    " to_sym inspect empty? hex succ lines squeeze split sum bytesize upcase.downcase dup nil? class"
    " frozen? oct intern next ascii_only?"
).split()
STRING_ONE = (
    "include? start_with? end_with? + == != <=> delete count index rindex split partition rpartition casecmp casecmp?"
    " delete_prefix delete_suffix eql? < >= =~ scan match? squeeze"
).split()
ARRAY_METHODS = (
    "first last size length empty? reverse sort uniq compact flatten to_a inspect to_s max min sum join"
    " any? all? none? one? tally minmax rotate dup class to_set.size count pop shift"
).split()
HASH_METHODS = (
    "keys values size empty? to_a invert inspect to_s any? sort first compact length class dup to_h"
).split()
BLOCKS = [
    "{ |x| x.to_s }", "{ |x| x.to_s * 2 }", "{ |x| x == 1 }", "{ |x| x.nil? }", "{ |x| [x, 1] }", "{ |x| x.to_s.size }",
    "{ |x| x }", "(&:to_s)", "{ |x, y| [y, x] }", "{ |x| x.is_a?(Integer) && x > 1 }", "{ |x| next 5 if x == 1; x }",
    "{ |x| x.to_s.upcase }", "(&:class)", "{ _1.to_s }",
]  # fmt: skip
BLOCK_METHODS = (
    "map select reject collect find any? all? none? count partition group_by sort_by min_by max_by each_with_index.map"
    " flat_map take_while drop_while find_index sum uniq each_slice(2).map filter_map each"
    " detect find_all one? each_cons(2).map"
).split()
HASH_BLOCKS = [
    "{ |k, v| k.to_s }", "{ |k, v| v.nil? }", "{ |k| k.to_s }", "{ |k, v| [v, k] }", "{ |k, v| v == 1 }",
    "{ |pair| pair.inspect }",
]  # fmt: skip
HASH_BLOCK_METHODS = (
    "map select reject find any? all? count partition group_by sort_by min_by max_by flat_map to_h each_with_index.map"
    " filter_map find_all none? each_pair delete_if keep_if"
).split()


class Expressions:
    """One random expression after another."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def any(self, depth: int) -> str:
        """Of any type."""
        kinds = [self.string, self.integer, self.array, self.hash, self.float_, self.symbol, self.boolean, self.range_]
        return self.random.choice(kinds)(depth)

    def boolean(self, depth: int) -> str:
        r = self.random
        if depth <= 0:
            return r.choice(["true", "false", "nil"])
        choices: list[Callable[[], str]] = [
            lambda: f"({self.any(depth - 1)} == {self.any(depth - 1)})",
            lambda: f"!{self.boolean(depth - 1)}",
            lambda: f"({self.boolean(depth - 1)} && {self.any(depth - 1)})",
            lambda: f"({self.boolean(depth - 1)} || {self.any(depth - 1)})",
            lambda: f"{self.any(depth - 1)}.nil?",
            lambda: f"{self.any(depth - 1)}.is_a?({r.choice(['String', 'Integer', 'Array', 'Hash', 'Numeric'])})",
            lambda: f"({self.integer(depth - 1)} < {self.integer(depth - 1)})",
        ]
        return r.choice(choices)()

    def symbol(self, depth: int) -> str:
        return self.random.choice([":a", ":foo", ":b?", ':"a b"', ":[]"])

    def string(self, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.25:
            return json.dumps(r.choice(WORDS), ensure_ascii=False)
        inner = self.string(depth - 1) if r.random() > 0.08 else self.any(depth - 1)
        choices: list[Callable[[], str]] = [
            lambda: f"{inner}.{r.choice(STRING_METHODS)}",
            lambda: f"{inner}.{r.choice(STRING_METHODS)}.to_s",
            lambda: f"({inner} {r.choice(['+', '==', '<=>', '!='])} {self.string(depth - 1)})",
            lambda: f"{inner}.{r.choice(STRING_ONE[:2] + STRING_ONE[7:15])}({self.string(0)})",
            lambda: f"{inner}.{r.choice(['sub', 'gsub'])}({r.choice(REGEXES)}, {r.choice(SUBSTITUTES)})",
            lambda: f"{inner}.{r.choice(['sub', 'gsub'])}({r.choice(REGEXES)}) {{ |m| m.upcase + $~[0] }}",
            lambda: f"{inner}.{r.choice(['scan', 'split', '=~', 'match?', 'index', 'slice'])}({r.choice(REGEXES)})",
            lambda: f"{inner}[{r.choice([str(r.randint(-4, 6)), '1..', '0...-1', '-2, 2', '1, 2', '/o+/', '5..9'])}]",
            lambda: f"{inner}.{r.choice(['ljust', 'rjust', 'center'])}({r.randint(0, 12)}, {self.string(0)})",
            lambda: f"{inner}.tr({r.choice(TRS)})",
            lambda: f'"<#{{{self.any(depth - 1)}}}>"',
            lambda: f"format({r.choice(FORMATS)}, {self.any(depth - 1)})",
            lambda: f"({inner} * {r.randint(-1, 3)})",
            lambda: f"{inner}.split({self.string(0)}, {r.randint(-1, 3)})",
            lambda: f"(s = {inner}; t = s; s << 'x'; [s, t])",
            lambda: f"{self.any(depth - 1)}.to_s",
            lambda: f"{self.any(depth - 1)}.inspect",
            lambda: f"{self.any(depth - 1)}.to_json",
            lambda: f"{inner}.{r.choice(['each_char.map { |c| c.ord }.first(', 'lines.first('])}{r.randint(0, 2)})",
        ]
        return r.choice(choices)()

    def integer(self, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.3:
            return str(r.choice(INTEGERS))
        choices: list[Callable[[], str]] = [
            lambda: (
                f"({self.integer(depth - 1)} {r.choice(['+', '-', '*', '/', '%', '<=>'])} {self.number(depth - 1)})"
            ),
            lambda: f"{self.integer(depth - 1)}.{r.choice(['abs', 'to_s', 'succ', 'pred', 'even?', 'to_f', 'zero?'])}",
            lambda: f"{self.integer(depth - 1)}.{r.choice(['divmod', 'fdiv', 'gcd', 'clamp'])}({r.choice(ARGUMENTS)})",
            lambda: f"{self.array(depth - 1)}.size",
            lambda: f"Integer({self.any(depth - 1)})",
            lambda: f"{self.string(depth - 1)}.to_i",
            lambda: f"{self.integer(0)}.to_s({r.choice([2, 8, 16, 36])})",
            lambda: f"{self.integer(0)}.{r.choice(['round', 'floor', 'ceil'])}({r.randint(-2, 1)})",
            lambda: f"{r.randint(0, 5)}.times{r.choice(BLOCKS[:4]).replace('{', '.map {', 1)}",
            lambda: f"{self.integer(0)}.digits.sum",
            lambda: f"({self.integer(0)} {r.choice(['&', '|', '^', '<<', '>>', '**'])} {r.randint(0, 9)})",
        ]
        return r.choice(choices)()

    def float_(self, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.4:
            return r.choice(FLOATS)
        choices: list[Callable[[], str]] = [
            lambda: (
                f"({self.float_(depth - 1)} {r.choice(['+', '-', '*', '/', '<=>', '=='])} {self.number(depth - 1)})"
            ),
            lambda: f"{self.float_(depth - 1)}.{r.choice(ROUNDINGS)}",
            lambda: f"{r.choice(FLOATS)}.round({r.randint(-2, 4)})",
            lambda: f"Float({self.any(depth - 1)})",
        ]
        return r.choice(choices)()

    def number(self, depth: int) -> str:
        r = self.random
        return r.choice([self.integer, self.float_])(depth) if r.random() > 0.06 else self.any(depth)

    def array(self, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.25:
            kind = r.choice([self.integer, self.string, self.any])
            return "[" + ", ".join(kind(max(0, depth - 1)) for _ in range(r.randint(0, 4))) + "]"
        inner = self.array(depth - 1) if r.random() > 0.07 else self.any(depth - 1)
        choices: list[Callable[[], str]] = [
            lambda: f"{inner}.{r.choice(ARRAY_METHODS)}",
            lambda: f"{inner}.{r.choice(BLOCK_METHODS)} {r.choice(BLOCKS)}".replace(" (", "("),
            lambda: f"{inner}.{r.choice(BLOCK_METHODS)} {r.choice(BLOCKS)}".replace(" (", "("),
            lambda: f"{inner}[{r.choice([str(r.randint(-4, 4)), '1..', '0...-1', '-2, 2', '1, 2'])}]",
            lambda: f"({inner} {r.choice(['+', '-', '&', '|', '<=>', '=='])} {self.array(depth - 1)})",
            lambda: f"{inner}.join({r.choice(['', self.string(0)])})",
            lambda: f"{inner}.{r.choice(['include?', 'index', 'count', 'delete', 'push', 'unshift'])}({self.any(0)})",
            lambda: f"{inner}.{r.choice(PARTS)}({r.randint(0, 3)})",
            lambda: f"{inner}.zip({self.array(0)})",
            lambda: f"{inner}.inject {{ |a, b| a.to_s + b.to_s }}",
            lambda: f"{inner}.each_with_object([]) {{ |x, acc| acc << x }}",
            lambda: f"(a, *b = {inner}; [a, b])",
            lambda: f"(a = {inner}; a << nil; a.push(2, nil); a)",
            lambda: f"{inner}.values_at(0, 2, -1)",
            lambda: f"{inner}.dig({r.randint(0, 2)})",
            lambda: f"Array({self.any(depth - 1)})",
            lambda: f"[*{inner}, *{self.any(depth - 1)}]",
            lambda: f"{inner}.to_yaml",
        ]
        return r.choice(choices)()

    def hash(self, depth: int) -> str:
        r = self.random
        if depth <= 0 or r.random() < 0.25:
            pairs = [f"{r.choice(KEYS)} => {self.any(max(0, depth - 1))}" for _ in range(r.randint(0, 3))]
            return "{" + ", ".join(pairs) + "}"
        inner = self.hash(depth - 1) if r.random() > 0.07 else self.any(depth - 1)
        choices: list[Callable[[], str]] = [
            lambda: f"{inner}.{r.choice(HASH_METHODS)}",
            lambda: f"{inner}.{r.choice(HASH_BLOCK_METHODS)} {r.choice(HASH_BLOCKS)}",
            lambda: f"{inner}[{r.choice(KEYS)}]",
            lambda: f"{inner}.fetch({r.choice(KEYS)}{r.choice(['', ', 5'])})",
            lambda: f"{inner}.merge({self.hash(depth - 1)})",
            lambda: f"{inner}.merge({self.hash(depth - 1)}) {{ |k, a, b| [k, a, b] }}",
            lambda: f"{inner}.key?({r.choice(KEYS)})",
            lambda: f"{inner}.dig({r.choice(KEYS)}, {r.choice(KEYS)})",
            lambda: f"(h = {inner}; h[{r.choice(KEYS)}] = 1; h.delete({r.choice(KEYS)}); h)",
            lambda: f"{inner}.{r.choice(['slice', 'except', 'values_at'])}({r.choice(KEYS)}, {r.choice(KEYS)})",
            lambda: f"{inner}.transform_values {r.choice(BLOCKS[:3])}",
            lambda: f"{inner}.reduce([]) {{ |acc, (k, v)| acc + [k.to_s, v] }}",
            lambda: f"{inner}.sort_by {{ |k, v| k.to_s }}.to_h",
            lambda: f"{inner}.each_with_object({{}}) {{ |(k, v), h| h[v] = k }}",
            lambda: f"{inner}.to_yaml",
        ]
        return r.choice(choices)()

    def range_(self, depth: int) -> str:
        r = self.random
        base = r.choice(
            ["(1..4)", "(1...4)", "(0..0)", "(5..1)", "('a'..'e')", "('08'..'11')", "('az'..'bc')", "(1..)"]
        )
        if base == "(1..)":
            return f"{base}.first({r.randint(0, 3)})"
        choices: list[Callable[[], str]] = [
            lambda: f"{base}.to_a",
            lambda: f"{base}.map {r.choice(BLOCKS[:4])}",
            lambda: f"{base}.include?({self.any(0)})",
            lambda: f"{base}.{r.choice(['size', 'first', 'last', 'min', 'max', 'inspect', 'count', 'to_s'])}",
            lambda: f"{base}.step(2).to_a",
            lambda: f"({base} === {self.any(0)})",
        ]
        return r.choice(choices)()


SUBSTITUTES = ["'x'", "'<\\\\0>'", "'\\\\1-\\\\2'", "''", "{'o' => '0'}", "'\\\\\\\\'", "'[\\\\&]'"]
TRS = ["'a-c', 'A-C'", "'^a-z', '*'", "'lo', '01'", "' ', '_'", "'a-y', 'b-z'", "'o', ''"]
FORMATS = [
    "'%s'",
    "'%5s|'",
    "'%-5s|'",
    "'%d'",
    "'%05d'",
    "'%.2f'",
    "'%x'",
    "'%p'",
    "'%+d'",
    "'%e'",
    "'%08.3f'",
    "'%s %s'",
]
ARGUMENTS = ["3", "7", "1, 5"]
ROUNDINGS = ["round", "floor", "ceil", "to_i", "abs", "to_s", "truncate"]
PARTS = ["first", "last", "take", "drop", "rotate", "each_slice", "flatten"]
KEYS = ["'a'", ":a", "1", "nil", "'foo'", "1.0", "[1]", "true"]


def expression(random: Random) -> str:
    """A random expression."""
    return Expressions(random).any(random.randint(1, 4))


PIECES = [
    "text ", "\n", "  ", "é", "<%= @x %>", "<%= @list.join(',') -%>", "<% @list.each do |v| %>",
    "<%- @list.each do |v| -%>",
    "<% end %>", "<%- end -%>", "<% end -%>", "<% if @x %>", "<%- if @y -%>", "<% else %>", "<% unless @y -%>",
    "<%# comment %>", "<%# comment -%>", "<%% x %>", "%%>", "<%= 'a %%> b' %>", "<%= @hash['k'] %>", "\t", "% line\n",
    "<% z = @x %>", "<%= z %>", "<%= @list.map { |v| v * 2 }.inspect %>", "\r\n", "<% # note\n %>", "<%=@x%>", "<%-%>",
    "<%= @hash.sort.map { |k, v| \"#{k}=#{v}\" }.join(' ') -%>", "<% @hash.each do |k, v| -%>", "<%= k %>", "<%= v %>",
    "<%= defined?(@nope).inspect %>", "<%= @x ? 'yes' : 'no' %>\n", "<%= [@x, @y].compact.size %>",
]  # fmt: skip


def template(random: Random) -> str:
    """A random template; blocks are closed as a rule."""
    parts: list[str] = []
    open_blocks = 0
    for _ in range(random.randint(1, 14)):
        piece = random.choice(PIECES)
        if piece.startswith(("<% end", "<%- end")):
            if not open_blocks:
                continue
            open_blocks -= 1
        elif piece == "<% else %>" and not open_blocks:
            continue
        elif " do " in piece or piece.startswith(("<% if", "<%- if", "<% unless")):
            open_blocks += 1
        parts.append(piece)
    parts.extend("<% end -%>\n" for _ in range(open_blocks))
    return "".join(parts)


TIMES = (
    "Time.utc(2020, 2, 9, 13, 2, 3.25)",
    "Time.at(0).utc",
    "Time.new(2021, 7, 4, 5, 6, 7, '+05:30')",
    "Time.new(2021, 1, 1, 0, 0, 0, '-00:30')",
    "Date.new(2020, 2, 9)",
    "DateTime.new(2021, 12, 31, 23, 1, 2, '+02:00')",
)


def written_time(random: Random) -> str:
    """A program that writes a time in a format with flags, widths, colons and modifiers."""
    parts = [
        "%" + random.choice(["", "", "", "-", "0", "^", "#", "_", "E", "O", ":", "::", ":::"])
        + random.choice(["", "", "", "3", "10"]) + random.choice("aAbBcCdDeFgGhHIjklLmMnNpPQrRsStTuUvVwWxXyYzZ+%iq")
        for _ in range(random.randint(1, 4))
    ]  # fmt: skip
    return f"require 'date'; {random.choice(TIMES)}.strftime({json.dumps(' '.join(parts))})"


VARIABLES: dict[str, Any] = {"x": "ex", "list": ["p", "q"], "hash": {"k": "v", "b": 2}}
"""What templates can see; `@y` is not there."""

_ASK = r"""
require 'json'; require 'yaml'; require 'set'; require 'erb'; require 'timeout'
class Scope
  def initialize(h) h.each { |k, v| instance_variable_set("@#{k}", v) } end
  def render(t) ERB.new(t, trim_mode: '-').result(binding) end
end
$stdin.each_line do |line|
  kind, text, variables = JSON.parse(line)
  answer = begin
    if kind == 'erb'
      ['ok', Scope.new(variables).render(text)]
    else
      Timeout.timeout(kind == 'call' ? 0.5 : 60) { ['ok', eval(text).inspect] }
    end
  rescue Exception => e
    ['error', e.class.name, (e.respond_to?(:original_message) ? e.original_message : e.message)]
  end
  answer = answer.map { |part| part.to_s.dup.force_encoding('UTF-8').scrub('?') }
  puts JSON.generate(answer)
end
"""


def ask_ruby(kind: str, texts: list[str]) -> list[list[str]]:
    """What real Ruby answers: ["ok", shown] or ["error", class, message]."""
    lines = "".join(json.dumps([kind, text, VARIABLES]) + "\n" for text in texts)
    done = subprocess.run(
        ["ruby", "-W0", "-e", _ASK], input=lines, capture_output=True, text=True, check=True, timeout=600
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


class TemplateSelf(HostObject):
    """What a template is rendered with."""

    ruby_class = Class("Scope", OBJECT)

    def __init__(self, variables: dict[str, Any]) -> None:
        self.ruby_variables = {f"@{name}": value for name, value in variables.items()}


def ask_wherefrom(kind: str, text: str, recording: bool = False) -> list[str]:
    """What we answer, in the same words; ["refused", ...] where we say that we do not run it.

    `recording`: the program notes how its values are made, as in Puppet's functions and templates.
    """
    interpreter = Interpreter(budget=Budget(steps=2_000_000, depth=20_000))
    if recording:
        interpreter.makings = Makings()
    try:
        if kind == "erb":
            variables = json.loads(json.dumps(VARIABLES))
            return ["ok", str(compile_erb(text).render(interpreter, TemplateSelf(variables)))]
        return ["ok", inspect(interpreter, interpreter.run(compile_ruby(text)))]
    except RubyError as problem:
        return ["error", problem.class_name, problem.message]
    except Diagnostic as problem:
        return ["refused", type(problem).__name__, problem.message]


_ADDRESS = re.compile(r":0x[0-9a-f]{16}")
_PROC = re.compile(r"#<Proc:0x[0-9a-f]{16}(?:\(&[^)]*\))?(?: \(eval\):\d+)?")
_COMPARISON = re.compile(r"comparison of (\S+) with (\S+) failed")


def agree(ours: list[str], theirs: list[str], text: str = "") -> bool:
    """Equal, or an error of the same class with the same first line; what we refuse is counted apart.

    Addresses of objects, and where a proc was written, are nobody's business. `[a, b].max` is an instruction of its own
    in Ruby, which asks the newer of two about the other where the method asks the other way: the words of an error name
    them in another order.
    """
    theirs = [_ADDRESS.sub("", _PROC.sub("#<Proc", part)) for part in theirs]
    if re.search(r"\]\)*\.(?:max|min)\b", text) and ours[:2] == theirs[:2] == ["error", "ArgumentError"]:
        if _COMPARISON.match(ours[2]) and _COMPARISON.match(theirs[2]):
            return True
    if theirs[:2] == ["error", "SyntaxError"]:
        return ours[0] == "refused" or ours[:2] == ["error", "SyntaxError"]
    if theirs[0] == "error" and ours[0] == "error":
        first, second = (answer[2].split("\n")[0].partition(" for #<Scope")[0] for answer in (ours, theirs))
        return ours[1] == theirs[1] and first == second
    return ours == theirs


def render_both(text: str) -> tuple[list[str], list[str]]:
    """A template rendered plainly and with its origins followed."""
    answers = []
    for tracker in (None, Tracker()):
        interpreter = Interpreter(budget=Budget(steps=100_000, depth=20_000), tracker=tracker)
        variables = json.loads(json.dumps(VARIABLES))
        try:
            compiled = compile_erb(text)
            if tracker is None:
                answers.append(["ok", str(compiled.render(interpreter, TemplateSelf(variables)))])
            else:
                answers.append(["ok", str(compiled.render_tracked(interpreter, TemplateSelf(variables)).text)])
        except RubyError as problem:
            answers.append(["error", problem.class_name, problem.message])
        except Diagnostic as problem:
            answers.append(["refused", type(problem).__name__, problem.message])
    return answers[0], answers[1]

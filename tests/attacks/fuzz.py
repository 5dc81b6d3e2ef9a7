# ruff: noqa: E501 - programs stand on one line
"""Inputs that nobody would write, by the thousand: every front end, data, facts, saved outcomes, requests, answers, cache.

    python tests/attacks/fuzz.py KIND [--seed N] [--count N] [--full]

Each input is made from a corpus by a few random changes, or (`explode`) from a small grammar of programs that double,
nest and recurse. It is run in this process, within a small budget that has a low bound of seconds, too; `--full` takes
the default budget. What counts as a failure: an exception that is no diagnostic (status 3 on the command line), three
times the bound of seconds (ten seconds with the default budget), a process past one gigabyte. The same seed gives the
same inputs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from attacks.running import peak_megabytes
from wherefrom.base.budget import Budget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.languages import load_language
from wherefrom.puppet.syntax.parser import DEFAULTS

SECONDS = 10
"""Of the processor, for an input with the default budget."""
LOW_SECONDS = 1
HANG = 3 * LOW_SECONDS
"""Of the processor: the bound of an input with the small budget, and what is a failure."""
MEGABYTES = 1_000

PUPPET = [
    'class a($x = 1) { notify { "t${x}": message => $x } } include a',
    "$a = [1, 2, 3].map |$i| { $i * 2 } notice($a) file { '/x': content => \"${a[0]} ${facts['os']}\" }",
    "define d($n = {}) { @notify { $title: } } d { ['a', 'b']: n => { 'k' => [1] } } Notify <| title == 'a' |>",
    "case $facts['os']['family'] { 'Debian', /^R/: { notice(1) } default: { fail('x') } }",
    "function f(Integer $x) >> Integer { if $x < 1 { 0 } else { f($x - 1) + 1 } } notice(f(5))",
    "type T = Variant[Integer, Array[T]] notice([1, [2]] =~ T) notice(String(3.5, '%+08.3f'))",
    "notify { 'a': before => Notify['b'] } notify { 'b': } Notify['a'] -> Notify['b'] notice(lookup('k', default_value => 3))",
    "notice(sprintf('%05d %s', 3, 'x'), regsubst('abc', 'b', 'X'), split('a,b', ','), strftime(Timestamp(0), '%Y-%m'))",
    "$h = {'a' => 1, 2 => [undef, true, default]} + {b => SemVer('1.2.3')} notice($h, $h.keys, type($h), 07 + 0x1F)",
    "notice(@(E/nt)\n  a ${1 + 1}\\n\n  | E\n) $x = 1 ? { 1 => 'a', default => undef }",
    "notice(inline_epp('<% |$x| %>a<%= $x %>', { x => 1 }), [3, 1, 2].sort, {a => 1}.each |$k, $v| { notice($k) })",
]
NIX = [
    "let f = n: if n < 2 then n else f (n - 1) + f (n - 2); in f 9",
    '{ a = 1; b = { c = [ 1 2 "x${toString 3}" ]; }; } // { d = rec { x = 1; y = x + 1; }; }',
    "with builtins; map (x: x * 2) (filter (x: x > 1) (genList (i: i) 5))",
    "({ a, b ? 2, ... }@args: a + b) { a = 1; c = 3; }",
    "builtins.toJSON { a = [ 1.5 null true ]; s = ''multi\n  line ${\"x\"}''; }",
    'builtins.match "([a-z]+)-([0-9.]+)" "nginx-1.22"',
    'builtins.fromJSON "{\\"a\\": [1, 2.5, \\"\\\\u00e9\\"]}"',
    "builtins.fromTOML \"x = 1\\n[t]\\ny = [ 'a' ]\"",
    'let x = { __functor = self: y: y + 1; }; in assert x 1 == 2; x.a or (builtins.tryEval (throw "e")).success',
    '(derivation { name = "n"; system = "s"; builder = "b"; args = [ "x" ./a ]; }).outPath',
    "builtins.foldl' (a: b: a // { ${b} = b; }) { } (builtins.attrNames { a = 1; b = 2; })",
    'builtins.replaceStrings [ "" "a" ] [ "x" "y" ] "banana" + builtins.substring 1 3 "abcdef"',
]
SMARTFROG = [
    'Base extends { port 80; name "web"; }\nsfConfig extends { web extends Base { port 8080; } db extends Base; l LAZY web:port; }',
    'sfConfig extends { a 1; b ATTRIB a; c [1, 2, true, "x"]; d extends { e ROOT:sfConfig:a; } }',
    "A extends { x 1; y extends { z 2; } }\nsfConfig extends A { y:z 3; w A:y; }",
    '#include "org/smartfrog/functions.sf"\nsfConfig extends { f (1 + (2 * 3)); g [f, ("a" ++ f)]; h IF (f > 2) THEN g ELSE 1 FI; '
    's extends Set { setSize 3; setElem extends { [sfTemp] t 1L; "o:d" 1.5f; } } -- OPTIONAL(2) PARENT:q; [|1, TBD|] }',
]
HIERA = [
    "version: 5\nhierarchy:\n- name: a\n  path: c.yaml\n- name: g\n  glob: '*.yaml'\n- name: m\n  mapped_paths: [x, y, '%{y}.yaml']\n",
    "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n- {name: n, paths: [c.yaml, '%{facts.os.family}.yaml']}\n",
    "version: 5\nhierarchy:\n- name: u\n  uri: 'http://x'\n  data_hash: yaml_data\n- name: j\n  path: c.json\n  data_hash: json_data\n",
    "version: 3\n:backends: [yaml]\n:hierarchy: [c]\n",
]
DATA = [
    "k: &a [1, 2.5, yes, ~, '2', {b: c}]\nl: *a\nm: '%{lookup(\"k\")} %{alias(\"l\")} %{facts.os}'\nlookup_options: {k: {merge: deep}}\n",
    "k: {a: {b: 1}, <<: {c: 2}}\nl: |\n  text\n  more\nd: 2001-01-01\nn: 0x1F\no: !ruby/sym x\n",
    "lookup_options:\n  '^k': {merge: {strategy: deep, knockout_prefix: '--'}, convert_to: [Array, true]}\nk: [a, --b]\n",
]
ERB = [
    "<% @list.each_with_index do |x, i| -%>\n<%= x.to_s.upcase %>=<%= i %>\n<% end -%>",
    "<%= @hash.sort.map { |k, v| \"#{k}=#{v.inspect}\" }.join(', ') %><%# comment %>",
    "<% if scope['facts']['os']['family'] == 'Debian' && @list.include?('a') %>yes<% else %>no<% end %>",
    "<%= scope.call_function('sprintf', ['%05d', 3]) %> <%= scope.lookupvar('x') || 'nil' %>",
    "<% def f(n) n < 2 ? n : f(n - 1) + f(n - 2) end %><%= f(9) %> <%= [3, 1, 2].sort_by { |a| -a }.first(2) %>",
    "<%= 'a-b_c'.gsub(/[-_](.)/) { $1.upcase } %> <%= '%.3f|%-5s|' % [1.5, 'x'] %> <%= 'abc'[1..-1] %>",
    "<% case @x when /^a/, 'b' then %>1<% when nil %>2<% end %><% begin; raise ArgumentError, 'e'; rescue => e %><%= e.message %><% ensure %>z<% end %>",
    "<%= {a: 1, 'b' => [2, nil]}.to_a.flatten.compact.inject { |s, x| s.to_s + x.to_s } %><% while false do end %>",
    "<%= (1..5).each_slice(2).to_a.inspect %><%= 10.divmod(3) %><%= :sym.to_proc.call('x') rescue 0 %><%= <<E\nheredoc #{1 + 1}\nE\n%>",
]
FUNCTIONS = [
    "Puppet::Functions.create_function(:'m::f') do\n  dispatch :go do\n    param 'Any', :x\n    optional_param 'Hash', :h\n    return_type 'Any'\n  end\n  def go(x, h = {})\n    [x, h.keys.map { |k| k.to_s * 2 }, call_function('upcase', 'a')]\n  end\nend\n",
    "Puppet::Functions.create_function(:'m::f', Puppet::Functions::InternalFunction) do\n  dispatch :go do\n    scope_param\n    repeated_param 'Any', :a\n    optional_block_param\n  end\n  def go(scope, *a, &block)\n    a.each { |x| yield(x) } if block_given?\n    scope['facts']\n  end\nend\n",
    "module Puppet::Parser::Functions\n  newfunction(:'m::f', :type => :rvalue, :arity => -1, :doc => 'x') do |args|\n    raise Puppet::ParseError, 'few' if args.size < 1\n    args[0].is_a?(Array) ? args[0].flatten : lookupvar('x').to_s + args.inspect\n  end\nend\n",
]
EPP = [
    "<% | Array $list, Hash $hash = {}, $x = undef | -%>\n<% $list.each |$i, $v| { -%>\n<%= $i %>=<%= $v %>\n<% } -%>\n<%# c %><%% $x",
    "<% if $facts['os']['family'] == 'Debian' { %>yes<% } elsif $x { %><%= $x %><% } else { %>no<% } %>",
    "<%= $hash.map |$k, $v| { \"${k}=${v}\" }.join(', ') -%>\n  <%- unless true { -%> a <%- } -%>\n",
]
REQUESTS: list[Any] = [
    {
        "id": 1,
        "manifest": "notice(1)",
        "node": "n",
        "facts": {"os": {"family": "Debian"}},
        "settings": {"strict": "error"},
    },
    {"id": 2, "manifest": "include m", "modules": {"m": {"manifests/init.pp": "class m { }"}}, "classes": ["m"]},
    {"id": 3, "language": "nix", "manifest": "1 + 1"},
    {"id": 4, "language": "smartfrog", "manifest": "sfConfig extends { a 1; }"},
    {"id": 5, "manifest": "x", "dump": True, "settings": {"tasks": True}},
    {"id": 6, "manifest": "notice(lookup('k'))", "files": {"data/common.yaml": "k: 1"}, "hiera": {"version": 5}},
]
ANSWERS: dict[str, Any] = {
    "nodes": [{"certname": "n", "deactivated": None}, {"certname": "m"}],
    "inventory": [{"certname": "n", "facts": {"os": {"family": "Debian"}, "n": 1.5}, "trusted": {"certname": "n"}}],
    "resources": [
        {"certname": "m", "type": "Notify", "title": "a", "tags": ["t"], "parameters": {"message": [1]}, "exported": True,
         "file": "/x.pp", "line": 3}
    ],
    "catalogs": {
        "resources": {"data": [{"type": "Notify", "title": "a", "parameters": {"message": "x"}, "exported": False}]},
        "edges": {"data": [{"source": {"type": "Class", "title": "main"}, "target": {"type": "Notify", "title": "a"},
                            "relationship": "contains"}]},
    },
    "query": [{"certname": "n", "count": 3}],
}  # fmt: skip
PUPPET_VALUES = (
    "1", "-1", "'a'", "''", "undef", "true", "[]", "[1, 'b', [undef]]", "{}", "{'a' => {'b' => [1.5]}}", "/r/", "Integer[1]",
    "9223372036854775807", "1.0e300", "default", "\"\\u00e9\"", "Sensitive('s')", "SemVer('1.2.3')", "Timestamp(0)",
)  # fmt: skip
WORDS = (
    "( ) [ ] { } => -> ~> <| |> <<| |>> | ; , . : :: ? ! = == != =~ !~ < > <= >= + - * / % << >> and or in if else "
    "elsif unless case default undef true false class define node function type inherits plan apply ${ } \" ' @ @@ $x "
    "$a::b Integer Array[ Variant[ Struct[{ let rec with inherit assert then a.b or ... '' ++ // 9999999999999999999 "
    "1e999 0x 08 -1 .inf .nan &a *a <<: - ? | > --- %{ %{lookup('k')} <% %> <%= -%> do end def |x| &: #{ @x rescue yield self super .. **  null ~ \0 \x1b \u202e \ud800 \U0001f600 é"
).split(" ")


class Fuzzer:
    """Inputs of one kind."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def mutated(self, text: str) -> str:
        """A text with a few changes."""
        chance = self.chance
        for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
            at = chance.randint(0, len(text))
            end = min(len(text), at + chance.randint(0, 6))
            how = chance.randrange(6)
            if how == 0:
                text = text[:at] + text[end:]
            elif how == 1:
                text = text[:at] + text[at:end] * chance.choice((2, 3, 40)) + text[end:]
            elif how == 2:
                other = chance.randint(0, len(text))
                text = text[:at] + text[other : other + chance.randint(0, 30)] + text[at:]
            elif how == 3:
                text = text[:at] + chr(chance.choice((chance.randrange(128), chance.randrange(0x3000)))) + text[at:]
            else:
                text = text[:at] + chance.choice(WORDS) + text[at if how == 4 else end :]
        return text

    def mutated_value(self, value: Any) -> Any:
        """JSON data with a few changes."""
        chance = self.chance
        if chance.random() < 0.08:
            return chance.choice([None, True, 0, -1, 1.5, 10**30, "", "x", "é\ud800", [], {}, [1], {"a": 1}, [[{}]]])
        if isinstance(value, dict):
            return {(self.mutated(key) if chance.random() < 0.03 else key): self.mutated_value(part)
                    for key, part in value.items() if chance.random() > 0.03}  # fmt: skip
        if isinstance(value, list):
            return [self.mutated_value(part) for part in value if chance.random() > 0.05]
        return self.mutated(value) if isinstance(value, str) and chance.random() < 0.5 else value

    # --- one input of each kind ---

    def run_language(self, name: str, files: dict[str, str], path: str, **options: Any) -> None:
        """Compile, and ask for everything that the outcome can say."""
        host = PureHost(files)
        facts = {"os": {"family": "Debian"}}
        outcome = load_language(name).run(path, host, Inputs("n", facts, options))
        outcome.document()
        outcome.text()

    def puppet(self) -> None:
        """A manifest."""
        self.run_language("puppet", {"site.pp": self.mutated(self.chance.choice(PUPPET))}, "site.pp")

    def nix(self) -> None:
        """An expression."""
        self.run_language("nix", {"a.nix": self.mutated(self.chance.choice(NIX))}, "a.nix", no_cache=True)

    def smartfrog(self) -> None:
        """A specification."""
        level = self.chance.choice(("core", "forward", "production", "production"))
        self.run_language("smartfrog", {"a.sf": self.mutated(self.chance.choice(SMARTFROG))}, "a.sf", level=level)

    def data(self) -> None:
        """Hiera's configuration and data."""
        chance = self.chance
        files = {
            "env/manifests/site.pp": "notice(lookup('k', default_value => 1), lookup('l', default_value => 1), lookup('m', "
            "default_value => 1))",
            "env/hiera.yaml": self.mutated(chance.choice(HIERA)),
            "env/data/c.yaml": self.mutated(chance.choice(DATA)),
            "env/data/c.json": self.mutated('{"k": [1, {"a": null}], "l": "%{lookup(\\"k\\")}"}'),
            "env/data/d/x.yaml": "k: 1",
        }
        self.run_language("puppet", files, "env")

    def facts(self) -> None:
        """A facts file."""
        from wherefrom.cli.facts import read_facts

        suffix = self.chance.choice((".yaml", ".json"))
        text = self.mutated(self.chance.choice(DATA)) if suffix == ".yaml" else self.mutated('{"os": {"a": [1, 2.5]}}')
        path = os.path.join(SCRATCH, f"facts{suffix}")
        with open(path, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass" if self.chance.random() < 0.1 else "replace"))
        read_facts(path, "n")

    def saved(self) -> None:
        """A saved outcome whose digest is right all the same."""
        from wherefrom import saved

        if not hasattr(self, "_saved"):
            outcome = load_language("puppet").run("site.pp", PureHost({"site.pp": PUPPET[0]}), Inputs("n"))
            self._saved = saved.save(outcome)
        head = saved._HEAD.match(self._saved)
        assert head is not None
        body = self._saved[head.end() : -2]
        if self.chance.random() < 0.5:
            changed = json.dumps(self.mutated_value(json.loads(body))).encode()
        else:
            changed = self.mutated(body.decode()).encode("utf-8", "replace")
        digest = saved._digest(changed)
        outcome = saved.restore(
            b'{"format": "wherefrom-outcome/2", "digest": "%s", "outcome": %s}\n' % (digest, changed)
        )
        for output in list(outcome.outputs())[:3]:
            outcome.explain(output.path).text()
            json.dumps(outcome.explain(output.path).to_json())
        outcome.text()

    def batch(self) -> None:
        """A request of the batch protocol."""
        from wherefrom.cli.batch import _answer
        from wherefrom.session import Session

        if not hasattr(self, "_session"):
            self._session = Session()
        request = self.mutated_value(self.chance.choice(REQUESTS))
        if isinstance(request, dict):
            request.pop("manifest_path", None)
            request.pop("modulepath", None)
        line = json.dumps(request).encode()
        if self.chance.random() < 0.1:
            line = self.mutated(line.decode()).encode("utf-8", "replace")
        answer = _answer(self._session, line)
        if "internal error" in str(answer.get("error")):
            raise AssertionError(f"{answer} for {line!r}")

    def answers(self) -> None:
        """What a PuppetDB answers, and rows of it in a file: facts, nodes, catalogs, exported resources."""
        from wherefrom.fleet.puppetdb import PuppetDB, stored_differences
        from wherefrom.targets import read_targets

        fuzzer = self

        class Recorded(PuppetDB):
            """One whose answers were changed on their way."""

            def _asked(self, method: str, path: str, document: Any, missing: bool = False) -> Any:
                entity = path.partition("/v4")[2].strip("/").partition("?")[0].partition("/")[0] or "query"
                text = json.dumps(fuzzer.mutated_value(ANSWERS.get(entity, {"processed": True})))
                if fuzzer.chance.random() < 0.2:
                    text = fuzzer.mutated(text)
                try:
                    return json.loads(text)
                except (ValueError, RecursionError) as problem:
                    raise self._unusable(f"no JSON: {problem}") from None

        database = Recorded("http://localhost:1")
        ask = self.chance.choice(("nodes", "facts", "catalog", "query", "search", "rows"))
        if ask == "catalog":
            ours, theirs = database.catalog("n"), database.catalog("n")
            if ours is not None and theirs is not None:
                stored_differences(ours, theirs)
        elif ask == "query":
            database.answer(("query", '["from", "nodes"]'))
        elif ask == "search":
            for found in database.search(["and", ["=", "type", "Notify"], ["=", "exported", True]]):
                repr((found.title, found.origins))
        elif ask == "rows":
            rows = self.mutated(json.dumps(self.mutated_value(ANSWERS["inventory"])))
            read_targets(SourceFile.from_bytes("rows.json", rows.encode("utf-8", "replace")))
        else:
            getattr(database, ask)(*(["n"] if ask == "facts" else []))

    def ruby(self) -> None:
        """A template or a function in Ruby."""
        chance = self.chance
        function = self.mutated(chance.choice(FUNCTIONS))
        place = "parser/functions/f.rb" if "newfunction" in function else "functions/m/f.rb"
        uses = (
            "notify { 'a': message => template('m/a.erb') }",
            f"notice(m::f({chance.choice(PUPPET_VALUES)}, {chance.choice(PUPPET_VALUES)}))",
            f"notice(inline_template({chance.choice(PUPPET_VALUES)}, '<%= @list %>'))",
        )
        self.run_with_templates(chance.choice(uses), {
            "env/modules/m/templates/a.erb": self.mutated(chance.choice(ERB)),
            f"env/modules/m/lib/puppet/{place}": function,
        })  # fmt: skip

    def epp(self) -> None:
        """A template in Puppet."""
        use = "notify { 'a': message => epp('m/a.epp', { list => $list, hash => $hash }) }"
        self.run_with_templates(use, {"env/modules/m/templates/a.epp": self.mutated(self.chance.choice(EPP))})

    def run_with_templates(self, use: str, files: dict[str, str]) -> None:
        """Compile an environment with a module."""
        values = (
            f"$x = {self.chance.choice(PUPPET_VALUES)} $list = ['a', [1], 2.5] $hash = {{'k' => $x, 'l' => [undef]}}\n"
        )
        self.run_language("puppet", {"env/manifests/site.pp": values + use, **files}, "env")

    def cache(self) -> None:
        """An entry of the caches that somebody has changed or moved, of parsed files and of compiled ones."""
        self.chance.choice((self.trees, self.trees, self.forged_trees, self.programs))()

    def trees(self) -> None:
        """A tree whose entry has no right digest any more is made anew: the answer is the same."""
        from wherefrom.puppet.syntax.cache import TreeCache

        cache = TreeCache(os.path.join(SCRATCH, "trees"), os.path.join(SCRATCH, "state"))
        text = self.chance.choice(PUPPET)
        want = cache.parse(SourceFile("a.pp", text)).program
        self.spoil(cache.entries, cache._name(text, False, DEFAULTS))
        if cache.parse(SourceFile("a.pp", text)).program != want:
            raise AssertionError(f"another tree for {text!r}")

    def forged_trees(self) -> None:
        """An entry that has the right digest after all is a tree of checked nodes, or counts as missing."""
        from wherefrom.puppet.syntax.cache import TreeCache
        from wherefrom.puppet.syntax.parser import parse
        from wherefrom.puppet.syntax.tree import Program
        from wherefrom.puppet.syntax.tree_words import encode

        cache = TreeCache(os.path.join(SCRATCH, "forged"), os.path.join(SCRATCH, "state"))
        text = self.chance.choice(PUPPET)
        name = cache._name(text, False, DEFAULTS)
        content = self.changed(encode(parse(SourceFile("a.pp", text)).program))
        Path(str(cache.entries.directory), name).write_bytes(cache.entries.signed(name, content))
        if type(cache.parse(SourceFile("a.pp", text)).program) is not Program:
            raise AssertionError(f"no tree for {text!r}")

    def programs(self) -> None:
        """A compiled program in Nix: the same, though its code would be run."""
        from wherefrom.nix.emit.cache import ProgramCache

        text = self.chance.choice(NIX)
        cache = ProgramCache(os.path.join(SCRATCH, "programs"), os.path.join(SCRATCH, "state"))
        want = self.evaluated(text, cache)
        names = os.listdir(str(cache.entries.directory))
        self.spoil(cache.entries, self.chance.choice([name for name in names if name != "swept"]))
        if self.evaluated(text, cache) != want:
            raise AssertionError(f"another value for {text!r}")

    def evaluated(self, text: str, cache: Any) -> str:
        """What an expression is, with the help of a cache."""
        from wherefrom.nix.front.machine import Machine
        from wherefrom.nix.kernel.output import print_value

        machine = Machine(PureHost({"/a.nix": text, "/a": "x"}), directory="/", cache=cache)
        try:
            return print_value(machine.compile(SourceFile("/a.nix", text), "/")(), strict=True)
        finally:
            cache.keep(machine.programs)

    def spoil(self, entries: Any, name: str) -> None:
        """Change an entry on the disk, or put another one in its place."""
        folder = str(entries.directory)
        others = [other for other in os.listdir(folder) if other not in (name, "swept")]
        if others and self.chance.random() < 0.2:
            content = Path(folder, self.chance.choice(others)).read_bytes()
        else:
            content = self.changed(Path(folder, name).read_bytes())
        Path(folder, name).write_bytes(content)

    def changed(self, content: bytes) -> bytes:
        """Bytes with a few changes."""
        data = bytearray(content)
        for _ in range(self.chance.randint(1, 4)):
            at = self.chance.randrange(len(data) or 1)
            data[at : at + self.chance.randint(0, 2)] = self.chance.randbytes(self.chance.randint(1, 3))
        return bytes(data)

    def explode(self) -> None:
        """A program that doubles, nests or recurses."""
        from attacks.explosions import explosion

        name, text = explosion(self.chance)
        suffix = {"puppet": "pp", "nix": "nix", "smartfrog": "sf"}[name]
        self.run_language(name, {f"a.{suffix}": text}, f"a.{suffix}", no_cache=True)


KINDS = ("puppet", "nix", "smartfrog", "ruby", "epp", "data", "facts", "saved", "batch", "answers", "cache", "explode")
SCRATCH = tempfile.gettempdir()
SMALL = {"steps": 400_000, "elements": 500_000, "characters": 4_000_000, "pairs": 200_000, "edges": 20_000}
"""A fiftieth of the defaults, so that thousands of programs that explode can be run; `--full` takes the defaults."""
LOW = {**SMALL, "seconds": LOW_SECONDS}


def fuzz(kind: str, seed: int, count: int, full: bool = False) -> list[str]:
    """Run `count` inputs; what went wrong, with the number of the input."""
    fuzzer = Fuzzer(seed)
    run: Callable[[], None] = getattr(fuzzer, kind)
    most = SECONDS if full else HANG
    failures: list[str] = []
    for number in range(count):
        before = time.process_time()
        try:
            with Budget(**({} if full else LOW)).in_force():
                with_deep_stack(run)
        except WherefromError:
            pass
        except RecursionError:
            pass  # told as too deep by the command line
        except Exception as problem:
            failures.append(f"{kind} seed {seed} input {number}: {_told(problem)}")
        took = time.process_time() - before
        if took > most:
            failures.append(f"{kind} seed {seed} input {number}: {took:.1f} s")
        if number % 100 == 0 and (used := peak_megabytes()) > MEGABYTES:
            failures.append(f"{kind} seed {seed} input {number}: {used:.0f} MB")
            break
        if len(failures) > 20:
            break
    return failures


def _told(problem: Exception) -> str:
    """An exception and where it was raised; a traceback of a deep recursion would be too long to print."""
    place = problem.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = "" if place is None else f" in {place.tb_frame.f_code.co_filename}:{place.tb_lineno}"
    return f"{type(problem).__name__}: {str(problem)[:200]}{where}"


def main() -> None:
    """The command line."""
    global SCRATCH
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--full", action="store_true", help="with the default budget")
    options = parser.parse_args()
    warnings.simplefilter("error")  # Python's own warnings are no diagnostics either
    with tempfile.TemporaryDirectory() as SCRATCH:
        failures = fuzz(options.kind, options.seed, options.count, options.full)
    print("\n".join(failures[:10]))
    print(
        f"{options.kind}: {options.count:,} inputs, seed {options.seed}, {len(failures)} failures, "
        f"{time.process_time():.0f} s, {peak_megabytes():.0f} MB"
    )
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()

"""Random Puppet environments, for the promise of dependency.

`make(random)` writes an environment (manifests, a module, data with levels that facts choose, templates), facts, a node
name and what a classifier says. It is small and dense: few names, used over and over, conditions that flip when a
literal or a fact changes, because the flows that are easily lost are those through branches that were not taken, data
that was not found and names that were computed. A third of the worlds does not compile; they cost little and are
counted. Changes to them are made in `support.puppet_dependency_changes`.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, NamedTuple

import yaml

from support.puppet_dependency_shapes import (
    ARROWS,
    BAGS,
    COLLECTORS,
    DECLARATIONS,
    DEFINED,
    EXPRESSIONS,
    FACTS,
    LOOKUPS,
    QUERIES,
    SPLATS,
    STATEMENTS,
    TESTS,
    TYPES,
)
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome

ROOT = "env"
SITE = f"{ROOT}/manifests/site.pp"
NODES = ("web1", "web2", "db1")
WORDS = ("a", "b", "c")
CLASSES = ("a", "b", "c", "mod")
FACT_NAMES = ("role", "n", "flag", "os", "family")
CODE = ("x1", "x2", "mod::sub", "mod::extra", "mod", "base")
"""Names of classes, defines and modules that are looked for, most of them in vain."""
SHADOW = f"{ROOT}/first/mod"
"""Where a module would hide the one there is."""
MODULE_CODE = {
    f"{ROOT}/environment.conf": "modulepath = first:modules\n",
    f"{ROOT}/modules/mod/functions/pf.pp": (
        "function mod::pf($a) {{ if $a == {v} {{ 'same' }} else {{ \"pf-${{a}}\" }} }}\n"
    ),
    f"{ROOT}/modules/mod/templates/t.erb": (
        "<% if @g1 == {v} -%>\nA<%= @role %>\n<% else -%>\nB<%= scope['facts']['n'] %>\n<% end -%>\n"
    ),
    f"{ROOT}/modules/mod/lib/puppet/functions/mod/alike.rb": """\
Puppet::Functions.create_function(:'mod::alike') do
  def alike(values)
    kind = Class.new do
      attr_reader :text
      def initialize(text)
        @text = text.to_s
      end
      def hash
        @text[0].hash
      end
      def eql?(other)
        @text[0] == other.text[0]
      end
      def ==(other)
        eql?(other)
      end
    end
    values.map {{ |value| kind.new(value) }}.uniq.map {{ |each| each.text }}.join('-')
  end
end
""",
}
"""Files of the module beside its class; what stands for a word or a fact is filled in."""
KEYS = ("a::p", "b::p", "c::p", "mod::p", "mod::q", "k1", "k2", "h1", "l1", "k3", "h2", "h3")
FILLED = (
    "%{facts.os.family}",
    "%{facts.tier}",
    "%{lookup('k2')}",
    "%{lookup('miss')}",
    "%{alias('miss')}",
    "<%{role}>",
    "%{nope}",
    "%{alias('l1')}",
)
OPTIONS = ({"merge": "unique"}, {"merge": "hash"}, {"merge": "deep"}, {"convert_to": "String"}, {"merge": "first"})


class World(NamedTuple):
    """Everything that a compilation is given."""

    files: dict[str, str]
    facts: dict[str, Any]
    node: str
    classes: dict[str, Any]
    parameters: dict[str, Any]


# --- making worlds ----------------------------------------------------------------------------------------------------

_HOLE = re.compile(r"<([a-z]\w*)>")


class Maker:
    """Writes one world."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.depth = 0
        self.branch = 0
        self.value = ""
        self.param = "p"
        self.variables: list[str] = []
        self.titles: list[str] = []

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fill(self, *shapes: str) -> str:
        """One of the shapes with its holes filled."""
        self.depth += 1
        shape = self.random.choice(shapes)
        while self.depth > 5 and "<e>" in shape:
            shape = self.random.choice(shapes)
        inside = "{ <block> }" in shape or shape.startswith("if <test>")
        self.branch += inside
        made = _HOLE.sub(lambda hole: str(getattr(self, f"_{hole[1]}", lambda: hole[0])()), shape)
        self.branch -= inside
        self.depth -= 1
        return made

    # --- holes -------------------------------------------------------------------------------------------------------

    def _free(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def _lastfree(self) -> str:
        return f"n{self.count}"

    def _w(self) -> str:
        return f"'{self.pick(*WORDS)}'"

    def _letter(self) -> str:
        return str(self.pick(*WORDS))

    def _n(self) -> str:
        return str(self.random.randint(0, 2))

    def _f(self) -> str:
        return self.fill(*FACTS)

    def _fact(self) -> str:
        return str(self.pick("role", "n", "flag", "tier", "zone", "role"))

    def _inside(self) -> str:
        return str(self.pick("family", "family", "release"))

    def _path(self) -> str:
        return str(self.pick("os.family", "os.release", "role", "tier", "extra.deep", "os.arch"))

    def _v(self) -> str:
        if self.variables and self.chance(0.82):
            self.value = f"${self.pick(*self.variables)}"
        else:
            self.value = self.pick(self._w, self._w, self._w, self._n, self._f)()
        return self.value

    def _other(self) -> str:
        """Another value than the last: what is compared with itself decides nothing."""
        last = self.value
        while self._v() == last:
            pass
        return self.value

    def _text(self) -> str:
        return self.fill('"t-${<v>}"', '"${<v>}${<v>}"', "<w>", "<e>")

    def _e(self) -> str:
        return self._v() if self.depth > 4 else self.fill(*EXPRESSIONS)

    def _lookup(self) -> str:
        return self.fill(*LOOKUPS)

    def _key(self) -> str:
        return str(self.pick(*KEYS, "miss", "h1.a", "h1.z", "l1.0", "l1.7"))

    def _merge(self) -> str:
        return str(self.pick("hash", "deep", "first"))

    def _code(self) -> str:
        return str(self.pick(*CODE))

    def _deep(self) -> str:
        options = "merge_hash_arrays", "sort_merged_arrays", "overwrite_arrays", "extend_existing_arrays"
        return f"'{self.pick(*options)}'"

    def _splat(self) -> str:
        kept = self.param
        self.param = self.pick(*SPLATS)
        made = self.fill(*SPLATS[self.param])
        self.param = kept
        return made

    def _param(self) -> str:
        return self.param

    def _bag(self) -> str:
        return self.fill(*BAGS) if self.depth < 4 else self.fill(*BAGS[:3])

    def _source(self) -> str:
        return str(self.pick("one", "two"))

    def _jump(self) -> str:
        return str(self.pick("break()", "next(7)"))

    def _case(self) -> str:
        return str(self.pick("upcase", "downcase", "capitalize"))

    def _level(self) -> str:
        return str(self.pick("'notice'", "'info'", "'err'"))

    def _t(self) -> str:
        return self.fill(*TYPES)

    def _test(self) -> str:
        return self.fill(*TESTS)

    def _defined(self) -> str:
        return self.fill(*DEFINED)

    def _var(self) -> str:
        return str(self.pick(*(self.variables or ["zz"]), "maybe"))

    def _newvar(self) -> str:
        self.count += 1
        self.variables.append(f"v{self.count}")
        return self.variables[-1]

    def _lastvar(self) -> str:
        return self.variables[-1]

    def _maybevar(self) -> str:
        self.count += 1
        return self.pick("maybe", f"u{self.count}") if self.branch == 1 else f"u{self.count}"

    def _title(self) -> str:
        self.count += 1
        if not self.branch:
            self.titles.append(f"t{self.count}")
        return f"'t{self.count}'"

    def _titled(self) -> str:
        return str(self.pick(*(self.titles or ["base"])))

    def _maybe(self) -> str:
        return str(self.pick("m1", "m2", "late", *(self.titles[:1])))

    def _instance(self) -> str:
        return str(self.pick("i1", "i2", self._free()))

    def _virtual(self) -> str:
        self.count += 1
        return str(self.pick("w1", f"w{self.count}"))

    def _realized(self) -> str:
        return str(self.pick("w1", *(self.titles[-1:])))

    def _class(self) -> str:
        return str(self.pick(*CLASSES))

    def _classy(self) -> str:
        return self.fill(
            "<w>",
            "'<class>'",
            "$g1",
            "$facts['role']",
            "$facts['os']['family']",
            "(<test> ? { true => 'a', default => <w> })",
        )

    def _metas(self) -> str:
        return self.fill(
            "", "", "", "", ", tag => <w>", ", tag => <v>", ", require => Class['<class>']", ", noop => (<test>)"
        )

    def _declare(self) -> str:
        return self.fill(*DECLARATIONS)

    def _query(self) -> str:
        return self.fill(*QUERIES)

    def _collector(self) -> str:
        return self.fill(*COLLECTORS)

    def _arrow(self) -> str:
        return self.fill(*ARROWS)

    def _block(self) -> str:
        kept = list(self.variables)
        made = " ".join(self.statements(1, 2 if self.depth < 4 else 1))
        self.variables = kept
        return made

    # --- files -------------------------------------------------------------------------------------------------------

    def statements(self, least: int, most: int) -> list[str]:
        """Some statements."""
        return [self.fill(*STATEMENTS) for _ in range(self.random.randint(least, most))]

    def body(self, least: int, most: int, *variables: str) -> str:
        """The body of a definition, which may see some variables."""
        kept, self.variables = self.variables, [*variables, "g1"]
        titles = list(self.titles)
        made = "".join(f"  {each}\n" for each in self.statements(least, most))
        self.variables, self.titles = kept, titles
        return made

    def definition(self, name: str) -> str:
        """A class, with parameters that data may give."""
        default = self.fill(" = <w>", " = <v>", " = undef", " = <e>") if self.chance(0.9) else ""
        parent = " inherits base" if name in ("b", "c") and self.chance(0.4) else ""
        over = (
            self.fill(
                "  Notify['base'] { message => <v> }\n", "  if <test> { Notify['base'] { message => <v> } }\n", ""
            )
            if parent
            else ""
        )
        own = "" if name == "mod" else self.fill("  $own = <v>\n", "  if <test> { $own = <v> }\n", "")
        more = f", $q = {self._v()}" if name == "mod" else ""
        head = f"class {name}($p{default}{more}){parent} {{\n  notify {{ 'in-{name}': message => $p }}\n"
        return f"{head}{own}{over}{self.body(0, 2, 'p')}}}\n"

    def site(self) -> str:
        """The main manifest."""
        head = self.fill(
            "$g1 = <w>\n",
            "$g1 = $facts['role']\n",
            "$g1 = <lookup>\n",
            "$g1 = <e>\n",
            "if <test> { $g1 = <w> } else { $g1 = <v> }\n",
        )
        definitions = [self.definition(name) for name in ("a", "b", "c")]
        definitions.append("class x { }\n")
        definitions.append(f"class base {{\n  notify {{ 'base': message => {self._v()} }}\n}}\n")
        definitions.append(
            f'define d1($p = {self._v()}) {{\n  notify {{ "d1-${{title}}": message => $p }}\n'
            f"{self.body(0, 1, 'p', 'title')}}}\n"
        )
        definitions.append(f"define d2 {{\n{self.body(1, 2, 'title')}}}\n")
        self.variables = ["b"]
        definitions.append(self.fill('function f1($a = <w>, $b = 2) { if $a == <v> { return(<v>) } "f-${a}-${b}" }\n'))
        effect = self.fill("include a", "include($a)", "include b", "notify { 'from-f2': message => $a }", "tag('x')")
        self.variables = []
        definitions.append(self.fill(f"function f2($a) {{ if $a == <v> {{ {effect} }} 'done' }}\n"))
        definitions += [
            "type Port = Integer[1, 3]\n",
            "type Word = Enum['a', 'b']\n",
            "stage { 'pre': before => Stage['main'] }\n",
        ]
        self.variables = ["g1"]
        body = "".join(f"{each}\n" for each in self.statements(2, 5))
        nodes = ""
        if self.chance(0.5):
            for name in ("'web1'", "'web2'", "/^db/", "default"):
                nodes += f"node {name} {{\n{self.body(0, 2)}}}\n"
        return "".join((head, *definitions, body, nodes))

    def datum(self, key: str) -> Any:
        """A value for a key of the data."""
        scalar = self.pick(*WORDS, 1, 2, *FILLED, None)
        if key == "h2":
            return self.pick({}, {"s": self.inner(scalar)}, {"s": self.inner(scalar), "t": scalar}, {"t": scalar})
        if key == "h3":
            return self.pick({}, {"p": scalar}, {"message": scalar, "p": 1}, {"tag": self.pick(*WORDS)})
        if key.startswith("h"):
            return {self.pick("a", "b"): scalar, self.pick("a", "c"): self.pick(1, "y")}
        if key.startswith("l"):
            return [scalar, self.pick("m", "n")]
        return [self.pick(*CLASSES)] if key == "classes" else scalar

    def inner(self, scalar: Any) -> Any:
        """What a hash within a hash is: often nothing, or empty, as merges meet it."""
        return self.pick(None, {}, {"p": scalar}, {"a": scalar}, {"a": {}}, scalar, [], [scalar, "m"], [{"a": scalar}])

    def data(self) -> dict[str, Any]:
        """A file of data."""
        made = {key: self.datum(key) for key in (*KEYS, "classes") if self.chance(0.3)}
        if self.chance(0.25):
            made["lookup_options"] = {self.pick("h1", "l1", "k1", "a::p"): self.pick(*OPTIONS)}
        return made

    def world(self) -> World:
        """All of it."""
        facts: dict[str, Any] = {
            "os": {"family": self.pick(*WORDS), "name": "b"},
            "role": self.pick(*WORDS),
            "n": self.pick(1, 2, 3),
            "flag": self.pick(True, False),
        }
        levels = [
            {"name": "node", "path": "nodes/%{trusted.certname}.yaml"},
            {"name": "os", "path": "os/%{facts.os.family}.yaml"},
            {"name": "tier", "path": "tier/%{tier}.yaml"},
            {"name": "more", "glob": "more/*.yaml"},
            {"name": "role", "paths": ["role/%{role}.yaml", "role/%{facts.n}.yaml"]},
            {"name": "mapped", "mapped_paths": ["list", "each", "each/%{each}.yaml"]},
        ]
        kept = [each for each in levels if self.chance(0.4)]
        template = self.fill("<%- | $a, $b = <w> | -%>\nA<%= $a %>B<%= $b %><% if $b == <w> { %>C<% } -%>\n")
        files = {
            f"{ROOT}/modules/mod/manifests/init.pp": self.definition("mod"),
            f"{ROOT}/modules/mod/templates/t.epp": template,
            **{path: text.format(v=self._w()) for path, text in MODULE_CODE.items()},
            f"{ROOT}/modules/mod/files/one": "one",
            f"{ROOT}/modules/mod/files/two": "two",
            f"{ROOT}/hiera.yaml": json.dumps(
                {"version": 5, "hierarchy": [*kept, {"name": "common", "path": "common.yaml"}]}
            ),
            f"{ROOT}/data/common.yaml": dumped(self.data()),
        }
        self.variables, self.titles = [], []
        files[SITE] = self.site()
        used = ("nodes/web1", f"os/{facts['os']['family']}", f"role/{facts['role']}", "more/m1")
        other = ["tier/a", "each/a", "role/1", "role/2", f"nodes/{self.pick(*NODES)}"]
        other += [f"os/{self._letter()}", f"role/{self._letter()}"]
        for path in (*used, *other):  # of the others, facts that change may make a use
            if self.chance(0.5):
                files[f"{ROOT}/data/{path}.yaml"] = dumped(self.data())
        if self.chance(0.4):
            config = {"version": 5, "hierarchy": [{"name": "m", "path": "mod.yaml"}]}
            files[f"{ROOT}/modules/mod/hiera.yaml"] = json.dumps(config)
            data = {key: self.datum(key) for key in ("mod::p", "mod::q") if self.chance(0.6)}
            files[f"{ROOT}/modules/mod/data/mod.yaml"] = dumped(data)
        classes = {self._class(): self.pick({}, {"p": self.pick(*WORDS)})} if self.chance(0.3) else {}
        parameters = {"zone": self.pick(*WORDS)} if self.chance(0.3) else {}
        return World(files, facts, self.pick(*NODES), classes, parameters)


def dumped(value: Any) -> str:
    """Data as text, one line for each key."""
    return str(yaml.safe_dump(value, default_flow_style=None, sort_keys=False, width=1000))


def make(random: Random) -> World:
    """A random world."""
    return Maker(random).world()


def run(world: World) -> PuppetOutcome | None:
    """The outcome of a world, or nothing if it does not compile."""
    options = {
        "classes": world.classes,
        "parameters": world.parameters,
        "settings": {"strict": "off", "storeconfigs": True},
    }
    try:
        return LANGUAGE.run(ROOT, PureHost(world.files), Inputs(world.node, world.facts, options))
    except WherefromError:
        return None

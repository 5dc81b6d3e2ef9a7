"""Random Puppet environments, and random changes to one input of them, for the promise of dependency.

`make(random)` writes an environment (manifests, a module, data with levels that facts choose, templates), facts, a node
name and what a classifier says. It is small and dense: few names, used over and over, conditions that flip when a
literal or a fact changes, because the flows that are easily lost are those through branches that were not taken, data
that was not found and names that were computed. `changes(random, world)` gives changed worlds, each with the one input
that was changed: a literal, a fact or datum (changed, added or removed), a file or level added, the node's name, the
classifier. A third of the worlds does not compile, nor do some changes; both cost little and are counted.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import yaml

from support.puppet_dependency_shapes import (
    ARROWS,
    COLLECTORS,
    DECLARATIONS,
    DEFINED,
    EXPRESSIONS,
    FACTS,
    LOOKUPS,
    QUERIES,
    STATEMENTS,
    TESTS,
    TYPES,
)

ROOT = "env"
SITE = f"{ROOT}/manifests/site.pp"
NODES = ("web1", "web2", "db1")
WORDS = ("a", "b", "c")
CLASSES = ("a", "b", "c", "mod")
FACT_NAMES = ("role", "n", "flag", "os", "family")
ABSENT_FACTS = ("tier", "zone", "os.release", "os.arch", "extra.deep")
KEYS = ("a::p", "b::p", "c::p", "mod::p", "mod::q", "k1", "k2", "h1", "l1", "k3")
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


class Input(NamedTuple):
    """One input: `literal` (file, start, end), `fact`, `hiera` (key at a file), `file`, `node`, `classifier`."""

    kind: str
    name: str
    file: str = ""
    start: int = 0
    end: int = 0

    def is_leaf(self, leaf: Any) -> bool:
        """Whether a leaf of an origin is this input, a part of it, or a whole that it is a part of."""
        if self.kind == "literal":
            if leaf.kind != "literal" or leaf.span.file.name != self.file:
                return False
            start, end = leaf.span.start, leaf.span.end
            return bool((start <= self.start and self.end <= end) or self.start <= start < end <= self.end)
        if self.kind == "node":
            return leaf.kind == "node" or (leaf.kind == "trusted" and related(leaf.name, "certname", "hostname"))
        if self.kind == "file" and leaf.kind == "hiera":  # a key of the file
            return file_of(leaf) == self.name
        if leaf.kind != self.kind:
            return False
        if self.kind == "file":
            return bool(leaf.name == self.name or self.name.startswith(leaf.name.rstrip("/") + "/"))
        if self.kind == "hiera" and file_of(leaf) not in ("", self.file):
            return False
        return related(leaf.name, self.name)


def related(name: str, *others: str) -> bool:
    """Whether a path is one of the others, above or below it; the empty path is above all."""
    return any(
        not name or name == other or other.startswith(f"{name}.") or name.startswith(f"{other}.") for other in others
    )


class Change(NamedTuple):
    """A changed world and the input that was changed."""

    input: Input
    what: str
    world: World


# --- making worlds ----------------------------------------------------------------------------------------------------

_HOLE = re.compile(r"<([a-z]\w*)>")


class Maker:
    """Writes one world."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.depth = 0
        self.branch = 0
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
            return f"${self.pick(*self.variables)}"
        return self.pick(self._w, self._w, self._w, self._n, self._f)()  # type: ignore[no-any-return]

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
        self.variables = ["a", "b"]
        definitions.append(self.fill('function f1($a = <w>, $b = 2) { if $a == <v> { return(<v>) } "f-${a}-${b}" }\n'))
        effect = self.fill("include a", "include($a)", "include b", "notify { 'from-f2': message => $a }", "tag('x')")
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
        if key.startswith("h"):
            return {self.pick("a", "b"): scalar, self.pick("a", "c"): self.pick(1, "y")}
        if key.startswith("l"):
            return [scalar, self.pick("m", "n")]
        return [self.pick(*CLASSES)] if key == "classes" else scalar

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
            f"{ROOT}/modules/mod/files/one": "one",
            f"{ROOT}/modules/mod/files/two": "two",
            f"{ROOT}/hiera.yaml": json.dumps(
                {"version": 5, "hierarchy": [*kept, {"name": "common", "path": "common.yaml"}]}
            ),
            f"{ROOT}/data/common.yaml": dumped(self.data()),
        }
        self.variables, self.titles = [], []
        files[SITE] = self.site()
        for path in ("nodes/web1", f"os/{facts['os']['family']}", f"role/{facts['role']}", "more/m1"):
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


# --- changing them ----------------------------------------------------------------------------------------------------

_LITERAL = re.compile(r"'([^'\\\n]*)'|(?<![\w.'/\[-])(\d+)(?![\w.'/])|\"(?:\\.|[^\"\\])*\"")


def literals(text: str) -> list[tuple[int, int, str]]:
    """Whole strings in single quotes, and numbers, that stand outside of other strings."""
    found = []
    for match in _LITERAL.finditer(text):
        if match[0].startswith('"'):
            continue
        found.append((match.start(), match.end(), match[0]))
    return found


def changes(random: Random, world: World, wanted: int, used: Sequence[tuple[Any, int]]) -> Iterator[Change]:
    """Worlds that differ from this one in one input.

    `used` are the leaves that outputs depend on, each with their number. Most changes are made there, where many
    outputs hang on one the most; the others anywhere.
    """
    makers = (_literal, _literal, _fact, _fact, _datum, _datum, _new_file, _outside)
    leaves, weights = [leaf for leaf, _ in used], [count**6 * _reach(leaf) for leaf, count in used]
    for _ in range(wanted):
        lot = random.random()
        if not used or lot < 0.12:
            made = random.choice(makers)(random, world)
        else:
            leaf = random.choice(leaves) if lot < 0.25 else random.choices(leaves, weights)[0]
            made = changed(random, world, leaf)
        if made is not None and made.world != world:
            yield made


def _reach(leaf: Any) -> float:
    """How likely a change of this input is to be felt: that of a configuration or of what is not there, less."""
    return 0.02 if leaf.kind == "file" or leaf.absent or leaf.name.startswith("lookup_options") else 1.0


def changed(random: Random, world: World, leaf: Any) -> Change | None:
    """The world with this input changed, if we know how."""
    match leaf.kind:
        case "literal":
            places = [each for each in literals(world.files.get(leaf.span.file.name, "")) if each[0] == leaf.span.start]
            return changed_literal(random, world, leaf.span.file.name, *places[0]) if places else None
        case "fact":
            return _fact(random, world, leaf.name)
        case "hiera":
            return _datum(random, world, leaf.name, file_of(leaf))
        case "file":
            return _new_file(random, world, leaf.name)
        case "node" | "trusted" | "classifier":
            return _outside(random, world, "node" if leaf.kind != "classifier" else None, leaf.name)
    return None


def file_of(leaf: Any) -> str:
    """The file of a datum, which may not be there."""
    return leaf.span.file.name if leaf.span is not None else getattr(leaf, "file", "")


def _literal(random: Random, world: World) -> Change | None:
    module = f"{ROOT}/modules/mod"
    path = random.choice([SITE, SITE, SITE, f"{module}/manifests/init.pp", f"{module}/templates/t.epp"])
    places = literals(world.files[path])
    return changed_literal(random, world, path, *random.choice(places)) if places else None


def changed_literal(random: Random, world: World, path: str, start: int, end: int, old: str) -> Change:
    """The world with the literal at a place changed."""
    text = world.files[path]
    if old.startswith("'"):
        near = sorted({each for _, _, each in literals(text) if each.startswith("'") and each != old})
        alike = [each for each in near if len(each) == len(old)] or near
        pool = (alike, near, [f"'{word}'" for word in (*WORDS, *FACT_NAMES)], ["'zz'"])
        new = random.choice(random.choices(pool, (4, 2, 4, 1))[0] or ["'zz'"])
    else:
        new = str(random.randint(0, 4))
    world = world._replace(files={**world.files, path: text[:start] + new + text[end:]})
    return Change(Input("literal", "", path, start, end), f"{old} -> {new}", world)


def _paths(value: Any, path: str = "") -> Iterator[str]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, f"{path}.{key}" if path else str(key))


def _set(value: dict[str, Any], path: str, new: Any, remove: bool = False) -> None:
    *above, last = path.split(".")
    for each in above:
        inner = value.get(each)
        if not isinstance(inner, dict):
            inner = value[each] = {}
        value = inner
    if remove:
        value.pop(last, None)
    else:
        value[last] = new


def _fact(random: Random, world: World, name: str = "") -> Change | None:
    facts = copy.deepcopy(world.facts)
    path = name or random.choice(("os.family", "role", "n", "flag", "os.name", "os", *ABSENT_FACTS, "nope", "os.new"))
    there = path in set(_paths(facts))
    if there and random.random() < 0.25:
        _set(facts, path, None, True)
        return Change(Input("fact", path), f"remove {path}", world._replace(facts=facts))
    composite = path == "os"
    new: Any = {"family": random.choice(WORDS)} if composite else random.choice((*WORDS, *WORDS, 1, 2, True, False))
    _set(facts, path, new)
    return Change(Input("fact", path), f"{'change' if there else 'add'} {path}", world._replace(facts=facts))


def _datum(random: Random, world: World, name: str = "", file: str = "") -> Change | None:
    if file not in world.files:
        file = random.choice([each for each in world.files if "/data/" in each])
    data = yaml.safe_load(world.files[file]) or {}
    maker = Maker(random)
    root = name.partition(".")[0]
    if root == "lookup_options" or (not name and random.random() < 0.15):
        options = data.setdefault("lookup_options", {})
        if options and random.random() < 0.3:
            del data["lookup_options"]
        else:
            options[random.choice(("h1", "l1", "k1", "k2", "a::p", "^k.*"))] = random.choice(OPTIONS)
        path = "lookup_options"
    else:
        path = root or random.choice((*KEYS, "classes"))
        if path in data and random.random() < 0.25:
            del data[path]
        elif isinstance(data.get(path), dict) and random.random() < 0.6:
            key = name.partition(".")[2] or random.choice(("a", "b", "c", "z"))
            if key in data[path] and random.random() < 0.3:
                del data[path][key]
            else:
                data[path][key] = random.choice(WORDS)
            path = f"{path}.{key}"
        else:
            data[path] = maker.datum(path)
    how = "change" if path.partition(".")[0] in (yaml.safe_load(world.files[file]) or {}) else "add"
    world = world._replace(files={**world.files, file: dumped(data)})
    return Change(Input("hiera", path, file), f"{how} {path} in {file}", world)


def _new_file(random: Random, world: World, name: str = "") -> Change | None:
    maker = Maker(random)
    facts = world.facts
    missing = f"{ROOT}/modules/mod/files/missing"
    config = f"{ROOT}/hiera.yaml"
    known = {
        "nodes": world.node,
        "os": facts["os"]["family"],
        "role": facts["role"],
        "more": "m0",
        "tier": "a",
        "each": "a",
    }
    places = [f"{ROOT}/data/{directory}/{file}.yaml" for directory, file in known.items()]
    path = name or random.choice((missing, config, f"{ROOT}/data/more/m2.yaml", *places))
    if path == config:
        levels = json.loads(world.files[path])
        level = random.choice(({"name": "new", "path": "role/%{role}.yaml"}, {"name": "new", "path": "more/m1.yaml"}))
        levels["hierarchy"].insert(random.randrange(2), level)
        content = json.dumps(levels)
    elif path.startswith(f"{ROOT}/data"):
        path = path if path.endswith(".yaml") else f"{path.rstrip('/')}/m0.yaml"
        content = dumped(maker.data())
    elif path == f"{ROOT}/modules/mod/hiera.yaml":
        content = json.dumps({"version": 5, "hierarchy": [{"name": "m", "path": "../../../data/common.yaml"}]})
    else:
        content = "now there"
    how = "change" if path in world.files else "add"
    return Change(Input("file", path), f"{how} {path}", world._replace(files={**world.files, path: content}))


def _outside(random: Random, world: World, how: str | None = None, name: str = "") -> Change | None:
    how = how or random.choice(("node", "class", "parameter"))
    if how == "node":
        return Change(Input("node", ""), "node", world._replace(node=random.choice(NODES)))
    name = name.partition(".")[0]
    if how == "class" and (not name or name in CLASSES):
        name = name or random.choice(CLASSES)
        classes = dict(world.classes)
        if name in classes and random.random() < 0.5:
            del classes[name]
        else:
            classes[name] = random.choice(({}, {}, {"p": random.choice(WORDS)}))
        return Change(Input("classifier", name), f"classes {classes}", world._replace(classes=classes))
    name = name if name and name not in CLASSES else random.choice(("zone", "tier", "role"))
    parameters = dict(world.parameters)
    if name in parameters and random.random() < 0.4:
        del parameters[name]
    else:
        parameters[name] = random.choice(WORDS)
    return Change(Input("classifier", name), f"parameters {parameters}", world._replace(parameters=parameters))

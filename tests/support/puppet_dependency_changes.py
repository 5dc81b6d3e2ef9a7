"""Changes to one input of a random Puppet environment (`support.puppet_dependency_programs`).

`ways(random, world, leaf)` gives the ways we know to change one input, in random order, the likely ones first: another
value, an empty one, one of another type, one that other code compares with, nothing at all; for what is not there, all
that could be. `changes(random, world, ...)` picks inputs and changes each in one way. Every change keeps the name of
the input that it changed, and knows which leaves of an origin stand for it.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import yaml

from support.puppet_dependency_programs import (
    CLASSES,
    CODE,
    FACT_NAMES,
    FILLED,
    KEYS,
    NODES,
    OPTIONS,
    ROOT,
    SITE,
    WORDS,
    Maker,
    World,
    dumped,
)

ABSENT_FACTS = ("tier", "zone", "os.release", "os.arch", "extra.deep")
MODULE = f"{ROOT}/modules/mod"
RUBY = f"{MODULE}/lib/puppet/functions/mod/alike.rb"
_OTHER_RUBY = (
    ("join('-')", "join('+')"),
    (".uniq", ""),
    ("other.text[0]", "other.text"),
    ("def alike", "# code\n  def alike"),
)
"""What stands in a function in Ruby, and what else could."""


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
        if self.kind == "file" and "*" in leaf.name:
            return fnmatchcase(self.name, leaf.name)
        if self.kind == "file":
            inside = self.name.startswith(leaf.name.rstrip("/") + "/")
            return bool(leaf.name == self.name or inside)
        if self.kind == "hiera" and file_of(leaf) not in ("", self.file):
            return False
        return any(related(name, self.name) for name in leaf.names)

    def written(self, files: Mapping[str, str]) -> str:
        """The input as `wherefrom impact` takes it."""
        if self.kind == "literal":
            above = files[self.file][: self.start]
            line, column = above.count("\n") + 1, self.start - (above.rfind("\n") + 1) + 1
            return f"{self.file}:{line}:{column}"
        return f"{self.kind}:{self.name}"

    def is_named(self, leaf: Any) -> bool:
        """Whether what is written names a leaf; a key of the data is written without its file."""
        return self.is_leaf(leaf) or (self.kind == "hiera" == leaf.kind and related(leaf.name, self.name))


def related(name: str, *others: str) -> bool:
    """Whether a path is one of the others, above or below it; the empty path is above all."""
    return any(
        not name or name == other or other.startswith(f"{name}.") or name.startswith(f"{other}.") for other in others
    )


def file_of(leaf: Any) -> str:
    """The file of a datum, which may not be there."""
    return leaf.span.file.name if leaf.span is not None else getattr(leaf, "file", "")


class Change(NamedTuple):
    """A changed world and the input that was changed."""

    input: Input
    what: str
    world: World


def changes(random: Random, world: World, wanted: int, used: Sequence[tuple[Any, int]]) -> Iterator[Change]:
    """Worlds that differ from this one in one input.

    `used` are the leaves that outputs depend on, each with their number. Most changes are made there, where many
    outputs depend on one the most; the others anywhere.
    """
    makers = (_any_literal, _any_literal, _any_fact, _any_fact, _any_datum, _any_datum, _any_file, _anything_outside)
    leaves, weights = [leaf for leaf, _ in used], [count**6 * _reach(leaf) for leaf, count in used]
    for _ in range(wanted):
        lot = random.random()
        if not used or lot < 0.12:
            made = next(random.choice(makers)(random, world), None)
        else:
            leaf = random.choice(leaves) if lot < 0.25 else random.choices(leaves, weights)[0]
            made = next(ways(random, world, leaf), None)
        if made is not None:
            yield made


def _reach(leaf: Any) -> float:
    """How likely a change of this input is to be felt: that of a configuration or of what is not there, less."""
    if leaf.name == RUBY:
        return 0.2
    return 0.02 if leaf.kind == "file" or leaf.absent or leaf.name.startswith("lookup_options") else 1.0


def ways(random: Random, world: World, leaf: Any) -> Iterator[Change]:
    """The world with this input changed, in every way we know."""
    match leaf.kind:
        case "literal":
            found = _literal(random, world, leaf.span.file.name, leaf.span.start, leaf.span.end)
        case "fact":
            found = _fact(random, world, leaf.name)
        case "hiera":
            found = _datum(random, world, leaf.name, file_of(leaf))
        case "file":
            found = _file(random, world, leaf.name)
        case "node" | "trusted":
            found = _node(random, world)
        case "classifier":
            found = _classifier(random, world, random.choice(leaf.names))
        case _:
            return
    yield from (change for change in found if change.world != world)


def _mixed(random: Random, *pools: tuple[float, Iterable[Any]]) -> list[Any]:
    """What is in the pools, each value once, in an order in which those of heavy pools come sooner."""
    lots: dict[str, tuple[float, Any]] = {}
    for weight, pool in pools:
        values = list({repr(value): value for value in pool}.values())
        for value in values:
            lot = random.random() ** (len(values) / weight)
            if repr(value) not in lots or lots[repr(value)][0] < lot:
                lots[repr(value)] = (lot, value)
    return [value for _, value in sorted(lots.values(), key=lambda pair: -pair[0])]


# --- literals ---------------------------------------------------------------------------------------------------------

_LITERAL = re.compile(r"'([^'\\\n]*)'|(?<![\w.'/\[-])(\d+)(?![\w.'/])|\"(?:\\.|[^\"\\])*\"")


def literals(text: str) -> list[tuple[int, int, str]]:
    """Whole strings in single quotes, and numbers, that stand outside of other strings."""
    return [(match.start(), match.end(), match[0]) for match in _LITERAL.finditer(text) if match[0][0] != '"']


def _any_literal(random: Random, world: World) -> Iterator[Change]:
    path = random.choice([SITE, SITE, SITE, f"{MODULE}/manifests/init.pp", f"{MODULE}/templates/t.epp"])
    places = literals(world.files[path])
    if places:
        yield from _literal(random, world, path, *random.choice(places)[:2])


def _literal(random: Random, world: World, path: str, start: int, end: int) -> Iterator[Change]:
    text = world.files.get(path, "")
    old = text[start:end]
    if not old:
        return
    for new in _texts(random, world, path, old, _in_text(text, start)):
        if new != old:
            files = {**world.files, path: text[:start] + new + text[end:]}
            yield Change(Input("literal", "", path, start, end), f"{old} -> {new}", world._replace(files=files))


def _in_text(text: str, start: int) -> bool:
    """Whether a place is inside of a string in double quotes."""
    return any(match.start() < start < match.end() for match in _LITERAL.finditer(text) if match[0][0] == '"')


def _texts(random: Random, world: World, path: str, old: str, in_text: bool) -> list[str]:
    """Other texts for a literal; a bare word of the program (`include ntp`) is none."""
    here = {each for _, _, each in literals(world.files[path]) if each.startswith("'") and each != old}
    words = [f"'{word}'" for word in (*WORDS, *FACT_NAMES)]
    if old.startswith("'"):
        alike = sorted(each for each in here if len(each) == len(old))
        others = (0.6, ("undef", "''", "1", "true"))
        return _mixed(random, (8, alike), (4, sorted(here)), (8, words), (2, ["'zz'"]), (1, _values(world)), others)
    if old.isdigit():
        return _mixed(random, (9, "01234"), (1, ("9", "''", "undef")), (1, words))
    if old in ("true", "false", "undef"):
        return _mixed(random, (1, ("true", "false", "undef")), (1, words), (1, ("''", "1")), (1, sorted(here)))
    if in_text and "$" not in old:
        return _mixed(random, (1, (f"z{old}", f"{old}z")), (1, (f"{word}-" for word in WORDS)))
    return []


def _values(world: World) -> list[str]:
    """The texts that facts and data have, as literals."""
    data = [yaml.safe_load(text) for path, text in world.files.items() if "/data/" in path]
    texts = {value for value in _scalars([world.facts, *data, *world.parameters.values()]) if isinstance(value, str)}
    return [f"'{text}'" for text in sorted(texts) if text.isalnum()]


def _compared(world: World) -> list[Any]:
    """What the code compares facts and data with: the texts and numbers that stand in it."""
    found = {each for text in world.files.values() for _, _, each in literals(text)}
    return [int(each) if each.isdigit() else each.strip("'") for each in sorted(found)]


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _scalars(each)
    else:
        yield value


# --- facts ------------------------------------------------------------------------------------------------------------


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


_GONE = object()


def _any_fact(random: Random, world: World) -> Iterator[Change]:
    names = ("os.family", "role", "n", "flag", "os.name", "os", *ABSENT_FACTS, "nope", "os.new")
    yield from _fact(random, world, random.choice(names))


def _fact(random: Random, world: World, path: str) -> Iterator[Change]:
    if not path:  # the set of all facts
        for each in _mixed(random, (1, ("role", "n", "flag", *ABSENT_FACTS, "nope"))):
            yield from islice(_fact(random, world, each), 4)
        return
    there = path in set(_paths(world.facts))
    scalars = ((6, WORDS), (2, (1, 2, True, False)), (1, _compared(world)), (0.5, ("", 3, ["a"], {"a": "b"})))
    whole = [{"family": word, "name": name} for word in WORDS for name in WORDS] + [{"family": "a"}, {}]
    values = _mixed(random, (3, [_GONE] if there else []), *(((1, whole),) if path == "os" else scalars))
    for new in values:
        facts = copy.deepcopy(world.facts)
        _set(facts, path, new, new is _GONE)
        how = "remove" if new is _GONE else "change" if there else "add"
        yield Change(Input("fact", path), f"{how} {path}", world._replace(facts=facts))


# --- data -------------------------------------------------------------------------------------------------------------


def _any_datum(random: Random, world: World) -> Iterator[Change]:
    file = random.choice([each for each in world.files if "/data/" in each])
    key = "lookup_options" if random.random() < 0.15 else random.choice((*KEYS, "classes"))
    if key.startswith("h") and random.random() < 0.5:
        key = f"{key}.{random.choice('abcz')}"
    yield from _datum(random, world, key, file)


def _datum(random: Random, world: World, name: str, file: str) -> Iterator[Change]:
    if file not in world.files:
        return
    data = yaml.safe_load(world.files[file]) or {}
    root, _, rest = name.partition(".")
    path = root
    if root == "lookup_options":
        edits = _options(random, data)
    else:
        maker = Maker(random)
        inner = data.get(root)
        if isinstance(inner, dict) and rest and random.random() < 0.7:
            path = f"{root}.{rest}"
            edits = [_edited(data, root, _without(inner, rest))] if rest in inner else []
            values = _mixed(random, (4, WORDS), (1, (1, "", None)), (1, _compared(world)))
            edits += [_edited(data, root, {**inner, rest: value}) for value in values]
            random.shuffle(edits)
        else:
            made = [maker.datum(root) for _ in range(8)]
            empty: list[Any] = [None, "", [], {}, ["m"]]
            if root == "h2" and isinstance(inner, dict):
                made += [{**inner, "s": maker.inner(random.choice(WORDS))} for _ in range(8)]
            pools = ((8, made), (3, WORDS), (2, FILLED), (1, _compared(world)), (1, empty))
            values = _mixed(random, (3, [_GONE] if root in data else []), *pools)
            edits = [_without(data, root) if value is _GONE else _edited(data, root, value) for value in values]
    how = "change" if root in data else "add"
    for edit in edits:
        files = {**world.files, file: dumped(edit)}
        yield Change(Input("hiera", path, file), f"{how} {path} in {file}", world._replace(files=files))


def _edited(data: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    return {**data, key: value}


def _without(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def _options(random: Random, data: dict[str, Any]) -> list[dict[str, Any]]:
    """The data with other `lookup_options`: one key has others, or all."""
    options = data.get("lookup_options", {})
    found = [_without(data, "lookup_options")] if options else []
    choices = [{"convert_to": "Array"}, {"convert_to": "Integer"}, *OPTIONS]
    for key in ("^[a-z].*", *KEYS, "classes"):
        found += [_edited(data, "lookup_options", {**options, key: given}) for given in choices]
    return _mixed(random, (1, found[: len(choices) + 1]), (1, found))


# --- files ------------------------------------------------------------------------------------------------------------

_CONFIG = f"{ROOT}/hiera.yaml"
_LEVELS = (
    {"name": "new", "path": "role/%{role}.yaml"},
    {"name": "new", "path": "more/m1.yaml"},
    {"name": "new", "path": "nodes/web1.yaml"},
    {"name": "new", "path": "os/%{facts.os.family}.yaml"},
    {"name": "new", "datadir": "modules/mod/data", "path": "mod.yaml"},
)


def _any_file(random: Random, world: World) -> Iterator[Change]:
    system = world.facts.get("os")
    family = system.get("family", "a") if isinstance(system, dict) else "a"  # an edit before may have taken it away
    role = world.facts.get("role", "a")
    known = {"nodes": world.node, "os": family, "role": role, "more": "m0", "tier": "a", "each": "a"}
    places = [f"{ROOT}/data/{directory}/{file}.yaml" for directory, file in known.items()]
    code = (
        f"{ROOT}/first/mod",
        f"{ROOT}/first/{random.choice(CODE).partition('::')[0]}",
        f"{ROOT}/modules/{random.choice(('x1', 'x2'))}",
        f"{MODULE}/manifests/{random.choice(('sub', 'extra'))}.pp",
        f"{MODULE}/metadata.json",
        RUBY,
        f"{ROOT}/environment.conf",
        f"{ROOT}/modules/*/lib/puppet/type/{random.choice(('x1', 'd1', 'd2', 'base'))}.rb",
    )
    lot = random.random()
    if lot < 0.4:
        yield from _file(random, world, random.choice(code))
        return
    if lot < 0.6:
        yield from _file(random, world, random.choice([path for path in world.files if path.startswith(MODULE)]))
        return
    paths = (f"{MODULE}/files/missing", _CONFIG, f"{ROOT}/data/more/m2.yaml", *places)
    yield from _file(random, world, random.choice(paths))


def _file(random: Random, world: World, path: str) -> Iterator[Change]:
    contents: Iterable[str]
    if path == _CONFIG:
        contents = _configurations(random, world)
    elif path.startswith(f"{ROOT}/data"):
        path = path if path.endswith(".yaml") else f"{path.rstrip('/')}/{random.choice(('m0', 'm1', 'm2'))}.yaml"
        full = [dumped({key: Maker(random).datum(key) for key in (*KEYS, "classes")}) for _ in range(3)]
        contents = [*(dumped(Maker(random).data()) for _ in range(6)), *full]
    elif (
        path.startswith(f"{ROOT}/first")
        or "*" in path
        or path.startswith(f"{ROOT}/modules/x")
        or (path.endswith((".pp", "metadata.json", "environment.conf")) and path not in world.files)
        or path.endswith("environment.conf")
    ):
        yield from _code(random, world, path)
        return
    elif path == RUBY and path in world.files:
        contents = [world.files[path].replace(*other) for other in _OTHER_RUBY]
        random.shuffle(contents)
    elif path == f"{MODULE}/hiera.yaml":
        paths = ("../../../data/common.yaml", "mod.yaml", "none.yaml", "../../../data/nodes/web1.yaml")
        contents = [json.dumps({"version": 5, "hierarchy": [{"name": "m", "path": each}]}) for each in paths]
    else:
        contents = ["now there", ""]
    how = "change" if path in world.files else "add"
    if path in world.files and not path.endswith((".yaml", "site.pp")):
        files = {name: text for name, text in world.files.items() if name != path}
        yield Change(Input("file", path), f"remove {path}", world._replace(files=files))
    for content in contents:
        files = {**world.files, path: content}
        yield Change(Input("file", path), f"{how} {path}", world._replace(files=files))


_METADATA = json.dumps(dict.fromkeys(("source", "author", "version", "license"), "1") | {"dependencies": []})


def _code(random: Random, world: World, path: str) -> Iterator[Change]:
    """Code that appears: a module that hides another, a file that defines what was looked for, a resource type."""
    shadow = f"{ROOT}/first/mod"
    whole = {
        f"{shadow}/manifests/init.pp": "class mod($p = 'shadow', $q = 1) { notify { 'in-mod': message => 'other' } }\n",
        f"{shadow}/functions/pf.pp": "function mod::pf($a) { 'shadow' }\n",
        f"{shadow}/templates/t.epp": "<%- | $a, $b = 1 | -%>\nshadow\n",
        f"{shadow}/templates/t.erb": "shadow\n",
        f"{shadow}/files/one": "shadow",
        f"{shadow}/files/missing": "shadow",
        f"{shadow}/lib/puppet/functions/mod/alike.rb": (
            "Puppet::Functions.create_function(:'mod::alike') do\n  def alike(values)\n    'shadow'\n  end\nend\n"
        ),
    }
    if "*" in path:
        name = path.rpartition("/")[2].removesuffix(".rb")
        added = {
            path.replace("*", "any"): f"Puppet::Type.newtype(:{name}) do\n  newparam(:name)\n  newparam(:p)\nend\n"
        }
        choices = [added] if "/type/" in path else []
    elif path.endswith("environment.conf"):
        choices = [{path: "modulepath = modules\n"}, {path: "modulepath = none\n"}, {path: "manifest = none\n"}]
    elif path.endswith("metadata.json"):
        choices = [{path: '{"name": "mod"}'}, {path: _METADATA}]
    elif path.rstrip("/") == shadow:
        choices = [whole, dict(list(whole.items())[:1]), dict(list(whole.items())[1:])]
    else:
        module = path.removesuffix("/").split("/")[2] if path.count("/") > 1 else ""
        rest = path.split("/manifests/")[1].removesuffix(".pp").split("/") if "/manifests/" in path else []
        name = "::".join([module, *(part for part in rest if part != "init")])
        file = path if path.endswith(".pp") else f"{path.rstrip('/')}/manifests/init.pp"
        body = "notify { 'appeared': }"
        choices = [{file: f"class {name} {{ {body} }}\n"}, {file: f"define {name}($p = 1) {{ }}\n"}]
    for files in random.sample(choices, len(choices)):
        name = path if "*" not in path else next(iter(files))
        yield Change(Input("file", name), f"add {', '.join(files)}", world._replace(files={**world.files, **files}))


def _configurations(random: Random, world: World) -> list[str]:
    """Other hierarchies: a level more at some place, one less, another order, all data elsewhere."""
    config = json.loads(world.files[_CONFIG])
    levels = config["hierarchy"]
    hierarchies = [[*levels[:at], level, *levels[at:]] for level in _LEVELS for at in range(min(2, len(levels) + 1))]
    hierarchies += [levels[:at] + levels[at + 1 :] for at in range(len(levels))]
    hierarchies.append(levels[::-1])
    made = [json.dumps({**config, "hierarchy": hierarchy}) for hierarchy in hierarchies]
    made.append(json.dumps({**config, "defaults": {"datadir": "elsewhere"}}))
    random.shuffle(made)
    return made


# --- the node and the classifier --------------------------------------------------------------------------------------


def _node(random: Random, world: World) -> Iterator[Change]:
    for name in _mixed(random, (1, (*NODES, "other"))):
        yield Change(Input("node", ""), f"node {name}", world._replace(node=name))


def _anything_outside(random: Random, world: World) -> Iterator[Change]:
    if random.random() < 0.3:
        yield from _node(random, world)
    else:
        yield from _classifier(random, world, random.choice((*CLASSES, "zone", "tier", "role")))


def _classifier(random: Random, world: World, name: str) -> Iterator[Change]:
    name = name.partition(".")[0]
    if not name:  # all that it says
        for each in _mixed(random, (3, CLASSES), (1, ("zone", "tier", "role"))):
            yield from islice(_classifier(random, world, each), 6)
        return
    if name in (*CLASSES, "base", "x"):
        given = [{}] if name in ("base", "x") else [{}, {}, *({"p": word} for word in (*WORDS, 1, None))]
        classes = [{**world.classes, name: each} for each in given] + [_without(world.classes, name)] * 2
        for chosen in random.sample(classes, len(classes)):
            yield Change(Input("classifier", name), f"classes {chosen}", world._replace(classes=chosen))
        return
    there = name in world.parameters
    for value in _mixed(
        random, (3, [_GONE] if there else []), (6, WORDS), (1, _compared(world)), (1, ("", 1, True, ["a"]))
    ):
        parameters = _without(world.parameters, name) if value is _GONE else {**world.parameters, name: value}
        yield Change(Input("classifier", name), f"parameters {parameters}", world._replace(parameters=parameters))

"""Small environments with a file of data for each site, and nodes at these."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from support import site_shapes as shapes
from support.puppet_dependency_programs import ROOT, SITE, World, dumped
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome

STRANGE = ("zz7", "A B", "7", "Web1", "x-y.z", "/etc/x", "File[/a]", "", "true")
"""Values that no program compares anything with, and some that are easily taken for something else."""
LEVELS = ("nodes/%{trusted.certname}.yaml", "site/%{facts.site}.yaml", "role/%{facts.role}.yaml", "common.yaml")


def site_world(program: str, sites: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, str]:
    """The files of an environment with this program and these data of sites."""
    hierarchy = [{"name": path, "path": path} for path in LEVELS]
    files = {
        SITE: program,
        f"{ROOT}/hiera.yaml": json.dumps({"version": 5, "hierarchy": hierarchy}),
        f"{ROOT}/data/common.yaml": "c: common\n",
    }
    files.update((f"{ROOT}/data/site/{site}.yaml", dumped(data)) for site, data in sites.items())
    return {**files, **{f"{ROOT}/{path}": text for path, text in more.items()}}


def inputs_of(world: World) -> Inputs:
    """What a compilation of a world is given."""
    options: dict[str, Any] = {
        "classes": world.classes,
        "parameters": world.parameters,
        "settings": {"strict": "off", "storeconfigs": True},
    }
    return Inputs(world.node, world.facts, options)


def compiled(world: World) -> PuppetOutcome | None:
    """The outcome of a world; nothing if it does not compile."""
    try:
        return LANGUAGE.run(ROOT, PureHost(world.files), inputs_of(world))
    except WherefromError:
        return None


# --- worlds ----------------------------------------------------------------------------------------------------------

_HOLE = re.compile(r"<([a-z]\w*)>")
SITES = ("site00", "site01", "site02")
FILLED = ("%{facts.word}", "<%{facts.site}>", "%{lookup('s1')}", "%{alias('l2')}", "%{trusted.certname}", "%{nope}")
OPTIONS: dict[str, tuple[Any, ...]] = {
    "s": ({"merge": "first"}, {"convert_to": "String"}, {"convert_to": ["Array", True]}),
    "l": ({"merge": "unique"}, {"merge": "deep"}, {"merge": {"strategy": "deep", "knockout_prefix": "--"}},
          {"merge": {"strategy": "deep", "sort_merged_arrays": True}}, {"convert_to": "Array"}),
    "h": ({"merge": "hash"}, {"merge": "deep"}, {"merge": {"strategy": "deep", "merge_hash_arrays": True}},
          {"merge": {"strategy": "deep", "knockout_prefix": "--"}}),
}  # fmt: skip
MORE_LEVELS = (
    {"name": "fixed", "path": "site/site00.yaml"},
    {"name": "zone", "path": "site/%{facts.zone}.yaml"},
    {"name": "again", "path": "site/%{site}.yaml"},
    {"name": "both", "paths": ["zone/%{facts.zone}.yaml", "site/%{facts.site}-%{facts.zone}.yaml"]},
    {"name": "mapped", "mapped_paths": ["facts.zones", "each", "site/%{each}.yaml"]},
    {"name": "all", "glob": "site/*0.yaml"},
)


MOST_MENDED = 14


class Piece(NamedTuple):
    """A piece of a program, and what can be in its place."""

    text: str
    simpler: str | None = None


class Maker:
    """Writes one environment with data of sites, and a node of it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.depth = 0
        self.number = ""
        self.same = ""
        self.said: list[dict[str, Any]] = []
        """What each site says."""
        self.texts_there: list[str] = []
        self.texts: list[str] = []
        self.lists: list[str] = []
        self.hashes: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def fill(self, shape: str) -> str:
        """A shape with its holes filled."""
        self.depth += 1
        text = _HOLE.sub(lambda hole: str(getattr(self, f"_{hole[1]}", lambda: hole[0])()), shape)
        self.depth -= 1
        return text

    def _of(self, plain: tuple[str, ...], computed: tuple[str, ...]) -> str:
        if self.depth > 4 or self.chance(0.65):
            return self.fill(self.random.choice(plain))
        return f"({self.fill(self.random.choice(computed))})"

    # --- holes -------------------------------------------------------------------------------------------------------

    def _t(self) -> str:
        return self._of(shapes.TEXTS, shapes.COMPUTED_TEXTS)

    def _l(self) -> str:
        return self._of(shapes.LISTS, shapes.COMPUTED_LISTS)

    def _h(self) -> str:
        return self._of(shapes.HASHES, shapes.COMPUTED_HASHES)

    def _b(self) -> str:
        if self.depth > 5:
            return self.fill("<var> == <q>")
        return f"({self.fill(self.random.choice(shapes.TESTS))})"

    def _w(self) -> str:
        return self.random.choice(("a", "b", "c", "site00", "site01", "one", "two"))

    def _q(self) -> str:
        return f"'{self.random.choice(shapes.WORDS)}'"

    def _plain(self) -> str:
        return self.fill(self.random.choice(("<q>", "<q>", "<var>")))

    def _n(self) -> str:
        self.count += 1
        self.number = str(self.count)
        return self.number

    def _m(self) -> str:
        return self.number

    def _known(self) -> str:
        name, *way = self.random.choice((("s1",), ("s2",), ("s3",), ("h1", "a"), ("l1", 0), ("h2", "a", "b")))
        self.texts_there = [_text_at(said.get(name), way) for said in self.said]
        self.same = f"lookup('{name}')" + "".join(f"[{step!r}]" for step in way)
        return self.same

    def _same(self) -> str:
        return self.same

    def _its(self) -> str:
        return self.texts_there[0] if self.texts_there else "a"

    def _there(self) -> str:
        return self.random.choice(self.texts_there[1:]) if self.texts_there else "b"

    def _var(self) -> str:
        return f"${self.random.choice(self.texts)}" if self.texts else "$facts['word']"

    def _listvar(self) -> str:
        return f"${self.random.choice(self.lists)}" if self.lists else "lookup('l1')"

    def _hashvar(self) -> str:
        return f"${self.random.choice(self.hashes)}" if self.hashes else "lookup('h1')"

    def _new(self, kept: list[str]) -> str:
        self.count += 1
        self.fresh.append((kept, f"v{self.count}"))
        return f"v{self.count}"

    def _newvar(self) -> str:
        return self._new(self.texts)

    def _newlist(self) -> str:
        return self._new(self.lists)

    def _newhash(self) -> str:
        return self._new(self.hashes)

    def _loop(self) -> str:
        self.count += 1
        self.texts.append(f"x{self.count}")
        return f"x{self.count}"

    def _nl(self) -> str:
        return "\n"

    def _maybe(self) -> str:
        self.count += 1
        return f"maybe{self.count}"

    def _erb(self) -> str:
        return "'" + self.fill(self.random.choice(shapes.ERB)).replace("'", "") + "'"

    def _declare(self) -> str:
        return self.fill(self.random.choice(shapes.DECLARATIONS))

    def _block(self) -> str:
        return " ".join(self.statements(1 if self.depth > 3 else self.random.randint(1, 2)))

    def statements(self, number: int) -> list[str]:
        """Some statements; variables that they set can be seen by those that follow, and not outside of their block."""
        kept = list(self.texts), list(self.lists), list(self.hashes)
        texts: list[str] = []
        for _ in range(number):
            self.fresh: list[tuple[list[str], str]] = []
            loops = len(self.texts)
            several = self.random.choice(
                (("<declare>",), ("<declare>",), shapes.MEETINGS, shapes.STATEMENTS, shapes.STATEMENTS)
            )
            shape = self.random.choice(several)
            fresh, text = self.fresh, self.fill(shape)
            del self.texts[loops:]
            for variables, name in fresh:
                if "{" not in text.partition(f"${name} = ")[0]:
                    variables.append(name)
            texts.append(text)
        self.texts[:], self.lists[:], self.hashes[:] = kept
        return texts

    # --- files -------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """A text of data."""
        return self.random.choice(shapes.WORDS) if self.chance(0.6) else f"text{self.random.randrange(50)}"

    def datum(self, kind: str) -> Any:
        """A value of data, by the first letter of its key."""
        if kind == "b":
            return self.chance(0.5)
        if kind == "l":
            return [self.text() for _ in range(self.random.choice((1, 2, 2, 3)))]
        if kind == "h":
            return {key: self.text() for key in ("a", "b", "c")[: self.random.randint(1, 3)]}
        return self.text()

    def like(self, value: Any) -> Any:
        """A value of the same shape, most of the time."""
        if self.chance(0.005):
            return self.random.choice((7, True, None, "", ["a"], {"a": "b"}, [], *FILLED, 1.5, "--a"))
        if isinstance(value, list):
            return [*map(self.like, value)][: 1 if self.chance(0.006) else None] + (["a"] if self.chance(0.006) else [])
        if isinstance(value, dict):
            items = [(self.text() if self.chance(0.004) else key, self.like(part)) for key, part in value.items()]
            if self.chance(0.006):
                items.reverse()
            return dict(items)
        return self.text() if type(value) is str and self.chance(0.8) else value

    def data(self) -> dict[str, Any]:
        """What a site says: all others say the same keys."""
        keys = ("s1", "s2", "s3", "l1", "l2", "h1", "h3", "b1", "c::s", "c::l", "c::h", "k::p")
        said: dict[str, Any] = {key: self.datum(key.rpartition("::")[2][0]) for key in keys}
        said["h2"] = {"a": {"b": self.text(), "c": self.text()}}
        said["cr"] = {"cr1": {"p": self.text()}}
        if self.chance(0.15):
            said[self.random.choice(("s1", "s2", "h1"))] = self.random.choice(FILLED)
        if self.chance(0.2):
            said["lookup_options"] = self.options()
        return said

    def options(self) -> dict[str, Any]:
        """Options for some keys."""
        key = self.random.choice(("l1", "l1", "l2", "h1", "h2", "^h.*", "c::l", "s1"))
        return {key: self.random.choice(OPTIONS[re.sub("c::|[^a-z]", "", key)[0]])}

    def written(self, said: dict[str, Any]) -> str:
        """Data as YAML; sometimes with an anchor."""
        text = dumped(said)
        if self.chance(0.15):
            lines = [f"s1: &s {said['s1']!r}" if line.startswith("s1:") else line for line in text.splitlines()]
            lines = ["s2: *s" if line.startswith("s2:") else line for line in lines]
            if type(said.get("s1")) is str and "s2" in said and not any("\n" in part for part in (said["s1"],)):
                return "\n".join(lines) + "\n"
        return text

    def program(self) -> list[Piece]:
        """The main manifest, in pieces."""
        random = self.random
        kind = random.choice(("Pattern[/^[a-z]/]", "String[1, 6]", "Enum[a, b, one, site00, site01]"))
        pieces = [Piece(f"type Tee = {kind}"), Piece(self.fill(shapes.FUNCTIONS))]
        pieces += (Piece(f"class {name} {{ }}") for name in ("ka", "kone", "ksite00", "ksite01"))
        texts, lists, hashes = map(random.choice, (shapes.TYPES_OF_TEXT, shapes.TYPES_OF_LISTS, shapes.TYPES_OF_HASHES))
        self.texts, self.lists, self.hashes = ["s", "g1"], ["l"], ["h"]
        pieces.append(Piece(f"class c({texts} $s, {lists} $l, {hashes} $h) {{", "class c($s, $l, $h) {"))
        pieces += (Piece(statement, "") for statement in self.statements(random.randint(1, 3)))
        self.texts, self.lists, self.hashes = ["p"], [], []
        pieces.append(Piece(f"}}\nclass k($p = {self._q()}) {{"))
        pieces.append(Piece(self._declare(), ""))
        pieces.append(Piece(f'}}\ndefine d1($p = {self._q()}) {{\n  notify {{ "d1-${{title}}": message => $p }}\n}}'))
        self.texts, self.lists = ["s", "title"], ["l"]
        types = random.choice(shapes.TYPES_OF_TEXT), random.choice(shapes.TYPES_OF_LISTS)
        pieces.append(Piece(f"define d2({types[0]} $s, {types[1]} $l) {{", "define d2($s, $l) {"))
        pieces.append(Piece(" ".join(self.statements(1)), ""))
        self.texts, self.lists, self.hashes = [], [], []
        pieces.append(Piece("}"))
        for name, hole, plain in (
            ("g1", "<t>", "lookup('s1')"),
            ("gl", "<l>", "lookup('l1')"),
            ("gh", "<h>", "lookup('h1')"),
        ):
            pieces.append(Piece(self.fill(f"${name} = {random.choice((plain, hole))}"), f"${name} = {plain}"))
        pieces.append(Piece("notify { 'base': message => 'm' } file { '/base': content => $g1 }"))
        self.texts, self.lists, self.hashes = ["g1"], ["gl"], ["gh"]
        pieces += (Piece(statement, "") for statement in self.statements(random.randint(1, 4)))
        return [*pieces, Piece("include c")]

    def world(self) -> World | None:
        """All of it, without pieces of the program that fail; nothing if it fails without them."""
        random = self.random
        levels: list[dict[str, Any]] = [{"name": path, "path": path} for path in LEVELS]
        if self.chance(0.25):
            levels.insert(random.randint(1, 3), random.choice(MORE_LEVELS))
        files = {
            f"{ROOT}/hiera.yaml": json.dumps({"version": 5, "hierarchy": levels}),
            f"{ROOT}/modules/mod/templates/t.erb": self.fill(" ".join(random.sample(shapes.ERB, 3))),
            f"{ROOT}/modules/mod/templates/t.epp": self.fill(
                "<%- | $a, $b | -%>\n<%= $a %><% $b.each |$x| { %>[<%= $x %>]<% } %><% if $a == <q> { %>!<% } -%>\n"
            ),
        }
        for name, text in shapes.RUBY_FUNCTIONS.items():
            files[f"{ROOT}/modules/mod/lib/puppet/functions/mod/{name}.rb"] = text
        self.write_data(files)
        facts: dict[str, Any] = {
            "site": "site00", "role": "web", "word": self.text(), "flag": self.chance(0.5),
            "zone": random.choice(SITES), "zones": "site00",
        }  # fmt: skip
        pieces = self.program()
        for _ in range(MOST_MENDED):
            files[SITE] = "".join(f"{piece.text}\n" for piece in pieces)
            world = World(files, facts, "n1", {}, {})
            try:
                LANGUAGE.run(ROOT, PureHost(files), inputs_of(world))
            except WherefromError as failure:
                if not self.mend(pieces, failure):
                    return None
            else:
                return world
        return None

    def mend(self, pieces: list[Piece], failure: WherefromError) -> bool:
        """Put what is simpler in the place of the piece that failed, or of any; whether there is such a piece."""
        lines = [label.span.line for label in getattr(failure, "labels", ()) if label.span.file.name.endswith(SITE)]
        some = [place for place, piece in enumerate(pieces) if piece.simpler is not None]
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + piece.text.count("\n") + 1)
        blamed = [place for place in some if lines and starts[place] < lines[0] <= starts[place + 1]]
        if not some:
            return False
        place = self.random.choice(blamed or some)
        simpler = pieces[place].simpler
        assert simpler is not None
        pieces[place] = Piece(simpler)
        return True

    def write_data(self, files: dict[str, str]) -> None:
        """The files of data."""
        random = self.random
        said = self.data()
        for site in SITES:
            own = self.like(said) if site != "site00" else said
            own = own if isinstance(own, dict) else said
            own = {key: value for key, value in own.items() if key == "s1" or not self.chance(0.005)}
            if "lookup_options" in said and not self.chance(0.1):
                own["lookup_options"] = said["lookup_options"]
            self.said.append(own)
            files[f"{ROOT}/data/site/{site}.yaml"] = self.written(own)
        some = {key: self.like(said[key]) for key in random.sample(["l1", "l2", "h1", "h2", "c::l", "s2"], 3)}
        if self.chance(0.4):
            some["lookup_options"] = self.options()
        common = {"s3": "common", "l1": ["common"], "h1": {"a": "common", "q": "r"}}
        files[f"{ROOT}/data/common.yaml"] = dumped({**common, **some})
        if self.chance(0.5):
            files[f"{ROOT}/data/role/web.yaml"] = dumped({key: self.like(said[key]) for key in ("l2", "h1", "s2")})
        if self.chance(0.2):
            files[f"{ROOT}/data/nodes/n1.yaml"] = dumped({"s2": self.text()})


def _text_at(value: Any, way: list[Any]) -> str:
    """A text in data that a program can have in quotes; another one if there is none."""
    try:
        for step in way:
            value = value[step]
    except (LookupError, TypeError):
        return "none"
    return value if type(value) is str and "'" not in value and "%" not in value else "none"


def make(random: Random) -> World | None:
    """A random world, of a node at the first site; seldom nothing."""
    return Maker(random).world()


def other_node(random: Random, world: World) -> World:
    """Another node: at another site most of the time, and with other facts sometimes."""
    facts: dict[str, Any] = dict(world.facts)
    if random.random() < 0.9:
        facts["site"] = random.choice((*SITES[1:], *SITES[1:], *SITES[1:], *SITES[1:], "nowhere"))
    if random.random() < 0.15:
        facts["zone"] = random.choice(SITES)
    if random.random() < 0.5:
        facts["word"] = random.choice((*shapes.WORDS, *STRANGE, f"word{random.randrange(100)}"))
    if random.random() < 0.05:
        facts[random.choice(sorted(facts))] = random.choice((7, True, None, ["a"], {"a": "b"}, "", "%{x}"))
    if random.random() < 0.05:
        facts.pop(random.choice(sorted(facts)))
    return world._replace(node=random.choice(("n1", "n2", "n3.example.org")), facts=facts)

"""Catalogs of Debian's Puppet modules, and changes to one input of them, for the promise of dependency.

A `Machine` compiles classes of the modules (or a whole manifest) in one session, so that after a change of one file
only that file is read again. `changes` draws inputs: mostly those that outputs are said to depend on, the others
anywhere in the files that were read. What is changed is a literal of a manifest, a stretch of a template, a fact (there
or not) or a datum of a module's data.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from support.puppet_dependency_changes import Input
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.execution import ExecutionContext
from wherefrom.base.host import RealHost
from wherefrom.base.source import Span
from wherefrom.language import Inputs, Selected
from wherefrom.provenance.extract import parts
from wherefrom.provenance.origins import UNTRACED, Guard, Leaf, Origin
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.puppet.runtime.catalog import Edge
from wherefrom.puppet.runtime.resources import Resource

MODULES = Path("/usr/share/puppet/modules")
BENCH = Path(__file__).resolve().parent.parent.parent / "bench" / "debian"
NODE = "testnode.example.com"
CLOUD_FACTS = {"os_service_default": "<SERVICE DEFAULT>", "os_workers": 4, "os_package_type": "debian"}
"""What the OpenStack modules' own facts would say."""


class Overlaid(RealHost):
    """This machine, with some files otherwise."""

    def __init__(self, roots: list[str]) -> None:
        super().__init__(roots)
        self.texts: dict[str, str] = {}

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        text = self.texts.get(path)
        return text.encode("utf-8", "surrogateescape") if text is not None else super().read_bytes(path, at)


class Values(PuppetOutcome):
    """A catalog of which only the values are asked for: why things are as they are is not worked out."""

    def _attribute_origin(self, resource: Resource, name: str) -> Origin:
        return UNTRACED

    def _tags(self, resource: Resource) -> Selected:
        return Selected(f"tags of {resource.ref}", sorted(resource.tags), UNTRACED)

    def _containment(self, edge: Edge) -> Selected:
        return Selected(f"{edge.source.ref} contains {edge.target.ref}", edge.target.ref, UNTRACED)

    def _order(self) -> Selected:
        return Selected("order", [each.ref for each in self.run.catalog.resources if not each.virtual], UNTRACED)

    def _classes(self) -> Selected:
        return Selected("classes", list(self.run.catalog.classes), UNTRACED)


class Change(NamedTuple):
    """One input, and how to have it otherwise: another text of a file, or other facts."""

    input: Input
    what: str
    file: str = ""
    text: str = ""
    facts: Mapping[str, Any] | None = None


class Outputs:
    """What a compilation gave: values by path, and which of them depend on an input."""

    def __init__(self, selected: list[Selected], files: list[str]) -> None:
        self.values = {each.path: each.value for each in selected}
        self.files = files
        self._origins: dict[str, Origin] = {each.path: each.origin for each in selected}

    @cached_property
    def _users(self) -> list[tuple[Leaf, int]]:
        """Every input of some output, with the outputs that depend on it: bit by bit, in their order."""
        inside: dict[int, list[Origin | Guard]] = {}
        order: list[Origin | Guard] = []  # a node comes after all that it depends on
        waiting: list[tuple[Origin | Guard, bool]] = [(each, False) for each in self._origins.values()]
        while waiting:
            node, is_done = waiting.pop()
            if is_done:
                order.append(node)
            elif id(node) not in inside:
                inside[id(node)] = list(parts(node))
                waiting.append((node, True))
                waiting.extend((each, False) for each in inside[id(node)])
        users: dict[int, int] = {}
        for index, origin in enumerate(self._origins.values()):
            users[id(origin)] = users.get(id(origin), 0) | 1 << index
        found: list[tuple[Leaf, int]] = []
        while order:
            node = order.pop()
            hanging = users.pop(id(node))
            if isinstance(node, Leaf):
                found.append((node, hanging))
            for each in inside[id(node)]:
                users[id(each)] = users.get(id(each), 0) | hanging
        return found

    @property
    def leaves(self) -> list[Leaf]:
        """Every input of some output."""
        return [leaf for leaf, _ in self._users]

    def hanging_on(self, given: Input) -> set[str]:
        """The outputs that depend on an input."""
        bits = 0
        for leaf, hanging in self._users:
            if given.is_leaf(leaf):
                bits |= hanging
        digits = bin(bits)[:1:-1]
        return {path for path, digit in zip(self._origins, digits, strict=False) if digit == "1"}

    def sampled(self, random: Random, count: int) -> list[tuple[str, Leaf]]:
        """Pairs of an output and an input that it depends on; every pair is as likely."""
        users = self._users
        if not users:
            return []
        paths = list(self._origins)
        pairs: list[tuple[str, Leaf]] = []
        for leaf, hanging in random.choices(users, [hanging.bit_count() for _, hanging in users], k=count):
            numbers = [number for number in range(len(paths)) if hanging >> number & 1]
            pairs.append((paths[random.choice(numbers)], leaf))
        return pairs


class Machine:
    """Compiles manifests that use Debian's modules, again and again."""

    def __init__(self, directory: Path) -> None:
        self.site = str(directory / "site.pp")
        Path(self.site).write_text("", encoding="utf-8")
        self.options = {"modulepath": [str(MODULES)], "agent_facts": False, "strict": "off"}
        self.host = Overlaid([str(directory), *LANGUAGE.roots(Inputs(NODE, {}, self.options))])
        self.execution = ExecutionContext()
        self.facts: dict[str, Any] = {**json.loads((BENCH / "facts.json").read_text(encoding="utf-8")), **CLOUD_FACTS}

    def text(self, file: str) -> str:
        """The text of a file as it is now."""
        return self.host.read_bytes(file).decode("utf-8", "surrogateescape")

    def put(self, file: str, text: str | None) -> None:
        """Have a file otherwise, or as it is on the disk."""
        if text is None:
            self.host.texts.pop(file, None)
        else:
            self.host.texts[file] = text
        self.execution.changed([file])

    def compiled(self, facts: Mapping[str, Any] | None = None, trace: bool = True) -> Outputs | None:
        """The outputs, or nothing if it does not compile."""
        inputs = Inputs(NODE, self.facts if facts is None else facts, self.options)

        def work() -> Outputs:
            outcome = LANGUAGE.run(self.site, self.host, inputs, self.execution)
            # Nothing that a classifier says is changed here, and to ask what it could say takes long.
            setattr(outcome.run.absences, "_classified", lambda wanted: [])  # noqa: B010
            whole = outcome if trace else Values(outcome.run, self.execution)
            return Outputs(list(whole.everything()), list(outcome.sources))

        try:
            return self.execution.do(work)
        except WherefromError:
            return None

    def after(self, change: Change) -> Outputs | None:
        """The outputs after a change, which is taken back."""
        if not change.file:
            return self.compiled(change.facts, trace=False)
        before = self.host.texts.get(change.file)
        self.put(change.file, change.text)
        try:
            return self.compiled(trace=False)
        finally:
            self.put(change.file, before)


# --- changes ---------------------------------------------------------------------------------------------------------

_LITERAL = re.compile(
    r"'([^'\\\n]*)'|(?<![\w.'/\[:-])(\d+)(?![\w.'/])|\b(?:true|false|undef)\b|\"(?:\\.|[^\"\\])*\"|#[^\n]*"
)
_WORD = re.compile(r"[a-z]\w*")
_TEXT = re.compile(r"[^<%\s][^<%\n]*[^<%\s]")
_QUOTED = re.compile(r"'[^'\\\n<%]*'|\"[^\"\\\n#<%]*\"")
_WORDS = ("zz", "", "present", "absent", "/tmp/zz", "Debian", "root", "a")


def changes(random: Random, machine: Machine, before: Outputs, wanted: int) -> Iterator[Change]:
    """Changes of one input each; most of them of inputs that some output depends on."""
    known = list({leaf.key: leaf for leaf in before.leaves if leaf.kind in ("literal", "fact", "hiera")}.values())
    for _ in range(wanted * 4):
        lot = random.random()
        if lot < 0.6 and known:
            made = _at_leaf(random, machine, random.choice(known))
        else:
            made = _anywhere(random, machine, before)
        if made is not None:
            yield made
            wanted -= 1
            if not wanted:
                return


def ways(random: Random, machine: Machine, leaf: Leaf) -> Iterator[Change]:
    """Other values of an input, each once; at most as many as 200 draws give."""
    seen: set[str] = set()
    for _ in range(200):
        change = _at_leaf(random, machine, leaf)
        if change is not None and change.what not in seen:
            seen.add(change.what)
            yield change


def _at_leaf(random: Random, machine: Machine, leaf: Leaf) -> Change | None:
    if leaf.kind == "fact":
        return _fact(random, machine.facts, leaf.name or None)
    if leaf.span is None:
        return None
    file = leaf.span.file.name
    if not file.startswith("/"):  # a template that is a text of another file
        return None
    if leaf.kind == "hiera" or file.endswith((".yaml", ".json")):
        return _datum(random, machine, file, leaf)
    return _literal(random, machine, file, leaf.span.start, leaf.span.end)


def _anywhere(random: Random, machine: Machine, before: Outputs) -> Change | None:
    lot = random.random()
    if lot < 0.3:
        return _fact(random, machine.facts, None)
    files = [each for each in before.files if each.endswith((".pp", ".erb", ".epp"))]
    file = random.choice(files)
    text = machine.text(file)
    if file.endswith(".pp"):
        places = [(each.start(), each.end()) for each in _LITERAL.finditer(text) if each[0][0] not in '#"']
    else:
        pattern = random.choice((_TEXT, _QUOTED))
        places = [each.span() for each in pattern.finditer(text) if _in_tag(text, each.start()) == (pattern is _QUOTED)]
    return _literal(random, machine, file, *random.choice(places)) if places else None


def _in_tag(text: str, at: int) -> bool:
    return text.rfind("<%", 0, at) > text.rfind("%>", 0, at)


def _literal(random: Random, machine: Machine, file: str, start: int, end: int) -> Change | None:
    """A literal of a manifest, or a stretch of a template, otherwise."""
    text = machine.text(file)
    old = text[start:end]
    if re.fullmatch(r"'[^'\\\n]*'", old):
        new = f"'{_word(random, old[1:-1])}'"
    elif re.fullmatch(r"\d+", old):
        new = str(random.choice((0, 1, 2, int(old) + 1, 65000)))
    elif old in ("true", "false", "undef"):
        new = random.choice(("true", "false", "undef"))
    elif _WORD.fullmatch(old):
        new = random.choice(("absent", "present", "running", "zz", old + "x"))
    elif file.endswith((".erb", ".epp")):
        if "<%" in old or "%>" in old:
            return None
        words = list(re.finditer(r"\w+", old))
        quoted = re.search(r"'[^'\\\n]*'|\"[^\"\\\n#]*\"", old) if _in_tag(text, start) else None
        if quoted is not None:
            new = old[: quoted.start() + 1] + "zz" + old[quoted.end() - 1 :]
        elif _in_tag(text, start) or not words:
            return None
        else:
            word = random.choice(words)
            new = old[: word.start()] + "zz" + old[word.end() :]
    else:
        return None
    if new == old:
        return None
    what = f"{file}:{text.count(chr(10), 0, start) + 1}: {old[:60]!r} -> {new[:60]!r}"
    return Change(Input("literal", "", file, start, end), what, file, text[:start] + new + text[end:])


def _word(random: Random, old: str) -> str:
    return random.choice((*_WORDS, f"{old}x", f"x{old}", old.upper(), old[1:]))


def _paths(value: Any, path: str = "") -> Iterator[str]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _paths(each, f"{path}.{key}" if path else str(key))


def _fact(random: Random, facts: Mapping[str, Any], name: str | None) -> Change | None:
    """A fact otherwise, gone, or there."""
    made = copy.deepcopy(dict(facts))
    path = name or random.choice([*_paths(made), "new", "os.new", "osfamily", "operatingsystem", "concat_basedir"])
    *above, last = path.split(".")
    inside: Any = made
    for each in above:
        if not isinstance(inside.get(each), dict):
            return None
        inside = inside[each]
    old = inside.get(last)
    if isinstance(old, dict):
        if random.random() < 0.5:
            return None
        del inside[last]
    elif old is not None and random.random() < 0.15:
        del inside[last]
    else:
        inside[last] = random.choice(_OTHERWISE.get(type(old), _facts_like)(random, old))
    return Change(Input("fact", path), f"fact {path}: {old!r} -> {inside.get(last)!r}", facts=made)


def _facts_like(random: Random, old: Any) -> tuple[Any, ...]:
    return ("x", 1, True, "RedHat", "Debian", "8", {"full": "8"})


_OTHERWISE: dict[type, Callable[[Random, Any], tuple[Any, ...]]] = {
    bool: lambda random, old: (not old,),
    int: lambda random, old: (old + 1, 0, 1, 4096),
    str: lambda random, old: ("RedHat", "Debian", "Ubuntu", "Suse", "Solaris", "7", "8", "11", "x86_64", f"{old}x"),
}


def _datum(random: Random, machine: Machine, file: str, leaf: Leaf) -> Change | None:
    """A scalar of a data file otherwise, in place."""
    assert leaf.span is not None
    text = machine.text(file)
    start, end = leaf.span.start, leaf.span.end
    old = text[start:end]
    if not re.fullmatch(r"[\w./'\"-]+", old):
        return None
    quote = old[0] if old[0] in "'\"" else ""
    new = random.choice(("true", "false", "7")) if old in ("true", "false") or old.isdigit() else f"{quote}zz{quote}"
    what = f"{file}: {leaf.name}: {old} -> {new}"
    return Change(Input("hiera", leaf.name, file), what, file, text[:start] + new + text[end:])

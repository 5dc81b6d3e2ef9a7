"""The targets of an inventory: which nodes there are, with the facts and variables that are written beside them.

An inventory is what Puppet Bolt reads (`inventory.yaml`, version 2), what it prints of that (`bolt inventory show
--detail --format json`), or the rows that PuppetDB answers with (to `inventory`, `nodes`, `facts` or `factsets`), saved
as JSON or YAML. Bolt's rules (its documentation, "Inventory files" and "inventory.yaml fields"): the document is the
group `all`; a group has targets and groups; a target is a text or a mapping with `name` or `uri`. A text is the name or
alias of a target that a mapping defines somewhere, else a URI of its own. Facts are merged deeply and variables one by
one: a group inside wins over the one around it, of two groups side by side the first wins, and what a target says
itself wins over its groups. Variables are what `bolt apply` gives to the top scope.

A node needs a name that code and data know: the target's `name`, else the host of its URI. (Bolt itself goes by the
whole URI.) What tells Bolt how to connect (`config`, `features`, `plugin_hooks`) is looked at only for its shape. A
plugin (`_plugin`) would have to be run, so it is an error wherever nodes, facts or variables depend on it.

The document is read as plain values. Only where something is wrong with it, the place is looked for: the path to the
value is followed once more through the nodes that YAML's reader keeps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .base.diagnostics import WARNING, Diagnostic, Label
from .base.record import Record
from .base.source import SourceFile
from .base.spell import nearest, nearest_host
from .base.yaml_nodes import yaml_place, yaml_problem, yaml_value

ALL = "all"
"""The group that every target is in."""

MOST_WARNINGS = 10
"""That are told; who mends these will see the next ones."""

_NAME = re.compile(r"[a-z0-9_][a-z0-9_-]*")
"""Of groups and aliases (Bolt's documentation, "Group object" and "Target object")."""
_URI = re.compile(r"(?:[^:/?#]+://)?(?:[^@/]*@)?(?:\[([^\]]+)\]|([^:/?#\[\]]*))(?::\d+)?(?:[/?#].*)?", re.DOTALL)
_SHAPES: dict[str, type] = {"config": dict, "facts": dict, "vars": dict, "features": list, "plugin_hooks": dict}
_TARGET_KEYS = (*_SHAPES, "name", "alias", "uri")
_GROUP_KEYS = (*_SHAPES, "name", "groups", "targets")
_KINDS = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}

Path = tuple[str | int, ...]
"""The way to a value in the document, by keys and numbers."""


class BadInventory(Diagnostic):
    """An inventory that says something it can not say."""

    code = "W047"


class OddInventory(BadInventory):
    """Something in an inventory that is passed over, as Bolt does with a warning."""

    code = "W048"
    severity = WARNING


class Target(Record):
    """One node of an inventory."""

    name: str
    facts: Mapping[str, Any]
    variables: Mapping[str, Any]


class Targets(Record):
    """All of an inventory: nodes by name, and the names that stand for several or for another."""

    nodes: Mapping[str, Target]
    groups: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    warnings: tuple[Diagnostic, ...] = ()

    def named(self, name: str) -> tuple[str, ...]:
        """The nodes that a group, a node or an alias means; none if there is nothing of that name."""
        if name in self.groups:
            return self.groups[name]
        name = self.aliases.get(name, name)
        return (name,) if name in self.nodes else ()

    def near(self, name: str, groups: bool = False) -> str | None:
        """The name that was perhaps meant: a host's without its domain, or one that looks like it."""
        return nearest_host(name, [*self.nodes, *self.aliases, *(self.groups if groups else ())])


def read_targets(source: SourceFile) -> Targets:
    """The targets of the inventory in `source`.  Raises `BadInventory`."""
    document = _document(source)
    if isinstance(document, list):
        return _from_rows(source, document)
    return _Bolt(source).targets({} if document is None else document)


def _document(source: SourceFile) -> Any:
    import yaml

    words, labels = "", list[Label]()
    try:
        return json.loads(source.text) if source.name.endswith(".json") else yaml_value(source)
    except json.JSONDecodeError as problem:
        words, labels = problem.msg, [Label(source.span(problem.pos))]
    except yaml.YAMLError as problem:
        words, labels = yaml_problem(source, problem)
    except (ValueError, RecursionError) as problem:
        words = str(problem)
    raise BadInventory(f"cannot use {source.name} as an inventory: {words}", *labels)


# --- what PuppetDB answered ------------------------------------------------------------------------------------------


def _from_rows(source: SourceFile, rows: list[Any]) -> Targets:
    by_name: dict[str, list[Any]] = {}
    for number, row in enumerate(rows):
        name = row.get("certname") if isinstance(row, dict) else None
        if not isinstance(name, str) or not name:
            raise BadInventory(
                f"{source.name}: a row must be a mapping with the `certname` of a node, found {_kind(row)}",
                yaml_place(source, (number,)),
                help="an inventory is a Bolt inventory (`targets`, `groups`) or the rows of an answer of PuppetDB",
            )
        by_name.setdefault(name, []).append(row)
    nodes: dict[str, Target] = {}
    for name in sorted(by_name):
        facts = gathered_facts(by_name[name], name) if len(by_name[name][0]) > 1 else {}
        if not isinstance(facts, dict) and facts is not None:
            raise BadInventory(
                f"{source.name}: the facts of {name} must be a mapping, found {_kind(facts)}",
                yaml_place(source, (rows.index(by_name[name][0]), "facts")),
            )
        nodes[name] = Target(name, facts or {}, {})
    return Targets(nodes, {ALL: tuple(nodes)}, {})


def gathered_facts(document: Any, node: str | None) -> Any:
    """The facts in a document: as Facter prints them, as Puppet saves them, or as PuppetDB answers.

    PuppetDB answers with rows: of `facts` (`certname`, `name`, `value`), of `inventory` (`certname`, `facts`), or of
    `factsets` (`certname`, `facts` with `data`). Of several nodes, those of `node` are taken.
    """
    if isinstance(document, dict) and isinstance(document.get("values"), dict) and {"name", "certname"} & set(document):
        return document["values"]
    rows = document if isinstance(document, list) else [document]
    if not all(isinstance(row, dict) and isinstance(row.get("certname"), str) for row in rows) or not rows:
        return document
    names = {row["certname"] for row in rows}
    own = [row for row in rows if row["certname"] == node or len(names) == 1]
    if all("name" in row and "value" in row for row in own):
        return _by_name(own)
    facts = own[0].get("facts") if own else {}
    if isinstance(facts, dict) and isinstance(facts.get("data"), list):
        return _by_name(facts["data"])
    trusted = own[0].get("trusted") if own else None
    return {**facts, "trusted": trusted} if isinstance(facts, dict) and isinstance(trusted, dict) else facts


def _by_name(rows: list[Any]) -> object:
    """The values of rows by their names; the rows themselves, which are no facts, where one has none."""
    if all(isinstance(row, dict) and isinstance(row.get("name"), str) and "value" in row for row in rows):
        return {row["name"]: row["value"] for row in rows}
    return rows


# --- what Bolt reads -------------------------------------------------------------------------------------------------


class _Said(Record):
    """What a group says about the targets in it, or a group's list about one of them."""

    facts: Mapping[str, Any]
    variables: Mapping[str, Any]

    def under(self, winner: _Said | None) -> _Said:
        """Both, where `winner` wins."""
        if winner is None:
            return self
        return _Said(deep_merge(self.facts, winner.facts), {**self.variables, **winner.variables})


class _Group(Record):
    """A group as it is written; texts in its list of targets wait until all targets are known."""

    name: str
    path: Path
    said: _Said
    targets: dict[str, tuple[_Said, Path]]
    texts: list[tuple[str, Path]]
    groups: list[_Group]


class _Bolt:
    """Reads one inventory.  A target's *identity* is its name or else its whole URI, as in Bolt."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._printed = False  # by `bolt inventory show --detail --format json`
        self._member_of: dict[str, list[str]] = {}  # then: by group, identities
        self._warnings: list[Diagnostic] = []
        self._named: set[str] = set()  # identities that are names
        self._places: dict[str, Path] = {}  # of identities
        self._aliases: dict[str, tuple[str, Path]] = {}

    def targets(self, document: object) -> Targets:
        version = document.get("version", 2) if isinstance(document, dict) else 2
        if version != 2:
            raise self._bad(f"`version` must be 2, found {version!r}", ("version",))
        self._printed = isinstance(document, dict) and isinstance(document.get("count"), int)
        top = self._group(document, (), ALL)
        self._resolve(top, set(self._places))
        self._check_names(top)
        names = self._node_names()
        around, own = self._collected(top)
        nodes: dict[str, Target] = {}
        for identity in sorted(names, key=lambda identity: names[identity]):
            said = around[identity].under(own[identity])
            nodes[names[identity]] = Target(names[identity], said.facts, said.variables)
        groups: dict[str, tuple[str, ...]] = {}
        self._members(top, names, groups)
        for name, identities in self._member_of.items():
            groups[name] = tuple(sorted(names[identity] for identity in identities))
        aliases = {alias: names[identity] for alias, (identity, _) in self._aliases.items()}
        # A target without a name is known by its URI too.
        aliases |= {identity: name for identity, name in names.items() if identity != name and identity not in nodes}
        return Targets(nodes, groups, aliases, tuple(self._warnings))

    # --- what is written ---

    def _group(self, value: object, path: Path, name: str | None = None) -> _Group:
        words = "an inventory" if name is not None else "a group"
        if not isinstance(value, dict):
            raise self._bad(f"{words} must be a mapping, found {_kind(value)}", path)
        self._refuse_plugin(value, path)
        if name is None:
            if "name" not in value:
                raise self._bad("a group must have a `name`", path)
            name = self._identifier(value["name"], "the name of a group", (*path, "name"))
        if "nodes" in value:
            raise self._bad(
                f"`nodes` in the group {name}: this is an inventory of version 1",
                (*path, "nodes"),
                help="Bolt reads version 2, in which the key is `targets`: `bolt project migrate` rewrites the file",
            )
        self._pass_over(value, _GROUP_KEYS if path else (*_GROUP_KEYS, "version"), f"the group {name}", path)
        group = _Group(name, path, self._said(value, f"the group {name}", path), {}, [], [])
        for number, target in enumerate(self._list(value, "targets", path)):
            self._target(group, target, (*path, "targets", number))
        for number, inner in enumerate(self._list(value, "groups", path)):
            group.groups.append(self._group(inner, (*path, "groups", number)))
        return group

    def _target(self, group: _Group, value: object, path: Path) -> None:
        if isinstance(value, str):
            group.texts.append((value, path))
            return
        if not isinstance(value, dict):
            raise self._bad(f"a target must be a string or a mapping, found {_kind(value)}", path)
        self._refuse_plugin(value, path)
        key = next((key for key in ("name", "uri") if value.get(key) not in (None, "")), None)
        if key is None:
            raise self._bad("a target must have a `name` or a `uri`", path)
        for given in ("name", "uri"):
            if value.get(given) is not None and not isinstance(value[given], str):
                self._refuse_plugin(value[given], (*path, given))
                raise self._bad(
                    f"the {given} of a target must be a string, found {_kind(value[given])}", (*path, given)
                )
        identity: str = value[key]
        self._check_target_name(identity, (*path, key))
        if identity in group.targets:
            self._warn(f"the target {identity} is in the group {group.name} twice: this entry is ignored", path)
            return
        words = f"the target {identity}"
        self._pass_over(value, _TARGET_KEYS, words, path)
        group.targets[identity] = self._said(value, words, path), path
        self._places.setdefault(identity, (*path, key))
        if key == "name" and value.get("uri") != identity:
            self._named.add(identity)
        for number, name in enumerate(self._list(value, "groups", path) if self._printed else ()):
            group_name = self._identifier(name, "the name of a group", (*path, "groups", number))
            self._member_of.setdefault(group_name, []).append(identity)
        self._take_aliases(value, identity, path)

    def _take_aliases(self, target: dict[str, Any], identity: str, path: Path) -> None:
        given = target.get("alias")
        self._refuse_plugin(given, (*path, "alias"))
        if given is None:
            return
        if not isinstance(given, str | list):
            raise self._bad(f"`alias` must be a string or a list of strings, found {_kind(given)}", (*path, "alias"))
        for number, alias in enumerate(given if isinstance(given, list) else [given]):
            place = (*path, "alias", number) if isinstance(given, list) else (*path, "alias")
            name = self._identifier(alias, "an alias", place)
            other, _ = self._aliases.setdefault(name, (identity, place))
            if other != identity:
                raise self._bad(f"the alias {name} of {identity} is already an alias of {other}", place)

    def _said(self, value: dict[str, Any], words: str, path: Path) -> _Said:
        """The facts and variables; everything that is a mapping or a list by Bolt's rules must be one."""
        for key, shape in _SHAPES.items():
            if key in ("facts", "vars"):
                self._refuse_plugins(value.get(key), (*path, key))
            if value.get(key) is not None and not isinstance(value[key], shape):
                raise self._bad(f"`{key}` of {words} must be {_KINDS[shape]}, found {_kind(value[key])}", (*path, key))
        for key in ("facts", "vars"):
            for name in value.get(key) or {}:
                if not isinstance(name, str):
                    raise self._bad(f"the names in `{key}` of {words} must be strings, found {name!r}", (*path, key))
        return _Said(value.get("facts") or {}, value.get("vars") or {})

    def _list(self, group: dict[str, Any], key: str, path: Path) -> list[object]:
        entries = group.get(key)
        self._refuse_plugin(entries, (*path, key))
        if entries is None:
            return []
        if not isinstance(entries, list):
            raise self._bad(f"`{key}` must be a list, found {_kind(entries)}", (*path, key))
        return entries

    def _identifier(self, name: object, words: str, path: Path) -> str:
        self._refuse_plugin(name, path)
        if not isinstance(name, str):
            raise self._bad(f"{words} must be a string, found {_kind(name)}", path)
        if not _NAME.fullmatch(name):
            raise self._bad(
                f"{name!r} cannot be {words}", path, help="it may contain a-z, 0-9, _ and -, and must not begin with -"
            )
        return name

    def _check_target_name(self, identity: str, path: Path) -> None:
        if not identity.isascii():
            raise self._bad(f"the name of a target must be of ASCII characters, found {identity!r}", path)

    def _refuse_plugin(self, value: object, path: Path) -> None:
        if isinstance(value, dict) and "_plugin" in value:
            raise self._bad(
                f"the plugin {value['_plugin']} would have to be run to get this value",
                (*path, "_plugin"),
                help="wherefrom runs no plugins: save the output of "
                "`bolt inventory show --detail --format json > targets.json` (or --puppetdb URL, to ask PuppetDB)",
            )

    def _refuse_plugins(self, value: object, path: Path) -> None:
        """Wherever they stand inside of a value."""
        self._refuse_plugin(value, path)
        inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in inside:
            if isinstance(inner, dict | list):
                self._refuse_plugins(inner, (*path, key if isinstance(key, int) else str(key)))

    def _pass_over(self, value: dict[str, Any], known: Sequence[str], words: str, path: Path) -> None:
        if self._printed:
            return
        for key in value:
            if key in known:
                continue
            close = nearest(str(key), known)
            hint = f"did you mean `{close}`?" if close else None
            self._warn(f"`{key}` in {words} is not a key that Bolt knows: it is ignored", (*path, str(key)), hint)

    # --- what it means ---

    def _resolve(self, group: _Group, known: set[str]) -> None:
        """Texts are names or aliases of targets that are defined somewhere, or else targets themselves."""
        for text, path in group.texts:
            identity = text if text in known else self._aliases[text][0] if text in self._aliases else text
            if not identity:
                raise self._bad("the name of a target is empty", path)
            self._check_target_name(identity, path)
            if identity in group.targets:
                if text not in known:
                    self._warn(f"the target {identity} is in the group {group.name} twice", path)
                continue
            self._places.setdefault(identity, path)
            group.targets[identity] = _NOTHING, path
        for inner in group.groups:
            self._resolve(inner, known)

    def _check_names(self, top: _Group) -> None:
        """Groups, targets and aliases have names of their own."""
        groups: set[str] = set()
        waiting = [top]
        while waiting:
            group = waiting.pop()
            name = group.name
            if name in groups:
                raise self._bad(f"the group {name} is defined twice", (*group.path, "name"))
            if name in self._places:
                raise self._bad(f"{name} is the name of a group and of a target", self._places[name])
            if name in self._aliases:
                raise self._bad(f"{name} is the name of a group and an alias", self._aliases[name][1])
            groups.add(name)
            waiting += reversed(group.groups)
        for alias, (identity, place) in self._aliases.items():
            if alias in self._places:
                raise self._bad(f"the alias {alias} of {identity} is the name of another target", place)

    def _node_names(self) -> dict[str, str]:
        """By identity: the node."""
        names: dict[str, str] = {}
        owners: dict[str, str] = {}
        for identity, path in self._places.items():
            name = identity if identity in self._named else host_of(identity)
            if not name:
                raise self._bad(f"{identity} names no host: give the target a `name`", path)
            other = owners.setdefault(name, identity)
            if other != identity:
                raise self._bad(f"{other} and {identity} are both the node {name}: give the targets a `name`", path)
            names[identity] = name
        return names

    def _collected(self, group: _Group) -> tuple[dict[str, _Said], dict[str, _Said]]:
        """What the groups say about each target inside, and what the targets' own entries say."""
        around: dict[str, _Said] = {}
        own: dict[str, _Said] = {}
        for inner in group.groups:  # of two groups side by side the first wins
            for described, gathered in zip(self._collected(inner), (around, own)):
                for identity, said in described.items():
                    gathered[identity] = said.under(gathered.get(identity))
        for identity, (said, _) in group.targets.items():
            own[identity] = said.under(own.get(identity))
        for identity in own:
            around[identity] = group.said.under(around.get(identity))
        return around, own

    def _members(self, group: _Group, names: dict[str, str], groups: dict[str, tuple[str, ...]]) -> set[str]:
        members = {names[identity] for identity in group.targets}
        for inner in group.groups:
            members |= self._members(inner, names, groups)
        groups[group.name] = tuple(sorted(members))
        return members

    # --- what is wrong ---

    def _bad(self, words: str, path: Path, help: str | None = None) -> BadInventory:
        return BadInventory(f"{self._source.name}: {words}", yaml_place(self._source, path), help=help)

    def _warn(self, words: str, path: Path, help: str | None = None) -> None:
        if len(self._warnings) < MOST_WARNINGS:  # a place takes a walk through the document
            place = yaml_place(self._source, path)
            self._warnings.append(OddInventory(f"{self._source.name}: {words}", place, help=help))


_NOTHING = _Said({}, {})


def host_of(uri: str) -> str:
    """The host that a URI names; what has no scheme is one all the same.

    >>> [host_of(uri) for uri in ("web01", "ssh://root@web01.example.org:22", "winrm://[fe80::1]:5986/x", "local://")]
    ['web01', 'web01.example.org', 'fe80::1', '']
    """
    match = _URI.fullmatch(uri)
    return (match[1] or match[2]) if match else ""


def deep_merge(under: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Two mappings, the second wins; mappings that both have under one key are merged in their turn.

    >>> deep_merge({"os": {"name": "Debian", "family": "Debian"}, "a": [1]}, {"os": {"name": "Ubuntu"}, "a": [2]})
    {'os': {'name': 'Ubuntu', 'family': 'Debian'}, 'a': [2]}
    """
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = deep_merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _kind(value: object) -> str:
    return "nothing" if value is None else _KINDS.get(type(value), type(value).__name__)

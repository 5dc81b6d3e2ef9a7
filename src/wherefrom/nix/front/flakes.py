"""Flakes as values: from a directory with a `flake.nix` to the outputs that Nix would give, without a network.

Each input becomes a *node*: a tree (a directory shown under its store path), its manifest, and the nodes of its own
inputs, found when somebody asks for them.  An input is found, in this order (Nix manual, "nix flake"):

1. where the command line says (`--override-input NAME DIR`; `a/b` names the input `b` of the input `a`);
2. by following, if `flake.nix` or an enclosing one says `follows`;
3. by the lock file, if that still agrees with `flake.nix`: a tree of type `path` where it lies, any other below the
   directory given with `--inputs`, if its hash is the locked one;
4. without a lock, only as a `path`.

Whatever else is asked for would need the network, and the error says which input and which revision is missing.  The
lock file is never written.  Results refer to each other lazily, as in Nix: `self` is the flake itself.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.spell import nearest
from ..flakes.lock import Lock, LockNode, read_lock
from ..flakes.manifest import BadFlake, InputSpec, Manifest, read_manifest
from ..flakes.reference import Attributes, BadReference, parse_reference, show_reference
from ..flakes.repository import BadRepository
from ..flakes.sources import MountedHost, Tree, git_directory, git_tree, mounting, tree_at
from ..kernel.values import Attrs, Slot, apply, delay, force, with_context

if TYPE_CHECKING:
    from ...base.source import Span
    from .machine import Machine

MAX_DEPTH = 100
"""Inputs of inputs of inputs: no real flake has so many."""


class InputMissing(Diagnostic):
    """The tree of an input is not at hand."""

    code = "N062"

    def __init__(self, path: str, what: str, span: Span | None, revision: str | None, name: str) -> None:
        super().__init__(f"the tree of flake input '{path}' is not available: {what}", span)
        if revision is not None:
            self.notes.append(f"it is locked to {revision}")
        self.help = (
            "wherefrom does not use the network: unpack it, and name the directory with "
            f"--override-input {path} DIR, or put it at DIR/{name} and give --inputs DIR"
        )


class FollowCycle(Diagnostic):
    """Inputs that follow each other in a circle."""

    code = "N063"

    def __init__(self, paths: list[str], span: Span | None) -> None:
        super().__init__(f"follow cycle detected: [{' -> '.join(paths)}]", span)


class Node:
    """One flake, or one tree that is no flake, in the graph of inputs."""

    def __init__(
        self,
        path: tuple[str, ...],
        tree: Tree,
        manifest: Manifest | None,
        subdirectory: str,
        lock: LockNode | None,
        graph: tuple[Lock, Node] | None,
        overrides: Mapping[str, tuple[InputSpec, tuple[str, ...]]],
    ) -> None:
        self.path = path
        self.tree = tree
        self.manifest = manifest
        """Nothing for a tree that is no flake."""
        self.subdirectory = subdirectory
        self.lock = lock
        self.graph = graph if graph is not None or lock is None else None
        """The lock file that `lock` belongs to, and the node whose lock file it is."""
        self.overrides = overrides
        """What enclosing flakes say of this one's inputs, and the path of the flake that says it."""
        self.inputs: dict[str, Node] = {}
        self.value: Slot = None


class Flakes:
    """The flakes of one evaluation."""

    def __init__(self, machine: Machine, overrides: Mapping[str, str], inputs: str | None) -> None:
        self.machine = machine
        self.overrides = {name: os.path.abspath(directory) for name, directory in overrides.items()}
        self.directory = os.path.abspath(inputs) if inputs is not None else None
        self.host: MountedHost = mounting(machine.host)
        machine.host = self.host
        self._following: list[str] = []

    # --- nodes ---

    def root(self, directory: str, reference: str | None = None) -> Node:
        """The flake in a directory, or the one that a reference to a local repository names."""
        node = self._root(os.path.abspath(directory), reference)
        for name in self.overrides:
            first = name.split("/", 1)[0]
            if node.manifest is not None and first not in node.manifest.inputs:
                near = nearest(first, node.manifest.inputs)
                hint = f"did you mean '{near}'?" if near else None
                raise BadFlake(f"the flake has no input '{first}', which --override-input names", help=hint)
        return node

    def _root(self, directory: str, text: str | None) -> Node:
        if text is None:
            return self._node((), tree_at(self.host, directory), "", True, None, None, {})
        reference = _local_reference(text)
        repository = git_directory(reference)
        if repository is None:
            tree = tree_at(self.host, os.path.abspath(str(reference["path"])), reference)
        else:
            tree = self._git_tree(os.path.abspath(repository), reference)
        node = self._node((), tree, str(reference.get("dir", "")), True, None, None, {})
        if repository is not None and "rev" not in reference and self._lock_is_stale(node):
            # Nix would have written the lock file, and then the work tree is no longer what was committed
            info = {name: value for name, value in tree.info.items() if name not in ("rev", "shortRev", "revCount")}
            node.tree = Tree(tree.directory, tree.store_path, info, tree.host)
        return node

    def _git_tree(self, directory: str, reference: Mapping[str, object]) -> Tree:
        return git_tree(self.host, directory, reference, self.machine.dialect.version >= (2, 17))

    def _lock_is_stale(self, node: Node) -> bool:
        """Whether an input of the flake is not in its lock file as `flake.nix` has it."""
        assert node.manifest is not None
        for name, spec in node.manifest.inputs.items():
            target = node.lock.inputs.get(name) if node.lock is not None else None
            if target is None or isinstance(target, tuple) != (spec.follows is not None):
                return True
            if isinstance(target, str) and node.graph is not None and not _agree(node.graph[0].nodes[target], spec):
                return True
        return False

    def _node(
        self,
        path: tuple[str, ...],
        tree: Tree,
        subdirectory: str,
        is_flake: bool,
        lock: LockNode | None,
        graph: tuple[Lock, Node] | None,
        overrides: Mapping[str, tuple[InputSpec, tuple[str, ...]]],
    ) -> Node:
        self.host.mount(tree)
        manifest = self._manifest(tree, subdirectory, path) if is_flake else None
        node = Node(path, tree, manifest, subdirectory, lock, graph, overrides)
        if is_flake and lock is None:  # its own lock file counts
            file = os.path.join(tree.store_path, subdirectory, "flake.lock")
            if self.host.is_file(file):
                whole = read_lock(self.machine.read_source(file))
                node.lock, node.graph = whole.root, (whole, node)
        node.value = delay(lambda: self._value(node))
        return node

    def _manifest(self, tree: Tree, subdirectory: str, path: tuple[str, ...]) -> Manifest:
        file = os.path.join(tree.store_path, subdirectory, "flake.nix")
        if not self.host.is_file(file):
            whose = f"input '{'/'.join(path)}' ({tree.directory})" if path else tree.directory
            raise BadFlake(f"{whose} has no flake.nix", help="set `flake = false` for an input that is not a flake")
        source = self.machine.read_source(file)
        from ..syntax.parser import parse

        return read_manifest(parse(source, os.path.dirname(file), None, self.machine.dialect), source.name)

    def input(self, node: Node, name: str) -> Node:
        """The node of one of a flake's inputs."""
        if name not in node.inputs:
            node.inputs[name] = self._find(node, name)
        return node.inputs[name]

    def _find(self, node: Node, name: str) -> Node:
        path = (*node.path, name)
        shown = "/".join(path)
        if len(path) > MAX_DEPTH:
            raise BadFlake(f"flake inputs are nested too deeply: {shown}")
        assert node.manifest is not None
        if name not in node.manifest.inputs:
            near = nearest(name, node.manifest.inputs)
            whose = "/".join(node.path) or "the flake"
            raise BadFlake(f"{whose} has no input '{name}'", help=f"did you mean '{near}'?" if near else None)
        spec = node.manifest.inputs[name]
        origin = node.path
        if name in node.overrides:
            above, origin = node.overrides[name]
            spec = InputSpec(
                name,
                above.reference if above.follows is None else None,
                above.follows,
                above.is_flake and spec.is_flake,
                {**spec.overrides, **above.overrides},
                above.span,
            )
        overrides = {inner: (override, node.path) for inner, override in spec.overrides.items()}
        if shown in self.overrides:
            tree = tree_at(self.host, self.overrides[shown])
            return self._node(path, tree, "", spec.is_flake, None, None, overrides)
        if spec.follows is not None:
            return self._follow(shown, (*origin, *spec.follows), spec.span)
        return self._locked(node, name, path, spec, overrides)

    def _follow(self, shown: str, target: tuple[str, ...], span: Span | None) -> Node:
        if shown in self._following:
            raise FollowCycle([*self._following, shown], span)
        self._following.append(shown)
        try:
            return self._walk(self.whole, target)
        finally:
            self._following.pop()

    def _walk(self, start: Node, target: tuple[str, ...]) -> Node:
        here = start
        for step in target:
            here = self.input(here, step)
        return here

    whole: Node
    """The flake that was asked for."""

    def _locked(
        self,
        node: Node,
        name: str,
        path: tuple[str, ...],
        spec: InputSpec,
        overrides: Mapping[str, tuple[InputSpec, tuple[str, ...]]],
    ) -> Node:
        shown = "/".join(path)
        assert spec.reference is not None
        target = node.lock.inputs.get(name) if node.lock is not None else None
        if isinstance(target, tuple) and node.graph is not None:
            return self._walk(node.graph[1], target)
        entry = node.graph[0].nodes[target] if node.graph is not None and isinstance(target, str) else None
        if entry is not None and not _agree(entry, spec):
            if spec.reference.get("type") != "path":
                what = f"flake.lock has {show_reference(entry.original or {})}, flake.nix asks for another"
                raise InputMissing(shown, f"{what}, {show_reference(spec.reference)}", spec.span, entry.revision, name)
            entry = None
        locked: Mapping[str, object] = (entry.locked if entry is not None else None) or spec.reference
        kind = locked.get("type")
        subdirectory = str(locked.get("dir", spec.reference.get("dir", "")))
        if kind == "path" and not os.path.isabs(str(locked.get("path", ""))) and self._inside_parents():
            # a relative path is a part of the flake that names it
            subdirectory = os.path.normpath(os.path.join(node.subdirectory, str(locked["path"]), subdirectory))
            if not subdirectory.startswith(".."):
                graph = node.graph if entry is not None else None
                return self._node(path, node.tree, subdirectory, spec.is_flake, entry, graph, overrides)
        repository = git_directory(locked)
        if kind == "path":
            tree = tree_at(self.host, self._path(node, str(locked.get("path", ""))), locked)
        elif repository is not None and not self._is_unpacked(shown, name):
            tree = self._local(shown, name, repository, entry, spec, locked)
        else:
            tree = self._given(node, shown, name, spec, entry, locked)
        graph = node.graph if entry is not None else None
        return self._node(path, tree, subdirectory, spec.is_flake, entry, graph, overrides)

    def _inside_parents(self) -> bool:
        """Whether relative inputs are parts of their parents (since Nix 2.26), not trees of their own."""
        return self.machine.dialect.version >= (2, 26)

    def _path(self, node: Node, path: str) -> str:
        base = node.tree.directory if node.tree.host is None else node.tree.store_path
        return os.path.normpath(os.path.join(base, node.subdirectory, path))

    def _is_unpacked(self, shown: str, name: str) -> bool:
        """Whether the directory of unpacked inputs has a tree for an input."""
        return self.directory is not None and any(
            self.host.is_directory(os.path.join(self.directory, candidate)) for candidate in (shown, name)
        )

    def _local(
        self,
        shown: str,
        name: str,
        repository: str,
        entry: LockNode | None,
        spec: InputSpec,
        locked: Mapping[str, object],
    ) -> Tree:
        """The tree of an input that is a git repository of this machine."""
        place = entry.span if entry is not None else spec.span
        revision = entry.revision if entry is not None else None
        if not os.path.isabs(repository):
            what = f"{show_reference(spec.reference or {})} is a relative path; give the absolute path of a repository"
            raise InputMissing(shown, what, place, revision, name)
        try:
            tree = self._git_tree(os.path.normpath(repository), locked)
        except BadRepository as problem:
            raise InputMissing(shown, problem.message, place, revision, name) from None
        expected = locked.get("narHash")
        if expected is not None and expected != tree.info["narHash"]:
            what = f"{repository} has the hash {tree.info['narHash']} at {revision}, flake.lock expects {expected}"
            raise InputMissing(shown, what, place, revision, name)
        return tree

    def _given(
        self, node: Node, shown: str, name: str, spec: InputSpec, entry: LockNode | None, locked: Mapping[str, object]
    ) -> Tree:
        """The tree of an input that Nix would fetch, from the directory of unpacked inputs."""
        reference = show_reference(spec.reference or {})
        if self.directory is not None:
            candidates = [shown, name]
            if entry is not None:
                revised = [f"{name}-{entry.revision}"] if entry.revision else []  # two locks may have two trees
                candidates = [*revised, *candidates, entry.key]
            for candidate in dict.fromkeys(candidates):
                directory = os.path.join(self.directory, candidate)
                if not self.host.is_directory(directory):
                    continue
                tree = tree_at(self.host, directory, locked)
                expected = locked.get("narHash")
                if expected is not None and expected != tree.info["narHash"]:
                    raise InputMissing(
                        shown,
                        f"{directory} has the hash {tree.info['narHash']}, flake.lock expects {expected}",
                        entry.span if entry is not None else spec.span,
                        entry.revision if entry is not None else None,
                        name,
                    )
                return tree
        revision = entry.revision if entry is not None else None
        what = f"{reference} would have to be fetched"
        if entry is None:
            what += ", which flake.lock does not have"
        raise InputMissing(shown, what, entry.span if entry is not None else spec.span, revision, name)

    def directories(self) -> list[str]:
        """The directories of the inputs that were used."""
        return [directory for _, directory in self.host.mounts.values() if directory != self.whole.tree.directory]

    # --- values ---

    def call(self, node: Node) -> Slot:
        """The flake as its users see it: outputs, `sourceInfo` and the rest."""
        return node.value

    def outputs(self, node: Node) -> Slot:
        """What the flake's function `outputs` gives."""
        return force(node.value).table["outputs"]

    def _value(self, node: Node) -> Slot:
        info = self._info(node)
        if node.manifest is None:
            if self.machine.dialect.version < (2, 30):
                return info
            place = os.path.normpath(os.path.join(node.tree.store_path, node.subdirectory))
            own = {"sourceInfo": info, "outPath": with_context(place, (node.tree.store_path,))}
            return self._set({**force(info).table, **own})
        file = os.path.join(node.tree.store_path, node.subdirectory, "flake.nix")
        inputs = {name: delay(lambda name=name: self.input(node, name).value) for name in node.manifest.inputs}

        def run() -> Slot:
            function = force(force(self.machine.import_file(file)).table["outputs"])
            return apply(function, self._set({**inputs, "self": node.value}))

        outputs = delay(run)
        rest: dict[str, Slot] = {**force(info).table, "inputs": self._set(inputs), "outputs": outputs}
        rest["sourceInfo"] = info
        if self.machine.dialect.version >= (2, 14):
            place = os.path.join(node.tree.store_path, node.subdirectory).rstrip("/")
            rest["outPath"] = self._input(node, "outPath", with_context(place, (node.tree.store_path,)))
        if self.machine.dialect.version >= (2, 12):
            rest["_type"] = "flake"
        value = force(outputs)
        if type(value) is not Attrs:
            raise BadFlake(f"the outputs of {'/'.join(node.path) or 'the flake'} are not a set")
        whole = Attrs({**value.table, **rest}, value.positions)
        if not self.machine.traced:
            return whole
        from ..trace.cells import How, Merged, cell

        return (whole, How("update", "//", None), cell(outputs), self._set(rest), Merged(value.table, rest))

    def tree_value(self, directory: str, reference: Mapping[str, object]) -> Slot:
        """What `fetchTree` gives for a directory; a hash that was promised must be true."""
        if reference.get("type") == "git":
            tree = self._git_tree(os.path.abspath(directory), reference)
        else:
            tree = tree_at(self.host, os.path.abspath(directory), reference)
        promised = reference.get("narHash")
        if promised is not None and promised != tree.info["narHash"]:
            raise BadFlake(f"NAR hash mismatch in {directory}: expected {promised}, got {tree.info['narHash']}")
        return self._info(self._node(("fetchTree",), tree, "", False, None, None, {}))

    def _info(self, node: Node) -> Slot:
        """`sourceInfo`: what is known of the tree."""
        store_path = node.tree.store_path
        table = {name: self._input(node, name, value) for name, value in node.tree.info.items()}
        table["outPath"] = self._input(node, "outPath", with_context(store_path, (store_path,)))
        return self._set(table)

    def _set(self, table: dict[str, Slot]) -> Slot:
        if not self.machine.traced:
            return Attrs(table)
        from ..trace.cells import How

        return (Attrs(table), How("set", "set", None))

    def _input(self, node: Node, name: str, value: object) -> Slot:
        if self.machine.masks is not None:
            return delay(None, value, self.machine.masks.bit("flake", _input_name(node, name)))
        if not self.machine.traced:
            return value
        from ...provenance.origins import Leaf
        from ..trace.cells import How

        span = node.lock.span if node.lock is not None and node.path else None
        leaf = Leaf("flake", _input_name(node, name), span, value)
        return (value, How("leaf", "", span, leaf=leaf))


def _input_name(node: Node, name: str) -> str:
    """What an input is called of which the flake, or one that it needs, knows the tree."""
    return ".".join([*node.path, name]) if node.path else f"self.{name}"


def _agree(entry: LockNode, spec: InputSpec) -> bool:
    """Whether what was locked is what `flake.nix` asks for."""
    return entry.original == spec.reference


def load_flake(
    machine: Machine, directory: str, overrides: Mapping[str, str], inputs: str | None, reference: str | None = None
) -> Flakes:
    """The flakes of an evaluation that starts with the one in `directory`, or with the one that `reference` names."""
    flakes = Flakes(machine, overrides, inputs)
    flakes.whole = flakes.root(directory, reference)
    return flakes


def _local_reference(text: str) -> Attributes:
    """A reference to a flake on this machine: a directory, or a git repository.  Raises `BadFlake`."""
    try:
        reference = parse_reference(text)
    except BadReference as problem:
        raise BadFlake(str(problem)) from None
    if git_directory(reference) is None and reference["type"] != "path":
        raise BadFlake(
            f"flake '{text}' would have to be fetched, and wherefrom does not use the network",
            help="name a directory, as path:/DIR, or a local repository, as git+file:///DIR",
        )
    return reference

"""Builtins on derivations and on the store context of strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..kernel.errors import NixError, RefusedInNix
from ..kernel.output import attribute_name, json_string, print_json
from ..kernel.values import Attrs, Slot, context_of, force, with_context
from ..store.derivation import Derivation, UnknownDerivation
from ..store.paths import HASH_SIZES, BadStorePath, Hash, is_store_path, store_object_of
from ..store.paths import placeholder as placeholder_text
from .errors import ArgumentAttributeMissing, BadArgument, BadContext, BadDerivation, BadStoreName
from .files import need_hash
from .registry import builtin
from .support import (
    canonical,
    coerce_to_path,
    coerce_to_string,
    need_attrs,
    need_bool,
    need_list,
    need_plain_string,
    need_string,
)

if TYPE_CHECKING:
    from ..kernel.world import Machine


# --- context --------------------------------------------------------------------------------------------------------


@builtin("hasContext")
def has_context(machine: Machine, text: Slot) -> Slot:
    """Whether a string refers to the store.

    nix> builtins.hasContext (builtins.toFile "x" "")
    true
    """
    return bool(context_of(need_string(text)))


@builtin("getContext")
def get_context(machine: Machine, text: Slot) -> Slot:
    """What a string refers to: a set from store paths to `path`, `allOutputs` or `outputs`.

    nix> builtins.attrValues (builtins.getContext (builtins.toFile "x" ""))
    [ { path = true; } ]
    """
    references: dict[str, dict[str, Slot]] = {}
    for reference in sorted(context_of(need_string(text))):
        if reference.startswith("!"):
            output, path = reference[1:].split("!", 1)
            references.setdefault(path, {}).setdefault("outputs", []).append(output)
        elif reference.startswith("="):
            references.setdefault(reference[1:], {})["allOutputs"] = True
        else:
            references.setdefault(reference, {})["path"] = True
    return Attrs({path: Attrs(what) for path, what in references.items()})


@builtin("appendContext")
def append_context(machine: Machine, text: Slot, context: Slot) -> Slot:
    """The string, referring also to what a set, in the form that `getContext` gives, says.

    nix> builtins.hasContext (builtins.appendContext "x" (builtins.getContext (builtins.toFile "y" "")))
    true
    """
    value = need_string(text)
    references = set(context_of(value))
    given = need_attrs(context)
    for path in given.sorted_names():
        if not is_store_path(path):
            raise BadContext(f"Context key '{attribute_name(path)}' is not a store path")
        what = need_attrs(given.table[path]).table
        if "path" in what and need_bool(what["path"]):
            references.add(path)
        if "allOutputs" in what and need_bool(what["allOutputs"]):
            _need_derivation(path, "all-outputs context")
            references.add("=" + path)
        if "outputs" in what:
            outputs = need_list(what["outputs"])
            if outputs:
                _need_derivation(path, "derivation output context")
            references.update(f"!{need_plain_string(output)}!{path}" for output in outputs)
    return with_context(value, references)


def _need_derivation(path: str, what: str) -> None:
    if not path.endswith(".drv"):
        raise BadContext(f"Tried to add {what} of {attribute_name(path)}, which is not a derivation, to a string")


@builtin("unsafeDiscardStringContext")
def unsafe_discard_string_context(machine: Machine, text: Slot) -> Slot:
    """The string without what it refers to.

    nix> builtins.hasContext (builtins.unsafeDiscardStringContext (builtins.toFile "x" ""))
    false
    """
    return coerce_to_string(machine, text, set())


@builtin("unsafeDiscardOutputDependency")
def unsafe_discard_output_dependency(machine: Machine, text: Slot) -> Slot:
    """The string, referring to derivations as files only and not to all that they build.

    nix> builtins.unsafeDiscardOutputDependency "plain"
    "plain"
    """
    context: set[str] = set()
    value = coerce_to_string(machine, text, context)
    return with_context(value, {reference.removeprefix("=") for reference in context})


# --- store paths ----------------------------------------------------------------------------------------------------


@builtin("placeholder")
def placeholder(machine: Machine, output: Slot) -> Slot:
    """What stands, in a derivation's attributes, for the path of its own output.

    nix> placeholder "out"
    "/1rz4g4znpzjwh1xymhjpm42vipw92pr73vdgl6xs1hycac8kf2n9"
    """
    return placeholder_text(need_plain_string(output))


@builtin("storePath")
def store_path(machine: Machine, path: Slot) -> Slot:
    """A path that is in the store already, as a string that refers to it.  Only what this evaluation made is known.

    nix> builtins.hasContext (builtins.storePath (builtins.toFile "x" "y"))
    true
    """
    context: set[str] = set()
    place = canonical(coerce_to_path(machine, path, context))
    whole = store_object_of(place)
    if whole is None and not place.startswith("/nix/store/"):
        raise BadArgument(f"path '{place}' is not in the Nix store")
    store = machine.store
    if whole is None or not (whole in store.texts or whole in store.derivations or whole in store.copies):
        raise RefusedInNix(
            f"'storePath' needs a Nix store to look for {place}, and wherefrom has none",
            help="use the real path of the file",
        )
    return with_context(place, {whole} | context)


# --- derivations ----------------------------------------------------------------------------------------------------

_SPECIAL = ("builder", "system", "outputHash", "outputHashAlgo", "outputHashMode", "outputs")


class _Request:
    """What a derivation's attributes ask for, gathered one attribute after the other."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self.name = name
        self.special: dict[str, str] = {}
        self.outputs = ["out"]
        self.recursive = False
        self.arguments: list[str] = []
        self.environment: dict[str, str] = {}
        self.context: set[str] = set()

    def take(self, key: str, slot: Slot) -> None:
        """An attribute that becomes an environment variable."""
        text = coerce_to_string(self.machine, slot, self.context, more=True)
        self.environment[key] = text
        if key in _SPECIAL:
            self.special[key] = text
            if key == "outputs":
                self.set_outputs(text.split())
            elif key == "outputHashMode":
                self.set_mode(text)

    def take_structured(self, key: str, slot: Slot) -> str:
        """An attribute that becomes a member of `__json`; returns the JSON."""
        written = print_json(self.machine, slot, True, self.context)
        if key == "outputs":
            self.set_outputs([need_plain_string(output) for output in need_list(slot)])
        elif key == "builder":
            builder = need_string(slot)
            self.context |= context_of(builder)
            self.special[key] = str(builder)
        elif key in _SPECIAL:
            self.special[key] = need_plain_string(slot)
            if key == "outputHashMode":
                self.set_mode(self.special[key])
        return written

    def take_arguments(self, slot: Slot) -> None:
        for argument in need_list(slot):
            self.arguments.append(coerce_to_string(self.machine, argument, self.context, more=True))

    def set_mode(self, mode: str) -> None:
        if mode not in ("recursive", "flat"):
            raise BadDerivation(f"invalid value '{mode}' for 'outputHashMode' attribute")
        self.recursive = mode == "recursive"

    def set_outputs(self, outputs: Iterable[str]) -> None:
        seen: list[str] = []
        for output in outputs:
            if output in seen:
                raise BadDerivation(f"duplicate derivation output '{output}'")
            if output == "drv" or (output == "drvPath" and self.machine.dialect.version >= (2, 23)):
                raise BadDerivation(f"invalid derivation output name '{output}'")
            seen.append(output)
        if not seen:
            raise BadDerivation("derivation cannot have an empty set of outputs")
        self.outputs = seen

    def fixed(self) -> tuple[bool, Hash] | None:
        """What is promised about the content of the only output, if anything is."""
        text = self.special.get("outputHash")
        if text is None:
            return None
        if self.outputs != ["out"]:
            raise BadDerivation("multiple outputs are not supported in fixed-output derivations")
        algorithm = self.special.get("outputHashAlgo", "")
        if not text and algorithm not in HASH_SIZES:
            raise BadDerivation("empty hash requires explicit hash type")
        return self.recursive, need_hash(text, algorithm if algorithm in HASH_SIZES else None)

    def derivation(self) -> Derivation:
        """The store derivation, without output paths yet: the context says what it needs."""
        store = self.machine.store
        drv = Derivation(
            self.special.get("system", ""), self.special.get("builder", ""), self.arguments, self.environment
        )
        for reference in self.context:
            if reference.startswith("!"):
                output, path = reference[1:].split("!", 1)
                drv.inputs.setdefault(path, set()).add(output)
            elif reference.startswith("="):
                for path in store.closure(reference[1:]):
                    drv.sources.add(path)
                    if path in store.derivations:
                        drv.inputs.setdefault(path, set()).update(store.derivations[path].outputs)
            else:
                drv.sources.add(reference)
        return drv


@builtin("derivationStrict")
def derivation_strict(machine: Machine, attributes: Slot) -> Slot:
    """Make a store derivation of a set; give its path and those of its outputs.  `derivation` is its lazy front.

    nix> builtins.attrNames (derivationStrict { name = "x"; builder = "/bin/sh"; system = "none"; })
    [ "drvPath" "out" ]
    """
    given = need_attrs(attributes)
    table = given.table
    if "name" not in table:
        raise ArgumentAttributeMissing("name", "derivationStrict")
    try:
        name = need_plain_string(table["name"])
    except NixError as problem:
        problem.with_note("while evaluating the derivation attribute 'name'")
        raise
    structured = "__structuredAttrs" in table and need_bool(table["__structuredAttrs"])
    ignore_nulls = "__ignoreNulls" in table and need_bool(table["__ignoreNulls"])
    request = _Request(machine, name)
    members: list[str] = []
    for key in given.sorted_names():
        if key == "__ignoreNulls":
            continue
        slot = table[key]
        try:
            if ignore_nulls and force(slot) is None:
                continue
            if key in _EXPERIMENTAL:
                if need_bool(slot):
                    raise RefusedInNix(
                        f"{_EXPERIMENTAL[key]} derivations are an experimental feature that wherefrom does not have"
                    )
            elif key == "args":
                request.take_arguments(slot)
            elif not structured:
                request.take(key, slot)
            elif key != "__structuredAttrs":
                members.append(f"{json_string(key)}:{request.take_structured(key, slot)}")
        except NixError as problem:
            problem.with_note(f"while evaluating the attribute '{key}' of the derivation '{name}'")
            raise
    if structured:
        request.environment["__json"] = "{" + ",".join(members) + "}"
    return _finished(machine, request)


_EXPERIMENTAL = {"__contentAddressed": "content-addressed", "__impure": "impure"}
"""Attributes that, where they are true, make a derivation one that only an experimental feature allows."""


def _finished(machine: Machine, request: _Request) -> Attrs:
    """Check what was gathered, compute the paths, and give them as `derivationStrict` does."""
    drv = request.derivation()
    if not drv.builder:
        raise BadDerivation("required attribute 'builder' missing")
    if not drv.platform:
        raise BadDerivation("required attribute 'system' missing")
    if request.name.endswith(".drv"):
        raise BadDerivation("derivation names are not allowed to end in '.drv'")
    fixed = request.fixed()
    try:
        path = machine.store.finish(request.name, drv, request.outputs, fixed)
    except BadStorePath as problem:
        raise BadStoreName(str(problem)) from None
    except UnknownDerivation as problem:
        raise RefusedInNix(
            f"derivation '{request.name}' depends on {problem.path}, which this evaluation did not create",
            help="wherefrom has no store to read it from",
        ) from None
    result: dict[str, Slot] = {"drvPath": with_context(path, ("=" + path,))}
    for output, details in drv.outputs.items():
        result[output] = with_context(details.path, (f"!{output}!{path}",))
    return Attrs(result)

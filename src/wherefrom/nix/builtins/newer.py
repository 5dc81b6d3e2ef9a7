"""Builtins that came after Nix 2.8; `kernel.names.SINCE` says when.  Nix manual, "Built-in functions"."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING

from ..flakes.reference import BadReference, parse_reference, show_reference
from ..kernel.errors import RefusedInNix
from ..kernel.values import Attrs, Slot, Value, context_of, force, with_context
from ..store.nar import entry_kind
from ..store.paths import HASH_SIZES, BadHash, Hash, encode_base32, parse_hash
from .errors import BadArgument, FileProblem, InvalidHash
from .registry import builtin
from .support import input_slot, look_at, need_attrs, need_plain_string, need_string, readable_path

if TYPE_CHECKING:
    from ..kernel.world import Machine


# --- control --------------------------------------------------------------------------------------------------------


@builtin("break")
def break_(machine: Machine, value: Slot) -> Slot:
    """`value`.  In Nix's debugger, evaluation would stop here.  Since Nix 2.9.

    nix> break 1
    1
    """
    return value


@builtin("traceVerbose")
def trace_verbose(machine: Machine, message: Slot, value: Slot) -> Slot:
    """`value`.  Nix would print `message` if its setting `trace-verbose` were on; here it is off.  Since Nix 2.10.

    nix> builtins.traceVerbose "looking" 1
    1
    """
    return value


@builtin("warn")
def warn(machine: Machine, message: Slot, value: Slot) -> Slot:
    """Print the string `message` as a warning on standard error, then return `value`.  Since Nix 2.23.

    nix> builtins.warn "old" 1
    1
    """
    machine.trace(f"evaluation warning: {need_string(message)}")
    return value


# --- files and hashes -----------------------------------------------------------------------------------------------


@builtin("readFileType")
def read_file_type(machine: Machine, path: Slot) -> Slot:
    """What a path is: `"regular"`, `"directory"`, `"symlink"` or `"unknown"`.  Since Nix 2.14.

    nix> builtins.readFileType (builtins.toFile "x" "")
    "regular"
    """
    place = readable_path(machine, path)
    if place in machine.store.texts:
        return "regular"
    machine.host.kind_asked(place)  # an error outside the allowed directories
    kind = entry_kind(machine.host, place)
    if kind is None:
        look_at(machine, place)
        raise FileProblem(f"path '{place}' does not exist")
    return input_slot(machine, "file", place, kind)


@builtin("convertHash")
def convert_hash(machine: Machine, request: Slot) -> Slot:
    """`hash` in the notation `toHashFormat`: `"base16"`, `"nix32"`, `"base64"` or `"sri"`.  Since Nix 2.19.

    `hashAlgo` says which hash it is, unless the hash itself does.

    nix> builtins.convertHash { hash = "md5-1B2M2Y8AsgTpgAmY7PhCfg=="; toHashFormat = "base16"; }
    "d41d8cd98f00b204e9800998ecf8427e"
    """
    table = need_attrs(request).table
    for name in ("hash", "toHashFormat"):
        if name not in table:
            raise BadArgument(f"attribute '{name}' missing in call to 'convertHash'")
    algorithm = need_plain_string(table["hashAlgo"]) if "hashAlgo" in table else None
    if algorithm is not None and algorithm not in HASH_SIZES:
        raise BadArgument(f"unknown hash algorithm '{algorithm}'")
    try:
        parsed = parse_hash(need_plain_string(table["hash"]), algorithm)
    except BadHash as problem:
        raise InvalidHash(str(problem)) from None
    return _notation(parsed, need_plain_string(table["toHashFormat"]))


def _notation(content: Hash, form: str) -> str:
    match form:
        case "base16":
            return content.base16
        case "nix32" | "base32":
            return encode_base32(content.digest)
        case "base64":
            return b64encode(content.digest).decode()
        case "sri":
            return f"{content.algorithm}-{b64encode(content.digest).decode()}"
    raise BadArgument(f"unknown hash format '{form}', expect 'base16', 'base32', 'base64', or 'sri'")


# --- strings that refer to the store --------------------------------------------------------------------------------


@builtin("addDrvOutputDependencies")
def add_drv_output_dependencies(machine: Machine, text: Slot) -> Slot:
    """A string that refers to a `.drv` file, as one that refers to all that it would build.  Since Nix 2.19.

    nix> builtins.isFunction builtins.addDrvOutputDependencies
    true
    """
    value = need_string(text)
    context = context_of(value)
    if len(context) != 1:
        raise BadArgument(f"context of string '{value}' must have exactly one element, but has {len(context)}")
    (reference,) = context
    if reference.startswith("!"):
        raise BadArgument(
            f"`addDrvOutputDependencies` can only act on derivations, not on a derivation output such as '{reference}'"
        )
    if reference.startswith("="):
        return value
    if not reference.endswith(".drv"):
        raise BadArgument(f"path '{reference}' is not a derivation")
    return with_context(str(value), (f"={reference}",))


@builtin("outputOf")
def output_of(machine: Machine, drv: Slot, output: Slot) -> Slot:
    """Refused: the output of a derivation that another derivation makes.  Since Nix 2.18, experimental.

    nix> builtins.isFunction builtins.outputOf
    true
    """
    raise RefusedInNix("'outputOf' needs a derivation to be built, and wherefrom builds nothing")


# --- flakes ---------------------------------------------------------------------------------------------------------


@builtin("parseFlakeRef")
def parse_flake_ref(machine: Machine, text: Slot) -> Slot:
    """A flake reference as attributes.  Since Nix 2.18.

    nix> builtins.parseFlakeRef "github:NixOS/nixpkgs/23.05?dir=lib"
    { dir = "lib"; owner = "NixOS"; ref = "23.05"; repo = "nixpkgs"; type = "github"; }
    """
    try:
        return Attrs(dict(parse_reference(need_plain_string(text))))
    except BadReference as problem:
        raise BadArgument(str(problem)) from None


@builtin("flakeRefToString")
def flake_ref_to_string(machine: Machine, reference: Slot) -> Slot:
    """A flake reference as text.  Since Nix 2.18.

    nix> builtins.flakeRefToString { type = "github"; owner = "NixOS"; repo = "nixpkgs"; ref = "23.05"; dir = "lib"; }
    "github:NixOS/nixpkgs/23.05?dir=lib"
    """
    table = need_attrs(reference).table
    try:
        return show_reference({name: _part(name, force(table[name])) for name in sorted(table)})
    except BadReference as problem:
        raise BadArgument(str(problem)) from None


def _part(name: str, value: Value) -> str | int | bool:
    if isinstance(value, str):
        return str(value)
    if type(value) is bool or type(value) is int:
        if type(value) is int and value < 0:
            raise BadArgument(f"negative value given for flake ref attr {name}: {value}")
        return value
    raise BadArgument(f"flake reference attribute sets may only contain integers, Booleans, and strings: '{name}'")


@builtin("getFlake")
def get_flake(machine: Machine, reference: Slot) -> Slot:
    """The flake that a reference names, if that is a directory (`path:`); others would have to be fetched.

    nix> builtins.isFunction builtins.getFlake
    true
    """
    return machine.get_flake(need_plain_string(reference))

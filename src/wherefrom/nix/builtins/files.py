"""Builtins on paths and files.  Files are read through the host alone, below its roots.

Paths into the store are looked up among the files that this evaluation put there (`toFile`, copied paths): there is no
store on disk. What would have to be built first can not be read, and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...base.diagnostics import CannotRead, OutsideRoots
from ..kernel.errors import Thrown
from ..kernel.values import (
    Attrs,
    NixPath,
    Slot,
    call,
    context_of,
    describe_type,
    force,
    from_bytes,
    is_function,
    to_bytes,
    with_context,
)
from ..store.nar import entry_kind
from ..store.paths import HASH_SIZES, BadHash, BadStorePath, Hash, compute_hash, fixed_output_path, parse_hash
from .errors import (
    ArgumentAttributeMissing,
    BadArgument,
    BadStoreName,
    FileProblem,
    InvalidHash,
    NotAString,
    PathMismatch,
    ToFileRefers,
    UnknownHashType,
)
from .registry import builtin
from .support import (
    canonical,
    coerce_to_path,
    coerce_to_string,
    input_slot,
    look_at,
    need_attrs,
    need_bool,
    need_list,
    need_plain_string,
    need_string,
    note_input,
    readable_path,
)

if TYPE_CHECKING:
    from ..kernel.world import Machine


# --- paths as texts -------------------------------------------------------------------------------------------------


def base_name(path: str) -> str:
    """What follows the last slash; one slash at the end does not count.

    >>> base_name("/a/b/"), base_name("/"), base_name("a//")
    ('b', '', '')
    """
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    return path[path.rfind("/") + 1 :]


@builtin("baseNameOf", forces=(0,))
def base_name_of(machine: Machine, path: Slot) -> Slot:
    """The last component of a path or string.

    nix> baseNameOf /etc/nginx/nginx.conf
    "nginx.conf"
    """
    context: set[str] = set()
    text = coerce_to_string(machine, path, context, copy=False)
    return with_context(base_name(str(text)), context)


@builtin("dirOf", forces=(0,))
def dir_of(machine: Machine, path: Slot) -> Slot:
    """Everything before the last slash of a path or string.

    nix> dirOf /etc/nginx/nginx.conf
    /etc/nginx
    """
    context: set[str] = set()
    text = str(coerce_to_string(machine, path, context, copy=False))
    slash = text.rfind("/")
    parent = "." if slash < 0 else "/" if slash == 0 else text[:slash]
    return NixPath(parent) if type(force(path)) is NixPath else with_context(parent, context)


@builtin("toPath")
def to_path(machine: Machine, path: Slot) -> Slot:
    """An absolute path, as a string, without `.` and `..` in it.  Deprecated: write `/. + path`.

    nix> builtins.toPath "/foo/../bar"
    "/bar"
    """
    context: set[str] = set()
    return with_context(canonical(coerce_to_path(machine, path, context)), context)


# --- reading --------------------------------------------------------------------------------------------------------

_REASONS = {
    "no such file": "No such file or directory",
    "no such directory": "No such file or directory",
    "no such file or directory": "No such file or directory",
    "not a directory": "Not a directory",
    "is a directory": "Is a directory",
}


def _read(machine: Machine, path: str) -> bytes:
    """The content of a file, or Nix's words for why there is none."""
    text = machine.store.texts.get(path)
    if text is not None:
        return text
    look_at(machine, path)
    try:
        return machine.host.read_bytes(path)
    except CannotRead as problem:
        reason = problem.message.rpartition(": ")[2]
        raise FileProblem(f"opening file '{path}': {_REASONS.get(reason, reason)}") from None


@builtin("readFile")
def read_file(machine: Machine, path: Slot) -> Slot:
    """The content of a file.

    nix> builtins.readFile (builtins.toFile "greeting" "hello")
    "hello"
    """
    place = readable_path(machine, path)
    data = _read(machine, place)
    if b"\0" in data:
        raise NotAString(place)
    return machine.file_value(place, from_bytes(data))


@builtin("readDir")
def read_dir(machine: Machine, path: Slot) -> Slot:
    """What a directory holds: a set from each name to `"regular"`, `"directory"`, `"symlink"` or `"unknown"`.

    nix> builtins.isFunction builtins.readDir
    true
    """
    place = readable_path(machine, path)
    look_at(machine, place)
    try:
        names = machine.host.list_directory(place)
    except CannotRead as problem:
        reason = problem.message.rpartition(": ")[2]
        if reason.startswith("no such") and machine.host.kind(place) is not None:
            reason = "not a directory"
        raise FileProblem(f"opening directory '{place}': {_REASONS.get(reason, reason)}") from None
    prefix = place.rstrip("/") + "/"
    kinds = {name: entry_kind(machine.host, prefix + name) or "unknown" for name in names}
    note_input(machine, "file", place, kinds)
    return Attrs(dict(kinds))


@builtin("pathExists")
def path_exists(machine: Machine, path: Slot) -> Slot:
    """Whether a path exists.  To ask for one outside the allowed directories is an error; for a flake it is not there.

    nix> builtins.pathExists (builtins.toFile "x" "")
    true
    """
    place = readable_path(machine, path)
    if place in machine.store.texts:
        return True
    try:
        there = entry_kind(machine.host, place) is not None or machine.host.kind_asked(place) is not None
    except OutsideRoots:
        if not machine.pure:
            raise
        there = False
    return input_slot(machine, "file", place, there)


@builtin("hashFile")
def hash_file(machine: Machine, algorithm: Slot, path: Slot) -> Slot:
    """The hash of a file's content, in base 16.  `algorithm` is `"md5"`, `"sha1"`, `"sha256"` or `"sha512"`.

    nix> builtins.hashFile "sha1" (builtins.toFile "x" "abc")
    "a9993e364706816aba3e25717850c26c9cd0d89d"
    """
    name = _need_algorithm(algorithm)
    place = readable_path(machine, path)
    digest = compute_hash(name, _read(machine, place)).base16
    note_input(machine, "file", place, digest)
    return digest


@builtin("hashString", forces=(0, 1), checks=((0, "str"), (1, "str")))
def hash_string(machine: Machine, algorithm: Slot, text: Slot) -> Slot:
    """The hash of a string, in base 16.  `algorithm` is `"md5"`, `"sha1"`, `"sha256"` or `"sha512"`.

    nix> builtins.hashString "md5" "abc"
    "900150983cd24fb0d6963f7d28e17f72"
    """
    name = _need_algorithm(algorithm)
    return compute_hash(name, to_bytes(need_string(text))).base16


def _need_algorithm(slot: Slot) -> str:
    name = need_plain_string(slot)
    if name not in HASH_SIZES:
        raise UnknownHashType(name)
    return name


@builtin("import", forces=(0,))
def import_(machine: Machine, path: Slot) -> Slot:
    """The value of the Nix expression in a file; of `default.nix`, if it is a directory.

    nix> import (builtins.toFile "one.nix" "1 + 1")
    2
    """
    return machine.import_file(readable_path(machine, path))


@builtin("scopedImport")
def scoped_import(machine: Machine, scope: Slot, path: Slot) -> Slot:
    """Like `import`, but the attributes of `scope` are variables in the file, before the global ones.

    nix> scopedImport { x = 1; } (builtins.toFile "x.nix" "x + 1")
    2
    """
    place = readable_path(machine, path)
    return machine.import_file(place, need_attrs(scope))


@builtin("findFile")
def find_file(machine: Machine, search_path: Slot, name: Slot) -> Slot:
    """The file that `<name>` would mean with this search path, a list of `{ prefix, path }`.

    nix> baseNameOf (builtins.findFile [ { prefix = "pkgs"; path = builtins.toFile "y" ""; } ] "pkgs")
    "6f99x7m6xgzrpysd9hz38lvpwi5j5bpr-y"
    """
    entries: list[tuple[str, str]] = []
    for entry in need_list(search_path):
        table = need_attrs(entry).table
        prefix = need_plain_string(table["prefix"]) if "prefix" in table else ""
        if "path" not in table:
            raise ArgumentAttributeMissing("path", "findFile")
        entries.append((prefix, str(coerce_to_string(machine, table["path"], set(), copy=False))))
    wanted = need_plain_string(name)
    for prefix, root in entries:
        if prefix == "":
            suffix = "/" + wanted
        elif wanted == prefix or wanted.startswith(prefix + "/"):
            suffix = wanted[len(prefix) :]
        else:
            continue
        place = canonical(root) + suffix
        exists = place in machine.store.texts or machine.host.kind(place) is not None
        place = canonical(place)
        note_input(machine, "file", place, exists)
        if exists:
            return NixPath(place)
    if wanted.startswith("nix/"):
        from .constants import CORE_FILES

        machine.store.texts.update(CORE_FILES)
        return NixPath("/__corepkgs__/" + wanted[len("nix/") :])
    raise Thrown(f"file '{wanted}' was not found in the Nix search path (add it using $NIX_PATH or -I)")


# --- adding to the store --------------------------------------------------------------------------------------------


@builtin("toFile")
def to_file(machine: Machine, name: Slot, text: Slot) -> Slot:
    """The store path of a file with this name and content.  The content may refer to other files in the store.

    nix> builtins.toFile "hello" "world"
    "/nix/store/a8pm5wln4zaphc7x9iaqrgm9fravifib-hello"
    """
    file_name = need_plain_string(name)
    content = need_string(text)
    context = context_of(content)
    for reference in sorted(context):
        if reference[0] in "!=":
            raise ToFileRefers(file_name, reference)
    try:
        path = machine.store.add_text(file_name, to_bytes(content), context)
    except BadStorePath as problem:
        raise BadStoreName(str(problem)) from None
    return with_context(path, (path,))


@builtin("filterSource")
def filter_source(machine: Machine, keep: Slot, path: Slot) -> Slot:
    """The store path of a copy of `path` that holds only those entries for which `keep path type` gives true.

    nix> builtins.isFunction (builtins.filterSource (path: type: type != "symlink"))
    true
    """
    context: set[str] = set()
    place = coerce_to_path(machine, path, context)
    function = force(keep)
    if not is_function(function):
        raise BadArgument(f"first argument in call to 'filterSource' is not a function but {describe_type(function)}")
    return _add_path(machine, base_name(place), place, function, True, None, context)


@builtin("path")
def path_(machine: Machine, request: Slot) -> Slot:
    """The store path of a copy of `path`, with a `name`, a `filter`, a known `sha256`, or not as a tree (`recursive`).

    nix> builtins.isFunction builtins.path
    true
    """
    table = need_attrs(request).table
    place = ""
    name = ""
    function: Slot = None
    recursive = True
    expected: Hash | None = None
    context: set[str] = set()
    for key in sorted(table):
        slot = table[key]
        if key == "path":
            place = coerce_to_path(machine, slot, context)
        elif key == "name":
            name = need_plain_string(slot)
        elif key == "filter":
            function = force(slot)
        elif key == "recursive":
            recursive = need_bool(slot)
        elif key == "sha256":
            expected = need_hash(need_plain_string(slot), "sha256")
        else:
            raise BadArgument(f"unsupported argument '{key}' to 'addPath'")
    if not place:
        raise BadArgument("'path' required")
    return _add_path(machine, name or base_name(place), place, function, recursive, expected, context)


def need_hash(text: str, algorithm: str | None) -> Hash:
    """A hash as written in a program; the empty text stands for one of zeros."""
    if text == "" and algorithm is not None:
        return Hash(algorithm, bytes(HASH_SIZES[algorithm]))
    try:
        return parse_hash(text, algorithm)
    except BadHash as problem:
        raise InvalidHash(str(problem)) from None


def add_to_store(
    machine: Machine, path: str, name: str, keep: Callable[[str, str], bool] | None = None, recursive: bool = True
) -> str:
    """The store path of a copy of `path`, with Nix's words for what can go wrong."""
    look_at(machine, path)
    try:
        return machine.store.add_path(machine.host, path, name, keep, recursive)
    except BadStorePath as problem:
        raise BadStoreName(str(problem)) from None
    except CannotRead as problem:
        reason = problem.message.rpartition(": ")[2]
        raise FileProblem(f"getting status of '{problem.path}': {_REASONS.get(reason, reason)}") from None


def _add_path(
    machine: Machine, name: str, path: str, function: Slot, recursive: bool, expected: Hash | None, context: set[str]
) -> Slot:
    """The path of a copy of `path` in the store, checked against what was promised."""
    keep: Callable[[str, str], bool] | None = None
    if function is not None:

        def wanted(entry: str, kind: str) -> bool:
            return need_bool(call(function, entry, kind))

        keep = wanted
    store_path = add_to_store(machine, path, name, keep, recursive)
    note_input(machine, "file", path, store_path)
    if expected is not None and store_path != fixed_output_path(recursive, expected, name):
        raise PathMismatch(path)
    return with_context(store_path, {store_path} | context)

"""Store derivations: what `derivationStrict` would write to the store, and the paths that follow from it.

A derivation is written as an ATerm (Dolstra's thesis, section 5.4): outputs, input derivations, input sources,
platform, builder, arguments, environment. Its own path, `drvPath`, is the path of that text. The paths of its outputs
come from the *hash modulo fixed outputs* of the derivation with its own output paths left blank: a hash in which every
input derivation is replaced by its own hash of this kind, and a fixed-output derivation counts only by what it promises
to contain, so that it may be fetched in another way without changing everything that is built from it.

`Store` remembers the derivations made in one evaluation, because those that refer to them need their hashes. It holds
no files and touches no disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from .nar import Keep, archive_hash
from .paths import Hash, compute_hash, fixed_output_path, output_path, store_object_of, text_path

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import Span


class Output:
    """One output: its path (empty while it is not known) and, if its content is fixed, `algorithm` and `digest`.

    `algorithm` is as the ATerm has it: `r:sha256` for the hash of a NAR, `sha256` for that of a file.
    """

    __slots__ = ("algorithm", "digest", "path")

    def __init__(self, path: str = "", algorithm: str = "", digest: str = "") -> None:
        self.path = path
        self.algorithm = algorithm
        self.digest = digest


class Derivation:
    """A store derivation.  `inputs` maps the path of each derivation it needs to the outputs it needs of it."""

    __slots__ = ("arguments", "builder", "environment", "inputs", "outputs", "platform", "sources")

    def __init__(
        self,
        platform: str,
        builder: str,
        arguments: list[str],
        environment: dict[str, str],
        sources: Iterable[str] = (),
        inputs: Mapping[str, Iterable[str]] = {},
    ) -> None:
        self.outputs: dict[str, Output] = {}
        self.inputs = {path: set(outputs) for path, outputs in inputs.items()}
        self.sources = set(sources)
        self.platform = platform
        self.builder = builder
        self.arguments = arguments
        self.environment = environment

    @property
    def fixed(self) -> Output | None:
        """The only output, if its content is fixed."""
        output = self.outputs.get("out")
        return output if output is not None and output.algorithm and len(self.outputs) == 1 else None

    def aterm(self, masked: bool = False, inputs: Mapping[str, Iterable[str]] | None = None) -> bytes:
        """The text that goes to the store; `masked` leaves the outputs' paths out, `inputs` replaces the inputs."""
        outputs = [
            f"({_quoted(name)},{_quoted('' if masked else out.path)},{_quoted(out.algorithm)},{_quoted(out.digest)})"
            for name, out in sorted(self.outputs.items(), key=_by_bytes)
        ]
        needed = self.inputs if inputs is None else inputs
        drvs = [
            f"({_quoted(path)},[{','.join(map(_quoted, sorted(wanted, key=_bytes)))}])"
            for path, wanted in sorted(needed.items(), key=_by_bytes)
        ]
        environment = [
            f"({_quoted(name)},{_quoted('' if masked and name in self.outputs else value)})"
            for name, value in sorted(self.environment.items(), key=_by_bytes)
        ]
        text = (
            f"Derive([{','.join(outputs)}],[{','.join(drvs)}],[{','.join(map(_quoted, sorted(self.sources)))}],"
            f"{_quoted(self.platform)},{_quoted(self.builder)},[{','.join(map(_quoted, self.arguments))}],"
            f"[{','.join(environment)}])"
        )
        return text.encode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _by_bytes(item: tuple[str, object]) -> bytes:
    return _bytes(item[0])


_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _quoted(text: str) -> str:
    for character, escape in _ESCAPES.items():
        if character in text:
            text = text.replace(character, escape)
    return f'"{text}"'


Modulo: TypeAlias = Hash | dict[str, Hash]
"""A derivation's hash modulo fixed outputs: one, or one for each output of a fixed-output derivation."""


class UnknownDerivation(Exception):
    """A derivation is needed that this evaluation did not make, and there is no store to read it from."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Store:
    """What one evaluation would have put into the store.

    `derivations` and `texts` (made with `toFile`) by their store paths, so that they can be referred to and read again;
    `references`, what each refers to; `copies`, for a path copied as it is, where the original lies.
    """

    def __init__(self) -> None:
        self.derivations: dict[str, Derivation] = {}
        self.texts: dict[str, bytes] = {}
        self.references: dict[str, frozenset[str]] = {}
        self.copies: dict[str, str] = {}
        self._modulo: dict[str, Modulo] = {}
        self._copied: dict[str, str] = {}

    def hash_modulo(self, drv: Derivation, masked: bool) -> Modulo:
        """The hash modulo fixed outputs; `masked` if the outputs' own paths are what it is wanted for."""
        fixed = drv.fixed
        if fixed is not None:
            described = f"fixed:out:{fixed.algorithm}:{fixed.digest}:{fixed.path}"
            return {"out": compute_hash("sha256", described.encode())}
        inputs: dict[str, set[str]] = {}
        for path, wanted in drv.inputs.items():
            modulo = self._modulo.get(path)
            if modulo is None:
                raise UnknownDerivation(path)
            for output in wanted:
                output_hash = modulo if isinstance(modulo, Hash) else modulo.get(output)
                if output_hash is None:
                    raise UnknownDerivation(f"{path}!{output}")
                inputs.setdefault(output_hash.base16, set()).add(output)
        return compute_hash("sha256", drv.aterm(masked, inputs))

    def finish(self, name: str, drv: Derivation, outputs: Iterable[str], fixed: tuple[bool, Hash] | None) -> str:
        """Give `drv` its output paths, remember it, and return its own path.

        `fixed` is whether the promised content is a tree, and its hash.
        """
        if fixed is not None:
            recursive, content = fixed
            path = fixed_output_path(recursive, content, name)
            drv.environment["out"] = path
            drv.outputs["out"] = Output(path, ("r:" if recursive else "") + content.algorithm, content.base16)
        else:
            for output in outputs:
                drv.environment[output] = ""
                drv.outputs[output] = Output()
            masked = self.hash_modulo(drv, masked=True)
            assert isinstance(masked, Hash)
            for output in outputs:
                path = output_path(output, masked, name)
                drv.environment[output] = path
                drv.outputs[output].path = path
        text = drv.aterm()
        references = drv.sources | set(drv.inputs)
        drv_path = text_path(name + ".drv", text, references)
        if drv_path not in self.derivations:
            self.derivations[drv_path] = drv
            self._modulo[drv_path] = self.hash_modulo(drv, masked=False)
            self.references[drv_path] = frozenset(references)
        return drv_path

    def add_text(self, name: str, content: bytes, references: Iterable[str]) -> str:
        """The path of a file made by `toFile`, remembered with its content."""
        known = frozenset(references)
        path = text_path(name, content, known)
        self.texts[path] = content
        self.references[path] = known
        return path

    def add_path(
        self, host: Host, path: str, name: str, keep: Keep | None = None, recursive: bool = True, at: Span | None = None
    ) -> str:
        """The store path of a copy of the file or tree at `path`; not `recursive`: of a single file by its bytes."""
        if recursive:
            content = archive_hash(host, path, keep, at)
        else:
            content = compute_hash("sha256", host.read_bytes(path, at))
        store_path = fixed_output_path(recursive, content, name)
        if keep is None:
            self.copies[store_path] = path
        return store_path

    def copy(self, host: Host, path: str, at: Span | None = None) -> str:
        """The store path of a copy of `path` under its own name, computed once for each path."""
        store_path = self._copied.get(path)
        if store_path is None:
            store_path = self._copied[path] = self.add_path(host, path, path.rpartition("/")[2], at=at)
        return store_path

    def original(self, path: str) -> str:
        """Where the content of `path` can be read: for a copied path and what is below it, at the original."""
        whole = store_object_of(path)
        if whole is None or whole not in self.copies:
            return path
        return self.copies[whole] + path[len(whole) :]

    def closure(self, path: str) -> set[str]:
        """`path` and all that it refers to, as far as this evaluation made them."""
        reached: set[str] = set()
        waiting = [path]
        while waiting:
            here = waiting.pop()
            if here not in reached:
                reached.add(here)
                waiting.extend(self.references.get(here, ()))
        return reached

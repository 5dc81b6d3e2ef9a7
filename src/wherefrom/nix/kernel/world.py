"""What an evaluation offers to the packages below it: operators, histories and builtins see the machine as this.

The machine itself is `front.machine.Machine`; it is made of all the other packages, so none of them may name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ...base.host import Host
    from ..store.derivation import Store
    from .running import Masks
    from .values import Attrs, Builtin, NixPath, Slot
    from .versions import Dialect


class Machine(Protocol):
    """One evaluation."""

    host: Host
    """The only door to files."""
    search_path: list[tuple[str, str]]
    fetched: Mapping[str, str]
    """What was fetched beforehand: the absolute path of a directory or file, by its URL."""
    system: str
    dialect: Dialect
    """The Nix whose language and builtins count: see `kernel.versions`."""
    traced: bool
    """Whether this run records how values came to be."""
    masks: Masks | None
    """In a masked run: what gathers the inputs of every value."""
    exact: bool
    """Make a thunk wherever Nix makes one."""
    names_below: str | None
    """Files below this directory are called by their relative names."""
    pure: bool
    """A flake is evaluated: what lies outside of it and its inputs does not exist."""
    builtins: Attrs
    looked: list[Any]
    """With recording on: the tests under which the program is computing right now (see `trace.failures`)."""

    compiled: dict[str, Any]
    """Compiled code, by its text."""

    merges: list[Any]
    """With recording on: every merge of a module system's definitions (see `trace.merges`)."""

    meter: list[bool]
    """What functions that may run for ever take one off, each time; see `front.machine`."""

    @property
    def store(self) -> Store:
        """What this run would have put into the store."""

    def mount(self, path: str, store_path: str) -> None:
        """Show a file or directory under a store path from now on."""

    def trace(self, message: str) -> None:
        """Print a line for `builtins.trace`."""

    def file_value(self, path: str, content: str) -> Slot:
        """The content of a file read by the program."""

    def copy_to_store(self, path: NixPath) -> str:
        """The store path that a copy of `path` would have, with itself as context."""

    def load_builtin(self, name: str) -> Slot:
        """What `builtins` holds under this name."""

    def builtin(self, name: str) -> Builtin:
        """The builtin function `name`."""

    def call_builtin(self, builtin: Builtin, arguments: tuple[Slot, ...]) -> Slot:
        """Run a builtin that has all its arguments."""

    def evaluate_text(self, name: str, text: str, directory: str | None = None) -> Slot:
        """The value of a text."""

    def fetch_directory(self, reference: Mapping[str, Any]) -> Slot:
        """What is known of the tree in a local directory."""

    def get_flake(self, reference: str) -> Slot:
        """The flake in a local directory."""

    def import_file(self, path: str, scope: Attrs | None = None) -> Slot:
        """`import path`."""

    def builtin_cell(self, name: str) -> Slot:
        """The slot of something in `builtins`, as a thunk even if it is a plain value: for recording code."""

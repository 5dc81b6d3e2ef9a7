"""Renaming a variable, with the parameter that it is, the keys of the data that set it and the templates that read it.

Only what is certain is renamed. Code can name a variable by a text that it puts together, or name a parameter as the
key of a hash; so where a file does such things (`COMPUTING`, `* => $hash`) and has the name in a text or as a key, the
rename is refused, and says where. Names of classes, defines and functions: `wherefrom.editor.renaming_definitions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..base.diagnostics import UsageError
from ..base.mentions import Mention
from ..base.source import SourceFile
from .names import LOCAL, Names
from .view import View

RENAMED = frozenset(("variable", "key", "ruby"))
COMPUTING = frozenset(
    "getvar get_var inline_template inline_epp create_resources ensure_resource ensure_resources dig "
    "getparam defined_with_params pick_default".split()
)
"""Functions that may be given the name of a variable or parameter as a text."""
BUILT_IN = frozenset("title name facts trusted server_facts module_name caller_module_name".split())
_SPREAD = re.compile(r"\*\s*=>")
_WORD = re.compile(r"[a-z_]\w*\Z")


class NoRename(UsageError):
    """Something that can not be renamed, or not so."""


class Renaming:
    """Renames in a folder; `source` gives the text of a file."""

    def __init__(self, names: Names, source: Callable[[str], SourceFile | None]) -> None:
        self._names = names
        self._source = source

    def check(self, view: View, mention: Mention) -> list[tuple[str, Mention]]:
        """The places that a rename would change.  Raises `NoRename`."""
        if mention.kind not in RENAMED:
            raise NoRename(f"this name ({mention.kind}) cannot be renamed here: programs elsewhere may use it")
        rows = self._names.places(view.text.path, mention)
        if not any(row.defines for _, row in rows):
            raise NoRename(f"nothing in the folder defines {mention.at.text}")
        own = mention.at.text
        inherited = next((row for _, row in rows if row.detail == "inherit"), None)
        if inherited is not None:
            raise NoRename(f"{inherited.at.place} inherits {own}, which is the name of an attribute there")
        if own in BUILT_IN:
            raise NoRename(f"${own} is a built-in variable of Puppet")
        if all(row.kind == "key" for _, row in rows) and not all(row.at.text == own for _, row in rows):
            raise NoRename(f"{own} is spelled differently in different places")
        self._check_computed(own, rows)
        return rows

    def _check_computed(self, own: str, rows: Iterable[tuple[str, Mention]]) -> None:
        """Refuse where a text, or the key of a hash, may be the name."""
        named = {(path, row.at.start) for path, row in rows}
        text = re.compile(rf"['\"](?:\w+::)*(?P<quoted>{re.escape(own)})['\"]|\b(?P<key>{re.escape(own)})\s*=>")
        for path in sorted(self._names.files):
            source = self._source(path) if path.endswith((".pp", ".epp")) else None
            if source is None or own not in source.text:
                continue
            called = {mention.name for mention in self._names.of_file(path) if mention.kind == "function"} & COMPUTING
            if _SPREAD.search(source.text):
                called.add("* =>")
            for match in text.finditer(source.text) if called else ():
                if (path, match.start(match.lastgroup or 0)) not in named and not self._is_attribute(path, match):
                    line = source.line_of(match.start())
                    raise NoRename(f"{path}:{line} has {match[0]}, which {min(called)} could use as this name")

    def _is_attribute(self, path: str, match: re.Match[str]) -> bool:
        """Whether `name =>` is the attribute of something else."""
        at = match.start(match.lastgroup or 0)
        return any(mention.at.start == at and mention.detail == "attribute" for mention in self._names.of_file(path))

    def places(self, view: View, mention: Mention, new: str) -> list[tuple[str, Mention]]:
        """The places to write another name at.  Raises `NoRename`."""
        rows = self.check(view, mention)
        if not _WORD.match(new):
            raise NoRename(f"{new!r} is not a valid variable name")
        if new in BUILT_IN:
            raise NoRename(f"${new} is a built-in variable of Puppet")
        if LOCAL in mention.names[-1] and not view.text.path.endswith((".pp", ".epp", ".erb")):
            same = next((row for row in self._names.of_file(view.text.path) if row.at.text == new), None)
            if same is not None:
                raise NoRename(f"{new} is a name at {same.at.place}: one of them might hide the other")
        for kind, name in self._names.meaning(view.text.path, mention):
            owner, colons, _ = name.rpartition("::")
            other = f"{owner}{colons}{new}{name[name.index('@') :] if '@' in name else ''}"
            taken = list(self._names.definitions_of(kind, other))
            taken += [
                (view.text.path, row)
                for row in self._names.of_file(view.text.path)
                if row.defines and row.name == other
            ]
            if taken:
                raise NoRename(f"{other.partition('@')[0]} is there already: {taken[0][1].at.place}")
        for path, row in rows:
            local = (other.name for other in self._names.of_file(path) if other.kind == "variable")
            if row.kind == "variable" and any(name.startswith(f"{new}{LOCAL}") for name in local):
                raise NoRename(f"${new} is a local variable of {path}, which would hide it")
        return rows

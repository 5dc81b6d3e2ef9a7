"""What code would do if it ran: the effects of bodies, and what each class would lead to.

Branches that were not taken and classes that were not declared matter to what an outcome depends on. What they would
have done is worked out when it is asked for, and kept with the code.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...base.cache import Cache
from ...base.diagnostics import Diagnostic
from ..compile.calls import PuppetFunction
from ..runtime.class_summaries import ClassSummaries
from ..runtime.consulted import Consulted
from ..runtime.definitions import Definition
from ..runtime.effects import Effects, Summary, declared_class, effects_of
from ..runtime.resource_types import core_kind
from ..syntax import tree
from .modules import ModulePath, manifest_files
from .readers import reader_of

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..runtime.library import Library

MOST_SUMMED = 5_000
"""Summaries that are kept for compilations to come; with more, all are worked out again."""


class Summaries:
    """The effects of the code that `library` finds; `class_names` are those that were read so far."""

    def __init__(self, library: Library, modules: ModulePath, class_names: Callable[[], Collection[str]]) -> None:
        self._library = library
        self._modules = modules
        self._known = class_names
        self.effects: dict[int, Any] = {}
        self.jumping: dict[SourceFile, bool] = {}  # whether a file has the words for leaving code early
        self._computing: dict[str, tree.Node | None] = {}  # what stands for files of functions in Ruby
        self._classes: ClassSummaries | None = None
        self._summed: Cache[tuple[int, frozenset[str]], tuple[Effects, Summary, tuple[str, ...]]] = Cache(MOST_SUMMED)

    def copy(self, library: Library, class_names: Callable[[], Collection[str]]) -> Summaries:
        """The same summaries, which no change to these reaches."""
        summaries = Summaries(library, self._modules, class_names)
        summaries.effects, summaries.jumping, summaries._classes = self.effects, self.jumping, self._classes
        summaries._computing, summaries._summed = self._computing, self._summed
        return summaries

    def forget(self, files: Collection[str]) -> None:
        """Forget the effects of code in some files, and what was summed up from any."""
        self.effects = {key: entry for key, entry in self.effects.items() if entry[0].span.file.name not in files}
        self.jumping = {file: jumps for file, jumps in self.jumping.items() if file.name not in files}
        self._computing = {}
        self._classes = None
        self._summed = Cache(MOST_SUMMED)

    def class_body(self, name: str) -> Definition | None:
        """A class, loaded if it can be: what it would do if it were declared."""
        with suppress(Diagnostic):
            return self._library.find_class(name)
        return None

    def define_body(self, name: str) -> Definition | None:
        """A define, loaded if it can be.  A resource type of its name, which would win, does nothing of all this."""
        with suppress(Diagnostic):
            return self._library.find_define(name.removeprefix("::")) if core_kind(name) is None else None
        return None

    def function_body(self, name: str) -> tree.Node | None:
        """The body of a function written in Puppet, loaded if it can be; nothing to do, for Ruby that only computes."""
        with suppress(Diagnostic):
            function = self._library.function(name, None)
            if isinstance(function, PuppetFunction):
                return function.body
            path = getattr(function, "path", None)
            return None if path is None else self._ruby_body(path)
        return None

    def _ruby_body(self, path: str) -> tree.Node | None:
        """What stands for the code of a function in Ruby: an empty block, if it only computes."""
        from ..rubyhost.computing import computing_code

        if path not in self._computing:
            self._computing[path] = None  # as long as it is not known, for functions that call each other
            source = computing_code(self._library.ruby_library(), path, self._is_harmless)
            if source is not None:
                self._computing[path] = tree.Block((), file=source, start=0, end=len(source.text))
        return self._computing[path]

    def _is_harmless(self, name: str, old: bool) -> bool:
        """Whether a function that Ruby calls, in the `old` way or today's, changes nothing of the catalog."""
        with suppress(Diagnostic):
            function = self._library.ruby_library().legacy_function(name) if old else None
            function = function or self._library.function(name, None)
            path = getattr(function, "path", None)
            return not getattr(function, "acts", True) if path is None else self._ruby_body(path) is not None
        return False

    def body_effects(self, definition: Definition | None) -> Effects | None:
        """What the body of a definition may do."""
        body = None if definition is None else getattr(definition.tree, "body", None)
        return None if body is None else effects_of(body, self.effects)

    def summed(self, effects: Effects, declared: frozenset[str]) -> tuple[Summary, tuple[str, ...]]:
        """What some effects lead to where some classes are declared, and what was asked for that (`Consulted`).

        Nodes that are alike pass by the same branches, so it is worked out once for all of them.
        """
        key = (id(effects), declared)
        known = self._summed.get(key)
        if known is None:  # an entry keeps its effects, so that their identity is not given to others
            asked = Consulted(lambda: self._library)
            known = effects, Summary(effects, asked, declared), tuple(asked.questions)
            reader = reader_of(self._library)
            if reader is None or not reader.pending:  # else not all that there is was known
                self._summed.keep(key, known)
        return known[1:]

    def class_summaries(self) -> ClassSummaries:
        """What each class that could be declared would lead to, itself included."""
        if self._classes is None:
            summaries: dict[str, Summary] = {}
            names = self._class_names()
            while names:
                summaries.update((name, Summary(declared_class(name), self._library)) for name in names)
                # Files that were read for that may define others. So it is all classes, whatever was read before.
                names = [name for name in self._known() if name not in summaries]
            self._classes = ClassSummaries(summaries)
        return self._classes

    def static_answer(self, question: str) -> str:
        """The answer to a question about code that did not run; see `runtime.consulted`."""
        kind, _, what = question.partition(" ")
        match kind:
            case "class":
                return _text_of(self.class_body(what))
            case "define":
                return _text_of(self.define_body(what))
            case "function":
                body = self.function_body(what)
                if body is not None and body.span.file.name.endswith(".rb"):
                    return "computes"
                return "none" if body is None else f"text {body.span.text}"
        return self.class_summaries().static_answer(kind, what)

    def _class_names(self) -> list[str]:
        """The names of all classes that could be declared."""
        names = dict.fromkeys(self._known())
        host = self._modules.host
        for module, directory in self._modules.modules():
            with host.apart():  # no catalog depends on it
                files = list(manifest_files(host, posixpath.join(directory, "manifests")))
            for path in files:
                parts = path.removesuffix(".pp").split("/")
                names["::".join([module, *([] if parts == ["init"] else parts)])] = None
        return list(names)


def _text_of(definition: Definition | None) -> str:
    """All that is written of a definition, of which its effects are."""
    return "none" if definition is None else f"text {definition.tree.span.text}"

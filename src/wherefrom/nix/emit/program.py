"""A compiled Nix file: units of Python code with the constants they use, apart from any evaluation.

An emitter cuts a file into *units*: `u0` is the file itself, the others are bodies of functions and thunks. A unit's
text is one lambda, or several, of which the first is the unit and the others are the *bodies* that its thunks share
(`writer`). Everything in it that is not a number or a string is the name of a constant (`k7`), and a constant is
written as a small tuple (its *recipe*: a span is `("span", start, end)`), so a program is plain data that can be kept
on disk, and belongs to no run.

An `Image` is a program in one evaluation. A unit is compiled, and its constants are made, when it is first called: most
of a library's functions are never called, and what is not called costs next to nothing.

Where code comes from is never looked up in a table of all code: each lambda begins a line of its unit's text, and the
`n`-th line belongs to the unit's `n`-th *site*. So a code object knows its place by its file name (the unit) and its
first line.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Mapping
from sys import intern
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from ...base.source import SourceFile, Span
from ..kernel.canonical import absolute_path
from ..kernel.runtime import NAMES, picked, picked_two
from ..kernel.values import FunctionInfo, NixPath, Places

if TYPE_CHECKING:
    from ..kernel.world import Machine

Recipe: TypeAlias = tuple[Any, ...]
"""How a constant is made: its kind, and numbers and texts."""

SiteRecipe: TypeAlias = tuple[Any, ...]
"""A place in Nix: `(start, end, label)`; of a function `(start, end, label, argument, pattern, ellipsis)`, where the
pattern is nothing or tuples `(name, start, end, has default)`."""

_MARK = re.compile(r"#(\d+)\n")
_UNIT = re.compile(r"<nix (u\d+)>")


Tables: TypeAlias = tuple[dict[str, Recipe], "list[SiteRecipe]"]
"""The constants of a whole file, by their names, and its sites, by their numbers."""


Codes: TypeAlias = "tuple[tuple[str, CodeType], ...]"
"""Functions by their names: a unit and the bodies beside it."""


class Unit:
    """One function of a program: its code, its constants and its sites; as long as nobody called it, its text alone.

    `spans` are those of its constants that are spans, as three numbers each: of the constant, of the start and the end.
    """

    __slots__ = ("_sites", "code", "constants", "spans")

    def __init__(
        self,
        code: Codes | str,
        spans: tuple[int, ...] = (),
        constants: tuple[tuple[str, Recipe], ...] = (),
        sites: tuple[SiteRecipe, ...] | bytes = (),
    ) -> None:
        self.code = code
        self.spans = spans
        self.constants = constants
        self._sites = sites

    @property
    def sites(self) -> tuple[SiteRecipe, ...]:
        """The sites, by the lines of the text; asked for by errors and by those who look at a function."""
        if isinstance(self._sites, bytes):
            self._sites = marshal.loads(self._sites)
        return self._sites  # type: ignore[return-value]

    def encoded(self) -> bytes | str:
        """The unit as bytes; as long as nobody called it, its text."""
        if isinstance(self.code, str):
            return self.code
        sites = self._sites if isinstance(self._sites, bytes) else marshal.dumps(self._sites)
        return marshal.dumps((self.code, self.spans, self.constants, sites))

    @classmethod
    def decoded(cls, data: bytes | str) -> Unit:
        """The unit that was encoded."""
        return cls(data) if isinstance(data, str) else cls(*marshal.loads(data))


class Program:
    """The units of one file.

    `find` gives the one of a name; `names` are those of all units, of which there are `unit_count`, and of the bodies
    beside them; `tables` gives what the units need that are not compiled. The constants are numbered, up to
    `constant_count`.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        unit_count: int,
        find: Callable[[str], Unit],
        tables: Callable[[], Tables],
        constant_count: int,
        grown: bool = True,
    ) -> None:
        self.names = names
        self.unit_count = unit_count
        self.constant_count = constant_count
        self.tables = tables
        self.grown = grown
        """Whether there is code here that no cache has seen."""
        self._find = find
        self._units: dict[str, Unit] = {}

    def unit(self, name: str) -> Unit:
        """The unit called `name`."""
        unit = self._units.get(name)
        if unit is None:
            unit = self._units[name] = self._find(name)
        return unit

    @property
    def unit_names(self) -> tuple[str, ...]:
        """The names of all units."""
        return self.names[: self.unit_count]

    def code(self, name: str, known: dict[str, Codes]) -> Codes:
        """The code of a unit, compiled now if need be.  Code in `known` is reused for the same text."""
        unit = self.unit(name)
        if isinstance(unit.code, str):
            text = f"{name} {unit.code}"
            codes = known.get(text)
            if codes is None:
                codes = known[text] = _compiled(name, unit.code)
            constants, sites = self.tables()
            names: set[str] = set()
            for _, code in codes:
                _gather_names(code, names)
            spans: list[int] = []
            others: list[tuple[str, Recipe]] = []
            for constant in sorted(names & constants.keys()):
                recipe = constants[constant]
                if recipe[0] == "span":
                    spans += (int(constant[1:]), recipe[1], recipe[2])
                else:
                    others.append((constant, recipe))
            marked = [sites[int(number)] for number in _MARK.findall(unit.code)]
            self._units[name] = Unit(codes, tuple(spans), tuple(others), tuple(marked))
            self.grown = True
            return codes
        return unit.code


def _gather_names(code: CodeType, names: set[str]) -> None:
    """Add the names that code looks up, global ones among them."""
    names.update(code.co_names)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            _gather_names(constant, names)


def _compiled(name: str, text: str) -> Codes:
    """The code of the lambdas that `text` is."""
    module = compile(text, f"<nix {name}>", "eval", dont_inherit=True, optimize=0)
    marks = _MARK.findall(text)
    first, *bodies = [_without_lines(constant) for constant in module.co_consts if isinstance(constant, CodeType)]
    return ((name, first), *[(body_name(marks[code.co_firstlineno - 2]), code) for code in bodies])


def _without_lines(code: CodeType) -> CodeType:
    """The same code, which knows its first line and no others: nothing else is ever asked, and a third is saved."""
    constants = tuple(
        [_without_lines(constant) if type(constant) is CodeType else constant for constant in code.co_consts]
    )
    return code.replace(co_consts=constants, co_linetable=b"")


Maker: TypeAlias = Callable[["Image", Recipe], Any]


class Image:
    """A program in one evaluation: `namespace` is what its code sees."""

    def __init__(
        self,
        program: Program,
        machine: Machine,
        source: SourceFile,
        directory: str,
        names: Mapping[str, Any],
        makers: Mapping[str, Maker],
    ) -> None:
        self.program = program
        self.machine = machine
        self.source = source
        self.directory = directory
        """Where relative paths of the program start."""
        # All names are there from the start: Python looks a global name up once, unless names are added later.
        self.namespace: dict[str, Any] = dict.fromkeys(program.names)
        self.namespace.update(dict.fromkeys(constant_names(program.constant_count)))
        self.namespace.update(names, M=machine, L=machine.looked, IMAGE=self)
        self.makers = makers
        self._functions: dict[CodeType, FunctionInfo] = {}

    def load(self, name: str) -> Callable[..., Any]:
        """The function of a unit, in the place of whatever stood for it."""
        codes = self.program.code(name, self.machine.compiled)
        unit = self.program.unit(name)
        namespace, source, names, spans = self.namespace, self.source, _NAMES, unit.spans
        for index in range(0, len(spans), 3):
            constant = names[spans[index]]
            if namespace[constant] is None:
                namespace[constant] = Span(source, spans[index + 1], spans[index + 2])
        for constant, recipe in unit.constants:
            if namespace[constant] is None:
                namespace[constant] = self.makers[recipe[0]](self, recipe)
        for function, code in codes:
            # what a thunk gives its function may be `None`, which it then leaves out
            namespace[function] = FunctionType(code, namespace, function, (None,) if code.co_argcount == 1 else None)
        function_of_unit: Callable[..., Any] = namespace[name]
        return function_of_unit

    def absolute(self, text: str) -> str:
        """The path of a path literal: a relative one is kept as it was written, so that a program knows no place."""
        return text if text.startswith("/") else absolute_path(self.directory, text)

    def function_info(self, code: CodeType) -> FunctionInfo:
        """What is known of the function in Nix that runs `code`."""
        info = self._functions.get(code)
        if info is None:
            site = self.site(code)
            assert site is not None and len(site) > 3
            info = self._functions[code] = function_information(self.source, site)
        return info

    def site(self, code: CodeType) -> SiteRecipe | None:
        """The site of a code object, if it is a function or thunk of this file."""
        unit = _UNIT.fullmatch(code.co_filename)
        if unit is None or code.co_firstlineno < 2:
            return None
        return self.program.unit(unit[1]).sites[code.co_firstlineno - 2]

    def place(self, code: CodeType) -> Span | None:
        """Where in Nix the code comes from."""
        site = self.site(code)
        return None if site is None else self.source.span(site[0], site[1])


class Later:
    """What stands for a unit until it is first called."""

    __slots__ = ("image", "name")

    def __init__(self, image: Image, name: str) -> None:
        self.image = image
        self.name = name

    def __call__(self, *arguments: object) -> Any:
        return self.function(*arguments)

    @property
    def function(self) -> Callable[..., Any]:
        """The function of the unit."""
        function = self.image.namespace[self.name]
        return self.image.load(self.name) if function is None or type(function) is Later else function


_NAMES: list[str] = []
"""The names of constants, by their numbers."""


def constant_name(number: int) -> str:
    """The name of a constant in generated code."""
    return f"k{number}"


def constant_names(count: int) -> list[str]:
    """The names of the constants of a program that has so many: the very strings that its code has."""
    for number in range(len(_NAMES), count):
        _NAMES.append(intern(constant_name(number)))
    return _NAMES[:count]


def body_name(site: int | str) -> str:
    """The name of the function that the thunks of a site share."""
    return f"b{site}"


def place_of(code: object, given: Any = None) -> Span | None:
    """Where in Nix the code of a thunk, which is given this, comes from, if it was generated."""
    if code is picked or code is picked_two:
        span: Span = given[-1]
        return span
    function = code.function if type(code) is Later else code
    if type(function) is not FunctionType or "IMAGE" not in function.__globals__:
        return None
    image: Image = function.__globals__["IMAGE"]
    return image.place(function.__code__)


def is_written(code: object) -> bool:
    """Whether the code of a thunk is a function written in Nix: then what it is given is the function's argument."""
    if type(code) is not FunctionType or "IMAGE" not in code.__globals__:
        return False
    image: Image = code.__globals__["IMAGE"]
    site = image.site(code.__code__)
    return site is not None and len(site) > 3


def function_information(source: SourceFile, site: SiteRecipe) -> FunctionInfo:
    """What the program may ask of a function, from its site."""
    start, end, label, argument, pattern, ellipsis = site
    return FunctionInfo(source, start, end, argument, pattern, ellipsis, label or None)


MAKERS: dict[str, Maker] = {
    "span": lambda image, recipe: Span(image.source, recipe[1], recipe[2]),
    "places": lambda image, recipe: Places(image.source, recipe[1]),
    "path": lambda image, recipe: NixPath(image.absolute(recipe[1])),
    "function": lambda image, recipe: function_information(image.source, recipe[1]),
    "builtin": lambda image, recipe: image.machine.builtin(recipe[1]),
    "slot": lambda image, recipe: image.machine.builtins.table[recipe[1]],
    "meter": lambda image, recipe: image.machine.meter,
    "unit": lambda image, recipe: Later(image, recipe[1]),
}
"""How each kind of constant is made."""


def plain_image(program: Program, machine: Machine, source: SourceFile, directory: str) -> Image:
    """A plain program in an evaluation."""
    return Image(program, machine, source, directory, NAMES, MAKERS)

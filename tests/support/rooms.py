"""The rooms of the house: the table of `docs/architecture.md`, and who imports whom.

A room is a row of the table: one or more paths below `src/wherefrom`, each a directory (`puppet/kernel/`) or a file
(`api.py`), and the rooms that it may import. A module belongs to the row with the longest path that holds it.

Every import counts: at the top of a module, inside a function, for the type checker alone, and by `import_module`. Of
the last, a text that is given as it stands is one module; one that is put together names everything below what is
known of it (`f"wherefrom.cli.{name}"`); and every text of such a module that is the name of one of ours may be meant.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wherefrom.base.components import cyclic_components

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = "wherefrom"


@dataclass(frozen=True)
class Room:
    """A row of the table.  `name` is the first of its paths, with dots, below the package."""

    name: str
    paths: tuple[str, ...]
    allowed: frozenset[str]


@dataclass(frozen=True)
class Import:
    """One import: who, in which line, what."""

    importer: str
    line: int
    target: str


# --- the page --------------------------------------------------------------------------------------------------------


def rows_below(heading: str, page: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its own head."""
    _, _, below = page.partition(f"\n{heading}\n")
    lines = below.partition("\n## ")[0].splitlines()
    start = next((index for index, line in enumerate(lines) if line.startswith("|")), len(lines))
    table: list[list[str]] = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return table[2:]


def quoted(cell: str) -> list[str]:
    """The words of a cell that stand in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def room_name(path: str) -> str:
    """`puppet/kernel/` is called `puppet.kernel`, `api.py` is called `api`; a package's own file, as the package."""
    return path.removesuffix("__init__.py").removesuffix(".py").strip("/").replace("/", ".")


def rooms_of(page: str) -> dict[str, Room]:
    """The rooms of the page, by name."""
    rooms: dict[str, Room] = {}
    for place, _, allowed in rows_below("## The layers", page):
        paths = tuple(quoted(place))
        name = room_name(paths[0])
        rooms[name] = Room(name, paths, frozenset(map(room_name, quoted(allowed))))
    return rooms


def cycles_of(page: str) -> dict[frozenset[str], str]:
    """The cycles that the page says stay, with their reasons."""
    return {
        frozenset(map(room_name, quoted(modules))): reason
        for modules, reason in rows_below("### Cycles that stay", page)
    }


# --- the code --------------------------------------------------------------------------------------------------------


def modules_of(source: Path) -> dict[str, Path]:
    """The modules below `source`, named without the package; the package's own face has no name."""
    found: dict[str, Path] = {}
    for path in sorted((source / PACKAGE).rglob("*.py")):
        parts = path.relative_to(source / PACKAGE).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports_of(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[Import]:
    """Everything of ours that a module may import."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    dynamic = False
    for node in ast.walk(tree):
        targets: Iterable[str] = ()
        if isinstance(node, ast.ImportFrom):
            targets = _targets(node, package, modules)
        elif isinstance(node, ast.Import):
            targets = [inner for alias in node.names if (inner := _inside(alias.name)) is not None]
        elif isinstance(node, ast.Call) and _is_import_call(node.func):
            dynamic = True
            targets = _called(node, name, package, modules)
        for target in targets:
            if target != name and target in modules:
                yield Import(name, getattr(node, "lineno", 0), target)
    if dynamic:
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                inner = _inside(node.value)
                if inner and inner != name and inner in modules:
                    yield Import(name, node.lineno, inner)


def _inside(dotted: str) -> str | None:
    """A name without the package, or nothing if it is none of ours."""
    if dotted == PACKAGE:
        return ""
    return dotted.removeprefix(f"{PACKAGE}.") if dotted.startswith(f"{PACKAGE}.") else None


def _targets(node: ast.ImportFrom, package: str, modules: Mapping[str, Path]) -> Iterator[str]:
    if node.level:
        parts = package.split(".") if package else []
        base: str | None = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
    else:
        base = _inside(node.module or "")
    if base is None:
        return
    for alias in node.names:
        inner = f"{base}.{alias.name}" if base else alias.name
        if inner in modules:
            yield inner
        yield base


def _is_import_call(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def _called(node: ast.Call, name: str, package: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """What `import_module(...)` may import: one module, or everything below what is known of its name."""
    argument = node.args[0] if node.args else None
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        inner = _inside(argument.value)
        if inner is not None:
            yield inner
    elif isinstance(argument, ast.JoinedStr):
        known = ""
        for part in argument.values:
            if isinstance(part, ast.Constant):
                known += str(part.value)
            elif isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name):
                own = {"__package__": package, "__name__": name}.get(part.value.id)
                if own is None:
                    break
                known += f"{PACKAGE}.{own}" if own else PACKAGE
            else:
                break
        below = _inside(known.rstrip("."))
        if below:  # what is known to be ours alone is told by the texts of the module
            yield from (module for module in modules if module.startswith(f"{below}."))


def room_of(module: str, rooms: Mapping[str, Room]) -> str | None:
    """The room of a module: the one with the longest path that holds it."""
    best: tuple[int, str] | None = None
    for room in rooms.values():
        for path in room.paths:
            held = room_name(path)
            if module == held or (path.endswith("/") and module.startswith(f"{held}.")):
                if best is None or len(held) > best[0]:
                    best = (len(held), room.name)
    return None if best is None else best[1]


# --- what is wrong ---------------------------------------------------------------------------------------------------


def all_imports(modules: Mapping[str, Path]) -> list[Import]:
    """Every import of every module."""
    return [found for name, path in modules.items() for found in imports_of(name, path, modules)]


def components(graph: Mapping[str, Iterable[str]]) -> list[frozenset[str]]:
    """The strongly connected components of more than one node."""
    cyclic = cyclic_components({node: sorted(targets) for node, targets in graph.items()})
    return [frozenset(component) for component in cyclic if len(component) > 1]


def complaints(source: Path, page: str, largest_cycle: int) -> list[str]:
    """Everything that does not agree with the page, in words."""
    rooms, modules = rooms_of(page), modules_of(source)
    imports = all_imports(modules)
    homes = {module: room_of(module, rooms) for module in modules}
    wrong = [f"{module or PACKAGE} is in no room" for module, room in homes.items() if room is None]
    for room in rooms.values():
        wrong += [f"room {room.name} may import {other}, which is no room" for other in room.allowed - rooms.keys()]
        empty = [path for path in room.paths if not (source / PACKAGE / path).exists()]
        wrong += [f"room {room.name} has the path {path}, which is not there" for path in empty]
    between: dict[str, set[str]] = {name: set() for name in rooms}
    inside: dict[str, set[str]] = {name: set() for name in modules}
    for each in imports:
        here, there = homes[each.importer], homes[each.target]
        inside[each.importer].add(each.target)
        if here is None or there is None or here == there:
            continue
        between[here].add(there)
        if there not in rooms[here].allowed:
            wrong.append(f"{each.importer or PACKAGE}:{each.line} imports {each.target or PACKAGE}: {here} -> {there}")
    wrong += [f"a cycle between rooms: {', '.join(sorted(cycle))}" for cycle in components(between)]
    named = cycles_of(page)
    for cycle in components(inside):
        shown = ", ".join(sorted(cycle))
        if len(cycle) > largest_cycle:
            wrong.append(f"a cycle of {len(cycle)} modules: {shown}")
        if not named.pop(cycle, ""):
            wrong.append(f"a cycle that the page does not name: {shown}")
    wrong += [f"no such cycle: {', '.join(sorted(each))}" for each in named]
    return sorted(set(wrong))

"""An environment by its parts: what depends on a changed file is forgotten; what finished runs keep stays."""

from __future__ import annotations

from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile, Span
from wherefrom.language import Inputs
from wherefrom.puppet.environment.environment import Environment
from wherefrom.puppet.program import CatalogProgram, open_environment
from wherefrom.puppet.runtime.compilation import Compilation
from wherefrom.puppet.runtime.inputs import NodeInputs
from wherefrom.puppet.runtime.phases import compile_catalog, new_compilation

FIRST = "modules/a/manifests/init.pp"
FILES = {
    "manifests/site.pp": "if $facts['x'] { include a }\nnotify { 'n': }",
    FIRST: "class a { include b }",
    "modules/b/manifests/init.pp": "class b { }",
    "modules/c/manifests/init.pp": "class c { }",
}


def opened() -> Environment:
    return open_environment(".", PureHost(FILES), Inputs())


def change(environment: Environment, text: str) -> None:
    """Let the first module's file be another, and say so."""
    host = PureHost({**FILES, FIRST: text})
    environment.host = environment.path.host = host
    assert environment.changed([FIRST])


def test_summaries_follow_the_files() -> None:
    """What a class would lead to is what its file says now."""
    environment = opened()
    assert sorted(environment.class_summaries()["a"].classes) == ["a", "b"]
    change(environment, "class a { include c }")
    assert sorted(environment.class_summaries()["a"].classes) == ["a", "c"]


def test_finished_runs_keep_what_they_had() -> None:
    """A run that is over sees the code that it ran."""
    environment = opened()
    outcome = CatalogProgram(environment).run(Inputs("n", {"x": True}))
    old = environment.find_class("a")
    change(environment, "class a { include c }")
    assert outcome.run.environment is not environment
    assert outcome.run.environment.find_class("a") is old
    assert sorted(outcome.run.environment.class_summaries()["a"].classes) == ["a", "b"]
    assert environment.find_class("a") is not old
    again = CatalogProgram(environment).run(Inputs("n", {"x": True}))
    assert again.document()["classes"] == ["settings", "a", "c"]


def test_every_definition_knows_its_file() -> None:
    """Forgetting a file takes its classes and defines, and no others."""
    environment = opened()
    CatalogProgram(environment).run(Inputs("n", {"x": True}))
    assert set(environment.index.classes) == {"a", "b"}
    environment.index.forget([FIRST])
    assert set(environment.index.classes) == {"b"}


# --- one environment, many runs ---

SHARED = {
    "/code/modules/web/manifests/init.pp": "class web { web::port { 'a': port => 80 } }",
    "/code/modules/web/manifests/port.pp": 'define web::port(Integer $port) { notify { "port ${port} \\q": } }',
}


def held_by(environment: Environment) -> dict[str, object]:
    """What an environment holds: its attributes and those of its parts, tables with what is in them."""
    parts = {
        "": environment,
        "index.": environment.index,
        "types.": environment.types,
        "path.": environment.path,
    }
    return {
        prefix + name: dict(value) if isinstance(value, dict) else set(value) if isinstance(value, set) else value
        for prefix, part in parts.items()
        for name, value in vars(part).items()
        if name != "_runs"  # weak references: those who are told when a file changes
    }


def test_an_environment_holds_nothing_of_a_run() -> None:
    """Not while it reads for one, and a second run leaves it as it was."""
    seen: list[object] = []

    class Looking(PureHost):
        """Looks at the environment whenever a file of it is read."""

        def read_bytes(self, path: str, at: Span | None = None) -> bytes:
            seen.extend(held_by(environment).values())
            return super().read_bytes(path, at)

    environment = Environment(Looking(SHARED), [SourceFile("/code/site.pp", "include web")], ["/code/modules"])
    logs = []
    before: dict[str, object] = {}
    for _ in range(3):
        run = new_compilation(environment, NodeInputs("n", {}))
        compile_catalog(run)
        logs.append([log.message for log in run.logs])
        after = held_by(environment)
        assert not before or {name for name, value in after.items() if value != before[name]} == set()
        before = after
    assert len(seen) > 20
    assert not [value for value in (*seen, *before.values()) if isinstance(value, Compilation)]
    assert logs[0] == logs[1] == logs[2] == ["Unrecognized escape sequence '\\q'"]


def test_two_runs_of_one_environment_at_once() -> None:
    """Each hears what is wrong with the files that it uses, though one of them makes them be read."""
    environment = Environment(PureHost(SHARED), [SourceFile("/code/site.pp", "include web")], ["/code/modules"])
    outer = new_compilation(environment, NodeInputs("outer", {}))
    inner = new_compilation(environment, NodeInputs("inner", {}))
    with environment.serving(outer):
        compile_catalog(inner)
        environment.find_type("web::port")
    for run in (outer, inner):
        assert [log.message for log in run.logs] == ["Unrecognized escape sequence '\\q'"]

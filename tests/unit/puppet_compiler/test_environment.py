"""An environment by its parts: what hangs on a file is forgotten with it, and what finished runs keep is left alone."""

from __future__ import annotations

from whence.base.host import PureHost
from whence.language import Inputs
from whence.puppet.environment.environment import Environment
from whence.puppet.program import Program, open_environment

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
    outcome = Program(environment).run(Inputs("n", {"x": True}))
    old = environment.find_class("a")
    change(environment, "class a { include c }")
    assert outcome.run.environment is not environment
    assert outcome.run.environment.find_class("a") is old
    assert sorted(outcome.run.environment.class_summaries()["a"].classes) == ["a", "b"]
    assert environment.find_class("a") is not old
    again = Program(environment).run(Inputs("n", {"x": True}))
    assert again.document()["classes"] == ["settings", "a", "c"]


def test_every_definition_knows_its_file() -> None:
    """Forgetting a file takes its classes and defines, and no others."""
    environment = opened()
    Program(environment).run(Inputs("n", {"x": True}))
    assert set(environment.index.classes) == {"a", "b"}
    environment.index.forget([FIRST])
    assert set(environment.index.classes) == {"b"}

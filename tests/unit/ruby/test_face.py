"""The public face of the Ruby room: programs, templates, host objects, doors, errors."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.budget import Budget, OverBudget
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.ruby import (
    MISSING,
    Class,
    HostObject,
    Interpreter,
    Module,
    NotSupported,
    RubyError,
    RubyRefused,
    RubySyntaxError,
    Symbol,
    World,
    compile_erb,
    compile_ruby,
)
from wherefrom.ruby.classes import OBJECT, error


def run(text: str, world: World | None = None) -> Any:
    return Interpreter(world).run(compile_ruby(text))


class Scope(HostObject):
    """What a template is rendered with."""

    def __init__(self, **variables: Any) -> None:
        self.ruby_variables = {f"@{name}": value for name, value in variables.items()}

    ruby_class = Class("Scope", OBJECT, natives={"twice": lambda i, self, a, block: a[0] * 2})


def render(text: str, **variables: Any) -> Any:
    return compile_erb(text).render(Interpreter(), Scope(**variables))


def test_values_are_pythons_own() -> None:
    """Arrays are lists, hashes dictionaries, strings texts."""
    assert run("[nil, true, 1, 2.5, 'a', :b, {'k' => [1]}]") == [None, True, 1, 2.5, "a", Symbol("b"), {"k": [1]}]


def test_a_changed_string_leaves_as_a_plain_text() -> None:
    """The box round a string that can change never leaves Ruby."""
    value = run("s = 'a'; t = s; s << 'b'; [s, {'x' => t}]")
    assert value == ["ab", {"x": "ab"}]
    assert type(value[0]) is str and type(value[1]["x"]) is str


def test_containers_are_shared_with_the_host() -> None:
    """A template that appends to an array changes the caller's list."""
    items = [1]
    assert render("<% @items << 2 %><%= @items.size %>", items=items) == "2"
    assert items == [1, 2]


def test_templates_trim_as_erb_does() -> None:
    """Mode `-`."""
    text = "a\n  <%- if @x -%>\n  yes\n<% end -%>\nz<%# gone %> <%% %>\n"
    assert render(text, x=True) == "a\n  yes\nz <% %>\n"
    assert render(text, x=None) == "a\nz <% %>\n"


def test_host_methods_are_a_closed_table() -> None:
    """A method in the table works; a Python attribute is not to be had."""
    assert render("<%= twice 'ab' %>") == "abab"
    with pytest.raises(RubyError) as caught:
        render("<%= self.ruby_variables %>")
    assert caught.value.class_name == "NoMethodError"


class Constants(World):
    """A world with one module."""

    def constant(self, interpreter: Interpreter, scope: Module | None, name: str) -> Any:
        if scope is None and name == "Host":
            return Module("Host", own={"make": self.make})
        return MISSING

    def make(self, interpreter: Interpreter, receiver: Any, arguments: list[Any], block: Any) -> Any:
        cls = Class("Made", OBJECT)
        interpreter.call_with_self(block, cls, [], cls)
        return interpreter.send(interpreter.instantiate(cls), "hello", arguments)


def test_a_host_module_runs_a_block_as_a_class_body() -> None:
    """`def` inside such a block defines methods of the class."""
    assert run("Host.make('x') do\n def hello(a) = \"hello #{a}\"\nend", Constants()) == "hello x"
    with pytest.raises(RubyError, match="uninitialized constant Other"):
        run("Other", Constants())


def test_errors_know_class_message_and_place() -> None:
    """The innermost place comes first."""
    source = SourceFile("f.rb", "def f(a)\n  a.fetch('k')\nend\n\nf({})\n")
    with pytest.raises(RubyError) as caught:
        Interpreter().run(compile_ruby(source))
    assert caught.value.class_name == "KeyError"
    assert caught.value.message == 'key not found: "k"'
    assert [span.line for span in caught.value.places] == [2, 5]
    assert caught.value.is_a("StandardError")


def test_template_errors_point_into_the_template() -> None:
    """Spans are those of the template, not of the Ruby it became."""
    with pytest.raises(RubyError) as caught:
        compile_erb("a\n<% if true %>\nß <%= nil.upcase %>\n<% end %>", "t.erb").render(Interpreter(), Scope())
    span = caught.value.span
    assert span is not None and (span.place, span.text) == ("t.erb:3:7", "nil.upcase")


def test_a_host_can_raise_ruby_errors() -> None:
    """Ruby code can rescue them."""

    def fail(interpreter: Interpreter, self: Any, arguments: list[Any], block: Any) -> Any:
        raise error("ArgumentError", "no good")

    class Failing(World):
        def constant(self, interpreter: Interpreter, scope: Module | None, name: str) -> Any:
            return Module("Bad", own={"fail": fail})

    assert run("begin; Bad.fail; rescue ArgumentError => e; e.message; end", Failing()) == "no good"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("def", RubySyntaxError),
        ("`ls`", RubyRefused),
        ("system('ls')", RubyRefused),
        ("case 1\nin Integer then 2\nend", NotSupported),
    ],
)
def test_what_is_outside_is_a_diagnostic(text: str, kind: type[Diagnostic]) -> None:
    """Never a Python exception, and with a place."""
    with pytest.raises(kind) as caught:
        run(text)
    assert caught.value.span is not None


def test_no_rescue_catches_a_diagnostic() -> None:
    """A refusal ends the run."""
    with pytest.raises(RubyRefused):
        run("begin; system('ls'); rescue Exception; 1; end")
    with pytest.raises(OverBudget):
        Interpreter(budget=Budget(steps=1000)).run(compile_ruby("begin; loop { }; rescue Exception; 1; end"))

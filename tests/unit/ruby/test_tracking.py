"""Origins through Ruby: fragments, conditions, stored values, changes in place; and that they are sound."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from support import ruby_programs
from support.ruby_programs import template
from wherefrom.base.budget import Budget
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.provenance.extract import depends, where
from wherefrom.provenance.origins import BUILT_IN, Items, Leaf, Origin
from wherefrom.ruby import Class, HostObject, Interpreter, RubyError, compile_erb, compile_ruby
from wherefrom.ruby.classes import OBJECT
from wherefrom.ruby.tracking import Rendered, Tracker


class Scope(HostObject):
    """Variables that know where they come from."""

    ruby_class = Class("Scope", OBJECT)

    def __init__(self, variables: dict[str, Any], origins: dict[str, Origin] | None = None) -> None:
        self.ruby_variables = {f"@{name}": value for name, value in variables.items()}
        self.origins = {f"@{name}": origin for name, origin in (origins or {}).items()}

    def ruby_origin(self, name: str) -> Origin:
        return self.origins.setdefault(name, Leaf("fact", name.lstrip("@"), None, None))


def render(text: str, origins: dict[str, Origin] | None = None, **variables: Any) -> Rendered:
    interpreter = Interpreter(budget=Budget(steps=50_000, depth=20_000), tracker=Tracker())
    return compile_erb(text, "t.erb").render_tracked(interpreter, Scope(variables, origins))


def facts(origin: Origin) -> set[str]:
    """The names of the inputs that an origin depends on."""
    return {leaf.name for leaf in depends(origin) if leaf.kind == "fact"}


def pieces(rendered: Rendered) -> list[tuple[str, set[str]]]:
    return [(rendered.text[start:end], facts(origin)) for start, end, origin in rendered.fragments if end > start]


def test_fragments_have_their_own_origins() -> None:
    """Literal text is a place in the template; an output is what it reads."""
    rendered = render("a <%= @x %> b <%= @y + @z %>", x="1", y="2", z="3")
    assert pieces(rendered) == [("a ", set()), ("1", {"x"}), (" b ", set()), ("23", {"y", "z"})]
    leaf = where(rendered.fragments[0][2])
    assert leaf is not None and leaf.span is not None and leaf.span.place == "t.erb:1:1"


def test_a_printed_variable_is_a_copy() -> None:
    """`where` goes through to the input."""
    leaf = where(render("<%= @x %>", x="1").fragments[0][2])
    assert leaf is not None and leaf.name == "x"


def test_elements_keep_their_origins() -> None:
    """A key of a hash is not the whole hash."""
    shadow = Items({"a": Leaf("fact", "h.a", None, 1), "b": Leaf("fact", "h.b", None, 2)}, BUILT_IN)
    assert pieces(render("<%= @h['a'] %>", {"h": shadow}, h={"a": "1", "b": "2"})) == [("1", {"h.a"})]


def test_conditions_and_loops_count() -> None:
    """What stands inside depends on them; what does not, does not."""
    rendered = render("<% if @c %>yes<% end %><% @l.each do |v| %>[<%= v %>]<% end %>end", c=True, l=["p"])
    assert pieces(rendered) == [("yes", {"c"}), ("[", {"l"}), ("p", {"l"}), ("]", {"l"}), ("end", set())]


def test_a_branch_not_taken_counts() -> None:
    """What it would have assigned or written is attributed to the test."""
    assert pieces(render("<% w = '1' %><% if @c then w = '2' end %><%= w %>", c=None)) == [("1", {"c"})]
    absent = render("<% if @c %>text<% end %>", c=None)
    assert absent.text == "" and facts(absent.origin) == {"c"}


def test_stored_values_are_noted_again() -> None:
    """A local, an instance variable, an array that was changed."""
    assert pieces(render("<% a = @x %><% b = a + 'k' %><%= b %>", x="1")) == [("1k", {"x"})]
    assert pieces(render("<% @n = @x %>-<%= @n %>", x="1")) == [("-", set()), ("1", {"x"})]
    text = "<% l = [] %><% @l.each { |v| l << v } %>-<%= l.join %>"
    assert pieces(render(text, l=["p", "q"])) == [("-", set()), ("pq", {"l"})]
    nested = "<% h = {'a' => []} %><% b = h['a'] %><% b << @x %><%= h.inspect %>"
    assert pieces(render(nested, x="1"))[-1][1] == {"x"}


def test_the_host_learns_what_was_changed() -> None:
    """A changed container is reported with the origin of the change."""
    items = ["a"]
    interpreter = Interpreter(tracker=Tracker())
    compile_erb("<% @l << @x %>").render_tracked(interpreter, Scope({"l": items, "x": "b"}))
    ((container, origin),) = interpreter.tracker.changed.values()
    assert container is items == ["a", "b"] and facts(origin) == {"l", "x"}


def test_a_function_hangs_on_what_it_reads() -> None:
    """`traced` gives a value with the union of its reads, tests included."""
    interpreter = Interpreter(tracker=Tracker())
    interpreter.run(compile_ruby("def pick(a, b)\n  return a unless a.nil?\n  b\nend"))
    one, two = Leaf("fact", "one", None, None), Leaf("fact", "two", None, 2)
    value, origin = interpreter.tracker.traced(lambda: interpreter.send(interpreter.main, "pick", [None, 2]), one, two)
    assert value == 2 and facts(origin) == {"one", "two"}


def test_lines_of_the_text() -> None:
    """The fragments of one line."""
    rendered = render("first <%= @a %>\nsecond <%= @b %>\n", a="1", b="2")
    assert {name for _, _, origin in rendered.at_line(2) for name in facts(origin)} == {"b"}


ODD = [
    "<% if @y then w = 1 end %>", "<%= w.inspect %>", "<% acc = [] %>", "<% @list.each { |v| acc << v } %>",
    "<%= acc.inspect %>", "<% q = @x || @y %>", "<%= q %>", "<% @list << @y if @x %>", "<%= @list.inspect %>",
    "<% h = {'a' => @list} %>", "<%= h.inspect %>", "<% @z = @x %>", "<%= @z %>", "<%= e.inspect %>",
    "<% begin; Integer(@x); rescue ArgumentError; e = @y; end %>", "<% i = 0; i += 1 while i < @list.size %>",
    "<%= i %>", "<% s = @x.to_s.dup; s << 'k' %>", "<%= s %>", "<% def m(a) a == 'ex' ? 1 : 2 end %>",
    "<%= m(@x) %>", "<% r = case @x when 'ex' then @y else 5 end %>", "<%= r.inspect %>", "<% t = @x && (u = @y) %>",
    "<%= u.inspect %>", "<%= @list.inject { |a, b| a + b } %>", "<% @list.each { |v| next if v == @x; k = v } %>",
]  # fmt: skip
CHANGES: dict[str, list[Any]] = {
    "x": [None, "other"],
    "y": ["Y", None],
    "list": [[], ["ex"], ["a", "b", "c"]],
    "hash": [{}, {"k": "z"}],
}
BASE: dict[str, Any] = {"x": "ex", "y": None, "list": ["p", "q"], "hash": {"k": "v", "b": 2}}


def outcome(text: str, variables: dict[str, Any]) -> Rendered | str:
    try:
        return render(text, None, **json.loads(json.dumps(variables)))
    except RubyError as problem:
        return f"{problem.class_name}: {problem.message}"
    except Diagnostic as problem:
        return type(problem).__name__


def test_origins_are_sound(monkeypatch: Any) -> None:
    """A variable that a text does not depend on can be changed without changing the text; fragments likewise."""
    monkeypatch.setattr(ruby_programs, "PIECES", [*ruby_programs.PIECES, *ODD])
    random = Random(5)
    rendered_count = 0
    for _ in range(400):
        text = template(random)
        before = outcome(text, BASE)
        if isinstance(before, str):
            continue
        rendered_count += 1
        whole = facts(before.origin)
        for name, values in CHANGES.items():
            for value in values:
                after = outcome(text, {**BASE, name: value})
                if name not in whole:
                    assert not isinstance(after, str) and after.text == before.text, (text, name, value)
                elif not isinstance(after, str) and len(after.fragments) == len(before.fragments):
                    for (start, end, origin), (start_2, end_2, _) in zip(before.fragments, after.fragments):
                        same = before.text[start:end] == after.text[start_2:end_2]
                        assert same or name in facts(origin), (text, name, value)
    assert rendered_count > 50


COUNTER = "class Counter; def initialize; @n = 0; end; def bump; @n += 1; end; def n; @n; end; end; c = Counter.new; "


def test_a_method_of_the_program_may_do_anything() -> None:
    """Whatever its name: what a branch not taken would have changed by a method of its own depends on the test."""
    assert pieces(render(f"<% {COUNTER} c.bump if @c %><%= c.n %>", c=None)) == [("0", {"c"})]
    listed = "class List; def initialize; @l = []; end; def map(x); @l << x; end; def l; @l; end; end; o = List.new; "
    assert pieces(render(f"<% {listed} o.map(1) if @c %><%= o.l.size %>", c=None)) == [("0", {"c"})]
    either = f"<% {COUNTER} @c && c.bump %><%= c.n %>"
    assert pieces(render(either, c=None)) == [("0", {"c"})]


def test_a_block_given_to_a_method_of_the_program_sees_earlier_rounds() -> None:
    """A method called `map` that the program wrote may hand a block what came of it before."""
    chain = "class Chain; def map; a = yield('s'); yield(a); end; end; r = []; "
    text = f"<% {chain} Chain.new.map {{ |x| r << x; @v }} %><%= r[1] %>"
    assert pieces(render(text, v="p")) == [("p", {"v"})]


def test_a_set_changed_in_a_branch() -> None:
    """What a set holds depends on the condition under which `delete?` takes an element out, taken or not."""
    text = "<% s = Set.new([1]); if @a then s.delete?(1) end %><%= s.size %>"
    for value in (True, False):
        assert pieces(render(text, a=value)) == [(str(1 - value), {"a"})]

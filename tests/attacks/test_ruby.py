"""Attacks by Ruby code: every way out is refused, every bomb is bounded."""

from __future__ import annotations

import contextlib
import sys
from random import Random
from typing import Any

import pytest

from wherefrom.base.budget import Budget
from wherefrom.base.diagnostics import Diagnostic, LimitReached
from wherefrom.ruby import Interpreter, NativeProc, RubyError, RubyRefused, compile_erb, compile_ruby
from wherefrom.ruby.errors import Jump
from wherefrom.ruby.manual import modules

SMALL = {"steps": 50_000, "elements": 100_000, "characters": 1_000_000, "pairs": 100_000, "depth": 8_000}


def attempt(text: str) -> Any:
    return Interpreter(budget=Budget(**SMALL)).run(compile_ruby(text))


REFUSED = [
    "`id`",
    "%x(id)",
    "system('id')",
    "exec 'id'",
    "spawn('id')",
    "fork { }",
    "Kernel.open('|id')",
    "open('|id')",
    "Kernel.system('id')",
    "send(:system, 'id')",
    "__send__(:exec, 'id')",
    "public_send('syst' + 'em', 'id')",
    "method(:system).call('id')",
    "Object.const_get('IO').popen('id')",
    "IO.popen('id')",
    "IO.read('/etc/passwd')",
    "File.read('|id')",
    "File.read('/etc/passwd')",
    "File.open('/tmp/x', 'w') { |f| f << 'a' }",
    "File.exist?('/etc/passwd')",
    "Dir.glob('/*')",
    "eval('1 + 1')",
    "instance_eval('1')",
    "Object.class_eval('1')",
    "binding",
    "Object.new.instance_eval('system(1)')",
    "ObjectSpace.each_object { }",
    "Process.pid",
    "Thread.new { }",
    "Marshal.load('x')",
    "ENV['HOME']",
    "ENV.fetch('HOME')",
    "TCPSocket.new('a', 1)",
    "Net::HTTP.get('a')",
    "Resolv.getaddress('a')",
    "Open3.capture2('id')",
    "require 'open3'; Open3.capture2('id')",
    "at_exit { }",
    "exit",
    "exit!(0)",
    "abort('x')",
    "sleep 100",
    "trap('INT') { }",
    "gets",
    "rand",
    "[1, 2].shuffle",
    "Random.new.rand",
    "SecureRandom.hex",
    "Time.now",
    "object_id",
    "class String; def upcase; 'x'; end; end",
    "class Object; def x; end; end",
    "module Kernel; def system(*a); end; end",
    "String.class_eval { def upcase; 'x'; end }",
    "String.define_method(:upcase) { 'x' }",
    "String.send(:define_method, :upcase) { 'x' }",
    "def String.new; 1; end",
    "class << String; def new; 1; end; end",
    "String.extend(Module.new)",
    "Integer.include(Module.new)",
    "String.send(:alias_method, :upcase, :downcase)",
    "String.remove_method(:upcase)",
    "ERB.new('<%= 1 %>').result",
    "RubyVM::InstructionSequence.compile('1')",
    "TracePoint.new(:call) { }",
    "Fiddle.dlopen(nil)",
]


@pytest.mark.parametrize("text", REFUSED)
def test_ways_out_are_refused(text: str) -> None:
    """A clear error with the Ruby line; nothing that Ruby code could rescue."""
    with pytest.raises((RubyRefused, RubyError)) as caught:
        attempt(text)
    if isinstance(caught.value, RubyError):
        assert caught.value.class_name in ("NoMethodError", "NameError"), caught.value


@pytest.mark.parametrize(
    "text",
    [
        "nil.__class__",
        "''.__globals__",
        "[].__reduce__",
        "self.__dict__",
        "1.real.imag.__init__",
        "send('__class__')",
        "Object.new.ivars",
        "Object.new.cls",
        "method(:puts).run",
        "->(){}.frame",
        "Class.new.find('x')",
        "'%s'.format(1)",
        "'{0.__class__}' % []",
        "'a'.instance_variable_get(:@value).foo",
        "Symbol.mro",
        "Object.const_get('Interpreter')",
        "Object.const_get('__builtins__')",
        "Kernel.const_get(:Sys)",
    ],
)
def test_python_is_not_to_be_had(text: str) -> None:
    """No attribute of a Python object is reachable by name."""
    try:
        value = attempt(text)
    except (RubyError, Diagnostic):
        return
    assert value is None or isinstance(value, str), value


BOMBS = [
    "'a' * 10**12",
    "s = 'a'; 60.times { s << s }; s.size",
    "s = 'a'; 60.times { s = s + s }; s.size",
    "s = 'ab'; 60.times { s = \"#{s}#{s}\" }; s.size",
    "s = StringIO.new; s.pos = 10**12; s << 'a'",
    "StringIO.new.truncate(10**12)",
    "s = StringIO.new('a'); 60.times { s << s.string }; s.size",
    "[1] * 10**12",
    "Array.new(10**12)",
    "a = []; a[10**12] = 1",
    "a = [1]; 60.times { a = a + a }; a.size",
    "a = [1]; 60.times { a.concat(a) }; a.size",
    "a = [1]; a.each { |x| a << x }",
    "(1..10**12).to_a",
    "(1..Float::INFINITY).map { |x| x }",
    "('a'..'zzzzzzzzzz').to_a",
    "(1..10**9).each { }",
    "10**10**10",
    "2 ** (2 ** 40)",
    "1 << 10**12",
    "x = 2; 60.times { x = x * x }; x",
    "loop { }",
    "while true; end",
    "begin; x = 1; end while true",
    "1.step { }",
    "[1].cycle { }",
    "[1].cycle(&:to_s)",
    "loop(&:itself)",
    "(10**12).times(&:to_s)",
    "1.upto(10**12, &:to_s)",
    "def f = f; f",
    "def f(n) = f(n + 1) + 1; f(0)",
    "f = ->(x) { f.(x) }; f.(1)",
    "class A; def method_missing(n, *a) = send(n.to_s + 'x'); end; A.new.go",
    "def f(n) = n.zero? ? 0 : [1].map { f(n + 1) }; f(1)",
    "h = Hash.new { |k, v| k[v + 1] }; h[1]",
    "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].permutation.to_a",
    "(1..40).to_a.combination(20).to_a",
    "([(1..100).to_a] * 10).inject { |a, b| a.product(b) }",
    "'x'.ljust(10**12)",
    "'%1000000000d' % 1",
    "'a'.gsub(/a/) { 'a' * 10**12 }",
    "a = []; b = a; 60.times { b = [b, b] }; b.inspect",
    "a = []; b = a; 60.times { b = [b, b] }; b.flatten.size",
    "a = []; b = a; 60.times { b = [b, b] }; b.to_json",
    "b = []; c = []; 60.times { b = [b, b]; c = [c, c] }; b == c",
    "a = []; a << a; a.flatten",
    "a = [1]; a << a; a.join",
    '20000.times.map { |i| "s#{i}".to_sym }; loop { }',
    "begin; begin; raise 'x'; rescue; retry; end; end",
    "catch(:a) { loop { catch(:b) { throw :b } } }",
    "x = 'a' * 50 + '!'; 100.times { x =~ /(a+)+$/ }; loop { }",
    "def d(n, &b) = n == 0 ? b.call : d(n - 1) { b.call }; d(100_000) { 1 }",
    "'a' * 3_000_000",
]


@pytest.mark.parametrize("text", BOMBS)
def test_bombs_are_bounded(text: str) -> None:
    """Out of the budget, or Ruby's own error; never a crash, never a hang."""
    with pytest.raises((LimitReached, RubyError)):
        attempt(text)


def test_regular_expressions_take_bounded_time() -> None:
    """What would take forever in a backtracking matcher has an answer."""
    assert attempt("('a' * 40 + '!') =~ /\\A(a+)+\\z/") is None
    assert attempt("('a' * 30).match?(/(a|a)*b/)") is False


def test_deep_text_is_no_crash() -> None:
    """Parentheses and arrays nested thousands deep."""
    for text in ("(" * 3_000 + "1" + ")" * 3_000, "[" * 3_000 + "]" * 3_000, "-" * 3_000 + "1", "!" * 5_000 + "1"):
        limit = sys.getrecursionlimit()
        with contextlib.suppress(Diagnostic, RubyError):
            attempt(text)
        assert sys.getrecursionlimit() == limit


def test_templates_are_bounded_too() -> None:
    """Loops that write."""
    with pytest.raises(LimitReached):
        compile_erb("<% loop do %>xxxxxxxxxxxxxxxxxxxxxxxxxxx<% end %>").render(
            Interpreter(budget=Budget(**SMALL)), None
        )


def test_no_rescue_and_no_ensure_saves_a_bomb() -> None:
    """The end is the end."""
    with pytest.raises(LimitReached):
        attempt("begin; loop { }; rescue Exception; loop { }; ensure; 1; end")


def test_one_run_leaves_nothing_to_the_next() -> None:
    """Constants, globals and classes belong to their interpreter."""
    attempt("X = 1; $g = 2; class Mine; def a = 1; end")
    for text in ("X", "Mine"):
        with pytest.raises(RubyError, match="uninitialized constant"):
            attempt(text)
    assert attempt("$g") is None


def test_any_method_with_any_arguments() -> None:
    """Every method of every class, on odd receivers and arguments: a value, a Ruby error or a diagnostic."""
    random = Random(8)
    names = sorted({name for module in modules() for name in module.methods})
    for _ in range(40):
        interpreter = Interpreter(
            budget=Budget(steps=2_000, elements=2_000, characters=50_000, pairs=2_000, depth=4_000)
        )
        values = interpreter.run(compile_ruby(ODD_VALUES))
        for _ in range(40):
            arguments = [random.choice(values) for _ in range(random.randint(0, 3))]
            block = random.choice([None, NativeProc(lambda given: given[0] if given else None)])
            with contextlib.suppress(RubyError, Diagnostic, Jump):
                interpreter.send(random.choice(values), random.choice(names), arguments, block)


ODD_VALUES = """
['', 'abc', "a\nb", 0, -3, 2.5, 10**20, nil, true, :a, [], [1, 'a', nil], [[1, 2]], {}, {'a' => 1, b: 2}, 1..3,
 'a'..'c', /a(b)?/, ->(x) { x }, Set.new([1]), Struct.new(:a).new(1), Object.new, ArgumentError.new('x'),
 /a/.match('abc'), [1, 2].each, Time.at(0), IPAddr.new('10.0.0.0/8'), URI.parse('http://a/b'), Random.new(1),
 Float::NAN, Float::INFINITY, String, Comparable, StringIO.new('x'), Gem::Version.new('1.2')]
"""

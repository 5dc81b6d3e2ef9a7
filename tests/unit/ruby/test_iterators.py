"""Iterators without a block, with odd ones, and places that are ranges: recorded from Ruby 3.1."""

from __future__ import annotations

import pytest

from support.ruby_programs import ask_wherefrom

SAID = {
    "[1, 2].product([3]) { |x| x }": "[1, 2]",
    "log = []; [1, 2].product([3]) { |x, y| log << [y, x] }; log": "[[3, 1], [3, 2]]",
    "[1, 3, 5].bsearch { |x| 3 <=> x }": "3",
    "[1, 3, 5].bsearch { |x| 0.0 }": "3",
    "[[1, 2]].each.with_index.map { |x| x }": "[[1, 2]]",
    "[4, 5].each.with_index(1).map { |x| x }": "[4, 5]",
    "[4, 5].each.with_index(1).map { |x, i| [i, x] }": "[[1, 4], [2, 5]]",
    "{ a: 1 }.each_key.with_index { |k, i| i }": "{:a=>1}",
    "[3, 4].min_by(1)": "#<Enumerator: [3, 4]:min_by(1)>",
    "[1, 2].collect": "#<Enumerator: [1, 2]:collect>",
    "'ab'.each_byte.to_a": "[97, 98]",
    "1.step(9, 4)": "(1.step(9, 4))",
    "1.step(9, 4).to_a": "[1, 5, 9]",
    "[[1, 2]].delete_if.size": "1",
    "a = [1]; a.delete_if.size; a": "[1]",
    "[2, 3].find.size": "nil",
    "[1, 2, 3].values_at(0..1, 2, 1..3)": "[1, 2, 3, 2, 3, nil]",
    "Set[1, 2].select { true }": "[1, 2]",
    "[1, 1, 2].to_set { |x| x * 2 }": "#<Set: {2, 4}>",
    "[1, nil, 2].chunk { |x| x }.to_a": "[[1, [1]], [2, [2]]]",
    "{ a: 3 }.find(-> { 7 }) { false }": "7",
    "'a b'.split { |x| x }": '"a b"',
    "'ba'.match?(/a/, 2)": "false",
    "/(a)/.match('a')[-2]": "nil",
    "Time.at(1.75).utc.round": "1970-01-01 00:00:02 UTC",
    "Time.at(0.5).utc": "1970-01-01 00:00:00.5 UTC",
    "[1, 2].fill(9, 5)": "[1, 2]",
    "(0..9).include?(1..2)": "false",
    "[:a, :b].map(&{ a: 1 })": "[1, nil]",
    "Struct.new(:a).new([5]).dig(:a, 0)": "5",
    "[5].tally({ 5 => 2 })": "{5=>3}",
    "->(x, *y, z:) { }.arity": "-3",
    "proc { |x, y = 2| }.arity": "1",
    "('-3'..'10.0.0.1/24').step(1).first(4)": '["-3", "-4", "-5", "-6"]',
    "Enumerator.new { |y| n = 0; loop { y << (n += 1) } }.take(3)": "[1, 2, 3]",
    "'a,b'.each_line(',', chomp: true).to_a": '["a", "b"]',
    "Enumerator.new { |y| y << 1; y.yield 2, 3 }.each { |x, y| y }.class": "Integer",
}


@pytest.mark.parametrize("text", SAID)
def test_what_ruby_gives(text: str) -> None:
    """The value, and what it is shown as."""
    assert ask_wherefrom("ruby", text) == ["ok", SAID[text]]

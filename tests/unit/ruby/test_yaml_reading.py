"""What programs read from YAML: merges where they stand, words in any case, tags; recorded from Ruby 3.1."""

from __future__ import annotations

import json

import pytest

from support.ruby_programs import ask_wherefrom

READ = {
    "x: &x {a: 1, b: 2}\nh: {a: 9, <<: *x}\n": '{"x"=>{"a"=>1, "b"=>2}, "h"=>{"a"=>1, "b"=>2}}',
    "h: {<<: [{a: 1, b: 2}, {b: 3, c: 4}]}\n": '{"h"=>{"b"=>2, "c"=>4, "a"=>1}}',
    "h: {<<: 5, '<<': {c: 1}}\n": '{"h"=>{"<<"=>5, "c"=>1}}',
    "[nUll, tRue, oFF, -1:30, 0:0, 1:30.5]\n": "[nil, true, false, -1800, 0, 5430.0]",
    "[!str 5, !!str 5, !float 5, !!float 1_0]\n": '["5", "5", 5.0, 10.0]',
}


@pytest.mark.parametrize("text", READ)
def test_what_ruby_reads(text: str) -> None:
    """Values in the order of the text."""
    assert ask_wherefrom("ruby", f"YAML.load({json.dumps(text)}, aliases: true)") == ["ok", READ[text]]

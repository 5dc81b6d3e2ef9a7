"""`<<` in data merges where it stands, as Ruby's YAML does, and keys may be lists: recorded from Puppet 7.23."""

from __future__ import annotations

import pytest

from support.yaml_texts import ask_wherefrom
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.puppet.front import LANGUAGE

START = "x: &x {a: 1, b: 2}\n"
READ = {
    "h: {a: 9, <<: *x}\n": '{s"a"=>1,s"b"=>2}',
    "h: {<<: *x, a: 9}\n": '{s"a"=>9,s"b"=>2}',
    "h: {b: 9, <<: *x, b: 3}\n": '{s"b"=>3,s"a"=>1}',
    "h: {'<<': *x}\n": '{s"a"=>1,s"b"=>2}',
    "h: {!!str <<: {c: 1}}\n": '{s"<<"=>{s"c"=>1}}',
    "h: {<<: [*x, {b: 3, c: 4}]}\n": '{s"b"=>2,s"c"=>4,s"a"=>1}',
    "h: {<<: 5, c: 1}\n": '{s"<<"=>5,s"c"=>1}',
    "h: {<<: [*x, 5]}\n": '{s"<<"=>[{s"a"=>1,s"b"=>2},5]}',
    "h: {[1, 2]: a, [3]: b, {k: 1}: c}\n": '{[1,2]=>s"a",[3]=>s"b",{s"k"=>1}=>s"c"}',
    "h:\n  :s: 1\n  :s: 2\n": '{:"s"=>2}',
}


@pytest.mark.parametrize("text", READ)
def test_merges_and_keys(text: str) -> None:
    """What comes later wins, also over what is written."""
    assert ask_wherefrom(START + text) == ["ok", f'{{s"x"=>{{s"a"=>1,s"b"=>2}},s"h"=>{READ[text]}}}']


def test_a_class_of_hashes_is_refused() -> None:
    """Puppet reads data without classes of Ruby."""
    assert ask_wherefrom("h: !ruby/hash:Hash {a: 1}\n")[0] == "error"


def test_a_merged_value_comes_from_where_it_is_written() -> None:
    """Not from the line that it replaces."""
    data = "base: &base {port: 80}\nweb:\n  port: 8080\n  <<: *base\n"
    files = {
        "env/manifests/site.pp": "notify { 'n': message => lookup('web.port') }\n",
        "env/hiera.yaml": "version: 5\nhierarchy: [{name: c, path: c.yaml, data_hash: yaml_data}]\n",
        "env/data/c.yaml": data,
    }
    outcome = LANGUAGE.run("env", PureHost(files), Inputs("n", {}))
    message = outcome.select("Notify[n].message")
    assert message.value == 80
    lines = {
        leaf.span.line for leaf in depends(message.origin) if leaf.kind == "hiera" and leaf.value == 80 and leaf.span
    }
    assert lines == {1}

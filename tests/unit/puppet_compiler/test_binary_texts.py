"""Texts that Ruby gives without an encoding: a catalog has them as `Binary`, as real Puppet writes them.

The expectations are those of Puppet 7.23 for `base64`, `shell_split` and `pw_hash` of Debian's stdlib.
"""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE

FUNCTION = """\
require 'base64'
require 'shellwords'
require 'digest'
Puppet::Functions.create_function(:given) do
  def given(how, text)
    case how
    when 'decode' then Base64.decode64(text)
    when 'split' then Shellwords.split(text)
    when 'crypt' then text.crypt('$1$salt')
    when 'unpack' then text.unpack('m')
    when 'unpack1' then text.unpack1('H*')
    when 'pack' then [text].pack('H*')
    when 'encode' then [text].pack('m')
    when 'length' then Digest::MD5.digest(text).length
    when 'hash' then { text => [Base64.decode64(text)] }
    end
  end
end
"""
HELLO = {"__ptype": "Binary", "__pvalue": "aGVsbG8="}


def message(code: str) -> Any:
    """What a message is in the catalog."""
    files = {"env/manifests/site.pp": code, "env/lib/puppet/functions/given.rb": FUNCTION}
    outcome = LANGUAGE.run("env", PureHost(files), Inputs("web01", {}))
    (notify,) = (each for each in outcome.document()["resources"] if each["type"] == "Notify")
    return notify["parameters"]["message"]


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("given('decode', 'aGVsbG8=')", HELLO),
        (
            "given('split', 'aa \"b c\" éx')",
            [{"__ptype": "Binary", "__pvalue": each} for each in ("YWE=", "YiBj")] + ["éx"],
        ),
        ("given('split', 'a b')", [{"__ptype": "Binary", "__pvalue": each} for each in ("YQ==", "Yg==")]),
        ("given('decode', '/w==')", {"__ptype": "Binary", "__pvalue": "/w=="}),
        ("[given('decode', 'YQ=='), 'a', 'ab'[0]]", [{"__ptype": "Binary", "__pvalue": "YQ=="}, "a", "a"]),
        ("given('crypt', 'password')", {"__ptype": "Binary", "__pvalue": "JDEkc2FsdCRxSkg3Lk40eFl0YTNhRUcvZGZxby8w"}),
        ("given('unpack', 'aGVsbG8=')", [HELLO]),
        ("given('unpack1', 'hello')", "68656c6c6f"),
        ("given('pack', '68656c6c6f')", HELLO),
        ("given('encode', 'hello')", "aGVsbG8=\n"),
        ("given('hash', 'aGVsbG8=')", {"aGVsbG8=": [HELLO]}),
        ("[given('decode', 'aGVsbG8='), 'hello']", [HELLO, "hello"]),
        ("\"${given('decode', 'aGVsbG8=')}\"", HELLO),
        ("\"x${given('decode', 'aGVsbG8=')}\"", "xhello"),
    ],
)
def test_what_a_catalog_has(expression: str, written: Any) -> None:
    """Alone, in lists and hashes, and through variables and parameters of defines."""
    assert message(f"notify {{ 'a': message => {expression} }}") == written
    assert (
        message(f"define d($v) {{ notify {{ 'a': message => $v }} }}\n$x = {expression}\nd {{ 'd': v => $x }}")
        == written
    )


def test_to_the_language_it_is_a_text() -> None:
    """Its type is String, and it is equal to a text of the same letters."""
    tests = "[$x =~ String[5, 5], $x == 'hello', $x in ['hello']]"
    assert message(f"$x = given('decode', 'aGVsbG8=')\nnotify {{ 'a': message => {tests} }}") == [True, True, True]


def test_answers_show_the_text() -> None:
    """What is explained is the text."""
    files = {
        "env/manifests/site.pp": "notify { 'a': message => given('decode', 'aGVsbG8=') }",
        "env/lib/puppet/functions/given.rb": FUNCTION,
    }
    outcome = LANGUAGE.run("env", PureHost(files), Inputs("web01", {}))
    assert outcome.explain("Notify[a].message").text().startswith('Notify[a].message = "hello"')
    assert "message => 'hello'" in outcome.text()

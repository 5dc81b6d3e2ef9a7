"""Data functions written in Ruby: `data_hash`, `lookup_key` and `data_dig` levels of a hierarchy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wherefrom

HIERA = """version: 5
hierarchy:
  - {name: key, lookup_key: m::by_key, options: {prefix: 'k-'}}
  - {name: hash, data_hash: m::by_hash, path: some.txt}
  - {name: dug, data_dig: m::by_dig}
"""
FUNCTIONS = {
    "by_key": """Puppet::Functions.create_function(:'m::by_key') do
  dispatch :by_key do
    param 'Variant[String, Numeric]', :key
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def by_key(key, options, context)
    return context.cached_value(key) if context.cache_has_key(key)
    context.not_found unless key.start_with?('one')
    context.cache(key, options['prefix'] + key)
  end
end
""",
    "by_hash": """Puppet::Functions.create_function(:'m::by_hash') do
  dispatch :by_hash do
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def by_hash(options, context)
    context.cached_file_data(options['path']) do |text|
      text.lines.map { |line| line.chomp.split('=', 2) }.to_h
    end
  end
end
""",
    "by_dig": """Puppet::Functions.create_function(:'m::by_dig') do
  dispatch :by_dig do
    param 'Array[Variant[String, Numeric]]', :segments
    param 'Hash', :options
    param 'Puppet::LookupContext', :context
  end
  def by_dig(segments, _options, context)
    data = { 'three' => { 'deep' => 3 } }
    segments.reduce(data) { |found, each| found.is_a?(Hash) && found.key?(each) ? found[each] : context.not_found }
  end
end
""",
}


@pytest.fixture
def compiled(tmp_path: Path) -> Any:
    """A function that compiles a manifest with this hierarchy."""
    files = {"hiera.yaml": HIERA, "data/some.txt": "two=2\none=hidden\n"}
    for name, text in FUNCTIONS.items():
        files[f"modules/m/lib/puppet/functions/m/{name}.rb"] = text
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(site: str) -> Any:
        (tmp_path / "manifests").mkdir(exist_ok=True)
        (tmp_path / "manifests" / "site.pp").write_text(site)
        return wherefrom.compile(str(tmp_path), node="n")

    return run


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("lookup('one')", "k-one"),
        ("lookup('two')", "2"),
        ("lookup('three.deep')", 3),
        ("lookup('four', Any, undef, 'none')", "none"),
        ("lookup('one', Any, 'unique')", ["k-one", "hidden"]),
    ],
)
def test_values(compiled: Any, call: str, value: Any) -> None:
    """Each level by its own kind of function, in their order."""
    assert compiled(f"$found = {call}").select("$found").value == value


def test_what_a_backend_reads_is_an_input(compiled: Any) -> None:
    """The file of a `data_hash` level."""
    found = compiled("notify { 'n': message => lookup('two') }").explain("Notify[n].message")
    assert any("some.txt" in str(leaf.name or leaf.file) for leaf in found.depends)

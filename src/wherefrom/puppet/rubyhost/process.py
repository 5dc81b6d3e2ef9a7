"""`--ruby`: a function outside the closed part of Ruby, asked of a Ruby process with Puppet's own libraries.

Off unless somebody asks for it: what the process reads, runs or sends nobody here knows, so the result is a call of the
arguments *and of everything*, and a warning names each function that was asked for. The process is given the name, the
arguments, the node's name and facts and the module path, and is asked about that function alone; it sees no variables
but facts, and what it would put into a catalog is an error.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Refused
from ...base.source import lines_of
from ...provenance.operations import FunctionCall
from ...provenance.origins import Leaf, Origin, Step
from ..kernel.failures import Failure
from ..kernel.values import DEFAULT, Binary, Regexp, Sensitive, hash_key

if TYPE_CHECKING:
    from ...base.source import Span

SECONDS = 60
"""How long the process may take."""

EVERYTHING = ("fact", "trusted", "node", "hiera", "environment", "file", "setting", "classifier")
"""Kinds of inputs that such a function may have seen, each as a whole."""

DRIVER = r"""
require 'json'
require 'tmpdir'
require 'puppet'
asked = JSON.parse($stdin.read)
answer = Dir.mktmpdir do |root|
  places = %w[confdir vardir rundir logdir codedir].flat_map { |name| ["--#{name}", "#{root}/#{name}"] }
  Puppet.initialize_settings(places, true, false)
  environment = Puppet::Node::Environment.create(asked['environment'].to_sym, asked['modulepath'])
  Puppet.override(environments: Puppet::Environments::Static.new(environment), current_environment: environment) do
    node = Puppet::Node.new(asked['node'], environment: environment)
    node.fact_merge(Puppet::Node::Facts.new(asked['node'], asked['facts']))
    compiler = Puppet::Parser::Compiler.new(node)
    scope = compiler.topscope
    Puppet.override(global_scope: scope, loaders: compiler.loaders) do
      compiler.send(:set_node_parameters)
      before = compiler.catalog.resources.size
      given = Puppet::Pops::Serialization::FromDataConverter.convert(asked['arguments'])
      value = scope.call_function(asked['name'], given)
      raise 'it declares resources' if compiler.catalog.resources.size != before
      options = { rich_data: true, symbol_as_string: true }
      { 'value' => Puppet::Pops::Serialization::ToDataConverter.convert(value, options) }
    end
  end
rescue StandardError, ScriptError => e
  { 'error' => e.message }
end
$stdout.write("\n#{JSON.generate(answer)}")
"""


def ask_ruby(
    run: Any, name: str, values: Sequence[Any], origins: Sequence[Origin], span: Span | None
) -> tuple[object, Origin]:
    """What the function gives, as a Ruby process says."""
    words = f"function {name} is run by a Ruby process (--ruby): wherefrom does not track what it reads or does"
    run.warn_once(f"--ruby {name}", words, span)
    asked = {
        "name": name,
        "arguments": [run.rich_data(value) for value in values],
        "node": run.node,
        "facts": run.inputs.facts,
        "environment": str(run.environment.name),
        "modulepath": list(run.environment.modulepath),
    }
    answer = _answer(json.dumps(asked), name, span)
    if "error" in answer:
        raise Failure(f"{answer['error']} (reported by the Ruby process for function {name})", kind="ruby")
    everything = tuple(Leaf(kind, "", None, None) for kind in EVERYTHING)
    return _read(answer["value"], name), Step(FunctionCall(name), (*origins, *everything), span)


def _answer(asked: str, name: str, span: Span | None) -> dict[str, object]:
    import shutil
    import subprocess

    ruby = shutil.which("ruby")
    if ruby is None:
        raise Refused(f"function {name} needs a Ruby process (--ruby), but `ruby` is not installed", span)
    try:
        done = subprocess.run(
            [ruby, "-e", DRIVER], input=asked, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"the Ruby process for function {name} took more than {SECONDS} seconds", span) from None
    last = done.stdout.rpartition("\n")[2]
    try:
        answer: dict[str, object] = json.loads(last)
    except ValueError:
        last_line = (lines_of(done.stderr.strip()) or ["no output"])[-1]
        raise Refused(f"the Ruby process for function {name} failed: {last_line}", span) from None
    return answer


def _read(value: object, name: str) -> Any:
    """A value from rich data."""
    if isinstance(value, list):
        return [_read(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("__ptype")
    if kind is None:
        return {hash_key(key): _read(item, name) for key, item in value.items()}
    inside: Any = value.get("__pvalue")
    if kind == "Sensitive":
        return Sensitive(_read(inside, name))
    if kind == "Default":
        return DEFAULT
    if kind == "Regexp":
        return Regexp(inside)
    if kind == "Binary":
        import base64

        return Binary(base64.b64decode(inside))
    if kind == "Hash" and isinstance(inside, list):
        keys = [_read(key, name) for key in inside]
        return {hash_key(key): item for key, item in zip(keys[::2], keys[1::2], strict=True)}
    raise Failure(f"function {name} gives a {kind}, which cannot be read back from a Ruby process", kind="ruby")

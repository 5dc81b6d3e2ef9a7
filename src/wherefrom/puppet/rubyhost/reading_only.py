"""Whether a template in Ruby does nothing but read: then it can be rendered again where variables have other values.

The tree of the template is looked at, not its words: every kind of node and every method that it has must be one that
changes nothing and asks nobody but for variables. Functions may be called that compute their result from their
arguments, and functions of modules whose own files stand the same test. In doubt the answer is no, and the template is
something that can not be computed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import wherefrom.ruby.nodes as n

from ...base.diagnostics import WherefromError
from ...base.keys import Symbol
from ..functions.registry import Function
from .functions import RubyFunction

if TYPE_CHECKING:
    from .library import Library

_NODES = (
    n.And, n.ArrayLiteral, n.Block, n.Break, n.Call, n.Case, n.Constant, n.Defined, n.For, n.HashLiteral, n.If, n.Index,
    n.InstanceVariable, n.Interpolated, n.Local, n.MatchVariable, n.Next, n.Not, n.Nowhere, n.Or, n.Parameters,
    n.RangeLiteral, n.Regex, n.Root, n.Sequence, n.Splat, n.Str, n.Targets, n.TemplateOutput, n.TemplateText, n.When,
)  # fmt: skip
_CLASSES = frozenset("Array FalseClass Float Hash Integer NilClass Numeric String Symbol TrueClass".split())
_METHODS = frozenset(
    "! != !~ % & * + - / < <= <=> == === =~ > >= [] abs all? any? assoc capitalize ceil center chars chomp chop "
    "collect compact count dig downcase drop each each_char each_index each_key each_pair each_slice each_value "
    "each_with_index each_with_object empty? end_with? even? fetch find find_all first flat_map flatten floor "
    "group_by gsub has_key? has_value? include? index inject inspect instance_of? is_a? join key key? keys "
    "kind_of? last length lines ljust lstrip map match match? max member? merge min nil? none? odd? partition "
    "positive? product reduce reject reverse rjust round rstrip scan select size slice sort sort_by split squeeze "
    "start_with? strip sub sum swapcase take times to_a to_f to_h to_i to_s to_sym tr transform_values uniq "
    "unwrap upcase upto values values_at zero? zip -@ +@".split()
)
_WORDS = frozenset("Array Float Integer String format sprintf scope".split())
_OF_SCOPE = frozenset("[] lookupvar".split())
_LEGACY = "function_"
_FUNCTION_WORDS = frozenset(
    "closure_scope create_function dispatch optional_param param raise repeated_param required_param "
    "return_type".split()
)
_FUNCTION_CLASSES = frozenset("ArgumentError Functions ParseError Puppet StandardError".split())


def only_reads(library: Library, template: Any) -> bool:
    """Whether a template does nothing but read variables."""
    if library.only_reads is None:
        library.only_reads = OnlyReads(library)
    return bool(library.only_reads.template(template))


class OnlyReads:
    """The question about templates and functions of one environment, each answered once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._templates: dict[int, tuple[Any, bool]] = {}
        self._functions: dict[str, bool] = {}

    def template(self, template: Any) -> bool:
        """Whether a template does nothing else."""
        known = self._templates.get(id(template))
        if known is None:
            known = self._templates[id(template)] = template, self._stands(template.program.root, False)
        return known[1]

    def _function(self, name: str) -> bool:
        known = self._functions.get(name)
        if known is None:
            self._functions[name] = False  # while it is looked at: one that calls itself is in doubt
            known = self._functions[name] = self._function_stands(name)
        return known

    def _function_stands(self, name: str) -> bool:
        try:
            function: Any = self._library.environment.function(name, None)
            if isinstance(function, Function):
                return not function.calling and not function.acts
            if not isinstance(function, RubyFunction):
                return False
            return self._stands(self._library.program(function.path).root, True)
        except WherefromError:
            return False

    def _stands(self, root: Any, is_function: bool) -> bool:
        return all(self._node_stands(node, is_function) for node in n.inside(root))

    def _node_stands(self, node: Any, is_function: bool) -> bool:
        match node:
            case n.Assign() | n.For():
                return _is_local(node.target)
            case n.OperatorAssign():
                return _is_local(node.target) and node.operator not in ("<<", "concat")
            case n.ConstantName():
                return node.name in _CLASSES or (is_function and node.name in _FUNCTION_CLASSES)
            case n.InstanceVariable():
                return not is_function
            case n.Define():
                return is_function and node.singleton is None
            case n.Return():
                return is_function
            case n.Call():
                return self._call_stands(node, is_function)
            case n.Index():
                return True
        return isinstance(node, _NODES)

    def _call_stands(self, call: n.Call, is_function: bool) -> bool:
        handed = call.block_argument
        if handed is not None and not (isinstance(handed, n.Constant) and _name_of(handed.value) in _METHODS):
            return False
        if call.receiver is None:
            return call.name in _WORDS or (is_function and call.name in _FUNCTION_WORDS)
        if is_function and call.name == "create_function":
            return True
        if not _is_scope(call.receiver):
            return call.name in _METHODS or (call.name == "<<" and isinstance(call.receiver, n.Constant))
        if call.name == "call_function":
            named = call.arguments[0] if call.arguments else None
            return isinstance(named, n.Str) and self._function(named.value)
        if call.name.startswith(_LEGACY):
            return self._function(call.name.removeprefix(_LEGACY))
        return call.name in _OF_SCOPE


def _is_scope(node: Any) -> bool:
    return isinstance(node, n.Call) and node.receiver is None and node.name == "scope"


def _name_of(value: Any) -> str:
    return value.name if isinstance(value, Symbol) else ""


def _is_local(target: Any) -> bool:
    if isinstance(target, n.Targets):
        return all(map(_is_local, target.targets))
    return isinstance(target, n.Local | n.Nowhere)

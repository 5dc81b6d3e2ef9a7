"""Functions that ask the data (Hiera): `lookup`, the older `hiera*`, and the readers that data sources are made of.

The search itself is the machine's (`Machine.lookup`); what is here is what the functions add to it: overrides,
defaults, types, and what to do when nothing was found (Puppet reference, "lookup").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...provenance.composites import missing
from ...provenance.origins import Absent, Choice, Leaf, Origin
from ..kernel.acts import Acts
from ..kernel.edge_labels import LOOKUP_DEFAULT
from ..kernel.failures import EvaluationError
from ..kernel.shadow import Shadow, traced_items
from ..kernel.traced import Traced
from ..kernel.values import Value, hash_key
from .registry import Call, calling, mismatch

if TYPE_CHECKING:
    from ...base.source import Span

_LOCAL = {
    "NameType": "Variant[String, Array[String]]",
    "ValueType": "Type",
    "DefaultValueType": "Any",
    "MergeType": "Variant[String[1], Hash[String, Scalar]]",
    "BlockType": "Callable[NameType]",
    "OptionsWithName": "Struct[{name => NameType, value_type => Optional[ValueType], "
    "default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], "
    "default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType]}]",
    "OptionsWithoutName": "Struct[{value_type => Optional[ValueType], "
    "default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], "
    "default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType]}]",
}


class _Request:
    """What a `lookup` asks for, however it was called."""

    __slots__ = ("default", "defaults", "extra_levels", "merge", "names", "old", "override", "value_type")

    def __init__(self, names: list[Traced]) -> None:
        self.names = names
        self.value_type: object = None
        self.merge: Value = None
        self.default: Traced | None = None
        self.override: Traced | None = None
        self.defaults: Traced | None = None
        self.old = False
        self.extra_levels: Value = None

    def how(self) -> dict[str, Any]:
        """What the search must know beside the name and the merge."""
        return {
            "override": self.override,
            "defaults": self.defaults,
            "old": self.old,
            "extra_levels": self.extra_levels,
        }

    def read_options(self, options: Traced) -> None:
        """Take everything but the name from a hash of options."""
        value, origin = options
        shadow = Shadow(origin)

        def option(name: str) -> Traced | None:
            if name not in value:
                return None
            return value[name], shadow.value_in(value, name)

        self.value_type = value.get("value_type")
        self.merge = value.get("merge")
        self.default = option("default_value")
        self.override = option("override")
        self.defaults = option("default_values_hash")


@calling(
    "lookup",
    "NameType $name, ValueType $value_type?, MergeType $merge?",
    "NameType $name, Optional[ValueType] $value_type, Optional[MergeType] $merge, DefaultValueType $default_value",
    "NameType $name, ValueType $value_type?, MergeType $merge?, BlockType &$block",
    "OptionsWithName $options_hash, BlockType &$block?",
    "Variant[String,Array[String]] $name, OptionsWithoutName $options_hash, BlockType &$block?",
    local=_LOCAL,
    passes_on=True,
)
def lookup(call: Call) -> Traced:
    """The value of a key in the data, of a type and merged as asked for.

    Several names are tried in turn. If nothing is found: the default value, or what a lambda makes of the name, or an
    error. Instead of the arguments in order (name, type, merge, default) a hash of options may be given, which can also
    hold `override` (looked at first) and `default_values_hash` (looked at last).

    puppet> lookup('no::such::key', Integer, 'first', 42)
    42
    puppet> lookup('no::such::key', { 'default_value' => 'none' })
    'none'
    """
    values, origins = call.values, call.origins
    if isinstance(values[0], dict):
        request = _Request(_names(values[0]["name"], Shadow(origins[0]).value_in(values[0], "name")))
        request.read_options((values[0], origins[0]))
    else:
        request = _Request(_names(values[0], origins[0]))
        if len(values) > 1 and isinstance(values[1], dict):
            request.read_options((values[1], origins[1]))
        else:
            request.value_type = values[1] if len(values) > 1 else None
            request.merge = values[2] if len(values) > 2 else None
            request.default = call.argument(3)
    return _answer(call, request)


def _names(value: Value, origin: Origin) -> list[Traced]:
    return list(traced_items(value, origin)) if isinstance(value, list) else [(value, origin)]


def _answer(call: Call, request: _Request) -> Traced:
    tried: list[Origin] = []
    for name, origin in request.names:
        chosen = _entry(request.override, name)
        if chosen is not None:
            _check(call, f"Value found for key '{name}' in override hash", request.value_type, chosen)
        else:
            tried.extend(_not_in(request.override, name))
            answer = call.machine.lookup(name, request.merge, call.span, request.how())
            if isinstance(answer, Absent):
                tried.append(answer)
            else:
                chosen = answer
        tried.append(origin)
        if chosen is not None:
            _check(call, "Found value", request.value_type, chosen)
            return chosen[0], Choice(tuple(tried), chosen[1], call.span, call.function.label)
    for name, _ in request.names:
        chosen = _entry(request.defaults, name)
        if chosen is not None:
            _check(call, f"Value found for key '{name}' in default values hash", request.value_type, chosen)
            return chosen[0], Choice(tuple(tried), chosen[1], call.span, LOOKUP_DEFAULT)
        tried.extend(_not_in(request.defaults, name))
    if call.block is not None:
        asked: Traced = (call.values[0], call.origins[0])
        if isinstance(asked[0], dict):
            asked = (asked[0]["name"], asked[1])
        value, block_origin = call.block.call((asked[0],), (asked[1],), Absent("Hiera key", tuple(tried), call.span))
        _check(call, "Value returned from default block", request.value_type, (value, block_origin))
        return value, Choice(tuple(tried), block_origin, call.span, LOOKUP_DEFAULT)
    if request.default is not None:
        _check(call, "Default value", request.value_type, request.default)
        return request.default[0], Choice(tuple(tried), request.default[1], call.span, LOOKUP_DEFAULT)
    raise LookupFailed([name for name, _ in request.names], call.span)


def _entry(hash: Traced | None, name: str) -> Traced | None:
    if hash is None or hash[0] is None:
        return None
    key = hash_key(name)
    if key not in hash[0]:
        return None
    return hash[0][key], Shadow(hash[1]).value_in(hash[0], key)


def _not_in(hash: Traced | None, name: str) -> list[Origin]:
    """Why a hash of the call does not have a name."""
    if hash is None or hash[0] is None:
        return []
    return [Absent(f"{name} in a hash of the call", missing(hash[1], hash_key(name)))]


def _check(call: Call, subject: str, expected: Any, value: Traced) -> None:
    if expected is not None:
        from ..types import assert_instance

        assert_instance(subject, expected, value[0])


class LookupFailed(EvaluationError):
    """A lookup without a default found nothing.  Puppet does not say where it was asked for; our label does."""

    code = "P310"

    def __init__(self, names: Sequence[str], at: Span | None) -> None:
        if len(names) == 1:
            what = f"the name '{names[0]}'"
        else:
            what = f"any of the names [{', '.join(f'{name!r}' for name in names)}]"
        message = f"Function lookup() did not find a value for {what}"
        super().__init__(message, at, issue=None, lead="", placeless=True)


# --- the older functions ---------------------------------------------------------------------------------------------

_HIERA = (
    "Tuple[String, Any, Any, 1, 3] $args",
    "String $key",
    "String $key, Any $default, Any $override?",
    "String $key, Callable[1,1] &$default_block",
    "String $key, Any $override, Callable[1,1] &$default_block",
)


def _hiera(call: Call, merge: str) -> Traced:
    values, origins = list(call.values), list(call.origins)
    name = call.function.name
    if isinstance(values[0], list):
        parts = list(traced_items(values[0], origins[0]))
        values, origins = [value for value, _ in parts], [origin for _, origin in parts]
        # Puppet's own method for this way of calling names a method that does not exist.
        raise call.fail(f"undefined method `hiera' for {name}")
    if call.machine.setting("strict") != "off":
        call.machine.warn_once(
            name,
            f"The function '{name}' is deprecated in favor of using 'lookup'. "
            "See https://puppet.com/docs/puppet/7.23/deprecated_language.html",
            None,
        )
    request = _Request([(values[0], origins[0])])
    request.merge = merge
    request.old = True
    if call.block is not None:
        request.extra_levels = values[1] if len(values) > 1 else None
    elif len(values) > 1:
        request.default = (values[1], origins[1])
        request.extra_levels = values[2] if len(values) > 2 else None
    return _answer(call, request)


@calling("hiera", *_HIERA, passes_on=True)
def hiera(call: Call) -> Traced:
    """The first value of a key in the data, a default, or an error.  Superseded by `lookup`.

    puppet> hiera('no::such::key', 'default')
    'default'
    """
    return _hiera(call, "first")


@calling("hiera_array", *_HIERA, passes_on=True)
def hiera_array(call: Call) -> Traced:
    """All values of a key in the data as one array without repetition.  Superseded by `lookup`.

    puppet> hiera_array('no::such::key', ['a'])
    ['a']
    """
    return _hiera(call, "unique")


@calling("hiera_hash", *_HIERA, passes_on=True)
def hiera_hash(call: Call) -> Traced:
    """All values of a key in the data, which are hashes, merged into one.  Superseded by `lookup`.

    puppet> hiera_hash('no::such::key', { 'a' => 1 })
    {'a' => 1}
    """
    return _hiera(call, "hash")


@calling("hiera_include", *_HIERA, acts=Acts.DECLARES_DATA)
def hiera_include(call: Call) -> Traced:
    """Declares all classes that the data names under a key.  Superseded by `lookup` and `include`.

    puppet> hiera_include('no::such::key', [])
    undef
    """
    value, origin = _hiera(call, "unique")
    if value is None:
        raise call.fail(f"Could not find data item {call.values[0]}")
    if not value:
        return None, Absent("result of hiera_include", (origin,), call.span)
    return call.machine.call_function("include", [value], [origin], None, call.span)


# --- readers ---------------------------------------------------------------------------------------------------------

_READER = "Struct[{path=>String[1]}] $options, Puppet::LookupContext $context"


def _read(call: Call) -> tuple[str, str]:
    path: str = call.values[0]["path"]
    return path, call.machine.host.source(path, call.span).text


@calling("yaml_data", _READER)
def yaml_data(call: Call) -> Traced:
    """Reads a YAML file as a hash.  The data's own configuration names it; manifests have no context to pass.

    puppet> yaml_data({ 'path' => 'x' })
    error: 'yaml_data' expects 2 arguments, got 1
    """
    path, text = _read(call)
    import yaml

    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise call.fail(f"Unable to parse ({path}): {problem}") from None
    if not isinstance(data, dict):
        if data is not False and call.machine.setting("strict") == "error":
            raise call.fail(f"{path}: file does not contain a valid yaml hash")
        call.machine.log("warning", f"{path}: file does not contain a valid yaml hash", None, call.step())
        data = {}
    return puppet_data(data), Leaf("file", path, None, data)


@calling("json_data", _READER)
def json_data(call: Call) -> Traced:
    """Reads a JSON file as a hash.  The data's own configuration names it; manifests have no context to pass.

    puppet> json_data({ 'path' => 'x' })
    error: 'json_data' expects 2 arguments, got 1
    """
    path, text = _read(call)
    import json

    try:
        data = json.loads(text)
    except ValueError as problem:
        raise call.fail(f"Unable to parse ({path}): {problem}") from None
    return puppet_data(data), Leaf("file", path, None, data)


@calling("hocon_data", _READER)
def hocon_data(call: Call) -> Traced:
    """Reads a HOCON file as a hash.  The data's own configuration names it; manifests have no context to pass.

    puppet> hocon_data({ 'path' => 'x' })
    error: 'hocon_data' expects 2 arguments, got 1
    """
    from ..hiera.hocon import read_hocon

    return read_hocon(call.machine.host.source(call.values[0]["path"], call.span))


@calling(
    "eyaml_lookup_key",
    "Any *$arguments",
    refuses="decrypts data with a secret key; fails as the real tool does without its additional library",
)
def eyaml_lookup_key(call: Call) -> Traced:
    """Would decrypt data with a secret key.  Like the real tool without its additional library, wherefrom has none.

    puppet> eyaml_lookup_key('key', {})
    error: Function Load Error for function 'eyaml_lookup_key': Lookup using eyaml lookup_key function is only \
supported when the hiera_eyaml library is present
    """
    raise call.fail(
        "Function Load Error for function 'eyaml_lookup_key': Lookup using eyaml lookup_key function is only "
        "supported when the hiera_eyaml library is present"
    )


for _reader in ("yaml_data", "json_data", "hocon_data"):

    @mismatch(_reader)
    def _missing_path(values: Sequence[Value]) -> str | None:
        if len(values) != 2 or not isinstance(values[0], dict) or isinstance(values[1], str | int | list | dict):
            return None
        return (
            "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml "
            "when using this data_hash function"
        )


def puppet_data(value: object) -> Value:
    """Plain data as Puppet values: hash keys through `hash_key`."""
    if isinstance(value, dict):
        return {hash_key(key): puppet_data(element) for key, element in value.items()}
    if isinstance(value, list):
        return [puppet_data(element) for element in value]
    return value


@calling(
    "puppetdb_query", "Variant[String[1], Array[Data, 1]] $query", home="which comes with PuppetDB's library for Puppet"
)
def puppetdb_query(call: Call) -> Traced:
    """What PuppetDB answers to a query: PQL as text, or its older form as arrays, sent as it is.

    It comes with PuppetDB's own library, and is refused unless `--puppetdb URL` names a server. The answer is an
    input, asked for once in a run.

    puppet> puppetdb_query('nodes[certname] { }')
    error: puppetdb_query needs --puppetdb URL
    """
    query: Any = call.values[0]
    answer, origin = call.machine.ask_database(query)
    return answer, Choice(tuple(call.origins), origin, call.span, call.function.label)

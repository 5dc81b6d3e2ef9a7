"""Where each function is: its name and the module of this package that holds it.

A plain table, so that finding a function imports one module and no other. A test compares it with what the modules
register and with the functions of the real tool.
"""

from __future__ import annotations

from importlib import import_module

from .registry import FUNCTIONS, Function

_BY_MODULE = {
    "catalog": "contain create_resources defined include realize require tag tagged",
    "collections": "dig empty flatten keys sort unique unwrap values",
    "control": "break import next return",
    "data": "eyaml_lookup_key hiera hiera_array hiera_hash hiera_include hocon_data json_data lookup "
    "puppetdb_query yaml_data",
    "digests": "digest fqdn_rand md5 sha1 sha256",
    "files": "binary_file epp file find_file find_template generate inline_epp inline_template module_directory "
    "template",
    "formats": "sprintf",
    "iteration": "all any each filter group_by index lest map partition reduce reverse_each slice step then tree_each "
    "with",
    "kinds": "annotate assert_type convert_to new type",
    "logging": "alert crit debug emerg err fail info notice warning",
    "numbers": "abs ceiling compare floor max min round",
    "reaching": "call get getvar",
    "scanning": "scanf",
    "text": "camelcase capitalize chomp chop downcase join length lstrip match regsubst rstrip shellquote size split "
    "strip upcase versioncmp",
    "times": "strftime",
}

MODULES: dict[str, str] = {name: module for module, names in _BY_MODULE.items() for name in names.split()}
"""The module of each function."""

LEGACY = frozenset(
    "create_resources digest fail file fqdn_rand generate inline_template md5 realize sha1 sha256 shellquote sprintf "
    "tag tagged template".split()
)
"""The functions that Puppet offers through its old (3x) interface alone."""

OTHERS = {"puppetdb_query": "which comes with PuppetDB's library for Puppet"}
"""Functions that are not Puppet's own, and wherefrom they are."""

REFUSED = {
    "eyaml_lookup_key": "decrypts data with a secret key; fails as the real tool does without its additional library",
    "generate": "runs a program",
    "inline_template": "text with ERB tags is a Ruby program; text without them is given back",
    "template": "a file with ERB tags is a Ruby program; a file without them is read",
}
"""Functions that check their arguments and then refuse, and what it is that they do not do."""

DIFFERS = {
    "annotate": "only objects can be annotated, not texts, numbers or types",
    "hiera": "the third argument, a level of the hierarchy to look at first, is checked and ignored; so it is in "
    "`hiera_array`, `hiera_hash` and `hiera_include`",
    "reverse_each": "an iterator can be walked over again; Puppet's is used up by the first walk. The same is true of "
    "`step` and `tree_each`",
    "scanf": "Ruby no longer comes with the library that Puppet's function needs; written to its documentation",
    "slice": "of an iterator made by `step`, Puppet's groups may be smaller than asked for, as it miscounts them",
    "sprintf": "`%.0e` of a number that lies just below a half may be rounded down where Ruby rounds up",
    "tree_each": "types among the values have no parts; Puppet walks into their parameters",
}
"""Functions that do something in another way than Puppet's, and what."""


def find(name: str) -> Function | None:
    """The core function called `name` (a leading `::` is ignored), or nothing."""
    function = FUNCTIONS.get(name)
    if function is None:
        name = name.removeprefix("::")
        module = MODULES.get(name)
        if module is None:
            return None
        import_module(f"{__package__}.{module}")
        function = FUNCTIONS[name]
    return function


def names() -> list[str]:
    """The names of all core functions, sorted."""
    return sorted(MODULES)

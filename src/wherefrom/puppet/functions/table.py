"""Where each function is: its name and the module of this package that holds it.

A plain table, so that finding a function imports one module and no other. Everything else about a function stands in
its decorator (`registry`). A test compares the table with what the modules register and with the functions of the real
tool.
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

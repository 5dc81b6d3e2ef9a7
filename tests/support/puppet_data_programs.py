"""Random environments with data (Hiera), for comparison with real Puppet.

`make_environment(random)` gives a request: configurations of the global layer, the environment and a module, in all
versions that each may have; files of data with values of every shape, `%{...}` in them and `lookup_options`; functions
that levels name; and a manifest that looks things up in every way. Keys are few, so that layers meet.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

FACTS = {"os": {"family": "Debian", "name": "Debian"}, "kernel": "Linux", "roles": ["web", "db"], "site": "paris"}
NODE = "web1.example.com"

KEYS = ("a", "b", "c", "h", "l", "deep", "mod::a", "mod::b", "mod::h", "mod::l", "mod::p")
WORDS = ("one", "two", "Three", "--two", "--", "4")
STRATEGIES = ("first", "unique", "hash", "deep", "default", "reverse_deep", "unconstrained_deep", "strange")
TYPES = ("String", "Integer", "Array", "Hash", "Array[String]", "Optional[String]", "Variant[String, Integer]")


class Maker:
    """Writes one environment."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.files: dict[str, str] = {}
        self.source_kind = random.choice(("lookup_key", "lookup_key", "data_hash", "data_dig"))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    # --- data --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        key = self.random.choice((*KEYS, "a.x", "h.k1", "l.0", "h.'k1'", "deep.n.k1", "none", "h.9", "h.0"))
        quote = self.pick("'", '"')
        inside = self.random.choice(
            (
                f"lookup({quote}{key}{quote})",
                f"hiera({quote}{key}{quote})",
                f"alias({quote}{key}{quote})",
                "literal('%')",
                "facts.os.family",
                "::kernel",
                "kernel",
                "site",
                "nothing",
                "facts.nothing.x",
                "roles.1",
                "roles.7",
                "",
                "''",
                "scope('site')",
                "strange('x')" if self.chance(0.2) else "kernel",
                "mod::seen",
                " site ",
                "trusted.certname",
                "facts.kernel.x",
                "extra",
            )
        )
        around = self.pick("", "", "<", "x ")
        return f"{around}%{{{inside}}}{'>' if around else ''}"

    def scalar(self) -> Any:
        if self.chance(0.3):
            return self.text()
        return self.pick(*WORDS, 1, 2, 3.5, True, False, None, "on", "12", "")

    def value(self, key: str, depth: int = 2) -> Any:
        shape = key[-1] if self.chance(0.85) else self.pick("a", "h", "l", "p")
        if depth == 0 or shape in ("a", "b", "c"):
            return self.scalar()
        if shape == "l":
            return [self.value(self.pick("a", "a", "h", "l"), depth - 1) for _ in range(self.random.randint(0, 3))]
        inner = ("k1", "k2", "--k1", "n") if depth > 1 else ("k1", "k2", "x")
        return {
            name: self.value(self.pick("a", "l", "h"), depth - 1)
            for name in self.random.sample(inner, self.random.randint(0, 3))
        }

    def merge(self) -> Any:
        name = self.pick(*STRATEGIES[:4] * 3, *STRATEGIES[:-1], *STRATEGIES)
        if self.chance(0.6):
            return name
        options: dict[str, Any] = {"strategy": name}
        if name.endswith("deep") or self.chance(0.1):
            for option, values in (
                ("knockout_prefix", ("--",)),
                ("sort_merged_arrays", (True, False)),
                ("merge_hash_arrays", (True, False)),
                ("overwrite_arrays", (True,)) if name != "deep" or self.chance(0.1) else ("merge_debug", (False,)),
            ):
                if self.chance(0.5):
                    options[option] = self.random.choice(values)
        return options

    def options(self, keys: tuple[str, ...]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key in self.random.sample(keys, self.random.randint(1, min(3, len(keys)))):
            name = key if self.chance(0.8) else f"^{key[: self.random.randint(5 if '::' in key else 1, len(key))]}"
            each: dict[str, Any] = {}
            if self.chance(0.8):
                each["merge"] = self.merge()
            if self.chance(0.2):
                each["convert_to"] = self.pick("String", "Array", ["Array", True], "Integer", "Sensitive", "Strange[")
            made[name] = each
        return made

    def data(self, keys: tuple[str, ...], json_file: bool = False) -> str:
        if not json_file and self.chance(0.03):
            return str(self.pick("", "just text\n", "- a\n", "---\n"))
        found: dict[str, Any] = {key: self.value(key) for key in self.random.sample(keys, self.random.randint(1, 4))}
        if self.chance(0.35):
            found["lookup_options"] = self.options(keys) if self.chance(0.99) else "no hash"
        return json.dumps(found, indent=1) + "\n"

    # --- configurations ----------------------------------------------------------------------------------------------

    def level(self, name: str, directory: str, keys: tuple[str, ...], module: str) -> dict[str, Any]:
        """A level of version 5, with its files."""
        made: dict[str, Any] = {"name": name}
        kind = self.random.randint(0, 11)
        files = ["common.yaml"]
        match kind:
            case 0:
                made["paths"] = ["os/%{facts.os.family}.yaml", "%{site}.yaml", "common.yaml"]
                files = ["os/Debian.yaml", "paris.yaml", "common.yaml"]
            case 1:
                made["glob"] = "g/*.yaml"
                files = ["g/x.yaml", "g/y.yaml"]
            case 2:
                made["mapped_paths"] = [
                    self.pick("facts.roles", "roles", "site", "nothing"),
                    "each",
                    "role/%{each}.yaml",
                ]
                files = ["role/web.yaml", "role/db.yaml"]
            case 3:
                made["path"] = "data.json"
                made["data_hash"] = "json_data"
                files = ["data.json"]
            case 4 | 5 if module:
                made[self.source_kind] = f"{module}::source"
                made["options"] = {"o": "%{site}"}
                if self.chance(0.4):
                    made["path"] = "common.yaml"
            case 6:
                made["paths"] = ["%{nothing}.yaml", "nodes/%{trusted.certname}.yaml", "common.yaml"]
                files = ["nodes/web1.example.com.yaml", ".yaml", "common.yaml"]
            case _:
                made["path"] = self.pick("common.yaml", "second.yaml")
                files = [made["path"]]
        if self.chance(0.1):
            made["datadir"] = "other"
        for file in files:
            if self.chance(0.85):
                path = f"{directory}{made.get('datadir', 'data')}/{file}"
                self.files.setdefault(path, self.data(keys, file.endswith(".json")))
        return made

    def version_5(self, directory: str, keys: tuple[str, ...], module: str) -> str:
        made: dict[str, Any] = {"version": 5}
        if self.chance(0.5):
            made["defaults"] = {"datadir": "data", "data_hash": "yaml_data"}
        levels = [
            self.level(f"Level {index}" if self.chance(0.98) else "Same", directory, keys, module)
            for index in range(self.random.randint(1, 3))
        ]
        made["hierarchy"] = levels
        if "defaults" in made and "data_hash" not in made["defaults"]:
            made["defaults"]["data_hash"] = "yaml_data"
        if (directory.startswith("modules") and self.chance(0.5)) or self.chance(0.01):
            made["default_hierarchy"] = [self.level("Default", directory, keys, module)]
        if self.chance(0.04):
            levels[0][self.pick("path", "uri", "lookup_key", "hiera3_backend", "strange", "options")] = self.pick(
                "x", {"path": "x"}, 3
            )
        return json.dumps(made, indent=1) + "\n"

    def environment_layer(self) -> None:
        keys = KEYS
        if self.chance(0.9):
            self.files["hiera.yaml"] = self.version_5("", keys, self.pick("mod", ""))
        elif self.chance(0.5):
            levels = [{"name": self.pick("common", "%{site}"), "backend": self.pick("yaml", "json", "strange", "yaml")}]
            self.files["hiera.yaml"] = json.dumps({"version": 4, "hierarchy": levels})
            self.files["data/common.yaml"] = self.data(keys)
            self.files["data/paris.yaml"] = self.data(keys)
        elif self.chance(0.5):
            self.files["hiera.yaml"] = self.pick("---\n:backends: yaml\n", "version: 6\n", "", "version: 3\n")
        else:
            provider = self.pick("hiera", "none", "function")
            self.files["environment.conf"] = f"environment_data_provider = {provider}\n"
            self.files["data/common.yaml"] = self.data(keys)
            self.files["functions/data.pp"] = "function environment::data() { { 'a' => 'from function', 'h' => {} } }\n"

    def module_layer(self) -> None:
        keys = tuple(key for key in KEYS if key.startswith("mod::")) + (("a",) if self.chance(0.1) else ())
        if self.chance(0.8):
            self.files["modules/mod/hiera.yaml"] = self.version_5("modules/mod/", keys, "mod")
        elif self.chance(0.3):
            self.files["modules/mod/hiera.yaml"] = "---\n:backends: yaml\n"
        elif self.chance(0.5):
            self.files["modules/mod/hiera.yaml"] = "version: 4\n"
            self.files["modules/mod/data/common.yaml"] = self.data(keys)
        given = self.pick("$key", "String $key", "Any $key")
        answers = self.pick("'from function'", "undef", "[1, 'x']", "{ 'k1' => 'f' }", "/regexp/", "Integer")
        returned = self.pick(*[""] * 8, " >> Any", " >> String", " >> Hash[String, Any]", " >> Optional[Data]")
        body = self.random.choice(
            (
                f"{answers}",
                f"if $key == 'a' {{ {answers} }} else {{ $context.not_found() }}",
                "$context.interpolate('<%{site}>')",
                "if $context.cache_has_key($key) { $context.cached_value($key) } else { $context.cache($key, 'kept') }",
                "lookup('b', { 'default_value' => 'inner' })",
                "fail('in function')" if self.chance(0.2) else "'x'",
                '"${options}"',
            )
        )
        unless = "  if 'lookup_options' in $key { $context.not_found }\n" if self.chance(0.95) else ""
        hashed = f"{{ 'a' => {answers}, 'mod::a' => 'x' }}"
        self.files["modules/mod/functions/source.pp"] = (
            f"function mod::source({given}, $options, $context){returned} {{\n{unless}  {body}\n}}\n"
            if self.source_kind != "data_hash" or self.chance(0.05)
            else f"function mod::source($options, $context){returned} {{\n  {hashed}\n}}\n"
        )
        self.files["modules/mod/manifests/init.pp"] = (
            "class mod($a = 'default a', Optional[Any] $p = undef, $h = {}) {\n"
            "  $seen = 'seen'\n"
            "  notice($a, $p, $h)\n"
            "  notice(lookup('mod::b', { 'default_value' => 'no b' }))\n"
            "}\n"
        )

    def global_layer(self) -> dict[str, str]:
        if not self.chance(0.4):
            return {}
        kept, self.files = self.files, {}
        if self.chance(0.5):
            self.files["hiera.yaml"] = self.version_5("", KEYS, "")
        else:
            behaviour = f":merge_behavior: {self.pick('deep', 'deeper', 'native')}\n" if self.chance(0.5) else ""
            backends = self.pick("yaml", "[yaml, json]", "[yaml, hocon]", "[hocon, yaml]", "[strange, yaml]")
            settings = "".join(
                f":{each}:\n  :datadir: '@CODEDIR@/hieradata'\n"
                for each in ("yaml", "json", "hocon")
                if each in backends
            )
            self.files["hiera.yaml"] = (
                f"---\n:backends: {backends}\n{behaviour}{settings}"
                ':hierarchy:\n  - "%{site}"\n  - "%{calling_class}"\n  - common\n'
            )
            for name in ("paris.yaml", "common.yaml", "common.json", "extra.yaml", "mod.yaml"):
                if self.chance(0.7):
                    self.files[f"hieradata/{name}"] = self.data(KEYS, name.endswith(".json"))
            self.files["hieradata/common.conf"] = 'a = from hocon\nc : "x", h { k1 = 1, k2.n = [1, two] }\n'
        made, self.files = self.files, kept
        return made

    # --- the manifest ------------------------------------------------------------------------------------------------

    def call(self) -> str:
        key = self.pick(
            *KEYS, *KEYS, "h.k1", "l.0", "l.-1", "deep.n.k1", "none", "mod::h.k1", "a.b", "lookup_options", "a.", "'a'"
        )
        written = json.dumps(key) if "'" in key else f"'{key}'"
        merge = _puppet(self.merge())
        match self.random.randint(0, 13):
            case 0 | 1 | 2 | 3:
                return f"lookup({written})" if self.chance(0.4) else f"lookup({written}, undef, undef, 'default')"
            case 4:
                return f"lookup({written}, {self.pick(*TYPES)})"
            case 5 | 6:
                return f"lookup({written}, {{ 'merge' => {merge}, 'default_value' => 'default' }})"
            case 7:
                return f"lookup({written}, {self.pick(*TYPES)}, {merge}, 'default')"
            case 8:
                return f"lookup([{written}, 'c'], {{ 'default_value' => 'default' }})"
            case 9:
                override = "{ 'a' => 'overridden', 'site' => 'london' }"
                defaults = "{ 'extra' => 'e', 'none' => 'n' }"
                return f"lookup({written}, {{ 'override' => {override}, 'default_values_hash' => {defaults} }})"
            case 10:
                return f'lookup({written}) |$k| {{ "block ${{k}}" }}'
            case 11:
                return f"{self.pick('hiera', 'hiera_array', 'hiera_hash')}({written}{self.pick('', ', [1]', ', {}')})"
            case 12:
                return f"{self.pick('hiera', 'hiera_array', 'hiera_hash')}({written}, 'default', 'extra')"
        return f"lookup({{ 'name' => {written}, 'merge' => {merge}, 'default_value' => undef }})"

    def environment(self) -> dict[str, Any]:
        self.module_layer()
        self.environment_layer()
        global_files = self.global_layer()
        lines = []
        if self.chance(0.5):
            lines.append(self.pick("include mod", "class { 'mod': p => 'given' }"))
        for _ in range(self.random.randint(1, 3)):
            lines.append(f"notice(String({self.call()}, '%p'))")
        made: dict[str, Any] = {"manifest": "\n".join(lines) + "\n", "node": NODE, "facts": FACTS, "files": self.files}
        if global_files:
            made["global_files"] = global_files
        if self.chance(0.15):
            made["settings"] = {"strict": self.pick("error", "off"), "strict_variables": self.chance(0.5)}
        return made


def _puppet(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"'{key}' => {_puppet(each)}" for key, each in value.items()) + " }"
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def make_environment(random: Random) -> dict[str, Any]:
    """A request with a random environment."""
    return Maker(random).environment()

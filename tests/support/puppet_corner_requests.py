# ruff: noqa: E501 - programs stand on one line
"""Random requests about what comes from outside the manifest and about values with a life of their own, for comparison
with real Puppet: classifiers, data of modules, `Deferred`, `Sensitive`, the setting `tasks`, and jumps, names and
references in places where they are refused.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from .puppet_corner_types import FACTS, NODE, Texts


class Requests(Texts):
    """Writes manifests with what belongs to them."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.lines: list[str] = []
        self.files: dict[str, str] = {}
        self.more: dict[str, Any] = {}
        self.parameters: dict[str, list[str]] = {}
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def request(self) -> dict[str, Any]:
        request: dict[str, Any] = {"manifest": "\n".join(self.lines) + "\n", "node": NODE, "facts": FACTS, **self.more}
        if self.files:
            request["files"] = self.files
        return request

    # --- classifiers -------------------------------------------------------------------------------------------------

    def json_value(self, depth: int = 2) -> Any:
        if depth and self.chance(0.35):
            if self.chance(0.5):
                return [self.json_value(depth - 1) for _ in range(self.random.randint(0, 3))]
            keys = self.random.sample(("a", "b", "x y", "1"), self.random.randint(0, 2))
            return {key: self.json_value(depth - 1) for key in keys}
        return self.random.choice(("a", "", "12", "File[/x]", "%{kernel}", "undef", 1, -3, 2.5, True, False, None, "é"))

    def classes(self) -> None:
        """Classes of the manifest and of a module, for a classifier to declare."""
        for name in ("a", "b", "c"):
            parameters = []
            for parameter in self.random.sample(("x", "y", "z"), self.random.randint(0, 2)):
                kind = self.pick(
                    "", "", "", "", "Integer ", "String ", "Optional[String] ", "Array ", "Sensitive ", "Any "
                )
                defaults = {
                    "Integer ": " = 1",
                    "String ": " = 'd'",
                    "Array ": " = [1]",
                    "Sensitive ": " = Sensitive(1)",
                }
                default = self.pick("", " = 1", " = 'd'", " = $kernel", " = undef")
                if self.chance(0.8):
                    default = defaults.get(kind, default or " = 2")
                parameters.append(f"{kind}${parameter}{default}")
                self.parameters.setdefault(name, []).append(parameter)
            parent = f" inherits {self.pick('a', 'b', 'missing')}" if name != "a" and self.chance(0.15) else ""
            body = self.random.choice(
                (
                    "notice($title, $name, $module_name, $caller_module_name)",
                    'notify { "in ${title}": }',
                    "notice(getvar('x'), getvar('y'))",
                    "include a",
                    "fail('inside')" if self.chance(0.2) else "notice(defined('$x'))",
                    "contain b",
                    "notice(defined('a'), defined(Class['b']), tagged('b'))",
                    "notify { 'q': strange => 1 }" if self.chance(0.2) else "notify { $name: }",
                    "",
                )
            )
            shown = f"({', '.join(parameters)})" if parameters else ""
            self.lines.append(f"class {name}{shown}{parent} {{ {body} }}")
        if self.chance(0.4):
            text = f"class mod({self.pick('$x', 'Integer $x = 1', '$x = lookup(k)', '')}) {{ notice('mod', {self.pick('1', '$x')}) }}"
            self.files["modules/mod/manifests/init.pp"] = text
        if self.chance(0.1):
            self.files["modules/mod/manifests/sub.pp"] = self.pick(
                "class mod::sub { notice(1) }", "class wrong {}", "class mod::sub {", ""
            )

    def classify(self) -> None:
        names: tuple[str, ...] = ("a", "b", "c", "mod", "mod::sub", "::a", "A", "missing", "Mod::Sub", "")
        weights: tuple[float, ...] = (
            9,
            9,
            9,
            3 if "modules/mod/manifests/init.pp" in self.files else 0.2,
            0.4,
            0.2,
            1,
            0.2,
            0.2,
            0.1,
        )
        chosen = list(dict.fromkeys(self.random.choices(names, weights, k=self.random.randint(0, 3))))
        if self.chance(0.35):
            self.more["classes"] = chosen
        else:
            self.more["classes"] = {
                name: (
                    None
                    if self.chance(0.2)
                    else {key: self.json_value() for key in self.parameters.get(name, ()) if self.chance(0.7)}
                    if self.chance(0.6)
                    else {
                        key: self.json_value()
                        for key in self.random.sample(
                            (
                                "x",
                                "y",
                                "z",
                                "tag",
                                "noop",
                                "require",
                                "stage",
                                "other",
                                "title",
                                "name",
                                "alias",
                                "loglevel",
                            ),
                            self.random.randint(0, 2),
                        )
                    }
                )
                for name in chosen
            }
        if self.chance(0.6):
            names = (
                "kernel",
                "os",
                "site",
                "x",
                "title",
                "facts",
                "trusted",
                "server_facts",
                "name",
                "environment",
                "A",
                "a b",
                "1x",
                "module_name",
                "_p",
            )
            weights = (1, 1, 5, 5, 0.1, 0.1, 0.2, 0.1, 0.1, 0.4, 0.5, 0.5, 0.2, 0.1, 2)
            chosen = list(dict.fromkeys(self.random.choices(names, weights, k=self.random.randint(0, 3))))
            self.more["parameters"] = {name: self.json_value() for name in chosen}
        if self.chance(0.15):
            names = ("site", "x", "environment", "trusted", "title", "virtual", "1", "_p")
            chosen = self.random.choices(names, (4, 4, 1, 0.3, 0.1, 4, 0.1, 2), k=2)
            self.more["facts"] = {**FACTS, **{name: self.json_value() for name in chosen}}
        self.more["server_facts"] = {"serverversion": "7.23.0"}  # which a server always gives
        if self.chance(0.15):
            names = ("servername", "kernel", "site", "serverip", "facts")
            chosen = self.random.choices(names, (4, 1, 2, 4, 0.1), k=2)
            self.more["server_facts"] |= {name: self.json_value() for name in chosen}
        if self.chance(0.3):
            data = {
                key: self.json_value() for key in self.random.sample(("a::x", "b::y", "c::z", "mod::x", "k", "a::y"), 3)
            }
            self.files["hiera.yaml"] = "version: 5\nhierarchy:\n- {name: one, path: one.yaml}\n"
            self.files["data/one.yaml"] = json.dumps(data)
        for _ in range(self.random.randint(0, 3)):
            self.lines.append(
                self.random.choice(
                    (
                        "notice($site, $x, $kernel)",
                        "notice($::site)",
                        "notice($os)",
                        "notice($a::x, $b::y)",
                        "notice($facts['site'])",
                        "notice($facts['kernel'])",
                        "include a",
                        "include b",
                        "class { 'a': x => 1 }",
                        "class { 'b': }",
                        "Class['a'] -> Class['b']",
                        "$site = 3",
                        "$x = 4",
                        "node default { notice('node', $site) include c }",
                        "node testnode { include b }",
                        "notice(type($site), type($x))",
                        "notify { 't': message => $x }",
                        "notice(defined('$site'), defined('$nothing'), defined('mod'))",
                        "notice(lookup('a::x', default_value => 'none'))",
                        "notice($_p)",
                        "notice($server_facts, $servername, $virtual)",
                        "notice($environment, $facts['virtual'], $trusted['certname'])",
                    )
                )
            )

    # --- data of modules ---------------------------------------------------------------------------------------------

    def module(self, name: str, others: tuple[str, ...]) -> None:
        """A module with data of its own."""
        root = f"modules/{name}"
        keys = [f"{name}::{key}" for key in ("a", "b", "h", "l")] + [f"{other}::a" for other in others] + ["plain"]

        def data() -> str:
            chosen = self.random.sample(keys, self.random.randint(0, 3))
            if self.chance(0.96):
                chosen = [key for key in chosen if key.startswith(f"{name}::")]
            entries: dict[str, Any] = {}
            for key in chosen:
                entries[key] = self.random.choice(
                    (1, "t", "%{kernel}", ["x", "y"], {"k": {"n": [1]}}, {"k": 2, "m": None}, None, True, f"%{{lookup('{name}::b')}}",
                     f"%{{alias('{name}::h')}}", "%{module_name}", "%{calling_module}", "%{title}", ["x", "%{facts.os.family}"])
                )  # fmt: skip
            if self.chance(0.4):
                options: dict[str, Any] = {}
                for key in self.random.sample(keys[: 4 if self.chance(0.9) else 6], self.random.randint(1, 2)):
                    pattern = key if self.chance(0.8) else f"^{key[: len(name) + 3]}"
                    each: dict[str, Any] = {}
                    if self.chance(0.8):
                        each["merge"] = self.pick(
                            "first", "unique", "hash", "deep", "strange" if self.chance(0.1) else "deep"
                        )
                    if self.chance(0.3):
                        each["convert_to"] = self.random.choice(
                            ("Sensitive", "String", ["Integer", 16], "Array", ["String", "%p"], "Set")
                        )
                    options[pattern] = each
                entries["lookup_options"] = options
            return json.dumps(entries)

        match self.random.randrange(6):
            case 0 | 1 | 2 | 4:
                levels = [
                    {"name": "os", "path": "os/%{facts.os.family}.yaml"},
                    {"name": "common", "path": "common.yaml"},
                ]
                config: dict[str, Any] = {"version": 5, "hierarchy": levels}
                if self.chance(0.2):
                    config["defaults"] = {"datadir": self.pick("data", "other"), "data_hash": "yaml_data"}
                if self.chance(0.1):
                    config["default_hierarchy"] = [{"name": "last", "path": "last.yaml"}]
                    self.files[f"{root}/data/last.yaml"] = data()
                if self.chance(0.06):
                    config[self.pick("strange", "version", "hierarchy")] = self.random.choice((1, "5", [], {}, None))
                self.files[f"{root}/hiera.yaml"] = json.dumps(config)
            case 3:
                self.files[f"{root}/hiera.yaml"] = json.dumps(
                    {
                        "version": 5,
                        "hierarchy": [
                            {"name": "f", "data_hash": f"{name}::data"},
                            {"name": "c", "path": "common.yaml"},
                        ],
                    }
                )
                self.functions(name, keys)
            case 5:
                self.files[f"{root}/hiera.yaml"] = json.dumps(
                    {"version": 4, "datadir": "data", "hierarchy": [{"name": "common", "backend": "yaml"}]}
                )
        self.files[f"{root}/data/common.yaml"] = data()
        if self.chance(0.6):
            self.files[f"{root}/data/os/Debian.yaml"] = data()
        parameters = [
            f"${key} = {self.pick('undef', repr('dflt'), '[1]')}"
            for key in self.random.sample(("a", "b", "h", "l"), self.random.randint(1, 3))
        ]
        if self.chance(0.1):
            parameters.insert(0, "$need")
        self.files[f"{root}/manifests/init.pp"] = (
            f"class {name}({', '.join(parameters)}) {{\n"
            f"  notice('{name}', getvar('a'), getvar('b'), getvar('h'), getvar('l'), getvar('need'))\n"
            f"  notice(lookup('{self.random.choice(keys)}', default_value => 'none'))\n}}\n"
        )

    def functions(self, name: str, keys: list[str]) -> None:
        key = self.random.choice(keys)
        arguments = self.random.choice(
            ("$options, $context", "Hash $options, Puppet::LookupContext $context", "$o", "")
        )
        if self.chance(0.7):
            arguments = "$options, $context"
        body = self.random.choice(
            (
                f"{{ '{key}' => 'fn' }}",
                f"{{ '{key}' => {{ k => 'fn' }}, '{name}::b' => [1] }}",
                "$context.not_found",
                "'text'",
                f"$context.explain || {{ 'why' }} {{ '{name}::a' => $context.module_name, '{name}::b' => $context.environment_name }}",
                f"{{ '{name}::a' => $context.interpolate('%{{kernel}}'), 'plain' => 1 }}",
                f"{{ '{name}::a' => \"${{context}}\" }}",
            )
        )
        self.files[f"modules/{name}/functions/data.pp"] = f"function {name}::data({arguments}) {{ {body} }}"

    def look(self, names: tuple[str, ...]) -> str:
        name = self.random.choice(names)
        key = f"{name}::{self.pick('a', 'b', 'h', 'l', 'a', 'h.k', 'l.0', 'none')}" if self.chance(0.9) else "plain"
        return str(
            self.pick(
                f"include {name}",
                f"include {name}",
                f"notice(lookup('{key}'))" if self.chance(0.4) else f"notice(lookup('{key}', Any, first, 'd'))",
                f"notice(lookup('{key}', {{merge => {self.pick('deep', 'hash', 'unique', 'first')}, default_value => 'd'}}))",
                f"notice(lookup(['{key}', '{name}::b'], {self.pick('String', 'Any', 'Hash', 'Array')}, undef, 'd'))",
                f"notice(lookup('{key}', default_value => 'd'))",
                f"class {{ '{name}': a => {self.pick('1', 'undef', 'default')} }}",
                f"notify {{ 'n{self.random.randrange(10**6)}': message => lookup('{key}', default_value => {{}}) }}",
            )
        )

    # --- values that are kept back -----------------------------------------------------------------------------------

    def secret(self, depth: int = 2) -> str:
        if depth and self.chance(0.3):
            inner = self.secret(depth - 1)
            return self.pick(
                f"[{inner}, 1]",
                f"{{k => {inner}}}",
                f"[[{inner}]]",
                f"Sensitive({inner})",
                f"{{k => [{inner}], l => 2}}",
            )
        return self.pick("Sensitive('s')", "Sensitive(7)", "Sensitive(undef)", "Sensitive(['a', 'b'])", "Sensitive({a => 1})", "Sensitive.new('t')",
                         "Sensitive(Sensitive('n'))", "Sensitive('')", "Sensitive(true)", "Sensitive(File['/x'])", "Sensitive(Integer)")  # fmt: skip

    def sensitive(self) -> str:
        held = self.secret()
        name = self.fresh("s")
        return str(
            self.pick(
                f"notify {{ '{name}': message => {held} }}",
                f"notify {{ '{name}': message => [{held}], tag => {self.secret(0)} }}"
                if self.chance(0.2)
                else f"notify {{ '{name}': message => \"<${{{held}}}>\" }}",
                f"file {{ '/{name}': content => {held}, mode => {self.secret(0)} }}",
                f"notice({held})",
                f"notice({held}.unwrap)",
                f"notice({held}.unwrap |$x| {{ $x }})",
                f"notice(unwrap({self.value(1)}))",
                f"notice({held} == {self.secret()}, {held} =~ Sensitive, {held} =~ Sensitive[String], {held} =~ Sensitive[Integer])",
                f"notice(type({held}), type({held}, reduced), type({held}, generalized))",
                f"notice(String({held}, '{self.pick('%s', '%p', '%d', '%#s')}'))",
                f"notice({held}.{self.pick('length', 'upcase', 'flatten', 'keys', 'size', 'empty', 'unique', 'join', 'any', 'split(/,/)', 'strip', 'abs')})",
                f"notice(join([{held}], ','), sprintf('%s', {held}))",
                f"function {name}(Sensitive[String] $x) {{ $x.unwrap }} notice({name}({held}))",
                f"define {name}(Sensitive $x, $y = $x.unwrap) {{ notify {{ $title: message => $x }} notice($y) }} {name} {{ '{name}': x => {held} }}",
                f"class {name}($x, $y = $x) {{ file {{ '/{name}': content => $x, owner => $y }} }} class {{ '{name}': x => {held} }}",
                f"notify {{ '{name}': }} Notify['{name}'] {{ message => {held} }}",
                f"notify {{ '{name}': }} Notify <| title == '{name}' |> {{ message => {held} }}",
                f"Notify {{ message => {held} }} notify {{ '{name}': }}",
                f"notify {{ '{name}': * => {{ message => {held} }} }}",
                f"create_resources('notify', {{ '{name}' => {{ message => {held} }} }})",
                f"notify {{ '{name}': message => {held} }} notice(Notify['{name}']['message'])",
                f"$v{name} = {held} notify {{ '{name}': message => $v{name} ? {{ Sensitive => $v{name}, default => 1 }} }}",
                f"notify {{ {self.secret(0)}: }}",
                f"notice(inline_epp('<%= $x %>', {{ x => {held} }}))",
                "notice(inline_template('<%= @x %>'))",
                f"notify {{ '{name}': message => inline_epp('<%= $x.unwrap %>', {{ x => {self.secret(0)} }}) }}",
                f"notice({held} {self.pick('+', 'in', '<', '=~', 'and', '!=')} {self.value(0)})",
                f"notice(if {held} {{ 1 }} else {{ 2 }}, !{held})",
                f"notice({{{held} => 1}}, [{held}, {held}].unique)",
                f"notice({held}[{self.pick('0', 'k', '-1')}])",
                f"notice(Sensitive[{self.type(1)}], {held} =~ Sensitive[{self.type(1)}])",
                f"notice(Sensitive({self.value(1)}), Sensitive())"
                if self.chance(0.1)
                else f"notice(Sensitive({self.value(1)}))",
                f"notice({held}.then |$x| {{ $x }}, [{held}].map |$x| {{ $x }})",
                f"notice({held}.node_encrypt)"
                if self.chance(0.1)
                else f"notice(convert_to({held}, {self.pick('String', 'Array', 'Integer')}))",
                f"fail({held})" if self.chance(0.2) else f"warning({held})",
                f"user {{ '{name}': password => {held}, groups => [{self.secret(0)}, 'x'] }}",
                f"exec {{ '/bin/{name}': environment => [{held}], require => {self.secret(0) if self.chance(0.1) else 'undef'} }}",
            )
        )

    def deferred(self) -> str:
        name = self.fresh("d")
        call = self.later()
        return str(
            self.pick(
                f"notify {{ '{name}': message => {call} }}",
                f"notify {{ '{name}': message => [{call}, {{ k => {self.later()} }}] }}",
                f"notify {{ '{name}': message => \"<${{{call}}}>\" }}",
                f"notice({call})",
                f"notice(type({call}), {call} =~ Deferred, {call} == {self.later()})",
                f"notice({call}.name, {call}.arguments)",
                f"notice({call}.call)",
                f"notice(String({call}, '{self.pick('%s', '%p')}'))",
                f"class {name}($x) {{ notify {{ '{name}': message => $x }} }} class {{ '{name}': x => {call} }}",
                f"class {name}(String $x) {{ notify {{ '{name}': message => $x }} }} class {{ '{name}': x => {call} }}",
                f"define {name}({self.type(1)} $x) {{ notify {{ '{name}': message => $x }} }} {name} {{ 't': x => {call} }}",
                f"define {name}($x = {call}) {{ notify {{ '{name}': message => $x }} notice($x) }} {name} {{ 't': }}",
                f"function {name}(String $x) {{ $x }} notice({name}({call}))",
                f"function {name}({self.type(1)} $x) >> Deferred {{ $x }} notice({name}({call}))",
                f"notify {{ '{name}': message => Sensitive({call}) }}",
                f"notify {{ '{name}': message => Deferred('unwrap', [{self.secret(1)}]) }}",
                f"notify {{ '{name}': message => Deferred('inline_epp', ['<%= $x %>', {{ x => {call} }}]) }}",
                f"file {{ '/{name}': content => {call}, require => {self.pick('undef', call)} }}",
                f"notify {{ '{name}': message => {call}, tag => {self.pick(repr('t'), call)} }}",
                f"notify {{ '{name}': message => {call} }} notice(Notify['{name}'][message])",
                f"notify {{ {call}: }}",
                f"notice(Deferred({self.value(1)}, {self.value(1)}))",
                f"notice(Deferred, Deferred == Deferred, Type[Deferred], Deferred[{self.value(0)}])"
                if self.chance(0.2)
                else "notice(Deferred, Optional[Deferred])",
                f"Notify {{ message => {call} }} notify {{ '{name}': }}",
                f"create_resources('notify', {{ '{name}' => {{ message => {call} }} }})",
                f"notice({call} {self.pick('+', '<', 'in', '=~', '==')} {self.value(0)})",
                f"notice(upcase({call}), size({call}))",
                f"notice(if {call} {{ 1 }}, {call} ? {{ Deferred => 2, default => 3 }})",
                f"notice(assert_type({self.type(1)}, {call}))",
                f"notify {{ '{name}': message => {{ {call} => 1 }} }}",
                f"notify {{ '{name}': message => Deferred }}",
            )
        )

    def later(self) -> str:
        arguments = self.some(lambda: self.pick(self.value(1), self.secret(0), "Deferred('inner')", "$facts"), 0, 2)
        name = self.pick(
            "upcase", "join", "mod::f", "$x", "$facts", "unknown_one", "sprintf", "Upper" if self.chance(0.1) else "new"
        )
        return self.pick(
            f"Deferred('{name}', [{arguments}])",
            f"Deferred('{name}')",
            f"Deferred.new('{name}', [{arguments}])",
            f"Deferred({{name => '{name}', arguments => [{arguments}]}})",
            f"Deferred('{name}', [Deferred('lower', [{arguments}])])",
            f"Deferred('{name}', undef)",
        )

    # --- plans and tasks -----------------------------------------------------------------------------------------------

    def task(self) -> str:
        self.more.setdefault("settings", {"tasks": self.chance(0.7)})
        name = self.fresh("t")
        return str(
            self.pick(
                f"plan {name}($x = 1) {{ notice($x) }}",
                f"plan {name}() {{ return 1 }} {name}()",
                f"apply('all') {{ notify {{ '{name}': }} }}",
                "realize(Notify['a'])",
                "tag('x')",
                "notice(tagged('x'))",
                f"class {name} {{ }}",
                f"define {name}() {{ }}",
                "node default { }",
                f"notify {{ '{name}': }}",
                f"@notify {{ '{name}': }}",
                "Notify <| |>",
                "Notify['a'] -> Notify['b']",
                "Notify { message => 1 }",
                f"Notify['{name}'] {{ message => 1 }}",
                f"function {name}() {{ {self.pick('1', 'notify { x: }', 'tag(x)', 'break()')} }} notice({name}())",
                f"type {name.capitalize()} = {self.type(1)}",
                f"include {name}",
                "contain a",
                "require a",
                f"create_resources('notify', {{ '{name}' => {{}} }})",
                "hiera('a', 1)",
                "notice(lookup('a', default_value => 1))",
                f"$plan = {self.value(1)}",
                f"$v{name} = plan",
                "notify { plan: message => plan }",
                "$apply = 1",
                "notice(apply)",
                "notice({ plan => 1, apply => 2 })",
                "notice({ 'plan' => 1 }[plan])",
                "function plan() { }",
                "notice($facts['kernel'], $trusted['certname'])",
                f"application {name}() {{ }}",
                "site { }",
                f"{name}({self.value(1)})",
                "fail('x')",
                "notice(defined('a'), defined(Notify['a']))",
                f"file {{ '/{name}': ensure => present }}",
                "notice(epp('nope.epp'))",
                "notice(inline_epp('<%= 1 %>'))",
                "return()",
                "notice(file('/nope'))" if self.chance(0.1) else "notice(2)",
                "dump_args(1)",
                "stage { 'early': }",
                "apply = 1",
                "plan",
            )
        )

    # --- refused places ------------------------------------------------------------------------------------------------

    def form(self) -> str:
        """What the language refuses, or does not, in odd places."""
        name = self.fresh("w")
        word = self.pick(
            "facts",
            "trusted",
            "server_facts",
            "title",
            "name",
            "module_name",
            "settings",
            "environment",
            "a::b",
            "x",
            "_x",
            "0",
        )
        jump = self.pick("next()", "next(1)", "break()", "return()", "return(2)", "next 3", "return 4")
        known = self.pick(
            "notice",
            "fail",
            "include",
            "map",
            "size",
            "upcase",
            "lookup",
            "new",
            "break",
            "each",
            "type",
            "tag",
            "epp",
            "realize",
        )
        lambda_ = self.random.choice(
            ("$x", "$x, $y = 1", "$y = 1, $x", "*$x", "$x = 1, *$y", "*$x, $y", f"${word}", "Integer $x", "String *$x")
        )
        return str(
            self.pick(
                f"${word} = {self.value(1)}",
                f"class {name}(${word} = 1) {{ notice(${word}) }} include {name}",
                f"define {name}(${word}) {{ }} {name} {{ 't': {word} => 1 }}",
                f"function {name}(${word}) {{ ${word} }} notice({name}(1))",
                f"notice([1].map |${word}| {{ ${word} }})",
                f"notice(with(1, 2) |{lambda_}| {{ 3 }})",
                f"function {name}({lambda_}) {{ 3 }} notice({name}(1))",
                f"class {name}({lambda_}) {{ }} include {name}",
                f"define {name}({lambda_}) {{ }} {name} {{ 'q': x => 2 }}",
                jump,
                f"notice([1, 2, 3].map |$x| {{ if $x == 2 {{ {jump} }} $x }})",
                f"function {name}() {{ {jump} 5 }} notice({name}())",
                f"function {name}() {{ {jump} }} notice([1, 2].map |$x| {{ {name}() $x }})",
                f"class {name} {{ {jump} notice('after') }} include {name}",
                f"define {name}() {{ {jump} notice('after') }} {name} {{ 't': }}",
                f"notice(inline_epp('a<% {jump} %>b'))",
                f"notice(inline_epp('a<% [1, 2].each |$x| {{ %><%= $x %><% {jump} %>c<% }} %>b'))",
                f'define {name}() {{ {jump} }} [1, 2].each |$x| {{ {name} {{ "a${{x}}": }} }}',
                f"function {known}($x) {{ 'mine' }} notice({known}([1]))",
                f"function {known}(*$x) {{ 'mine' }} {known} 'a'",
                f"type {self.pick('Integer', 'File', 'String', 'Foo', 'Class', 'Notify', 'Any')} = {self.type(1)}",
                f"type {name.capitalize()} = Integer define {name}() {{ }} {name} {{ 'a': }}",
                f"type {name.capitalize()} = Integer class {name} {{ }} notice({name.capitalize()})",
                f"define {name}() {{ }}\n{self.pick('define', 'class', 'function')} {name}{self.pick('()', '')} {{ }}",
                f"notify {{ '{name}': message => {self.pick('File', 'Class', 'Notify', 'Resource', 'Nope', 'Class[a]', 'User[x]', 'Resource[foo, x]')} }}",
                f"notify {{ '{name}': require => {self.pick('File', 'Class', 'Nope', 'Class[a]', 'User[x]', 'Integer', repr('x'), '1', '[File]', 'undef', '[]')} }}",
                f"notify {{ '{name}': message => {self.pick('[1].each', '[1, 2].reverse_each', 'Integer[1, 3].step(2)', '[[1].reverse_each]')} }}",
                f"define {name}($x = [1, 2].reverse_each) {{ notice($x) }} {name} {{ 'a': }}",
                f"define {name}($x) {{ notice($x) }} {name} {{ 'a': x => {self.pick('[1].reverse_each', 'Integer[1,2].step(1)', '[[1].step(1)]')} }}",
                f"create_resources('notify', {{ {self.pick('8042', 'undef', 'true', '1.5', 'default', 'File[x]', 'Class[a]', '[a, b]', '/x/', repr(''), 'Integer')} => {{}} }})",
                f"define {name}() {{ notice($title, type($title)) }} create_resources('{name}', {{ {self.pick('80', 'File[x]', 'undef', 'b', 'true')} => {{}} }})",
                f"notify {{ {self.pick('80', 'File[x]', 'undef', 'b', 'true', '1.5', '[1, 2]', 'Integer', '[]', 'default', '{}')}: message => 1 }}",
                f"component {{ '{name}': }} notice(Component['{name}'])",
                f"notice({self.pick('Timestamp(1)', 'Timespan(2)', '3', repr('x'), '[1]', '{a => 1}')} {self.pick('+', '-', '*', '/', '%', '<<', '>>', '<')} {self.pick('Timestamp(1)', 'Timespan(2)', '3', '1.5', '[1]', '{a => 1}')})",
                f"notice(Timestamp('{self.pick('2020-01-02', '20200102', '2020-01-02T03:04:05', '2020-01-02 10:00 PM', '12/31/20')}', '{self.pick('%F', '%Y%m%d', '%FT%T', '%F %I:%M %p', '%D', '%Y', '%Z', '%s')}'{self.pick('', ', ' + repr('UTC'), ', ' + repr('+0100'), ', ' + repr('PST'))}))",
                f"notice(strftime(Timestamp('2020-01-02T03:04:05.678'), '{self.pick('%-d', '%e', '%j', '%Z', '%z', '%:z', '%L', '%3N', '%N', '%^a', '%#B', '%010Y', '%s', '%q', '%')} {self.pick('%A', '%H', '%-H', '%P', '%U', '%c', '%x')}'))",
                f"notice(compare({self.value(0)}, {self.value(0)}{self.pick('', ', true', ', false')}){self.pick('', ' |$x| { 1 }')})",
                f"notice({self.pick('1e400', '1e308', '0x', '08', '1.', '0xfg', '1e', '9223372036854775808', '-9223372036854775809', '1_000')})",
                f"notice(@({self.pick('END', 'END/t', 'END/q', 'END/$n')}))\n  {self.pick('{', '[1]', '$x', 'a b')}\n  | END",
                f'notice("a\\{self.pick("q", "t", "u0041", "u{1F600}", "x", "$", "u00", "s")}b")',
                f"notice({self.pick('Resource[foo, x]', 'Resource[file, x]', 'Resource[Nope]', 'Class[nope]', 'Nope[x]', 'File[x][mode]', 'Class[a][x]')})",
                f"notice({self.pick('Class', 'File', 'Resource')}[{self.value(0)}])",
                f"unless {self.value(0)} {{ notice(1) }} {self.pick('', 'else { notice(2) }', 'elsif true { notice(3) }')}",
                f"[$a{name}, $b{name}] = {self.value(1)}\nnotice($a{name}, $b{name})",
                f"{{ a => $q{name} }}",
                f"notice({self.value(1)}.{self.pick('dig(a)', 'get(a)', 'get(0)', 'keys', 'values', 'length', 'slice(2)', 'then |$x| { $x }', 'lest || { 1 }', 'any', 'all', 'index(1)')})",
            )
        )


def make_classified(random: Random) -> dict[str, Any]:
    """What a classifier says, right and wrong."""
    maker = Requests(random)
    maker.classes()
    maker.classify()
    return maker.request()


def make_module_data(random: Random) -> dict[str, Any]:
    """Data that modules bring."""
    maker = Requests(random)
    names = ("one", "two")[: random.randint(1, 2)]
    for name in names:
        maker.module(name, tuple(each for each in names if each != name))
    if maker.chance(0.4):
        entries = {key: maker.json_value() for key in ("one::a", "two::h", "plain", "one::l") if maker.chance(0.5)}
        maker.files["hiera.yaml"] = "version: 5\nhierarchy:\n- {name: e, path: e.yaml}\n"
        maker.files["data/e.yaml"] = json.dumps(entries)
    maker.lines = [maker.look(names) for _ in range(random.randint(1, 3))]
    return maker.request()


def make_sensitive(random: Random) -> dict[str, Any]:
    """Sensitive values wherever a value can stand."""
    maker = Requests(random)
    maker.lines = [maker.sensitive() for _ in range(random.randint(1, 3))]
    return maker.request()


def make_deferred(random: Random) -> dict[str, Any]:
    """Calls that the agent is to make."""
    maker = Requests(random)
    maker.files["modules/mod/functions/f.pp"] = "function mod::f(*$x) { $x }"
    maker.lines = [maker.deferred() for _ in range(random.randint(1, 3))]
    return maker.request()


def make_tasks(random: Random) -> dict[str, Any]:
    """The language of plans, and what it takes away."""
    maker = Requests(random)
    maker.lines = [maker.task() for _ in range(random.choice((1, 1, 2, 3)))]
    return maker.request()


def make_forms(random: Random) -> dict[str, Any]:
    """Reserved names, jumps, definitions and references in odd places."""
    maker = Requests(random)
    maker.lines = [maker.form() for _ in range(random.randint(1, 2))]
    return maker.request()

"""Random Puppet programs about the catalog, for comparison with real Puppet.

Where `puppet_programs` goes through expressions, these programs go through what happens between resources: chains of
classes that inherit and override (`+>`, undef), collectors with queries on tags, titles and attributes and with
overrides that reach into defines, virtual and exported resources that are realized before or after they are declared,
relationships of every form, stages, classes declared from defines, defaults that follow the dynamic scope,
`create_resources`, and the functions that look at the catalog while it is being made.
`make_catalog_program(random)` gives a manifest.
"""

from __future__ import annotations

from random import Random

FACTS = {"os": {"family": "Debian"}, "kernel": "Linux", "role": "web"}
NODE = "web1.example.com"

TITLES = ("a", "b", "c", "x1", "Y")
TAGS = ("red", "green", "app::blue", "web")
TYPES = ("notify", "file", "user", "exec", "d1", "d2", "ns::d3")
CLASSES = ("k1", "k2", "k3", "ns::k4", "ns")
ATTRIBUTES = {
    "notify": ("message", "withpath"),
    "file": ("mode", "owner", "content", "group"),
    "user": ("comment", "groups", "shell"),
    "exec": ("environment", "onlyif", "path"),
    "d1": ("p", "q"),
    "d2": ("p", "r"),
    "ns::d3": ("p", "s"),
}
METAPARAMETERS = ("tag", "noop", "loglevel", "alias", "schedule", "audit")


class Maker:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.where = ""
        self.count = 0
        self.named: dict[tuple[str, str], None] = {}
        self.made: set[tuple[str, str]] = set()
        self.own: dict[str, list[tuple[str, str]]] = {}
        self.inherited: list[tuple[str, str]] = []
        self.name = ""

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    # --- values ------------------------------------------------------------------------------------------------------

    def title(self, kind: str) -> str:
        name = self.random.choice(TITLES)
        return f"/{name}" if kind == "file" else f"/bin/{name}" if kind == "exec" else name

    def value(self, attribute: str) -> str:
        if self.chance(0.06):
            return "undef"
        if attribute in ("groups", "environment", "tag") and self.chance(0.5):
            return f"[{', '.join(self.text() for _ in range(self.random.randint(0, 2)))}]"
        if attribute == "tag":
            return f"'{self.random.choice(TAGS)}'"
        if attribute == "noop":
            return self.pick("true", "false")
        if attribute == "mode":
            return self.pick("'0644'", "'0600'")
        if attribute in ("loglevel", "schedule", "audit"):
            return self.pick("'notice'", "'daily'", "debug", "all")
        return self.text()

    def text(self) -> str:
        way = self.random.randint(0, 13)
        match way:
            case 0:
                return '"<${title}>"'
            case 1:
                return '"${name}-${module_name}"'
            case 2:
                return "$facts['role']"
            case 3:
                return f"String(tagged('{self.random.choice(TAGS)}'))"
            case 4:
                return f"String(defined({self.reference()}))"
            case 5:
                argument = self.pick("'v'", "'w'", "$title")
                return f"pick_{self.random.randint(0, 1)}({argument})"
            case 6:
                return self.pick('"${v}"', '"${k1::v}"', '"${::v}"', '"${ns::k4::v}"')
            case 7:
                return "Sensitive('secret')" if self.chance(0.3) else "'s'"
            case 8:
                return str(self.random.randint(0, 3))
            case 9:
                return f"getvar('{self.pick('k1::v', 'v', 'facts.role', 'title')}', 'none')"
        return f"'{self.pick('one', 'two', 'three')}'"

    def attributes(self, kind: str, most: int = 3, add: float = 0.0) -> str:
        known = ATTRIBUTES[kind]
        chosen = self.random.sample(known, self.random.randint(0, min(most, len(known))))
        if self.chance(0.3):
            chosen.append(self.random.choice(METAPARAMETERS))
        parts = [f"{each} {'+>' if self.chance(add) else '=>'} {self.value(each)}" for each in chosen]
        if self.chance(0.25):
            parts.append(f"{self.pick('require', 'before', 'notify', 'subscribe')} => {self.references()}")
        if self.chance(0.02):
            parts.append(f"* => {{ '{self.random.choice(known)}' => {self.text()} }}")
        return ", ".join(parts)

    def reference(self) -> str:
        if self.chance(0.25):
            name = self.random.choice(CLASSES)
            self.named["class", name] = None
            return f"Class['{name}']"
        kind = self.random.choice(TYPES)
        named = "::".join(part.capitalize() for part in kind.split("::"))
        titles = [self.title(kind) for _ in range(2 if self.chance(0.1) else 1)]
        self.named.update(dict.fromkeys((kind, title) for title in titles))
        return f"{named}[{', '.join(map(repr, titles))}]"

    def references(self) -> str:
        if self.chance(0.2):
            return f"[{self.reference()}, {self.reference()}]"
        return self.reference()

    # --- statements --------------------------------------------------------------------------------------------------

    def statement(self, indent: int) -> None:
        ways = (
            [self.resource] * 8
            + [self.virtual] * 3
            + [self.collector] * 3
            + [self.declare] * 3
            + [self.arrows] * 2
            + [self.defaults, self.override, self.look, self.realize, self.create, self.loop, self.tag]
            + [self.condition, self.choose]
        )
        self.random.choice(ways)(indent)

    def body(self, indent: int, least: int, most: int) -> None:
        for _ in range(self.random.randint(least, most)):
            self.statement(indent)

    def resource(self, indent: int) -> None:
        kind = self.random.choice(TYPES)
        mark = ""
        bodies = []
        for _ in range(1 if self.chance(0.85) else 2):
            plain = self.title(kind)
            title = f"'{plain}'"
            if self.chance(0.1):
                title = f"['{self.title(kind)}', '{self.title(kind)}{self.random.randint(1, 3)}']"
            elif self.where == "define" and self.chance(0.4):
                title = f'"{self.title(kind)}-${{title}}"'
            elif self.chance(0.5):
                self.count += 1
                title = f"'{self.title(kind)}{self.count}'"
            elif (kind, plain) in self.made and self.chance(0.95):
                continue
            else:
                self.made.add((kind, plain))
                self.own.setdefault(self.name, []).append((kind, plain))
            bodies.append(f"{title}: {self.attributes(kind)}")
        if not bodies:
            return
        if self.chance(0.08):
            bodies.insert(0, f"default: {self.attributes(kind, 1)}")
        self.emit(indent, f"{mark}{kind} {{ {'; '.join(bodies)} }}")

    def virtual(self, indent: int) -> None:
        kind = self.random.choice(TYPES)
        title = self.title(kind)
        if (kind, title) not in self.made or self.chance(0.03):
            self.made.add((kind, title))
            self.emit(indent, f"{self.pick('@', '@', '@@')}{kind} {{ '{title}': {self.attributes(kind)} }}")

    def query(self, kind: str, depth: int = 1) -> str:
        if depth and self.chance(0.35):
            return f"({self.query(kind, 0)} {self.pick('and', 'or')} {self.query(kind, 0)})"
        word = self.pick("==", "==", "!=")
        attribute = self.pick("title", "tag", "tag", *ATTRIBUTES[kind], "noop")
        if attribute == "title":
            return f"title {word} '{self.title(kind)}'"
        if attribute == "tag":
            return f"tag {word} '{self.random.choice((*TAGS, *CLASSES))}'"
        wanted = self.pick("'one'", "'two'", "true", "1", "'0644'", "$kernel")
        return f"{attribute} {word} {wanted}"

    def collector_text(self, overrides: float = 0.0) -> str:
        kind = self.random.choice(TYPES)
        named = "::".join(part.capitalize() for part in kind.split("::"))
        query = self.query(kind) if self.chance(0.75) else ""
        text = f"{named} <<| {query} |>>" if self.chance(0.15) else f"{named} <| {query} |>"
        if self.chance(overrides):
            text += f" {{ {self.attributes(kind, 2, 0.3)} }}"
        return text

    def collector(self, indent: int) -> None:
        self.emit(indent, self.collector_text(0.4))

    def declare(self, indent: int) -> None:
        name = self.random.choice(CLASSES)
        match self.random.randint(0, 5):
            case 0 | 1:
                self.emit(indent, f"include {name}")
            case 2:
                self.emit(indent, f"contain {name}")
            case 3:
                self.emit(indent, f"require {name}")
            case 4:
                given = self.pick("", "", "stage => early", "tag => red", "p => 7") if self.chance(0.5) else ""
                if ("class", name) not in self.made:
                    self.made.add(("class", name))
                    self.emit(indent, f"class {{ '{name}': {given} }}")
            case 5:
                self.emit(indent, f"include {name}, {self.random.choice(CLASSES)}")

    def arrows(self, indent: int) -> None:
        parts = []
        for _ in range(self.random.randint(2, 3)):
            parts.append(self.pick(self.references(), self.reference(), self.collector_text()))
            parts.append(self.pick("->", "~>", "<-", "<~"))
        self.emit(indent, " ".join(parts[:-1]))

    def defaults(self, indent: int) -> None:
        kind = self.random.choice(TYPES)
        named = "::".join(part.capitalize() for part in kind.split("::"))
        self.emit(indent, f"{named} {{ {self.attributes(kind, 2)} }}")

    def override(self, indent: int) -> None:
        if not self.inherited and self.chance(0.9):
            return
        kind = self.random.choice(TYPES)
        title = self.title(kind)
        if self.inherited and self.chance(0.95):
            kind, title = self.random.choice(self.inherited)
        named = "::".join(part.capitalize() for part in kind.split("::"))
        self.named[kind, title] = None
        self.emit(indent, f"{named}['{title}'] {{ {self.attributes(kind, 2, 0.3)} }}")

    def look(self, indent: int) -> None:
        what = self.pick(
            f"defined({self.reference()})",
            f"defined('{self.random.choice((*TYPES, *CLASSES, '$v', '$k1::v'))}')",
            f"tagged('{self.random.choice((*TAGS, *CLASSES))}')",
            f"{self.reference()}",
            "$title",
            "$k1::v",
            f"{self.reference()}['tag']",
        )
        self.emit(indent, f"notice({what})")

    def realize(self, indent: int) -> None:
        self.emit(indent, f"realize({self.references()})")

    def create(self, indent: int) -> None:
        kind = self.random.choice((*TYPES, "class"))
        if kind == "class":
            self.emit(indent, f"create_resources('class', {{ '{self.random.choice(CLASSES)}' => {{}} }})")
            return
        attribute = self.random.choice(ATTRIBUTES[kind])
        mark = self.pick("", "", "@", "@@")
        title = self.title(kind)
        if (kind, title) in self.made and self.chance(0.9):
            title += "9"
        self.made.add((kind, title))
        entries = f"'{title}' => {{ '{attribute}' => {self.text()} }}"
        extra = f", {{ '{self.random.choice(ATTRIBUTES[kind])}' => {self.text()} }}" if self.chance(0.4) else ""
        self.emit(indent, f"create_resources('{mark}{kind}', {{ {entries} }}{extra})")

    def loop(self, indent: int) -> None:
        kind = self.random.choice(TYPES)
        start = self.title(kind)
        self.emit(
            indent, f"['p', 'q'].each |$i, $e| {{ {kind} {{ \"{start}${{e}}${{i}}\": {self.attributes(kind, 1)} }} }}"
        )

    def tag(self, indent: int) -> None:
        self.emit(indent, f"tag('{self.random.choice(TAGS)}')")

    def condition(self, indent: int) -> None:
        test = self.pick(
            f"defined({self.reference()})",
            f"!defined({self.reference()})",
            f"tagged('{self.random.choice((*TAGS, *CLASSES))}')",
            "$facts['role'] == 'web'",
        )
        self.emit(indent, f"if {test} {{")
        self.statement(indent + 1)
        self.emit(indent, "}")

    def choose(self, indent: int) -> None:
        self.emit(indent, f"$u{self.count} = $facts['role'] ? {{ /w(.)b/ => \"m${{1}}\", default => {self.text()} }}")
        self.count += 1

    # --- definitions -------------------------------------------------------------------------------------------------

    def program(self) -> str:
        """The whole program."""
        self.emit(0, "function pick_0($x) >> String { $x }")
        self.emit(0, 'function pick_1(String $x) { "<${x}>" }')
        if self.chance(0.8):
            self.emit(0, "stage { 'early': before => Stage['main'] }")
        for name in ("d1", "d2", "ns::d3"):
            second = ATTRIBUTES[name][1]
            self.emit(0, f'define {name}($p = {self.text()}, ${second} = "${{title}}/${{p}}") {{')
            self.where = "define"
            if self.chance(0.7):
                self.emit(1, f'notify {{ "{name} ${{title}}": message => "${{p}} ${{{second}}}" }}')
            for _ in range(self.random.randint(0, 2)):
                self.random.choice((self.declare, self.look, self.tag, self.defaults, self.arrows, self.collector))(1)
            if name == "d1" and self.chance(0.4):
                self.emit(1, 'd2 { "${title} inner": p => $p }')
            self.emit(0, "}")
        known: list[str] = []
        for name in CLASSES:
            above = self.random.choice(known) if known and self.chance(0.5) else ""
            parent = f" inherits {above}" if above else ""
            self.name = name
            self.inherited = list(self.own.get(above, ()))
            self.own[name] = list(self.inherited)
            parameters = "($p = 1)" if self.chance(0.3) else ""
            self.emit(0, f"class {name}{parameters}{parent} {{")
            self.where = ""
            if self.chance(0.6):
                self.emit(1, f"$v = {self.text()}")
            self.body(1, 0, 3)
            while self.inherited and self.chance(0.6):
                self.override(1)
            self.emit(0, "}")
            known.append(name)
        self.where = self.name = ""
        self.inherited = []
        if self.chance(0.3):
            self.emit(0, "$v = 'top'")
        self.body(0, 2, 6)
        if self.chance(0.9):
            for kind, title in [each for each in self.named if each not in self.made]:
                if self.chance(0.97):
                    self.emit(0, f"include {title}" if kind == "class" else f"{kind} {{ '{title}': }}")
        if self.chance(0.3):
            self.emit(0, f"node {self.pick('default', '/web/')} {{")
            self.body(1, 1, 3)
            self.emit(0, "}")
        return "\n".join(self.lines) + "\n"


def make_catalog_program(random: Random) -> str:
    """A random manifest."""
    return Maker(random).program()

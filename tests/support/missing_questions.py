"""Questions for `explain --missing` whose answers are known, over random repositories.

A repository is put together from pieces with random names. Each piece leaves something out for one reason, and knows
which place must be told (the file, and the text of the line) and which words must be in the answer.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

ROOT = "env"
NODE = "web01"
FACTS = {"role": "web", "os": {"family": "Debian"}, "size": 3}
LETTERS = "bcdfghklmnprstvz"


class Question(NamedTuple):
    """What is asked, and what the answer must tell: of each place the file and the line's text, and words."""

    path: str
    places: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    kind: str


class Maker:
    """Writes one repository with its questions."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.files: dict[str, str] = {}
        self.site: list[str] = []
        self.data: dict[str, list[str]] = {"data/common.yaml": [], "data/role/web.yaml": [], "data/role/db.yaml": []}
        self.questions: list[Question] = []
        self._names: set[str] = set()

    def name(self) -> str:
        """A name that nothing else has, and that is not like another."""
        while True:
            name = "".join(self.random.choice(LETTERS) + self.random.choice("aeiou") for _ in range(4))
            if name not in self._names:
                self._names.add(name)
                return name

    def add_class(self, body: str, name: str | None = None, parameters: str = "") -> tuple[str, str]:
        """A class in a module of its own: its name and its file."""
        name = name or self.name()
        file = f"{ROOT}/modules/{name}/manifests/init.pp"
        self.files[file] = f"class {name}{parameters} {{\n{body}}}\n"
        return name, file

    def ask(self, kind: str, path: str, *places: tuple[str, str], words: tuple[str, ...] = ()) -> None:
        self.questions.append(Question(path, places, words, kind))

    # --- pieces ---

    def branch(self) -> None:
        """A class or resource in a branch that was not taken, perhaps inside of another class."""
        wanted = self.name()
        inside = self.random.random() < 0.5
        line = f"  include {wanted}" if inside else f"  package {{ '{wanted}': }}"
        head = self.random.choice(
            ("if $facts['role'] == 'db' {", "unless $facts['size'] > 2 {", "if $facts['os']['family'] =~ /Red/ {")
        )
        fact = "role" if "role" in head else "size" if "size" in head else "os.family"
        if inside:
            self.add_class("  notify { 'it': }\n".replace("it", f"it-{wanted}"), wanted)
        outer, file = self.add_class(f"  {head}\n{line}\n  }}\n")
        self.site.append(f"include {outer}")
        path = f"Class[{wanted}]" if inside else f"Package[{wanted}]"
        self.ask("branch", path, (file, line.strip()), words=(f"fact {fact}",))
        if inside:
            self.ask("in a class in a branch", f"Notify[it-{wanted}]", (file, line.strip()), words=(f"fact {fact}",))

    def named_in_data(self) -> None:
        """A class that a level names which this node does not read, or that is under a key that nothing asks for."""
        wanted, _ = self.add_class("")
        if self.random.random() < 0.6:
            self.data["data/role/db.yaml"].append(f"  - {wanted}")
            self.ask("data", f"Class[{wanted}]", (f"{ROOT}/data/role/db.yaml", wanted), words=("role", "does not read"))
        else:
            key = self.name()
            self.data["data/common.yaml"][0:0] = [f"{key}:", f"  - {wanted}"]
            words = (f"looks up {key}",)
            self.ask("data nobody asks for", f"Class[{wanted}]", (f"{ROOT}/data/common.yaml", wanted), words=words)

    def nowhere(self) -> None:
        """A class that is defined, and named by nothing."""
        wanted, file = self.add_class("  notify { 'x': }\n".replace("x", f"in-{len(self._names)}"))
        self.ask("named by nothing", f"Class[{wanted}]", (file, f"class {wanted}"), words=("nothing names it",))

    def undefined(self) -> None:
        """A class that is not there at all."""
        self.ask("undefined", f"Class[{self.name()}]", words=("no class", "is defined"))

    def unknown_type(self) -> None:
        self.ask("unknown type", f"{self.name().capitalize()}[x]", words=("unknown type",))

    def virtual(self) -> None:
        wanted = self.name()
        line = f"@notify {{ '{wanted}': }}"
        self.site.append(line)
        self.ask("virtual", f"Notify[{wanted}]", (f"{ROOT}/manifests/site.pp", line), words=("virtual",))

    def exported(self) -> None:
        """Beside its collector."""
        wanted = self.name()
        line = f"@@user {{ '{wanted}': }}"
        self.site += [line, "User <<| |>>"]
        words = ("exported", "collector at", "--exports")
        self.ask("exported", f"User[{wanted}]", (f"{ROOT}/manifests/site.pp", line), words=words)

    def parts(self) -> None:
        """Elements of lists, keys of hashes, and parameters that are not there."""
        name, file = self.add_class("", parameters="($items, $tree)")
        count = self.random.randint(1, 4)
        items = [self.name() for _ in range(count)]
        key, inner = self.name(), self.name()
        self.data["data/common.yaml"][0:0] = [
            f"{name}::items: [{', '.join(items)}]", f"{name}::tree:", f"  {key}:", f"    {inner}: 1"
        ]  # fmt: skip
        self.site.append(f"include {name}")
        shown = f"{name.capitalize()}"
        self.ask("index", f"Class[{name}].items[{count + self.random.randint(0, 5)}]", words=(f"{count} element",))
        misspelt = inner[:-1] + "yy"
        words = (f"no key {misspelt}", f"did you mean {inner}", f"lookup {name}::tree")
        self.ask("hash key", f"Class[{shown}].tree.{key}.{misspelt}", words=words)
        self.ask("parameter", f"Class[{shown}].{self.name()}", words=("is not set",))
        del file
        self.ask(
            "key of the data", f"{name}::items", words=("key of the data", f"lookup {name}::items", f"Class[{name}]")
        )

    def computed(self) -> None:
        """A title with a part that is filled in, in a define that has other instances."""
        define, wanted, there = self.name(), self.name(), self.name()
        file = f"{ROOT}/modules/{define}/manifests/init.pp"
        line = f'  file {{ "/etc/{define}/${{title}}.conf": }}'
        self.files[file] = f"define {define} {{\n{line}\n}}\n"
        self.site.append(f"{define} {{ '{there}': }}")
        words = ("computed title", f"it made File[/etc/{define}/{there}.conf]")
        self.ask("computed title", f"File[/etc/{define}/{wanted}.conf]", (file, line.strip()[:6]), words=words)

    def created(self) -> None:
        """Titles in data, for `create_resources`, in a level that is not read."""
        name = self.name()
        wanted, there = self.name(), self.name()
        key = f"{name}::all"
        self.data["data/role/web.yaml"][0:0] = [f"{key}:", f"  {there}:", "    message: x"]
        self.data["data/role/db.yaml"][0:0] = [f"{key}:", f"  {wanted}:", "    message: x"]
        line = "  create_resources('notify', $all)"
        self.add_class(line + "\n", name, "($all)")
        self.site.append(f"include {name}")
        words = (f"under {key}", "does not read")
        self.ask("title in data", f"Notify[{wanted}]", (f"{ROOT}/data/role/db.yaml", wanted), words=words)

    def left(self) -> None:
        """Behind a `return()`."""
        wanted = self.name()
        line = f"  notify {{ '{wanted}': }}"
        name, file = self.add_class(f"  if $facts['role'] == 'web' {{ return() }}\n{line}\n")
        self.site.append(f"include {name}")
        self.ask("left before", f"Notify[{wanted}]", (file, line.strip()[:6]), words=("left before", "fact role"))

    def left_always(self) -> None:
        """Behind a `return()` that no input decides about."""
        wanted = self.name()
        line = f"  notify {{ '{wanted}': }}"
        name, file = self.add_class(f"  return()\n{line}\n")
        self.site.append(f"include {name}")
        self.ask("left always", f"Notify[{wanted}]", (file, line.strip()[:6]), words=("left before, at",))

    def arm(self) -> None:
        """A title in the arm of a selector that was not chosen."""
        wanted, there = self.name(), self.name()
        line = f"  $it = $facts['role'] ? {{ 'db' => '{wanted}', default => '{there}' }}"
        name, file = self.add_class(f"{line}\n  package {{ $it: }}\n")
        self.site.append(f"include {name}")
        words = ("not among the computed titles", f"it made Package[{there}]", f"written at {file}:2")
        self.ask("arm", f"Package[{wanted}]", (file, "package { $it"), words=words)

    def key_elsewhere(self) -> None:
        """A key of a level that this node does not read."""
        wanted = self.name()
        self.data["data/role/db.yaml"][0:0] = [f"{wanted}: 1"]
        words = ("key of the data", "does not read", f"lookup {wanted}")
        self.ask("key elsewhere", wanted, (f"{ROOT}/data/role/db.yaml", wanted), words=words)

    def variable(self) -> None:
        name, _ = self.add_class("  $known_value = 1\n")
        self.site.append(f"include {name}")
        self.ask("variable", f"${name}::known_valeu", words=(f"did you mean ${name}::known_value",))

    def titles_in_a_variable(self) -> None:
        """An array of titles in a variable."""
        wanted, there = self.name(), self.name()
        line = "  package { $all: }"
        name, file = self.add_class(f"  $all = ['{there}']\n{line}\n")
        self.site.append(f"include {name}")
        del file
        self.ask("titles in a variable", f"Package[{wanted}]", words=("not among the computed titles",))

    def make(self) -> tuple[dict[str, str], list[Question]]:
        """The files and the questions."""
        pieces = (
            self.branch, self.branch, self.named_in_data, self.nowhere, self.undefined, self.unknown_type, self.virtual,
            self.exported, self.parts, self.computed, self.created, self.left, self.variable, self.titles_in_a_variable,
            self.left_always, self.arm, self.key_elsewhere,
        )  # fmt: skip
        for piece in self.random.sample(pieces, self.random.randint(5, len(pieces))):
            piece()
        levels = "  - name: role\n    path: role/%{facts.role}.yaml\n  - name: all\n    path: common.yaml\n"
        self.files[f"{ROOT}/hiera.yaml"] = f"version: 5\nhierarchy:\n{levels}"
        known, _ = self.add_class("")
        for file, lines in self.data.items():
            own = [line for line in lines if line.startswith("  - ") and file.endswith("db.yaml")]
            rest = [line for line in lines if line not in own]
            classes = [*own, *([f"  - {known}"] if file.endswith("web.yaml") else [])]
            text = "\n".join([*rest, *(["classes:", *classes] if classes else [])])
            self.files[f"{ROOT}/{file}"] = f"---\n{text}\n"
        site = "\n".join(["lookup('classes', Array, 'unique', []).include", *self.site])
        self.files[f"{ROOT}/manifests/site.pp"] = site + "\n"
        return self.files, self.questions

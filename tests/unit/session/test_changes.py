"""Files that change between the runs of a session: noticed, and nothing read again that need not be."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

import wherefrom
from support.effort import lines
from wherefrom.base.host import RealHost
from wherefrom.base.recording import RecordingHost

FACTS = {"os": {"family": "Debian"}, "role": "web"}


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def answer(session: wherefrom.Session | None, root: Path) -> Any:
    """Everything that can be compared about a catalog; of its error, if it has one."""
    try:
        outcome = (session or wherefrom.Session(no_cache=True)).compile(str(root), node="n", facts=FACTS)
    except wherefrom.WherefromError as problem:
        return type(problem).__name__, str(problem)
    document = outcome.document()
    document = {key: document[key] for key in document if key != "version"}
    logs = [(log.level, log.message) for log in outcome.logs]
    depends = {each.path: sorted(map(str, outcome.explain(each.path).depends)) for each in list(outcome.outputs())[:40]}
    return document, logs, depends


# --- an environment that is edited at random ---


class Editor:
    """Makes an environment with a bit of everything, and then edits it, at random."""

    MODULES = ("a", "b", "c")

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = Random(seed)
        for module in self.MODULES:
            for name in ("init", "one", "two", "part"):
                self.manifest(module, name)
            self.function(module)
            self.alias(module)
            self.template(module)
        self.data()
        self.site()
        write(root, "hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n")

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> int:
        return self.random.randrange(10)

    def body(self, module: str) -> str:
        other = self.pick(*self.MODULES)
        statements = [
            f'notify {{ "{module}-{self.number()} ${{title}}": message => {self.number()} }}',
            f"include {other}::{self.pick('one', 'two')}",
            f"{other}::part {{ '{module}{self.number()}': }}",
            f"notice({other}::f({self.number()}))",
            f"file {{ '/{module}/{self.number()}': content => epp('{other}/t.epp', {{ 'x' => {self.number()} }}) }}",
            f"if $facts['role'] == '{self.pick('web', 'db')}' {{ notice('{self.number()}') }}",
            f'$v{self.number()} = "odd \\{self.pick("q", "w")}"',
            f"notice(lookup('k{self.number() % 3}', undef, undef, 'none'))",
            f"if 5 =~ {other.upper()}::T {{ notice('fits') }}",
        ]
        return "\n  ".join(self.random.sample(statements, self.random.randrange(1, 5)))

    def manifest(self, module: str, name: str) -> None:
        full = module if name == "init" else f"{module}::{name}"
        kind = "define" if name == "part" else "class"
        typed = f"({self.pick('Integer', 'Any', f'{module.upper()}::T')} $p = {self.number()})"
        body = self.body(module) if name != "part" else f'notify {{ "{full} $title": message => $p }}'
        text = f"{kind} {full} {typed if name != 'init' else ''} {{\n  {body}\n}}\n"
        if self.random.random() < 0.05:
            text = text[:-3]  # a syntax error
        write(self.root, f"modules/{module}/manifests/{name}.pp", text)

    def function(self, module: str) -> None:
        text = f'function {module}::f($x) {{ "{self.pick("f", "g")}${{x}}{self.number()}" }}\n'
        write(self.root, f"modules/{module}/functions/f.pp", text)

    def alias(self, module: str) -> None:
        write(
            self.root, f"modules/{module}/types/t.pp", f"type {module.upper()}::T = Integer[0, {self.number() + 3}]\n"
        )

    def template(self, module: str) -> None:
        odd = self.pick('<%= "\\q" %>', "", "")
        write(self.root, f"modules/{module}/templates/t.epp", f"<%- | $x | -%>\n{self.number()} <%= $x %>{odd}\n")

    def data(self) -> None:
        keys = {f"k{self.number() % 3}": self.number(), f"a::{self.pick('one', 'two')}::p": self.number()}
        write(self.root, "data/all.yaml", "".join(f"{key}: {value}\n" for key, value in keys.items()))

    def site(self) -> None:
        lines = [f"include {module}" for module in self.random.sample(self.MODULES, 2)]
        write(self.root, "manifests/site.pp", "\n".join([*lines, f"notice({self.number()})"]) + "\n")

    def edit(self) -> str:
        """One edit; what it was."""
        module = self.pick(*self.MODULES)
        kind = self.pick(*["manifest"] * 6, "function", "alias", "template", "data", "site", "remove", "nothing")
        match kind:
            case "manifest":
                self.manifest(module, self.pick("init", "one", "two", "part"))
            case "remove":
                (self.root / f"modules/{module}/manifests/{self.pick('one', 'two', 'part')}.pp").unlink(missing_ok=True)
            case "data" | "site":
                getattr(self, kind)()
            case "nothing":
                pass
            case _:
                getattr(self, kind)(module)
        return kind


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(3, 20))])
def test_a_session_finds_what_a_fresh_one_finds(tmp_path: Path, seed: int) -> None:
    """After any edit: catalog, log, dependencies, error; and outcomes of before stay as they were."""
    editor = Editor(tmp_path, seed)
    session = wherefrom.Session(no_cache=True)
    worked = 0
    for step in range(40):
        expected = answer(None, tmp_path)
        assert answer(session, tmp_path) == expected, step
        worked += len(expected) == 3
        earlier = session.compile(str(tmp_path), node="n", facts=FACTS) if len(expected) == 3 else None
        shown = earlier and [log.message for log in earlier.logs]
        edit = editor.edit()
        if step % 3 == 0:
            session.changed(str(tmp_path / "modules"))
        if earlier is not None:
            assert answer(session, tmp_path) == answer(None, tmp_path), (step, edit)
            document = earlier.document()
            assert {key: document[key] for key in expected[0]} == expected[0]
            assert [log.message for log in earlier.logs] == shown
            assert earlier.sources.keys() >= {str(tmp_path / "manifests/site.pp")}
    assert worked


# --- what is read again ---


MODULE = {
    "init": """
class NAME (String $owner = 'root', Integer[1, 65535] $port = 80NUMBER) {
  include NAME::install
  include NAME::config
  include NAME::service
  Class['NAME::install'] -> Class['NAME::config'] ~> Class['NAME::service']
  ['a', 'b'].each |$i, $n| { NAME::part { "NAME-$n": index => $i, label => "of $port" } }
}
""",
    "install": """
class NAME::install {
  package { 'NAME': ensure => installed }
  if $facts['os']['family'] == 'Debian' {
    package { 'NAME-common': ensure => latest }
  }
}
""",
    "config": """
class NAME::config {
  $base = "/etc/NAME"
  file { $base: ensure => directory, owner => $NAME::owner, mode => '0755' }
  ['one', 'two'].each |$f| {
    file { "$base/$f.conf":
      ensure  => file,
      owner   => $NAME::owner,
      content => "port ${NAME::port} $f",
    }
  }
}
""",
    "service": """
class NAME::service {
  $real = $facts['os']['family'] ? { 'Debian' => 'NAMEd', default => 'NAME' }
  service { $real: ensure => running, enable => true }
}
""",
    "part": """
define NAME::part (Integer $index = 0, String $label = '') {
  file { "/var/lib/NAME/$title": content => "$index: $label" }
}
""",
}


def environment_of(root: Path, files: int) -> None:
    """An environment of about so many files, five to a module."""
    modules = files // len(MODULE)
    for number in range(modules):
        for name, text in MODULE.items():
            below = f"modules/m{number}/manifests/{name}.pp"
            write(root, below, text.replace("NAME", f"m{number}").replace("NUMBER", str(number)))
    write(root, "manifests/site.pp", "".join(f"include m{number}\n" for number in range(modules)))


@pytest.mark.long
def test_one_of_five_hundred(tmp_path: Path) -> None:
    """One changed file of five hundred is noticed, it alone is read again, for a fraction of a cold load."""
    environment_of(tmp_path, 500)
    session = wherefrom.Session(no_cache=True)
    results: list[Any] = []

    def compile_with(session: wherefrom.Session) -> int:
        return lines(lambda: results.append(session.compile(str(tmp_path), node="n", facts=FACTS)))

    results.append(session.compile(str(tmp_path), node="n", facts=FACTS))  # imports are no part of it
    cold = compile_with(wherefrom.Session(no_cache=True))
    changed = tmp_path / "modules/m7/manifests/config.pp"
    text = changed.read_text()
    for mode in ("0700", "0711"):
        before = results[-1].sources
        changed.write_text(text.replace("0755", mode))
        warm = compile_with(session)
        outcome = results[-1]
        assert outcome.select("File[/etc/m7].mode").value == mode
    assert outcome.sources.keys() == before.keys()
    read_again = [name for name, source in outcome.sources.items() if before[name] is not source]
    assert [os.path.relpath(name, tmp_path) for name in read_again] == ["modules/m7/manifests/config.pp"]
    assert warm < cold * 0.4, (warm, cold)


# --- SmartFrog ---


def test_smartfrog_parses_what_changed(tmp_path: Path) -> None:
    """A changed file, and those that include it, are parsed again; the others are shared."""
    write(tmp_path, "main.sf", '#include "a.sf"\n#include "b.sf"\nsfConfig extends { x A:v; y B:v; }\n')
    write(tmp_path, "a.sf", '#include "deep.sf"\nA extends { v d; }\n')
    write(tmp_path, "b.sf", "B extends { v 2; }\n")
    write(tmp_path, "deep.sf", "d 1;\n")
    session = wherefrom.Session()
    main = str(tmp_path / "main.sf")

    def run() -> tuple[Any, dict[str, Any]]:
        outcome = session.compile(main)
        return outcome.document(), dict(outcome.sources)

    document, before = run()
    assert document == {"x": 1, "y": 2}
    assert all(before[name] is source for name, source in run()[1].items())
    write(tmp_path, "deep.sf", "d 7;\n")
    document, after = run()
    assert document == {"x": 7, "y": 2}
    assert list(after) == list(before)
    read_again = {os.path.basename(name) for name in after if after[name] is not before[name]}
    assert read_again == {"main.sf", "a.sf", "deep.sf"}
    write(tmp_path, "deep.sf", "d ;\n")
    with pytest.raises(wherefrom.WherefromError):
        run()
    (tmp_path / "b.sf").unlink()
    write(tmp_path, "deep.sf", "d 8;\n")
    with pytest.raises(wherefrom.Diagnostic) as missing:
        run()
    assert "b.sf" in missing.value.message
    write(tmp_path, "b.sf", "B extends { v 2; }\n")
    assert run()[0] == {"x": 8, "y": 2}


# --- the recording host ---


def test_the_witness_sees_every_kind_of_change(tmp_path: Path) -> None:
    """Content, presence, absence, names; also within one tick of the clock, and of one size."""
    write(tmp_path, "d/file", "one")
    write(tmp_path, "d/looked-at", "any")
    recorder = RecordingHost(RealHost([str(tmp_path)]))
    file, missing, folder = (str(tmp_path / "d" / name) for name in ("file", "missing", ""))
    recorder.read_bytes(file)
    assert not recorder.exists(missing)
    recorder.is_file(str(tmp_path / "d/looked-at"))
    recorder.list_directory(folder)
    assert recorder.changes() == []
    state = os.stat(file)
    Path(file).write_text("two")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert recorder.changes() == [file]
    assert recorder.changes() == []  # told once; whoever asks, asks anew
    (tmp_path / "d/looked-at").write_text("other words, but still a file")
    assert recorder.changes() == []
    Path(missing).write_text("")
    assert sorted(recorder.changes()) == sorted([missing, folder])


def test_an_old_state_is_believed_until_told_otherwise(tmp_path: Path) -> None:
    """A file whose time of change is put back is believed; an editor that knows better says so."""
    file = tmp_path / "file"
    file.write_text("one")
    os.utime(file, ns=(1, 1))
    recorder = RecordingHost(RealHost([str(tmp_path)]))
    recorder.read_bytes(str(file))
    file.write_text("two")
    os.utime(file, ns=(1, 1))
    assert recorder.changes() == []
    recorder.distrust([str(tmp_path)])
    assert recorder.changes() == [str(file)]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 200))
def test_more_edits(tmp_path: Path, seed: int) -> None:
    """The same with a hundred other environments."""
    editor = Editor(tmp_path, seed)
    session = wherefrom.Session(no_cache=True)
    for step in range(60):
        assert answer(session, tmp_path) == answer(None, tmp_path), step
        editor.edit()


def test_a_directory_that_becomes_a_link(tmp_path: Path) -> None:
    """Puppet reads no manifests behind a link to a directory; that it is one is noticed, and that it is none again."""
    session = wherefrom.Session(no_cache=True)
    write(tmp_path, "e/manifests/site.pp", "notify { 'site': }")
    write(tmp_path, "e/manifests/more/one.pp", "notify { 'one': }")
    write(tmp_path, "e/elsewhere/two.pp", "notify { 'two': }")
    place = tmp_path / "e/manifests/more"
    assert answer(session, tmp_path / "e") == answer(None, tmp_path / "e")
    place.rename(tmp_path / "kept")
    place.symlink_to("../elsewhere")
    linked = answer(session, tmp_path / "e")
    assert linked == answer(None, tmp_path / "e")
    assert "'one'" not in repr(linked) and "'two'" not in repr(linked)
    place.unlink()
    (tmp_path / "kept").rename(place)
    assert "'one'" in repr(answer(session, tmp_path / "e"))

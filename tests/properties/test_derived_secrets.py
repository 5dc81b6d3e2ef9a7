"""What was computed from a secret is in no output, whatever the functions made of it.

Programs take a secret out of what hides it and compute with it: texts, slices, digests, numbers, lists, templates,
Ruby. `compile --show-secrets` says what Puppet's catalog has; none of these values may be in what any other command
writes, and what has nothing to do with the secret is there as it was.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import commands
from support.examples import examples

SECRET = "Hunter2,Zecret:0x7Q"

TEXTS = [
    "upcase({})", "downcase({})", "capitalize({})", "regsubst({}, '[aeiou]', '_', 'G')", "{}[1, 7]", "{}[3]",
    "join(split({}, ''), '-')", "md5({})", "sha256({})", "String(Binary({}, '%s'))",
    "\"a${{{}}}z\"", "\"${{{}}}${{{}}}\"",
    "sprintf('%s-%s', {}, 'x')", "strip(\" ${{{}}} \")", "split({}, ',')[0]", "join(['q', {}], '/')", "chomp({})",
    "({} + '')[0]", "[{}][0]", "{{'k' => {}}}['k']", "with({}) |$x| {{ $x }}", "then({}) |$x| {{ \"${{x}}${{x}}\" }}",
    "[{}].map |$x| {{ upcase($x) }}.join('')", "inline_epp('<%= $x %>', {{ 'x' => {} }})",
    "inline_template('<%= \"{}\".size %>')", "String({}, '%p')", "m::twisted({})", "Sensitive({}).unwrap",
    "unwrap(Sensitive(\"pw-${{{}}}\"))", "m::opened(Sensitive({}))", "epp('m/t.epp', {{ 'x' => {} }})",
    "$facts['nothing'] ? {{ undef => {}, default => 'y' }}", "String({}.length)", "String(Integer({}.length))",
]  # fmt: skip
"""Texts made of a text.  `({} + '')` and what other functions refuse is left out where real Puppet refuses it."""

WHOLES = [
    "{}", "[{}, 'open']", "{{ 'k' => {}, 'open' => 'seen' }}", "split({}, '')", "{}.length", "{} == 'x'",
    "[[{}], {{ 'deep' => [{}] }}]", "{}.length * 1000003", "{{ {} => 'v' }}", "any2array({})",
]  # fmt: skip

MODULE = {
    "modules/m/lib/puppet/functions/m/twisted.rb": """
Puppet::Functions.create_function(:'m::twisted') do
  dispatch(:twisted) { param 'String', :text }
  def twisted(text) text.reverse.swapcase end
end
""",
    "modules/m/lib/puppet/functions/m/opened.rb": """
Puppet::Functions.create_function(:'m::opened') do
  dispatch(:opened) { param 'Sensitive', :text }
  def opened(text) text.unwrap.reverse + 'r' end
end
""",
    "modules/m/templates/t.epp": "<%- | $x | -%>\nfirst line\nx=<%= upcase($x) %>\nlast line\n",
    "modules/m/templates/t.erb": "open\n<% y = @pw.unwrap.upcase %>\n<%= y %> and <%= @pw.unwrap[0, 9].swapcase %>\n"
    "end\n",
    "modules/m/manifests/init.pp": "class m($pw) { notify { 'erb': message => template('m/t.erb') } }\n",
}


def text(chance: random.Random, depth: int) -> str:
    """An expression that makes a text of the secret."""
    if depth == 0:
        return "$pw.unwrap"
    usable = [form for form in TEXTS if "+ ''" not in form and "inline_template" not in form]
    form = chance.choice(usable)
    inner = text(chance, depth - 1)
    return form.replace("{}", inner).replace("{{", "{").replace("}}", "}")


def whole(chance: random.Random) -> str:
    """An expression that makes something of it."""
    inner = text(chance, chance.randint(0, 3))
    usable = [form for form in WHOLES if "any2array" not in form]
    return chance.choice(usable).replace("{}", inner).replace("{{", "{").replace("}}", "}")


def program(chance: random.Random) -> str:
    """Resources that have something of the secret, a define and a class between, and some that have nothing of it."""
    lines = [f"$pw = Sensitive('{SECRET}')", "class { 'm': pw => $pw }"]
    lines.append('define d($y, $z = upcase($y)) { notify { "in ${title}": message => [$y, $z] } }')
    for number in range(6):
        lines.append(f"notify {{ 'n{number}': message => {whole(chance)} }}")
    lines.append(f"d {{ 'one': y => {text(chance, 2)} }}")
    lines.append(f"$v = {text(chance, 1)}  file {{ '/srv/v': content => \"line 1\\nv = ${{v}}\\nline 3\\n\" }}")
    lines.append(f'notify {{ "t-${{{text(chance, 1)}}}": }}')
    lines.append(f"notice({text(chance, 2)})  warning('open words')")
    lines.append("notify { 'plain': message => { 'a' => ['b', 17] } }")
    return "\n".join(lines) + "\n"


QUESTIONS = [
    "compile . --json", "compile . --yaml", "compile .", "compile . --save saved.json", "explain . {path}",
    "explain . {path} --json --all", "explain . {path} --how", "explain . File[/srv/v].content --line 2 --json",
    "explain . File[/srv/v] --all", "diff . other --json", "diff . other --format markdown", "graph . --json",
    "impact . manifests/site.pp:1 --json", "fleet compile . --store store --nodes n --json",
    "fleet sql --store store --json SELECT", "report . -o page.html", "compile failing", "compile failing --nodes n,m",
]  # fmt: skip


def leaves(value: Any) -> Iterator[str]:
    """The smallest parts of a value, as they are written."""
    if isinstance(value, dict):
        for key, part in value.items():
            if part == "v":
                yield key
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def explore(folder: Path, chance: random.Random) -> None:
    """Ask everything about one program."""
    manifest = program(chance)
    site = folder / "manifests/site.pp"
    for root in (folder, folder / "other", folder / "failing"):
        for name, content in {**MODULE, "manifests/site.pp": manifest}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
    (folder / "other/manifests/site.pp").write_text(manifest.replace("line 3", "line three"))
    (folder / "failing/manifests/site.pp").write_text(f"{manifest}fail({text(chance, 2)})\n")
    done = commands.wherefrom("compile", ".", "--json", "--show-secrets", "--node", "n", cwd=folder)
    if done.returncode:
        pytest.fail(f"{site.read_text()}\n{done.stderr}")
    secret: set[str] = set()
    for resource in json.loads(done.stdout)["resources"]:
        if resource["title"] in ("plain", "/srv/v"):
            continue
        secret |= {leaf for value in resource.get("parameters", {}).values() for leaf in leaves(value)}
        if resource["title"].startswith("t-"):
            secret.add(resource["title"].removeprefix("t-"))
    secret = {part for part in secret if len(part) >= 6 and part not in ("message", "first line")} | {SECRET}
    secret = {part for part in secret if "\n" not in part}  # of a rendered file, what is in its lines
    for line in QUESTIONS:
        path = chance.choice(["Notify[n1].message", "Notify[n2].message", "D[one].y", "Notify[erb].message"])
        arguments = [
            "SELECT * FROM attributes" if part == "SELECT" else part.format(path=path) for part in line.split()
        ]
        node = [] if "--nodes" in line or line.startswith("fleet sql") else ["--node", "n"]
        ran = commands.ran(*arguments, *node, cwd=folder)
        assert b"internal error" not in ran.err, (line, manifest, ran)
        out = (ran.out + ran.err).decode()
        if "--save" in line:
            out += (folder / "saved.json").read_text()
        shown = [part for part in secret if part in out]
        assert not shown, (line, path, shown, manifest, out)
        if line == "compile . --json":
            resources = {each["title"]: each.get("parameters", {}) for each in json.loads(ran.out)["resources"]}
            assert resources["plain"]["message"] == {"a": ["b", 17]}
            assert resources["/srv/v"]["content"].startswith("line 1\nv = ")
            assert resources["/srv/v"]["content"].endswith("\nline 3\n")
            assert resources["erb"]["message"] == "open\n\n(sensitive) and (sensitive)\nend\n"


@pytest.mark.parametrize("seed", range(examples(3)))
def test_no_output_shows_what_was_made_of_a_secret(seed: int, tmp_path: Path) -> None:
    """Whatever was done to it."""
    explore(tmp_path, random.Random(f"derived {seed}"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(examples(40)))
def test_no_output_shows_what_was_made_of_secrets(seed: int, tmp_path: Path) -> None:
    """The same for many more programs."""
    explore(tmp_path, random.Random(f"more derived {seed}"))

"""`--answers FILE` and `wherefrom record`: what DNS, programs, PuppetDB and the clock said, as inputs of a run."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.commands import wherefrom

FILES = {
    "manifests/site.pp": """notify { 'dns': message => net::address('www').join(',') }
notify { 'program': message => generate('/bin/echo', 'hi') }
notify { 'database': message => puppetdb_query('nodes[certname] {}')[0]['certname'] }
notify { 'clock': message => "${Timestamp()}" }
notify { 'template': message => inline_template("<%= scope.call_function('net::address', ['www'])[0] %>") }
notify { 'ours': message => net::ours('x') }
""",
    "modules/net/lib/puppet/functions/net/address.rb": """Puppet::Functions.create_function(:'net::address') do
  dispatch :address do
    param 'String', :name
  end
  def address(name)
    Resolv::DNS.new.getaddresses(name).map(&:to_s)
  end
end
""",
    "modules/net/lib/puppet/functions/net/ours.rb": """Puppet::Functions.create_function(:'net::ours') do
  def ours(name)
    "computed #{name}"
  end
end
""",
    "answers.yaml": """clock: 2026-01-02T03:04:05Z
functions:
  net::address:
    - arguments: [www]
      answer: [192.0.2.1, 192.0.2.2]
    - arguments: [www]
      node: web02
      answer: [198.51.100.7]
  net::ours:
    - arguments: [x]
      answer: never asked
  generate:
    - arguments: [/bin/echo, hi]
      answer: recorded
  puppetdb_query:
    - arguments: ['nodes[certname] {}']
      answer: [{certname: db01}]
""",
}


@pytest.fixture
def control(tmp_path: Path) -> Path:
    """A repository whose code asks everybody, with answers."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def messages(control: Path, *options: str) -> dict[str, Any]:
    """The messages of the catalog."""
    done = wherefrom("compile", ".", "--json", *options, cwd=control)
    assert done.returncode == 0, done.stderr
    resources = json.loads(done.stdout)["resources"]
    return {each["title"]: each["parameters"]["message"] for each in resources if each["type"] == "Notify"}


def test_recorded_answers_are_what_was_said(control: Path) -> None:
    """Functions, a program, a query, the clock, a call inside of a template; what wherefrom can run is run."""
    assert messages(control, "--node", "web01", "--answers", "answers.yaml") == {
        "dns": "192.0.2.1,192.0.2.2",
        "program": "recorded",
        "database": "db01",
        "clock": "2026-01-02T03:04:05.000000000 UTC",
        "template": "192.0.2.1",
        "ours": "computed x",
    }
    assert messages(control, "--node", "web02", "--answers", "answers.yaml")["dns"] == "198.51.100.7"


def test_the_file_is_a_setting(control: Path) -> None:
    (control / "wherefrom.toml").write_text('environment = "."\nanswers = "answers.yaml"\n')
    assert messages(control, "--node", "web02")["template"] == "198.51.100.7"


@pytest.mark.parametrize(
    ("path", "name", "line"),
    [
        ("Notify[dns].message", 'net::address("www").0', 5),
        ("Notify[program].message", 'generate("/bin/echo", "hi")', 14),
        ("Notify[database].message", 'puppetdb_query("nodes[certname] {}").0.certname', 17),
        ("Notify[clock].message", "clock", 1),
        ("Notify[template].message", 'net::address("www").0', 5),
    ],
)
def test_an_answer_is_an_input_with_a_place(control: Path, path: str, name: str, line: int) -> None:
    """Among what a value depends on, with the line of the file."""
    options = ("--node", "web01", "--answers", "answers.yaml", "--json")
    done = wherefrom("explain", ".", path, *options, cwd=control)
    depends = json.loads(done.stdout)["depends"]
    assert (name, line) in [(leaf.get("name"), leaf.get("line")) for leaf in depends if leaf["kind"] == "query"]


def test_impact_and_diff_know_answers(control: Path) -> None:
    """A line of the file, by place and by name; an edit of it is the cause of the difference."""
    options = ("--node", "web01", "--answers", "answers.yaml")
    by_line = wherefrom("impact", ".", "answers.yaml:14", *options, cwd=control).stdout
    assert "Notify[program].message" in by_line and "Notify[dns]" not in by_line
    by_name = wherefrom("impact", ".", 'query:net::address("www")', *options, cwd=control).stdout
    assert "Notify[dns].message" in by_name and "Notify[template].message" in by_name
    assert "Notify[program]" not in by_name
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *person, *words], cwd=control, check=True)
    text = FILES["answers.yaml"].replace("192.0.2.1,", "192.0.2.9,")
    (control / "answers.yaml").write_text(text)
    done = wherefrom("diff", "--since", "HEAD", ".", *options, cwd=control)
    assert done.stdout.startswith("edit answers.yaml:5\n"), done.stdout + done.stderr
    assert "changed Notify[dns].message" in done.stdout and "changed Notify[template].message" in done.stdout


def test_what_has_no_answer_says_what_to_record(control: Path) -> None:
    """With the call, the file and the command; all of them in one run."""
    done = wherefrom("compile", ".", "--node", "web01", cwd=control)
    assert done.returncode == 1
    assert 'no answer to net::address("www"); record it: wherefrom record ANSWERS.yaml --allow net::addr' in done.stderr
    assert "wherefrom record ANSWERS.yaml --allow generate" in done.stderr
    assert "puppetdb_query needs --puppetdb URL" in done.stderr
    (control / "answers.yaml").write_text("functions: {}\n")
    done = wherefrom("compile", ".", "--node", "web01", "--answers", "answers.yaml", cwd=control)
    assert "answers.yaml has no answer to puppetdb_query(" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]\n", "the file must be a mapping"),
        ("funtions: {}\n", "unknown key 'funtions'"),
        ("functions: {f: 3}\n", "the answers of f must be a list"),
        ("functions: {f: [{arguments: [1]}]}\n", "an answer of f has `arguments` (a list), `answer`"),
        ("functions: {f: [{answer: 1, arguments: x}]}\n", "an answer of f has"),
        ("clock: soon\n", "clock must be a time"),
    ],
)
def test_a_wrong_file_is_an_error_with_its_place(control: Path, text: str, words: str) -> None:
    (control / "answers.yaml").write_text(text)
    done = wherefrom("compile", ".", "--node", "web01", "--answers", "answers.yaml", cwd=control)
    assert done.returncode == 1
    assert "error[W052]" in done.stderr and words in done.stderr and " --> answers.yaml:1:" in done.stderr


def test_record_asks_what_is_allowed_and_nothing_else(control: Path) -> None:
    """A program is run once for all nodes, the clock is read, what is not allowed stays an error."""
    (control / "answers.yaml").unlink()
    manifest = (
        FILES["manifests/site.pp"] + "notify { 'node': message => generate('/bin/echo', $trusted['certname']) }\n"
    )
    (control / "manifests/site.pp").write_text(manifest)
    (control / "facts").mkdir()
    for node in ("web01", "web02"):
        (control / f"facts/{node}.yaml").write_text("a: b\n")
    record = ("record", "said.yaml", ".", "--facts", "facts", "--nodes", "--allow", "generate,clock")
    done = wherefrom(*record, cwd=control)
    assert done.returncode == 1
    assert "puppetdb_query needs" in done.stderr and "net::address" in done.stderr
    said = yaml.safe_load((control / "said.yaml").read_text())
    assert list(said["functions"]) == ["generate"]
    assert said["functions"]["generate"] == [
        {"arguments": ["/bin/echo", "hi"], "answer": "hi\n"},
        {"arguments": ["/bin/echo", "web01"], "answer": "web01\n"},
        {"arguments": ["/bin/echo", "web02"], "answer": "web02\n"},
    ]
    assert isinstance(said["clock"], int)
    (control / "manifests/site.pp").write_text("notify { generate('/bin/echo', 'hi'): }\nnotify { 'x': }\n")
    assert wherefrom(*record, cwd=control).stdout == "said.yaml: 0 answers recorded\n"
    assert wherefrom("compile", ".", "--node", "web01", "--answers", "said.yaml", cwd=control).returncode == 0
    failing = "notify { generate('/bin/false'): }\n"
    (control / "manifests/site.pp").write_text(failing)
    done = wherefrom(*record, cwd=control)
    assert (done.returncode, "/bin/false ended with status 1" in done.stderr) == (1, True)


@pytest.mark.oracle
@pytest.mark.skipif(shutil.which("puppet") is None, reason="puppet is not installed")
def test_record_asks_a_ruby_process(control: Path) -> None:
    """A function that wherefrom can not run is run by real Ruby, once, and its answer is what it gave."""
    function = control / "modules/net/lib/puppet/functions/net/address.rb"
    function.write_text(FILES["modules/net/lib/puppet/functions/net/address.rb"].replace(
        "Resolv::DNS.new.getaddresses(name).map(&:to_s)", "[`echo 192.0.2.33`.chomp]"
    ))  # fmt: skip
    done = wherefrom(
        "record", "said.yaml", ".", "--node", "web01", "--answers", "answers.yaml", "--allow", "net::*", cwd=control
    )
    assert done.returncode == 0, done.stderr
    (control / "answers.yaml").write_text("functions: {}\n")
    wherefrom("record", "said.yaml", ".", "--node", "web01", "--allow", "net::*", cwd=control)
    said = yaml.safe_load((control / "said.yaml").read_text())
    assert said["functions"]["net::address"] == [{"arguments": ["www"], "answer": ["192.0.2.33"]}]

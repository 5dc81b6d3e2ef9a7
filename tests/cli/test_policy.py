"""`wherefrom policy` and `wherefrom influence`: rules that are broken, that pass, and that say nothing."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import time
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from support import commands
from support.examples import examples
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.source import SourceFile
from wherefrom.influence import Input, Owners, input_of, inputs_with_ways
from wherefrom.language import Inputs, Outcome
from wherefrom.policy import MOST_INPUTS, Policy, Report
from wherefrom.policy_rules import Rule, read_rules
from wherefrom.session import Session
from wherefrom.wishes import values_of

CONTROL = Path(__file__).resolve().parents[2] / "examples/control"
TODAY = datetime.date(2026, 11, 19)
FACTS = {path.stem: yaml.safe_load(path.read_text()) for path in (CONTROL / "facts").glob("*.yaml")}
PASSWORD = "File[/root/.pgpass].content"
MODE = "File[/etc/motd].mode"


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def rules_of(text: str) -> list[Rule]:
    """The rules of a file."""
    return read_rules(SourceFile("policy.toml", text), tomllib.loads(text))


def report(text: str, owners: Owners | None = None) -> Report:
    """What some rules say of all nodes of the example."""
    policy = Policy(rules_of(text), str(CONTROL), owners or Owners(), TODAY)
    session = Session()
    for node, facts in FACTS.items():
        policy.check(session.run(str(CONTROL), Inputs(node, facts, {"trace": True})), node)
    return policy.finished()


def rule(outputs: str, *clauses: str) -> str:
    """A rule's text."""
    return "\n".join(['[[policy]]\nname = "r"', f"outputs = [{json.dumps(outputs)}]", *clauses])


@pytest.mark.parametrize(
    ("outputs", "clause", "broken"),
    [
        (PASSWORD, 'never = { depends = ["fact:role"] }', True),
        (PASSWORD, 'never = { depends = ["claimed"] }', True),
        (PASSWORD, 'never = { made = ["fact:role"] }', False),
        (MODE, 'never = { depends = ["data/nodes/**"] }', False),
        (MODE, 'never = { may = ["data/nodes/**"] }', True),
        (MODE, 'never = { depends = ["data/os/*"] }', True),
        (MODE, 'never = { depends = ["fact:os.family"] }', True),
        (MODE, 'never = { made = ["fact:os.family"] }', False),
        (MODE, 'some = { made = ["data/**", "site/**"] }', False),
        (MODE, 'some = { made = ["fact:*"] }', True),
        ("Class[profile::db].password", 'some = { made = ["encrypted"] }', False),
        ("Class[Profile::Db].pass*", "sensitive = true", False),
        ("Class[Profile::Db].version", "sensitive = true", True),
        (MODE, 'only = { made = ["data/**", "site/**"] }', False),
        (MODE, 'only = { made = ["site/**"] }', True),
        (MODE, 'only = { depends = ["data/**"] }', True),
        (MODE, 'only = { depends = ["**", "fact:*", "trusted:*", "node:*"] }', False),
        ("File[/etc/ntp.conf].content", 'never = { depends = ["modules/**"] }', False),
    ],
)
def test_clauses(outputs: str, clause: str, broken: bool) -> None:
    """Each clause by each relation, broken and not."""
    assert bool(report(rule(outputs, clause)).findings) is broken


WHOLES = """
file { '/whole': content => String($facts['os']) }
file { '/all': content => String($facts.length) }
file { '/named': content => $trusted['certname'] }
file { '/world': content => file('%s') }
file { '/shadowed': content => epp('motd/motd.epp') }
"""
"""Values by wholes of which a rule may name a part, by other names of an input, by a file outside, by a module."""


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """The example with these values, and what one node has of it."""
    folder = tmp_path_factory.mktemp("wholes")
    control = Path(shutil.copytree(CONTROL, folder / "control"))
    (folder / "world.txt").write_text("x")
    (control / "modules/motd/templates").mkdir(parents=True)
    (control / "modules/motd/templates/motd.epp").write_text("x\n")
    with (control / "manifests/site.pp").open("a") as file:
        file.write(WHOLES % (folder / "world.txt"))
    node = "web01.example.org"
    session = Session(roots=[str(folder)])
    return control, session.run(str(control), Inputs(node, FACTS[node], {"trace": True}))


@pytest.mark.parametrize(
    ("outputs", "clause", "broken"),
    [
        ("File[/whole].content", 'never = { depends = ["fact:os.family"] }', True),
        ("File[/whole].content", 'never = { depends = ["fact:*.family"] }', True),
        ("File[/whole].content", 'never = { depends = ["fact:networking.*"] }', False),
        ("File[/whole].content", 'only = { depends = ["**", "fact:os"] }', False),
        ("File[/whole].content", 'only = { depends = ["**", "fact:os.family"] }', True),
        ("File[/all].content", 'never = { depends = ["fact:role"] }', True),
        ("File[/all].content", 'only = { depends = ["**", "fact:role"] }', True),
        ("File[/all].content", 'only = { depends = ["**", "node:*", "fact:*"] }', False),
        ("File[/all].content", 'only = { depends = ["**", "node:*", "claimed"] }', False),
        ("File[/named].content", 'never = { depends = ["node:*"] }', True),
        ("File[/named].content", 'only = { depends = ["**", "node:*"] }', False),
        ("File[/world].content", 'never = { depends = ["**/world.txt"] }', True),
        ("File[/world].content", 'only = { depends = ["**"] }', True),
        ("File[/world].content", 'only = { depends = ["**", "../**"] }', False),
        ("File[/shadowed].content", 'never = { may = ["site/motd/manifests/*"] }', True),
        ("File[/shadowed].content", 'never = { may = ["site/*/manifests/init.pp"] }', True),
        ("File[/shadowed].content", 'never = { depends = ["site/*/manifests/init.pp"] }', False),
        ("File[/shadowed].content", 'never = { depends = ["file:manifests/site.pp"] }', True),
        ("File[/shadowed].content", 'only = { may = ["**"] }', False),
        ("File[/shadowed].content", 'only = { may = ["modules/**", "manifests/**", "*"] }', True),
    ],
)
def test_parts_and_wholes(outputs: str, clause: str, broken: bool, wholes: tuple[Path, Outcome]) -> None:
    """What a rule excludes counts where it may be meant; what it allows, only where nothing else is."""
    control, outcome = wholes
    policy = Policy(rules_of(rule(outputs, clause)), str(control), Owners(), TODAY)
    policy.check(outcome, "web01.example.org")
    assert bool(policy.finished().findings) is broken


def test_a_mistake_in_a_name_is_found_beside_a_whole(tmp_path: Path) -> None:
    """Where some value depends on all facts, a fact that nobody has is a mistake still."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    with (control / "manifests/site.pp").open("a") as file:
        file.write(WHOLES.partition("file { '/world'")[0])
    names = ("rolle", "os.famly")
    patterns = json.dumps([f"fact:{name}" for name in names])
    (control / "r.toml").write_text(rule(PASSWORD, f"never = {{ depends = {patterns} }}"))
    done = wherefrom("policy", ".", "--rules", "r.toml", cwd=control)
    assert done.returncode == 1
    for name in names:
        assert f"names fact:{name}, which no input can match" in done.stderr


EXCEPTION = 'except = [{{ {0}, reason = "known", until = 2027-01-31 }}]'


@pytest.mark.parametrize(
    ("clause", "exception", "left"),
    [
        ('never = { depends = ["fact:*"] }', 'input = "fact:os.family"', True),
        ('never = { depends = ["fact:*"] }', 'input = "fact:*"', False),
        ('never = { depends = ["fact:role"] }', 'input = "claimed"', False),
        ('never = { depends = ["manifests/**"] }', 'input = "file:manifests/site.pp"', False),
        ('some = { made = ["fact:*"] }', 'output = "File[/etc/motd].mode"', False),
        ('some = { made = ["fact:*"] }', 'output = "File[/etc/motd].owner"', True),
        ("sensitive = true", 'output = "File[/etc/motd].*"', False),
        ("sensitive = true", 'input = "fact:*"', True),
    ],
)
def test_what_an_exception_is_about(clause: str, exception: str, left: bool) -> None:
    """It accepts no more than it names; of what has no input, by its output."""
    found = report(rule(MODE, clause, EXCEPTION.format(exception)))
    assert bool(found.findings) is left
    if not left:
        assert found.accepted
        assert "; but for " in found.proves(found.rules[0])


def test_accepted_findings_leave_room_for_others(tmp_path: Path) -> None:
    """However many inputs are accepted, one behind them is told."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    names = [f"m{number:02}" for number in range(40)]
    with (control / "data/common.yaml").open("a") as file:
        file.writelines(f"{name}: x\n" for name in names)
    texts = "".join(f"${{lookup('{name}')}}" for name in names)
    with (control / "manifests/site.pp").open("a") as file:
        file.write(f'\nfile {{ "/many": content => "{texts}${{facts[\'role\']}}" }}\n')
    text = rule("File[/many].content", 'never = { depends = ["data/**", "fact:role"] }')
    (control / "r.toml").write_text(text + "\n" + EXCEPTION.format('input = "data/**"'))
    done = wherefrom("policy", ".", "--rules", "r.toml", cwd=control)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "never depends: fact role" in done.stdout


def test_a_finding_has_its_way() -> None:
    """From the output to the input, the shortest, on every node that has it."""
    findings = report(rule(PASSWORD, 'never = { depends = ["fact:role"] }')).findings
    assert {node for finding in findings for node in finding.nodes} == {"db01.example.org"}
    assert findings[0].input is not None
    assert (findings[0].input.kind, findings[0].input.name) == ("fact", "role")
    assert findings[0].way[-1].words == 'fact role = "database"'


def test_literals_on_one_line_are_told_apart(tmp_path: Path) -> None:
    """What is said of a literal is not said of the outputs of another one that stands beside it."""
    (tmp_path / "site.pp").write_text("file { '/x': mode => '0600', owner => 'me' }\n")
    outcome = Session(roots=[str(tmp_path)]).run(str(tmp_path / "site.pp"), Inputs("n", {}, {"trace": True}))
    policy = Policy(rules_of(rule("File[/x].*", 'never = { made = ["site.pp"] }')), str(tmp_path), Owners(), TODAY)
    policy.check(outcome, "n")
    found = {tuple(one.outputs): one.words for one in policy.finished().findings}
    assert set(found) == {("File[/x].mode",), ("File[/x].owner",)}
    assert "0600" in found["File[/x].mode",] and "me" in found["File[/x].owner",]


@pytest.mark.parametrize(
    "clause",
    [
        'never = { depends = ["fact:*"] }',
        'never = { depends = ["site/**", "trusted:*"] }',
        'never = { may = ["data/**"] }',
        'never = { made = ["fact:*", "data/**"] }',
        'only = { depends = ["manifests/**"] }',
        'only = { made = ["data/**"] }',
    ],
)
def test_findings_are_those_of_each_output_alone(clause: str) -> None:
    """All outputs are decided by one walk: of each the same is found as by a walk of its own."""
    node = "db01.example.org"
    outcome = Session().run(str(CONTROL), Inputs(node, FACTS[node], {"trace": True}))
    policy = Policy(rules_of(rule("*[*].*", clause)), str(CONTROL), Owners(), TODAY)
    found = {(output, one.input) for one in policy.check(outcome, node) for output in one.outputs}
    (checked,) = policy.clauses
    expected: set[tuple[str, Input | None]] = set()
    for output in outcome.outputs():
        if "]." in output.path:
            inputs = [input_of(met) for met, _, _ in inputs_with_ways([output.origin], checked.relation, checked.means)]
            told = [one for path, one in found if path == output.path]
            assert len(told) == min(len(inputs), MOST_INPUTS), output.path
            expected |= {(output.path, one) for one in inputs}
    assert expected
    assert {(path, one.place, one.name) for path, one in found if one is not None} <= {
        (path, one.place, one.name) for path, one in expected if one is not None
    }


def test_a_rule_that_most_outputs_break_costs_no_more_than_the_compilation(tmp_path: Path) -> None:
    """Thousands of outputs over one long history are decided together, and told by input."""
    (tmp_path / "manifests").mkdir()
    chain = "".join(f'$v{number} = "${{v{number - 1}}}x"\n' for number in range(1, 400))
    files = "".join(f"file {{ '/f{number}': content => $v399, mode => '0600' }}\n" for number in range(3000))
    (tmp_path / "manifests/site.pp").write_text(f"$v0 = $facts['role']\n{chain}{files}")
    begun = time.process_time()
    outcome = Session(roots=[str(tmp_path)]).run(str(tmp_path), Inputs("n", {"role": "x"}, {"trace": True}))
    compiled = time.process_time()
    policy = Policy(
        rules_of(rule("File[*].content", 'never = { depends = ["fact:role"] }')), str(tmp_path), Owners(), TODAY
    )
    (finding,) = policy.check(outcome, "n")
    checked = time.process_time()
    assert len(finding.places) == 3000
    assert len(finding.way) > 399
    assert finding.way[-1].words == 'fact role = "x"'
    assert checked - compiled < 3 * (compiled - begun)


FAILING = "\nif $facts['role'] == 'database' { fail('no') }\n"


def test_a_node_that_does_not_compile_stops_nobody(tmp_path: Path) -> None:
    """It is told with its cause, the others are looked at, and nothing passes."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    with (control / "manifests/site.pp").open("a") as file:
        file.write(FAILING)
    (control / "r.toml").write_text(rule(MODE, 'never = { depends = ["data/nodes/**"] }'))
    asked = ("policy", "--rules", "r.toml")
    done = wherefrom(*asked, cwd=control)
    assert done.returncode == 1
    assert done.stdout.startswith("unknown r  2 outputs")
    assert "1 rule on 2 nodes: 0 broken, 1 node did not compile" in done.stdout
    assert "while compiling db01.example.org" in done.stderr and "error[" in done.stderr
    document = json.loads(wherefrom(*asked, "--format", "json", cwd=control).stdout)
    assert (document["failed"], document["rules"][0]["passed"]) == (["db01.example.org"], False)
    run = json.loads(wherefrom(*asked, "--format", "sarif", cwd=control).stdout)["runs"][0]
    assert run["invocations"][0]["executionSuccessful"] is False
    shown = wherefrom(*asked, "--format", "markdown", cwd=control).stdout
    assert shown.startswith("### Policy: unknown\n\n1 node did not compile")
    assert wherefrom(*asked, "--nodes", "web*", cwd=control).returncode == 0
    (control / "r.toml").write_text(rule(MODE, 'never = { depends = ["fact:os.family"] }'))
    assert wherefrom(*asked, cwd=control).returncode == 4


def test_a_rule_about_a_node_that_does_not_compile_is_open(tmp_path: Path) -> None:
    """Whether it names something nobody can say; with other nodes alone it may be a mistake."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    with (control / "manifests/site.pp").open("a") as file:
        file.write(FAILING)
    (control / "r.toml").write_text(rule(PASSWORD, 'never = { depends = ["fact:role"] }'))
    done = wherefrom("policy", "--rules", "r.toml", cwd=control)
    assert done.returncode == 1
    assert done.stdout.startswith("unknown r  0 outputs")
    done = wherefrom("policy", "--rules", "r.toml", "--nodes", "web*", cwd=control)
    assert done.returncode == 1
    assert "which no node has (1 node did not compile)" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (rule("File[/etc/mtd].mode", 'never = { depends = ["fact:*"] }'), "which no node has"),
        (rule(MODE, 'never = { depends = ["fact:rloe"] }'), "which no input can match"),
        (rule(MODE, 'never = { depends = ["dta/**"] }'), "which no input can match"),
        (rule(MODE, 'never = { depends = ["fcat:role"] }'), "unknown kind of inputs"),
        (rule(MODE, 'never = { depend = ["fact:role"] }'), "unknown relation"),
        (rule(MODE, 'never = ["fact:role"]'), "must name its relation"),
        (rule(MODE, 'nevr = { made = ["fact:role"] }'), "unknown key"),
        (rule(MODE), "has no requirement"),
        (rule(MODE, 'owners = { depends = ["@nobody"] }'), "who owns no file"),
        (
            rule(MODE, "sensitive = true", 'except = [{ output = "*[*].mode", until = 2027-01-01 }]'),
            "must have a reason",
        ),
        (
            rule(MODE, 'never = { depends = ["fact:*"] }', 'except = [{ input = "fact:*", reason = "x" }]'),
            "must have a date",
        ),
        (
            rule(
                MODE,
                'never = { depends = ["fact:*"] }',
                'except = [{ output = "*[*].*", input = "fact:*", reason = "x", until = 2026-11-18 }]',
            ),
            "ended on 2026-11-18",
        ),
        (rule(MODE, "sensitive = true") + "\n" + rule(MODE, "sensitive = true"), "two rules are called"),
    ],
)
def test_a_rule_that_could_not_fail_is_an_error(text: str, words: str) -> None:
    """Told with the place of the rule."""
    with pytest.raises((ManyErrors, Diagnostic)) as problem:
        report(text)
    assert words in str(problem.value)
    assert "policy.toml:" in str(problem.value)


def test_an_exception_holds_until_its_day() -> None:
    """Accepted findings are told, with their reason."""
    accepted = 'except = [{ output = "*[*].*", input = "fact:*", reason = "known", until = 2026-11-19 }]'
    outcome = report(rule(MODE, 'never = { depends = ["fact:os.family"] }', accepted))
    assert not outcome.findings
    assert {reason for _, reason in outcome.accepted} == {"known"}


def test_owners() -> None:
    """The last line that matches wins; code counts."""
    owners = Owners([("*", ("@ops",)), ("/data/", ("@data",)), ("/data/os/", ("@ops", "@data"))], "CODEOWNERS")
    assert owners.of("data/common.yaml") == ("@data",)
    assert owners.of("data/os/Debian.yaml") == ("@ops", "@data")
    assert owners.of("site/x.pp") == ("@ops",)
    assert report(rule(MODE, 'owners = { made = ["@data", "@ops"] }'), owners).findings == ()
    files = {
        finding.input.file.rpartition("control/")[2]
        for finding in report(rule(MODE, 'owners = { depends = ["@data"] }'), owners).findings
        if finding.input is not None
    }
    assert "site/profile/manifests/base.pp" in files
    assert not any(file.startswith("data/") for file in files)


def test_passed_rules_hold_under_mutations() -> None:
    """No mutation of a fact that a rule excludes, and that passed, changes a covered output."""
    import tomllib

    random = Random(7)
    session = Session()
    names = ["role", "virtual", "os.family", "os.name", "networking.fqdn", "networking.ip", "networking.hostname"]
    for node, facts in FACTS.items():
        outcome = session.run(str(CONTROL), Inputs(node, facts, {"trace": True}))
        before = values_of(outcome)
        for name in names:
            text = rule("*[*].*", f'never = {{ depends = ["fact:{name}"] }}')
            policy = Policy(read_rules(SourceFile("r", text), tomllib.loads(text)), str(CONTROL), Owners(), TODAY)
            broken = {output for finding in policy.check(outcome, node) for output in finding.outputs}
            for _ in range(examples(4)):
                changed = json.loads(json.dumps(facts))
                here: Any = changed
                *way, last = name.split(".")
                for key in way:
                    here = here[key]
                here[last] = random.choice(["web", "database", "RedHat", "physical", "other", f"x{random.random()}"])
                after = values_of(session.run(str(CONTROL), Inputs(node, changed, {})))
                covered = {path for path in before if "]." in path} - broken
                assert {path for path in covered if before[path] != after.get(path)} == set(), (node, name)


RULES = CONTROL.parent / "policy/control.toml"


def test_the_command() -> None:
    """All nodes, the status of a gate; a rule of the example is broken, and seen to matter."""
    done = wherefrom("policy", "--rules", str(RULES), "--confirm", "--format", "json")
    assert done.returncode == 4, done.stderr
    document = json.loads(done.stdout)
    assert [row["passed"] for row in document["rules"]] == [False, True, True]
    assert {output["seen"] for finding in document["findings"] for output in finding["outputs"]} == {True}
    assert len(document["nodes"]) == 3


TRIED = """
$mode = $facts['tier'] ? { 'gold' => '0600', default => '0644' }
$way = $facts['tier'] ? { 'gold' => 'same', default => 'same' }
file { '/x': mode => $mode, group => $way, content => epp('m/x.epp'), owner => lookup('owner') }
"""


def test_confirming_tries_what_the_code_compares_with(tmp_path: Path) -> None:
    """An input is changed to what is near: each output is told apart, and one that stays is not seen to change."""
    for name, text in {
        "manifests/site.pp": TRIED,
        "modules/m/templates/x.epp": "two\nlines <%= 1 %>\n",
        "hiera.yaml": "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n",
        "data/c.yaml": "owner: first\nlookup_options: {owner: {merge: first}}\n",
        "facts.yaml": "tier: silver\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "r.toml").write_text(rule("File[/x].*", 'never = { depends = ["fact:*", "data/**", "modules/**"] }'))
    asked = ("policy", ".", "--rules", "r.toml", "--facts", "facts.yaml", "--confirm")
    done = wherefrom(*asked, "--format", "json", cwd=tmp_path)
    assert done.returncode == 4, done.stderr
    seen = {
        (finding["input"].get("name", finding["input"]["kind"]), output["output"]): output["seen"]
        for finding in json.loads(done.stdout)["findings"]
        for output in finding["outputs"]
        if "seen" in output
    }
    assert seen["tier", "File[/x].mode"] is True
    assert seen["tier", "File[/x].group"] is False
    assert seen["literal", "File[/x].content"] is True
    assert seen["owner", "File[/x].owner"] is True
    assert "has a part in it  1 seen to change" in wherefrom(*asked, cwd=tmp_path).stdout


def test_sarif_and_markdown() -> None:
    """One result for each rule and input, with the way as a code flow."""
    done = wherefrom("policy", "--rules", str(RULES), "--format", "sarif")
    assert done.returncode == 4
    run = json.loads(done.stdout)["runs"][0]
    assert {result["ruleId"] for result in run["results"]} == {"database password not by claim"}
    for result in run["results"]:
        assert result["codeFlows"][0]["threadFlows"][0]["locations"]
        assert len(result["partialFingerprints"]["wherefrom/policy/v1"]) == 32
        assert not result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("/")
    shown = wherefrom("policy", "--rules", str(RULES), "--format", "markdown").stdout
    assert shown.startswith("### Policy: 1 of 3 rules broken\n")
    assert "| database password not by claim |" in shown


def test_rules_in_the_settings(tmp_path: Path) -> None:
    """`[[policy]]` in wherefrom.toml; data that the authority signed mends the example."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    text = RULES.read_text().split("\n\n")[0] + "\n"
    settings = control / "wherefrom.toml"
    settings.write_text(settings.read_text() + "\n" + text)
    assert wherefrom("policy", cwd=control).returncode == 4
    for name in ("hiera.yaml", "manifests/site.pp"):
        file = control / name
        mended = file.read_text().replace("facts.role", "trusted.extensions.pp_role")
        file.write_text(mended.replace("$facts['role']", "$trusted['extensions']['pp_role']"))
    for file in (control / "facts").glob("*.yaml"):
        facts = yaml.safe_load(file.read_text())
        trusted = {"certname": file.stem, "authenticated": "remote", "extensions": {"pp_role": facts["role"]}}
        file.write_text(yaml.safe_dump({**facts, "trusted": trusted}))
    done = wherefrom("policy", cwd=control)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "no change of an excluded input alone changes a value" in done.stdout


def test_influence(tmp_path: Path) -> None:
    """Files with lines and owners, facts with who vouches for them; what is not there if asked."""
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    (control / "CODEOWNERS").write_text("* @ops\n/data/ @data\n")
    node = ("--node", "web01.example.org")
    rows = json.loads(wherefrom("influence", MODE, *node, "--json", cwd=control).stdout)["influences"]
    first = rows[0]
    assert (first["name"], first["relation"], first["lines"], first["owners"]) == (
        "data/os/Debian.yaml",
        "made",
        [2],
        ["@data"],
    )
    assert first["level"] == "Operating system"
    assert {
        "kind": "fact",
        "name": "role",
        "relation": "depends",
        "lines": [],
        "trust": "claimed by the machine",
    } in rows
    assert not any(row["name"] == "data/role/web.yaml" for row in rows)
    more = json.loads(wherefrom("influence", MODE, *node, "--may", "--json", cwd=control).stdout)["influences"]
    assert [(row["relation"], row["level"]) for row in more if row["name"] == "data/role/web.yaml"] == [("may", "Role")]
    shown = wherefrom("influence", MODE, *node, "--dot", cwd=control).stdout
    assert shown.startswith("digraph influence {\n")
    assert shown.endswith("}\n")


STORE_RULES = [
    rule(PASSWORD, 'never = { depends = ["fact:role"] }'),
    rule(MODE, 'never = { may = ["data/nodes/**"] }'),
    rule(MODE, 'never = { depends = ["data/nodes/**"] }'),
    rule("*[*].*", 'never = { depends = ["fact:os.*", "trusted:*"] }'),
    rule("*[*].mode", 'only = { depends = ["data/**", "site/**", "fact:*", "node:*", "trusted:*"] }'),
    rule("File[/etc/*].*", 'some = { depends = ["data/os/**"] }'),
    rule("File[/etc/*].content", 'owners = { may = ["@data"] }'),
]


def test_a_store_says_the_same(tmp_path: Path) -> None:
    """Every rule that a store can be asked is broken by the same outputs of the same nodes."""
    pytest.importorskip("duckdb")
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    (control / "CODEOWNERS").write_text("* @ops\n/data/ @data\n")
    base = control / "site/profile/manifests/base.pp"
    base.write_text(base.read_text().replace("  File <<| tag == 'lan' |>>\n", ""))  # alone, a node collects nothing
    assert wherefrom("fleet", "compile", "--store", "store", ".", cwd=control).returncode == 0
    texts = [text.replace('name = "r"', f'name = "r{number}"') for number, text in enumerate(STORE_RULES)]
    (control / "rules.toml").write_text("\n".join(texts))
    asked = ("policy", "--rules", "rules.toml", "--format", "json")
    documents = []
    for more in ((), ("--store", "store")):
        done = wherefrom(*asked, *more, cwd=control)
        assert done.returncode == 4, done.stderr
        documents.append(json.loads(done.stdout))
    compiled, stored = documents
    assert (stored["rules"], stored["nodes"]) == (compiled["rules"], compiled["nodes"])
    broken = [
        {
            (finding["rule"], output["output"], node)
            for finding in document["findings"]
            for output in finding["outputs"]
            for node in output["nodes"]
        }
        for document in documents
    ]
    assert broken[0] == broken[1]
    assert {name for name, _, _ in broken[0]} == {"r0", "r1", "r3", "r4", "r5", "r6"}
    for more in ((), ("--store", "store")):  # no web server has the password, which is no mistake
        done = wherefrom(*asked, *more, "--nodes", "web*", cwd=control)
        first = json.loads(done.stdout)["rules"][0]
        assert (first["passed"], first["outputs"]) == (True, 0), more
        assert first["proves"] == "nothing, these nodes have no such output"


def test_nodes_that_failed_are_not_passed(tmp_path: Path) -> None:
    """A store that has a node only as one that does not compile says nothing of it."""
    pytest.importorskip("duckdb")
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    with (control / "manifests/site.pp").open("a") as file:
        file.write("\nif $facts['role'] == 'database' { fail('no') }\n")
    assert wherefrom("fleet", "compile", "--store", "store", ".", cwd=control).returncode == 1
    (control / "r.toml").write_text(rule(MODE, 'never = { depends = ["data/nodes/**"] }'))
    done = wherefrom("policy", "--rules", "r.toml", "--store", "store", cwd=control)
    assert done.returncode == 1
    assert done.stdout.startswith("unknown")
    assert "1 node did not compile, so nothing is known of: db01.example.org" in done.stderr
    assert wherefrom("policy", "--rules", "r.toml", "--store", "store", "--nodes", "web*", cwd=control).returncode == 0


def test_what_a_store_does_not_know_is_refused(tmp_path: Path) -> None:
    """Formulas, secrets, and what has to compile."""
    pytest.importorskip("duckdb")
    control = Path(shutil.copytree(CONTROL, tmp_path / "control"))
    assert wherefrom("fleet", "compile", "--store", "store", ".", cwd=control).returncode == 0
    asked = ("policy", "--rules", str(RULES), "--store", "store")
    done = wherefrom(*asked, cwd=control)
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs 'made', which a store does not have" in done.stderr
    assert wherefrom(*asked, "--confirm", cwd=control).returncode == 2


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("policy",), 2, "there are no rules"),
        (("policy", "--rules", "none.toml"), 1, "no such file"),
        (("policy", "--rules", "hiera.yaml"), 1, "not TOML"),
        (("influence", "File[/etc/nothing].mode", "--node", "web01.example.org"), 1, "no such resource"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], status: int, words: str) -> None:
    """Told in a line."""
    done = wherefrom(*arguments)
    assert done.returncode == status
    assert words in done.stderr


@pytest.mark.parametrize("value", ["3", "true", "1979-05-27", '"x"', "{}", "[3]", "[{}]", '[{reason = "a"}]'])
def test_exceptions_of_another_kind(value: str, tmp_path: Path) -> None:
    """Told as a rule that is wrong, with its place."""
    (tmp_path / "r.toml").write_text(rule(MODE, 'never = { depends = ["fact:role"] }', f"except = {value}"))
    done = wherefrom("policy", "--rules", str(tmp_path / "r.toml"))
    assert done.returncode == 1
    assert "error[W053]" in done.stderr and "r.toml:1:1" in done.stderr


def test_a_misspelt_table_is_no_rule_that_holds(tmp_path: Path) -> None:
    """Beside rules that are read, too: nothing would be checked of it, and nobody told."""
    text = rule(MODE, 'never = { depends = ["fact:nosuch"] }') + "\n[[polcy]]\nname = 'other'\n"
    (tmp_path / "r.toml").write_text(text)
    done = wherefrom("policy", "--rules", str(tmp_path / "r.toml"))
    assert done.returncode == 1
    assert "unknown table 'polcy'" in done.stderr and "did you mean policy?" in done.stderr

"""Output: terminals see no control characters, JSON is always JSON, and trouble with streams is told in one line."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from xml.etree import ElementTree

import pytest

from attacks.running import wherefrom
from support.commands import SECONDS, Order, warm
from wherefrom.cli.streams import StandardStream

EVIL = "\x1b]0;pwn\x07\x9b31m\u202egnirts\u2066\x7f\r\x08"
FORBIDDEN = set(EVIL) - set("]0;pwn31mgnirts")
PUPPET = r"\u001b]0;pwn\u0007\u009b31m\u202egnirts\u2066\u007f\r\u0008"
FILES = {
    "a.pp": f'notice("{PUPPET}") notify {{ "{PUPPET}": message => "{PUPPET}" }}',
    "b.pp": f'notify {{ "{PUPPET}": message => "{PUPPET}x" }}',
    "fail.pp": f'fail("{PUPPET}")',
    "syntax.pp": f"notify {{ 'x{EVIL}' : ! }}",
    "unknown.pp": f'include "{PUPPET}"',
    "a.nix": f'builtins.trace "{EVIL}" {{ a = "{EVIL}"; }}',
    "throw.nix": f'throw "{EVIL}"',
    "name.nix": f'{{ "{EVIL}" = 1; }}.b',
    "a.sf": f'sfConfig extends {{ a "{EVIL[1:]}"; }}',
    "facts.yaml": 'a: "\\e]0;pwn\\a\\x9b"\n',
    f"x{EVIL}.pp": "notify { 'a' }",
}
COMMANDS = [
    ["compile", "a.pp"],
    ["compile", "a.pp", "--yaml"],
    ["compile", "a.pp", "--json"],
    ["compile", "fail.pp"],
    ["compile", "unknown.pp"],
    ["compile", "a.sf"],
    ["compile", f"x{EVIL}.pp"],
    ["compile", f"none{EVIL}.pp"],
    ["compile", f"none{EVIL}"],
    ["compile", "a.pp", f"--x{EVIL}"],
    [f"x{EVIL}"],
    ["compile", "a.pp", "--facts", f"{EVIL}"],
    ["compile", "a.pp", "--facts", "facts.yaml", "--save", "saved.json"],
    ["compile", "a.pp", "--save", f"none{EVIL}/x"],
    ["check", "syntax.pp", f"x{EVIL}.pp"],
    ["check", "syntax.pp", "--json"],
    ["explain", "a.pp", f"Notify[{EVIL}].message"],
    ["explain", "a.pp", "Notify[x]"],
    ["explain", "a.pp", f"Notify[{EVIL}].message", "--json"],
    ["impact", "a.pp", "a.pp:1"],
    ["diff", "a.pp", "b.pp"],
    ["step", "a.sf"],
    ["eval", "a.nix"],
    ["eval", "a.nix", "--json"],
    ["eval", "throw.nix"],
    ["eval", "name.nix"],
    ["eval", "-E", f'"{EVIL}'],
    ["explain", "a.nix", "a"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(ascii, arguments)))
def test_no_control_character_reaches_a_terminal(arguments: list[str], folder: Path) -> None:
    """Run on a terminal of our own: whatever a configuration holds, its control characters are shown, not obeyed."""
    terminal, ours = pty.openpty()
    try:
        environ = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
        with open(os.devnull) as nothing:
            streams = {"stdin": nothing.fileno(), "stdout": ours, "stderr": ours}
            running = warm().start(Order(tuple(arguments), folder, environ), streams)
        os.close(ours)
        seen = b""
        while True:
            try:
                part = os.read(terminal, 65_536)
            except OSError:
                break
            if not part:
                break
            seen += part
        status, _, _ = running.ended()
    finally:
        os.close(terminal)
    text = seen.decode("utf-8").replace("\r\n", "\n")  # the terminal's own line ends
    assert status in (0, 1, 2), text
    assert not FORBIDDEN & set(text), ascii(text)


def test_eval_prints_to_a_pipe_what_nix_prints(folder: Path) -> None:
    """Where no terminal reads, a value is printed as Nix prints it, byte by byte; messages are made visible."""
    ran = wherefrom("eval", "-E", f'builtins.trace "{EVIL}" "\x1b"', cwd=folder)
    assert ran.out == b'"\x1b"\n'
    assert b"\x1b" not in ran.err


STRANGE = {
    "infinity.pp": "notify { 'a': message => 1.0e308 * 10 }",
    "surrogate.nix": '{ a = "\\u00e9é"; b = 1.0e308 * 10; }',
    "accent.pp": "notify { 'é\u2028': message => 'é' }",
}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1", "C.UTF-8"])
@pytest.mark.parametrize("command", ["compile", "explain", "eval", "batch", "check", "diff", "impact"])
def test_json_is_always_json(command: str, locale: str, tmp_path: Path) -> None:
    """No `NaN`, no letters of the locale, no lone surrogates."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    (tmp_path / "a.pp").write_text("notify { 'a': message => [Float('1e999'), 'é'] }")
    name = os.fsencode(tmp_path) + b"/caf\xe9.pp"
    with open(name, "w") as file:
        file.write("notify { 'é': message => '\u2028é' } notify { 'é': }")
    arguments: dict[str, list[str | bytes]] = {
        "compile": ["compile", "a.pp", "--json"],
        "explain": ["explain", "a.pp", "Notify[a].message", "--json"],
        "eval": ["eval", "-E", '{ "é" = "é${builtins.fromJSON "\\"\\\\ud800\\""}"; }', "--json", "--strict"],
        "batch": ["batch"],
        "check": ["check", name, "--json"],
        "diff": ["diff", "a.pp", "a.pp", "--json"],
        "impact": ["impact", "a.pp", "a.pp:1", "--json"],
    }
    request = {"id": "é\ud800", "manifest": "notice('é') notify { 'a': message => Float('1e999') }"}
    ran = wherefrom(
        *arguments[command],
        cwd=tmp_path,
        input=json.dumps(request).encode() + b"\n",
        environ={"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""},
    )
    if command == "eval" and ran.status == 1:  # Nix has no lone surrogates either
        assert b"internal" not in ran.err
        return
    assert ran.status in (0, 1), ran
    json.loads(ran.out.decode("utf-8"), parse_constant=refuse)
    if command == "batch":
        assert json.loads(ran.out)["ok"], ran


STARTED_BY_A_SHELL = [["compile", "a.sf"], ["eval", "-"], ["batch"], ["nothing"]]
"""Commands that Python itself starts without the streams; the others split off from a process that has started."""
REDIRECTIONS = {
    "stdout": ">&-", "stderr": "2>&-", "stdin": "<&-", "all": "<&- >&- 2>&-",
    "full": ">/dev/full", "full-stderr": "2>/dev/full", "broken": "| true",
}  # fmt: skip


def _in_a_shell(arguments: list[str], closed: str, given: bytes, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    line = f'"$0" -m wherefrom "$@" {REDIRECTIONS[closed]}'
    command = ["bash", "-o", "pipefail", "-c", line, sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, input=given, capture_output=True, timeout=SECONDS)


def _redirected(arguments: list[str], closed: str, given: bytes, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr, open("/dev/full", "w") as full:
        stdin.write(given)
        stdin.seek(0)
        streams = {"stdin": stdin.fileno(), "stdout": stdout.fileno(), "stderr": stderr.fileno()}
        reader, broken = os.pipe()
        os.close(reader)
        instead = {
            "full": ("stdout", full.fileno()),
            "full-stderr": ("stderr", full.fileno()),
            "broken": ("stdout", broken),
        }
        streams |= dict([instead[closed]] if closed in instead else [])
        open_streams = {name: stream for name, stream in streams.items() if closed not in ("all", name)}
        status, _, _ = warm().start(Order(tuple(arguments), cwd, os.environ), open_streams).ended()
        os.close(broken)
        stderr.seek(0)
        return subprocess.CompletedProcess(arguments, status, b"", stderr.read())


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile", "a.sf"], ["compile", "a.sf", "--json"], ["compile", "a.sf", "--yaml"], ["compile", "fail.sf"],
        ["check", "a.sf"], ["check", "fail.sf"], ["explain", "a.sf", "a"], ["eval", "-E", "1"], ["eval", "-"],
        ["eval", "-E", "builtins.trace 1 1"], ["batch"], ["--help"], ["compile", "--help"], ["--version"], ["nothing"],
        ["step", "a.sf"], ["completion", "bash"], ["compile", "a.sf", "--save", "saved.json"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("closed", ["stdout", "stderr", "stdin", "all", "full", "full-stderr", "broken"])
def test_streams_that_are_closed_or_full(arguments: list[str], closed: str, tmp_path: Path) -> None:
    """One line at most and a documented status; never a traceback, never status 3."""
    (tmp_path / "a.sf").write_text("sfConfig extends { a 1; }")
    (tmp_path / "fail.sf").write_text("sfConfig extends { a ; }")
    given = b"1" if arguments[-1] == "-" else b'{"id": 1, "manifest": "notice(1)"}\n'
    done = (_in_a_shell if arguments in STARTED_BY_A_SHELL else _redirected)(arguments, closed, given, tmp_path)
    told = b"" if "stderr" in closed or closed == "all" else done.stderr
    assert done.returncode in (0, 1, 2), (done.returncode, told)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert b"internal error" not in done.stderr
    if closed in ("stdout", "full") and arguments[0] not in ("nothing",) and "fail.sf" not in arguments:
        assert done.returncode == 1, told
        assert b"cannot write to standard output" in told
    if closed == "stdin" and arguments in (["batch"], ["eval", "-"]):
        assert done.returncode == 2
        assert told.count(b"\n") == 1
    if closed not in ("stdout", "full", "all", "stdin", "broken"):
        assert done.returncode == {"fail.sf": 1, "nothing": 2}.get(arguments[-1], 0)


LONG = "$s = Integer[1, 16].reduce('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') |$m, $i| { \"$m$m\" }\n"
BUSY = {
    "regex.pp": LONG + "Integer[1, 100000].each |$i| { notice($s =~ /(a+)+b(a|aa)*$/) }",
    "substitution.pp": LONG + "Integer[1, 100000].each |$i| { $x = regsubst($s, 'a(?=a)', 'b', 'G') }",
    "ruby.pp": "notice(inline_template('<% def f(n) n < 1 ? 1 : f(n - 1) + f(n - 1) end %><%= f(60) %>'))",
    "yaml.pp": "notice($facts['k'])",
    "a.pp": "function f($x) { if $x < 1 { 1 } else { f($x - 1) + f($x - 1) } } notice(f(60))",
    "b.pp": 'Integer[1, 900000].each |$i| { notify { "n$i": message => [$i, "x$i"] } }',
    "a.nix": "let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f 60",
    "b.nix": "builtins.length (builtins.genList (x: [ x ]) 4000000)",
}


BUSY_FOR = 0.5
"""Seconds of the processor after which a run is interrupted: it has read its files, and is far from its end."""


@pytest.mark.parametrize("name", BUSY)
def test_an_interrupted_run_ends_at_once(name: str, tmp_path: Path) -> None:
    """Ctrl-C in the middle of a busy run: status 130, and less than half a second of work after it."""
    (tmp_path / name).write_text(BUSY[name])
    command = "eval" if name.endswith(".nix") else "compile"
    options = ["--budget", "1000"]
    if name == "yaml.pp":
        (tmp_path / "facts.yaml").write_text("k:\n" + "- {a: [1, 'two', {b: c}], d: 2.5}\n" * 500_000)
        options += ["--facts", "facts.yaml"]
    with TemporaryFile() as said, open(os.devnull) as nothing:
        streams = {"stdin": nothing.fileno(), "stdout": said.fileno(), "stderr": said.fileno()}
        running = warm().start(Order((command, name, *options), tmp_path, os.environ), streams)
        before = 0.0
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            while before < BUSY_FOR:
                time.sleep(0.02)
                before = _processor(running.process)
            os.killpg(running.process, signal.SIGSTOP)  # what it takes from now on, however late we are told
            before = _when_stopped(running.process)
            os.kill(running.process, signal.SIGINT)
            os.killpg(running.process, signal.SIGCONT)
        status, after, _ = running.ended()
        said.seek(0)
        shown = said.read()
    if before < BUSY_FOR or (status == 0 and name == "b.nix"):  # a quick machine may be done already, or by then
        assert name == "b.nix", shown
        return
    assert status == 130, shown
    assert after - before < 0.5, (before, after)
    assert b"Traceback" not in shown


def _when_stopped(process: int) -> float:
    """The same, as soon as it takes no more."""
    took, before = _processor(process), -1.0
    while took != before:
        time.sleep(0.05)
        took, before = _processor(process), took
    return took


def _processor(process: int) -> float:
    """Seconds of the processor that a process has taken, and the child that it works in."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + sum(_processor(int(child)) for child in children)


COMMANDS_ANYWHERE = [("compile", "{}/a.pp"), ("eval", "-E", "1"), ("batch",), ("check", "{}/a.pp"), ("trust",)]


@pytest.mark.parametrize("arguments", COMMANDS_ANYWHERE, ids=" ".join)
def test_a_current_directory_that_is_gone(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """One line that says so: relative names mean nothing there."""
    (tmp_path / "a.pp").write_text("notice(1)")
    (tmp_path / "gone").mkdir()
    words = [sys.executable, "-P", "-m", "wherefrom", *(word.format(tmp_path) for word in arguments)]
    script = f"cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec {shlex.join(words)}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done
    assert done.stderr.startswith(b"wherefrom: the current directory is not available"), done
    assert done.stderr.count(b"\n") == 1, done


# --- what other programs obey ---

ORDERS = "a\n::set-output name=x::y\n  ::stop-commands::z\n##[set-env name=x]y"


@pytest.mark.parametrize("command", ["compile", "eval", "diff"])
def test_lines_of_a_text_are_no_commands_to_a_workflow(command: str, tmp_path: Path) -> None:
    """In a workflow of GitHub a line that begins with two colons would be one."""
    if command == "eval":
        (tmp_path / "a.nix").write_text("builtins.trace ''\n" + ORDERS + "\n'' 1")
        arguments = ["eval", "a.nix"]
    elif command == "compile":
        (tmp_path / "a.pp").write_text(f'notice("{ORDERS}") warning("{ORDERS}") notify {{ "{ORDERS}": }}')
        arguments = ["compile", "a.pp"]
    else:
        (tmp_path / "a.pp").write_text(f"file {{ '/x': content => '{ORDERS}\n1\n' }}")
        (tmp_path / "b.pp").write_text(f"file {{ '/x': content => '{ORDERS}\n2\n::error::x\n' }}")
        arguments = ["diff", "a.pp", "b.pp"]
    ran = wherefrom(*arguments, cwd=tmp_path, environ={"GITHUB_ACTIONS": "true", "FORCE_COLOR": "1"})
    lines = (ran.out + b"\n" + ran.err).decode().splitlines()
    assert any("set-env" in line for line in lines), ran
    assert not [line for line in lines if line.strip().startswith("::") or "##[" in line], ran


def test_our_own_commands_to_a_workflow_are_commands(tmp_path: Path) -> None:
    """And a message in them can not make a second one."""
    (tmp_path / "a.pp").write_text("notice($x\n::error::x\n")
    name = "b\n::error file=x::y.pp"
    (tmp_path / name).write_text("notice(")
    for file in ("a.pp", name):
        ran = wherefrom("check", file, "--format", "github", cwd=tmp_path, environ={"GITHUB_ACTIONS": "true"})
        (line,) = ran.out.decode().splitlines()
        assert line.startswith("::error file="), ran
        assert "title=wherefrom P" in line.split("::")[1], ran


def test_a_stream_that_is_obeyed_is_written_in_any_pieces() -> None:
    """The colons may come one by one."""
    for pieces in (["::x"], [":", ":x"], [" ", ":", ":", "x"], ["\n", "::", "x"], ["a", "\n:", ":x::y"], ["a\n\t::x"]):
        written = io.StringIO()
        stream = StandardStream(written, False, obeyed=True)
        for piece in pieces:
            stream.write(piece)
        assert written.getvalue().replace("\u200b", "") == "".join(pieces)
        assert not [line for line in written.getvalue().splitlines() if line.strip().startswith("::")]
    stream = StandardStream(written := io.StringIO(), False, obeyed=True)
    stream.write("a::b c:")
    stream.write(":d")
    assert written.getvalue() == "a::b c::d"


MARKUP = "x</code></summary><script>alert(1)</script>\n\n[a](http://b) ![c](http://d) @who #1 `e` **f** ```\n~~~"


def outside_of_fences(text: str) -> str:
    """A comment without what stands between fences."""
    return "".join(text.split(max(re.findall("`{3,}", text), key=len, default="\0"))[::2])


def no_markup(text: str) -> None:
    """A comment of ours has none of `MARKUP`."""
    outside = outside_of_fences(text)
    assert "<script" not in outside
    assert "](" not in outside
    assert not re.search(r"@\w|#\d(?!\d*;)|://|`", outside)


def test_names_in_a_report_of_rules_are_no_markup(tmp_path: Path) -> None:
    """Titles, rules, facts and nodes in the comment of `policy`."""
    (tmp_path / "a.pp").write_text(f'notify {{ "{MARKUP}": message => "x ${{facts[\'{MARKUP}\']}}" }}')
    (tmp_path / "facts.json").write_text(json.dumps({MARKUP: 1}))
    rule = f'name = {json.dumps(MARKUP)}\noutputs = ["Notify[*].message"]\nnever = {{ depends = ["fact:*"] }}\n'
    (tmp_path / "rules.toml").write_text(f"[[policy]]\n{rule}")
    ran = wherefrom(
        "policy", "a.pp", "--rules", "rules.toml", "--facts", "facts.json", "--format", "markdown", cwd=tmp_path
    )
    assert ran.status == 4, ran
    no_markup(ran.out.decode())


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_names_in_a_report_are_no_markup(form: str, tmp_path: Path) -> None:
    """Names of files and titles, in a comment and on a page."""
    for folder, mode in (("one", 1), ("two", 2)):
        manifests = tmp_path / folder / "manifests"
        manifests.mkdir(parents=True)
        (manifests / MARKUP.replace("/", "|").replace("\n", "\r\n")).with_suffix(".pp").write_text(
            f'notify {{ "{MARKUP}": message => "m{mode} ```\n{MARKUP}" }}'
        )
    ran = wherefrom("diff", "one", "two", "--format", form, cwd=tmp_path)
    assert ran.status in (0, 1), ran
    text = ran.out.decode()
    assert "m1" in text and "m2" in text, ran
    if form == "html":
        assert "<script" not in text
        return
    no_markup(text)


EVIL_TITLES = r"""
notify { "a\"]; evil [URL=\"javascript:alert(1)\"] /* \\": }
notify { "</title><script>alert(1)</script>": before => Notify["a\"]; evil [URL=\"javascript:alert(1)\"] /* \\"] }
notify { "<<B>bold</B>>": } notify { "x\\": } notify { "one\ntwo \\l \\N \\G": } notify { "\u0000\u202e": }
"""


def test_titles_in_a_drawing_are_titles(tmp_path: Path) -> None:
    """In the language of Graphviz, and in the picture that it draws."""
    (tmp_path / "a.pp").write_text(EVIL_TITLES)
    drawn = wherefrom("graph", "a.pp", cwd=tmp_path).out.decode()
    lines = [line.strip() for line in drawn.splitlines()[3:-1]]
    assert len(lines) == 7, drawn
    for line in lines:
        title = r'"(?:[^"\\]|\\.)*"'
        assert re.fullmatch(rf"{title}( -> {title})? \[tooltip={title}\];", line), line
    assert not set(drawn) & {"\0", "\u202e"}
    if shutil.which("dot") is None:
        pytest.skip("dot is not installed")
    ran = wherefrom("graph", "a.pp", "--format", "svg", cwd=tmp_path)
    assert ran.status == 0, ran
    picture = ElementTree.fromstring(ran.out)
    assert not [node for node in picture.iter() if node.tag.endswith("script")], ran
    assert not [name for node in picture.iter() for name in node.attrib if name.endswith("href")], ran
    assert sum(node.tag.endswith("g") and node.get("class") == "node" for node in picture.iter()) == 6, ran


@pytest.mark.parametrize("form", ["sarif", "json", "github"])
def test_names_of_files_in_reports_of_a_check(form: str, tmp_path: Path) -> None:
    """They hold line ends, percent signs and markup, and stay one text."""
    name = "b%0A::set-output name=x::y <script>\n\u2028.pp"
    (tmp_path / name).write_text("notice(")
    ran = wherefrom("check", name, "--format", form, cwd=tmp_path)
    assert ran.status == 1, ran
    if form == "github":
        (line,) = ran.out.decode().split("\n")[:-1]
        assert line.startswith("::error file=b%250A%3A%3Aset-output name=x%3A%3Ay <script>%0A"), ran
        return
    document = json.loads(ran.out)
    if form == "json":
        assert document["diagnostics"][0]["file"] == name
    else:
        location = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert not set(location) & set(" <>\n\u2028"), location


ODD = ["", "..", "../x", "a/b", "\x1b[31m", "\n", "-x", "a\ud800", "*", "[", "x" * 100_000]


@pytest.mark.parametrize("name", ODD, ids=ascii)
@pytest.mark.parametrize("command", ["lookup", "nodes", "explain", "missing", "man"])
def test_odd_names_on_the_command_line(command: str, name: str, tmp_path: Path) -> None:
    """Keys, nodes and paths that are none: a documented status, nothing written elsewhere, nothing obeyed."""
    folder = tmp_path / "env"
    (folder / "manifests").mkdir(parents=True)
    (folder / "manifests/site.pp").write_text("notify { 'a': }")
    arguments: dict[str, list[str]] = {
        "lookup": ["lookup", ".", "--", name],
        "nodes": ["compile", ".", f"--nodes={name}", "--output", "out", "--json"],
        "explain": ["explain", ".", "--", name],
        "missing": ["explain", ".", "--missing", "--", name],
        "man": ["man", "--", name],
    }
    ran = wherefrom(*(argument.encode("utf-8", "surrogatepass") for argument in arguments[command]), cwd=folder)
    assert ran.status in (0, 1, 2), ran
    assert b"internal error" not in ran.err, ran
    assert b"\x1b" not in ran.out + ran.err, ran
    assert sorted(path.name for path in tmp_path.iterdir()) == ["env"], ran
    assert {path.name for path in folder.iterdir()} <= {"manifests", "out"}, ran


def test_watching_what_is_no_file(tmp_path: Path) -> None:
    """It is not opened and not waited for; whoever watches is told, and may end it."""
    os.mkfifo(tmp_path / "a.pp")
    process = subprocess.Popen(
        [sys.executable, "-m", "wherefrom", "compile", "a.pp", "--watch"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    with process.stderr as said:
        assert b"not a regular file" in said.readline()
        assert b"watching" in said.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 130, said.read()

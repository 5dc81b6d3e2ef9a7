"""Secrets and the keys to them: hostile keys and envelopes, and everything that could show what must not be shown."""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attacks.running import wherefrom
from support.commands import Ran
from wherefrom import Session
from wherefrom.base.budget import Budget, OverBudget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.secrets import REDACTED, Secrets, texts_in
from wherefrom.language import Inputs, Outcome
from wherefrom.puppet.hiera import eyaml
from wherefrom.web.documents import Documents, Refusal
from wherefrom.web.subject import Subject

KEY = Path(__file__).resolve().parents[2] / "examples/control/keys/private_key.pkcs7.pem"
DATA = KEY.parents[1] / "data/role/database.yaml"
TOKEN = "".join(DATA.read_text().partition("ENC[PKCS7,")[2].partition("]")[0].split())
SEALED = base64.b64decode(TOKEN)


# --- keys -------------------------------------------------------------------------------------------------------------


def environment(folder: Path, token: str) -> None:
    """An environment with one encrypted value."""
    (folder / "manifests").mkdir()
    (folder / "data").mkdir()
    (folder / "manifests/site.pp").write_text("notify { 'a': message => lookup('k') }")
    (folder / "hiera.yaml").write_text(
        "version: 5\nhierarchy:\n- {name: c, path: c.yaml, lookup_key: eyaml_lookup_key}\n"
    )
    (folder / "data/c.yaml").write_text(f"k: ENC[PKCS7,{token}]\n")


@pytest.mark.parametrize("kind", ["pipe", "device", "directory", "huge", "empty", "text", "no RSA", "absent", "NUL"])
def test_a_key_that_is_none(kind: str, tmp_path: Path) -> None:
    """One line and a documented status, at once and in little memory."""
    pytest.importorskip("cryptography")
    environment(tmp_path, TOKEN)
    key = tmp_path / "key.pem"
    match kind:
        case "pipe":
            os.mkfifo(key)
        case "directory":
            key.mkdir()
        case "huge":
            with open(key, "wb") as file:
                file.truncate(10**12)  # a file of holes
        case "empty" | "text":
            key.write_text("" if kind == "empty" else "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        case "no RSA":
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

            pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            key.write_bytes(pem)
    name = {"device": "/dev/zero", "NUL": "a\\0b"}.get(kind, str(key))
    ran = wherefrom("compile", ".", "--eyaml-key", name, cwd=tmp_path)
    assert ran.status in (1, 2), ran
    assert b"internal error" not in ran.err, ran
    assert ran.megabytes < 200, ran
    assert ran.seconds < 5, ran


# --- envelopes --------------------------------------------------------------------------------------------------------


def element(tag: int, *bodies: bytes) -> bytes:
    """Something in DER."""
    body = b"".join(bodies)
    size = len(body).to_bytes(4, "big")
    return bytes([tag, 0x84]) + size + body


def envelope(recipients: bytes, tag: int = 0x31, vector: bytes = b"v" * 16, text: bytes = b"t" * 16) -> bytes:
    """A message in CMS, of parts of our choice."""
    aes = element(0x30, element(0x06, bytes.fromhex("60864801650304012a")), element(0x04, vector))
    content = element(0x30, element(0x06, b"x"), aes, element(0x80, text))
    body = element(0x30, element(0x02, b"\0"), element(tag, recipients), content)
    return element(0x30, element(0x06, bytes.fromhex("2a864886f70d010703")), element(0xA0, body))


RECIPIENT = element(0x30, element(0x02, b"\0"), element(0x04, b"w" * 256))
ENVELOPES = {
    "cut short": SEALED[:-40], "one byte": b"\x30", "nothing": b"", "no recipients": envelope(b""),
    "no set of recipients": envelope(RECIPIENT, tag=0x30), "a stranger": envelope(RECIPIENT),
    "a wrapped key of no size": envelope(element(0x30, element(0x04, b""))),
    "no parts": envelope(element(0x30)), "an odd vector": envelope(RECIPIENT, vector=b"v"),
    "an odd text": envelope(RECIPIENT, text=b"t"), "a length past the end": b"\x30\x88" + b"\xff" * 8 + SEALED,
    "a length of 127 bytes": b"\x30\xff" + b"\xff" * 127, "wrong padding": SEALED[:-16] + b"\0" * 16,
    "another message": element(0x30, element(0x06, b"x"), element(0xA0, b"")),
    "sequences in sequences": b"\x30\x80" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_that_lies(name: str, tmp_path: Path) -> None:
    """It can not be opened, and that is said."""
    pytest.importorskip("cryptography")
    environment(tmp_path, base64.b64encode(ENVELOPES[name]).decode() or "====")
    ran = wherefrom("compile", ".", "--eyaml-key", str(KEY), cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"none of the given keys decrypts it" in ran.err, ran


@pytest.mark.parametrize(
    "token",
    ["=", "A===", "A", "\u00e9", pytest.param("AAAA" * 2_000_000, marks=pytest.mark.long)],
    ids=["=", "A=", "A", "letter", "long"],
)
def test_what_is_no_base64(token: str, tmp_path: Path) -> None:
    """The same; what is no token at all stays as it is."""
    pytest.importorskip("cryptography")
    environment(tmp_path, token)
    ran = wherefrom("compile", ".", "--eyaml-key", str(KEY), cwd=tmp_path)
    assert ran.status == (0 if token == "\u00e9" else 1), ran
    assert b"internal error" not in ran.err, ran


@cache
def key() -> Any:
    """The example's key.  To read one takes longer than to open an envelope."""
    from wherefrom.base.host import RealHost

    return eyaml._read_key(RealHost([str(KEY.parent)]), str(KEY))


def opened(data: bytes) -> bytes | None:
    """What is in an envelope, if it can be opened."""
    try:
        return eyaml.decrypted(data, [key()])
    except (ValueError, IndexError, KeyError):  # what the caller takes for a key that does not fit
        return None


def test_envelopes_of_noise() -> None:
    """A thousand changes to a good one: opened, or not."""
    pytest.importorskip("cryptography")
    chance = random.Random(5)
    assert opened(SEALED) is not None
    for _ in range(1_000):
        data = bytearray(SEALED)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 2)] = chance.randbytes(chance.randint(0, 3))
        opened(bytes(data))


def test_very_many_recipients_draw_from_the_budget() -> None:
    """Trying a key on each takes a millisecond."""
    pytest.importorskip("cryptography")
    with pytest.raises(OverBudget, match="looking for the recipient"), Budget(steps=100_000).in_force():
        opened(envelope(RECIPIENT * 10_000))


# --- what is shown ----------------------------------------------------------------------------------------------------

SECRET = 'it\'s "horse" <staple> & \\battery\\ #1'
WORDS = (b"horse", b"staple", b"battery")
QUOTED = SECRET.replace("\\", "\\\\").replace("'", "\\'")
MANIFEST = f"""
class secretive($password = Sensitive('{QUOTED}')) {{
  file {{ '/direct': content => $password }}
  file {{ '/beside': mode => '0644', content => Sensitive('{QUOTED}') }}
  file {{ '/within': content => "user: x\\npassword: ${{password.unwrap}}\\n" }}
  notify {{ "about ${{password.unwrap}}": message => [$password, {{ 'k' => $password.unwrap }}] }}
  notice("it is ${{password.unwrap}}")
  warning($password)
}}
include secretive
"""
COMMANDS = [
    ["compile", "a.pp"], ["compile", "a.pp", "--json"], ["compile", "a.pp", "--yaml"],
    ["compile", "a.pp", "--save", "saved.json"], ["diff", "a.pp", "b.pp"], ["diff", "a.pp", "b.pp", "--json"],
    ["diff", "a.pp", "b.pp", "--format", "markdown"], ["diff", "a.pp", "b.pp", "--format", "html"],
    ["graph", "a.pp"], ["graph", "a.pp", "--format", "svg"], ["explain", "a.pp", "File[/within].content"],
    ["explain", "a.pp", "File[/direct].content", "--json"], ["explain", "a.pp", "File[/direct]", "--how"],
    ["explain", "a.pp", "File[/within].content", "--line", "2"], ["explain", "a.pp", "File[/within]"],
    ["impact", "a.pp", "a.pp:2"],
    ["impact", "a.pp", "a.pp:2", "--json"], ["explain", "a.pp", "File[/within].content", "--all"],
    ["compile", "fail.pp"], ["compile", "type.pp"], ["compile", "--nodes", "n,m", "fail.pp"],
    ["compile", "--nodes", "n,m", "--json", "fail.pp"],
    ["compile", "--nodes", "n", "--output", "out", "--yaml", "a.pp"],
    ["explain", "fail.pp", "Notify[x]"], ["lookup", ".", "x", "--node", "n"],
    ["batch", "--hide-secrets"],
    ["set", "a.pp", "File[/beside].mode", "0600"], ["set", "a.pp", "File[/beside].mode", "0600", "--patch"],
    ["set", "a.pp", "File[/beside].mode", "0600", "--json"], ["set", "a.pp", "File[/within].content", "x", "--patch"],
    ["influence", "a.pp", "File[/within].content"], ["influence", "a.pp", "File[/direct].content", "--json"],
    ["influence", "a.pp", f"Notify[about {SECRET}].message[0]", "--dot"],
    *(["policy", "a.pp", "--rules", "rules.toml", "--format", form] for form in ("text", "json", "sarif", "markdown")),
    ["policy", "a.pp", "--rules", "rules.toml", "--confirm"], ["report", "a.pp", "-o", "out/report.html"],
]  # fmt: skip
RULES = '[[policy]]\nname = "x"\noutputs = ["File[*].*", "Notify[*].*"]\nnever = { made = ["**"], depends = ["**"] }\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "a.pp").write_text(MANIFEST)
    (folder / "b.pp").write_text(MANIFEST.replace("user: x", "user: y").replace("#1", "#2"))
    (folder / "fail.pp").write_text(MANIFEST + 'fail("no: ${secretive::password.unwrap}")')
    (folder / "type.pp").write_text(f"$x = Sensitive('{QUOTED}') Integer($x.unwrap)")
    (folder / "rules.toml").write_text(RULES)
    (folder / "out").mkdir()
    (folder / "hiera.yaml").write_text("version: 5\nhierarchy:\n- {name: c, path: c.yaml}\n")
    (folder / "data").mkdir()
    (folder / "data/c.yaml").write_text(f"x: {json.dumps(SECRET)}\nlookup_options: {{x: {{convert_to: Sensitive}}}}\n")
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_output_shows_a_secret(arguments: list[str], folder: Path) -> None:
    """Not as a value, within a text, in a title, in a line of source or in an error, however the format writes it."""
    if "svg" in arguments and shutil.which("dot") is None:
        pytest.skip("dot is not installed")
    request = json.dumps({"id": 1, "manifest": MANIFEST}) + "\n" + json.dumps({"id": 2, "manifest": MANIFEST + "fail("})
    ran = wherefrom(*arguments, cwd=folder, input=request.encode())
    assert ran.status in ((0, 4) if "policy" in arguments else (0, 1, 2) if "set" in arguments else (0, 1)), ran
    assert b"internal error" not in ran.err, ran
    written = [folder / "saved.json", *folder.glob("out/*")]
    shown = ran.out + ran.err + b"".join(path.read_bytes() for path in written if path.exists())
    assert len(shown) > 20, ran
    assert not [word for word in WORDS if word in shown], ran


@pytest.mark.parametrize("manifest", ["a.pp", "fail.pp"])
def test_the_explorer_shows_no_secret(manifest: str, folder: Path) -> None:
    """Neither what it knows nor why it knows nothing."""

    def run(*_: object) -> Outcome:
        return Session().run(str(folder / manifest), Inputs("n"))

    documents = Documents(Subject(manifest, run, lambda *_: None, lambda: 0))
    said = 0
    for question in documents.questions:
        try:
            answer = documents.answer(question, {"path": "File[/within].content", "input": "a.pp:2", "key": "x"})
        except Refusal as refusal:
            answer = json.dumps(refusal.document).encode()
        said += len(answer)
        assert not [word for word in WORDS if word in answer], (question, answer)
    assert said > 2_000


def test_a_batch_is_what_an_agent_gets(folder: Path) -> None:
    """Its catalogs are Puppet's: they have the value, and say that it is sensitive."""
    ran = wherefrom("batch", cwd=folder, input=json.dumps({"id": 1, "manifest": MANIFEST}).encode())
    resources = json.loads(ran.out)["catalog"]["resources"]
    (direct,) = [resource for resource in resources if resource["title"] == "/direct"]
    assert direct["parameters"]["content"] == SECRET
    assert direct["sensitive_parameters"] == ["content"]


def compiled(tmp_path: Path, text: str, *options: str) -> Ran:
    (tmp_path / "a.pp").write_text(text)
    return wherefrom("compile", "a.pp", *options, cwd=tmp_path)


@pytest.mark.long
def test_looking_for_secrets_takes_no_time_of_its_own(tmp_path: Path) -> None:
    """Values that double and are never shown; thousands of secrets, and a text of a megabyte that all may be in."""
    steps = "\n".join(f"$a{n + 1} = [$a{n}, $a{n}]" for n in range(60))
    ran = compiled(tmp_path, f"class a {{ $a0 = ['x']\n{steps}\n$b = Sensitive($a60) }} include a")
    assert (ran.status, ran.seconds < 5) == (0, True), ran
    many = 'Integer[1, 5000].each |$i| { notify { "n$i": message => Sensitive("xxxxxxxx$i") } }\n'
    long = "$s = Integer[1, 17].reduce('xxxxxxxx') |$m, $i| { \"$m$m\" } notify { 'l': message => $s }"
    ran = compiled(tmp_path, many + long)
    assert (ran.status, ran.seconds < 10) == (0, True), ran
    lengths = many.replace("xxxxxxxx$i", "xxxx${s[0, $i]}y")
    ran = compiled(tmp_path, long + lengths, "--budget", "steps=2000000")  # a tenth: what draws from it is the same
    assert ran.status == 1, ran
    assert b"the budget of steps is spent hiding secrets in what is written" in ran.err, ran


def test_redaction_finds_what_the_formats_write() -> None:
    """The longest first; each by itself; places stay where they are if that is asked for."""
    secrets = Secrets(["horse", "horse battery", SECRET, "line one\nline two two"])
    assert secrets.redacted("a horse battery, a horse") == f"a {REDACTED}, a {REDACTED}"
    assert secrets.redacted("horshorse", masked=True) == "hors*****"
    assert secrets.redacted("a horse bat…, hors… battery") == f"a {REDACTED}…, {REDACTED}…{REDACTED}"
    assert secrets.redacted("…rse battery and…se batte") == f"…{REDACTED} and…se batte"
    assert "two two" not in secrets.redacted("x line two two y")
    for escaped in (
        json.dumps(SECRET),
        SECRET.replace("'", "''"),
        QUOTED,
        SECRET.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"),
    ):
        assert "battery" not in secrets.redacted(escaped), escaped


def test_texts_in_a_value_that_shares_its_parts() -> None:
    """Each part is looked at once; a budget bounds even that."""
    value: list[object] = ["x", 1, True, {"k": 2.5}]
    for _ in range(200):
        value = [value, value]
    assert texts_in(value) == {"x", "1", "2.5"}

    def small() -> None:
        with Budget(steps=100).in_force():
            texts_in(value)

    with pytest.raises(WherefromError, match="looking for secrets"):
        with_deep_stack(small)


# --- what is computed from a secret -----------------------------------------------------------------------------------

HIDDEN = "Hunter2,Zecret:0x7Q"
MADE = {
    "upcase": "upcase($pw.unwrap)", "slice": "$pw.unwrap[0,6]", "joined": "join($pw.unwrap.split(''), '-')",
    "digest": "md5($pw.unwrap)", "base64": "String(Binary($pw.unwrap,'%s'))", "length": "$pw.unwrap.length",
    "replaced": "regsubst($pw.unwrap,'Zecret','SECRET')", "inline": "Sensitive(\"pw-${pw.unwrap}\").unwrap",
    "three": "$pw.unwrap[0,3]", "list": "$pw.unwrap.split('')", "key": "{ upcase($pw.unwrap) => 1 }",
    "formatted": "sprintf('%s', downcase($pw.unwrap))", "lambda": "with($pw.unwrap) |$x| { capitalize(downcase($x)) }",
    "epp": "inline_epp('<%= upcase($x) %>', { 'x' => $pw.unwrap })",
    "erb": "inline_template('<%= @pw.unwrap.swapcase %>')",
    "equal": "$pw.unwrap == 'x'", "type": "type($pw.unwrap)",
}  # fmt: skip
"""Expressions that make something of a secret."""


def outputs(folder: Path, *options: str) -> dict[str, Any]:
    """The message of each resource."""
    ran = wherefrom("compile", "a.pp", "--json", *options, cwd=folder)
    assert ran.status == 0, ran
    resources = [each for each in json.loads(ran.out)["resources"] if "message" in each.get("parameters", {})]
    return {each["title"]: each["parameters"]["message"] for each in resources}


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("derived")
    lines = [f"notify {{ '{name}': message => {expression} }}" for name, expression in MADE.items()]
    lines.append('notify { "t-${upcase($pw.unwrap)}": }')
    lines.append("notify { 'open': message => ['a', { 'b' => \"user ${upcase($pw.unwrap)} at home\" }] }")
    lines.append("notify { 'decided': message => $pw.unwrap ? { 'x' => 'no', default => 'yes' } }")
    (folder / "a.pp").write_text(f"$pw = Sensitive('{HIDDEN}')\n" + "\n".join(lines) + "\n")
    return folder


def test_what_was_made_of_a_secret(derived: Path) -> None:
    """Each is hidden as a value, wherever it is asked for; `--show-derived` shows it, and never the secret."""
    hidden, shown, agent = outputs(derived), outputs(derived, "--show-derived"), outputs(derived, "--show-secrets")
    for name in MADE:
        assert hidden[name] == REDACTED, name
    assert {name for name in MADE if agent[name] == shown[name]} >= set(MADE) - {"inline", "formatted", "type"}
    assert agent["upcase"] == HIDDEN.upper() and agent["length"] == len(HIDDEN)
    for question in (
        ["explain", "a.pp", "Notify[%s].message"],
        ["explain", "a.pp", "Notify[%s].message", "--json", "--all"],
    ):
        for name in MADE:
            if name not in ("equal", "length", "list", "type", "key"):
                ran = wherefrom(*[part.replace("%s", name) for part in question], cwd=derived)
                value = agent[name].encode()
                assert ran.status == 0 and (value not in ran.out + ran.err or len(value) < 6), (name, ran)
    titles = wherefrom("compile", "a.pp", cwd=derived)
    assert HIDDEN.upper().encode() not in titles.out, titles


def test_what_is_open_stays_open(derived: Path) -> None:
    """Parts of texts and composites that come from elsewhere; what a secret decided; what the settings declare."""
    hidden = outputs(derived)
    assert hidden["open"] == ["a", {"b": f"user {REDACTED} at home"}]
    assert hidden["decided"] == "yes"
    (derived / "wherefrom.toml").write_text('public_outputs = ["Notify[dig*].message", "Notify[three]"]\n')
    try:
        assert outputs(derived) == hidden  # nobody has trusted that
        told = outputs(derived, "--trust")
    finally:
        (derived / "wherefrom.toml").unlink()
    agent = outputs(derived, "--show-secrets")
    assert {name for name in MADE if told[name] == agent[name]} == {"digest", "three"}


@pytest.mark.parametrize(
    "statement",
    [
        'fail("no: ${upcase($pw.unwrap)}")',
        "Integer(upcase($pw.unwrap))",
        "$x = upcase($pw.unwrap) + 1",
        "class { 'c': mode => upcase($pw.unwrap) } class c(Enum['a', 'b'] $mode) {}",
        "notify { upcase($pw.unwrap): } notify { upcase($pw.unwrap): }",
        "include upcase($pw.unwrap)",
        "file { '/x': mode => upcase($pw.unwrap) } File['/x'] { mode => 'a' } File['/x'] { mode => 'b' }",
        "inline_template('<%= raise @pw.unwrap.upcase %>')",
        "notice(upcase($pw.unwrap)) warning(downcase($pw.unwrap)) fail('x')",
        "assert_type(Pattern[/x/], upcase($pw.unwrap))",
        "$h = { 'a' => 1 } $h.dig('a', upcase($pw.unwrap))",
        "Numeric($pw.unwrap[0,14])",
        "include $pw.unwrap[0,14]",
        "$x = $pw.unwrap[0,14] + 1",
        "if $pw.unwrap =~ /(.*:0x)/ { $x = $1 + 1 }",
        "fail(Binary($pw.unwrap, '%s'))",
        "fail(Binary($pw.unwrap, '%s')[0, 15])",
        "fail(Integer(regsubst($pw.unwrap, '[^0-9]', '', 'G'), 8) + 1234567)",
    ],
)
def test_an_error_that_says_what_was_made_of_a_secret(statement: str, tmp_path: Path) -> None:
    """It says so without it."""
    (tmp_path / "a.pp").write_text(f"$pw = Sensitive('{HIDDEN}')\n{statement}\n")
    for more in ([], ["--json"], ["--nodes", "n,m", "--json"]):
        ran = wherefrom("compile", "a.pp", *more, cwd=tmp_path)
        assert b"internal error" not in ran.err, ran
        said = (ran.out + ran.err).lower()
        assert HIDDEN.lower().encode() not in said and b"zecret" not in said, ran
        assert base64.b64encode(HIDDEN.encode())[:16].lower() not in said and b"1234702" not in said, ran


def test_what_looks_like_a_document(tmp_path: Path) -> None:
    """Its lines are those of another resource, which has nothing to do with it."""
    secret = '{\n  "a": {\n    "b": "x1234"\n  }\n}\n'
    unrelated = "notify { 'n': message => { 'a' => { 'b' => 'x1234' } } }"
    (tmp_path / "a.pp").write_text(f"file {{ '/c': content => Sensitive('{secret}') }} {unrelated}")
    assert outputs(tmp_path)["n"] == {"a": {"b": "x1234"}}

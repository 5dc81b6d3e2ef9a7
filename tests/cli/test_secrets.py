"""Secrets: encrypted data is opened with a key that is given, goes on without one, and is never shown either way."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from support import commands
from wherefrom.base.secrets import Secret, Secrets

ROOT = Path(__file__).resolve().parents[2]
CONTROL = ROOT / "examples/control"
PASSWORD = "correct horse battery staple"
KEY = ["--eyaml-key", "keys/private_key.pkcs7.pem"]
DB = ["--node", "db01.example.org"]

cryptography = pytest.importorskip("cryptography", reason="the extra eyaml is not installed")


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def test_a_key_opens_encrypted_data() -> None:
    """The catalog has the password where it is asked to show secrets."""
    shown = wherefrom("compile", *DB, *KEY, "--json", "--show-secrets").stdout
    assert f"db01.example.org:5432:*:postgres:{PASSWORD}" in shown


def test_without_a_key_a_secret_has_a_name() -> None:
    """Compilation goes on with an opaque value."""
    done = wherefrom("compile", *DB, "--json", "--show-secrets")
    assert done.returncode == 0
    assert "<secret profile::db::password>" in done.stdout
    assert PASSWORD not in done.stdout


@pytest.mark.parametrize(
    "question",
    [
        ["compile", "--json"],
        ["compile", "--yaml"],
        ["compile"],
        ["compile", "--nodes", "--json"],
        ["lookup", "profile::db::password"],
        ["lookup", "profile::db::password", "--json"],
        ["lookup", "--all"],
        ["lookup", "profile::db::password", "--nodes", "db*"],
        ["explain", "File[/root/.pgpass].content"],
        ["explain", "File[/root/.pgpass].content", "--json"],
        ["explain", "File[/root/.pgpass].content", "--all"],
        ["explain", "Class[profile::db].password", "--how"],
        ["explain", "File[/root/.pgpass]"],
        ["impact", "hiera:profile::db::password"],
        ["impact", "hiera:profile::db::password", "--json"],
        ["diff", ".", ".", "--format", "html"],
    ],
    ids=" ".join,
)
def test_no_output_shows_a_secret(question: list[str]) -> None:
    """Whatever is asked, in whatever form."""
    node = [] if "--nodes" in question else DB
    done = wherefrom(*question, *node, *KEY)
    assert done.returncode == 0, done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    assert "horse" not in done.stdout + done.stderr


def test_no_saved_outcome_holds_a_secret(tmp_path: Path) -> None:
    """Asterisks stand for it, so that all places stay where they are; it can be read back and compared."""
    saved = tmp_path / "saved.json"
    assert wherefrom("compile", *DB, *KEY, "--save", str(saved)).returncode == 0
    assert "horse" not in saved.read_text()
    document = json.loads(wherefrom("explain", str(saved), "File[/root/.pgpass].mode", "--json").stdout)
    assert document["value"] == "0600"


def test_a_secret_that_changed_is_told_without_its_values(tmp_path: Path) -> None:
    """`diff` sees that two secrets differ."""
    for name, text in (("a", "first secret"), ("b", "other secret")):
        (tmp_path / f"{name}.pp").write_text(f"file {{ '/x': content => Sensitive('{text}') }}\n")
    done = wherefrom("diff", "a.pp", "b.pp", cwd=tmp_path)
    assert 'File[/x].content: "(sensitive)" -> "(sensitive)"' in done.stdout
    assert "first secret" not in done.stdout and "other secret" not in done.stdout
    same = wherefrom("diff", "a.pp", "a.pp", cwd=tmp_path)
    assert same.stdout.startswith("no differences")


def test_keys_that_do_not_fit(tmp_path: Path) -> None:
    """A wrong key, no key, a file that is none: told in a line, without the ciphertext."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    other = rsa.generate_private_key(65537, 2048)
    key = tmp_path / "other.pem"
    key.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    done = wherefrom("compile", *DB, "--eyaml-key", str(key))
    assert done.returncode == 1
    assert "none of the given keys decrypts it" in done.stderr
    (tmp_path / "text.pem").write_text("no key")
    assert wherefrom("compile", *DB, "--eyaml-key", str(tmp_path / "text.pem")).returncode == 2
    assert wherefrom("compile", *DB, "--eyaml-key", str(tmp_path / "none.pem")).returncode == 1


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("cipher", ["-aes-256-cbc", "-aes-128-cbc"])
def test_envelopes_of_another_tool(tmp_path: Path, cipher: str) -> None:
    """What openssl encrypts, in one line or folded, with clear text beside it, is opened."""
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/", "-days", "9"]
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run([*made, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    sealed = subprocess.run(
        ["openssl", "smime", "-encrypt", "-binary", cipher, "-outform", "DER", str(certificate)],
        input=b"tr\xc3\xa4umerei %{facts.role}\n",
        capture_output=True,
        check=True,
    ).stdout
    import base64

    token = base64.b64encode(sealed).decode()
    folded = "\n    ".join(token[at : at + 60] for at in range(0, len(token), 60))
    files = {
        "hiera.yaml": "version: 5\nhierarchy:\n  - {name: S, path: s.yaml, lookup_key: eyaml_lookup_key}\n",
        "data/s.yaml": f"one: ENC[PKCS7,{token}]\nmany: >\n    user ENC[PKCS7,\n    {folded}]\n"
        f"list:\n  - ENC[{token}]\n",
        "manifests/site.pp": "notify { 'a': message => [lookup('one'), lookup('many'), lookup('list')] }\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "facts.yaml").write_text("role: web\n")
    given = ["--facts", "facts.yaml", "--eyaml-key", "key.pem", "--json"]
    done = wherefrom("compile", ".", *given, "--show-secrets", cwd=tmp_path)
    catalog = json.loads(done.stdout)
    message = next(each for each in catalog["resources"] if each["type"] == "Notify")["parameters"]["message"]
    assert message == ["träumerei web", "user träumerei web\n", ["träumerei web"]]
    assert "umerei" not in wherefrom("compile", ".", *given, cwd=tmp_path).stdout


def test_redaction() -> None:
    """As it is, as JSON writes it, line by line; masked texts keep their length; short ones are left alone."""
    secrets = Secrets(['a "quoted" secret', "first line of it\nsecond line of it", "on"])
    assert secrets.redacted('x a "quoted" secret y') == "x (sensitive) y"
    assert secrets.redacted(json.dumps({"a": 'a "quoted" secret'})) == '{"a": "(sensitive)"}'
    assert secrets.redacted("2 | second line of it") == "2 | (sensitive)"
    assert secrets.redacted("turned on") == "turned on"
    assert len(secrets.redacted('x a "quoted" secret y', masked=True)) == len('x a "quoted" secret y')
    assert Secret("a") == Secret("a") and Secret("a") != Secret("b") and json.dumps(Secret("a")) == '"(sensitive)"'

"""Encrypted data: what is opened, with which key, and what is told of it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from wherefrom.base.diagnostics import UsageError
from wherefrom.base.host import PureHost
from wherefrom.base.secrets import REDACTED
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.provenance import Items, Leaf, element
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.hiera.errors import HieraError
from wherefrom.puppet.hiera.eyaml import ENCRYPTED_WORDS, Eyaml, decrypted

KEY = generate_private_key(65537, 2048)
OTHER = generate_private_key(65537, 2048)
OIDS = {16: "608648016503040102", 24: "608648016503040116", 32: "60864801650304012a"}


def der(tag: int, *bodies: bytes) -> bytes:
    """An element in DER, with its length as short as can be (X.690, 8.1.3)."""
    body = b"".join(bodies)
    if len(body) < 0x80:
        return bytes([tag, len(body)]) + body
    size = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(size)]) + size + body


def sealed(text: str, *keys: RSAPrivateKey, size: int = 32, pieces: int = 0) -> bytes:
    """A text in an envelope for some recipients (RFC 5652, 6.1), its cipher text in one piece or in several."""
    content_key, vector = bytes(range(size)), bytes(range(16))
    padder = PKCS7(128).padder()
    encryptor = Cipher(AES(content_key), CBC(vector)).encryptor()
    cipher_text = encryptor.update(padder.update(text.encode()) + padder.finalize()) + encryptor.finalize()
    recipients = [
        der(0x30, der(0x02, b"\0"), der(0x30), der(0x30), der(0x04, key.public_key().encrypt(content_key, PKCS1v15())))
        for key in keys
    ]
    algorithm = der(0x30, der(0x06, bytes.fromhex(OIDS[size])), der(0x04, vector))
    content = der(0x80, cipher_text)
    if pieces:
        content = der(0xA0, *(der(0x04, cipher_text[at : at + pieces]) for at in range(0, len(cipher_text), pieces)))
    encrypted = der(0x30, der(0x06, b"data"), algorithm, content)
    envelope = der(0x30, der(0x02, b"\0"), der(0x31, *recipients), encrypted)
    return der(0x30, der(0x06, bytes.fromhex("2a864886f70d010703")), der(0xA0, envelope))


def token(text: str, *keys: RSAPrivateKey, kind: str = "PKCS7,") -> str:
    return f"ENC[{kind}{base64.b64encode(sealed(text, *keys or (KEY,))).decode()}]"


def pem(key: Any) -> bytes:
    data: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return data


@pytest.fixture
def keys(tmp_path: Path) -> Eyaml:
    return opening(tmp_path, KEY)


def opening(folder: Path, *private: RSAPrivateKey) -> Eyaml:
    from wherefrom.base.host import RealHost

    files = []
    for number, key in enumerate(private):
        (folder / f"{number}.pem").write_bytes(pem(key))
        files.append(str(folder / f"{number}.pem"))
    return Eyaml(RealHost([str(folder)]), tuple(files))


SOURCE = SourceFile("data/c.yaml", "k: ENC[...]\n")
LEAF = Leaf("hiera", "k", SOURCE.span(3, 11), "sealed")


def text_of(eyaml: Eyaml, value: str) -> Any:
    return eyaml.opened(value, LEAF, "k", "data/c.yaml")[0]


# --- envelopes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [16, 24, 32])
@pytest.mark.parametrize("pieces", [0, 16])
def test_an_envelope_is_opened(size: int, pieces: int) -> None:
    """Whatever the length of its key, in one piece or in several."""
    text = "a secret that is longer than one block of AES"
    assert decrypted(sealed(text, KEY, size=size, pieces=pieces), [KEY]) == text.encode()


def test_any_recipient_and_any_key() -> None:
    assert decrypted(sealed("x", OTHER, KEY), [KEY]) == b"x"
    assert decrypted(sealed("x", KEY), [OTHER, KEY]) == b"x"
    with pytest.raises(ValueError, match="no key fits"):
        decrypted(sealed("x", OTHER), [KEY])
    with pytest.raises(ValueError, match="no key fits"):
        decrypted(sealed("x"), [KEY])


def test_another_message_is_no_envelope() -> None:
    data = der(0x30, der(0x06, b"signed"), der(0xA0, der(0x30)))
    with pytest.raises(ValueError, match="no envelope"):
        decrypted(data, [KEY])
    with pytest.raises(ValueError, match="cut short"):
        decrypted(sealed("x", KEY)[:-1], [KEY])


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_tokens_in_texts(keys: Eyaml) -> None:
    """Alone, beside clear text, several, with blanks inside; a line end behind them is dropped, one of them."""
    assert text_of(keys, token("hunter2")) == "hunter2"
    assert text_of(keys, token("hunter2", kind="")) == "hunter2"
    assert text_of(keys, f"user:{token('a')}@{token('b')}") == "user:a@b"
    assert text_of(keys, token("spaced").replace("A", "A\n  ")) == "spaced"
    assert text_of(keys, token("line\n")) == "line"
    assert text_of(keys, token("line\n\n")) == "line\n"
    assert text_of(keys, token("é")) == "é"
    assert text_of(keys, "ENC[no token!]") == "ENC[no token!]"
    assert text_of(keys, "clear") == "clear"


def test_what_is_opened_is_remembered_as_a_secret(keys: Eyaml) -> None:
    """The text of each token, and the whole that it stands in."""
    text_of(keys, f"user:{token('one')}")
    assert keys.secrets == {"one", "user:one"}
    text_of(keys, "clear")
    assert keys.secrets == {"one", "user:one"}


def test_without_a_key_a_secret_has_a_name() -> None:
    """So has one that is encrypted in another way."""
    none = Eyaml()
    assert text_of(none, f"user:{token('one')}") == "user:<secret k>"
    assert none.secrets == set()


def test_other_ways_of_encrypting(keys: Eyaml) -> None:
    assert text_of(keys, token("one", kind="GPG,")) == "<secret k>"


def test_a_token_for_somebody_else(keys: Eyaml) -> None:
    for wrong in (token("one", OTHER), "ENC[PKCS7,AAAA]", "ENC[PKCS7,A]", "ENC[PKCS7,=]"):
        with pytest.raises(HieraError, match=r"when looking up k in data/c\.yaml: none of the given keys decrypts it"):
            text_of(keys, wrong)


def test_a_token_is_opened_once(keys: Eyaml, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed_text = token("one")
    assert text_of(keys, sealed_text) == "one"
    monkeypatch.setattr("wherefrom.puppet.hiera.eyaml.decrypted", None)
    assert text_of(keys, sealed_text) == "one"


# --- values ----------------------------------------------------------------------------------------------------------


def test_tokens_inside_of_values(keys: Eyaml) -> None:
    """Each is opened where it stands, and its input says that it was encrypted, not what it is."""
    value = {"a": [1, token("deep")], "b": "clear"}
    clear = Leaf("hiera", "k.b", SOURCE.span(0, 1), "clear")
    origin = Items({"a": Items([LEAF, LEAF], LEAF), "b": clear}, LEAF)
    opened, shadow = keys.opened(value, origin, "k", "data/c.yaml")
    assert opened == {"a": [1, "deep"], "b": "clear"}
    array = element(shadow, "a")
    assert array is not None
    leaf = element(array, 1)
    assert isinstance(leaf, Leaf)
    assert (leaf.kind, leaf.name, leaf.value, leaf.detail, leaf.file, leaf.span) == (
        "hiera", "k.a.1", REDACTED, ENCRYPTED_WORDS, "data/c.yaml", LEAF.span,
    )  # fmt: skip
    assert element(array, 0) is LEAF and element(shadow, "b") is clear


def test_a_secret_of_no_place() -> None:
    leaf = Eyaml().opened(token("x"), Items([], LEAF), "k", "f")[1]
    assert isinstance(leaf, Leaf) and leaf.span is None and leaf.file == "f"


def test_what_became_of_sealed_texts_is_a_secret(keys: Eyaml) -> None:
    """After `%{...}` in them was filled in: of each text that was sealed, and of no other."""
    keys.remember({"a": ["ENC[x]", "clear", 1], "b": {"c": "y ENC[z]"}}, {"a": ["one", "two", 1], "b": {"c": "three"}})
    assert {"one", "three"} <= keys.secrets and "two" not in keys.secrets
    keys.remember(["ENC[x]"], "no list")
    keys.remember({"a": "ENC[x]"}, ["no hash"])
    assert "no list" not in keys.secrets and "no hash" not in keys.secrets
    none = Eyaml()
    none.remember("ENC[x]", "one")
    assert none.secrets == set(), "what was not opened is no secret"


# --- keys ------------------------------------------------------------------------------------------------------------


def test_files_that_hold_no_key() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    host = PureHost({"text.pem": "no key", "other.pem": pem(Ed25519PrivateKey.generate()).decode()})
    with pytest.raises(UsageError, match=r"text\.pem has no unencrypted private key in PEM format"):
        Eyaml(host, ("text.pem",))
    with pytest.raises(UsageError, match=r"other\.pem has no RSA key, which eyaml requires"):
        Eyaml(host, ("other.pem",))


def test_several_keys(tmp_path: Path) -> None:
    assert text_of(opening(tmp_path, OTHER, KEY), token("one")) == "one"


def test_a_backend_of_version_3_reads_what_is_not_encrypted() -> None:
    """A configuration of the oldest form, which `--hiera` names, is that of the global layer, as real Puppet has it."""
    config = "---\n:backends: [eyaml]\n:hierarchy: [common]\n:eyaml:\n  :datadir: data\n  :extension: yaml\n"
    files = {
        "env/manifests/site.pp": "notify { [lookup('plain'), lookup('own')]: } notify { 'a': message => lookup('z') }",
        "env/hiera.yaml": "version: 5\n",
        "env/data/common.yaml": "own: from environment\n",
        "old.yaml": config,
        "data/common.yaml": "plain: from global\nz: ENC[PKCS7,MIIB]\n",
    }
    outcome = LANGUAGE.run("env", PureHost(files), Inputs("web01", {}, {"hiera": "old.yaml"}))
    values = {each.path: each.value for each in outcome.outputs()}
    assert {"Notify[from global]", "Notify[from environment]"} <= {path.rpartition(".")[0] or path for path in values}
    assert values["Notify[a].message"] == "<secret z>"

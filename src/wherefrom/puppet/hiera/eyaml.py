"""Encrypted data: `ENC[PKCS7,...]` in files that a level reads by `eyaml_lookup_key` (hiera-eyaml).

A token is Base64 of a CMS envelope (RFC 5652): a content key, encrypted for each recipient by RSA (PKCS #1 v1.5), and
the text, encrypted by AES in CBC mode with that key. A private key alone opens it; whichever recipient it fits is the
one. Blanks inside a token do not count; several tokens and clear text may share a string; the result is chomped, and
filled in afterwards, as the gem does. Keys are never looked for: they are given (`--eyaml-key`).

Without a key, or for other ways of encrypting (GPG, KMS, ...), a token stands for an opaque secret that has the name of
its key, so that a compilation goes on. Either way the value is a secret: it is remembered as one, and no output shows
it. `cryptography` is imported when a key is read, not before.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.diagnostics import UsageError
from ...base.secrets import REDACTED, learn, texts_in
from ...provenance.extract import where
from ...provenance.origins import Items, Leaf, Origin
from ...provenance.secrecy import Decrypted
from ..kernel.shadow import Shadow
from .errors import HieraError

if TYPE_CHECKING:
    from ...base.host import Host
    from ..kernel.traced import Traced

ENCRYPTED_WORDS = "encrypted"
"""What an input of encrypted data says about itself."""

PUBLIC_KEY = "pkcs7_public_key"
"""The option of a level that names the certificate for which its data is encrypted."""

_TOKEN = re.compile(r"ENC\[(?:(\w+)\s*,)?([A-Za-z0-9+/=\s]+)\]")
_AES_CBC = {  # OIDs 2.16.840.1.101.3.4.1.{2,22,42}
    bytes.fromhex("60864801650304012a"): 32,
    bytes.fromhex("608648016503040116"): 24,
    bytes.fromhex("608648016503040102"): 16,
}
_ENVELOPED = bytes.fromhex("2a864886f70d010703")  # 1.2.840.113549.1.7.3
_SET = 0x31
UNWRAPPING = 500
"""Steps that trying a key on a recipient takes: about a millisecond, and an envelope may have very many."""


class Eyaml:
    """The keys that were given, and the secrets that were read."""

    def __init__(self, host: Host | None = None, files: tuple[str, ...] = (), public: str | None = None) -> None:
        self._keys = [_read_key(host, file) for file in files] if host is not None else []
        self.certificate = host.read_bytes(public) if host is not None and public is not None else None
        """What new values are encrypted for, if it was given."""
        self.secrets: set[str] = set()
        self._texts: dict[str, str] = {}

    @property
    def can_open(self) -> bool:
        """Whether there is a key."""
        return bool(self._keys)

    def opened(self, value: object, origin: Origin, key: str, file: str) -> Traced:
        """A value with every token in it opened, or replaced by a name; of a secret, the origin tells no value."""
        if isinstance(value, str):
            if "ENC[" not in value:
                return value, origin
            source = where(origin)
            kind = Decrypted if self._keys else Leaf
            leaf = kind("hiera", key, source.span if source is not None else None, REDACTED, ENCRYPTED_WORDS, file)
            return self._text(value, key, file), leaf
        shadow = Shadow(origin)
        if isinstance(value, list):
            pairs = [self.opened(item, shadow.item(at), f"{key}.{at}", file) for at, item in enumerate(value)]
            return [item for item, _ in pairs], Items([item_origin for _, item_origin in pairs], shadow.own)
        if isinstance(value, dict):
            entries = {
                name: self.opened(item, shadow.value(name, at), f"{key}.{name}", file)
                for at, (name, item) in enumerate(value.items())
            }
            values = {name: item for name, (item, _) in entries.items()}
            return values, Items({name: item_origin for name, (_, item_origin) in entries.items()}, shadow.own)
        return value, origin

    def remember(self, sealed: object, value: object) -> None:
        """Remember what became of sealed texts after `%{...}` in them was filled in."""
        if isinstance(sealed, str):
            if "ENC[" in sealed and self._keys:
                self.secrets |= texts_in(value)
        elif isinstance(sealed, list) and isinstance(value, list):
            for one, other in zip(sealed, value):
                self.remember(one, other)
        elif isinstance(sealed, dict) and isinstance(value, dict):
            for one, other in zip(sealed.values(), value.values()):
                self.remember(one, other)

    def _text(self, text: str, key: str, file: str) -> str:
        def plain(token: re.Match[str]) -> str:
            if not self._keys or (token[1] or "PKCS7") != "PKCS7":
                return f"<secret {key}>"
            opened = self._opened(token[2], key, file)
            self.secrets.add(opened)
            return opened

        clear = _TOKEN.sub(plain, text)
        if clear == text:
            return text
        clear = clear.removesuffix("\n")
        if self._keys:
            self.secrets.add(clear)
        return clear

    def _opened(self, encoded: str, key: str, file: str) -> str:
        if encoded in self._texts:
            learn(self._texts[encoded].removesuffix("\n"))
            return self._texts[encoded]
        try:
            data = base64.b64decode("".join(encoded.split()), validate=True)
            text = self._texts[encoded] = decrypted(data, self._keys).decode("utf-8")
            learn(text.removesuffix("\n"))
            return text
        except (ValueError, IndexError, KeyError):  # no Base64, cut short, of another kind, for somebody else
            raise HieraError(
                f"hiera-eyaml backend error decrypting a value when looking up {key} in {file}: "
                "none of the given keys decrypts it"
            ) from None


def _read_key(host: Host, file: str) -> object:
    """A private key in PEM, without a password."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(host.read_bytes(file), None)
    except (ValueError, TypeError):
        raise UsageError(f"{file} has no unencrypted private key in PEM format") from None
    if not isinstance(key, RSAPrivateKey):
        raise UsageError(f"{file} has no RSA key, which eyaml requires")
    return key


def decrypted(data: bytes, keys: list[Any]) -> bytes:
    """The text in an envelope, by the first key that fits one of its recipients.  Raises `ValueError`."""
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CBC
    from cryptography.hazmat.primitives.padding import PKCS7

    budget = current()
    kind, content = _parts(_parts(data)[0][1])[:2]
    if kind[1] != _ENVELOPED:
        raise ValueError("no envelope")
    envelope = _parts(_parts(content[1])[0][1])
    recipients = dict(reversed(envelope))[_SET]
    encrypted = _parts(envelope[-1][1])
    algorithm = _parts(encrypted[1][1])
    size = _AES_CBC[algorithm[0][1]]
    vector = algorithm[1][1]
    cipher_text = _content(encrypted[2])
    for _, recipient in _parts(recipients):
        wrapped = _parts(recipient)[-1][1]
        for key in keys:
            budget.draw("steps", UNWRAPPING, "looking for the recipient of an encrypted value")
            try:
                content_key = key.decrypt(wrapped, PKCS1v15())
                if len(content_key) != size:
                    continue
                decryptor = Cipher(AES(content_key), CBC(vector)).decryptor()
                padded = decryptor.update(cipher_text) + decryptor.finalize()
                unpadder = PKCS7(128).unpadder()
                return unpadder.update(padded) + unpadder.finalize()
            except ValueError:  # another recipient's: what comes out of the wrong key is noise, of any length
                continue
    raise ValueError("no key fits")


def encrypted(text: str, certificate: bytes) -> str:
    """A token that the owner of a certificate (PEM) can open.  Raises `ValueError` for what is no such certificate."""
    from cryptography.hazmat.primitives.ciphers.algorithms import AES256
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.hazmat.primitives.serialization.pkcs7 import PKCS7EnvelopeBuilder, PKCS7Options
    from cryptography.x509 import load_pem_x509_certificate

    builder = PKCS7EnvelopeBuilder().set_data(text.encode()).add_recipient(load_pem_x509_certificate(certificate))
    builder = builder.set_content_encryption_algorithm(AES256)
    try:
        envelope = builder.encrypt(Encoding.DER, [PKCS7Options.Binary])
    except TypeError as problem:  # a key that is none of RSA
        raise ValueError(str(problem)) from None
    return f"ENC[PKCS7,{base64.b64encode(envelope).decode()}]"


def is_token(text: str) -> bool:
    """Whether a text is one encrypted value and nothing else."""
    token = _TOKEN.fullmatch(text.strip())
    return token is not None and (token[1] or "PKCS7") == "PKCS7"


def _content(part: tuple[int, bytes]) -> bytes:
    """The encrypted text, which may stand in pieces."""
    tag, body = part
    return b"".join(piece for _, piece in _parts(body)) if tag & 0x20 else body


def _parts(data: bytes) -> list[tuple[int, bytes]]:
    """The elements of a DER sequence: tag and body of each."""
    elements: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data):
        tag, length = data[at], data[at + 1]
        at += 2
        if length & 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[at : at + count], "big")
            at += count
        if at + length > len(data):
            raise ValueError("cut short")
        elements.append((tag, data[at : at + length]))
        at += length
    return elements

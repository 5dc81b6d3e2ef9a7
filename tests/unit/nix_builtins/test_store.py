"""Hashes, store paths, archives and derivations below the builtins."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from wherefrom.base.host import PureHost
from wherefrom.nix.store.derivation import Derivation, Store, UnknownDerivation
from wherefrom.nix.store.nar import archive, archive_hash
from wherefrom.nix.store.paths import (
    BadHash,
    BadStorePath,
    Hash,
    decode_base32,
    encode_base32,
    is_store_path,
    parse_hash,
    store_object_of,
    text_path,
)

DIGEST = bytes.fromhex("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03")


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(st.binary(min_size=1, max_size=64))
def test_base_32_is_one_to_one(data: bytes) -> None:
    """Encoding and decoding cancel out."""
    assert decode_base32(encode_base32(data), len(data)) == data


@pytest.mark.parametrize(
    "text",
    [
        DIGEST.hex(),
        "sha256:" + DIGEST.hex(),
        encode_base32(DIGEST),
        "WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=",
        "sha256-WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=",
        "sha256:WJG1tSLV3whtD/CxEPvZ0hu0/HFjrzTQgoai6Eb2vgM=",
    ],
)
def test_hash_notations(text: str) -> None:
    """One hash in every notation."""
    assert parse_hash(text, "sha256") == Hash("sha256", DIGEST)


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        ("", "sha256"),
        ("abc", "sha256"),
        (DIGEST.hex(), None),
        (DIGEST.hex(), "sha1"),
        ("z" * 64, "sha256"),
        ("e" * 52, "sha256"),
        ("sha1:" + DIGEST.hex(), "sha256"),
        ("foo:" + DIGEST.hex(), None),
        ("sha256-x", None),
        ("md5-AAAA", None),
    ],
)
def test_no_hashes(text: str, algorithm: str | None) -> None:
    """What is no hash, or one of another kind, is refused."""
    with pytest.raises(BadHash):
        parse_hash(text, algorithm)


def test_store_paths() -> None:
    """A path from real Nix, and what is no store path."""
    path = text_path("hello", b"world")
    assert path == "/nix/store/a8pm5wln4zaphc7x9iaqrgm9fravifib-hello"
    assert is_store_path(path) and not is_store_path(path + "/x") and not is_store_path("/nix/store/short")
    assert store_object_of(path + "/a/b") == path
    assert store_object_of("/etc") is None
    for name in ("", "a b", "x" * 212, "a/b"):
        with pytest.raises(BadStorePath):
            text_path(name, b"")


def test_archive() -> None:
    """The archive of a small tree, byte by byte for its frame, and that a filter leaves entries out."""
    host = PureHost({"/t/a": "x", "/t/sub/b": "yy"})
    whole = b"".join(archive(host, "/t"))
    assert whole.startswith(b"\x0d\0\0\0\0\0\0\0nix-archive-1\0\0\0\x01\0\0\0\0\0\0\0(")
    assert len(whole) % 8 == 0 and b"sub" in whole
    assert b"sub" not in b"".join(archive(host, "/t", lambda path, kind: kind == "regular"))
    assert archive_hash(host, "/t") != archive_hash(host, "/t", lambda path, kind: kind == "regular")


def test_unknown_input() -> None:
    """A derivation that needs one nobody made has no hash."""
    with pytest.raises(UnknownDerivation):
        Store().finish("x", Derivation("s", "b", [], {}, inputs={"/nix/store/y.drv": ["out"]}), ["out"], None)


def test_originals() -> None:
    """A copied path can be read where the original lies, and so can what is below it."""
    store = Store()
    host = PureHost({"/src/tree/file": "x"})
    copied = store.copy(host, "/src/tree")
    assert store.original(copied + "/file") == "/src/tree/file"
    assert store.original("/elsewhere") == "/elsewhere"
    assert store.copy(host, "/src/tree") == copied

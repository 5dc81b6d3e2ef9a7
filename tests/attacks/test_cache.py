"""The cache of parsed files: no entry, however it came there, changes an answer or anything else."""

from __future__ import annotations

import os
import pickle
import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from whence.base.private_cache import PrivateCache
from whence.base.source import SourceFile
from whence.puppet.syntax import cache as cache_room
from whence.puppet.syntax import tree
from whence.puppet.syntax.cache import TreeCache, decode, encode
from whence.puppet.syntax.parser import parse

HONEST, FORGED = "notify { 'honest': }", "notify { 'forged': }"


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, str]:
    """A cache directory and a directory for the key."""
    return str(tmp_path / "cache"), str(tmp_path / "state")


def entries(directory: str) -> list[str]:
    return [name for name in os.listdir(directory) if name != "swept"]


def text_of(cache: TreeCache, text: str = HONEST) -> str:
    return repr(cache.parse(SourceFile("a.pp", text)).program)


def test_an_entry_under_another_name_is_not_taken(places: tuple[str, str]) -> None:
    """The tree of one file, moved to where another's is looked for."""
    cache = TreeCache(*places)
    text_of(cache, FORGED)
    (forged,) = entries(places[0])
    text_of(cache, HONEST)
    (honest,) = set(entries(places[0])) - {forged}
    os.replace(os.path.join(places[0], forged), os.path.join(places[0], honest))
    fresh = TreeCache(*places)
    assert "'honest'" in text_of(fresh)
    assert fresh.hits == 0


def test_entries_of_another_key_are_not_taken(places: tuple[str, str], tmp_path: Path) -> None:
    """A directory that was filled elsewhere and brought here (by a build service, say) is worth nothing."""
    text_of(TreeCache(places[0], str(tmp_path / "elsewhere")))
    cache = TreeCache(*places)
    text_of(cache)
    assert (cache.hits, cache.misses) == (0, 1)


@pytest.mark.parametrize("which", ["cache", "state", "key", "entry"])
def test_what_others_can_write_is_not_used(places: tuple[str, str], which: str) -> None:
    """A directory, key or entry with rights for others counts as none."""
    text_of(TreeCache(*places))
    (name,) = entries(places[0])
    path = {
        "cache": places[0],
        "state": places[1],
        "key": os.path.join(places[1], "key"),
        "entry": os.path.join(places[0], name),
    }[which]
    os.chmod(path, 0o777)
    cache = TreeCache(*places)
    assert "honest" in text_of(cache)
    assert cache.hits == 0


@pytest.mark.parametrize("kind", ["fifo", "link", "directory", "loop"])
def test_an_entry_that_is_no_file_is_a_miss(places: tuple[str, str], kind: str, tmp_path: Path) -> None:
    """Nothing hangs and nothing is followed."""
    text_of(TreeCache(*places))
    (name,) = entries(places[0])
    path = os.path.join(places[0], name)
    os.rename(path, tmp_path / "good")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        os.mkdir(path)
    else:
        os.symlink(tmp_path / "good" if kind == "link" else path, path)
    cache = TreeCache(*places)
    assert "honest" in text_of(cache)
    assert cache.hits == 0


def test_two_processes_make_one_key(places: tuple[str, str]) -> None:
    """The first key stays."""
    one, two = PrivateCache(*places), PrivateCache(*places)
    assert one.usable
    assert two.usable
    assert one.signed("a", b"x") == two.signed("a", b"x")


# --- what could be in an entry if the key were known ---


TABLE = b"Name Undef\n\n"
"""Before the body: the classes (their places are 1 and 2; that of the file is 0), and no long texts."""


def frame(*codes: bytes) -> bytes:
    return TABLE + pickle.PROTO + b"\x05" + b"".join(codes) + pickle.STOP


def get(place: int) -> bytes:
    return pickle.BINGET + bytes([place])


def named(module: str, name: str) -> bytes:
    return (
        b"".join(pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode() for text in (module, name))
        + pickle.STACK_GLOBAL
    )


def word(text: str) -> bytes:
    return pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode()


NODE = tree.__name__
STATE = pickle.EMPTY_DICT + word("label") + word("pwned") + pickle.SETITEM
UNDEF = get(2) + get(0) + b"K\x00" + b"K\x00" + pickle.TUPLE3 + pickle.REDUCE
FORGERIES = {
    "a call": TABLE + pickle.dumps(os.getcwd),
    "builtins": frame(named("builtins", "eval"), word("1"), pickle.TUPLE1, pickle.REDUCE),
    "another module of ours": frame(named("whence.puppet.syntax.cache", "encode")),
    "dots": frame(named(NODE, "Node.__init__")),
    "a name on lines": frame(b"cbuiltins\neval\n"),
    "a class that is none": b"eval\n\n" + frame(get(1))[len(TABLE):],
    "attributes of a class": frame(get(1), STATE, pickle.BUILD),
    "attributes of a function": frame(get(1), pickle.NONE, STATE, pickle.TUPLE2, pickle.BUILD),
    "attributes of a node": frame(UNDEF, STATE, pickle.BUILD),
    "no node": TABLE + pickle.dumps({"a": 1}),
    "another node": frame(UNDEF),
    "a call of a node": frame(UNDEF, pickle.EMPTY_TUPLE, pickle.REDUCE),
    "a call of the file": frame(get(0), pickle.EMPTY_TUPLE, pickle.REDUCE),
    "a new object": frame(get(1), pickle.EMPTY_TUPLE, pickle.NEWOBJ),
    "an extension": frame(pickle.EXT1 + b"\x01"),
    "a persistent name": frame(b"Pa\n"),
    "no table": pickle.dumps(1),
    "a text outside": b"\n9 -9 99999999999\n" + pickle.dumps(1),
    "a place far out": frame(pickle.NONE, b"r\xff\xff\xff\x3f"),
    "a place far out in digits": frame(pickle.NONE, b"p999999999\n"),
    "a huge list of bytes": frame(b"\x96" + struct.pack("<Q", 1 << 33)),
    "a huge text": frame(pickle.BINUNICODE8 + struct.pack("<Q", 1 << 62)),
    "a huge frame": frame(pickle.FRAME + struct.pack("<Q", 1 << 40), pickle.NONE),
    "doubled": frame(pickle.NONE, (pickle.DUP + pickle.TUPLE2) * 99),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_entry_makes_nothing(name: str, places: tuple[str, str]) -> None:
    """Even with the right digest: it is a miss, and no class of ours is different afterwards."""
    before = {each: dict(vars(each)) for each in tree.NODE_CLASSES}
    cache = TreeCache(*places)
    text_of(cache)
    (entry,) = entries(places[0])
    with open(os.path.join(places[0], entry), "wb") as file:
        file.write(cache.entries.signed(entry, FORGERIES[name]))
    again = TreeCache(*places)
    assert "honest" in text_of(again)
    assert (again.hits, again.misses) == (0, 1)
    assert {each: dict(vars(each)) for each in tree.NODE_CLASSES} == before


class Forger(cache_room._Writer):
    """Writes a tree as `encode` does, with one field of one node exchanged."""

    number = field = 0
    value: Any = None

    def reducer_override(self, value: Any) -> Any:
        made, fields = super().reducer_override(value)
        Forger.number -= 1
        if Forger.number == 0:
            changed = list(fields)
            changed[self.field % len(fields)] = self.value
            return made, tuple(changed)
        return made, fields


SAMPLE = """class a(Integer $x = 1) inherits b { if $x == 1 { file { "/a/${x}": * => {'a' => [1, 2.5, /r/]} } } }
function f($y, *$rest) { $y } $y = $z ? { 1 => 'a', default => undef }
Notify <| title == 'a' |> { message => "b" } f($y) |$z| { $z.g }"""


@pytest.mark.parametrize("value", [None, 1, True, 1.5, "x", (), [], {}, ("x",), (1, 2), 10**30])
def test_fields_have_their_types(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree with a field of another type is refused, whatever node and field it is; one that fits stays a tree."""
    source = SourceFile("a.pp", SAMPLE)
    program = parse(source).program
    size = encode(program).count(b"R")
    monkeypatch.setattr(cache_room, "_Writer", Forger)
    monkeypatch.setattr(Forger, "value", value)
    refused = 0
    for number in range(1, size):
        for field in range(9):
            monkeypatch.setattr(Forger, "number", number)
            monkeypatch.setattr(Forger, "field", field)
            try:
                made = decode(encode(program), source)
            except Exception:
                refused += 1
            else:
                repr(made)
                list(made.children())
    assert refused > size


@pytest.mark.parametrize("seed", range(20))
def test_damaged_entries_never_raise(seed: int, places: tuple[str, str]) -> None:
    """Bytes changed at random, with and without a valid digest."""
    chance = random.Random(seed)
    cache = TreeCache(*places)
    want = text_of(cache, SAMPLE)
    (entry,) = entries(places[0])
    path = os.path.join(places[0], entry)
    good = Path(path).read_bytes()
    for _ in range(50):
        data = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(data))
            data[at : at + chance.randint(0, 2)] = chance.randbytes(chance.randint(0, 3))
        signed = chance.random() < 0.5
        Path(path).write_bytes(cache.entries.signed(entry, bytes(data[32:])) if signed else bytes(data))
        answer = text_of(TreeCache(*places), SAMPLE)
        assert signed or answer == want or bytes(data) == good, seed


@pytest.mark.parametrize("name", [name for name in FORGERIES if "huge" in name or "far out" in name])
def test_a_number_in_an_entry_takes_no_memory(name: str) -> None:
    """A huge place or length is no reason to take that much memory."""
    tracemalloc.start()
    try:
        with pytest.raises((pickle.UnpicklingError, EOFError)):
            decode(FORGERIES[name], SourceFile("a.pp", ""))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_long_and_odd_texts_come_back() -> None:
    """Texts in the table and in the body, up to lone surrogates."""
    texts = ["", "a" * 40, "a" * 41, "é" * 20, "é" * 21, "x" * 70_000, "\ud800", "\ud800" * 50, "\0\n" * 30]
    source = SourceFile("a.pp", "\n".join(f"notice('{text}')" for text in texts + texts))
    program = parse(source).program
    assert decode(encode(program), source) == program
    assert repr(decode(encode(program), source)) == repr(program)

"""The cache of parsed files: no entry, however it came there, changes an answer or anything else."""

from __future__ import annotations

import os
import pickle
import random
import struct
import tracemalloc
from array import array
from pathlib import Path

import pytest

from wherefrom.base.private_cache import PrivateCache
from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.cache import TreeCache
from wherefrom.puppet.syntax.parser import parse
from wherefrom.puppet.syntax.tree_words import NoTree, decode, encode

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


SAMPLE = """class a(Integer $x = 1) inherits b { if $x == 1 { file { "/a/${x}": * => {'a' => [1, 2.5, /r/]} } } }
function f($y, *$rest) { $y } $y = $z ? { 1 => 'a', default => undef }
Notify <| title == 'a' |> { message => "b" } f($y) |$z| { $z.g }"""


def entry(words: list[int], text: bytes = b"", separator: int = 0, size: int | None = None) -> bytes:
    """An entry of these numbers, as `encode` lays it out."""
    numbers = array("I", reversed(words)).tobytes()
    return struct.pack("II", len(numbers) if size is None else size, separator) + numbers + text


def number(node_class: type[tree.Node]) -> int:
    return tree.NODE_CLASSES.index(node_class)


BLOCK, UNDEF = number(tree.Block), number(tree.Undef)
EMPTY = [BLOCK, 0, 0, 0, 0, 0, 0]  # a program: a block with no statement and its places, the program's, no definition
HUGE = 2**32 - 1
FORGERIES = {
    "nothing": b"",
    "a head alone": struct.pack("II", 0, 0),
    "another language": pickle.dumps(os.getcwd),
    "another node for the body": entry([UNDEF, 0, 0, 0, 0, 0]),
    "a class that is none": entry([BLOCK, 1, 999, 0, 0, 0, 0, 0]),
    "a class far out": entry([BLOCK, 1, HUGE, 0, 0, 0, 0, 0]),
    "a part that no statement is": entry([BLOCK, 1, number(tree.Query), 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    "too few numbers": entry(EMPTY[:-1]),
    "a number too many": entry([*EMPTY, 1]),
    "a text that is none": entry([BLOCK, 1, number(tree.Name), 9, 0, 0, 0, 0, 0, 0, 0], b"a"),
    "a number that is none": entry([BLOCK, 1, number(tree.Integer), 0, 0, 0, 0, 0, 0, 0, 0, 0], b"eval"),
    "a number of many digits": entry([BLOCK, 1, number(tree.Integer), 0, 0, 0, 0, 0, 0, 0, 0, 0], b"9" * 100_000),
    "a definition that is none": entry([*EMPTY[:-1], 1, 0]),
    "no text": entry(EMPTY, b"\xff\xfe"),
    "no separator": entry(EMPTY, separator=HUGE),
    "half a number": entry(EMPTY, size=27),
    "huge numbers of statements": entry([BLOCK, HUGE, 0, 0, 0, 0, 0]),
    "huge numbers of definitions": entry([*EMPTY[:-1], HUGE]),
    "a huge size": entry(EMPTY, size=HUGE),
    "deeply nested": entry([BLOCK, 1] + [number(tree.Parenthesized)] * 400_000),
}


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


PLAIN = {"str": str, "int": int, "bool": bool, "float": float, "SourceFile": SourceFile}


def assert_typed(node: tree.Node) -> None:
    """Every field of every node holds what its annotation says."""
    annotations: dict[str, str] = {}
    for base in reversed(type(node).__mro__):
        annotations.update(vars(base).get("__annotations__", {}))
    for field in node.__fields__:
        value, annotation = getattr(node, field), annotations[field]
        if value is None:
            assert annotation.endswith(" | None"), field
            continue
        kinds = annotation.removesuffix(" | None")
        if kinds.startswith("tuple["):
            assert type(value) is tuple, field
        parts = value if kinds.startswith("tuple[") else (value,)
        for part in parts:
            names = kinds.removeprefix("tuple[").removesuffix(", ...]").split(" | ")
            if names[0] in PLAIN:
                assert type(part) is PLAIN[names[0]], field
            else:
                assert isinstance(part, tuple(getattr(tree, name) for name in names)), field
            if isinstance(part, tree.Node) and field != "definitions":
                assert_typed(part)


@pytest.mark.parametrize("value", [0, 1, 2, 7, 17, 40, 69, 70, HUGE])
def test_fields_have_their_types(value: int) -> None:
    """Whichever number is exchanged: what is read is no tree, or one with the right type in every field."""
    source = SourceFile("a.pp", SAMPLE)
    good = encode(parse(source).program)
    size = struct.unpack_from("I", good)[0]
    refused = 0
    for at in range(8, 8 + size, 4):
        try:
            program = decode(good[:at] + struct.pack("I", value) + good[at + 4 :], source)
        except NoTree:
            refused += 1
        else:
            assert_typed(program)
            repr(program)
    assert refused > size // 40


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
        with pytest.raises(NoTree):
            decode(FORGERIES[name], SourceFile("a.pp", ""))
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_long_and_odd_texts_come_back() -> None:
    """Up to lone surrogates, and what would stand between texts."""
    texts = ["", "a" * 40, "a" * 41, "é" * 20, "é" * 21, "x" * 70_000, "\ud800", "\ud800" * 50, "\0\n" * 30]
    source = SourceFile("a.pp", "\n".join(f"notice('{text}')" for text in texts + texts))
    program = parse(source).program
    assert decode(encode(program), source) == program
    assert repr(decode(encode(program), source)) == repr(program)

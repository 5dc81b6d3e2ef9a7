"""Trees kept on disk: the same trees, whatever happens to the files."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wherefrom.base.private_cache import KEEP
from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax.cache import Alive, TreeCache, default_directory
from wherefrom.puppet.syntax.parser import ParserSettings, parse
from wherefrom.puppet.syntax.tree_words import NoTree, decode, encode

TEXT = 'class a($x = {"k" => [1, 2.5, /r/]}) { file { "/a/${x}": mode => @(E) }\n text\n E\n}\n'


def entries(directory: Path) -> list[Path]:
    return [each for each in directory.iterdir() if each.name != "swept"]


def test_a_second_reading_is_a_hit(tmp_path: Path) -> None:
    """The tree from the cache is equal, with its places in the file at hand."""
    TreeCache(str(tmp_path)).parse(SourceFile("one.pp", TEXT))
    cache = TreeCache(str(tmp_path))
    result = cache.parse(SourceFile("two.pp", TEXT))
    assert (cache.hits, cache.misses) == (1, 0)
    want = parse(SourceFile("two.pp", TEXT))
    assert result.program == want.program
    (definition,) = result.program.definitions
    assert definition.at.place == "two.pp:1:1"
    assert definition.span.text == want.program.definitions[0].span.text
    assert definition is result.program.body.statements[0]


def test_a_tree_that_somebody_holds_serves_the_next_environment() -> None:
    """Of the same file with the same text; of another name or text it is made anew, and nothing holds it for ever."""
    alive = Alive()
    first = TreeCache(None, alive=alive).parse(SourceFile("a.pp", TEXT)).program
    other = TreeCache(None, alive=alive)
    assert other.parse(SourceFile("a.pp", TEXT)).program is first
    assert other.parse(SourceFile("b.pp", TEXT)).program is not first
    assert other.parse(SourceFile("a.pp", TEXT + "\n")).program is not first
    assert other.parse(SourceFile("a.pp", TEXT), settings=ParserSettings("error")).program is not first
    noisy = SourceFile("a.pp", "$x = {a => 1, a => 2}")
    assert other.parse(noisy).diagnostics and other.parse(noisy).diagnostics
    assert len(alive) == 1


def test_text_settings_and_kind_make_different_entries(tmp_path: Path) -> None:
    """What may change the tree is part of the key."""
    cache = TreeCache(str(tmp_path))
    cache.parse(SourceFile("a.pp", "notice(1)"))
    cache.parse(SourceFile("a.pp", "notice(2)"))
    cache.parse(SourceFile("a.pp", "notice(1)"), epp=True)
    cache.parse(SourceFile("a.pp", "notice(1)"), settings=ParserSettings("error"))
    cache.parse(SourceFile("a.pp", "notice(1)"), settings=ParserSettings(tasks=True))
    assert (cache.hits, len(entries(tmp_path))) == (0, 5)


def test_errors_and_warnings_are_not_kept(tmp_path: Path) -> None:
    """A file with something to say about it says it every time."""
    cache = TreeCache(str(tmp_path))
    for text in ("$x = ", "$x = {a => 1, a => 2}"):
        assert cache.parse(SourceFile("a.pp", text)).diagnostics
        assert cache.parse(SourceFile("a.pp", text)).diagnostics
    assert cache.hits == 0


def test_switched_off(tmp_path: Path) -> None:
    """Without a directory nothing is read or written."""
    cache = TreeCache(None)
    assert cache.parse(SourceFile("a.pp", TEXT)).ok
    assert cache.parse(SourceFile("a.pp", TEXT)).ok
    assert (cache.hits, cache.misses) == (0, 0)


@pytest.fixture(autouse=True)
def own_key(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.mark.parametrize("damage", ["empty", "short", "flipped", "text", "foreign", "other"])
def test_a_broken_entry_is_a_miss(tmp_path: Path, damage: str) -> None:
    """Whatever is in the file, the tree is right, and the entry is mended."""
    TreeCache(str(tmp_path)).parse(SourceFile("a.pp", TEXT))
    (path,) = entries(tmp_path)
    good = path.read_bytes()

    def entry(payload: bytes) -> bytes:
        return TreeCache(str(tmp_path)).entries.signed(path.name, payload)

    path.write_bytes(
        {
            "empty": b"",
            "short": good[:-10],
            "flipped": good[:50] + bytes([good[50] ^ 1]) + good[51:],
            "text": b"not a tree at all, but long enough to have a digest",
            "foreign": entry(pickle.dumps(os.getcwd)),
            "other": entry(pickle.dumps({"a": 1})),
        }[damage]
    )
    cache = TreeCache(str(tmp_path))
    assert cache.parse(SourceFile("a.pp", TEXT)).program == parse(SourceFile("a.pp", TEXT)).program
    assert (cache.hits, cache.misses) == (0, 1)
    assert path.read_bytes() == good


def test_an_entry_can_not_call_anything() -> None:
    """The reader makes nodes and refuses all else, even if the digest is right."""
    with pytest.raises(NoTree):
        decode(pickle.dumps(os.getcwd, protocol=5), SourceFile("a.pp", ""))


@pytest.mark.parametrize("text", ["(" * 3000 + "1" + ")" * 3000, "$x = " + " + ".join(["1"] * 5000)])
def test_what_is_nested_too_deeply_is_parsed_each_time(tmp_path: Path, text: str) -> None:
    """No place in the cache is no error, and the tree is the same."""
    for _ in range(2):
        cache = TreeCache(str(tmp_path))
        program = cache.parse(SourceFile("a.pp", text)).program
        assert (program.start, program.end) == (0, len(text))
        assert (cache.hits, cache.misses) == (0, 1)


def test_encoding_does_not_hold_the_text() -> None:
    """The source is not in the entry; the file at hand takes its place."""
    assert b"unlikely_words" not in encode(
        parse(SourceFile("unlikely_words.pp", "# unlikely_words\nnotice(1)")).program
    )


def test_a_directory_that_can_not_be_made(tmp_path: Path) -> None:
    """No place to write is no error."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = TreeCache(str(blocked / "below"))
    assert cache.parse(SourceFile("a.pp", TEXT)).ok
    assert cache.parse(SourceFile("a.pp", TEXT)).ok


def test_old_entries_are_swept(tmp_path: Path) -> None:
    """What nobody has used for a month goes; what is in use stays."""
    cache = TreeCache(str(tmp_path))
    cache.parse(SourceFile("a.pp", "notice(1)"))
    cache.parse(SourceFile("a.pp", "notice(2)"))
    old = time.time() - KEEP - 10
    for each in entries(tmp_path):
        os.utime(each, (old, old))
    assert TreeCache(str(tmp_path)).parse(SourceFile("a.pp", "notice(1)")).ok
    assert cache.entries.sweep() == 0, "not twice a day"
    assert cache.entries.sweep(force=True) == 1
    assert len(entries(tmp_path)) == 1


def test_many_processes_at_once(tmp_path: Path) -> None:
    """Processes that fill and read the same directory at the same time all get the right trees."""
    code = (
        "import sys\n"
        "from wherefrom.base.source import SourceFile\n"
        "from wherefrom.puppet.syntax.cache import TreeCache\n"
        "from wherefrom.puppet.syntax.parser import parse\n"
        "cache = TreeCache(sys.argv[1])\n"
        "for n in range(60):\n"
        "    source = SourceFile('a.pp', f'$x = {n % 20} + 1')\n"
        "    assert cache.parse(source).program == parse(source).program\n"
        "print(cache.hits + cache.misses)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [each.communicate()[0] for each in running] == ["60\n"] * 4
    assert len(entries(tmp_path)) == 20


def test_default_directory() -> None:
    """The user's cache directory."""
    assert default_directory({"XDG_CACHE_HOME": "/x"}) == "/x/wherefrom/puppet-trees"
    assert default_directory({"XDG_CACHE_HOME": "relative", "HOME": "/h"}) == "/h/.cache/wherefrom/puppet-trees"
    assert default_directory({}) is None

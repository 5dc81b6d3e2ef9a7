"""What lies outside of the roots says nothing of itself: the answer is the same whether or not anything is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks.running import wherefrom

FUNCTION = "Puppet::Functions.create_function(:'m::f') do\n  def f(path)\n    {}\n  end\nend\n"
NIX = ["builtins.pathExists {}", "builtins.readFile {}", "builtins.readDir {}", "builtins.readFileType {}", "import {}"]
PUPPET = ["file('{}')", "file('{}', '/dev/null')", "binary_file('{}')", "epp('{}')", "template('{}')"]
RUBY = [
    "File.exist?(path)", "File.file?(path)", "File.directory?(path)", "File.symlink?(path)", "File.read(path)",
    "File.size(path)", "Dir.exist?(path)", "Dir.children(path)", "File.readable?(path)", "Pathname.new(path).exist?",
    "Dir.glob(path + '*').size", "Puppet::FileSystem.exist?(path)", "File.stat(path).size",
]  # fmt: skip
WAYS = [*(("nix", way) for way in NIX), *(("puppet", way) for way in PUPPET), *(("ruby", way) for way in RUBY)]


def said(language: str, way: str, path: Path, work: Path) -> bytes:
    """What a configuration learns, and whoever reads what is printed, with the path's own name taken out."""
    if language == "nix":
        (work / "a.nix").write_text(way.replace("{}", str(path)))
        ran = wherefrom("eval", "a.nix", cwd=work)
    elif language == "puppet":
        (work / "a.pp").write_text("notice(" + way.replace("{}", str(path)) + ")")
        ran = wherefrom("compile", "a.pp", cwd=work)
    else:
        place = work / "modules/m/lib/puppet/functions/m"
        place.mkdir(parents=True, exist_ok=True)
        (place / "f.rb").write_text(FUNCTION.replace("{}", way))
        (work / "a.pp").write_text(f"notice(m::f('{path}'))")
        ran = wherefrom("compile", "a.pp", "--modulepath", "modules", cwd=work)
    return b"%d\n%s\n%s" % (ran.status, ran.out, ran.err)


@pytest.mark.parametrize(("language", "way"), WAYS)
def test_there_and_not_there_are_told_alike(language: str, way: str, tmp_path: Path) -> None:
    """A file, a directory, a link, and nothing; below a directory that is there and one that is not."""
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    (outside / "ddd").mkdir(parents=True)
    (outside / "fff").write_text("{ }")
    (outside / "lll").symlink_to("fff")
    (outside / "bbb").symlink_to("nowhere")
    answers = {name: said(language, way, outside / name, work) for name in ("nnn", "fff", "ddd", "lll", "bbb")}
    alike = {answer.replace(name.encode(), b"NAME") for name, answer in answers.items()}
    assert len(alike) == 1, answers
    assert str(outside).encode() in alike.pop()

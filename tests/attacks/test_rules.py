"""Patterns of a stranger's, in rules and among owners of files, with names of his own: they are compared, soon."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest

from attacks.running import wherefrom
from wherefrom.base.globs import Shape
from wherefrom.comparison import pattern_shape
from wherefrom.influence import Owners, path_shape

NAME = "a" * 60
PATTERN = "*a" * 24 + "*b"
"""In as many ways as there are grains of sand, a text of sixty letters can be divided among these."""
RULES = {
    "outputs": f'outputs = ["Notify[{PATTERN}].message"]\nnever = {{ depends = ["fact:*"] }}',
    "attributes": f'outputs = ["Notify[*].{PATTERN}"]\nnever = {{ depends = ["fact:*"] }}',
    "types": f'outputs = ["{PATTERN}[*].message"]\nnever = {{ depends = ["fact:*"] }}',
    "facts": f'outputs = ["Notify[*].message"]\nnever = {{ depends = ["fact:{PATTERN}"] }}',
    "files": f'outputs = ["Notify[*].message"]\nonly = {{ made = ["{PATTERN}/**", "manifests/**"] }}',
    "names of files": f'outputs = ["Notify[*].message"]\nnever = {{ made = ["file:{PATTERN}"] }}',
    "exceptions": 'outputs = ["Notify[*].message"]\nnever = { depends = ["fact:*"] }\n'
                  f'except = [{{ output = "Notify[{PATTERN}].message", input = "fact:{PATTERN}", '
                  'reason = "x", until = 2099-01-31 }]',
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / f"manifests/{NAME}").mkdir(parents=True)
    (tmp_path / "manifests/site.pp").write_text(f"notify {{ '{NAME}': message => \"x ${{facts['{NAME}']}}\" }}\n")
    (tmp_path / f"manifests/{NAME}/{NAME}.pp").write_text(f"notify {{ '{NAME}{NAME}': message => 'x' }}\n")
    (tmp_path / "facts.yaml").write_text(f"{NAME}: 3\n")
    return tmp_path


@pytest.mark.parametrize("what", RULES)
def test_rules_with_any_pattern_end(what: str, folder: Path) -> None:
    """Whatever they say of it; a few seconds of the processor are far more than it takes."""
    (folder / "rules.toml").write_text(f'[[policy]]\nname = "x"\n{RULES[what]}\n')
    ran = wherefrom("policy", ".", "--rules", "rules.toml", "--facts", "facts.yaml", cwd=folder, seconds=10)
    assert ran.status in (0, 1, 4), ran
    assert b"internal error" not in ran.err, ran


@pytest.mark.parametrize("pattern", [PATTERN, PATTERN.replace("*", "**"), PATTERN.replace("*", "**/"), f"/{PATTERN}/"])
def test_owners_with_any_pattern_are_found(pattern: str, folder: Path) -> None:
    """A `CODEOWNERS` of a repository."""
    (folder / "CODEOWNERS").write_text(f"* @all\n{pattern} @me\n")
    ran = wherefrom("influence", ".", f"Notify[{NAME}{NAME}].message", cwd=folder, seconds=10)
    assert ran.status == 0, ran
    assert b"@all" in ran.out and b"@me" not in ran.out, ran


def test_a_shape_is_what_its_expression_is() -> None:
    """The two ways of comparing agree, on texts and patterns of a few letters and signs."""
    chance = Random(28)
    signs = "ab/.* ?*\\+#&~-^$()[]{}|\n\t\"'é\x01"

    def text(letters: str, most: int) -> str:
        return "".join(chance.choice(letters) for _ in range(chance.randrange(most)))

    for _ in range(1500):
        pattern = text(chance.choice((signs, "ab*/")), 10)
        for shape in (Shape.of(pattern, "?"), pattern_shape(pattern), path_shape(pattern)):
            given = text(chance.choice((signs, "ab/")), 14)
            assert shape.fullmatch(given) == shape.fullmatch_with_memory(given), (pattern, given)


def test_many_owners_are_found_soon() -> None:
    """What a large project has: a thousand lines, and a thousand files."""
    lines = [(pattern, (f"@team{number}",)) for number in range(250) for pattern in
             (f"/modules/m{number}/", f"*.x{number}", f"data/**/n{number}*.yaml", f"/site/*/m{number}/**")]  # fmt: skip
    owners = Owners(lines)
    begun = time.process_time()
    for number in range(100):
        assert owners.of(f"modules/m{number}/manifests/config/server.pp") == (f"@team{number}",)
        assert owners.of(f"site/profile/m{number}/manifests/server.pp") == (f"@team{number}",)
    assert time.process_time() - begun < 10

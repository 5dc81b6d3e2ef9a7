"""The project speaks of itself alone, and its error codes are unique."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from support.rooms import modules_of
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.remote_diagnostics import RemoteDiagnostic

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = re.compile(r"\b(?:pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org)\b|/(?:work|root)/\w")
HERE = Path(__file__).name


def texts() -> list[Path]:
    suffixes = {".py", ".md", ".toml", ".txt", ".case", ".json", ".sf", ".pp", ".nix", ".rb", ".lock", ""}
    folders = ("src", "tests", "docs", "examples", "bench", ".ci")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    return [path for path in [*found, *ROOT.glob("*.md"), ROOT / "Makefile"] if path.is_file() and path.name != HERE]


def test_no_foreign_places() -> None:
    """No machine's paths and no registry's host names."""
    found = []
    for path in texts():
        if "egg-info" in str(path):
            continue
        text = path.read_text(errors="replace")
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in FOREIGN.finditer(text)]
    assert found == []


def test_one_name() -> None:
    """The product has one name; the one that shells have as a builtin is in no text, path or option.

    Ruby's `seek` has the word in a message of its own.
    """
    former = re.compile("(?<!Invalid argument - invalid )when" + "ce", re.I)
    pages = [path for path in texts() if "egg-info" not in str(path) and path.name != "test_shells.py"]
    found = [path for path in pages if former.search(path.name) or former.search(path.read_text(errors="replace"))]
    assert found == []


def subclasses(kind: type) -> set[type]:
    below: list[type] = kind.__subclasses__()
    return {kind}.union(*(subclasses(each) for each in below))


def test_every_error_has_its_own_code() -> None:
    """A code means one thing."""
    for module, path in modules_of(ROOT / "src").items():
        if path.name != "__main__.py" and module:
            import_module(f"wherefrom.{module}")
    codes: dict[str, set[str]] = {}
    for kind in subclasses(Diagnostic):
        # A reference semantics reports the same error as the evaluator, under the same code, by a class of its own;
        # a diagnostic of another process has the code that it had there.
        if (
            "code" in vars(kind)
            and not issubclass(kind, RemoteDiagnostic)
            and re.match(r"wherefrom\.(?!semantics\.\w+\.)", kind.__module__)
        ):
            codes.setdefault(str(vars(kind)["code"]), set()).add(kind.__qualname__)
    assert {code: names for code, names in codes.items() if len(names) > 1} == {}
    assert all(re.fullmatch(r"[WSPNR]\d{3}", code) for code in codes)

"""Record what real Puppet says about the functions of Debian's `stdlib` module.

    .venv/bin/python tests/oracle/record_stdlib.py [--new]

asks everything, or with `--new` what was not asked before;
needs Ruby, Puppet 7 and the package `puppet-module-puppetlabs-stdlib`; writes `goldens/stdlib_functions.json.xz`, which
`test_stdlib_functions.py` compares with. The questions are in `stdlib_cases.py`: each is one manifest, and the answer
is the value as `String(..., '%p')` writes it, or the catalog of a program, or the error's words; and what was logged.
"""

from __future__ import annotations

import json
import lzma
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]

from oracle.stdlib_cases import BY_CHANCE, CALLS, MANIFESTS, SPEC_CALLS, generated  # noqa: E402
from support.puppet_real import ask, normal  # noqa: E402

MODULES = Path("/usr/share/puppet/modules")
GOLDENS = HERE / "goldens" / "stdlib_functions.json.xz"
FACTS = json.loads((HERE.parents[1] / "bench" / "debian" / "facts.json").read_text(encoding="utf-8"))
LONGEST = 5_000
"""Characters of a value that is worth keeping (`range` over words that are no numbers gives hundreds of thousands)."""
RESULT = "$result = %s\nnotify { 'result': message => String($result, '%%p') }\n"


def functions() -> list[str]:
    """The names of all functions that the module ships."""
    home = MODULES / "stdlib"
    new = home / "lib" / "puppet" / "functions"
    names = {file.stem for file in (home / "lib" / "puppet" / "parser" / "functions").glob("*.rb")}
    names |= {file.stem for file in new.glob("*.rb")} | {
        f"stdlib::{file.stem}" for file in (new / "stdlib").glob("*.rb")
    }
    return sorted(names | {f"stdlib::{file.stem}" for file in (home / "functions").glob("*.pp")})


def questions() -> list[tuple[str, str, str]]:
    """Function, kind and code of every question."""
    asked = []
    for name in functions():
        of_specs = [] if name in BY_CHANCE else SPEC_CALLS.get(name, "").splitlines()
        calls = dict.fromkeys([*CALLS.get(name, "").splitlines(), *of_specs, *generated(name)])
        asked += [(name, "call", call) for call in calls]
        asked += [(name, "manifest", text) for text in MANIFESTS.get(name, ())]
    return asked


def request(kind: str, code: str, modules: str) -> dict[str, Any]:
    """What is asked of Puppet, and of us."""
    manifest = RESULT % code if kind == "call" else code + "\n"
    return {"manifest": manifest, "node": "testnode.example.com", "facts": FACTS, "modulepath": [modules]}


def kept(kind: str, answer: dict[str, Any]) -> dict[str, Any]:
    """What is compared: of a call the value alone."""
    known = normal(answer)
    if "error" in known or kind == "manifest":
        return known
    return {"value": known["resources"]["Notify[result]"]["parameters"]["message"], "logs": known["logs"]}


def main() -> None:
    """Ask all questions and write the answers."""
    asked = questions()
    rows = []
    if "--new" in sys.argv[1:]:
        recorded = [json.loads(line) for line in lzma.decompress(GOLDENS.read_bytes()).decode().splitlines()]
        still = set(asked)
        rows = [row for row in recorded if tuple(row[:3]) in still]
        before = {tuple(row[:3]) for row in recorded}
        asked = [question for question in asked if question not in before]
    alone = tempfile.mkdtemp()  # Puppet looks at every module there is before it runs
    (Path(alone) / "stdlib").symlink_to(MODULES / "stdlib")
    for start in range(0, len(asked), 200):
        part = asked[start : start + 200]
        answers = ask(request(kind, code, alone) for _, kind, code in part)
        for question, answer in zip(part, answers, strict=True):
            known = kept(question[1], answer)
            if len(str(known.get("value", ""))) <= LONGEST:
                rows.append([*question, known])
        print(f"{start + len(part)} of {len(asked)}", file=sys.stderr)
    shutil.rmtree(alone)
    order = {question: at for at, question in enumerate(questions())}
    rows.sort(key=lambda row: order[row[0], row[1], row[2]])
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).replace(alone, str(MODULES))
    GOLDENS.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(rows)} answers about {len(functions())} functions; {GOLDENS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

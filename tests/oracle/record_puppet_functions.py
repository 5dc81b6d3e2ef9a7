"""Record what real Puppet says about its core functions.

    python tests/oracle/record_puppet_functions.py [NAME...]

needs `ruby` with Puppet installed; writes `tests/oracle/goldens/puppet_functions.json`, which the tests compare with.
The questions are in `puppet_function_cases.py`; the examples of the functions' manual pages are asked as well. With
names, only those functions are asked about again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]

from oracle.puppet_function_cases import EXPRESSIONS, FILES, IN_MODULES, MANIFESTS  # noqa: E402

GOLDENS = HERE / "goldens" / "puppet_functions.json"
DEFINED = "class ntp { }\n@user { 'luke': }\n"
"""What the examples of the manual pages take for granted."""
RESULT = "$__result = with() || {\n%s\n}\nnotify { 'result': message => String($__result, '%%p') }\n"


def ask(manifests: list[str], files: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """What real Puppet makes of each manifest, in an environment with these files."""
    lines = "".join(json.dumps({"manifest": manifest, "files": files or {}}) + "\n" for manifest in manifests)
    ran = subprocess.run(
        ["ruby", str(HERE / "puppet_eval.rb")], input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.rstrip("\n").split("\n")]


def questions() -> list[dict[str, Any]]:
    """Every question: the function it is about, the code, and the manifest that asks it."""
    from wherefrom.puppet.functions.manual import examples
    from wherefrom.puppet.functions.table import names

    asked: list[dict[str, Any]] = []
    for name, text in EXPRESSIONS.items():
        asked += [
            {"function": name, "kind": "expression", "code": code.strip()} for code in text.splitlines() if code.strip()
        ]
    for name in names():
        asked += [{"function": name, "kind": "example", "code": example.code} for example in examples(name)]
    for name, manifests in MANIFESTS.items():
        asked += [{"function": name, "kind": "manifest", "code": code} for code in manifests]
    for name, manifests in IN_MODULES.items():
        asked += [{"function": name, "kind": "modules", "code": code} for code in manifests]
    return asked


def manifest_of(question: dict[str, Any]) -> str:
    """The manifest that asks a question."""
    code: str = question["code"]
    if question["kind"] in ("manifest", "modules"):
        return code + "\n"
    return RESULT % code + (DEFINED if question["kind"] == "example" else "")


def main() -> None:
    """Ask all questions and write the answers."""
    asked = questions()
    known = {}
    if len(sys.argv) > 1:
        recorded = json.loads(GOLDENS.read_text(encoding="utf-8"))["cases"]
        known = {(each["kind"], each["code"]): each for each in recorded if each["function"] not in sys.argv[1:]}
    for question in asked:
        question.update(known.get((question["kind"], question["code"]), {}))
    open_questions = [question for question in asked if "logs" not in question]
    answers = ask([manifest_of(question) for question in open_questions], FILES)
    for question, answer in zip(open_questions, answers, strict=True):
        if answer["ok"]:
            found = answer.pop("resources")
            if question["kind"] in ("manifest", "modules"):
                question["resources"] = found
                question["tags"] = answer["tags"]
                question["edges"] = answer["edges"]
            else:
                question["value"] = found["Notify[result]"]["message"]
        else:
            question["error"] = {
                key: answer[key] for key in ("message", "issue", "line", "column") if answer.get(key) is not None
            }
        question["logs"] = answer["logs"]
    GOLDENS.parent.mkdir(exist_ok=True)
    version = subprocess.run(["puppet", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    rows = ",\n".join(json.dumps(question, ensure_ascii=False) for question in asked)
    GOLDENS.write_text(f'{{"puppet": {json.dumps(version)}, "cases": [\n{rows}\n]}}\n', encoding="utf-8")
    print(f"{len(asked)} answers of Puppet {version} in {GOLDENS}")


if __name__ == "__main__":
    main()

"""Record what real Puppet says about its type system.

    python tests/oracle/record_puppet_types.py

needs `ruby` with Puppet installed; writes `tests/oracle/goldens/puppet_types.json`, which the tests compare with. The
questions are in `puppet_type_cases.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from oracle import puppet_type_cases as cases  # noqa: E402

GOLDENS = HERE / "goldens" / "puppet_types.json"


def ask(manifests: list[str]) -> list[dict[str, Any]]:
    """What real Puppet makes of each manifest."""
    lines = "".join(json.dumps({"manifest": manifest}) + "\n" for manifest in manifests)
    ran = subprocess.run(
        ["ruby", str(HERE / "puppet_eval.rb")], input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in ran.stdout.rstrip("\n").split("\n")]


def answer(reply: dict[str, Any]) -> dict[str, Any]:
    """The value, or the words of the error without the place."""
    if reply["ok"]:
        return {"value": next(text for level, text in reply["logs"] if level == "notice")}
    message = reply["message"].split(" (file: ")[0].removeprefix("Evaluation Error: ")
    message = re.sub(r"0x[0-9a-f]{16}", "0x...", message)  # addresses of Ruby's objects
    for lead in ("Method call", "Function Call", "'[]' expression", "'<' expression", "'>' expression"):
        for article in ("a", "an"):
            message = message.removeprefix(f"Error while evaluating {article} {lead}, ")
    return {"error": message}


def show(expression: str) -> str:
    """A manifest that says the value of an expression as a program would write it."""
    return f"$r = {expression}\nnotice(String($r, '%p'))\n"


def main() -> None:
    """Ask all questions and write the answers."""
    manifests: list[str] = []
    places: list[tuple[str, str]] = []

    def add(group: str, key: str, manifest: str) -> None:
        places.append((group, key))
        manifests.append(manifest)

    for one in cases.TYPES:
        # Puppet itself fails on these: they iterate over nothing, and it takes that for a type.
        known = [other for other in cases.TYPES if not (one.startswith("Iterable[") and other in ("Object",))]
        rows = ", ".join(f"{one} >= {other}" for other in known)
        add("assignable", one, f"notice([{rows}].map |$x| {{ if $x {{ '1' }} else {{ '0' }} }}.join)\n")
    for value in cases.VALUES:
        rows = ", ".join(f"{value} =~ {each}" for each in cases.TYPES)
        add("instance", value, f"notice([{rows}].map |$x| {{ if $x {{ '1' }} else {{ '0' }} }}.join)\n")
        for how in ("detailed", "reduced", "generalized"):
            add(f"type {how}", value, f"notice(String(type({value}, '{how}'), '%p'))\n")
        add("interpolated", value, f'$v = {value}\nnotice("${{v}}")\n')
    for one in cases.TYPES:
        add("generalized", one, f"notice(\"${{type({one}, 'generalized')}}\")\n")
    for index, one in enumerate(cases.VALUES):
        for other in cases.VALUES[index + 1 :: 7]:
            pair = f"[{one}, {other}]"
            add("common", pair, f"notice(String(type({pair}, 'reduced'), '%p'))\n")
    for each in cases.ACCESS:
        add("access", each, show(each))
    for each in cases.NEW:
        type_text, _, arguments = each.partition("|")
        made = f"{type_text.strip()}.new({arguments.strip()})"
        # `%p` of these shows an address in memory
        plain = type_text.startswith(("Timespan", "Timestamp"))
        add("new", each, f'$r = {made}\nnotice("${{r}}")\n' if plain else show(made))
    for each in cases.FORMATS:
        value, _, format_text = each.partition(" | ")
        add("format", each, f"notice(String.new({value}, {format_text}))\n")
    for each in cases.MISMATCHES:
        type_text, _, value = each.partition(" | ")
        add("mismatch", each, f"assert_type({type_text}, {value})\nnotice('fits')\n")
    for each in cases.CALLS:
        arguments, _, parameters = each.partition("|")
        add("call", each, f"function f({parameters.strip()}) {{ notice('fits') }}\nf({arguments.strip()})\n")
    for each in cases.OPERATORS:
        left, operator, right = each.split(" | ")
        add("operator", each, show(f"({left} {operator} {right})"))
    for each in cases.RANGES:
        checks = ", ".join(f"SemVer('{version}') =~ SemVerRange('{each}')" for version in cases.VERSIONS)
        add("range", each, f"notice([{checks}].map |$x| {{ if $x {{ '1' }} else {{ '0' }} }}.join)\n")

    goldens: dict[str, dict[str, Any]] = {}
    for (group, key), reply in zip(places, ask(manifests)):
        goldens.setdefault(group, {})[key] = answer(reply)
    GOLDENS.write_text(json.dumps(goldens, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    print(f"{sum(map(len, goldens.values()))} answers in {GOLDENS}")


if __name__ == "__main__":
    main()

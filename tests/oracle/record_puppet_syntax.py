"""Records what real Puppet says about every text of `tests/cases/puppet/syntax`: run it where Puppet is installed.

    python tests/oracle/record_puppet_syntax.py

It writes a section `want.puppet NAME` behind every text and Puppet's models of the accepted ones into
`tests/oracle/goldens/puppet_syntax_trees.json`. The tests compare with these and need no Ruby.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cases import format_case, load_cases
from support.puppet_model import simplified
from support.puppet_oracle import ask
from support.puppet_syntax import MODULES, TREES, key, puppet_said, settings_of


def main() -> None:
    """Ask and write."""
    trees = {}
    for case in load_cases("puppet/syntax"):
        settings = settings_of(case)
        names = list(case.files)
        answers = ask(
            {
                "id": name,
                "text": case.sections[name],
                "epp": name.endswith(".epp"),
                "strict": settings.strict,
                "tasks": settings.tasks,
                "name": case.header.get("name"),
                "modulepath": MODULES.rstrip("/") if "name" in case.header else None,
                "tree": True,
            }
            for name in names
        )
        sections = {}
        for name, answer in zip(names, answers, strict=True):
            sections[name] = case.sections[name]
            sections[f"want.puppet {name}"] = puppet_said(answer)
            if answer["ok"]:
                trees[key(case, name)] = simplified(answer["tree"])
        text = format_case(case.header_text(), sections)
        with case.path.open("w", newline="") as file:
            file.write(text)
        print(case.name, len(names))
    lines = [f"{json.dumps(name)}: {json.dumps(found, ensure_ascii=False)}" for name, found in trees.items()]
    TREES.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

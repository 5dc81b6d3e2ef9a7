"""Record what real Ruby answers to the programs, expressions and templates of the unit tests.

    python tests/oracle/record_ruby.py        writes tests/unit/ruby/answers.jsonl

Each line is [kind, text, answer]: `ruby` texts are evaluated and shown with `inspect`, `erb` texts are rendered.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from support.ruby_programs import ask_ruby, expression, template  # noqa: E402

UNIT = Path(__file__).resolve().parents[1] / "unit" / "ruby"


def main() -> None:
    """Ask and write."""
    random = Random(20)
    programs = (UNIT / "programs.txt").read_text().split("\n---\n")
    texts = {
        "ruby": [*programs, *(expression(random) for _ in range(400))],
        "erb": [template(random) for _ in range(150)],
    }
    with (UNIT / "answers.jsonl").open("w") as file:
        for kind, questions in texts.items():
            for text, answer in zip(questions, ask_ruby(kind, questions)):
                file.write(json.dumps([kind, text, answer], ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()

"""`wherefrom batch`: many compilations in one process, JSON lines in and JSON lines out.

Each line on stdin is a request, each line on stdout its answer, in the same order and flushed at once. A line that is
not a request gets an answer too, with `"ok": false`; only the end of the input ends the run.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from ..base.budget import OverBudget
from ..base.collector import stay
from ..base.diagnostics import WherefromError
from ..base.json_bytes import json_bytes
from ..base.secrets import Secrets, learning, texts_in
from ..session import Session
from .streams import read_input, show_secrets, write_bytes

EPILOG = """\b
Example:
  echo '{"id": 1, "manifest": "notice(1 + 1)"}' | wherefrom batch
"""


@click.command(epilog=EPILOG)
@click.option("--hide-secrets", is_flag=True, help="Leave sensitive values out, which Puppet's own catalogs have.")
def command(hide_secrets: bool) -> None:
    """Answer requests: one JSON object a line on stdin, one a line on stdout."""
    stay()
    show_secrets()  # a catalog on its way to an agent has them; what is hidden is hidden below, request by request
    session = Session()
    for line in read_input():
        if not line.strip():
            continue
        write_bytes(_written(session, line, hide_secrets) + b"\n")
        sys.stdout.flush()


def _written(session: Session, line: bytes, hide_secrets: bool) -> bytes:
    """The answer to a request, as it is written."""
    with learning() as learned:
        answer = _answer(session, line)
    data = json_bytes(answer)
    if not hide_secrets:
        return data
    try:
        return Secrets(texts_in(learned)).redacted_bytes(data)
    except OverBudget as problem:
        return json_bytes(_failure(answer["id"], str(problem)))


def _answer(session: Session, line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as problem:
        return _failure(None, f"not a JSON request: {problem}")
    if not isinstance(request, dict):
        return _failure(None, "a request is a JSON object")
    try:
        return session.answer(request)
    except WherefromError as problem:
        return _failure(request.get("id"), str(problem))
    except Exception as bug:
        # One bad request must not take the others down; the answer says that the fault is ours.
        return _failure(request.get("id"), f"internal error: {type(bug).__name__}: {bug}")


def _failure(name: object, message: str) -> dict[str, Any]:
    return {"id": name, "ok": False, "error": {"message": message}, "logs": []}

"""`wherefrom batch`: many compilations in one process, JSON lines in and JSON lines out.

Each line on stdin is a request, each line on stdout its answer, in the same order and flushed at once. A line that is
not a request gets an answer too, with `"ok": false`; only the end of the input ends the run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

import click

from ..base.budget import Budget, OverBudget
from ..base.collector import stay
from ..base.contained import Stopped, doing
from ..base.diagnostics import WherefromError
from ..base.json_bytes import json_bytes
from ..base.secrets import Secrets, learning
from ..base.servant import Servant
from ..session import Session
from .containing import is_wanted, prepare_servant
from .streams import read_input, show_secrets, write_bytes

EPILOG = """\b
Example:
  echo '{"id": 1, "manifest": "notice(1 + 1)"}' | wherefrom batch
"""


@click.command(epilog=EPILOG)
@click.option("--budget", metavar="NAME=N,...", help="Limits of a request; a plain number scales all limits.")
@click.option("--hide-secrets", is_flag=True, help="Hide sensitive values, which Puppet's own catalogs contain.")
@click.option("--puppet", metavar="VERSION", help="Puppet version to emulate, unless a request names one: 7 or 8.")
@click.option("--time", type=float, metavar="SECONDS", help="Time of the run, in seconds since 1970 (default: now).")
@click.option("--language", metavar="NAME", help="Language of requests that name none (default: puppet).")
def command(
    budget: str | None, hide_secrets: bool, puppet: str | None, time: float | None, language: str | None
) -> None:
    """Answer requests: one JSON object per line on stdin, one per line on stdout.

    Requests run in a child process: one that must be stopped does not affect the others.
    """
    given = {
        name: value for name, value in (("puppet", puppet), ("time", time), ("language", language)) if value is not None
    }
    show_secrets()  # a catalog on its way to an agent has them; what is hidden is hidden below, request by request
    session = Session(budget=None if budget is None else Budget.read(budget))
    answer = partial(_written, session, hide_secrets=hide_secrets, given=given)
    servant = Servant(answer, prepare_servant) if is_wanted() else None
    if servant is None:
        stay()
    for line in read_input():
        if not line.strip():
            continue
        try:
            written = answer(line) if servant is None else servant.ask(line)
        except Stopped as stopped:
            written = json_bytes(_failure(_id_of(line), str(stopped.problem)))
        write_bytes(written + b"\n")
        sys.stdout.flush()
    if servant is not None:
        servant.close()


def _id_of(line: bytes) -> object:
    """The `id` of a request that was not answered."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return request.get("id") if isinstance(request, dict) else None


def _written(session: Session, line: bytes, hide_secrets: bool, given: Mapping[str, object]) -> bytes:
    """The answer to a request, as it is written."""
    with learning() as learned:
        answer = _answer(session, line, given)
    if not hide_secrets:
        return json_bytes(answer)
    try:
        return json_bytes(Secrets(learned.texts()).redacted_data(json.loads(json_bytes(answer))))
    except OverBudget as problem:
        return json_bytes(_failure(answer["id"], str(problem)))


def _answer(session: Session, line: bytes, given: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as problem:
        return _failure(None, f"not a JSON request: {problem}")
    if not isinstance(request, dict):
        return _failure(None, "a request is a JSON object")
    doing("answering a request")
    try:
        is_puppet = (request.get("language") or given.get("language")) in (None, "puppet")
        usable = {name: value for name, value in given.items() if is_puppet or name != "puppet"}
        return session.answer({**usable, **request})
    except WherefromError as problem:
        return _failure(request.get("id"), str(problem))
    except Exception as bug:
        # One bad request must not take the others down; the answer says that the fault is ours.
        return _failure(request.get("id"), f"internal error: {type(bug).__name__}: {bug}")


def _failure(name: object, message: str) -> dict[str, object]:
    return {"id": name, "ok": False, "error": {"message": message}, "logs": []}

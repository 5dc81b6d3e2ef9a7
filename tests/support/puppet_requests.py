"""Requests to Puppet as every user makes them: through a session, by the batch protocol.

Real Puppet keeps the files of the global layer in a directory of its own making, which cases call `@CODEDIR@`; here
they lie below `/codedir`.
"""

from __future__ import annotations

import json
from typing import Any

from wherefrom import Session

CASES_DIRECTORY = "@CODEDIR@"
OUR_DIRECTORY = "/codedir"


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request."""
    return Session().answer(request)


def case_answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request that names the directory of the global layer as cases do, as JSON has it."""
    layer = request.get("global_files")
    if not layer:
        plain: dict[str, Any] = json.loads(json.dumps(answer(request)))
        return plain
    ours = {name: text.replace(CASES_DIRECTORY, OUR_DIRECTORY) for name, text in layer.items()}
    told = json.dumps(answer({**request, "global_files": ours}))
    renamed: dict[str, Any] = json.loads(told.replace(OUR_DIRECTORY, CASES_DIRECTORY))
    return renamed

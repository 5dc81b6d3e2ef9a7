"""The documents of a server, answered in a child process: one that has to be ended takes no other answer with it.

The process that listens evaluates nothing. It hands each question to a `Servant` that was forked before there were
threads and sockets, and what comes back is a document, already written, or a refusal. A question at which the child had
to be ended is refused with the diagnostic, and the next one is answered by a new child.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from ..base.contained import Stopped
from ..base.json_bytes import json_bytes
from ..base.render import diagnostic_json, diagnostics_text
from ..base.servant import Servant
from .documents import Documents, Parameters, Refusal


class ContainedDocuments:
    """The same questions as `documents` answers; `prepare` is done once in each child."""

    def __init__(self, documents: Documents, prepare: Callable[[], object] = lambda: None) -> None:
        self.subject = documents.subject
        self._documents = documents
        self._servant = Servant(self._written, prepare, kept=True)

    def answer(self, question: str, asked: Parameters) -> bytes:
        """The document, written.  Raises `Refusal`."""
        try:
            answer = self._servant.ask(json.dumps([question, dict(asked)]).encode())
        except Stopped as stopped:
            problem = stopped.problem
            text = diagnostics_text([problem])
            refusal = {"error": problem.message, "problems": [diagnostic_json(problem)], "text": text}
            raise Refusal(422, refusal) from None
        status, _, document = answer.partition(b"\n")
        if status != b"200":
            raise Refusal(int(status), json.loads(document))
        return document

    def close(self) -> None:
        """Let the child go."""
        self._servant.close()

    def _written(self, question: bytes) -> bytes:
        """In the child: the status and the document."""
        try:
            return b"200\n" + self._documents.answer_or_refuse(*json.loads(question))
        except Refusal as refusal:
            return b"%d\n%s" % (refusal.status, json_bytes(refusal.document))

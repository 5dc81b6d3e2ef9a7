"""The process that the editor talks to: it answers what texts and names tell, and passes the rest on."""

from __future__ import annotations

import os

from ..base.servant import Servant
from .answers import Answers, Unwanted
from .editing import Editor
from .features import Features
from .protocol import guarded, new_server
from .subject import Prepare, Subject


def serve(subject: Subject, prepare: Prepare, contained: bool, version: str) -> None:
    """Serve the editor on standard input and output, until it leaves.

    With `contained`, what compiles is a process of its own: its keeper is forked here, before there are threads.
    """
    unwanted = Unwanted()
    answers = Answers(subject, unwanted)
    servant = Servant(answers.answer, prepare, kept=True) if contained else None
    server = new_server(version)
    editor = Editor(subject, answers.answer if servant is None else servant.ask, unwanted, server.protocol)
    Features(editor).register(server, guarded)
    try:
        server.start_io()
    finally:
        if servant is not None:
            servant.close()
        os._exit(0 if server.protocol.is_over else 1)

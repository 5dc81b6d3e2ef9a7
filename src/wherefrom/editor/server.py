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

    With `contained`, what compiles is a process of its own: its keeper is forked here, before there are threads. What
    is asked about a fleet has another one, since that may take long.
    """
    unwanted = Unwanted()
    answers = Answers(subject, unwanted)
    servant = Servant(answers.answer, prepare, kept=True) if contained else None
    fleets = Servant(answers.answer_fleet, prepare, kept=True) if contained and subject.has_fleet else None
    server = new_server(version)
    asking = answers.answer if servant is None else servant.ask
    asking_fleet = (answers.answer_fleet if fleets is None else fleets.ask) if subject.has_fleet else None
    editor = Editor(subject, asking, asking_fleet, unwanted, server.protocol)
    Features(editor).register(server, guarded)
    try:
        server.start_io()
    finally:
        for child in (servant, fleets):
            if child is not None:
                child.close()
        os._exit(0 if server.protocol.is_over else 1)

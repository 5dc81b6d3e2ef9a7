"""Bodies of classes, defines, nodes and manifests.

In a lenient environment a statement that fails is left out, and the next one runs (`wherefrom.puppet.runtime.lenient`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ..kernel.jumps import Jump
from ..runtime.effects import effects_of
from ..runtime.lenient import leave_out, may_be_left_out
from ..syntax import tree
from .build import NOTHING, build, observed_body

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from ..runtime.library import Code, Library
    from ..runtime.scope import Frame


def compile_body(node: tree.Node, environment: Library, parameters: Sequence[tree.Parameter] = ()) -> Code:
    """The code of a body whose value nobody looks at: of a class or define with `parameters`, a node, a manifest."""
    code = _lenient_body(node, environment) if environment.lenient else build(node, environment, False)
    return observed_body(parameters, code) if environment.observes(node.file.name) else code


def _lenient_body(node: tree.Node, environment: Library) -> Code:
    """The code of a body, which goes on with the next statement where one fails."""
    statements = node.statements if isinstance(node, tree.Block) else (node,)
    codes = [
        (build(statement, environment, False), effects_of(statement, environment.effects), statement.span)
        for statement in statements
    ]

    def body(frame: Frame) -> Traced:
        run = frame.run
        depth, declared_at, guard = run.depth, run.declared_at, frame.guard
        for place, (code, effects, span) in enumerate(codes):
            try:
                code(frame)
            except Jump as jump:
                if jump.guard is not None:
                    for _, skipped, _ in codes[place + 1 :]:
                        if skipped is not None:
                            run.note_absent(frame, skipped, jump.guard)
                raise
            except Diagnostic as problem:
                if run.left_out is None or not may_be_left_out(problem):
                    raise
                run.depth, run.declared_at, frame.guard = depth, declared_at, guard
                leave_out(frame, problem, effects, problem.span or span)
        return NOTHING

    return body

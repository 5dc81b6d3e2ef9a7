"""Blocks and conditions.

The value of a condition is a `Choice`: the tests that were made, and the value of the branch they picked. Everything
that a branch does (assignments, declarations) happens under a `Guard` with the same tests. A branch that is not taken
leaves its mark too: what it would have assigned or declared is absent because of the guard (`effects`).

A branch that may leave the body (`break`, `next`, `return`) keeps its guard in force after the condition: that the rest
is evaluated at all depends on its tests.

Match variables set by a condition's test hold inside the condition and are forgotten after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...provenance.operations import CASE, IF
from ...provenance.origins import Choice, Guard, Origin, Step, Taken
from ..kernel.edge_labels import SELECTOR, UNLESS
from ..kernel.failures import EvaluationError, placed
from ..kernel.jumps import Jump
from ..kernel.operations import CASE_TESTS, SELECTOR_TESTS
from ..runtime.effects import Effects, effects_of, may_leave
from ..runtime.library import Code
from ..runtime.missing_facts import lacking_facts
from ..syntax import tree
from ..types import match
from .arithmetic import shown_text
from .build import NOTHING, build, builds, unfold
from .literals import unfolded

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..runtime.library import Library
    from ..runtime.scope import Frame


@builds(tree.Block)
def build_block(node: tree.Block, environment: Library, wanted: bool) -> Code:
    statements = node.statements
    if not statements:
        return lambda frame: NOTHING
    if len(statements) == 1:
        return build(statements[0], environment, wanted)
    last = build(statements[-1], environment, wanted)
    before = [build(statement, environment, False) for statement in statements[:-1]]
    if may_leave(node, environment) is not None:
        return _leaving_block(before, last, [effects_of(statement, environment.effects) for statement in statements])
    if len(before) == 1:
        first = before[0]

        def pair(frame: Frame) -> Traced:
            first(frame)
            return last(frame)

        return pair

    def block(frame: Frame) -> Traced:
        for statement in before:
            statement(frame)
        return last(frame)

    return block


def _leaving_block(before: list[Code], last: Code, effects: list[Effects | None]) -> Code:
    """A block that a jump may leave early: what its later statements would have done is then absent because of it."""

    def block(frame: Frame) -> Traced:
        done = 0
        try:
            for statement in before:
                statement(frame)
                done += 1
            return last(frame)
        except Jump as jump:
            guard = jump.guard
            if guard is not None:
                for skipped in effects[done + 1 :]:
                    if skipped is not None:
                        frame.run.note_absent(frame, skipped, guard)
            raise

    return block


@builds(tree.If, tree.Unless)
def build_if(node: tree.If | tree.Unless, environment: Library, wanted: bool) -> Code:
    test = build(node.test, environment)
    negated = isinstance(node, tree.Unless)
    then = build(node.then, environment, wanted)
    otherwise = build(node.otherwise, environment, wanted) if node.otherwise is not None else None
    then_effects = effects_of(node.then, environment.effects)
    otherwise_effects = effects_of(node.otherwise, environment.effects) if node.otherwise is not None else None
    leaves = any(branch is not None and branch.jumps for branch in (then_effects, otherwise_effects))
    span = node.test.span
    how = UNLESS if negated else IF
    of_then = Taken(not negated, node.then.span)
    end = node.span.end
    of_otherwise = Taken(negated, span.file.span(end, end) if node.otherwise is None else node.otherwise.span)

    def condition(frame: Frame) -> Traced:
        outer_match, outer = frame.match, frame.guard
        value, origin = test(frame)
        if (value is not None and value is not False) is not negated:
            branch: Code | None = then
            skipped, taken = otherwise_effects, of_then
        else:
            branch = otherwise
            skipped, taken = then_effects, of_otherwise
        guard = Guard(origin, outer, span, how, taken)
        if skipped is not None:
            frame.run.note_absent(frame, skipped, guard)
        if branch is None:
            if leaves:
                frame.guard = guard
            frame.match = outer_match
            return (None, Choice((origin,), NOTHING[1], span, how, taken)) if wanted else NOTHING
        frame.guard = guard
        result = branch(frame)
        if not leaves:
            frame.guard = outer
        frame.match = outer_match
        return (result[0], Choice((origin,), result[1], span, how, taken)) if wanted else NOTHING

    return condition


def _test(node: tree.Expression, environment: Library) -> tuple[Code, bool, Span]:
    bare = unfold(node)
    if isinstance(bare, tree.Splat):
        return build(bare.operand, environment), True, bare.at
    return build(bare, environment), False, bare.at


def _matches(
    frame: Frame, value: Any, control: Origin, code: Code, splat: bool, tests: list[Origin], kind: str, at: Span
) -> bool:
    """Try one option of a case or selector; its origin joins the tests that were made."""
    option, origin = code(frame)
    tests.append(origin)
    if type(option) is str and type(value) is str and not splat:
        return option == value or option.lower() == value.lower()

    def on_match(hit: Any) -> None:
        if hit is not None:
            frame.match = ((hit.group(0), *hit.groups()), (control, origin))

    try:
        if splat:
            return any(match(value, element, on_match) for element in unfolded(option, origin)[0])
        return match(value, option, on_match)
    except Diagnostic as failure:
        raise placed(failure, kind, at) from None


@builds(tree.Case)
def build_case(node: tree.Case, environment: Library, wanted: bool) -> Code:
    control = build(node.test, environment)
    span, at = node.test.span, node.at
    options: list[tuple[list[tuple[Code, bool, Span]], Code, Effects | None]] = []
    default: int | None = None
    for index, option in enumerate(node.options):
        tests = []
        for choice in option.values:
            if isinstance(unfold(choice), tree.Default):
                default = index
            else:
                tests.append(_test(choice, environment))
        options.append((tests, build(option.body, environment, wanted), effects_of(option.body, environment.effects)))
    leaves = any(branch is not None and branch.jumps for _, _, branch in options)
    arms = [option.span for option in node.options]
    no_arm = span.file.span(node.span.end - 1, node.span.end - 1)

    def case(frame: Frame) -> Traced:
        outer_match, outer = frame.match, frame.guard
        value, origin = control(frame)
        compared: list[Origin] = [origin]
        chosen = default
        for index, (tests, _, _) in enumerate(options):
            if any(
                _matches(frame, value, origin, code, splat, compared, "'case' statement", at)
                for code, splat, _ in tests
            ):
                chosen = index
                break
        test = Step(CASE_TESTS, tuple(compared), span)
        taken = Taken(value, no_arm if chosen is None else arms[chosen])
        guard = Guard(test, outer, span, CASE, taken)
        for index, (_, _, skipped) in enumerate(options):
            if index != chosen and skipped is not None:
                frame.run.note_absent(frame, skipped, guard)
        if chosen is None:
            if leaves:
                frame.guard = guard
            frame.match = outer_match
            return (None, Choice(tuple(compared), NOTHING[1], span, CASE, taken)) if wanted else NOTHING
        frame.guard = guard
        result = options[chosen][1](frame)
        if not leaves:
            frame.guard = outer
        frame.match = outer_match
        return (result[0], Choice(tuple(compared), result[1], span, CASE, taken)) if wanted else NOTHING

    return case


@builds(tree.Selector)
def build_selector(node: tree.Selector, environment: Library, wanted: bool) -> Code:
    control = build(node.test, environment)
    at, span = node.test.at, node.test.span
    tests: list[tuple[tuple[Code, bool, Span], int]] = []
    values: list[Code] = []
    effects: list[Effects | None] = []
    default: int | None = None
    leaves = may_leave(node, environment) is not None
    for index, entry in enumerate(node.entries):
        values.append(build(entry.value, environment))
        effects.append(effects_of(entry.value, environment.effects))
        if isinstance(unfold(entry.match), tree.Default):
            default = index
        else:
            tests.append((_test(entry.match, environment), index))
    acts = leaves or any(branch is not None for branch in effects)
    arms = [entry.span for entry in node.entries]

    def selector(frame: Frame) -> Traced:
        outer, outer_guard = frame.match, frame.guard
        value, origin = control(frame)
        compared: list[Origin] = [origin]
        chosen = default
        for (code, splat, _), index in tests:
            if _matches(frame, value, origin, code, splat, compared, "Selector Expression", at):
                chosen = index
                break
        if chosen is None:
            raise EvaluationError(
                f"No matching entry for selector parameter with value '{shown_text(value)}'",
                at,
                issue="UNMATCHED_SELECTOR",
                help=lacking_facts(frame.run, [(value, origin)]),
            )
        taken = Taken(value, arms[chosen])
        if acts:
            frame.guard = Guard(Step(SELECTOR_TESTS, tuple(compared), span), outer_guard, span, SELECTOR, taken)
            for index, skipped in enumerate(effects):
                if index != chosen and skipped is not None:
                    frame.run.note_absent(frame, skipped, frame.guard)
        picked, picked_origin = values[chosen](frame)
        if not leaves:
            frame.guard = outer_guard
        frame.match = outer
        return picked, Choice(tuple(compared), picked_origin, span, SELECTOR, taken)

    return selector

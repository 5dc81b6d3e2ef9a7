"""The compiler of tracked programs: the plain closures, with the doors where origins are written (see `tracking`).

Only reads, assignments, conditions, blocks, changes and output differ from the plain program; everything else is the
same code, so that the values are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from ..provenance import element
from ..provenance.operations import CASE, IF
from ..provenance.origins import Absent, Choice, Copy, Guard, Leaf, Origin, Step, Taken
from .compiler import Compiler
from .facts import CHANGES_RECEIVER, HARMLESS, INDEPENDENT_BLOCK, JUMPS
from .frames import PARENT, Frame
from .operations import BLOCK, PRINTED, RUBY
from .procs import BlockCode, BlockProc, Runner, Storer
from .showing import to_s
from .support import case_equal, splatted
from .tracking import code, fold
from .values import Text, Value, truth


class ConditionalEffects:
    """What running a piece of the program may do to what stands outside of it."""

    __slots__ = ("affects_rest", "calls", "locals", "pieces", "variables")

    def __init__(self, *nodes: n.Node) -> None:
        self.locals: set[tuple[int, int]] = set()
        """Local variables it may assign: depth, as seen from here, and slot."""
        self.variables: set[str] = set()
        self.calls: set[str] = set()
        """Methods it may call: if Ruby code wrote one of that name, it may do anything."""
        self.pieces = False
        """Whether it writes to a template's text."""
        self.affects_rest = False
        """Whether it may jump away or do what is not followed: then all that comes later depends on it."""
        for node in nodes:
            self._walk(node, 0)

    def _walk(self, node: object, depth: int) -> None:
        if isinstance(node, tuple):
            for item in node:
                self._walk(item, depth)
            return
        if isinstance(node, (n.Assign, n.OperatorAssign, n.For)):
            self._target(node.target, depth)
        if isinstance(node, (n.TemplateText, n.TemplateOutput)):
            self.pieces = True
        if isinstance(node, (n.Return, n.Break, n.Next, n.Retry, n.Redo, n.Yield, n.Super)):
            self.affects_rest = True
        if isinstance(node, n.Call):
            self.calls.add(node.name)
            if (
                node.name in JUMPS
                or node.name in CHANGES_RECEIVER
                or (node.name.endswith(("!", "=")) and node.name[:-1].isidentifier())
            ):
                self.affects_rest = True
            if node.receiver is None and node.name not in HARMLESS:
                self.affects_rest = True
        if isinstance(node, (n.Define, n.DefineClass, n.DefineModule, n.SingletonClass)):
            return
        inner = depth + 1 if isinstance(node, n.Block) else depth
        for child in _children(node):
            self._walk(child, inner)

    def _target(self, target: n.Node, depth: int) -> None:
        match target:
            case n.Local():
                if target.depth >= depth:
                    self.locals.add((target.depth - depth, target.slot))
            case n.InstanceVariable():
                self.variables.add(target.name)
            case n.Targets():
                for part in target.targets:
                    self._target(part, depth)
            case n.Nowhere():
                pass
            case _:
                self.affects_rest = True


def _children(node: object) -> Iterator[Any]:
    for name in getattr(node, "__fields__", ()):
        value = getattr(node, name)
        if isinstance(value, (n.Node, n.When, n.Rescue, tuple)):
            yield value


class TrackedProc(BlockProc):
    """A block whose parameters depend on what its call read, and whose effects happen under that."""

    __slots__ = ("ambient", "dependent")

    def __init__(
        self, code_: BlockCode, frame: Frame, is_lambda: bool, ambient: Origin | None, dependent: bool
    ) -> None:
        super().__init__(code_, frame, is_lambda)
        self.ambient = ambient
        self.dependent = dependent

    def copied(self, is_lambda: bool) -> TrackedProc:
        copy = TrackedProc(self.code, self.frame, is_lambda, self.ambient, self.dependent)
        copy.self_object = self.self_object
        copy.activation = self.activation
        return copy

    def handed_on(self) -> None:
        self.dependent = True

    def _run(self, inner: Frame) -> Value:
        tracker = self.interpreter.tracker
        ambient = self.ambient
        if ambient is not None:
            if inner[-1] is None:
                inner[-1] = {None: ambient}
            else:
                inner[-1].setdefault(None, ambient)
        guard = tracker.guard
        if ambient is not None:
            tracker.guard = Guard(ambient, guard, self.code.node.span, BLOCK)
        mark = len(tracker.reads)
        try:
            return super()._run(inner)
        finally:
            tracker.guard = guard
            if self.dependent:
                self.ambient = tracker.since(mark, *([ambient] if ambient is not None else []))


class TrackedCompiler(Compiler):
    """One file's compiler, tracked."""

    loop_test: n.Node | None = None

    # --- reads -------------------------------------------------------------------------------------------------------

    def on_Local(self, node: n.Local) -> Runner:
        slot, depth = node.slot, node.depth

        def read(frame: Frame) -> Value:
            tracker = frame[0].tracker
            home = frame
            if depth:
                for _ in range(depth):
                    home = home[PARENT]
            cell = home[-1]
            value = home[slot]
            if cell is not None:
                origin = cell.get(slot) or cell.get(None)
                if origin is not None:
                    tracker.reads.append(origin)
            if tracker.changed and type(value) in _CONTAINERS:
                tracker.note_changes(value)
            return value

        return read

    def on_InstanceVariable(self, node: n.InstanceVariable) -> Runner:
        plain, name = super().on_InstanceVariable(node), node.name

        def read(frame: Frame) -> Value:
            value = plain(frame)
            tracker = frame[0].tracker
            tracker.read_variable(frame[1], name)
            if tracker.changed and type(value) in _CONTAINERS:
                tracker.note_changes(value)
            return value

        return read

    def on_Index(self, node: n.Index) -> Runner:
        plain = super().on_Index(node)
        if len(node.arguments) != 1 or not isinstance(node.object, (n.InstanceVariable, n.Local, n.Index)):
            return plain
        receiver, key = self.bare(node.object), self.bare(node.arguments[0])

        def index(frame: Frame) -> Value:
            tracker = frame[0].tracker
            reads = tracker.reads
            mark = len(reads)
            given = receiver(frame)
            one_read = len(reads) == mark + 1
            at = key(frame)
            kind, by = type(given), type(at)
            if kind is dict and (by is str or by is int or by is Symbol):
                value = given.get(at)
            elif kind is list and by is int:
                value = given[at] if -len(given) <= at < len(given) else None
            else:
                del reads[mark:]
                return plain(frame)
            if tracker.changed:
                tracker.note_changes(value)
            elif one_read and type(reads[mark]) is not Leaf:
                part = element(reads[mark], at)
                if part is not None:
                    reads[mark] = part
            return value

        return index

    # --- assignments -------------------------------------------------------------------------------------------------

    def _in_region(self, plain: Runner, leaf: Leaf) -> Runner:
        """Run something that stores values: they depend on what is read meanwhile, and on the code itself."""

        def run(frame: Frame) -> Value:
            tracker = frame[0].tracker
            region = tracker.region
            tracker.region = len(tracker.reads)
            tracker.reads.append(leaf)
            try:
                return plain(frame)
            finally:
                tracker.region = region

        return run

    def on_Assign(self, node: n.Assign) -> Runner:
        if isinstance(node.target, n.Local):
            value, store = self.kept(node.value), self.store(node.target)

            def plain(frame: Frame) -> Value:
                given = value(frame)
                store(frame, given)
                return given

            return self._in_region(plain, code(node.span))
        return self._in_region(super().on_Assign(node), code(node.span))

    def on_OperatorAssign(self, node: n.OperatorAssign) -> Runner:
        return self._in_region(super().on_OperatorAssign(node), code(node.span))

    def _store_local(self, target: n.Local) -> Storer:
        slot, depth = target.slot, target.depth

        def store(frame: Frame, value: Value) -> None:
            tracker = frame[0].tracker
            home = frame
            for _ in range(depth):
                home = home[PARENT]
            home[slot] = value
            origin = tracker.since(tracker.region)
            tracker.remember(home, slot, None if origin is None else tracker.effect(origin))

        return store

    def store(self, target: n.Node) -> Storer:
        plain = super().store(target)
        if isinstance(target, n.InstanceVariable):
            name = target.name

            def store_variable(frame: Frame, value: Value) -> None:
                plain(frame, value)
                tracker = frame[0].tracker
                origin = tracker.since(tracker.region) or Step(RUBY, ())
                tracker.set_variable(frame[1], name, tracker.effect(origin))

            return store_variable
        if isinstance(target, (n.Index, n.Attribute, n.GlobalVariable, n.ClassVariable, n.ConstantName)):

            def store_part(frame: Frame, value: Value) -> None:
                plain(frame, value)
                tracker = frame[0].tracker
                origin = tracker.since(tracker.region)
                if isinstance(target, n.Index):
                    tracker.change(origin)
                elif origin is not None:
                    tracker.hang(tracker.effect(origin))

            return store_part
        return plain

    # --- calls -------------------------------------------------------------------------------------------------------

    def on_Call(self, node: n.Call) -> Runner:
        plain = super().on_Call(node)
        has_block = node.block is not None or node.block_argument is not None
        changes = node.name in CHANGES_RECEIVER
        if not has_block and not changes:
            return self._result(plain)
        summary = ConditionalEffects(node.block) if node.block is not None else None
        span = node.span

        def call(frame: Frame) -> Value:
            tracker = frame[0].tracker
            start, tracker.start = tracker.start, len(tracker.reads)
            mark = tracker.start
            try:
                value = plain(frame)
            finally:
                tracker.start = start
            if changes and tracker.touched:
                tracker.change(tracker.since(mark))
            if summary is not None and (summary.locals or summary.pieces):
                origin = tracker.since(mark)
                if origin is not None:
                    _attribute(frame, summary, origin, span)
            if tracker.changed and type(value) in _CONTAINERS:
                tracker.note_changes(value)
            return value

        return call

    def _result(self, plain: Runner) -> Runner:
        def call(frame: Frame) -> Value:
            value = plain(frame)
            tracker = frame[0].tracker
            if tracker.touched:
                tracker.change(tracker.since(tracker.region))
            if tracker.changed and type(value) in _CONTAINERS:
                tracker.note_changes(value)
            return value

        return call

    def proc_maker(self, code_: BlockCode, is_lambda: bool, node: n.Node) -> Runner:
        dependent = not (isinstance(node, n.Call) and node.name in INDEPENDENT_BLOCK)

        def make(frame: Frame) -> Value:
            tracker = frame[0].tracker
            return TrackedProc(code_, frame, is_lambda, tracker.since(tracker.start), dependent)

        return make

    # --- conditions --------------------------------------------------------------------------------------------------

    def _test(self, node: n.Node) -> Any:
        """The closure of a condition: its value and its origin."""
        run, leaf = self.compile(node), code(node.span)

        def test(frame: Frame) -> tuple[Value, Origin]:
            tracker = frame[0].tracker
            region, tracker.region = tracker.region, len(tracker.reads)
            mark = tracker.region
            try:
                tracker.reads.append(leaf)
                value = run(frame)
                origin = tracker.since(mark)
            finally:
                tracker.region = region
            return value, origin or leaf

        return test

    def on_If(self, node: n.If) -> Runner:
        test, yes, no = self._test(node.test), self.compile(node.yes), self.compile(node.no)
        summary, span, tested = ConditionalEffects(node.yes, node.no), node.span, node.test.span
        of_yes, of_no = Taken(True, node.yes.span), Taken(False, node.no.span)

        def choose(frame: Frame) -> Value:
            tracker = frame[0].tracker
            value, origin = test(frame)
            guard = tracker.guard
            holds = value is not None and value is not False
            tracker.guard = Guard(origin, guard, tested, IF, of_yes if holds else of_no)
            try:
                return yes(frame) if holds else no(frame)
            finally:
                tracker.guard = guard
                _attribute(frame, summary, origin, span)

        return choose

    def on_And(self, node: n.And) -> Runner:
        return self._either(node, super().on_And(node))

    def on_Or(self, node: n.Or) -> Runner:
        return self._either(node, super().on_Or(node))

    def _either(self, node: n.And | n.Or, plain: Runner) -> Runner:
        summary = ConditionalEffects(node.right)
        attributed = self._attributed(plain, summary, node)
        if summary.locals or summary.pieces or summary.affects_rest or summary.variables:
            return attributed
        calls = summary.calls
        if not calls:
            return plain
        return lambda frame: plain(frame) if frame[0].defined.isdisjoint(calls) else attributed(frame)

    def _attributed(self, plain: Runner, summary: ConditionalEffects, node: n.Node) -> Runner:
        """What may happen inside depends on everything that is read inside."""
        leaf, span = code(node.span), node.span

        def run(frame: Frame) -> Value:
            tracker = frame[0].tracker
            mark = len(tracker.reads)
            tracker.reads.append(leaf)
            try:
                return plain(frame)
            finally:
                origin = tracker.since(mark)
                _attribute(frame, summary, origin or leaf, span)

        return run

    def on_Case(self, node: n.Case) -> Runner:
        subject = None if node.subject is None else self.compile(node.subject)
        whens = [
            (
                [(self.bare(p.value if isinstance(p, n.Splat) else p), isinstance(p, n.Splat)) for p in when.patterns],
                self.compile(when.body),
            )
            for when in node.whens
        ]
        otherwise = self.compile(node.otherwise)
        summary = ConditionalEffects(*(when.body for when in node.whens), node.otherwise)
        leaf, span = code(node.span), node.span
        tested = span if node.subject is None else node.subject.span
        arms = {id(body): when.body.span for when, (_, body) in zip(node.whens, whens, strict=True)}
        arms[id(otherwise)] = node.otherwise.span

        def choose(frame: Frame) -> Value:
            interpreter = frame[0]
            tracker = interpreter.tracker
            mark = len(tracker.reads)
            value = subject(frame) if subject is not None else None
            chosen = otherwise
            for patterns, body in whens:
                for pattern, is_splat in patterns:
                    given = pattern(frame)
                    for option in splatted(interpreter, given) if is_splat else (given,):
                        if truth(option) if subject is None else case_equal(interpreter, option, value, frame):
                            chosen = body
                            break
                    if chosen is not otherwise:
                        break
                if chosen is not otherwise:
                    break
            origin = tracker.since(mark, leaf) or leaf
            guard = tracker.guard
            shown = value if value is None or isinstance(value, bool | int | float) else to_s(interpreter, value)
            tracker.guard = Guard(origin, guard, tested, CASE, Taken(shown, arms[id(chosen)]))
            try:
                return chosen(frame)
            finally:
                tracker.guard = guard
                _attribute(frame, summary, origin, span)

        return choose

    def compile(self, node: n.Node) -> Runner:
        run = super().compile(node)
        if node is not self.loop_test:
            return run
        leaf = code(node.span)

        def test(frame: Frame) -> Value:
            # Every further round, and all that comes after the loop, depends on the test.
            tracker = frame[0].tracker
            mark = len(tracker.reads)
            value = run(frame)
            tracker.hang(tracker.since(mark, leaf) or leaf)
            return value

        return test

    def on_While(self, node: n.While) -> Runner:
        outer, self.loop_test = self.loop_test, node.test
        plain = super().on_While(node)
        self.loop_test = outer
        return self._attributed(plain, ConditionalEffects(node.body), node)

    def on_For(self, node: n.For) -> Runner:
        return self._attributed(super().on_For(node), ConditionalEffects(node), node)

    def on_Begin(self, node: n.Begin) -> Runner:
        summary = ConditionalEffects(node)
        if node.rescues:
            # Whether the body comes to its end can depend on anything it reads.
            summary.affects_rest = True
        return self._attributed(super().on_Begin(node), summary, node)

    # --- templates ---------------------------------------------------------------------------------------------------

    def on_TemplateText(self, node: n.TemplateText) -> Runner:
        text, span, leaf = node.text, node.span, Leaf("literal", "", node.span, node.text)

        def write(frame: Frame) -> Value:
            interpreter = frame[0]
            tracker = interpreter.tracker
            interpreter.globals["_erbout"].text(text, span)
            tracker.fragments.append((text, tracker.effect(leaf)))
            return None

        return write

    def on_TemplateOutput(self, node: n.TemplateOutput) -> Runner:
        value, leaf, span = self.bare(node.value), code(node.span), node.span
        copies = isinstance(node.value, (n.InstanceVariable, n.Local, n.Index))
        leaves = (leaf,)

        def write(frame: Frame) -> Value:
            interpreter = frame[0]
            tracker = interpreter.tracker
            region, tracker.region = tracker.region, len(tracker.reads)
            mark = tracker.region
            sink = interpreter.globals["_erbout"]
            sink.begin(span)
            try:
                given = value(frame)
                text = given if type(given) is str else to_s(interpreter, given)
                reads = tracker.reads[mark:]
            finally:
                tracker.region = region
            if len(text) > 64:
                interpreter.make_text(len(text))
            sink.output(text, span, given)
            origin: Origin
            if len(reads) == 1:
                (only,) = reads
                if copies and type(given) is str:
                    origin = Choice(leaves, Copy(PRINTED, only, span), span)
                else:
                    origin = Step(RUBY, (only, leaf), span)
            elif not reads:
                origin = leaf
            else:
                origin = Step(RUBY, (*{id(read): read for read in reads}.values(), leaf), span)
            tracker.fragments.append((text, tracker.effect(origin)))
            return None

        return write


_CONTAINERS = frozenset((list, dict, Text))


def _attribute(frame: Frame, summary: ConditionalEffects, origin: Origin, span: Any) -> None:
    """Add `origin` as a control dependency of all that skipped or executed code could have changed."""
    tracker = frame[0].tracker
    for depth, slot in summary.locals:
        home = frame
        for _ in range(depth):
            home = home[PARENT]
        tracker.touch(home, slot, origin)
    for name in summary.variables:
        own = tracker.variables.get(id(frame[1]))
        known = own[1].get(name) if own is not None else None
        if known is not None:
            tracker.set_variable(frame[1], name, fold([known, origin]) or origin)
        else:
            tracker.hang(tracker.effect(origin))
    if summary.pieces:
        tracker.fragments.append(("", tracker.effect(Absent("text", (origin,), span))))
    if summary.affects_rest or not frame[0].defined.isdisjoint(summary.calls):
        tracker.hang(tracker.effect(origin))

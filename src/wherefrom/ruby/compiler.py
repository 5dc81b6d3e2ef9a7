"""Nodes -> Python closures, each `frame -> value`: the plain program, without origins.

Every node class has a method `on_<Class>`; it looks at the node once and returns a closure that is specialised for
what it saw (how deep a variable is, how many arguments a call has). The commonest operations on the commonest values
are done in place; everything else goes through the method tables.

Strings: in a file that may change strings (`Root.changes_strings`), a string that is kept (assigned, put into an
array) is boxed as a `Text`; see `values`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from .calling import Calls
from .classes import error
from .errors import BreakJump, NextJump, NotSupported, ReturnJump, RubyError, RubyRefused
from .frames import ACTIVATION, BLOCK, PARENT, Frame
from .hashing import key_of
from .procs import Runner, Storer
from .showing import to_s
from .support import (
    call_method,
    case_equal,
    check_range,
    class_variable_holder,
    constant_named,
    hash_splatted,
    instance_variables,
    located,
    match_variable,
    option_bits,
    rescue_handler,
    splatted,
    store_class_variable,
    to_array,
)
from .values import Object, Range, Text, Value, truth
from .world import MISSING


class RetryJump(Exception):
    """`retry`: runs the body of `begin` once more."""


class Compiler(Calls):
    """One file's compiler."""

    def __init__(self, root: n.Root) -> None:
        self.boxes = root.changes_strings
        self.frozen_strings = root.frozen_strings
        self.defined = frozenset(node.name for node in n.inside(root) if isinstance(node, n.Define))
        """The names of the methods that the file writes."""
        self.loops: list[Any] = []
        """What `break` leaves: nothing for a loop, a holder of the block's code for a block."""

    def compile(self, node: n.Node) -> Runner:
        """The closure for any node."""
        compile: Callable[[n.Node], Runner] = getattr(self, "on_" + type(node).__name__)
        return compile(node)

    def bare(self, node: n.Node) -> Runner:
        """The same where the value is used at once and not kept: a literal string needs no box."""
        if isinstance(node, n.Str):
            text = node.value
            return lambda frame: text
        if isinstance(node, n.Interpolated) and node.kind == "string":
            return self._interpolate(node)
        return self.compile(node)

    def kept(self, node: n.Node) -> Runner:
        """The same where the value is kept: in a file that changes strings, it must be one that can change."""
        run = self.compile(node)
        if not self.boxes or isinstance(node, (n.Constant, n.Str, n.ArrayLiteral, n.HashLiteral)):
            return run

        def boxed(frame: Frame) -> Value:
            value = run(frame)
            return Text(value) if type(value) is str else value

        return boxed

    # --- literals ----------------------------------------------------------------------------------------------------

    def on_Constant(self, node: n.Constant) -> Runner:
        value = node.value
        return lambda frame: value

    def on_Self(self, node: n.Self) -> Runner:
        return lambda frame: frame[1]

    def on_Str(self, node: n.Str) -> Runner:
        text = node.value
        if not self.boxes:
            return lambda frame: text
        if self.frozen_strings:
            constant = Text(text, frozen=True)
            return lambda frame: constant
        return lambda frame: Text(text)

    def on_Interpolated(self, node: n.Interpolated) -> Runner:
        text = self._interpolate(node)
        if node.kind == "symbol":
            return lambda frame: Symbol(text(frame))
        if node.kind == "regexp":
            options = option_bits(node.options)
            return lambda frame: frame[0].regexp(text(frame), options)
        if self.boxes:
            return lambda frame: Text(text(frame))
        return text

    def _interpolate(self, node: n.Interpolated) -> Runner:
        is_regexp = node.kind == "regexp"
        runs: list[Runner] = []
        for part in node.parts:
            if isinstance(part, str):
                runs.append(_constant(part))
            else:
                runs.append(_text_runner(self.compile(part), is_regexp))
        if len(runs) == 2:
            first, second = runs

            def pair(frame: Frame) -> str:
                text: str = first(frame) + second(frame)
                if len(text) > 64:
                    frame[0].make_text(len(text))
                return text

            return pair

        def interpolate(frame: Frame) -> str:
            text = "".join([run(frame) for run in runs])
            if len(text) > 64:
                frame[0].make_text(len(text))
            return text

        return interpolate

    def on_Regex(self, node: n.Regex) -> Runner:
        source, options = node.source, option_bits(node.options)
        return lambda frame: frame[0].regexp(source, options)

    def on_ArrayLiteral(self, node: n.ArrayLiteral) -> Runner:
        if any(isinstance(item, n.Splat) for item in node.items):
            return self.argument_list(node.items, keep=True)
        runs = [self._no_keywords(item) for item in node.items]
        return lambda frame: [run(frame) for run in runs]

    def _no_keywords(self, node: n.Node) -> Runner:
        if isinstance(node, n.HashLiteral) and node.keywords:
            return self.on_HashLiteral(n.HashLiteral(node.pairs, span=node.span))
        return self.kept(node)

    def on_HashLiteral(self, node: n.HashLiteral) -> Runner:
        pairs = [
            (None if key is None else self.bare(key), self.compile(value) if key is None else self.kept(value))
            for key, value in node.pairs
        ]
        dropped, earlier = _repeated(node.pairs)

        def make(frame: Frame) -> dict[Any, Value]:
            entries: dict[Any, Value] = {}
            for index, (key, value) in enumerate(pairs):
                if key is None:
                    entries.update(hash_splatted(frame, value(frame)))
                elif index not in dropped:
                    name = key_of(frame[0], key(frame))
                    for place in earlier.get(index, ()):
                        pairs[place][1](frame)
                    entries[name] = value(frame)
            return entries

        return make

    def on_RangeLiteral(self, node: n.RangeLiteral) -> Runner:
        if isinstance(node.first, n.Str) and isinstance(node.last, n.Str):  # one range for all times, so it is frozen
            whole = Range(Text(node.first.value, True), Text(node.last.value, True), node.exclusive)
            return lambda frame: whole
        first, last, exclusive = self.bare(node.first), self.bare(node.last), node.exclusive

        def make(frame: Frame) -> Range:
            start, end = first(frame), last(frame)
            check_range(frame[0], start, end)
            return Range(start, end, exclusive)

        return make

    def on_Splat(self, node: n.Splat) -> Runner:
        value = self.compile(node.value)
        return lambda frame: splatted(frame[0], value(frame))

    # --- variables ---------------------------------------------------------------------------------------------------

    def on_Local(self, node: n.Local) -> Runner:
        slot, depth = node.slot, node.depth
        if depth == 0:
            return lambda frame: frame[slot]
        if depth == 1:
            return lambda frame: frame[4][slot]
        if depth == 2:
            return lambda frame: frame[4][4][slot]

        def climb(frame: Frame) -> Value:
            for _ in range(depth):
                frame = frame[PARENT]
            return frame[slot]

        return climb

    def on_InstanceVariable(self, node: n.InstanceVariable) -> Runner:
        name = node.name

        def read(frame: Frame) -> Value:
            return instance_variables(frame[1]).get(name)

        return read

    def on_ClassVariable(self, node: n.ClassVariable) -> Runner:
        name, span = node.name, node.span

        def read(frame: Frame) -> Value:
            holder = class_variable_holder(frame, name)
            if holder is None:
                place = frame[ACTIVATION].nesting
                where = place[0].name if place else "Object"
                raise located(error("NameError", f"uninitialized class variable {name} in {where}"), span)
            return holder.class_variables[name]

        return read

    def on_GlobalVariable(self, node: n.GlobalVariable) -> Runner:
        name = node.name
        return lambda frame: frame[0].globals.get(name)

    def on_MatchVariable(self, node: n.MatchVariable) -> Runner:
        name = node.name
        return lambda frame: match_variable(frame[ACTIVATION].match, name)

    def on_ConstantName(self, node: n.ConstantName) -> Runner:
        name, span = node.name, node.span
        if node.scope is None and not node.top:
            return lambda frame: constant_named(frame, name, span)
        if node.top:

            def read_top(frame: Frame) -> Value:
                constant = frame[0].top_constant(name)
                if constant is MISSING:
                    raise located(frame[0].uninitialized(None, name, span), span)
                return constant

            return read_top
        assert node.scope is not None
        scope = self.compile(node.scope)

        def read(frame: Frame) -> Value:
            module = scope(frame)
            interpreter = frame[0]
            try:
                constant = interpreter.constant_in(module, name)
            except RubyError as problem:
                raise located(problem, span) from None
            if constant is MISSING:
                raise located(interpreter.uninitialized(module, name, span), span)
            return constant

        return read

    # --- assignment --------------------------------------------------------------------------------------------------

    def on_Assign(self, node: n.Assign) -> Runner:
        if isinstance(node.target, n.Targets):
            value = self.compile(node.value)
            store = self.store(node.target)

            def assign_many(frame: Frame) -> Value:
                given = value(frame)
                store(frame, given)
                return given

            return assign_many
        value = self.kept(node.value)
        if isinstance(node.target, n.Local) and node.target.depth == 0:
            slot = node.target.slot

            def assign_local(frame: Frame) -> Value:
                frame[slot] = given = value(frame)
                return given

            return assign_local
        store = self.store(node.target)

        def assign(frame: Frame) -> Value:
            given = value(frame)
            store(frame, given)
            return given

        return assign

    def store(self, target: n.Node) -> Storer:
        """The closure that puts a value where `target` says."""
        match target:
            case n.Local():
                return self._store_local(target)
            case n.InstanceVariable():
                name = target.name

                def store_ivar(frame: Frame, value: Value) -> None:
                    instance_variables(frame[1], writing=True)[name] = value

                return store_ivar
            case n.ClassVariable():
                return store_class_variable(target.name)
            case n.GlobalVariable():
                name, span = target.name, target.span

                def store_global(frame: Frame, value: Value) -> None:
                    frame[0].globals[name] = value

                return store_global
            case n.ConstantName():
                return self._store_constant(target)
            case n.Index():
                return self._store_index(target)
            case n.Attribute():
                return self._store_attribute(target)
            case n.Targets():
                return self.store_targets(target)
            case n.Nowhere():
                return lambda frame, value: None
        span = target.span

        def refuse(frame: Frame, value: Value) -> None:
            raise NotSupported("this cannot be assigned to", span)

        return refuse

    def _store_local(self, target: n.Local) -> Storer:
        slot, depth = target.slot, target.depth

        def store_local(frame: Frame, value: Value) -> None:
            for _ in range(depth):
                frame = frame[PARENT]
            frame[slot] = value

        return store_local

    def _store_constant(self, target: n.ConstantName) -> Storer:
        name = target.name
        scope = self.compile(target.scope) if target.scope is not None else None
        top = target.top

        def store_constant(frame: Frame, value: Value) -> None:
            nesting = frame[ACTIVATION].nesting
            module = scope(frame) if scope is not None else None if top or not nesting else nesting[0]
            frame[0].define_constant(module, name, value)

        return store_constant

    def _store_index(self, target: n.Index) -> Storer:
        receiver = self.compile(target.object)
        arguments = self.argument_list(target.arguments)
        span = target.span

        def store_index(frame: Frame, value: Value) -> None:
            call_method(frame, receiver(frame), "[]=", [*arguments(frame), value], span)

        return store_index

    def _store_attribute(self, target: n.Attribute) -> Storer:
        receiver, name, span, safe = self.compile(target.object), target.name + "=", target.span, target.safe

        def store_attribute(frame: Frame, value: Value) -> None:
            given = receiver(frame)
            if safe and given is None:
                return
            call_method(frame, given, name, [value], span)

        return store_attribute

    def store_targets(self, node: n.Targets) -> Storer:
        """`a, *b, c = value`"""
        stores = [self.store(target) for target in node.targets]
        splat = node.splat
        after = 0 if splat is None else len(stores) - splat - 1

        def store_many(frame: Frame, value: Value) -> None:
            values = value if type(value) is list else to_array(frame[0], value)
            if splat is None:
                count = len(values)
                for index, store in enumerate(stores):
                    store(frame, values[index] if index < count else None)
                return
            head = values[:splat]
            rest = values[splat : max(splat, len(values) - after)]
            tail = values[splat + len(rest) :]
            for index in range(splat):
                stores[index](frame, head[index] if index < len(head) else None)
            stores[splat](frame, rest)
            for index in range(after):
                stores[splat + 1 + index](frame, tail[index] if index < len(tail) else None)

        return store_many

    def on_OperatorAssign(self, node: n.OperatorAssign) -> Runner:
        read, store = self.place(node.target)
        value = self.kept(node.value)
        operator, span = node.operator, node.span
        check_defined = isinstance(node.target, (n.ConstantName, n.ClassVariable))

        def assign(frame: Frame) -> Value:
            context = read(frame)
            if operator == "||":
                if truth(context[0]):
                    return context[0]
                given = value(frame)
            elif operator == "&&":
                if not truth(context[0]):
                    return context[0]
                given = value(frame)
            else:
                given = call_method(frame, context[0], operator, [value(frame)], span)
            store(frame, context, given)
            return given

        if operator == "||" and check_defined:
            defined = self.compile(n.Defined(node.target, span=span))
            plain = self.store(node.target)

            def assign_if_missing(frame: Frame) -> Value:
                if defined(frame) is None:
                    given = value(frame)
                    plain(frame, given)
                    return given
                return assign(frame)

            return assign_if_missing
        return assign

    def place(self, target: n.Node) -> tuple[Runner, Callable[[Frame, Any, Value], None]]:
        """Reading and writing one place whose parts are evaluated once: (read -> context, store(context))."""
        if isinstance(target, n.Index):
            receiver, arguments, span = self.compile(target.object), self.argument_list(target.arguments), target.span

            def read_index(frame: Frame) -> Value:
                given, keys = receiver(frame), arguments(frame)
                return call_method(frame, given, "[]", list(keys), span), given, keys

            def store_index(frame: Frame, context: Any, value: Value) -> None:
                call_method(frame, context[1], "[]=", [*context[2], value], span)

            return read_index, store_index
        if isinstance(target, n.Attribute):
            receiver, name, span, safe = self.compile(target.object), target.name, target.span, target.safe

            def read_attribute(frame: Frame) -> Value:
                given = receiver(frame)
                if safe and given is None:
                    return None, None
                return call_method(frame, given, name, [], span), given

            def store_attribute(frame: Frame, context: Any, value: Value) -> None:
                if not (safe and context[1] is None):
                    call_method(frame, context[1], name + "=", [value], span)

            return read_attribute, store_attribute
        read, store = self.compile(target), self.store(target)
        return (lambda frame: (read(frame),)), (lambda frame, context, value: store(frame, value))

    # --- logic and control -------------------------------------------------------------------------------------------

    def on_And(self, node: n.And) -> Runner:
        left, right = self.compile(node.left), self.compile(node.right)

        def both(frame: Frame) -> Value:
            value = left(frame)
            return value if value is None or value is False else right(frame)

        return both

    def on_Or(self, node: n.Or) -> Runner:
        left, right = self.compile(node.left), self.compile(node.right)

        def either(frame: Frame) -> Value:
            value = left(frame)
            return right(frame) if value is None or value is False else value

        return either

    def on_Not(self, node: n.Not) -> Runner:
        value, span = self.compile(node.value), node.span

        def negate(frame: Frame) -> Value:
            given = value(frame)
            if isinstance(given, Object):
                return call_method(frame, given, "!", [], span)
            return given is None or given is False

        return negate

    def on_If(self, node: n.If) -> Runner:
        test, yes, no = self.compile(node.test), self.compile(node.yes), self.compile(node.no)

        def choose(frame: Frame) -> Value:
            value = test(frame)
            return no(frame) if value is None or value is False else yes(frame)

        return choose

    def on_Sequence(self, node: n.Sequence) -> Runner:
        *front, last = [self.compile(statement) for statement in node.statements]
        if len(front) == 1:
            (first,) = front

            def run_two(frame: Frame) -> Value:
                first(frame)
                return last(frame)

            return run_two

        def run_all(frame: Frame) -> Value:
            for run in front:
                run(frame)
            return last(frame)

        return run_all

    def on_While(self, node: n.While) -> Runner:
        self.loops.append(None)
        test, body, until, body_first = self.compile(node.test), self.compile(node.body), node.until, node.body_first
        self.loops.pop()

        def loop(frame: Frame) -> Value:
            budget = frame[0].budget
            skip = body_first
            try:
                while skip or truth(test(frame)) is not until:
                    skip = False
                    budget.steps -= 1
                    if budget.steps < 0:
                        budget.over("steps", "in a loop", node.span)
                    try:
                        body(frame)
                    except NextJump:
                        continue
            except BreakJump as jump:
                if jump.target is not None:
                    raise
                return jump.value
            return None

        return loop

    def on_For(self, node: n.For) -> Runner:
        values, store = self.compile(node.values), self.store(node.target)
        self.loops.append(None)
        body = self.compile(node.body)
        self.loops.pop()

        def loop(frame: Frame) -> Value:
            from .iteration import iterate

            given = values(frame)
            budget = frame[0].budget
            try:
                for value in iterate(frame[0], given):
                    budget.steps -= 1
                    if budget.steps < 0:
                        budget.over("steps", "in a loop", node.span)
                    store(frame, value)
                    try:
                        body(frame)
                    except NextJump:
                        continue
            except BreakJump as jump:
                if jump.target is not None:
                    raise
                return jump.value
            return given

        return loop

    def on_Case(self, node: n.Case) -> Runner:
        otherwise = self.compile(node.otherwise)
        subject = None if node.subject is None else self.compile(node.subject)
        whens = [
            (
                [(self.bare(p.value if isinstance(p, n.Splat) else p), isinstance(p, n.Splat)) for p in when.patterns],
                self.compile(when.body),
            )
            for when in node.whens
        ]

        def choose(frame: Frame) -> Value:
            value = subject(frame) if subject is not None else None
            interpreter = frame[0]
            for patterns, body in whens:
                for pattern, is_splat in patterns:
                    given = pattern(frame)
                    for option in splatted(interpreter, given) if is_splat else (given,):
                        if truth(option) if subject is None else case_equal(interpreter, option, value, frame):
                            return body(frame)
            return otherwise(frame)

        return choose

    def on_Begin(self, node: n.Begin) -> Runner:
        body = self.compile(node.body)
        otherwise = None if node.otherwise is None else self.compile(node.otherwise)
        rescues = [
            (
                [
                    (self.compile(c.value if isinstance(c, n.Splat) else c), isinstance(c, n.Splat))
                    for c in clause.classes
                ],
                None if clause.target is None else self.store(clause.target),
                self.compile(clause.body),
            )
            for clause in node.rescues
        ]
        ensure = None if node.ensure is None else self.compile(node.ensure)

        def guarded(frame: Frame) -> Value:
            interpreter = frame[0]
            while True:
                depth = interpreter.depth
                try:
                    value = body(frame)
                except RubyError as problem:
                    interpreter.depth = depth
                    handler = rescue_handler(frame, problem, rescues)
                    if handler is None:
                        raise
                    before = interpreter.globals.get("$!")
                    interpreter.globals["$!"] = problem.exception
                    try:
                        return handler(frame)
                    except RetryJump:
                        interpreter.budget.draw("steps", 10, "retrying")
                        continue
                    except RubyError as another:
                        if another.exception is not problem.exception and another.exception.cause is None:
                            another.exception.cause = problem.exception
                        raise
                    finally:
                        interpreter.globals["$!"] = before
                return otherwise(frame) if otherwise is not None else value

        inner = guarded if rescues else body
        if not rescues and otherwise is not None:
            after = otherwise

            def plain(frame: Frame) -> Value:
                body(frame)
                return after(frame)

            inner = plain
        if ensure is None:
            return inner
        last = ensure

        def ensured(frame: Frame) -> Value:
            try:
                return inner(frame)
            finally:
                last(frame)

        return ensured

    def on_Return(self, node: n.Return) -> Runner:
        value = self.kept(node.value)

        def leave(frame: Frame) -> Value:
            raise ReturnJump(frame[ACTIVATION], value(frame))

        return leave

    def on_Break(self, node: n.Break) -> Runner:
        value = self.kept(node.value)
        if self.loops:
            code = self.loops[-1]
            if code is None:

                def leave_loop(frame: Frame) -> Value:
                    raise BreakJump(None, value(frame))

                return leave_loop
            holder = code

            def leave(frame: Frame) -> Value:
                raise BreakJump((frame[PARENT], holder[0]), value(frame))

            return leave
        raise NotSupported("`break` outside of a loop or block", node.span)

    def on_Next(self, node: n.Next) -> Runner:
        value = self.kept(node.value)

        def leave(frame: Frame) -> Value:
            raise NextJump(None, value(frame))

        return leave

    def on_Retry(self, node: n.Retry) -> Runner:
        def again(frame: Frame) -> Value:
            raise RetryJump

        return again

    def on_Redo(self, node: n.Redo) -> Runner:
        return self.on_Unsupported(n.Unsupported("`redo`", span=node.span))

    def on_Unsupported(self, node: n.Unsupported) -> Runner:
        what, span, refused = node.what, node.span, node.refused

        def refuse(frame: Frame) -> Value:
            if refused:
                raise RubyRefused(f"{what}, which is not allowed", span)
            raise NotSupported(f"{what} is not supported by wherefrom's Ruby interpreter", span)

        return refuse

    def on_Defined(self, node: n.Defined) -> Runner:
        return self._defined(node.value)

    def _defined(self, node: n.Node) -> Runner:
        match node:
            case n.Local():
                return lambda frame: "local-variable"
            case n.InstanceVariable():
                name = node.name
                return lambda frame: "instance-variable" if name in instance_variables(frame[1]) else None
            case n.GlobalVariable():
                name = node.name
                return lambda frame: "global-variable" if name in frame[0].globals else None
            case n.MatchVariable():
                run = self.compile(node)
                return lambda frame: "global-variable" if run(frame) is not None else None
            case n.ClassVariable():
                name = node.name
                return lambda frame: "class variable" if class_variable_holder(frame, name) else None
            case n.Constant():
                words = {None: "expression", True: "expression", False: "expression"}
                word = words.get(node.value, "expression") if type(node.value) in (bool, type(None)) else "expression"
                return lambda frame: word
            case n.Self():
                return lambda frame: "self"
            case n.Assign() | n.OperatorAssign():
                return lambda frame: "assignment"
            case n.Yield():
                return lambda frame: "yield" if frame[BLOCK] is not None else None
            case n.Super():
                return self.defined_super()
        if isinstance(node, n.Call) and node.receiver is None:
            name = node.name

            def defined_method(frame: Frame) -> Value:
                return "method" if frame[0].find(frame[1], name) is not None else None

            return defined_method
        run = self.compile(node)
        word = "expression"
        if isinstance(node, n.ConstantName):
            word = "constant"
        if isinstance(node, (n.Call, n.Index)):
            word = "method"
        receiver: Runner | None = None
        method_name = ""
        if isinstance(node, n.Call) and node.receiver is not None:
            receiver, method_name = self.compile(node.receiver), node.name

        def defined(frame: Frame) -> Value:
            try:
                if receiver is not None:
                    return word if frame[0].find(receiver(frame), method_name) is not None else None
                run(frame)
            except (RubyError, RubyRefused):
                return None
            return word

        return defined

    # --- templates ---------------------------------------------------------------------------------------------------

    def on_TemplateText(self, node: n.TemplateText) -> Runner:
        text, span = node.text, node.span

        def write(frame: Frame) -> Value:
            frame[0].globals["_erbout"].text(text, span)
            return None

        return write

    def on_TemplateOutput(self, node: n.TemplateOutput) -> Runner:
        value, span = self.bare(node.value), node.span

        def write(frame: Frame) -> Value:
            interpreter = frame[0]
            sink = interpreter.globals["_erbout"]
            sink.begin(span)
            given = value(frame)
            text = given if type(given) is str else to_s(interpreter, given)
            if len(text) > 64:
                interpreter.make_text(len(text))
            sink.output(text, span, given)
            return None

        return write


def _repeated(pairs: tuple[tuple[n.Node | None, n.Node], ...]) -> tuple[set[int], dict[int, list[int]]]:
    """Places of pairs whose literal key is written again further on: Ruby takes the later pair, in its place.

    An earlier value is computed with that of the pair right before the later one, and forgotten if the key of that pair
    is neither a literal nor an array (`remove_duplicate_keys` of Ruby 3.1). The second answer says which values are
    computed before which.
    """
    places: dict[Any, int] = {}
    dropped: set[int] = set()
    earlier: dict[int, list[int]] = {}
    literal_before = False
    for index, (key, _) in enumerate(pairs):
        is_literal = isinstance(key, (n.Str, n.Constant)) and key.value is not None and type(key.value) is not bool
        if is_literal:
            assert isinstance(key, (n.Str, n.Constant))
            first = places.get((type(key.value), key.value))
            places[type(key.value), key.value] = index
            if first is not None:
                dropped.add(first)
                values = [*earlier.pop(first, ()), first]
                target = index if first == index - 1 else index - 1
                if target == index or literal_before:
                    earlier[target] = [*values, *earlier.get(target, ())]
        literal_before = is_literal or (isinstance(key, n.ArrayLiteral) and bool(key.items))
    return dropped, earlier


def _constant(value: Value) -> Runner:
    return lambda frame: value


def _text_runner(run: Runner, is_regexp: bool) -> Runner:
    def text(frame: Frame) -> str:
        value = run(frame)
        if type(value) is str:
            return value
        return to_s(frame[0], value)

    return text

"""Calls, blocks and definitions: the half of the plain compiler that deals with methods.

A call evaluates receiver and arguments, finds the method in the table of the receiver's type, and runs it. Words
that need the caller's frame (`block_given?`, `lambda`, `raise`, `binding`) are compiled here instead of being
methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import wherefrom.ruby.nodes as n

from ..base.keys import Symbol
from ..base.source import Span
from .classes import CLASS, MODULE, OBJECT, argument_count, error
from .errors import BreakJump, NotSupported, ReturnJump, RubyError, RubyRefused
from .facts import CHANGES_TEXT, KEEPS_NOTHING
from .frames import ACTIVATION, BLOCK, Activation, Frame
from .hashing import key_of
from .operators import Keeper, match_operator, quick_operator
from .parser import HEAD
from .procs import Binder, BlockCode, BlockProc, Runner, Storer, values_of_block
from .support import call_method, constant_named, hash_splatted, located, splatted
from .values import (
    Class,
    Hash,
    HostObject,
    Keywords,
    Method,
    Module,
    NativeProc,
    Object,
    Proc,
    Regexp,
    Text,
    Value,
    Visibility,
)
from .world import MISSING

Note: TypeAlias = "Callable[[Any, Method, Value, str | None, list[Value], Any, Value], None]"
"""Interpreter, method, receiver (and its text before, if it has one that can change), arguments, block, result."""


class Calls:
    """The part of the compiler for calls and definitions; `Compiler` adds the rest."""

    boxes: bool
    frozen_strings: bool
    defined: frozenset[str]
    loops: list[Any]
    method_parameters: tuple[n.Parameters, int] | None = None
    """The parameters of the method being compiled: what `super` passes on."""

    def compile(self, node: n.Node) -> Runner:
        raise NotImplementedError

    def bare(self, node: n.Node) -> Runner:
        raise NotImplementedError

    def kept(self, node: n.Node) -> Runner:
        raise NotImplementedError

    def store(self, target: n.Node) -> Storer:
        raise NotImplementedError

    def store_targets(self, node: n.Targets) -> Storer:
        raise NotImplementedError

    def keeper(self, nodes: tuple[n.Node, ...]) -> Keeper | None:
        """How bare arguments are made those of a method that may keep them; nothing if they are no others."""
        if not self.boxes:
            return None
        literals = [self.frozen_strings and isinstance(node, n.Str) for node in nodes]
        if not any(literals) or any(isinstance(node, n.Splat) for node in nodes):
            return lambda values: [Text(value) if type(value) is str else value for value in values]
        return lambda values: [
            Text(value, at < len(literals) and literals[at]) if type(value) is str else value
            for at, value in enumerate(values)
        ]

    # --- arguments ---------------------------------------------------------------------------------------------------

    def argument_list(self, nodes: tuple[n.Node, ...], keep: bool = False, bare: bool = False) -> Runner:
        """The closure that makes the list of arguments (or of an array's items)."""
        runs: list[tuple[str, Runner]] = []
        for node in nodes:
            if isinstance(node, n.Splat):
                runs.append(("splat", self.compile(node.value)))
            elif isinstance(node, n.HashLiteral) and node.keywords:
                plain = n.HashLiteral(node.pairs, span=node.span)
                only_splats = all(key is None for key, _ in node.pairs)
                kind = "item" if keep else "keywords" if not only_splats else "maybe"
                runs.append((kind, self.compile(plain)))
            else:
                runs.append(("item", self.bare(node) if bare else self.kept(node)))
        if all(kind == "item" for kind, _ in runs):
            plain_runs = [run for _, run in runs]
            if not plain_runs:
                return lambda frame: []
            if len(plain_runs) == 1:
                (only,) = plain_runs
                return lambda frame: [only(frame)]
            return lambda frame: [run(frame) for run in plain_runs]

        def make(frame: Frame) -> list[Value]:
            values: list[Value] = []
            for kind, run in runs:
                value = run(frame)
                if kind == "splat":
                    values.extend(splatted(frame[0], value))
                elif kind == "item":
                    values.append(value)
                elif value or kind == "keywords":
                    values.append(Keywords(value))
            return values

        return make

    # --- calls -------------------------------------------------------------------------------------------------------

    def on_Call(self, node: n.Call) -> Runner:
        name = node.name
        if node.receiver is None or isinstance(node.receiver, n.Self):
            special = getattr(self, "word_" + name.rstrip("?!").replace("__", "dunder_"), None)
            if special is not None and name in _WORDS and node.receiver is None:
                run = special(node)
                if run is not None:
                    return self._unless_written(node, run)
            return self._call_self(node)
        if name == "last_match":
            return _with_own_match(self._call_general(node))
        return self._call_of(node)

    def _unless_written(self, node: n.Call, word: Runner) -> Runner:
        """A word of Ruby's, unless Ruby code has written a method of its name for `self`."""
        name, span = node.name, node.span
        own = self._call_self(node) if name in self.defined else None

        def call(frame: Frame) -> Value:
            interpreter = frame[0]
            if name in interpreter.defined:
                method = interpreter.find(frame[1], name)
                if method is not None and method.written:
                    if own is None:
                        raise RubyRefused(f"`{name}` is a keyword here and a method in another file", span)
                    return own(frame)
            return word(frame)

        return call

    def _call_of(self, node: n.Call) -> Runner:
        """A call with a receiver."""
        if len(node.arguments) == 1 and node.block is None and node.block_argument is None and not node.safe:
            argument = node.arguments[0]
            if not isinstance(argument, n.Splat) and not (isinstance(argument, n.HashLiteral) and argument.keywords):
                return self._call_one(node, argument)
        if not node.arguments and node.block is None and node.block_argument is None:
            return self._call_none(node)
        return self._call_general(node)

    def _receiver(self, node: n.Call) -> Runner:
        assert node.receiver is not None
        if node.name in CHANGES_TEXT and self.boxes:
            return self.box_in_place(node.receiver)
        return self.bare(node.receiver)

    def box_in_place(self, node: n.Node) -> Runner:
        """The receiver of a method that may change it: a string is boxed, and the box put where the string was."""
        if isinstance(node, n.Index) and not any(isinstance(key, n.Splat) for key in node.arguments):
            return self._box_in_container(node)
        run = self.compile(node)
        if not isinstance(node, (n.Local, n.InstanceVariable, n.GlobalVariable, n.ClassVariable)):
            return run
        store = self.store(node)

        def boxed(frame: Frame) -> Value:
            value = run(frame)
            if type(value) is str:
                value = Text(value)
                store(frame, value)
            return value

        return boxed

    def _box_in_container(self, node: n.Index) -> Runner:
        """The same for what stands in an array or hash, whose place is worked out once."""
        container, keys, span = self.bare(node.object), self.argument_list(node.arguments, bare=True), node.span
        keep = self.keeper(node.arguments)

        def boxed(frame: Frame) -> Value:
            given, at = container(frame), keys(frame)
            value = call_method(frame, given, "[]", at, span, keep)
            if type(value) is str and len(at) == 1 and (type(given) is list or isinstance(given, dict)):
                value = Text(value)
                call_method(frame, given, "[]=", [*at, value], span)
            return value

        return boxed

    def _call_none(self, node: n.Call) -> Runner:
        receiver, name, span, safe = self._receiver(node), node.name, node.span, node.safe
        cuts = self.boxes and name in _PIECES
        if name == "nil?" and not safe:

            def is_nil(frame: Frame) -> Value:
                given = receiver(frame)
                return call_method(frame, given, name, [], span) if isinstance(given, Object) else given is None

            return is_nil

        def call(frame: Frame) -> Value:
            given = receiver(frame)
            if safe and given is None:
                return None
            interpreter = frame[0]
            try:
                table = interpreter.tables.get(type(given))
                method = table.get(name) if table is not None else None
                if method is None or table is None or isinstance(given, Module):
                    method = interpreter.find(given, name)
                    if method is None:
                        interpreter.at = span
                        return interpreter.missing(given, name, [], None)
                if method.visibility is not Visibility.PUBLIC:
                    check_visibility(frame, method, given, name)
                interpreter.at = span
                result = method.run(interpreter, given, [], None)
            except RubyError as problem:
                problem.passes(span)
                raise
            return boxed_items(result) if cuts and not method.written else result

        return call

    def _call_one(self, node: n.Call, argument: n.Node) -> Runner:
        name, span = node.name, node.span
        receiver = self._receiver(node)
        value = self.bare(argument) if name in KEEPS_NOTHING else self.kept(argument)
        keep = self.keeper(node.arguments) if name in KEEPS_NOTHING else None
        quick = quick_operator(name, receiver, value, span, keep)
        if quick is not None:
            return quick
        if name == "=~":
            return match_operator(receiver, value, span, keep)
        matches, cuts = name in MATCHING, self.boxes and name in _PIECES

        def call(frame: Frame) -> Value:
            given = receiver(frame)
            only = value(frame)
            interpreter = frame[0]
            try:
                table = interpreter.tables.get(type(given))
                method = table.get(name) if table is not None else None
                if method is None or isinstance(given, Module):
                    method = interpreter.find(given, name)
                    if method is None:
                        interpreter.at = span
                        return interpreter.missing(given, name, [only] if keep is None else keep([only]), None)
                if method.visibility is not Visibility.PUBLIC:
                    check_visibility(frame, method, given, name)
                interpreter.at = span
                if method.written:
                    return method.run(interpreter, given, [only] if keep is None else keep([only]), None)
                result = method.run(interpreter, given, [only], None)
            except RubyError as problem:
                problem.passes(span)
                raise
            if matches:
                frame[ACTIVATION].match = interpreter.globals.get("$~")
            return boxed_items(result) if cuts else result

        return call

    def _call_general(self, node: n.Call, note: Note | None = None) -> Runner:
        """A call of any shape.  `note` is told what it did, where somebody wants to know."""
        name, span, safe, is_own = node.name, node.span, node.safe, node.receiver is None
        receiver = (lambda frame: frame[1]) if is_own else self._receiver(node)
        arguments = self.argument_list(node.arguments, bare=name in KEEPS_NOTHING)
        keep = self.keeper(node.arguments) if name in KEEPS_NOTHING else None
        block, code = self.block_of(node)
        has_break = node.block is not None and node.block.has_break
        matches, cuts = name in MATCHING, self.boxes and name in _PIECES

        def call(frame: Frame) -> Value:
            given = receiver(frame)
            if safe and given is None:
                return None
            values = arguments(frame)
            proc = block(frame) if block is not None else None
            interpreter = frame[0]
            before = given.value if note is not None and type(given) is Text else None
            try:
                method = interpreter.find(given, name)
                if keep is not None and (method is None or method.written):
                    values = keep(values)
                if method is None:
                    interpreter.at = span
                    return interpreter.missing(given, name, values, proc)
                if method.visibility is not Visibility.PUBLIC and not is_own:
                    check_visibility(frame, method, given, name)
                interpreter.at = span
                if method.written and proc is not None:
                    proc.handed_on()
                result = method.run(interpreter, given, values, proc)
            except RubyError as problem:
                problem.passes(span)
                raise
            except BreakJump as jump:
                if has_break and jump.target is not None and jump.target[0] is frame and jump.target[1] is code:
                    return jump.value
                raise
            if matches and not method.written:
                frame[ACTIVATION].match = interpreter.globals.get("$~")
            if note is not None:
                note(interpreter, method, given, before, values, proc, result)
            return boxed_items(result) if cuts and not method.written else result

        return call

    def _call_self(self, node: n.Call) -> Runner:
        """A call without receiver: of `self`, private methods included."""
        name, span, is_word = node.name, node.span, node.is_word
        arguments = self.argument_list(node.arguments, bare=name in KEEPS_NOTHING)
        keep = self.keeper(node.arguments) if name in KEEPS_NOTHING else None
        block, code = self.block_of(node)
        has_break = node.block is not None and node.block.has_break

        def call(frame: Frame) -> Value:
            values = arguments(frame)
            proc = block(frame) if block is not None else None
            interpreter = frame[0]
            given = frame[1]
            try:
                method = interpreter.find(given, name)
                interpreter.at = span
                if keep is not None and (method is None or method.written):
                    values = keep(values)
                if method is None:
                    return interpreter.missing(given, name, values, proc, is_word)
                if method.written and proc is not None:
                    proc.handed_on()
                return method.run(interpreter, given, values, proc)
            except RubyError as problem:
                problem.passes(span)
                raise
            except BreakJump as jump:
                if has_break and jump.target is not None and jump.target[0] is frame and jump.target[1] is code:
                    return jump.value
                raise

        return call

    def on_Index(self, node: n.Index) -> Runner:
        if len(node.arguments) != 1 or isinstance(node.arguments[0], (n.Splat, n.HashLiteral)):
            call = n.Call(node.object, "[]", node.arguments, span=node.span)
            return self._call_general(call)
        receiver, key, span = self.bare(node.object), self.bare(node.arguments[0]), node.span
        keep = self.keeper(node.arguments)

        def index(frame: Frame) -> Value:
            given = receiver(frame)
            at = key(frame)
            kind = type(given)
            if kind is dict:
                inner = type(at)
                return given.get(at if inner is str or inner is int or inner is Symbol else key_of(frame[0], at))
            if kind is list and type(at) is int:
                try:
                    return given[at]
                except IndexError:
                    return None
            interpreter = frame[0]
            interpreter.at = span
            try:
                method = interpreter.find(given, "[]")
                if method is None:
                    return interpreter.missing(given, "[]", [at] if keep is None else keep([at]), None)
                if method.written:
                    return method.run(interpreter, given, [at] if keep is None else keep([at]), None)
                result = method.run(interpreter, given, [at], None)
            except RubyError as problem:
                problem.passes(span)
                raise
            if type(at) is Regexp:
                frame[ACTIVATION].match = interpreter.globals.get("$~")
            return result

        return index

    # --- blocks ------------------------------------------------------------------------------------------------------

    def block_of(self, node: n.Call | n.Super) -> tuple[Runner | None, BlockCode | None]:
        """The closure that makes the block of a call, and the block's code if it is written there."""
        if node.block is not None:
            code = self.block_code(node.block)
            is_lambda = node.block.is_lambda
            return self.proc_maker(code, is_lambda, node), code
        if node.block_argument is not None:
            if isinstance(node.block_argument, n.Local) and node.block_argument.name == "&":
                return (lambda frame: frame[BLOCK]), None
            run, span = self.compile(node.block_argument), node.block_argument.span
            return (lambda frame: block_from(frame, run(frame), span)), None
        return None, None

    def proc_maker(self, code: BlockCode, is_lambda: bool, node: n.Node) -> Runner:
        """The closure that makes a block."""
        return lambda frame: BlockProc(code, frame, is_lambda)

    def block_code(self, node: n.Block) -> BlockCode:
        """A block, compiled."""
        holder: list[Any] = [None]
        self.loops.append(holder)
        binder = Binder(node.parameters, self.kept, self.store_targets)
        body = self.compile(node.body)
        self.loops.pop()
        code = holder[0] = BlockCode(node, binder, body)
        return code

    def on_LambdaLiteral(self, node: n.LambdaLiteral) -> Runner:
        return self.proc_maker(self.block_code(node.block), True, node)

    def on_Yield(self, node: n.Yield) -> Runner:
        arguments, span = self.argument_list(node.arguments), node.span

        def give(frame: Frame) -> Value:
            block = frame[BLOCK]
            if block is None:
                raise located(error("LocalJumpError", "no block given (yield)"), span)
            values = arguments(frame)
            try:
                return values_of_block(block, values)
            except RubyError as problem:
                problem.passes(span)
                raise

        return give

    # --- words that need the frame -----------------------------------------------------------------------------------

    def word_block_given(self, node: n.Call) -> Runner | None:
        return lambda frame: frame[BLOCK] is not None

    def word_lambda(self, node: n.Call) -> Runner | None:
        return self.proc_maker(self.block_code(node.block), True, node) if node.block is not None else None

    def word_proc(self, node: n.Call) -> Runner | None:
        return self.proc_maker(self.block_code(node.block), False, node) if node.block is not None else None

    def word_dunder_method__(self, node: n.Call) -> Runner | None:
        def name(frame: Frame) -> Value:
            method = frame[ACTIVATION].method
            return Symbol(method.name) if method is not None else None

        return name

    def word_private(self, node: n.Call) -> Runner | None:
        return self._visibility(node, Visibility.PRIVATE)

    def word_public(self, node: n.Call) -> Runner | None:
        return self._visibility(node, Visibility.PUBLIC)

    def word_protected(self, node: n.Call) -> Runner | None:
        return self._visibility(node, Visibility.PROTECTED)

    def word_module_function(self, node: n.Call) -> Runner | None:
        if node.arguments:
            return None

        def switch(frame: Frame) -> Value:
            frame[ACTIVATION].module_function = True

        return switch

    def _visibility(self, node: n.Call, visibility: str) -> Runner | None:
        if node.arguments:
            return None

        def switch(frame: Frame) -> Value:
            frame[ACTIVATION].visibility = visibility
            frame[ACTIVATION].module_function = False

        return switch

    def word_dunder_dir__(self, node: n.Call) -> Runner | None:
        directory = node.span.file.name.rpartition("/")[0] or "."
        return lambda frame: directory

    def word_binding(self, node: n.Call) -> Runner | None:
        span = node.span

        def refuse(frame: Frame) -> Value:
            raise RubyRefused("`binding` gives access to evaluation of strings, which is not allowed", span)

        return refuse

    word_local_variables = word_binding

    def word_loop(self, node: n.Call) -> Runner | None:
        if node.block is None or node.arguments:
            return None
        code, span = self.block_code(node.block), node.span
        make = self.proc_maker(code, False, node)

        def loop(frame: Frame) -> Value:
            proc = make(frame)
            try:
                while True:
                    proc.call([])
            except BreakJump as jump:
                if jump.target is not None and jump.target[0] is frame and jump.target[1] is code:
                    return jump.value
                raise
            except RubyError as problem:
                if problem.is_a("StopIteration"):
                    return problem.exception.details.get("result")
                problem.passes(span)
                raise

        return loop

    # --- definitions -------------------------------------------------------------------------------------------------

    def method_from(self, node: n.Define) -> tuple[Binder, Runner]:
        """The parameters and body of a method, compiled."""
        outer, self.loops = self.loops, []
        around, self.method_parameters = self.method_parameters, (node.parameters, 0)
        binder = Binder(node.parameters, self.kept, self.store_targets)
        body = self.compile(tail(node.body))
        self.loops = outer
        self.method_parameters = around
        return binder, body

    def on_Define(self, node: n.Define) -> Runner:
        binder, body = self.method_from(node)
        singleton = self.compile(node.singleton) if node.singleton is not None else None

        def define(frame: Frame) -> Value:
            activation = frame[ACTIVATION]
            interpreter = frame[0]
            method = make_method(node.name, binder, body, node.slots - HEAD, activation.nesting)
            method.parameters = node.parameters
            interpreter.defined.add(node.name)
            if singleton is not None or activation.of_self:
                method.owner = frame[1] if singleton is None else singleton(frame)
                own_methods(interpreter, method.owner)[node.name] = method
                return Symbol(node.name)
            target = activation.definee
            if target is None:
                target = frame[1]
                if isinstance(target, Object):
                    own_methods(interpreter, target)[node.name] = method
                    return Symbol(node.name)
            if not isinstance(target, Module):
                raise NotSupported("a method cannot be defined here", node.span)
            if target.frozen:
                raise RubyRefused(f"`{target.name}` cannot be changed: a method is defined in it", node.span)
            method.owner = target
            if node.name in ("initialize", "initialize_copy", "respond_to_missing?"):
                method.visibility = Visibility.PRIVATE
            elif activation.module_function:
                target.own[node.name] = method
            else:
                method.visibility = activation.visibility
            target.methods[node.name] = method
            return Symbol(node.name)

        return define

    def _class_body(self, body_node: n.Node, slots: int) -> Any:
        outer, self.loops = self.loops, []
        body = self.compile(body_node)
        self.loops = outer
        spare = [None] * (slots - HEAD)

        def run(frame: Frame, module: Module, definee: Module | None = None) -> Value:
            inside = definee or module
            activation = Activation(None, None, (module, *frame[ACTIVATION].nesting), inside)
            return body([frame[0], inside, None, activation, None, *spare])

        return run

    def on_DefineModule(self, node: n.DefineModule) -> Runner:
        run = self._class_body(node.body, node.slots)
        find = self._place_of(node.path)

        def define(frame: Frame) -> Value:
            outer, module = find(frame)
            if module is MISSING:
                module = Module(None, outer=outer)
                frame[0].define_constant(outer, node.path.name, module)
            elif not isinstance(module, Module) or module.is_class:
                raise located(error("TypeError", f"{node.path.name} is not a module"), node.span)
            return run(frame, module)

        return define

    def on_DefineClass(self, node: n.DefineClass) -> Runner:
        run = self._class_body(node.body, node.slots)
        find = self._place_of(node.path)
        above = self.compile(node.superclass) if node.superclass is not None else None

        def define(frame: Frame) -> Value:
            interpreter = frame[0]
            superclass = above(frame) if above is not None else None
            if above is not None and not isinstance(superclass, Class):
                raise located(error("TypeError", "superclass must be a Class"), node.span)
            outer, cls = find(frame)
            if cls is MISSING:
                cls = new_class(interpreter, superclass or OBJECT, outer)
                interpreter.define_constant(outer, node.path.name, cls)
                inherited(interpreter, cls)
            elif not isinstance(cls, Class):
                raise located(error("TypeError", f"{node.path.name} is not a class"), node.span)
            elif superclass is not None and cls.superclass is not superclass:
                message = f"superclass mismatch for class {node.path.name}"
                raise located(error("TypeError", message), node.span)
            return run(frame, cls)

        return define

    def _place_of(self, path: n.ConstantName) -> Any:
        scope = self.compile(path.scope) if path.scope is not None else None
        name, top = path.name, path.top

        def find(frame: Frame) -> tuple[Module | None, Value]:
            interpreter = frame[0]
            nesting = frame[ACTIVATION].nesting
            if scope is not None:
                outer = scope(frame)
                return outer, interpreter.constant_in(outer, name)
            if top or not nesting:
                return None, interpreter.top_constant(name)
            outer = nesting[0]
            constant = outer.constants.get(name, MISSING)
            if constant is MISSING and outer.host is not None:
                constant = interpreter.world.constant(interpreter, outer, name)
            return outer, constant

        return find

    def on_SingletonClass(self, node: n.SingletonClass) -> Runner:
        run = self._class_body(node.body, node.slots)
        target = self.compile(node.object)

        def define(frame: Frame) -> Value:
            holder = target(frame)
            inner = Module(None)
            inner.methods = own_methods(frame[0], holder)
            if isinstance(holder, Module):
                inner.name, inner.included = holder.name, holder.extended
            return run(frame, holder if isinstance(holder, Module) else OBJECT, inner)

        return define

    def on_Alias(self, node: n.Alias) -> Runner:
        def alias(frame: Frame) -> Value:
            target = frame[ACTIVATION].definee
            method = target.find(node.old)
            if method is None:
                words = f"undefined method `{node.old}' for class `{target.name}'"
                raise located(error("NameError", words), node.span)
            target.methods[node.new] = method
            frame[0].defined.add(node.new)

        return alias

    def on_Undefine(self, node: n.Undefine) -> Runner:
        def undefine(frame: Frame) -> Value:
            for name in node.names:
                frame[ACTIVATION].definee.methods.pop(name, None)

        return undefine

    def on_Super(self, node: n.Super) -> Runner:
        arguments = self._same_arguments() if node.arguments is None else self.argument_list(node.arguments)
        block, _ = self.block_of(node)
        span = node.span

        def call(frame: Frame) -> Value:
            activation = frame[ACTIVATION]
            method = activation.method
            if method is None:
                raise located(error("RuntimeError", "super called outside of method"), span)
            values = list(activation.arguments or []) if arguments is None else arguments(frame)
            proc = block(frame) if block is not None else frame[BLOCK]
            above = super_method(frame[1], method)
            try:
                if above is None:
                    if method.name in ("initialize", "inherited", "included", "extended", "method_added"):
                        return None
                    if method.name == "respond_to_missing?":
                        return False
                    shown = frame[0].shown_receiver(frame[1])
                    words = f"super: no superclass method `{method.name}' for {shown}"
                    raise error("NoMethodError", words)
                return above.run(frame[0], frame[1], values, proc)
            except RubyError as problem:
                problem.passes(span)
                raise

        return call

    def _same_arguments(self) -> Runner | None:
        """The arguments of `super` alone: the method's parameters as they are now."""
        if self.method_parameters is None:
            return None
        parameters, depth = self.method_parameters
        climb = sum(1 for loop in self.loops if loop is not None) - depth
        slots = [*parameters.required, *(slot for slot, _ in parameters.optional)]

        def make(frame: Frame) -> list[Value]:
            for _ in range(climb if climb > 0 else 0):
                frame = frame[4] if frame[4] is not None else frame
            values = [frame[slot] for slot in slots if isinstance(slot, int)]
            if parameters.rest is not None:
                values.extend(frame[parameters.rest])
            values.extend(frame[slot] for slot in parameters.post if isinstance(slot, int))
            keywords = Keywords({Symbol(name): frame[slot] for name, slot, _ in parameters.keywords})
            if parameters.keyword_rest is not None:
                keywords.update(frame[parameters.keyword_rest])
            return [*values, keywords] if keywords else values

        return make

    def defined_super(self) -> Runner:
        def defined(frame: Frame) -> Value:
            method = frame[ACTIVATION].method
            return "super" if method is not None and super_method(frame[1], method) is not None else None

        return defined


_WORDS = frozenset(
    "block_given? lambda proc __method__ private public protected module_function __dir__ binding"
    " local_variables loop".split()
)
_PIECES = frozenset("split lines chars scan partition rpartition readlines".split())
"""Methods that cut a string into an array of new ones."""

MATCHING = frozenset(
    "match scan sub gsub sub! gsub! =~ slice slice! index rindex [] partition rpartition === split".split()
)
"""Methods that leave `$~` behind."""


def tail(node: n.Node) -> n.Node:
    """A method's body with the `return`s at its end taken away: the value is the result anyway."""
    match node:
        case n.Return():
            return tail(node.value)
        case n.Sequence():
            return n.Sequence((*node.statements[:-1], tail(node.statements[-1])), span=node.span)
        case n.If():
            return n.If(node.test, tail(node.yes), tail(node.no), span=node.span)
        case n.Case():
            whens = tuple(n.When(when.patterns, tail(when.body)) for when in node.whens)
            return n.Case(node.subject, whens, tail(node.otherwise), span=node.span)
    return node


def make_method(name: str, binder: Binder, body: Runner, spare_count: int, nesting: tuple[Module, ...]) -> Method:
    """A method of Ruby code."""
    spare = [None] * spare_count
    simple = binder.simple
    method: Method

    def run(interpreter: Any, self: Value, arguments: list[Value], block: Any) -> Value:
        activation = Activation(method, arguments, nesting, nesting[0] if nesting else None)
        frame = [interpreter, self, block, activation, None, *spare]
        if interpreter.tracker is not None:
            frame[-1] = interpreter.tracker.parameters()
        interpreter.depth += 1
        budget = interpreter.budget
        budget.steps -= 1
        try:
            if budget.steps < 0:
                budget.over("steps", f"calling {name}", interpreter.at)
            if interpreter.depth > interpreter.depth_limit:
                raise error("SystemStackError", "stack level too deep")
            if simple >= 0 and not (arguments and type(arguments[-1]) is Keywords):
                if len(arguments) != simple:
                    raise argument_count(len(arguments), simple, simple)
                if simple:
                    frame[HEAD : HEAD + simple] = arguments
            else:
                binder.bind(frame, arguments, block, True)
            return body(frame)
        except ReturnJump as jump:
            if jump.target is not activation:
                raise
            return jump.value
        except RubyError as problem:
            problem.crossed = True
            raise
        except RecursionError:
            raise error("SystemStackError", "stack level too deep") from None
        finally:
            interpreter.depth -= 1

    method = Method(name, run, binder.low, binder.high, written=True)
    return method


def super_method(self_object: Value, method: Method) -> Method | None:
    """The method that `super` calls."""
    if isinstance(self_object, Module) and method.owner is not None and self_object.own.get(method.name) is not None:
        here = self_object.superclass if isinstance(self_object, Class) else None
        while here is not None:
            above = here.own.get(method.name)
            if above is not None and above is not method:
                return above
            here = here.superclass
        return (CLASS if self_object.is_class else MODULE).find(method.name)
    from .classes import class_of

    line = class_of(self_object).line()
    start = line.index(method.owner) + 1 if method.owner in line else 0
    for module in line[start:]:
        above = module.methods.get(method.name)
        if above is not None:
            return above
    return None


def new_class(interpreter: Any, superclass: Class, outer: Module | None = None) -> Class:
    """A class that Ruby code makes."""
    cls = Class(None, superclass, outer=outer)
    if cls.make is None:
        from .showing import module_name

        raise NotSupported(f"a class below {module_name(superclass)}", interpreter.at)
    return cls


def inherited(interpreter: object, cls: Class) -> None:
    """Tell the superclass, if it wants to know."""
    if cls.superclass is not None:
        hook = cls.superclass.find_own("inherited")
        if hook is not None:
            hook.run(interpreter, cls.superclass, [cls], None)


def own_methods(interpreter: Any, holder: Value) -> dict[str, Method]:
    """The table of an object's own methods."""
    if isinstance(holder, Module):
        if holder.frozen:
            raise RubyRefused(f"`{holder.name}` cannot be changed", getattr(interpreter, "at", None))
        return holder.own
    if isinstance(holder, Object):
        if holder.own is None:
            holder.own = {}
        return holder.own
    if isinstance(holder, int | float | Symbol) and not isinstance(holder, bool):
        raise error("TypeError", "can't define singleton")
    raise NotSupported("a method of one value of a class of Ruby's own", interpreter.at)


def block_from(frame: Frame, value: Value, span: Span) -> Proc | None:
    """`&value`"""
    if value is None or isinstance(value, Proc):
        return value
    if type(value) is Symbol:
        return symbol_proc(frame[0], value.name)
    conversion = frame[0].find(value, "to_proc")
    if conversion is not None:
        converted = conversion.run(frame[0], value, [], None)
        if isinstance(converted, Proc):
            return converted
    from .classes import class_name

    raise located(error("TypeError", f"wrong argument type {class_name(value)} (expected Proc)"), span)


def symbol_proc(interpreter: Any, name: str) -> NativeProc:
    """`&:name`"""

    def run(arguments: list[Value]) -> Value:
        if not arguments:
            raise error("ArgumentError", "no receiver given")
        interpreter.budget.draw("steps", 1, f"calling {name}", interpreter.at)
        return interpreter.send(arguments[0], name, arguments[1:])

    return NativeProc(run, -2)


def check_visibility(frame: Frame, method: Method, receiver: Value, name: str) -> None:
    """Private methods need `self` as receiver; protected ones a caller of the same class."""
    if method.visibility is Visibility.PRIVATE and receiver is not frame[1]:
        raise frame[0].private_call(receiver, name, "private")
    if method.visibility is Visibility.PROTECTED:
        from .classes import class_of

        if method.owner is not None and not class_of(frame[1]).inherits(method.owner):
            raise frame[0].private_call(receiver, name, "protected")


def _with_own_match(call: Runner) -> Runner:
    """`Regexp.last_match` speaks about the method it is written in, as `$~` does; a method of ours has no frame."""

    def call_with_match(frame: Frame) -> Value:
        frame[0].globals["$~"] = frame[ACTIVATION].match
        return call(frame)

    return call_with_match


def boxed_items(pieces: Value) -> Value:
    """In a file that changes strings, the new strings that a text is cut into can be changed."""
    if type(pieces) is list:
        pieces[:] = [Text(piece) if type(piece) is str else piece for piece in pieces]
    return pieces


__all__ = ["Calls", "Hash", "HostObject", "constant_named", "hash_splatted"]

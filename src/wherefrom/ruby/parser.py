"""Ruby source -> resolved nodes.

The text is read by `tree-sitter` with its Ruby grammar; this module turns that tree into `nodes`, and resolves local
variables on the way (a name is local from its first assignment in the text). Offsets of the parser are bytes of the
text it was given; a `Places` object turns them into spans of the file the user wrote, which for a template is not
the text that was parsed (see `erb`).

The grammar takes more than Ruby does; what it marks as an error is a `RubySyntaxError`.
"""

from __future__ import annotations

import re
from typing import Any

import wherefrom.ruby.nodes as n

from ..base.source import SourceFile
from .errors import RubySyntaxError
from .facts import CHANGES_TEXT
from .reading import HEAD as HEAD
from .reading import OUTPUT_MARK, TEXT_MARK, Scope
from .reading import Places as Places
from .reading_literals import Literals

_MATCH_VARIABLE = re.compile(r"\$(?:[0-9]+|[~&`'+])\Z")


def parse_ruby(source: SourceFile) -> n.Root:
    """A file of Ruby as nodes."""
    data = source.text.encode("utf-8", "surrogateescape")
    return Parser(data, Places(source, data)).root()


class Parser(Literals):
    """One text being turned into nodes."""

    # --- the whole ---------------------------------------------------------------------------------------------------

    def root(self) -> n.Root:
        """The whole text."""
        top = self.tree.root_node
        if top.has_error:
            raise self._syntax_error(top)
        if b"<<" in self.data:
            self._pair_heredocs(top)
        head = self.data[:400].split(b"\n", 3)[:3]
        frozen = any(re.match(rb"#.*frozen[_-]string[_-]literal:\s*true", line) for line in head)
        body = self.sequence(top)
        return n.Root(body, self.scope.slots + 1, frozen, self.changes)

    def _syntax_error(self, top: Any) -> RubySyntaxError:
        stack = [top]
        while stack:
            node = stack.pop()
            if node.type == "ERROR" or node.is_missing:
                span = self.places.span(node.start_byte, node.end_byte)
                what = f"expected {node.type}" if node.is_missing else "unexpected text"
                return RubySyntaxError(f"syntax error: {what}", span)
            stack.extend(reversed([child for child in node.children if child.has_error or child.is_missing]))
        return RubySyntaxError("syntax error", self.places.span(0, len(self.data)))

    def _pair_heredocs(self, top: Any) -> None:
        begins: list[Any] = []
        bodies: list[Any] = []
        stack = [top]
        while stack:
            node = stack.pop()
            if node.type == "heredoc_beginning":
                begins.append(node)
            elif node.type == "heredoc_body":
                bodies.append(node)
            stack.extend(node.children)
        begins.sort(key=lambda node: node.start_byte)
        bodies.sort(key=lambda node: node.start_byte)
        self.heredocs = {begin.start_byte: body for begin, body in zip(begins, bodies)}

    # --- names -------------------------------------------------------------------------------------------------------

    def read_identifier(self, node: object) -> n.Node:
        return self.word(self.text(node), node)

    def word(self, name: str, node: object) -> n.Node:
        place = self.scope.find(name)
        if place is None and len(name) == 2 and name[0] == "_" and name[1] in "123456789" and self.scope.is_block:
            self.scope.numbered = max(self.scope.numbered, int(name[1]))
            for number in range(1, int(name[1]) + 1):
                self.scope.declare(f"_{number}")
            place = self.scope.find(name)
        span = self.span(node)
        if place is not None:
            return n.Local(name, place[0], place[1], span=span)
        if name in ("__FILE__", "__LINE__", "__ENCODING__"):
            if name == "__LINE__":
                return n.Constant(span.line, span=span)
            return n.Str(self.places.file.name if name == "__FILE__" else "UTF-8", span=span)
        return n.Call(None, name, (), is_word=True, span=span)

    read_file = read_line = read_encoding = read_identifier

    def read_instance_variable(self, node: object) -> n.Node:
        return n.InstanceVariable(self.text(node), span=self.span(node))

    def read_class_variable(self, node: object) -> n.Node:
        return n.ClassVariable(self.text(node), span=self.span(node))

    def read_global_variable(self, node: object) -> n.Node:
        name = self.text(node)
        if _MATCH_VARIABLE.match(name):
            return n.MatchVariable(name, span=self.span(node))
        return n.GlobalVariable(name, span=self.span(node))

    def read_constant(self, node: object) -> n.Node:
        return n.ConstantName(None, self.text(node), span=self.span(node))

    def read_scope_resolution(self, node: Any) -> n.Node:
        scope = node.child_by_field_name("scope")
        name_node = node.child_by_field_name("name")
        name = self.text(name_node)
        if name_node.type != "constant" and scope is not None:
            return n.Call(self.node(scope), name, (), span=self.span(node))
        inner = self.node(scope) if scope is not None else None
        return n.ConstantName(inner, name, scope is None, span=self.span(node))

    # --- assignments -------------------------------------------------------------------------------------------------

    def target(self, node: Any) -> n.Node:
        """The left side of an assignment."""
        span = self.span(node)
        match node.type:
            case "identifier":
                name = self.text(node)
                place = self.scope.find(name)
                if place is None:
                    place = (0, self.scope.declare(name))
                return n.Local(name, place[0], place[1], span=span)
            case "element_reference":
                self.changes = True
                return self.read_element_reference(node)
            case "call":
                receiver = node.child_by_field_name("receiver")
                operator = node.child_by_field_name("operator")
                name = self.text(node.child_by_field_name("method"))
                inner = self.node(receiver) if receiver is not None else n.Self(span=span)
                return n.Attribute(inner, name, operator is not None and self.text(operator) == "&.", span=span)
            case "left_assignment_list" | "destructured_left_assignment":
                return self.targets(node)
            case "rest_assignment":
                inside = self.named(node)
                return self.target(inside[0]) if inside else n.Nowhere(span=span)
        return self.node(node)

    def targets(self, node: object) -> n.Targets:
        """Several targets, one of them perhaps starred."""
        splat: int | None = None
        targets: list[n.Node] = []
        for child in self.named(node):
            if child.type == "rest_assignment":
                splat = len(targets)
            targets.append(self.target(child))
        return n.Targets(tuple(targets), splat, span=self.span(node))

    def read_assignment(self, node: Any) -> n.Node:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left.type == "identifier":
            # The name is local on its own right side too: `x = x` gives nil.
            target = self.target(left)
            value = self._right(right)
        else:
            inside = self.named(left) if left.type == "left_assignment_list" else []
            if len(inside) == 1 and inside[0].type == "destructured_left_assignment" and not _has_comma(left):
                left = inside[0]  # `(a, b) = x` is `a, b = x`; `(a, b), = x` is not
            target = self.target(left)
            value = self._right(right)
        return n.Assign(target, value, span=self.span(node))

    def _right(self, node: Any) -> n.Node:
        if node.type == "right_assignment_list":
            return n.ArrayLiteral(self.arguments(node)[0], span=self.span(node))
        if node.type == "splat_argument":
            return n.ArrayLiteral((self.node(node),), span=self.span(node))
        return self.node(node)

    def read_operator_assignment(self, node: Any) -> n.Node:
        target = self.target(node.child_by_field_name("left"))
        operator = self.text(node.child_by_field_name("operator"))[:-1]
        if operator in CHANGES_TEXT:
            self.changes = True
        value = self._right(node.child_by_field_name("right"))
        return n.OperatorAssign(target, operator, value, span=self.span(node))

    def read_simple_symbol(self, node: object) -> n.Node:
        if self.text(node)[1:] in CHANGES_TEXT:  # `each(&:strip!)`
            self.changes = True
        return super().read_simple_symbol(node)

    # --- operators ---------------------------------------------------------------------------------------------------

    def read_binary(self, node: Any) -> n.Node:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator_node = node.child_by_field_name("operator")
        operator = self.text(operator_node)
        span = self.span(node)
        first, second = self.node(left), self.node(right)
        if operator in ("&&", "and"):
            return n.And(first, second, span=span)
        if operator in ("||", "or"):
            return n.Or(first, second, span=span)
        if operator in CHANGES_TEXT:
            self.changes = True
        if operator == "!~":
            return n.Not(n.Call(first, "=~", (second,), span=span), span=span)
        call = n.Call(first, "==" if operator == "!=" else operator, (second,), span=span)
        if operator == "!=":
            return n.Call(first, "!=", (second,), span=span)
        if operator == "=~" and isinstance(first, n.Regex):
            return self._named_groups(first.source, call)
        return call

    def _named_groups(self, source: str, call: n.Call) -> n.Node:
        """`/(?<year>..)/ =~ text` sets local variables."""
        names = re.findall(r"\(\?<([a-z_]\w*)>", source)
        if not names:
            return call
        span = call.span
        result = n.Local("", 0, self.scope.hidden(), span=span)
        statements: list[n.Node] = [n.Assign(result, call, span=span)]
        for name in names:
            place = self.scope.find(name) or (0, self.scope.declare(name))
            target = n.Local(name, place[0], place[1], span=span)
            statements.append(n.Assign(target, n.MatchVariable(f"$<{name}>", span=span), span=span))
        return n.Sequence((*statements, result), span=span)

    def read_unary(self, node: Any) -> n.Node:
        operator_node = node.child_by_field_name("operator")
        operand = node.child_by_field_name("operand")
        operator = self.text(operator_node)
        span = self.span(node)
        if operator in ("!", "not"):
            return n.Not(self.node(operand), span=span)
        if operator == "defined?":
            return n.Defined(self.node(operand), span=span)
        value = self.node(operand)
        if operator == "-" and isinstance(value, n.Constant) and type(value.value) in (int, float):
            return n.Constant(-value.value, span=span)
        name = {"-": "-@", "+": "+@"}.get(operator, operator)
        return n.Call(value, name, (), span=span)

    def read_parenthesized_statements(self, node: object) -> n.Node:
        return self.sequence(node)

    def read_element_reference(self, node: Any) -> n.Node:
        object_node = node.child_by_field_name("object")
        children = [child for child in self.named(node) if child != object_node]
        arguments = self._arguments(children)[0]
        return n.Index(self.node(object_node), arguments, span=self.span(node))

    # --- calls -------------------------------------------------------------------------------------------------------

    def arguments(self, node: object) -> tuple[tuple[n.Node, ...], n.Block | None, n.Node | None]:
        """The arguments below a node."""
        return self._arguments(self.named(node)) if node is not None else ((), None, None)

    def _arguments(self, children: list[Any]) -> tuple[tuple[n.Node, ...], n.Block | None, n.Node | None]:
        items: list[n.Node] = []
        pairs: list[tuple[n.Node | None, n.Node]] = []
        block_argument: n.Node | None = None
        first: Any = None
        last: Any = None
        for child in children:
            if child.type in ("pair", "hash_splat_argument"):
                first = first or child
                last = child
                pairs.append(self.pair(child))
            elif child.type == "block_argument":
                inner = self.named(child)
                block_argument = self.node(inner[0]) if inner else n.Local("&", 0, 2, span=self.span(child))
            elif child.type == "forward_argument":
                items.append(self.unsupported(child, "argument forwarding `...`"))
            else:
                items.append(self.node(child))
        if pairs:
            span = self.places.span(first.start_byte, last.end_byte)
            items.append(n.HashLiteral(tuple(pairs), True, span=span))
        return tuple(items), None, block_argument

    def read_splat_argument(self, node: object) -> n.Node:
        return n.Splat(self.node(self.splatted(node)), span=self.span(node))

    def read_call(self, node: Any) -> n.Node:
        receiver_node = node.child_by_field_name("receiver")
        method_node = node.child_by_field_name("method")
        operator_node = node.child_by_field_name("operator")
        span = self.span(node)
        if method_node is None:
            name = "call"
        else:
            name = self.text(method_node)
        if self.chunks is not None and receiver_node is None:
            piece = self._template_piece(name, node)
            if piece is not None:
                return piece
        receiver = self.node(receiver_node) if receiver_node is not None else None
        arguments, _, block_argument = self.arguments(node.child_by_field_name("arguments"))
        block_node = node.child_by_field_name("block")
        block = self.block(block_node, name == "lambda" and receiver is None) if block_node is not None else None
        if method_node is not None and method_node.type == "super":
            return n.Super(arguments, block, block_argument, span=span)
        if name in CHANGES_TEXT:
            self.changes = True
        if (
            method_node is not None
            and method_node.type == "constant"
            and receiver is not None
            and operator_node is not None
            and self.text(operator_node) == "::"
            and node.child_by_field_name("arguments") is None
            and block is None
        ):
            return n.ConstantName(receiver, name, span=span)
        if name == "!" and receiver is not None:
            return n.Not(receiver, span=span)
        safe = operator_node is not None and self.text(operator_node) == "&."
        return n.Call(receiver, name, arguments, block, block_argument, safe, span=span)

    def _template_piece(self, name: str, node: Any) -> n.Node | None:
        """The marks that `erb` leaves for text and output."""
        assert self.chunks is not None
        if name == TEXT_MARK:
            text, span = self.chunks[int(self.text(node.child_by_field_name("arguments")).strip("() "))]
            return n.TemplateText(text, span=span)
        if name == OUTPUT_MARK:
            inside = self.named(node.child_by_field_name("arguments"))
            if len(inside) == 1 and inside[0].type == "parenthesized_statements":
                span = self.places.span(inside[0].start_byte + 1, inside[0].end_byte - 1)
                return n.TemplateOutput(self.sequence(inside[0]), span=span)
            raise RubySyntaxError("syntax error in `<%= %>`", self.span(node))
        return None

    def read_super(self, node: object) -> n.Node:
        return n.Super(None, None, None, span=self.span(node))

    def read_yield(self, node: object) -> n.Node:
        inner = self.named(node)
        arguments = self.arguments(inner[0])[0] if inner else ()
        return n.Yield(arguments, span=self.span(node))

    def read_lambda(self, node: Any) -> n.Node:
        body = node.child_by_field_name("body")
        return n.LambdaLiteral(self.block(body, True, node.child_by_field_name("parameters")), span=self.span(node))

    def block(self, node: Any, is_lambda: bool, parameters_node: Any = None) -> n.Block:
        """A block of a call or of a lambda."""
        self.scope = scope = Scope(self.scope, True)
        self.jumps.append(set())
        parameters_node = parameters_node or node.child_by_field_name("parameters")
        parameters = self.parameters(parameters_node, node)
        body_node = node.child_by_field_name("body")
        body = self.body(body_node) if body_node is not None else self.nothing(node)
        jumps = self.jumps.pop()
        assert scope.parent is not None
        self.scope = scope.parent
        if scope.numbered and parameters_node is None:
            slots = tuple(scope.names[f"_{number}"] for number in range(1, scope.numbered + 1))
            names = tuple(("opt", f"_{number}") for number in range(1, scope.numbered + 1))
            parameters = n.Parameters(slots, (), None, (), (), None, None, names)
        # `return` in a lambda ends the lambda, and `break` in a block leaves through every block between.
        return n.Block(
            parameters,
            body,
            scope.slots + 1,
            is_lambda,
            "next" in jumps or "redo" in jumps,
            "break" in jumps,
            span=self.span(node),
        )

    def parameters(self, node: Any, owner: Any) -> n.Parameters:
        """The parameters of a method or block; declares their names."""
        required: list[int | n.Targets] = []
        optional: list[tuple[int, n.Node]] = []
        post: list[int | n.Targets] = []
        keywords: list[tuple[str, int, Any]] = []
        rest = keyword_rest = block = None
        names: list[tuple[str, str]] = []
        trailing = False
        children = self.named(node) if node is not None else []
        for child in children:
            if node.type in ("block_parameters", "lambda_parameters") and child in node.children_by_field_name(
                "locals"
            ):
                self.scope.declare(self.text(child))
                continue
            bag = post if rest is not None or optional else required
            name_node = child.child_by_field_name("name")
            name = self.text(name_node) if name_node is not None else ""
            match child.type:
                case "identifier":
                    name = self.text(child)
                    bag.append(self._parameter(name))
                    names.append(("req", name))
                case "destructured_parameter":
                    bag.append(self._destructured(child))
                    names.append(("req", ""))
                case "optional_parameter":
                    slot = self._parameter(name)
                    optional.append((slot, self.node(child.child_by_field_name("value"))))
                    names.append(("opt", name))
                case "splat_parameter":
                    rest = self._parameter(name) if name else self.scope.declare("*")
                    names.append(("rest", name))
                case "keyword_parameter":
                    slot = self._parameter(name)
                    value = child.child_by_field_name("value")
                    keywords.append((name, slot, self.node(value) if value is not None else n.REQUIRED))
                    names.append(("key" if value is not None else "keyreq", name))
                case "hash_splat_parameter":
                    keyword_rest = self._parameter(name) if name else self.scope.declare("**")
                    names.append(("keyrest", name))
                case "block_parameter":
                    block = self._parameter(name) if name else self.scope.declare("&")
                    names.append(("block", name))
        if (
            node is not None
            and node.type == "block_parameters"
            and len(required) == 1
            and not optional
            and rest is None
        ):
            tokens = [child.type for child in node.children]
            trailing = "," in tokens
        return n.Parameters(
            tuple(required),
            tuple(optional),
            rest,
            tuple(post),
            tuple(keywords),
            keyword_rest,
            block,
            tuple(names),
            trailing,
        )

    def _parameter(self, name: str) -> int:
        # A parameter is new even where an outer block has the name.
        if name in self.scope.names and name != "_" and not name.startswith("_"):
            return self.scope.names[name]
        return self.scope.declare(name) if name not in self.scope.names else self.scope.hidden()

    def _destructured(self, node: object) -> n.Targets:
        targets: list[n.Node] = []
        splat: int | None = None
        for child in self.named(node):
            span = self.span(child)
            if child.type == "destructured_parameter":
                targets.append(self._destructured(child))
            elif child.type == "splat_parameter":
                splat = len(targets)
                name_node = child.child_by_field_name("name")
                if name_node is None:
                    targets.append(n.Nowhere(span=span))
                else:
                    name = self.text(name_node)
                    targets.append(n.Local(name, 0, self._parameter(name), span=span))
            else:
                name = self.text(child)
                targets.append(n.Local(name, 0, self._parameter(name), span=span))
        return n.Targets(tuple(targets), splat, span=self.span(node))

    # --- control -----------------------------------------------------------------------------------------------------

    def read_then(self, node: object) -> n.Node:
        return self.sequence(node)

    read_else = read_do = read_block_body = read_then

    def read_program(self, node: object) -> n.Node:
        return self.sequence(node)

    def body(self, node: Any) -> n.Node:
        """A body that may have `rescue` and `ensure`."""
        if node.type not in ("body_statement", "begin", "block_body", "do", "then"):
            return self.node(node)
        return self._guarded(node)

    read_body_statement = read_begin = body

    def _guarded(self, node: object) -> n.Node:
        clauses = frozenset(("rescue", "else", "ensure"))
        inner = self.sequence(node, clauses)
        rescues: list[n.Rescue] = []
        otherwise: n.Node | None = None
        ensure: n.Node | None = None
        for child in self.named(node):
            if child.type == "rescue":
                rescues.append(self._rescue(child))
            elif child.type == "else":
                otherwise = self.sequence(child)
            elif child.type == "ensure":
                ensure = self.sequence(child)
        if otherwise is not None and not rescues:
            raise RubySyntaxError("else without rescue is useless", self.span(node))
        if not rescues and ensure is None:
            return inner
        return n.Begin(inner, tuple(rescues), otherwise, ensure, span=self.span(node))

    def _rescue(self, node: Any) -> n.Rescue:
        exceptions = node.child_by_field_name("exceptions")
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        classes = tuple(self.node(child) for child in self.named(exceptions)) if exceptions is not None else ()
        target = self.target(self.named(variable)[0]) if variable is not None else None
        return n.Rescue(classes, target, self.optional(body, node))

    def read_rescue_modifier(self, node: Any) -> n.Node:
        body = self.node(node.child_by_field_name("body"))
        handler = self.node(node.child_by_field_name("handler"))
        span = self.span(node)
        if isinstance(body, n.Assign):
            # `a = b rescue c` assigns whichever it is.
            guarded = n.Begin(body.value, (n.Rescue((), None, handler),), None, None, span=span)
            return n.Assign(body.target, guarded, span=span)
        return n.Begin(body, (n.Rescue((), None, handler),), None, None, span=span)

    def read_if(self, node: object) -> n.Node:
        return self._if(node, False)

    read_elsif = read_if

    def read_unless(self, node: object) -> n.Node:
        return self._if(node, True)

    read_conditional = read_if

    def _if(self, node: Any, negate: bool) -> n.Node:
        test = self.node(node.child_by_field_name("condition"))
        yes = self.optional(node.child_by_field_name("consequence"), node)
        no = self.optional(node.child_by_field_name("alternative"), node)
        return n.If(test, no if negate else yes, yes if negate else no, span=self.span(node))

    def read_if_modifier(self, node: Any) -> n.Node:
        body = self.node(node.child_by_field_name("body"))
        test = self.node(node.child_by_field_name("condition"))
        return n.If(test, body, self.nothing(node), span=self.span(node))

    def read_unless_modifier(self, node: Any) -> n.Node:
        body = self.node(node.child_by_field_name("body"))
        test = self.node(node.child_by_field_name("condition"))
        return n.If(test, self.nothing(node), body, span=self.span(node))

    def read_while(self, node: Any) -> n.Node:
        self.jumps.append(set())
        test = self.node(node.child_by_field_name("condition"))
        body = self.optional(node.child_by_field_name("body"), node)
        self.jumps.pop()
        return n.While(test, body, node.type.startswith("until"), False, span=self.span(node))

    read_until = read_while

    def read_while_modifier(self, node: Any) -> n.Node:
        self.jumps.append(set())
        body_node = node.child_by_field_name("body")
        body = self.node(body_node)
        test = self.node(node.child_by_field_name("condition"))
        self.jumps.pop()
        until = node.type.startswith("until")
        return n.While(test, body, until, body_node.type == "begin", span=self.span(node))

    read_until_modifier = read_while_modifier

    def read_for(self, node: Any) -> n.Node:
        values = self.sequence(node.child_by_field_name("value"))
        target = self.target(node.child_by_field_name("pattern"))
        self.jumps.append(set())
        body = self.optional(node.child_by_field_name("body"), node)
        self.jumps.pop()
        return n.For(target, values, body, span=self.span(node))

    def read_case(self, node: Any) -> n.Node:
        value = node.child_by_field_name("value")
        subject = self.node(value) if value is not None else None
        whens: list[n.When] = []
        otherwise = self.nothing(node)
        for child in self.named(node):
            if child.type == "when":
                patterns = tuple(
                    self.node(self.named(pattern)[0]) for pattern in child.children_by_field_name("pattern")
                )
                whens.append(n.When(patterns, self.optional(child.child_by_field_name("body"), child)))
            elif child.type == "else":
                otherwise = self.sequence(child)
        return n.Case(subject, tuple(whens), otherwise, span=self.span(node))

    def read_case_match(self, node: object) -> n.Node:
        return self.unsupported(node, "pattern matching (`case ... in`)")

    def _jump_value(self, node: object) -> n.Node:
        inner = self.named(node)
        if not inner:
            return self.nothing(node)
        items = self.arguments(inner[0])[0]
        if len(items) == 1 and not isinstance(items[0], n.Splat):
            item = items[0]
            if isinstance(item, n.HashLiteral) and item.keywords:
                return n.HashLiteral(item.pairs, span=item.span)
            return item
        return n.ArrayLiteral(items, span=self.span(node))

    def read_return(self, node: object) -> n.Node:
        self.jumps[-1].add("return")
        return n.Return(self._jump_value(node), span=self.span(node))

    def read_break(self, node: object) -> n.Node:
        self.jumps[-1].add("break")
        return n.Break(self._jump_value(node), span=self.span(node))

    def read_next(self, node: object) -> n.Node:
        self.jumps[-1].add("next")
        return n.Next(self._jump_value(node), span=self.span(node))

    def read_retry(self, node: object) -> n.Node:
        return n.Retry(span=self.span(node))

    def read_redo(self, node: object) -> n.Node:
        self.jumps[-1].add("redo")
        return n.Redo(span=self.span(node))

    # --- definitions -------------------------------------------------------------------------------------------------

    def _inner(self, node: Any) -> tuple[n.Node, int]:
        """The body of a class or module, in a scope of its own."""
        outer, self.scope = self.scope, Scope(None, False)
        self.jumps.append(set())
        body_node = node.child_by_field_name("body")
        body = self.body(body_node) if body_node is not None else self.nothing(node)
        slots = self.scope.slots + 1
        self.jumps.pop()
        self.scope = outer
        return body, slots

    def read_method(self, node: object) -> n.Node:
        return self._define(node, None)

    def read_singleton_method(self, node: Any) -> n.Node:
        return self._define(node, self.node(node.child_by_field_name("object")))

    def _define(self, node: Any, singleton: n.Node | None) -> n.Node:
        name_node = node.child_by_field_name("name")
        name = self.text(name_node).replace(" ", "")
        outer, self.scope = self.scope, Scope(None, False)
        self.jumps.append(set())
        parameters = self.parameters(node.child_by_field_name("parameters"), node)
        body_node = node.child_by_field_name("body")
        body = self.body(body_node) if body_node is not None else self.nothing(node)
        slots = self.scope.slots + 1
        self.jumps.pop()
        self.scope = outer
        return n.Define(name, parameters, body, slots, singleton, span=self.span(node))

    def _path(self, node: Any) -> n.ConstantName:
        path = self.node(node.child_by_field_name("name"))
        assert isinstance(path, n.ConstantName)
        return path

    def read_class(self, node: Any) -> n.Node:
        above = node.child_by_field_name("superclass")
        superclass = self.node(self.named(above)[0]) if above is not None else None
        body, slots = self._inner(node)
        return n.DefineClass(self._path(node), superclass, body, slots, span=self.span(node))

    def read_module(self, node: object) -> n.Node:
        body, slots = self._inner(node)
        return n.DefineModule(self._path(node), body, slots, span=self.span(node))

    def read_singleton_class(self, node: Any) -> n.Node:
        value = self.node(node.child_by_field_name("value"))
        body, slots = self._inner(node)
        return n.SingletonClass(value, body, slots, span=self.span(node))

    def read_alias(self, node: Any) -> n.Node:
        new, old = (self.text(node.child_by_field_name(field)).lstrip(":") for field in ("name", "alias"))
        return n.Alias(new, old, span=self.span(node))

    def read_undef(self, node: object) -> n.Node:
        names = tuple(self.text(child).lstrip(":") for child in self.named(node))
        return n.Undefine(names, span=self.span(node))


def _has_comma(node: Any) -> bool:
    """Whether a list of targets has a comma outside of parentheses."""
    return any(child.type == "," for child in node.children)

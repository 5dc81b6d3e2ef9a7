"""The names in a Puppet program, an EPP or an ERB template: classes, types, functions, variables, keys of data, files.

| kind       | name                                                 | what defines it                              |
|------------|------------------------------------------------------|----------------------------------------------|
| `class`    | `ntp::config`                                        | `class ntp::config`                          |
| `type`     | `apache::vhost`, `file`: resource types and aliases  | `define`, `type`                             |
| `function` | `stdlib::ensure`                                     | `function`                                   |
| `variable` | `ntp::servers`: of a class or define, or a parameter | a parameter, an assignment                   |
|            | `x`: of the top scope or a node                      | an assignment outside of definitions         |
|            | `x@120`: of the lambda (function, template) at 120   | its parameter, an assignment in it           |
| `key`      | `ntp::servers`: a key of the data                    | the data (`wherefrom.puppet.hiera.mentions`) |
| `template` | `ntp/ntp.conf.erb`; `detail` has the scope it is in  | the file                                     |
| `ruby`     | `servers`: a variable as a template in Ruby has it   | whatever scope renders the template          |

Attributes of classes and defines are uses of their parameters. A variable that its scope does not assign may be that of
the class that it inherits from, or of the top scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...base.mentions import Mention
from ...base.source import SourceFile, Span
from . import tree

_DECLARING = frozenset(("include", "require", "contain"))
_LOOKING = frozenset(("lookup", "hiera", "hiera_array", "hiera_hash", "hiera_include"))
_RENDERING = {"template": "templates", "epp": "templates", "file": "files"}
_TAG = re.compile(r"<%(?!%|#)(.*?)%>", re.DOTALL)
_RUBY = re.compile(r"(?<![\w@])@(\w+)|scope(?:\.lookupvar\(|\[)\s*['\"]((?:::)?\w+(?:::\w+)*)['\"]")
_CLASS = re.compile(r"(?:::)?[a-z]\w*(?:::[a-z]\w*)*\Z")


class _Scope:
    """Where variables live: `prefix` makes their names; `above` is where else they are looked for."""

    def __init__(self, above: _Scope | None, suffix: str = "", prefix: str = "", parent: str = "") -> None:
        self.above = above
        self.known: set[str] = set()
        self.suffix = suffix
        self.prefix = prefix
        self.parent = parent

    def own(self, name: str) -> str:
        """The name of a variable of this scope."""
        return f"{self.prefix}{name}{self.suffix}"

    def names(self, name: str) -> tuple[str, ...]:
        """What a variable may mean here."""
        scope: _Scope | None = self
        candidates: list[str] = []
        while scope is not None:
            if name in scope.known:
                return (*candidates, scope.own(name))
            if scope.parent:
                candidates.append(f"{scope.parent}::{name}")
            scope = scope.above
        return (*candidates, name)


def mentions_in(program: tree.Program) -> list[Mention]:
    """All names in a program, in the order of the tree."""
    top = _Scope(None)
    if program.body.statements and isinstance(program.body.statements[0], tree.Epp):
        epp = program.body.statements[0]
        top = _Scope(None, "@0")
        top.known.update(parameter.name for parameter in epp.parameters or ())
    walk = _Walk()
    walk.inside(program.body, top)
    return walk.mentions


def statements_of(program: tree.Program) -> list[Span]:
    """Every statement, the outer before those inside of it; definitions are none."""
    blocks = (node for node in tree.walk(program) if isinstance(node, tree.Block))
    return [
        statement.span
        for block in blocks
        for statement in block.statements
        if not isinstance(statement, tree.Definition | tree.Epp)
    ]


class _Walk:
    """Goes through a tree, scope by scope."""

    def __init__(self) -> None:
        self.mentions: list[Mention] = []
        self._classes: list[str] = []

    def inside(self, body: tree.Node, scope: _Scope) -> None:
        """Everything in a body: first what it assigns, since a variable may stand before."""
        scope.known.update(_assigned(body))
        self._nodes([body], scope)

    def _nodes(self, waiting: list[tree.Node], scope: _Scope) -> None:
        while waiting:
            node = waiting.pop()
            below = self._node(node, scope)
            if below is None:
                below = list(node.children())
            waiting.extend(reversed(below))

    def _add(self, kind: str, names: Sequence[str], span: Span, at: Span | None = None, detail: str = "") -> None:
        self.mentions.append(Mention(kind, tuple(names), span, at or span, detail=detail))

    def _define(self, kind: str, name: str, at: Span, extent: Span, detail: str = "") -> None:
        self.mentions.append(Mention(kind, (name,), at, at, True, extent, detail))

    def _node(self, node: tree.Node, scope: _Scope) -> list[tree.Node] | None:
        """Note what a node names; the nodes below that are still to be looked at, where not all."""
        match node:
            case tree.ClassDefinition() | tree.DefinedType() | tree.FunctionDefinition():
                self._definition(node)
                return []
            case tree.NodeDefinition():
                self._define("node", _hosts(node), _head(node), node.span, "node")
                below = _Scope(scope)
                below.known = set(_assigned(node.body))  # seen by classes as those of the top scope are
                self._nodes([node.body], below)
                return [node.parent] if node.parent is not None else []
            case tree.TypeAlias():
                at = _word(node.file, node.name_at, node.name)
                self._define("type", node.name.lower(), at, node.span, "type")
                return [node.type]
            case tree.Lambda():
                self._callable(node.parameters, node.body, scope, node.start)
                return [node.return_type] if node.return_type is not None else []
            case tree.Variable(name=name):
                self._variable(node, name, scope)
            case tree.Assignment(left=tree.Variable(name=name) as target) if "::" not in name:
                self._define("variable", scope.own(name), _name_span(target.span), node.span, f"${name}")
                return [node.right]
            case tree.Call(function=tree.Name(value=name)):
                return self._call(node.function, name, node.arguments, node.block, scope)
            case tree.MethodCall(name=name):
                start = node.file.text.find(name, node.dot_at)
                function = node.file.span(start, start + len(name))
                self._function(name, function, (node.receiver, *node.arguments), scope)
            case tree.Resource(type=tree.Name(value=name)):
                self._resource(node, name.lower().removeprefix("::"))
                return [part for body in node.bodies for part in (body.title, *_values(body.operations))]
            case tree.Resource(type=tree.ReservedWord() | tree.TypeName()):
                pass
            case tree.ResourceDefaults(type=tree.TypeName() as kind) | tree.Collector(type=tree.TypeName() as kind):
                self._attributes(kind.lower, node.operations)
            case tree.ResourceOverride(references=tree.Access(target=tree.TypeName() as kind)):
                self._attributes(kind.lower, node.operations)
            case tree.Access(target=tree.TypeName(lower="class"), keys=keys):
                for key in keys:
                    self._class(key)
                return [key for key in keys if not isinstance(key, tree.Name | tree.String)]
            case tree.TypeName():
                self._add("type", (node.lower,), node.span, _name_span(node.span))
        return None

    def _definition(self, node: tree.ClassDefinition | tree.DefinedType | tree.FunctionDefinition) -> None:
        name = node.name.lower()
        kind = {tree.ClassDefinition: "class", tree.DefinedType: "type"}.get(type(node), "function")
        written = name if node.file.text.find(node.name, node.start, node.end) >= 0 else name.rpartition("::")[2]
        word = _word(node.file, node.start, written)
        label = {"class": "class", "type": "define"}.get(kind, "function")
        self._define(kind, name, word, node.span, label)
        if isinstance(node, tree.FunctionDefinition):
            self._callable(node.parameters, node.body, None, node.start)
            if node.return_type is not None:
                self._nodes([node.return_type], _Scope(None))
            return
        parent = ""
        if isinstance(node, tree.ClassDefinition) and node.parent:
            parent = node.parent.lower().removeprefix("::")
            self._add("class", (parent,), _word(node.file, word.end, node.parent))
        scope = _Scope(None, "", f"{name}::", parent)
        self._parameters(node.parameters, scope)
        self.inside(node.body, scope)

    def _callable(
        self, parameters: Sequence[tree.Parameter], body: tree.Node, above: _Scope | None, start: int
    ) -> None:
        scope = _Scope(above, f"@{start}")
        self._parameters(parameters, scope)
        self.inside(body, scope)

    def _parameters(self, parameters: Sequence[tree.Parameter], scope: _Scope) -> None:
        scope.known.update(parameter.name for parameter in parameters)
        for parameter in parameters:
            name, start = parameter.name, parameter.variable_at + 1
            at = parameter.file.span(start, start + len(name))
            self._define("variable", scope.own(name), at, parameter.span, f"parameter ${name}")
            self._nodes([part for part in (parameter.default, parameter.type) if part is not None], scope)

    def _variable(self, node: tree.Variable, name: str, scope: _Scope) -> None:
        plain = name.removeprefix("::")
        names = (plain,) if "::" in name else scope.names(name)
        self._add("variable", names, node.span, _name_span(node.span))

    # --- calls and resources ---

    def _call(
        self,
        function: tree.Node,
        name: str,
        arguments: Sequence[tree.Expression],
        block: tree.Lambda | None,
        scope: _Scope,
    ) -> list[tree.Node]:
        self._function(name, function.span, arguments, scope)
        return [*arguments, *([block] if block is not None else [])]

    def _function(self, name: str, span: Span, arguments: Sequence[tree.Expression], scope: _Scope) -> None:
        plain = name.removeprefix("::").lower()
        self._add("function", (plain,), span)
        if plain in _DECLARING:
            for argument in arguments:
                for part in argument.items if isinstance(argument, tree.Array) else (argument,):
                    self._class(part)
        elif plain in _LOOKING and arguments and isinstance(arguments[0], tree.String):
            at = _inside_quotes(arguments[0])
            if at is not None:
                self._add("key", (arguments[0].value.partition(".")[0],), at, at)
        elif plain in _RENDERING:
            for argument in arguments[:1] if plain == "epp" else arguments:
                at = _inside_quotes(argument) if isinstance(argument, tree.String) else None
                if at is not None and isinstance(argument, tree.String) and not argument.value.startswith("/"):
                    module, _, rest = argument.value.partition("/")
                    path = f"{module}/{_RENDERING[plain]}/{rest}"
                    self._add("template", (path,), at, at, scope.prefix)

    def _class(self, node: tree.Node) -> None:
        """A name of a class, where it is written out."""
        if isinstance(node, tree.Name | tree.String) and _CLASS.match(node.value):
            span = node.span if isinstance(node, tree.Name) else _inside_quotes(node)
            if span is not None:
                self._add("class", (node.value.removeprefix("::"),), span, _without_colons(span))
        elif isinstance(node, tree.TypeName):
            self._add("class", (node.lower,), node.span)

    def _resource(self, node: tree.Resource, name: str) -> None:
        if name != "class":
            self._add("type", (name,), node.type.span, _without_colons(node.type.span))
            for body in node.bodies:
                self._attributes(name, body.operations)
            return
        for body in node.bodies:
            titles = body.title.items if isinstance(body.title, tree.Array) else (body.title,)
            for title in titles:
                self._class(title)
            if len(titles) == 1 and isinstance(titles[0], tree.Name | tree.String):
                self._attributes(titles[0].value.lower().removeprefix("::"), body.operations)

    def _attributes(self, owner: str, operations: Sequence[tree.Operation]) -> None:
        for operation in operations:
            if isinstance(operation, tree.Attribute):
                at = operation.file.span(operation.start, operation.start + len(operation.name))
                self._add("variable", (f"{owner}::{operation.name}",), at, at, "attribute")


def _assigned(body: tree.Node) -> Iterator[str]:
    """The variables that a body assigns, not those of lambdas and definitions in it."""
    waiting: list[tree.Node] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Definition | tree.Lambda):
            continue
        if isinstance(node, tree.Assignment):
            targets = node.left.items if isinstance(node.left, tree.Array) else (node.left,)
            yield from (target.name for target in targets if isinstance(target, tree.Variable))
        waiting.extend(node.children())


def _values(operations: Sequence[tree.Operation]) -> list[tree.Node]:
    return [operation.value for operation in operations]


def _hosts(node: tree.NodeDefinition) -> str:
    return ", ".join(host.span.text.strip("'\"") for host in node.hosts)


def _head(node: tree.NodeDefinition) -> Span:
    return node.hosts[0].span.to(node.hosts[-1].span) if node.hosts else node.span


def _word(file: SourceFile, start: int, word: str) -> Span:
    """Where a word is written from an offset on."""
    written = re.compile(rf"(?<![\w:])(?:::)?({re.escape(word.removeprefix('::'))})(?![\w])", re.IGNORECASE)
    match = written.search(file.text, start)
    return file.span(start) if match is None else file.span(match.start(1), match.end(1))


def _name_span(span: Span) -> Span:
    """The last part of a qualified name: what is a variable's own."""
    text = span.text
    name = re.search(r"\w+\Z", text)
    return span if name is None else span.file.span(span.start + name.start(), span.end)


def _without_colons(span: Span) -> Span:
    return span.file.span(span.start + 2, span.end) if span.text.startswith("::") else span


def _inside_quotes(node: tree.Node) -> Span | None:
    """A text between its quotes, if it is written as it is."""
    text = node.span.text
    value = getattr(node, "value", None)
    if len(text) >= 2 and text[0] in "'\"" and text[1:-1] == value:
        return node.file.span(node.start + 1, node.end - 1)
    return None


def mentions_in_ruby(source: SourceFile) -> list[Mention]:
    """The variables that a template in Ruby names: `@x`, `scope['ntp::servers']`."""
    mentions: list[Mention] = []
    for tag in _TAG.finditer(source.text):
        for word in _RUBY.finditer(source.text, tag.start(1), tag.end(1)):
            group = 1 if word[1] is not None else 2
            span = source.span(word.start(group), word.end(group))
            name = word[group].removeprefix("::")
            kind = "variable" if "::" in word[group] else "ruby"
            mentions.append(Mention(kind, (name,), span, _name_span(span)))
    return mentions

"""Literals, strings with parts, arrays, hashes and variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.diagnostics import Diagnostic
from ...base.source import Span
from ...provenance.composites import shape
from ...provenance.operations import ARRAY, HASH
from ...provenance.origins import Absent, Choice, Guard, Items, Leaf, Origin, Step
from ...provenance.secrecy import filled
from ..kernel.failures import EvaluationError, Failure, FunctionFailure, placed
from ..kernel.operations import INTERPOLATE, Item, TypeName
from ..kernel.shadow import Shadow
from ..kernel.values import DEFAULT, Iterator, Regexp, hash_key, key_value, weigh
from ..runtime import variables
from ..runtime.library import Code
from ..syntax import tree
from ..types import puppet_string
from ..types.model import UNRESOLVED_NAME, TypeAlias
from .build import NOTHING, build, builds, unfold

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from ..runtime.library import Library
    from ..runtime.scope import Frame


FEW = 100
"""Characters; a text of no more than these draws nothing from the budget."""


def constant(node: tree.Node, value: Any) -> Code:
    """A literal: the same value with the same leaf, every time."""
    traced = (value, Leaf("literal", "", node.span, value))
    return lambda frame: traced


@builds(tree.Integer, tree.Float, tree.Boolean, tree.String, tree.Name)
def build_literal(node: Any, environment: Library, wanted: bool) -> Code:
    return constant(node, node.value)


@builds(tree.Undef)
def build_undef(node: tree.Undef, environment: Library, wanted: bool) -> Code:
    return constant(node, None)


@builds(tree.Default)
def build_default(node: tree.Default, environment: Library, wanted: bool) -> Code:
    return constant(node, DEFAULT)


@builds(tree.Regex)
def build_regex(node: tree.Regex, environment: Library, wanted: bool) -> Code:
    return constant(node, Regexp(node.pattern))


@builds(tree.ReservedWord)
def build_reserved(node: tree.ReservedWord, environment: Library, wanted: bool) -> Code:
    at = node.at

    def reserved(frame: Frame) -> Traced:
        raise EvaluationError(
            f"Use of reserved word: {node.word}, must be quoted if intended to be a String value",
            at,
            issue="RESERVED_WORD",
        )

    return reserved


@builds(tree.TypeName)
def build_type_name(node: tree.TypeName, environment: Library, wanted: bool) -> Code:
    """A type by its name.  `TypeReference` stands for no type unless it has a parameter."""
    if node.lower != "typereference":
        return named_type_code(node, environment)

    def unresolved(frame: Frame) -> Traced:
        raise EvaluationError(f"Resource type not found: {UNRESOLVED_NAME}", node.at, issue="UNKNOWN_RESOURCE_TYPE")

    return unresolved


def named_type_code(node: tree.TypeName, environment: Library) -> Code:
    """The type that a name stands for, found when it is first needed."""
    at = node.at
    kept: list[Traced] = []

    def type_name(frame: Frame) -> Traced:
        if kept:
            return kept[0]
        try:
            kind = environment.resolve_type_name(node.value)
            if kind is not None:
                environment.check_alias(kind)
                is_cut = isinstance(kind, TypeAlias) and kind.has_cut_reference()
                if is_cut and frame.run.is_named_again(kind.name):
                    raise Failure("Syntax error at end of input", kind="UNKNOWN_RESOURCE_TYPE")
        except Diagnostic as failure:
            raise placed(failure, "Type-Name", at) from None
        if kind is None:
            name = "::".join(part[:1].upper() + part[1:] for part in node.value.removeprefix("::").split("::"))
            raise EvaluationError(
                f"Resource type not found: {name}",
                at,
                issue="UNKNOWN_RESOURCE_TYPE",
                help=environment.near_type(node.value),
            )
        inputs = [Leaf("literal", "", literal.span, literal.value) for literal in environment.alias_literals(kind)]
        origin: Origin = Step(TypeName(node.value), tuple(inputs))
        if "::" in node.value:
            module = node.value.lower().removeprefix("::").partition("::")[0]
            origin = Choice((environment.another_module(module),), origin)
        named = (kind, origin)
        if not is_cut:
            kept.append(named)
        return named

    return type_name


@builds(
    tree.ClassDefinition,
    tree.DefinedType,
    tree.FunctionDefinition,
    tree.PlanDefinition,
    tree.NodeDefinition,
    tree.TypeAlias,
    tree.TypeMapping,
    tree.TypeDefinition,
)
def build_definition(node: tree.Definition, environment: Library, wanted: bool) -> Code:
    """Definitions are known to the environment before anything runs; here they do nothing."""
    return lambda frame: NOTHING


@builds(tree.Apply)
def build_apply(node: tree.Apply, environment: Library, wanted: bool) -> Code:
    """`apply` belongs to plans, and a catalog runs none."""

    def refuse(frame: Frame) -> Traced:
        if frame.run.settings["tasks"]:
            raise EvaluationError(
                "Error while evaluating an 'apply' expression, Unable to lookup 'apply_executor'", node.at
            )
        raise EvaluationError(
            "The task operation 'apply' is not available when compiling a catalog",
            node.at,
            issue="TASK_OPERATION_NOT_SUPPORTED_WHEN_COMPILING",
        )

    return refuse


@builds(tree.Parenthesized)
def build_parenthesized(node: tree.Parenthesized, environment: Library, wanted: bool) -> Code:
    return build(node.inner, environment, wanted)


# --- lists of expressions, some of them unfolded ----------------------------------------------------------------------


def unfolded(value: object, origin: Origin) -> tuple[list[Any], list[Origin]]:
    """What `*value` puts into the list it stands in."""
    if value is None:
        return [], []
    if type(value) is list:
        shadow = Shadow(origin)
        return value, [shadow.item(index) for index in range(len(value))]
    if type(value) is dict:
        shadow = Shadow(origin)
        pairs = [[key_value(key), element] for key, element in value.items()]
        return pairs, [shadow.pair(key, index) for index, key in enumerate(value)]
    if isinstance(value, Iterator):
        items = list(value)
        return items, [Step(Item(index), (origin,)) for index in range(len(items))]
    return [value], [origin]


@builds(tree.Splat)
def build_splat(node: tree.Splat, environment: Library, wanted: bool) -> Code:
    """Outside of a list, an unfolded value is an array."""
    inner = build(node.operand, environment)

    def splat(frame: Frame) -> Traced:
        values, origins = unfolded(*inner(frame))
        return values, Items(origins, Step(ARRAY, ()))

    return splat


class Unfolded(list[Origin]):
    """The origins of a list that values were unfolded into; `counted` is what decided how many."""

    def __init__(self) -> None:
        super().__init__()
        self.counted: tuple[Origin | Guard, ...] = ()


def counted(origins: Sequence[Origin]) -> Origin | None:
    """What decided how many there are in a list, if that is not the program's text."""
    causes = origins.counted if isinstance(origins, Unfolded) else ()
    return Absent("another number of them", causes) if causes else None


def build_list(nodes: Sequence[tree.Expression], environment: Library) -> Any:
    """Code that gives the values and the origins of a list of expressions, unfolding those that ask for it."""
    bare = [unfold(expression) for expression in nodes]
    if not any(isinstance(expression, tree.Splat) for expression in bare):
        codes = [build(expression, environment) for expression in bare]
        if not codes:
            return lambda frame: ([], [])
        if len(codes) == 1:
            only = codes[0]

            def single(frame: Frame) -> tuple[list[Any], list[Origin]]:
                value, origin = only(frame)
                return [value], [origin]

            return single
        if len(codes) == 2:
            first, second = codes

            def double(frame: Frame) -> tuple[list[Any], list[Origin]]:
                value, origin = first(frame)
                other, other_origin = second(frame)
                return [value, other], [origin, other_origin]

            return double

        def plain(frame: Frame) -> tuple[list[Any], list[Origin]]:
            values: list[Any] = []
            origins: list[Origin] = []
            for code in codes:
                value, origin = code(frame)
                values.append(value)
                origins.append(origin)
            return values, origins

        return plain
    parts = [
        (build(expression.operand, environment), True)
        if isinstance(expression, tree.Splat)
        else (build(expression, environment), False)
        for expression in bare
    ]

    def mixed(frame: Frame) -> tuple[list[Any], list[Origin]]:
        values: list[Any] = []
        origins = Unfolded()
        for code, splat in parts:
            value, origin = code(frame)
            if splat:
                origins.counted += shape(origin)
                more, shadows = unfolded(value, origin)
                values.extend(more)
                origins.extend(shadows)
            else:
                values.append(value)
                origins.append(origin)
        return values, origins

    return mixed


@builds(tree.Array)
def build_array(node: tree.Array, environment: Library, wanted: bool) -> Code:
    items = build_list(node.items, environment)
    own = Step(ARRAY, (), node.span)

    def array(frame: Frame) -> Traced:
        values, origins = items(frame)
        number = counted(origins) if type(origins) is Unfolded else None
        return values, Items(origins, own if number is None else Step(ARRAY, (number,), node.span))

    return array


@builds(tree.Hash)
def build_hash(node: tree.Hash, environment: Library, wanted: bool) -> Code:
    entries = [(build(entry.key, environment), build(entry.value, environment)) for entry in node.entries]
    own = Step(HASH, (), node.span)
    span = node.span

    def make_hash(frame: Frame) -> Traced:
        elements: dict[Any, Any] = {}
        shadows: dict[Any, Origin] = {}
        places: dict[Any, Origin] = {}
        keys: list[Origin] = []
        for key_code, value_code in entries:
            key_given, key_origin = key_code(frame)
            weigh(key_given, span)
            key = hash_key(key_given)
            element, shadow = value_code(frame)
            try:
                elements[key], shadows[key], places[key] = element, shadow, key_origin
            except FunctionFailure as failure:  # two objects that can not be compared
                raise placed(failure, "Hash Expression", node.at) from None
            keys.append(key_origin)  # any key could have been another, and have replaced an element
        return elements, Items(shadows, Step(HASH, tuple(keys), span) if keys else own, places)

    return make_hash


# --- strings with parts -----------------------------------------------------------------------------------------------


@builds(tree.Interpolation)
def build_interpolation(node: tree.Interpolation, environment: Library, wanted: bool) -> Code:
    return build(node.value, environment)


def _text_part(node: tree.String) -> Code:
    """Literal text between interpolations; its place is that of the text, without the quotes and braces round it."""
    start, end = node.start, node.end
    text = node.file.text
    if start < end and text[start] in '"}' and not node.value.startswith(text[start]):
        start += 1
    for mark in ("${", '"', "$"):
        if text.endswith(mark, start, end) and not node.value.endswith(mark):
            end -= len(mark)
            break
    traced = (node.value, Leaf("literal", "", Span(node.file, start, max(start, end)), node.value))
    return lambda frame: traced


@builds(tree.Interpolated)
def build_interpolated(node: tree.Interpolated, environment: Library, wanted: bool) -> Code:
    parts = [_text_part(part) if isinstance(part, tree.String) else build(part, environment) for part in node.parts]
    span = node.span

    def interpolate(frame: Frame) -> Traced:
        texts: list[str] = []
        origins: list[Origin] = []
        for part in parts:
            value, origin = part(frame)
            if type(value) is not str:
                value = puppet_string(value, span)
            texts.append(value)
            origins.append(origin)
        size = sum(map(len, texts))
        if size > FEW:
            current().draw("characters", size, "filling in a text", span)
        return "".join(texts), filled(INTERPOLATE, texts, origins, span)

    return interpolate


@builds(tree.Heredoc)
def build_heredoc(node: tree.Heredoc, environment: Library, wanted: bool) -> Code:
    return build(node.text, environment)


# --- variables --------------------------------------------------------------------------------------------------------


@builds(tree.Variable)
def build_variable(node: tree.Variable, environment: Library, wanted: bool) -> Code:
    name = node.name
    at = node.at
    if name.isdecimal():
        index = int(name)

        def match_variable(frame: Frame) -> Traced:
            return variables.group(frame, index) or NOTHING

        return match_variable
    if "::" in name:
        read_qualified = variables.read_qualified

        def qualified(frame: Frame) -> Traced:
            traced = read_qualified(frame, name)[0]
            return traced if traced is not None else variables.missing(frame, name, at)

        return qualified

    def variable(frame: Frame) -> Traced:
        traced = frame.vars.get(name)
        if traced is not None:
            return traced
        traced = frame.seek(name)
        return traced if traced is not None else variables.missing(frame, name, at)

    return variable

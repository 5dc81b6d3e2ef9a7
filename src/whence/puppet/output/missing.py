"""Why something is not in a catalog: `whence explain --missing`.

A resource is missing because no declaration of it ran. So the declarations are looked for in all sources that were
read, each with what stands round it: a class that is not declared, a define of which there is no instance, a node that
is another, a branch that was not taken and the inputs that decided so. A title that is computed is compared as far as
it is written: `"/etc/${name}.conf"` may make `File[/etc/web.conf]`; failing that, the title is looked for as a text in
code that did not run. Classes and defines that turn out to be missing themselves are explained in turn.

An attribute is missing because nothing set it: branches not taken that would have are told, from the compiler's own
record of them (rule R1 of the repaired dependency rules).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.source import Span
from ...base.spell import nearest
from ...provenance.explain import short
from ...provenance.extract import expression, leaves
from ...provenance.origins import Guard
from ..compile.build import unfold
from ..runtime.effects import class_names, declares_classes
from ..runtime.resources import capitalize_segments
from ..syntax import tree

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource

MAX_REASONS = 20
MAX_INPUTS = 4


class Reason(Diagnostic):
    """A place that would have made something, and what kept it from it."""

    code = "P490"
    severity = "note"


class Surroundings(Record):
    """Something that a declaration stands in.

    `kind` is `class`, `define`, `function`, `node` or `branch`; `name` is that of the first three; `words` say it in a
    sentence; `branch` is the code that runs or does not.
    """

    kind: str
    words: str
    name: str = ""
    branch: tree.Node | None = None


class Declaration(Record):
    """A place that declares what is looked for: for sure, or perhaps (a computed title)."""

    verb: str
    span: Span
    around: tuple[Surroundings, ...]


WRITTEN = "is declared here"
MATCHING = "may be declared here (the title is computed)"
NAMED = "would be named by this text"
COMPUTED = "could be declared here (the title is computed)"


_CERTAINTY = {WRITTEN: 0, MATCHING: 1, NAMED: 2, COMPUTED: 3}
"""Only the most certain places are told."""


def why_unset(run: Compilation, resource: Resource, attribute: str) -> list[Diagnostic]:
    """Why a resource has no such attribute: nothing sets it; branches that would have were not taken."""
    near = nearest(attribute, resource.attributes)
    found: list[Diagnostic] = [
        Reason(
            f"{resource.ref} is declared here, and nothing sets its {attribute}",
            resource.span,
            help=f"did you mean {near}?" if near else None,
        )
    ]
    for cause in run.spared(resource, attribute):
        if isinstance(cause, Guard) and cause.span is not None:
            words = "a change that might set it was not made, because of this test"
            found.append(Reason(words, cause.span, notes=_decided(cause)))
    return found


def why_absent(run: Compilation, type_name: str, title: str) -> list[Diagnostic]:
    """Why a resource is not in the catalog: its declarations, and what kept each from it."""
    found: list[Diagnostic] = []
    asked: list[tuple[str, str | None]] = [(type_name, title)]
    for wanted in asked:  # grows on the way
        for reason, causes in _reasons(run, *wanted):
            found.append(reason)
            asked.extend(each for each in causes if each not in asked)
            if len(found) == MAX_REASONS:
                return found
    return found


def _reasons(
    run: Compilation, type_name: str, title: str | None
) -> Iterator[tuple[Diagnostic, list[tuple[str, str | None]]]]:
    """The declarations of a resource (of any, without a title), each with what is itself missing round it."""
    if type_name == "class" and title is not None:
        title = title.lower().removeprefix("::")
        if run.environment.find_class(title) is None:
            yield Reason(f"no class {title} is defined", help=run.environment.near_class(title)), []
            return
    ref = f"{capitalize_segments(type_name)}[{title}]" if title is not None else f"a {type_name}"
    found = [each for program in run.environment.programs() for each in _declarations(program, type_name, title)]
    best = min((_CERTAINTY[each.verb] for each in found), default=0)
    for each in (each for each in found if _CERTAINTY[each.verb] == best):
        notes: list[str] = []
        causes: list[tuple[str, str | None]] = []
        for outside in each.around:
            notes += _kept(run, outside, causes)
        if each.verb in (NAMED, COMPUTED) and not notes:
            continue  # it ran, and made something else
        where = f" only {', '.join(outside.words for outside in each.around)}" if each.around else ""
        yield Reason(f"{ref} {each.verb}{where}", each.span, notes=notes), causes


def _kept(run: Compilation, outside: Surroundings, causes: list[tuple[str, str | None]]) -> Iterator[str]:
    """What of the surroundings kept a declaration from running; what is itself missing is added to `causes`."""
    match outside.kind:
        case "class":
            if outside.name not in run.absences.begun:
                causes.append(("class", outside.name))
                yield f"class {outside.name} is not declared"
        case "define":
            if not run.resources_of(capitalize_segments(outside.name)):
                causes.append((outside.name, None))
                yield f"there is no {outside.name} in the catalog"
        case "node":
            chosen = run.environment.match_node(run.node)[0]
            if chosen is None or chosen.tree is not outside.branch:
                yield f"this node is {run.node}"
        case "branch":
            known = run.environment.effects.get(id(outside.branch))
            guard = run.not_taken.get(id(known[1])) if known is not None else None
            if guard is not None:
                yield f"not so: {outside.words}"
                yield from _decided(guard)


def _decided(guard: Guard) -> list[str]:
    """The inputs that a test looked at, those aside that are written in it."""
    seen = {leaf.key: leaf for leaf in leaves(expression(guard.test)) if not _is_within(leaf.span, guard.span)}
    shown = [
        (f"{leaf.kind} {leaf.name} = " if leaf.kind != "literal" else "")
        + short(leaf.value, 40)
        + (f" ({leaf.span.place})" if leaf.span is not None else "")
        for leaf in list(seen.values())[:MAX_INPUTS]
    ]
    more = len(seen) - len(shown)
    return [f"decided by {', '.join(shown)}" + (f" and {more} more" if more else "")] if shown else []


def _is_within(inner: Span | None, outer: Span | None) -> bool:
    if inner is None or outer is None or inner.file is not outer.file:
        return False
    return outer.start <= inner.start and inner.end <= outer.end


# --- looking for declarations ---------------------------------------------------------------------------------------


def _declarations(program: tree.Program, type_name: str, title: str | None) -> Iterator[Declaration]:
    stack: list[tuple[tree.Node, tuple[Surroundings, ...]]] = [(program, ())]
    while stack:
        node, around = stack.pop()
        verb = _declares(node, type_name, title)
        if verb is not None:
            yield Declaration(verb, node.at, around)
        match node:
            case tree.If() | tree.Unless():
                word, other = ("if", "if not") if isinstance(node, tree.If) else ("unless", "if")
                test = node.test.span.text
                if node.otherwise is not None:
                    stack.append((node.otherwise, _in_branch(around, f"{other} {test}", node.otherwise)))
                stack.append((node.then, _in_branch(around, f"{word} {test}", node.then)))
                stack.append((node.test, around))
                continue
            case tree.CaseOption():
                values = ", ".join(each.span.text for each in node.values)
                around = _in_branch(around, f"in case {values}", node.body)
            case tree.ClassDefinition():
                around = (*around, Surroundings("class", f"in class {node.name}", node.name))
            case tree.DefinedType():
                around = (*around, Surroundings("define", f"in define {node.name}", node.name))
            case tree.FunctionDefinition():
                around = (*around, Surroundings("function", f"in function {node.name}", node.name))
            case tree.NodeDefinition():
                hosts = ", ".join(each.span.text for each in node.hosts)
                around = (*around, Surroundings("node", f"in node {hosts}", "", node))
        stack.extend((each, around) for each in reversed(list(node.children())))


def _in_branch(around: tuple[Surroundings, ...], words: str, branch: tree.Node) -> tuple[Surroundings, ...]:
    return (*around, Surroundings("branch", words, "", branch))


def _declares(node: tree.Node, type_name: str, title: str | None) -> str | None:
    """Whether a node declares the resource: how sure that is, or nothing."""
    if isinstance(node, tree.Resource) and isinstance(node.type, tree.Name):
        if node.type.value.lower().removeprefix("::") != type_name:
            return None
        verbs = [_names(body.title, type_name, title) for body in node.bodies]
        return min(filter(None, verbs), key=_CERTAINTY.__getitem__, default=None)
    if type_name != "class":
        return NAMED if isinstance(node, tree.String) and node.value == title else None
    names: dict[str, bool] = {}
    match node:
        case tree.Call(function=tree.Name(value=function)) if declares_classes(function):
            for argument in node.arguments:
                class_names(argument, names)
        case tree.MethodCall(name=function) if declares_classes(function):
            class_names(node.receiver, names)
        case tree.ClassDefinition(parent=str(parent)):
            names[parent.lower().removeprefix("::")] = False
    return WRITTEN if title in names else None


def _names(node: tree.Expression, type_name: str, title: str | None) -> str | None:
    """How an expression for titles names the one that is looked for."""
    if title is None:
        return WRITTEN
    node = unfold(node)
    match node:
        case tree.String(value=value) | tree.Name(value=value):
            if type_name == "class":
                value = value.lower().removeprefix("::")
            return WRITTEN if value == title else None
        case tree.Array():
            verbs = [_names(each, type_name, title) for each in node.items]
            return min(filter(None, verbs), key=_CERTAINTY.__getitem__, default=None)
        case tree.Interpolated():
            return MATCHING if _could_be(node.parts, title) else None
        case tree.Literal():
            return None
    return COMPUTED


def _could_be(parts: tuple[tree.String | tree.Interpolation, ...], title: str) -> bool:
    """Whether the written parts of a text occur in a title, in order, the outer ones at its ends."""
    at = 0
    for number, part in enumerate(parts):
        if not isinstance(part, tree.String):
            continue
        last = number == len(parts) - 1
        at = title.rfind(part.value, at) if last else title.find(part.value, at)
        if at < 0 or (number == 0 and at > 0) or (last and at + len(part.value) < len(title)):
            return False
        at += len(part.value)
    return True

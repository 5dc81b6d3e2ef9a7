"""Why something is not in a catalog: `wherefrom explain --missing`.

A resource is missing because no declaration of it ran. So the declarations are looked for in the whole repository (in
files that nobody asked for, too, if they have its name or its type in them), each with what stands round it: a class
that is not declared, a define of which there is no instance, a node that is another, a branch that was not taken, a
statement that a `return()` left out, a list with nothing in it, and the inputs that decided so. A title that is
computed is compared as far as it is written: `"/etc/${name}.conf"` may make `File[/etc/web.conf]`; failing that, the
title is looked for as a text, and what a computed title made here instead is told. Classes and defines that turn out
to be missing themselves are explained in turn.

An attribute is missing because nothing set it: branches not taken that would have are told, from the compiler's own
record of them (rule R1 of the repaired dependency rules).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.record import Record
from ...base.source import Span
from ...base.spell import nearest
from ...provenance.composites import unwrapped
from ...provenance.explain import short
from ...provenance.extract import depends, expression, leaves
from ...provenance.origins import Absent, Guard, Leaf, Origin
from ..compile.build import unfold
from ..runtime.effects import class_names, declares_classes
from ..runtime.resources import capitalize_segments
from ..syntax import tree
from .named_in_data import places_in_data, why_without_effect

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.definitions import Definition
    from ..runtime.resources import Attribute, Resource

MAX_REASONS = 20
MAX_INPUTS = 4
MAX_DATA_PLACES = 4
"""Places in files of data that are told."""
MAX_OTHERS = 3
"""Places with computed titles that made something else."""


class Reason(Diagnostic):
    """A place that would have made something, and what kept it from it.  `lacking`: classes that are not declared."""

    code = "P490"
    severity = "note"
    lacking: tuple[str, ...] = ()
    places: tuple[Span, ...] = ()
    """The places of the tests, and of what they were decided by."""
    unrealized = False
    """Whether it is declared, and only not made real."""


class Surroundings(Record):
    """Something that a declaration is nested in.

    `kind` is `class`, `define`, `function`, `node` or `branch`; `name` is that of the first three; `words` say it in a
    sentence; `branch` is the code that runs or does not; `block` is what a statement stands in.
    """

    kind: str
    words: str
    name: str = ""
    branch: tree.Node | None = None
    block: tree.Node | None = None


class Declaration(Record):
    """A place that declares what is looked for: for sure, or perhaps (a computed title)."""

    verb: str
    span: Span
    around: tuple[Surroundings, ...]


WRITTEN = "is declared"
MATCHING = "may be declared, with a computed title,"
NAMED = "would have this text as its title,"
COMPUTED = "could be declared, with a computed title,"


_JUMPS = ("return", "break", "next")
_CERTAINTY = {WRITTEN: 0, MATCHING: 1, NAMED: 2, COMPUTED: 3}
"""Only the most certain places that say something are told."""


def why_unset(run: Compilation, resource: Resource, attribute: str) -> list[Diagnostic]:
    """Why a resource has no such attribute: nothing sets it; branches that would have were not taken."""
    near = nearest(attribute, [name for name, known in resource.attributes.items() if known.value is not None])
    given = resource.attributes.get(attribute)
    if given is not None and given.value is None and not _is_default(given):
        words = f"{attribute} of {resource.ref} is set here, to undef"
        return [Reason(words, given.span or resource.span, notes=[*_undef_notes(given.origin)])]
    reasons: list[Diagnostic] = [
        Reason(
            f"{resource.ref} is declared here, but its {attribute} is not set",
            resource.span,
            help=f"did you mean {near}?" if near else None,
        )
    ]
    for cause in run.unmade_changes(resource, attribute):
        if isinstance(cause, Guard) and cause.span is not None:
            words = "an override that may set it did not run, because of this condition"
            reasons.append(Reason(words, cause.span, notes=_decided(cause)))
    return reasons


def _is_default(attribute: Attribute) -> bool:
    return attribute.span is None and attribute.is_default


def _undef_notes(origin: Origin) -> Iterator[str]:
    """Where an undef came from: an input that is not there, or a literal."""
    for leaf in leaves(expression(origin)):
        place = f" ({leaf.span.place})" if leaf.span is not None else ""
        yield f"{input_words(leaf)}{place}"
    inner = unwrapped(origin)[1]
    if isinstance(inner, Absent):
        yield f"{inner.what} (absent)"
        missing = [leaf for leaf in depends(*inner.causes) if leaf.absent][:MAX_INPUTS]
        if missing:
            yield "looked for " + ", ".join(f"{leaf.kind} {leaf.name}" for leaf in missing)


def why_absent(run: Compilation, type_name: str, title: str) -> list[Diagnostic]:
    """Why a resource is not in the catalog: its declarations, and what kept each from it."""
    reasons: list[Diagnostic] = []
    asked: list[tuple[str, str | None]] = [(type_name, title)]
    for wanted in asked:  # grows on the way
        for reason, causes in _reasons(run, *wanted):
            reasons.append(reason)
            asked.extend(cause for cause in causes if cause not in asked)
            if len(reasons) == MAX_REASONS:
                return reasons
    return reasons


def why_virtual(run: Compilation, resource: Resource) -> Reason:
    """Why a resource that is declared is not made real: nothing realizes it, or no collector could know of it."""
    reason = Reason(
        f"{resource.ref} is virtual and never realized"
        if not resource.exported
        else f"{resource.ref} is exported but not collected on this node",
        resource.span,
    )
    reason.unrealized = True
    if resource.exported:
        collectors = [
            node
            for program in run.environment.programs_with(["<<|"])
            for node in _walked(program)
            if isinstance(node, tree.Collector) and node.query.exported and _is_of_type(node, resource.type)
        ]
        if collectors:
            reason.message = f"{resource.ref} is exported, and what its collectors would find is unknown"
            if run.setting("storeconfigs"):
                reason.message = f"{resource.ref} is exported, but no collector that ran on {run.node} matches it"
            else:
                reason.help = "to collect exported resources, use --exports STORE or --puppetdb URL"
            reason.notes += [f"collector at {node.at.place}" for node in collectors[:MAX_OTHERS]]
    return reason


def _walked(program: tree.Program) -> Iterator[tree.Node]:
    stack: list[tree.Node] = [program]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(node.children())))


def _is_of_type(collector: tree.Collector, type_name: str) -> bool:
    name = collector.type.span.text.lower().removeprefix("::")
    return name == type_name.lower()


def _reasons(
    run: Compilation, type_name: str, title: str | None
) -> Iterator[tuple[Diagnostic, list[tuple[str, str | None]]]]:
    """The declarations of a resource (of any, without a title), each with what is itself missing round it."""
    definition: Definition | None = None
    if type_name == "class" and title is not None:
        title = title.lower().removeprefix("::")
        definition = run.environment.find_class(title)
        if definition is None:
            yield Reason(f"no class {title} is defined", help=run.environment.near_class(title)), []
    elif run.environment.find_type(type_name) is None:
        near = run.environment.near_declared(type_name)
        yield Reason(f"unknown type {type_name}", help=near), []
        return
    ref = f"{capitalize_segments(type_name)}[{title}]" if title is not None else f"a {type_name}"
    words = [title] if title is not None and type_name == "class" else [title or type_name, f"{type_name} {{"]
    programs = run.environment.programs_with(words)
    declarations = [declaration for program in programs for declaration in _declarations(program, type_name, title)]
    best: int | None = None
    texts: list[Declaration] = []
    others = 0
    described = 0
    for declaration in sorted(declarations, key=lambda place: _CERTAINTY[place.verb]):
        if best is not None and _CERTAINTY[declaration.verb] > best:
            break
        notes: list[str] = []
        causes: list[tuple[str, str | None]] = []
        guards: list[Guard] = []
        for outside in declaration.around:
            notes += _kept(run, outside, causes, guards)
        if declaration.verb in (NAMED, COMPUTED) and not notes:
            instead = _made_instead(run, declaration)
            if declaration.verb == NAMED:
                texts.append(declaration)
            elif instead and others < MAX_OTHERS:
                others += 1
                described += 1
                instead += [f"the title is written at {text.span.place}" for text in texts[:MAX_OTHERS]]
                yield Reason(f"{ref} is not among the computed titles here", declaration.span, notes=instead), []
            continue  # it ran, and made something else
        if declaration.verb == MATCHING:
            notes += _made_instead(run, declaration)
        described += 1
        best = _CERTAINTY[declaration.verb]
        shown = [outside.words for outside in declaration.around if outside.words]
        reason = Reason(f"{ref} {declaration.verb} {', '.join(shown) or 'here'}", declaration.span, notes=notes)
        reason.places = tuple(_places(guards))
        reason.lacking = tuple(name for kind, name in causes if kind == "class" and name is not None)
        yield reason, causes
    if title is None:
        return
    for place in islice(places_in_data(run, title), MAX_DATA_PLACES):
        described += 1
        why = why_without_effect(run, place)
        reason = Reason(f"the data names {ref} here, under {place.key}", place.span, notes=why)
        if type_name == "class" and definition is not None:
            reason.lacking = (title,)
        yield reason, []
    if not described and definition is not None:
        unnamed = f"class {title} is defined here, and nothing names it: no include, no declaration, no data"
        yield Reason(unnamed, definition.span), []
    elif not described and texts:
        for text in texts[:MAX_OTHERS]:
            yield Reason(f"nothing that ran declared {ref}; its title is written here", text.span), []
    elif not described and type_name != "class":
        yield Reason(f"no manifest or data file names {ref}", help=_near_title(run, type_name, title)), []


def _near_title(run: Compilation, type_name: str, title: str) -> str | None:
    """A hint: a resource of the type whose title is nearly the same."""
    known = [resource.title for resource in run.resources_of(capitalize_segments(type_name))]
    near = nearest(title, known)
    return f"did you mean {capitalize_segments(type_name)}[{near}]?" if near else None


def _made_instead(run: Compilation, declaration: Declaration) -> list[str]:
    """What a declaration with a computed title made on this node, and where the titles came from."""
    at = declaration.span
    resources = [resource for resource in run.resources if resource.span is not None and _is_within(resource.span, at)]
    if not resources:
        return []
    shown = ", ".join(resource.ref for resource in resources[:MAX_INPUTS])
    more = f" and {len(resources) - MAX_INPUTS} more" if len(resources) > MAX_INPUTS else ""
    notes = [f"it made {shown}{more}"]
    sources = {leaf.key: leaf for resource in resources for leaf in leaves(expression(resource.title_origin))}
    places = [
        f"{input_words(leaf)} ({leaf.span.place})" if leaf.span is not None else input_words(leaf)
        for leaf in list(sources.values())[:MAX_INPUTS]
    ]
    return [*notes, f"titles come from {', '.join(places)}"] if places else notes


def _places(guards: list[Guard]) -> Iterator[Span]:
    for guard in guards:
        if guard.span is not None:
            yield guard.span
        yield from (leaf.span for leaf in depends(guard.test) if leaf.span is not None)


def _kept(
    run: Compilation, outside: Surroundings, causes: list[tuple[str, str | None]], guards: list[Guard]
) -> Iterator[str]:
    """What of the surroundings kept a declaration from running.

    What is itself missing is added to `causes`, the tests to `guards`.
    """
    match outside.kind:
        case "class":
            if outside.name not in run.absences.begun:
                causes.append(("class", outside.name))
                yield f"class {outside.name} is not declared: nothing on {run.node} includes it"
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
                guards.append(guard)
                yield f"condition is false: {outside.words.removeprefix('in ')}"
                yield from _decided(guard)
        case "block":
            known = run.environment.effects.get(id(outside.branch))
            guard = run.not_taken.get(id(known[1])) if known is not None else None
            span = outside.branch.span if outside.branch is not None else None
            ran = any(span is not None and _is_within(resource.span, span) for resource in run.resources)
            if guard is not None and not ran:
                guards.append(guard)
                yield f"nothing to iterate over: {outside.words}"
                yield from _decided(guard)
        case "statement":
            known = run.environment.effects.get(id(outside.branch))
            guard = run.not_taken.get(id(known[1])) if known is not None else None
            if guard is not None and guard.span is not None:
                guards.append(guard)
                is_left = outside.block is not None and _is_within(guard.span, outside.block.span)
                words = "not reached: the code was left before, at" if is_left else "what would run it depends on"
                yield f"{words} {guard.span.place}"
                yield from _decided(guard)
            elif outside.block is not None:
                jump = _jump_before(outside.block, outside.branch)
                if jump is not None:
                    yield f"not reached: the code was left before, at {jump.span.place}"


def _jump_before(block: tree.Node, statement: tree.Node | None) -> tree.Node | None:
    """The statement of a block that leaves it, whatever the inputs are, before another one is reached."""
    assert isinstance(block, tree.Block)
    for earlier in block.statements:
        if earlier is statement:
            return None
        if _is_jump(earlier):
            return earlier
    return None


def _decided(guard: Guard) -> list[str]:
    """The inputs that a test looked at, those aside that are written in it."""
    seen = {leaf.key: leaf for leaf in leaves(expression(guard.test)) if not _is_within(leaf.span, guard.span)}
    absent = [leaf for leaf in depends(guard.test) if leaf.absent and leaf.kind in ("fact", "trusted")]
    seen.update({leaf.key: leaf for leaf in absent})
    shown = [
        input_words(leaf) + (f" ({leaf.span.place})" if leaf.span is not None else "")
        for leaf in list(seen.values())[:MAX_INPUTS]
    ]
    more = len(seen) - len(shown)
    return [f"decided by {', '.join(shown)}" + (f" and {more} more" if more else "")] if shown else []


def input_words(leaf: Leaf) -> str:
    """An input in a few words."""
    if leaf.absent:
        return f"{leaf.kind} {leaf.name} (absent)"
    return (f"{leaf.kind} {leaf.name} = " if leaf.kind != "literal" else "") + short(leaf.value, 40)


def _is_within(inner: Span | None, outer: Span | None) -> bool:
    if inner is None or outer is None or inner.file is not outer.file:
        return False
    return outer.start <= inner.start and inner.end <= outer.end


# --- looking for declarations ---------------------------------------------------------------------------------------


def _declarations(program: tree.Program, type_name: str, title: str | None) -> Iterator[Declaration]:
    stack: list[tuple[tree.Node, tuple[Surroundings, ...]]] = [(program, ())]
    while stack:
        node, around = stack.pop()
        if isinstance(node, tree.ClassDefinition):  # which declares the class that it inherits when it runs itself
            around = (*around, Surroundings("class", f"in class {node.name}", node.name))
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
                values = ", ".join(value.span.text for value in node.values)
                stack.append((node.body, _in_branch(around, f"in case {values}", node.body)))
                continue  # what it is compared with is no title
            case tree.Block() if _leaves(node):
                for statement in reversed(node.statements):
                    stack.append((statement, (*around, Surroundings("statement", "", "", statement, node))))
                continue
            case tree.MethodCall(block=tree.Lambda() as block):
                words = f"for each of {node.receiver.span.text}"
                stack.append((block.body, (*around, Surroundings("block", words, "", block.body))))
                stack.extend((argument, around) for argument in (*reversed(node.arguments), node.receiver))
                continue
            case tree.DefinedType():
                around = (*around, Surroundings("define", f"in define {node.name}", node.name))
            case tree.FunctionDefinition():
                around = (*around, Surroundings("function", f"in function {node.name}", node.name))
            case tree.NodeDefinition():
                hosts = ", ".join(host.span.text for host in node.hosts)
                around = (*around, Surroundings("node", f"in node {hosts}", "", node))
        stack.extend((child, around) for child in reversed(list(node.children())))


def _is_jump(node: tree.Node) -> bool:
    return isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.value in _JUMPS


def _leaves(block: tree.Block) -> bool:
    """Whether a statement of a block may leave it early."""
    stack: list[tree.Node] = list(block.statements)
    while stack:
        node = stack.pop()
        if _is_jump(node):
            return True
        stack.extend(node.children())
    return False


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
        created = _created(node, type_name, title)
        if created is not None:
            return created
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


_CREATORS = {"create_resources": None, "ensure_resource": None, "ensure_resources": None, "ensure_packages": "package"}
"""Functions that declare resources: of a type, or of the one that their first argument names."""


def _created(node: tree.Node, type_name: str, title: str | None) -> str | None:
    """Whether a call of a function that declares resources of a type would declare this one."""
    if not (isinstance(node, tree.Call) and isinstance(node.function, tree.Name) and node.function.value in _CREATORS):
        return None
    arguments = list(node.arguments)
    of_type = _CREATORS[node.function.value]
    if of_type is None and arguments:
        first = arguments.pop(0)
        of_type = str(first.value).lower().removeprefix("::") if isinstance(first, tree.String | tree.Name) else None
        if of_type is None:
            return None
    if of_type != type_name or not arguments:
        return None
    titles = unfold(arguments[0])
    if isinstance(titles, tree.Hash):
        verbs = [_names(entry.key, type_name, title) for entry in titles.entries]
        return min(filter(None, verbs), key=_CERTAINTY.__getitem__, default=None)
    return _names(titles, type_name, title)


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
            verbs = [_names(item, type_name, title) for item in node.items]
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

"""What a compilation made of the data: the ladder of a key, every key of the files that it read, and who reads them.

A class's parameter has a rung of its own below all data: its default. Where the class was declared with a value, the
data was not asked, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...base.record import replace
from ...base.secrets import PLAIN, REDACTED, parts_of, texts_in
from ...provenance.ladder import CHOSEN, HIDDEN, Element, KeyAnswer, KeyPlace, Ladder, Rung, WrittenKey
from ...provenance.origins import Origin
from ..kernel.values import Sensitive
from .wire import wire_value

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.definitions import ParameterCode


def ladder_of(run: Compilation, key: str, merge: object = None) -> tuple[Ladder, Origin | None]:
    """The ladder of a key on this node, and the origin of its value in the data."""
    if run.data is None:
        read = None if run.data_only else False
        return Ladder(key, run.node, False, None, "first", tuple(_default(run, key, False)), read=read), None
    ladder, origin = run.data.ladder(key, merge, run.top, run.node)
    rungs = [_plain(rung) for rung in ladder.rungs]
    rungs += _default(run, key, ladder.has_value)
    value, has_value = ladder.value, ladder.has_value
    secret = ladder.secret
    if not has_value and rungs and rungs[-1].status == CHOSEN:
        value, has_value = _effective(run, key)
        secret = secret or isinstance(value, Sensitive)
    shown = Ladder(
        ladder.key,
        ladder.node,
        has_value,
        wire_value(value.value if isinstance(value, Sensitive) else value),
        ladder.merge,
        tuple(rungs),
        tuple(Element(element.path, wire_value(element.value), element.span) for element in ladder.elements),
        ladder.filled,
        ladder.options,
        ladder.options_span,
        secret,
        None if run.data_only else ladder.read,
        tuple(_unset(run) if run.data_only else _notes(run, key)),
    )
    return shown, origin


def _plain(rung: Rung) -> Rung:
    value = rung.value.value if isinstance(rung.value, Sensitive) else rung.value
    shown: Rung = replace(rung, value=wire_value(value))
    return shown


def _parameter(run: Compilation, key: str) -> tuple[str, ParameterCode] | None:
    """The class and the parameter that a key is for, if there are such."""
    name, mark, parameter = key.rpartition("::")
    definition = run.environment.find_class(name) if mark else None
    if definition is None:
        return None
    return next(((name, declaration) for declaration in definition.parameters if declaration.name == parameter), None)


def _default(run: Compilation, key: str, has_value: bool) -> Iterator[Rung]:
    meant = _parameter(run, key)
    if meant is not None and meant[1].default_span is not None:
        span = meant[1].default_span
        yield Rung("class", f"class {meant[0]}", span.file.name, HIDDEN if has_value else CHOSEN, span.text, span)


def _effective(run: Compilation, key: str) -> tuple[Any, bool]:
    """What the parameter of a class is on this node, where no data says it."""
    name, _, parameter = key.rpartition("::")
    resource = run.catalog.find("Class", name)
    attribute = resource.attributes.get(parameter) if resource is not None else None
    return (None, False) if attribute is None else (attribute.value, True)


def _unset(run: Compilation) -> Iterator[str]:
    """What the answer would have needed the code for."""
    for name in run.data.unset if run.data is not None else ():
        yield f"%{{{name}}} is taken as empty: there is no such fact, and the code that could set it was not evaluated"


def _notes(run: Compilation, key: str) -> Iterator[str]:
    meant = _parameter(run, key)
    if meant is None:
        return
    name, parameter = meant
    resource = run.catalog.find("Class", name)
    if resource is None:
        yield f"class {name} is not declared on this node"
        return
    attribute = resource.attributes.get(parameter.name)
    if attribute is not None and attribute.span is not None:
        yield f"class {name} is declared with {parameter.name} at {attribute.span.place}: the data is not looked up"


def data_keys(run: Compilation) -> list[WrittenKey]:
    """Every key of the files of data that this node reads."""
    return [] if run.data is None else list(run.data.written_keys(run.top))


def keys_read(run: Compilation) -> set[str]:
    """Every key that the compilation looked up, with the arguments of the lookup."""
    return set() if run.data is None else set(run.data.asked)


def key_answers(run: Compilation) -> list[KeyAnswer]:
    """The answer to every key that the compilation looked up; a class's default where no level has it."""
    answers: list[KeyAnswer] = []
    classes: dict[str, _Class] = {}
    for answer, secret in run.data.key_answers() if run.data is not None else ():
        if not answer.has_value:
            answers.append(_default_answer(run, answer, classes))
        else:
            value = REDACTED if secret else wire_value(answer.value)
            answers.append(KeyAnswer(answer.key, True, value, answer.places))
    return answers


class _Class:
    """A class, of whose parameters many are asked for: it is looked for once."""

    __slots__ = ("parameters", "resource")

    def __init__(self, run: Compilation, name: str) -> None:
        definition = run.environment.find_class(name)
        parameters = () if definition is None else definition.parameters
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self.resource = run.catalog.find("Class", name)


def _default_answer(run: Compilation, answer: KeyAnswer, classes: dict[str, _Class]) -> KeyAnswer:
    """A key that no level has: what the parameter of that name is by the code, if there is one."""
    name, mark, parameter_name = answer.key.rpartition("::")
    if not mark:
        return answer
    owner = classes.get(name)
    if owner is None:
        owner = classes[name] = _Class(run, name)
    parameter = owner.parameters.get(parameter_name)
    attribute = owner.resource.attributes.get(parameter_name) if owner.resource is not None else None
    if parameter is None or parameter.default_span is None or attribute is None:
        return answer
    value, span = attribute.value, parameter.default_span
    secret = type(value) not in PLAIN and any(isinstance(part, Sensitive) for part in parts_of([value]))
    place = KeyPlace("", f"default of class {name}", span.file.name, span.line)
    return KeyAnswer(answer.key, True, REDACTED if secret else wire_value(value), (place,))


def data_directories(run: Compilation) -> list[str]:
    """The directories that the environment keeps its data in."""
    return [] if run.data is None else list(dict.fromkeys(run.data.directories(run.top)))


def sensitive_texts(run: Compilation) -> set[str]:
    """The texts of everything sensitive in a catalog and its variables, which stay as they are after a run."""
    hidden = [resource.attributes[name].value for resource in run.catalog.resources for name in resource.sensitive]
    values = [
        value
        for resource in run.catalog.resources
        for attribute in resource.attributes.values()
        if type(value := attribute.value) not in PLAIN  # most are
    ]
    values += [
        value for scope in run.class_scopes.values() for value, _ in scope.vars.values() if type(value) not in PLAIN
    ]
    hidden += [part.value for part in parts_of(values) if isinstance(part, Sensitive)]
    return texts_in(hidden)


def other_secrets(run: Compilation) -> set[str]:
    """The texts of data that was decrypted, of what others export, and of what was learned: they may become more."""
    secrets = {text for exported in run.foreign.values() for text in exported.secrets}
    if run.data is not None:
        secrets |= run.data.data.eyaml.secrets
    return secrets | run.learned.texts(not run.shows_derived)

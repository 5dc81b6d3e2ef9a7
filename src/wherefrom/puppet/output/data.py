"""What a compilation made of the data: the ladder of a key, every key of the files that it read, and who reads them.

A class's parameter has a rung of its own below all data: its default. Where the class was declared with a value, the
data was not asked, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...base.secrets import REDACTED, parts_of, texts_in
from ...provenance.ladder import CHOSEN, HIDDEN, Element, KeyAnswer, KeyPlace, Ladder, Rung, WrittenKey
from ...provenance.origins import Origin
from ..kernel.values import Sensitive
from .wire import wire_value

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.definitions import ParameterCode


def ladder_of(run: Compilation, key: str, merge: Any = None) -> tuple[Ladder, Origin | None]:
    """The ladder of a key on this node, and the origin of its value in the data."""
    if run.data is None:
        return Ladder(key, run.node, False, None, "first", tuple(_default(run, key, False)), read=False), None
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
        ladder.read,
        tuple(_notes(run, key)),
    )
    return shown, origin


def _plain(rung: Rung) -> Rung:
    value = rung.value.value if isinstance(rung.value, Sensitive) else rung.value
    return Rung(rung.layer, rung.level, rung.file, rung.status, wire_value(value), rung.span, rung.because, rung.words)


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


def _notes(run: Compilation, key: str) -> Iterator[str]:
    meant = _parameter(run, key)
    if meant is None:
        return
    name, parameter = meant
    resource = run.catalog.find("Class", name)
    if resource is None:
        yield f"class {name} is not on this node"
        return
    attribute = resource.attributes.get(parameter.name)
    if attribute is not None and attribute.span is not None:
        yield f"class {name} is declared with {parameter.name} at {attribute.span.place}: the data is not asked"


def data_keys(run: Compilation) -> list[WrittenKey]:
    """Every key of the files of data that this node reads."""
    return [] if run.data is None else list(run.data.written_keys(run.top))


def keys_read(run: Compilation) -> set[str]:
    """Every key that the compilation asked for, as it asked."""
    return set() if run.data is None else set(run.data.asked)


def key_answers(run: Compilation) -> list[KeyAnswer]:
    """What the compilation was told about every key that it asked for; a class's default where no level has it."""
    answers: list[KeyAnswer] = []
    for answer, secret in run.data.key_answers() if run.data is not None else ():
        if not answer.has_value:
            answers.append(_default_answer(run, answer))
        else:
            value = REDACTED if secret else wire_value(answer.value)
            answers.append(KeyAnswer(answer.key, True, value, answer.places))
    return answers


def _default_answer(run: Compilation, answer: KeyAnswer) -> KeyAnswer:
    """A key that no level has: what the parameter of that name is by the code, if there is one."""
    for rung in _default(run, answer.key, False):
        value, has_value = _effective(run, answer.key)
        if rung.span is not None and has_value:
            secret = any(isinstance(part, Sensitive) for part in parts_of([value]))
            place = KeyPlace("", f"default of {rung.level}", rung.file, rung.span.line)
            return KeyAnswer(answer.key, True, REDACTED if secret else wire_value(value), (place,))
    return answer


def data_directories(run: Compilation) -> list[str]:
    """The directories that the environment keeps its data in."""
    return [] if run.data is None else list(dict.fromkeys(run.data.directories(run.top)))


def secrets_of(run: Compilation) -> set[str]:
    """The texts of everything sensitive in a catalog and its variables, and of data that was decrypted."""
    secrets: set[str] = set()
    if run.data is not None:
        secrets |= run.data.data.eyaml.secrets
    hidden = [resource.attributes[name].value for resource in run.catalog.resources for name in resource.sensitive]
    values = [attribute.value for resource in run.catalog.resources for attribute in resource.attributes.values()]
    values += [value for scope in run.class_scopes.values() for value, _ in scope.vars.values()]
    hidden += [part.value for part in parts_of(values) if isinstance(part, Sensitive)]
    secrets |= {text for exported in run.foreign.values() for text in exported.secrets}
    return secrets | texts_in(hidden)

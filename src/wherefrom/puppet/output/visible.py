"""What of a catalog may be seen: everything but what is sensitive and what was computed from it.

Puppet itself hides the parameters that are `Sensitive`. We hide what a program made of them, too, in everything that we
write (`wherefrom.provenance.secrecy`), unless that was asked for (`--show-derived`), or the settings declare an output
public by its path: a digest of a password, say, that is meant to be read. `compile --show-secrets` and `batch` give the
catalog as Puppet does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.globs import Shape
from ...base.secrets import REDACTED, Secret, texts_in
from ...provenance.secrecy import Secrecy
from ..kernel.values import Sensitive, key_value
from ..types import puppet_string
from .wire import reference_of, wire_value

if TYPE_CHECKING:
    from ...provenance.origins import Origin
    from ..runtime.compilation import Compilation, PuppetLog
    from ..runtime.resources import Resource


class Visible:
    """What may be seen of one run.  To be made when the run is over, while it is still being learned from."""

    def __init__(self, run: Compilation) -> None:
        self._public = [_pattern(text) for text in run.public_outputs]
        self._secrecy = Secrecy() if run.learned.opened and not run.shows_derived else None
        if self._secrecy is not None:
            self._learn(run, self._secrecy)

    @property
    def hides(self) -> bool:
        """Whether origins have to be looked at to know what may be seen."""
        return self._secrecy is not None

    def _learn(self, run: Compilation, secrecy: Secrecy) -> None:
        """Mark the texts that were computed from secrets."""
        learned = run.learned
        for resource in run.catalog.resources:
            learned.values += secrecy.secret_parts(resource.title, resource.title_origin)  # a title is a name
            for name, attribute in resource.attributes.items():
                if self._is_public(f"{resource.ref}.{name}"):
                    learned.public |= texts_in(attribute.value)
                else:
                    learned.derived += secrecy.secret_parts(attribute.value, attribute.origin)
        for scope in run.class_scopes.values():
            for value, origin in scope.vars.values():
                learned.derived += secrecy.secret_parts(value, origin)

    def _is_public(self, path: str) -> bool:
        return any(pattern.fullmatch(path) for pattern in self._public)

    def selected(self, path: str, value: object, origin: Origin) -> Any:
        """The value at a path, as answers have it; what looks into it may ask for it as it is (`raw`)."""
        if isinstance(value, Sensitive):
            return Secret(value.value)
        wire = wire_value(value)
        if self._secrecy is None or value is None or not self._secrecy.is_secret(origin) or self._is_public(path):
            return wire
        return Secret(wire, self._secrecy.text(value, origin) if isinstance(value, str) else REDACTED)

    def seen(self, value: object, origin: Origin) -> Any:
        """The same of what an expression gave: whatever is no data is the text that `notice` prints of it."""
        return self.selected("", value if isinstance(value, Sensitive) else _printed(value), origin)

    def document(self, document: dict[str, Any], resources: list[Resource]) -> dict[str, Any]:
        """A catalog in Puppet's form, of which the `resources` are those."""
        shown = [self._resource(part, resource) for part, resource in zip(document["resources"], resources)]
        return {**document, "resources": shown}

    def _resource(self, document: dict[str, Any], resource: Resource) -> dict[str, Any]:
        parameters = document.get("parameters")
        if not parameters:
            return document
        shown = {name: self._parameter(resource, name, value) for name, value in parameters.items()}
        return {**document, "parameters": shown}

    def _parameter(self, resource: Resource, name: str, wire: object) -> Any:
        attribute = resource.attributes.get(name)
        if name in resource.sensitive:
            return REDACTED
        if attribute is None:
            return wire
        seen = self.value(f"{resource.ref}.{name}", attribute.value, attribute.origin)
        return wire if seen is attribute.value else wire_value(seen)

    def value(self, path: str, value: object, origin: Origin) -> Any:
        """A value of Puppet's; itself, if there is nothing secret in it."""
        if self._secrecy is not None and self._secrecy.is_secret(origin) and not self._is_public(path):
            value = self._secrecy.shown(value, origin)
        return _without_sensitive(value)

    def line(self, origin: Origin, text: str, start: int, line: str) -> str:
        """A line of a text, which begins at `start` in it."""
        if self._secrecy is None or not self._secrecy.is_secret(origin):
            return line
        seen = self._secrecy.text(text, origin, start, start + len(line))
        return seen if seen == line else Secret(line, seen)

    def log(self, log: PuppetLog) -> PuppetLog:
        """A line that was logged."""
        if self._secrecy is None or log.origin is None or not self._secrecy.is_secret(log.origin):
            return log
        from ..runtime.compilation import PuppetLog

        return PuppetLog(log.level, self._secrecy.text(log.message, log.origin), log.origin, log.span)


def _without_sensitive(value: object) -> Any:
    """The same with nothing in what is sensitive; itself, if nothing in it is."""
    if isinstance(value, Sensitive):
        return Sensitive(REDACTED)
    if type(value) is list:
        parts = [_without_sensitive(part) for part in value]
        return parts if any(part is not before for part, before in zip(parts, value)) else value
    if type(value) is dict:
        entries = {key: _without_sensitive(part) for key, part in value.items()}
        return entries if any(entries[key] is not part for key, part in value.items()) else value
    return value


def _printed(value: object) -> Any:
    """A value in which types, patterns, times and the like are texts; references stay."""
    if value is None or isinstance(value, str | int | float):
        return value
    if type(value) is list:
        return [_printed(part) for part in value]
    if type(value) is dict:
        return {puppet_string(key_value(key)): _printed(part) for key, part in value.items()}
    reference = reference_of(value)
    return puppet_string(value) if reference is None else reference


def _pattern(text: str) -> Shape:
    """Paths of outputs, and what is in them; `*` matches anything."""
    return Shape(Shape.of(text).source + r"(?:[.\[].*)?")

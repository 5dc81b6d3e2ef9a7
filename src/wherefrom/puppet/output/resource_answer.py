"""An answer about a resource: why it exists, who set what of it from elsewhere, and who depends on it.

File[/etc/motd]

edit    '/etc/motd'                        site/profile/manifests/base.pp:11:10
in      class profile::base                site/role/manifests/web.pp:3:11       declared here
        class role::web                    manifests/site.pp:9:27                declared here
because $facts['role'] is "web"            manifests/site.pp:8:8                 fact role = "web"

set     owner = "root"                     manifests/site.pp:3:12                default for File
before  Service[ntp]                       site/profile/manifests/base.pp:20:16  notifies it
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...base.record import Record
from ...base.render import Styled, span_json
from ...base.secrets import REDACTED
from ...base.source import Span
from ...provenance.explain import ALL_PARTS, short
from ...provenance.extract import chain, hidden, where
from ...provenance.layout import Line, aligned, hidden_words
from ..kernel.edge_labels import Changing, DefaultFor
from .answer import MAX_DECISIONS, Answer

if TYPE_CHECKING:
    from ..runtime.resources import Resource

MAX_ROWS = 6


class Container(Record):
    """Something that a resource stands in, and the place that declared it."""

    name: str
    span: Span | None


class ChangeElsewhere(Record):
    """An attribute that was set, or covered, from elsewhere."""

    attribute: str
    value: Any
    how: str
    span: Span | None


class ResourceAnswer(Answer):
    """One resource."""

    resource: Resource | None = None

    @property
    def containers(self) -> list[Container]:
        """The classes and defines round it, the innermost first."""
        containers: list[Container] = []
        resource = self.resource
        seen: set[str] = set()
        while resource is not None and resource.scope is not None:
            above = resource.scope.resource
            if above is resource or above.ref in seen or above.definition is None or not above.definition.name:
                break
            seen.add(above.ref)
            if above.definition.kind != "node":
                source = where(above.title_origin)
                name = f"class {above.definition.name}" if above.is_class else above.ref
                containers.append(Container(name, above.span or (source.span if source is not None else None)))
            resource = above
        return containers

    @property
    def changes(self) -> list[ChangeElsewhere]:
        """Attributes that something outside of the declaration set or added to."""
        changes: list[ChangeElsewhere] = []
        for name, attribute in self.resource.attributes.items() if self.resource is not None else ():
            secret = self.resource is not None and name in self.resource.sensitive
            value = REDACTED if secret else attribute.value
            for transfer in chain(attribute.origin):
                if isinstance(transfer.how, Changing):
                    changes.append(
                        ChangeElsewhere(
                            name, value, transfer.how.words, getattr(transfer.origin, "span", None) or attribute.span
                        )
                    )
                    break
            else:
                covered = [default for default in hidden(attribute.origin) if isinstance(default.why, DefaultFor)]
                if covered:
                    why = f"hides {REDACTED if secret else hidden_words(covered[0])}, {covered[0].why}"
                    changes.append(ChangeElsewhere(name, value, why, attribute.span))
        return changes

    def relations(self) -> Iterator[tuple[str, str, Span | None, str]]:
        """What comes before and after it: a word, the other resource, the place, and whether it is notified."""
        ref = self.resource.ref if self.resource is not None else ""
        for arrow in self.outcome.graph().arrows:
            if arrow.source == ref:
                yield "before  ", arrow.target, arrow.span, "notifies it" if arrow.notifies else ""
            elif arrow.target == ref:
                yield "after   ", arrow.source, arrow.span, "is notified by it" if arrow.notifies else ""

    def to_json(self) -> dict[str, Any]:
        document = super().to_json()
        document["containers"] = [
            {"name": container.name, **span_json(container.span)} for container in self.containers
        ]
        document["set_elsewhere"] = [
            {"attribute": change.attribute, "how": change.how, **span_json(change.span)} for change in self.changes
        ]
        document["relationships"] = [
            {"order": word.strip(), "resource": other, "notifies": bool(note), **span_json(span)}
            for word, other, span, note in self.relations()
        ]
        return document

    def styled(self, parts: frozenset[str] = ALL_PARTS) -> Styled:
        if parts != ALL_PARTS or self.everything:
            return super().styled(parts)
        out: Styled = [(self.path + "\n\n", "key"), *self.styled_edit(), *self.styled_by()]
        inside = [
            (container.name, container.span, "declared here" if container.span is not None else "")
            for container in self.containers
        ]
        rows = [
            *self.lines("in      ", inside, MAX_ROWS),
            *self.lines("because ", self._decision_rows(), MAX_DECISIONS),
        ]
        if self.exporter is not None:
            rows.append(("via     ", f"exported by {self.exporter}", "", "collected here"))
        if rows:
            out += [("\n", ""), *aligned(rows)]
        changes = [(f"{change.attribute} = {_shown(change.value)}", change.span, change.how) for change in self.changes]
        around: list[Line] = list(self.lines("set     ", changes, MAX_ROWS))
        relations = sorted(self.relations(), key=lambda row: row[0] == "before  ")
        for word in ("after   ", "before  "):
            some = [(other, span, note) for kind, other, span, note in relations if kind == word]
            around += self.lines(word, some, MAX_ROWS)
        if around:
            out += [("\n", ""), *aligned(around)]
        return out + self.styled_inputs()


def _shown(value: object) -> str:
    return str(value) if value == REDACTED else short(value, 40)

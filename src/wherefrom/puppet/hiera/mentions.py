"""The keys in a file of data, and the keys that its values name (`%{lookup('ntp::servers')}`, `%{alias(...)}`)."""

from __future__ import annotations

import re

from ...base.mentions import Mention
from ...base.source import SourceFile

_KEY = re.compile(
    r"^(?P<quote>['\"]?)(?P<key>(?:::)?[A-Za-z_][\w.-]*(?:::[\w.-]+)*)(?P=quote)[ \t]*:(?=\s|$)", re.MULTILINE
)
_NAMED = re.compile(r"%\{(?:lookup|hiera|alias|literal)\(\s*['\"]([\w.:-]+)['\"]\s*\)\}")
_VALUE_LENGTH = 60


def mentions_in_data(source: SourceFile) -> list[Mention]:
    """The keys at the top of a YAML file, each with the lines that belong to it, and keys that values name."""
    mentions: list[Mention] = []
    keys = list(_KEY.finditer(source.text))
    for number, match in enumerate(keys):
        end = keys[number + 1].start() if number + 1 < len(keys) else len(source.text)
        span = source.span(match.start("key"), match.end("key"))
        key = match["key"]
        own = key.rpartition("::")[2]
        extent = source.span(match.start(), match.start() + len(source.text[match.start() : end].rstrip()))
        value = source.text[match.end() : source.text.find("\n", match.end()) % (len(source.text) + 1)].strip()
        at = source.span(span.end - len(own), span.end)
        mentions.append(Mention("key", (key.removeprefix("::"),), span, at, True, extent, value[:_VALUE_LENGTH]))
    for match in _NAMED.finditer(source.text):
        key = match[1].partition(".")[0]
        span = source.span(match.start(1), match.start(1) + len(key))
        own = key.rpartition("::")[2]
        mentions.append(Mention("key", (key.removeprefix("::"),), span, source.span(span.end - len(own), span.end)))
    return mentions

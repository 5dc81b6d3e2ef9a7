"""The text between the tags of an EPP template.

A template is text with tags: `<% code %>`, `<%= expression %>`, `<%# comment %>`; `<%%` and `%%>` stand for the tags
themselves; `<%-` takes the blanks before it away and `-%>` the blanks and the line end after it. This module finds the
end of one stretch of text; the lexer lexes what is inside the tags as ordinary Puppet.
"""

from __future__ import annotations

import re

from ...base.record import Record
from ..kernel import issues
from ..kernel.issues import Issue

_TAG = re.compile(r"<%|\Z")
_LEADING = re.compile(r"[ \t]*\r?\n?")
_COMMENT_END = re.compile(r"[^%]%>", re.S)


class Text(Record):
    """A stretch of text, the tag that ends it (`%`, `=` or nothing at the end of the template) and where it ends.

    `text` is nothing if the template ended before any text. A tag that is never closed is an `issue` at `end`.
    """

    text: str | None
    tag: str
    end: int
    issue: Issue | None = None


def scan_text(template: str, position: int, trim: bool) -> Text:
    """The text from `position` to the next tag.  `trim` takes leading blanks and one line end away (after `-%>`)."""
    if position >= len(template):
        return Text(None, "", position)
    parts = ""
    while position < len(template):
        match = _TAG.search(template, position)
        end = match.end() if match else len(template)
        part = template[position:end]
        position = end
        if trim:
            part = _LEADING.sub("", part, count=1)
            trim = False
        parts += part.replace("%%>", "%>")
        following = template[position : position + 1]
        if following == "":
            unbalanced = parts.endswith("<%")
            return Text(parts, "", position, issues.EPP_UNBALANCED_EXPRESSION if unbalanced else None)
        if following == "%":
            position += 1
        elif following == "-":
            return Text(parts[:-2].rstrip(" \t"), "%", position + 1)
        elif following == "=":
            return Text(parts[:-2], "=", position + 1)
        elif following == "#":
            parts = parts[:-2]
            closing = _COMMENT_END.search(template, position)
            if closing is None:
                return Text(parts, "", position, issues.EPP_UNBALANCED_COMMENT)
            comment = template[position : closing.end()]
            if comment[1] == "-":
                parts = parts.rstrip(" \t")
            trim = comment.endswith("-%>")
            position = closing.end()
        else:
            return Text(parts[:-2], "%", position)
    return Text(None, "", position)  # Puppet forgets the text before a comment that ends the template

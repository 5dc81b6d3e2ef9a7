"""`require`: a fixed list of libraries, each our own; everything else is for the host to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .classes import error, text_of
from .values import Value

if TYPE_CHECKING:
    from ..base.source import Span
    from .interpreter import Interpreter

KNOWN = frozenset(
    "json json/pure yaml psych set digest digest/md5 digest/sha1 digest/sha2 base64 ipaddr uri erb time date openssl"
    " securerandom shellwords bigdecimal forwardable ostruct pp delegate singleton comparable enumerator timeout"
    " tempfile fileutils pathname English tsort stringio strscan zlib net/http net/https open-uri socket resolv open3"
    " uri/generic"
    " etc tmpdir logger rbconfig monitor thread observer benchmark objspace csv optparse rubygems cgi cgi/util".split()
)
"""Libraries whose `require` succeeds: what of them can be used is in the tables, the rest is refused when used."""


def require(interpreter: Interpreter, arguments: list[Value], relative_to: str | None, at: Span | None) -> bool:
    """`require name`: true the first time."""
    name = text_of(arguments[0]).removesuffix(".rb")
    if relative_to is None and name in KNOWN:
        fresh = name not in interpreter.libraries
        interpreter.libraries.add(name)
        return fresh
    assert at is not None
    known = f"{relative_to}:{name}" if relative_to else name
    by = interpreter.required.setdefault(at.file.name, {})
    if known in interpreter.libraries:
        if known in interpreter.loaded:
            by[interpreter.loaded[known].name] = interpreter.loaded[known]
        return False
    answer = interpreter.world.require(interpreter, name, relative_to, at)
    if answer is None:
        shown = name
        if relative_to is not None:
            shown = f"{relative_to.rpartition('/')[0]}/{name}"
        raise error("LoadError", f"cannot load such file -- {shown}")
    interpreter.libraries.add(known)
    if isinstance(answer, bool):
        return answer
    by[answer.name] = interpreter.loaded[known] = answer
    from .programs import compile_ruby

    if answer.name in interpreter.libraries:
        return False
    interpreter.libraries.add(answer.name)
    compile_ruby(answer).run(interpreter, interpreter.main)
    return True

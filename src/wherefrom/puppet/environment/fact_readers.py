"""Which manifests read a fact, by their text: for hints, where a fact is missing."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from .modules import manifest_files

if TYPE_CHECKING:
    from ...base.host import Host
    from ..syntax import tree


def reading(fact: str) -> re.Pattern[str]:
    """What reads a fact by its dotted name: `$facts['os']['family']`, `fact('os.family')`, `$::role`, `$role`."""
    segments = [re.escape(segment) for segment in fact.split(".")]
    by_key = r"facts" + "".join(rf"\s*\[\s*['\"]{segment}['\"]\s*\]" for segment in segments)
    inside = "".join(rf"\[['\"]{segment}['\"]\]" for segment in segments[1:])
    as_variable = rf"\$\{{?(?:::)?{segments[0]}\b{inside}"
    called = rf"(?:fact|getvar|get)\(\s*['\"](?:facts\.)?{re.escape(fact)}['\"]"
    return re.compile(f"{by_key}|{as_variable}|{called}")


def count_readers(host: Host, programs: Iterable[tree.Program], modules: Iterable[tuple[str, str]], fact: str) -> int:
    """How many files of these programs and modules read a fact."""
    pattern = reading(fact)
    word = fact.rpartition(".")[2]
    texts = {program.file.name: program.file.text for program in programs}
    for _, directory in modules:
        folder = posixpath.join(directory, "manifests")
        for name in manifest_files(host, folder):
            path = posixpath.join(folder, name)
            if path not in texts:
                with suppress(Diagnostic):
                    texts[path] = host.source(path).text
    return sum(1 for text in texts.values() if word in text and pattern.search(text))

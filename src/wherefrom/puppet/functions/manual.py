"""The manual of the core functions, made from the functions themselves.

    python -m wherefrom.puppet.functions.manual

prints `docs/puppet-functions.md`: for each function its signatures, its docstring and the examples in it. The examples
are tests: their results are compared with what the evaluator gives, and with what real Puppet gave.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from importlib import import_module

from ...base.record import Record
from .registry import FUNCTIONS, Function, Signature
from .table import MODULES, find, names


class Example(Record):
    """An example of a manual page: an expression and its value as Puppet prints it, or `error: ` and the message."""

    code: str
    result: str


def page(name: str) -> str:
    """The docstring of a function, without indentation."""
    function = find(name)
    assert function is not None
    return inspect.cleandoc(function.documentation)


def examples(name: str) -> list[Example]:
    """The examples in a function's docstring."""
    pairs = re.findall(r"^puppet> (.*)\n(.*)$", page(name), re.MULTILINE)
    return [Example(code, result) for code, result in pairs]


def description(name: str) -> str:
    """The docstring without its examples."""
    return re.sub(r"^puppet> .*\n.*$\n?", "", page(name), flags=re.MULTILINE).strip()


def signature_text(function: Function, signature: Signature) -> str:
    """A signature as Puppet would write it."""
    marks = {"required": "", "optional": "", "repeated": "*", "required_repeated": "*"}
    parts = []
    for parameter in signature.parameters:
        type_text = "" if function.legacy else parameter.type_text + " "
        text = f"{type_text}{marks[parameter.kind]}${parameter.name}"
        if parameter.kind == "required_repeated":
            text += " (one or more)"
        parts.append(f"[{text}]" if parameter.kind == "optional" else text)
    if signature.block is not None:
        text = f"{signature.block.type_text} &${signature.block.name}"
        parts.append(text if signature.block_required else f"[{text}]")
    return f"{function.name}({', '.join(parts)})"


def manual() -> str:
    """The whole manual, in Markdown."""
    functions = every_function()
    others = {function.name: function.home for function in functions if function.home}
    legacy = [function.name for function in functions if function.legacy]
    core = len(functions) - len(others)
    lines = [
        "# Puppet's core functions",
        "",
        "This page is made by `python -m wherefrom.puppet.functions.manual` from the functions' documentation; a test",
        "keeps it so. Every example is run by a test and was put to Puppet 7.23, with equal results (but for those of",
        "`generate`, which it runs, and `scanf`, for which it needs a library that Ruby no longer has).",
        "",
        f"All {core} core functions of Puppet 7 are here: {core - len(legacy)} of the current",
        f"interface and the {len(legacy)} that exist in the old (3x) interface alone. In signatures `*$x` takes any",
        "number of arguments, `[...]` may be left out, and `&$block` is a lambda.",
        f"Beside them there is {', '.join(f'`{name}`, {origin}' for name, origin in others.items())}.",
        "",
        "Functions that check their arguments and then refuse, with a clear error:",
        "",
        "| function | what it does not do |",
        "|---|---|",
        *(f"| `{function.name}` | {function.refuses} |" for function in functions if function.refuses),
        "",
        "Functions that differ from Puppet's in something:",
        "",
        "| function | difference |",
        "|---|---|",
        *(f"| `{function.name}` | {function.differs} |" for function in functions if function.differs),
        "",
        "A range of integers may be walked over if the budget has a step left for each of them. Where a message of",
        "Puppet's shows the insides of its Ruby code (`undefined method ...` and hints), ours says the first line.",
        "",
        textwrap.fill(" ".join(f"[{name}](#{name})" for name in names()), 120, break_on_hyphens=False),
        "",
    ]
    for name in names():
        function = find(name)
        assert function is not None
        lines += [f"## {name}", "", "```puppet"]
        lines += [signature_text(function, signature) for signature in function.signatures]
        lines += ["```", "", description(name), ""]
        shown = examples(name)
        if shown:
            lines.append("```")
            for example in shown:
                lines += [f"puppet> {example.code}", example.result]
            lines += ["```", ""]
    return "\n".join(lines).rstrip() + "\n"


def load_all() -> None:
    """Import every module of functions."""
    for module in sorted(set(MODULES.values())):
        import_module(f"{__package__}.{module}")


def every_function() -> list[Function]:
    """All functions, by name."""
    load_all()
    return [FUNCTIONS[name] for name in names()]


if __name__ == "__main__":
    print(manual(), end="")

"""Functions that read files of modules, and the templates.

Files come in through the machine's host and nowhere else, and every file that was read is an input with a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ...base.diagnostics import Diagnostic, Refused
from ...provenance.origins import Absent, Choice, Leaf, Origin
from ..kernel.failures import EvaluationError
from ..kernel.operations import CONCATENATE
from ..kernel.shadow import traced_items
from ..kernel.traced import Traced
from ..kernel.values import Binary, Value
from ..types import ruby
from .registry import Call, calling


def _paths(call: Call) -> list[Traced]:
    """The paths given: as arguments, or as one array."""
    if len(call.values) > 1 and any(isinstance(argument, list) for argument in call.values):
        # Puppet's signature lets several arrays pass, its method takes one.
        raise call.fail(f"wrong number of arguments (given {len(call.values) + 1}, expected 2)")
    if len(call.values) == 1 and isinstance(call.values[0], list):
        return list(traced_items(call.values[0], call.origins[0]))
    return list(zip(call.values, call.origins, strict=True))


def _find(call: Call, kind: str, paths: Sequence[Traced]) -> tuple[str | None, tuple[Origin, ...]]:
    """The file for the first of the paths that there is one for, and why it is this one: what is not there before."""
    tried: list[Origin] = []
    for path, origin in paths:
        location = call.machine.find_file(kind, path)
        tried += (origin, *call.machine.missed_files(kind, path))
        if location is not None:
            return location, tuple(tried)
    return None, tuple(tried)


def _found(call: Call, kind: str) -> Traced:
    paths = _paths(call)
    path, tried = _find(call, kind, paths)
    if path is None:
        causes = (*call.origins, *tried)
        return None, Absent(f"{kind} {', '.join(str(path) for path, _ in paths)}", causes, call.span)
    return path, Choice(tried, Leaf("file", path, None, path), call.span, call.function.label)


@calling("find_file", "String *$paths", "Array[String] *$paths_array")
def find_file(call: Call) -> Traced:
    """The full path of the first file that exists, of paths as `MODULE/FILE` or absolute ones; `undef` if none does.

    puppet> find_file('no_module/no_file')
    undef
    """
    return _found(call, "files")


@calling("find_template", "String *$paths", "Array[String] *$paths_array")
def find_template(call: Call) -> Traced:
    """The full path of the first template that exists, of paths as `MODULE/TEMPLATE` or absolute ones, or `undef`.

    puppet> find_template('no_module/no_template.epp')
    undef
    """
    return _found(call, "templates")


@calling("module_directory", "String *$names", "Array[String] *$names")
def module_directory(call: Call) -> Traced:
    """The directory of the first of the named modules that there is, or `undef`.

    puppet> module_directory('no_module')
    undef
    """
    tried: list[Origin] = []
    for name, origin in _paths(call):
        directory = call.machine.module_directory(name)
        tried += (origin, call.machine.another_module(name))
        if directory is not None:
            leaf = Leaf("file", directory, None, directory)
            return directory, Choice(tuple(tried), leaf, call.span, call.function.label)
    return None, Absent("module", (*call.origins, *tried), call.span)


def _read(call: Call, path: str) -> bytes:
    host = call.machine.host
    host.own("content", path)  # nobody keeps it: every run reads for itself
    try:
        with host.apart():
            return host.read_bytes(path, call.span)
    except Refused:
        raise
    except Diagnostic as problem:
        raise call.fail(problem.message) from None


def _no_path(call: Call, value: Value) -> Diagnostic:
    """What is wrong with a path that is no text; Puppet looks twice, and warns, before it fails."""
    _warn_of_path(call, value)
    _warn_of_path(call, value)
    return call.fail(f"undefined method `split' for {ruby.inspect(value)}:{ruby.ruby_class(value)}")


def _warn_of_path(call: Call, value: Value) -> None:
    kind = f"it is a '{ruby.ruby_class(value)}' and not a String'"
    message = f"Cannot check if {ruby.to_s(value)} is an absolute path because {kind}"
    call.machine.log("warning", message, None, call.step())


@calling("file", "Any $path, Any *$paths", legacy=True)
def file(call: Call) -> Traced:
    """The content of the first file that exists, of paths as `MODULE/FILE` (in its `files`) or absolute ones.

    puppet> file('no_module/no_file')
    error: Could not find any files from no_module/no_file
    """
    given = list(zip(call.values, call.origins, strict=True))
    path, tried = _find(call, "files", list(takewhile(lambda pair: isinstance(pair[0], str), given)))
    if path is None:
        for value in call.values:
            if not isinstance(value, str):
                raise _no_path(call, value)
        raise call.fail(f"Could not find any files from {', '.join(map(str, call.values))}")
    text = _read(call, path).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return text, Choice(tried, Leaf("file", path, None, text), call.span, call.function.label)


@calling("binary_file", "String $path")
def binary_file(call: Call) -> Traced:
    """The content of a file as a `Binary`, given as `MODULE/FILE` or by an absolute path.

    puppet> binary_file('no_module/no_file')
    error: binary_file(): The given file 'no_module/no_file' does not exist
    """
    path, tried = _find(call, "files", [(call.values[0], call.origins[0])])
    if path is None:
        raise call.fail(f"binary_file(): The given file '{call.values[0]}' does not exist")
    content = Binary(_read(call, path))
    return content, Choice(tried, Leaf("file", path, None, content), call.span, call.function.label)


@calling("epp", r"String $path, Hash[Pattern[/^\w+$/], Any] $parameters?")
def epp(call: Call) -> Traced:
    """The text that an EPP template file makes, given as `MODULE/TEMPLATE` or by an absolute path, with parameters.

    puppet> epp('no_module/no_template')
    error: Could not find template 'no_module/no_template.epp'
    """
    text, origin = call.machine.epp(call.values[0], call.argument(1), call.span)
    return text, Choice((call.origins[0],), origin, call.span, call.function.label)


@calling("inline_epp", r"String $template, Hash[Pattern[/^\w+$/], Any] $parameters?")
def inline_epp(call: Call) -> Traced:
    """The text that an EPP template, given as text, makes with the parameters.

    puppet> inline_epp('Hello <%= $name %>!', { 'name' => 'you' })
    'Hello you!'
    """
    return call.machine.inline_epp((call.values[0], call.origins[0]), call.argument(1), call.span)


def _concatenated(call: Call, parts: list[Traced]) -> Traced:
    if len(parts) == 1:
        return parts[0]
    from ...provenance.origins import Step

    return "".join(text for text, _ in parts), Step(CONCATENATE, tuple(origin for _, origin in parts), call.span)


@calling("template", "Any $path, Any *$paths", legacy=True)
def template(call: Call) -> Traced:
    """The text that ERB template files make, one after the other, in the scope of the caller.

    puppet> template('no_module/no_template.erb')
    error: Could not find template 'no_module/no_template.erb'
    """
    _no_scripting(call, "ERB template")
    texts = [_template(call, path, origin) for path, origin in zip(call.values, call.origins, strict=True)]
    return _concatenated(call, texts)


def _template(call: Call, path: Value, named: Origin) -> Traced:
    if not isinstance(path, str):
        raise _no_path(call, path)
    location = call.machine.find_file("templates", path)
    if location is None and not path.startswith("/"):
        raise call.fail(f"Could not find template '{path}'", kind="unknown template")
    if location is not None:
        plain = call.machine.plain_templates
        if location in plain:
            text = plain[location]
        else:
            content = _read(call, location).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
            text = plain[location] = content if "<%" not in content else None
        if text is not None:
            tried = (named, *call.machine.missed_files("templates", path))
            return text, Choice(tried, Leaf("file", location, None, text), call.span, call.function.label)
    value, origin = call.machine.template(path, call.span)
    tried = (named, *call.machine.missed_files("templates", path))
    return value, Choice(tried, origin, call.span, call.function.label)


def _no_scripting(call: Call, feature: str) -> None:
    """Scripts have no catalog, and so no templates that could look at it."""
    if call.machine.setting("tasks"):
        raise EvaluationError(
            f"The feature '{feature}' is only available when compiling a catalog",
            call.span,
            issue="FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING",
            lead="",
            column=False,
        )


@calling("inline_template", "Any $text, Any *$texts", legacy=True)
def inline_template(call: Call) -> Traced:
    """The text that ERB templates, given as texts, make, one after the other, in the scope of the caller.

    puppet> inline_template('plain')
    'plain'
    """
    _no_scripting(call, "ERB inline_template")
    parts: list[Traced] = []
    for text, origin in zip(call.values, call.origins, strict=True):
        if not isinstance(text, str):
            problem = f"undefined method `encoding' for {ruby.inspect(text)}:{ruby.ruby_class(text)}"
            raise call.fail(f"Failed to parse inline template: {problem}")
        if "<%" in text:
            parts.append(call.machine.inline_template((text, origin), call.span))
        else:
            parts.append((text, origin))
    return _concatenated(call, parts)


@calling("generate", "Any $command, Any *$arguments", legacy=True, refuses="runs a program")
def generate(call: Call) -> Traced:
    """Would run a program and give its output.  Compiling a configuration runs no programs: the call is refused.

    What it printed can be recorded (`wherefrom record`) and given with `--answers`. An application that embeds
    wherefrom can allow it by giving a host that has a method `run_program`.

    puppet> generate('/bin/date')
    error: generate() would run /bin/date: compiling a configuration runs no programs
    """
    command = call.values[0]
    if not isinstance(command, str):
        _warn_of_path(call, command)
    if not isinstance(command, str) or not command.startswith("/"):
        raise call.fail("Generators must be fully qualified")
    import re

    if not re.search(r"^[-/\w.+]+$", command, re.MULTILINE | re.ASCII):
        raise call.fail("Generators can only contain alphanumerics, file separators, and dashes")
    if ".." in command:
        raise call.fail("Can not use generators with '..' in them.")
    run_program = getattr(call.machine.host, "run_program", None)
    if run_program is not None:
        words = [ruby.to_s(argument) for argument in call.values]
        output = str(run_program(words))
        return output, Choice(tuple(call.origins), Leaf("environment", f"output of {command}", None, output))
    known = call.machine.recorded("generate", call.values, call.origins, call.span)
    if known is not None:
        return known
    refused = Refused(f"generate() would run {command}: compiling a configuration runs no programs", call.span)
    refused.help = "record what it prints: wherefrom record ANSWERS.yaml --allow generate; then --answers ANSWERS.yaml"
    raise refused

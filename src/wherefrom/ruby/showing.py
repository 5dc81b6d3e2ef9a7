r"""`inspect`, `to_s`, `==` and `<=>`: what every class has, on plain values without going through a method table.

>>> inspect_plain({"a": [1, None, 2.5]})
'{"a"=>[1, nil, 2.5]}'
>>> quote('a"b\n#{x}\x01')
'"a\\"b\\n\\#{x}\\u0001"'
"""

from __future__ import annotations

import re
import sys
from typing import Any

from ..base.budget import current
from ..base.diagnostics import LimitReached
from ..base.floats import show as show_float
from ..base.keys import MAX_PARTS, Symbol
from .classes import class_name, error, text_of
from .errors import Jump, RubyError
from .values import (
    Exception_,
    HostObject,
    MatchData,
    Module,
    Object,
    Range,
    Regexp,
    Set,
    StructValue,
    Text,
    Value,
    truth,
    value_of,
)

_ESCAPES = {
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\x1b": "\\e",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
    '"': '\\"',
    "\\": "\\\\",
}
_SPECIAL = re.compile(r'["\\\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u200b-\u200f\ufeff\ue000-\uf8ff]|#(?=[{$@])')
_PLAIN_SYMBOL = re.compile(
    # A letter is all but ASCII that is none; said so, since Python takes long over a class of nearly everything.
    r"(?:[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*[?!=]?|@@?[A-Za-z_]\w*|\$[A-Za-z_]\w*|\$[0-9~&`'+!@*$?:\"<>,./\\;]"
    r"|\[\]=?|\*\*|[+\-]@?|[*/%~`^&|!]|==|===|=~|!=|!~|<=>|<=|>=|<<|>>|<|>)\Z"
)


def quote(text: str) -> str:
    """A String as Ruby shows it."""

    def escape(match: re.Match[str]) -> str:
        char = match.group()
        known = _ESCAPES.get(char)
        if known is not None:
            return known
        if char == "#":
            return "\\#"
        code = ord(char)
        if 0xDC80 <= code <= 0xDCFF:
            return f"\\x{code - 0xDC00:02X}"
        return f"\\u{code:04X}" if code > 0x7F or code == 0x7F else _control(code)

    return '"' + _SPECIAL.sub(escape, text) + '"'


def _control(code: int) -> str:
    return "\\u0000" if code == 0 else f"\\u{code:04X}"


def symbol_text(name: str) -> str:
    """A Symbol as Ruby shows it."""
    return f":{name}" if _PLAIN_SYMBOL.match(name) else f":{quote(name)}"


def inspect_plain(value: Value) -> str:
    """`inspect`, without methods of Ruby code."""
    return inspect(None, value)


def decimal(value: int) -> str:
    """A number in digits, of which Python writes so many."""
    try:
        return str(value)
    except ValueError:
        raise LimitReached("a number has too many digits", sys.get_int_max_str_digits()) from None


def inspect(interpreter: object, value: Value, around: tuple[int, ...] = ()) -> str:
    """`value.inspect`"""
    kind = type(value)
    if kind is str:
        return quote(value)
    if value is None:
        return "nil"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return decimal(value)
    if kind is float:
        return show_float(value)
    if kind is Symbol:
        return symbol_text(value.name)
    if kind is Text:
        return quote(value.value)
    if kind is list:
        if id(value) in around:
            return "[...]"
        inner = (*around, id(value))
        if not around:
            _weigh(value)
        return "[" + ", ".join([inspect(interpreter, item, inner) for item in value]) + "]"
    if isinstance(value, dict):
        if id(value) in around:
            return "{...}"
        inner = (*around, id(value))
        if not around:
            _weigh(value)
        pairs = [
            f"{inspect(interpreter, value_of(key), inner)}=>{inspect(interpreter, item, inner)}"
            for key, item in value.items()
        ]
        return "{" + ", ".join(pairs) + "}"
    return _inspect_other(interpreter, value, around)


def _weigh(value: Value) -> None:
    """Refuse values that would be enormous if written out: containers that are shared many times."""
    if any(type(item) is list or isinstance(item, dict) for item in (value if type(value) is list else value.values())):
        weigh_acyclic(value)


def weigh_acyclic(value: Value) -> None:
    """As `wherefrom.base.keys.weigh`, for values that may contain themselves."""
    _count(value, {})


def _count(container: Value, counts: dict[int, int]) -> int:
    """How many parts a container has, written out in full; `counts` has those that were looked at."""
    count = counts.get(id(container))
    if count is None:
        counts[id(container)] = 1
        count = len(container)
        for item in container.values() if isinstance(container, dict) else container:
            if type(item) is list or isinstance(item, dict):
                count += _count(item, counts)
        if count > MAX_PARTS:
            current().over("steps", "walking over a value that shares its parts")
        counts[id(container)] = count
    return count


def _inspect_other(interpreter: Any, value: Value, around: tuple[int, ...]) -> str:
    if isinstance(value, Range):
        first = "" if value.first is None else inspect(interpreter, value.first)
        last = "" if value.last is None else inspect(interpreter, value.last)
        if value.first is None and value.last is None:
            first = "nil"
        return f"{first}{'...' if value.exclusive else '..'}{last}"
    if isinstance(value, Regexp):
        return inspect_regexp(value)
    if isinstance(value, Module):
        return module_name(value)
    if interpreter is not None:
        method = interpreter.find(value, "inspect")
        if method is not None:
            return to_s(interpreter, method.run(interpreter, value, [], None))
    return default_inspect(interpreter, value, around)


def default_inspect(interpreter: Any, value: Value, around: tuple[int, ...] = ()) -> str:
    """What `inspect` is for an object whose class says nothing."""
    if isinstance(value, Set):
        inside = ", ".join(inspect(interpreter, value_of(key), around) for key in value.members)
        return f"#<Set: {{{inside}}}>"
    if isinstance(value, Exception_):
        message = to_s(interpreter, value)
        return f"#<{class_name(value)}: {message}>" if message else class_name(value)
    if isinstance(value, StructValue):
        name = f" {value.cls.name}" if value.cls.name else ""
        inside = ", ".join(f"{field}={inspect(interpreter, item, around)}" for field, item in value.fields.items())
        return f"#<struct{name} {inside}>"
    if isinstance(value, MatchData):
        groups = [quote(value.match.group())]
        names = {index: name for name, index in value.regexp.pattern.pattern.groupindex.items()}
        for index, group in enumerate(value.match.groups(), 1):
            shown = "nil" if group is None else quote(group)
            groups.append(f"{names.get(index, index)}:{shown}")
        return f"#<MatchData {' '.join(groups)}>"
    if isinstance(value, Object) and value.ivars and id(value) not in around:
        inner = (*around, id(value))
        inside = ", ".join(f"{name}={inspect(interpreter, item, inner)}" for name, item in value.ivars.items())
        return f"#<{class_name(value)} {inside}>"
    return f"#<{_own_class(interpreter, value)}>"


def _own_class(interpreter: Any, value: Value) -> str:
    """The name of a value's class, which a host may have told for values of its own."""
    foreign = interpreter.foreign.get(type(value)) if interpreter is not None else None
    return class_name(value) if foreign is None else module_name(foreign)


def module_name(module: Module) -> str:
    """The name of a class or module."""
    if module.name is not None:
        return module.name
    return "#<Class>" if module.is_class else "#<Module>"


def inspect_regexp(value: Regexp) -> str:
    r"""`/a\/b/i`"""
    source = re.sub(r"(\\.)|/", lambda match: match.group(1) or "\\/", value.source, flags=re.DOTALL)
    source = source.replace("\n", "\\n")
    return f"/{source}/{_letters(value.options)}"


def _letters(options: int) -> str:
    return ("m" if options & 4 else "") + ("i" if options & 1 else "") + ("x" if options & 2 else "")


def regexp_text(value: Regexp) -> str:
    """`Regexp#to_s`: `(?i-mx:x)`."""
    on = _letters(value.options)
    off = "".join(letter for letter in "mix" if letter not in on)
    source = re.sub(r"(\\.)|/", lambda match: match.group(1) or "\\/", value.source, flags=re.DOTALL)
    return f"(?{on}{'-' + off if off else ''}:{source})"


def to_s(interpreter: Any, value: Value) -> str:
    """`value.to_s` as a Python text."""
    kind = type(value)
    if type(value) is str:
        return value
    if value is None:
        return ""
    if kind is int:
        return decimal(value)
    if type(value) is Text:
        return value.value
    if type(value) is Symbol:
        return value.name
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return show_float(value)
    if kind is list or isinstance(value, dict):
        return inspect(interpreter, value)
    if isinstance(value, Range):
        dots = "..." if value.exclusive else ".."
        return f"{to_s(interpreter, value.first)}{dots}{to_s(interpreter, value.last)}"
    if isinstance(value, Regexp):
        return regexp_text(value)
    if isinstance(value, Module):
        return module_name(value)
    if interpreter is not None:
        method = interpreter.find(value, "to_s")
        if method is not None:
            result = method.run(interpreter, value, [], None)
            if type(result) is str:
                return result
            if type(result) is Text:
                return result.value
    return default_to_s(interpreter, value)


def outside(value: Value) -> str:
    """`to_s` where no interpreter is at hand: methods that are written in Ruby are not run."""
    cls = getattr(value, "ruby_class", None)
    method = cls.find("to_s") if cls is not None else None
    if method is not None:
        try:
            return to_s(None, method.run(None, value, [], None))
        except (RubyError, AttributeError):
            pass
    return to_s(None, value)


def default_to_s(interpreter: Any, value: Value) -> str:
    """What `to_s` is for an object whose class says nothing."""
    if isinstance(value, (Set, StructValue)):
        return default_inspect(interpreter, value)
    if isinstance(value, Exception_):
        return to_s(interpreter, value.message) if value.message is not None else class_name(value)
    if isinstance(value, MatchData):
        return str(value.match.group())
    return f"#<{_own_class(interpreter, value)}>"


def equal(interpreter: Any, left: Value, right: Value) -> bool:
    """`left == right`"""
    kind, other = type(left), type(right)
    if kind is other:
        if kind is str or kind is int or kind is Symbol or kind is float:
            return bool(left == right)
        if kind is list:
            if left is right:
                return True
            interpreter.budget.draw("pairs", len(left) + 1, "comparing arrays", interpreter.at)
            return len(left) == len(right) and all(equal(interpreter, a, b) for a, b in zip(left, right))
    if left is right:
        return True
    if kind is int or kind is float:
        if isinstance(right, Object):  # numbers leave it to what is no number
            return equal(interpreter, right, left)
        return (other is int or other is float) and bool(left == right)
    if kind is str:
        return other is Text and left == right.value
    if kind is Text:
        return (other is str and left.value == right) or (other is Text and left.value == right.value)
    if left is None or kind is bool or kind is Symbol or kind is list:
        return False
    if isinstance(left, dict):
        if not isinstance(right, dict) or len(left) != len(right):
            return False
        interpreter.budget.draw("pairs", len(left) + 1, "comparing hashes", interpreter.at)
        return all(key in right and equal(interpreter, item, right[key]) for key, item in left.items())
    if isinstance(left, (Range, Regexp)):
        return bool(left == right)
    method = interpreter.find(left, "==")
    if method is None:
        return False
    result = method.run(interpreter, left, [right], None)
    return result is not None and result is not False


def eql(interpreter: Any, left: Value, right: Value) -> bool:
    """`left.eql?(right)`: as `==`, but 1 and 1.0 differ, inside containers too."""
    kind, other = type(left), type(right)
    if kind in (int, float) or other in (int, float):
        return kind is other and bool(left == right)
    if kind is list and other is list:
        interpreter.budget.draw("pairs", len(left) + 1, "comparing arrays", interpreter.at)
        return len(left) == len(right) and all(eql(interpreter, a, b) for a, b in zip(left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        interpreter.budget.draw("pairs", len(left) + 1, "comparing hashes", interpreter.at)
        return len(left) == len(right) and all(
            key in right and eql(interpreter, item, right[key]) for key, item in left.items()
        )
    if isinstance(left, Object | HostObject):
        return left is right or truth(interpreter.send(left, "eql?", [right]))
    return equal(interpreter, left, right)


def compare(interpreter: Any, left: Value, right: Value) -> int | None:
    """`left <=> right`, or nothing where they can not be compared."""
    kind, other = type(left), type(right)
    if (kind is int or kind is float) and (other is int or other is float):
        return None if left != left or right != right else (left > right) - (left < right)
    if (kind is str or kind is Text) and (other is str or other is Text):
        return compare_texts(left if kind is str else left.value, right if other is str else right.value)
    if kind is Symbol and other is Symbol:
        return compare_texts(left.name, right.name)
    if kind is list and other is list:
        interpreter.budget.draw("pairs", min(len(left), len(right)) + 1, "comparing arrays", interpreter.at)
        for first, second in zip(left, right):
            order = compare(interpreter, first, second)
            if order != 0:
                return order
        return (len(left) > len(right)) - (len(left) < len(right))
    if left is right:
        return 0
    if kind in (int, float, str, Text, Symbol, list, bool) or left is None or isinstance(left, dict):
        return 0 if equal(interpreter, left, right) else None
    method = interpreter.find(left, "<=>")
    if method is None:
        return None
    result = method.run(interpreter, left, [right], None)
    return result if type(result) is int else None


def compare_texts(left: str, right: str) -> int:
    """Texts compare by their bytes; UTF-8 keeps the order of code points, escaped bytes come in where they belong."""
    if left == right:
        return 0
    if left.isascii() or right.isascii():
        return 1 if left > right else -1
    one, two = left.encode("utf-8", "surrogateescape"), right.encode("utf-8", "surrogateescape")
    return (one > two) - (one < two)


def name_of(value: Value) -> str:
    """The name in a Symbol or String."""
    if type(value) is Symbol:
        return value.name
    kind = type(value)
    if kind is str or kind is Text:
        return text_of(value)
    raise error("TypeError", f"{inspect_plain(value)} is not a symbol nor a string")


def uncaught(interpreter: object, jump: Jump) -> RubyError:
    """The error of a `throw` that nobody catches."""
    return error("UncaughtThrowError", f"uncaught throw {inspect(interpreter, jump.target)}")

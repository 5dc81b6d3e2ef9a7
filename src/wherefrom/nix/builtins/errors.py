"""What can go wrong in builtins, with stable codes `N1xx`.  Errors of the evaluator too are in `wherefrom.nix.errors`.

The wording follows Nix's, so that a message found here can be looked up there.
"""

from __future__ import annotations

from ..kernel.errors import NixError


class IndexOutOfBounds(NixError):
    """A list has no such element."""

    code = "N100"

    def __init__(self, index: int) -> None:
        super().__init__(f"list index {index} is out of bounds")


class EmptyTail(NixError):
    """`builtins.tail [ ]`."""

    code = "N101"

    def __init__(self) -> None:
        super().__init__("'tail' called on an empty list")


class BadListSize(NixError):
    """A list can not have a negative number of elements."""

    code = "N102"

    def __init__(self, size: int) -> None:
        super().__init__(f"cannot create list of size {size}")


class ArgumentAttributeMissing(NixError):
    """A builtin was given a set that lacks an attribute it needs."""

    code = "N103"

    def __init__(self, name: str, builtin: str) -> None:
        super().__init__(f"attribute '{name}' missing for call to '{builtin}'")


class KeyRequired(NixError):
    """An element of a `genericClosure` has no `key`."""

    code = "N104"

    def __init__(self, name: str = "key") -> None:
        super().__init__(f"attribute '{name}' required")


class FunctionRequired(NixError):
    """`functionArgs` of something that is not a function."""

    code = "N105"

    def __init__(self) -> None:
        super().__init__("'functionArgs' requires a function")


class BadJson(NixError):
    """`fromJSON` of a text that is not JSON."""

    code = "N107"


class BadToml(NixError):
    """`fromTOML` of a text that is not TOML, or that holds a date or time."""

    code = "N108"

    def __init__(self, reason: str) -> None:
        super().__init__(f"while parsing a TOML string: {reason}")


class InvalidRegex(NixError):
    """An expression for `match` or `split` that is not well formed."""

    code = "N109"

    def __init__(self, pattern: str) -> None:
        super().__init__(f"invalid regular expression '{pattern}'")


class RegexMemory(NixError):
    """An expression for `match` or `split` that needs too many states, or too much memory on this text."""

    code = "N110"

    def __init__(self, pattern: str) -> None:
        super().__init__(f"memory limit exceeded by regular expression '{pattern}'")


class NegativeStart(NixError):
    """`substring` from a negative position."""

    code = "N111"

    def __init__(self) -> None:
        super().__init__("negative start position in 'substring'")


class UnequalReplacements(NixError):
    """`replaceStrings` with more texts to find than to put in their place, or fewer."""

    code = "N112"

    def __init__(self) -> None:
        super().__init__("'from' and 'to' arguments to 'replaceStrings' have different lengths")


class ContextNotAllowed(NixError):
    """A string that refers to the store where Nix allows none."""

    code = "N113"

    def __init__(self, text: str, path: str) -> None:
        super().__init__(f"the string '{text}' is not allowed to refer to a store path (such as '{path}')")


class UnknownHashType(NixError):
    """A hash algorithm that Nix does not know."""

    code = "N114"

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown hash algorithm '{name}'", help="one of md5, sha1, sha256, sha512")


class InvalidHash(NixError):
    """A text that is not a hash of the kind wanted."""

    code = "N115"


class BadDerivation(NixError):
    """A derivation that can not be made of these attributes."""

    code = "N116"


class BadStoreName(NixError):
    """A name that can not be part of a store path."""

    code = "N117"


class BadContext(NixError):
    """Store context that `appendContext` can not use."""

    code = "N118"


class ToFileRefers(NixError):
    """`toFile` with a text that refers to something that would have to be built."""

    code = "N119"

    def __init__(self, name: str, reference: str) -> None:
        super().__init__(
            f"in 'toFile': the file named '{name}' must not contain a reference to a derivation"
            f" but contains ({reference})"
        )


class NotAbsolute(NixError):
    """A string used as a path that does not begin with a slash."""

    code = "N120"

    def __init__(self, text: str) -> None:
        super().__init__(f"string '{text}' doesn't represent an absolute path")


class NotAString(NixError):
    """A file whose content can not be a Nix string, because it has a NUL byte."""

    code = "N121"

    def __init__(self, path: str) -> None:
        super().__init__(f"the contents of the file '{path}' cannot be represented as a Nix string")


class BadArgument(NixError):
    """An argument that `path` does not take, or lacks."""

    code = "N122"


class PathMismatch(NixError):
    """`path` was told a hash that its content does not have."""

    code = "N123"

    def __init__(self, path: str) -> None:
        super().__init__(f"store path mismatch in (possibly filtered) path added from '{path}'")


class HashMismatch(NixError):
    """What was fetched is not what the program's hash says."""

    code = "N126"

    def __init__(self, url: str, specified: str, got: str) -> None:
        super().__init__(f"hash mismatch in what was fetched from '{url}': specified {specified}, got {got}")


class FileProblem(NixError):
    """A file that is missing or not of the kind wanted."""

    code = "N124"


class DivisionOverflow(NixError):
    """The one quotient of integers that does not fit in an integer."""

    code = "N125"

    def __init__(self) -> None:
        super().__init__("overflow in integer division")

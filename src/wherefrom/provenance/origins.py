"""Origins: how a value came to be.

Values stay plain Python objects. Beside each value an evaluator carries its *origin*, a node in a shared, acyclic graph
of the small classes below. The graph is only ever built bottom up while evaluating, never changed, and is as large as
the evaluation was long; the answers that people want (`where`, `expression`, `depends`, `chain`) are computed from it
on demand, in `wherefrom.provenance.extract`.

| origin                         | made when                                                                        |
|--------------------------------|----------------------------------------------------------------------------------|
| `Leaf(input)`                  | an input was read: a literal, a fact, a Hiera datum, the node name, a file        |
| `Step(op, inputs)`             | an operator or function computed a new value                                      |
| `Copy(how, source)`            | the value passed on unchanged: variable, parameter, inheritance, link             |
| `Choice(tests, chosen)`        | tests picked this value among alternatives: selector, conditional, default        |
| `Guarded(inner, guard)`        | an effect (assignment, declaration) happened under the tests in `guard`           |
| `Absent(what, causes)`         | nothing was found; the causes could have made it present                          |
| `Items(elements, own)`         | a composite: one origin per element and one for its own existence and order       |
| `Overridden(chosen, hidden)`   | this value won over others, which are remembered                                  |

The classes are written out by hand, with slots and a plain `__init__`, because they are made millions of times. They
compare by identity: the same input read at two places is one `Leaf` object wherever the evaluator can arrange it, and
extractions merge leaves by `Leaf.key` where it can not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .operations import IF, PROVIDED, UNTRACED_STEP, BuiltIn, EdgeLabel, Op

if TYPE_CHECKING:
    from ..base.source import SourceFile, Span


class Origin:
    """How a value came to be; one of the classes of this module."""

    __slots__ = ()

    @property
    def passed_from(self) -> Origin | None:
        """What this value was before it was passed on, chosen or guarded; nothing where it was read, made or missed."""
        return None


def spine(origin: Origin) -> Iterator[Origin]:
    """The origin, and what the value was before it each time it was passed on, down to where it was read or made.

    For `$port` that an `if` set to the fact `port`: a `Copy`, then a `Guarded`, a `Copy` of `$facts`, and the `Leaf`.
    Everything that follows one value goes along here (`where`, `chain`, `guards` and `hidden` of
    `wherefrom.provenance.extract`); everything that it depends on is `parts` there.
    """
    here: Origin | None = origin
    while here is not None:
        yield here
        here = here.passed_from


def core(origin: Origin) -> Origin:
    """The origin with which the value was read, made or missed: the last of its spine."""
    while (before := origin.passed_from) is not None:
        origin = before
    return origin


class Leaf(Origin):
    """An input: something outside the program's own workings that could have been otherwise.

    `kind` is one of `KINDS`. `name` says which one (fact `os.family`, Hiera key, file path); for literals it is empty
    and `span` tells. `value` is the plain value read, so that terms can be evaluated again. `detail` is free text for a
    person ("data/common.yaml, layer 2").

    A miss is an input too: `absent` says that nothing was there, `name` (and `file`, for a key of a data file) what was
    looked for. A leaf that stands for a whole (all facts, the files of a directory) has the name of the whole; the
    empty name is the whole of its kind.
    """

    __slots__ = ("absent", "detail", "file", "kind", "name", "span", "value")

    def __init__(
        self,
        kind: str,
        name: str,
        span: Span | None,
        value: object,
        detail: str = "",
        file: str = "",
        absent: bool = False,
    ) -> None:
        self.kind = kind
        self.name = name
        self.span = span
        self.value = value
        self.detail = detail
        self.file = span.file.identity if span is not None else file
        self.absent = absent

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What makes two leaves the same input."""
        span = self.span
        if span is None:
            return (self.kind, self.name, self.file, 0, 0)
        return (self.kind, self.name, self.file, span.start, span.end)

    @property
    def names(self) -> list[str]:
        """The inputs that this one stands for: itself, or all that are not there together (see `outside`)."""
        return self.name.split() if self.detail == OUTSIDE else [self.name]

    def within(self, key: object) -> Leaf:
        """The input that a key of this composite would be, if it were there."""
        name = f"{self.name}.{key}" if self.name else str(key)
        return Leaf(self.kind, name, None, None, "", self.file, True)

    def __repr__(self) -> str:
        place = f" {self.span.place}" if self.span is not None else f" {self.file}" if self.file else ""
        return f"Leaf({self.kind} {self.name}{place}: {'absent' if self.absent else repr(self.value)})"


OUTSIDE = "classes named from outside"
"""What is said of classes that a classifier could name, and does not.  There may be thousands: they are one input."""


def outside(names: Iterable[str]) -> Leaf:
    """That a classifier names none of some classes, as one input; `Leaf.names` opens it."""
    return Leaf("classifier", " ".join(sorted(names)), None, None, OUTSIDE, "", True)


CODE = "code"
"""What is said of a file whose code computed a value in ways that are not followed: any edit of it may change that."""


def code(source: SourceFile) -> Leaf:
    """All of a file of code, as one input."""
    from ..base.source import Span

    return Leaf("file", source.name, Span(source, 0, len(source.text)), None, CODE)


class Foreign(Leaf):
    """An input of another node: what that node's facts, name or classifier said.

    It came along with a resource that the node exported.
    """

    __slots__ = ("node",)

    def __init__(self, leaf: Leaf, node: str) -> None:
        super().__init__(leaf.kind, leaf.name, leaf.span, leaf.value, leaf.detail, leaf.file, leaf.absent)
        self.node = node

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        """What makes two leaves the same input: whose it is belongs to that."""
        kind, name, file, start, end = super().key
        return kind, f"{name} of {self.node}", file, start, end

    def within(self, key: object) -> Leaf:
        """The input that a key of this composite would be, of that node."""
        return Foreign(super().within(key), self.node)


KINDS = (
    "literal",
    "reference",
    "fact",
    "node",
    "trusted",
    "hiera",
    "environment",
    "file",
    "argument",
    "setting",
    "classifier",
    "flake",
    "export",
    "query",
    "failure",
)
"""Kinds of inputs. `literal`: written in the source. `reference`: a name in the source that was looked up and decides
what is found (SmartFrog's prototypes and links). `node`: the node's name. `environment`: an environment
variable. `argument`: given on the command line. `classifier`: given by an external node classifier.
`flake`: what is known of a flake's tree (`rev`, `narHash`, ...), from its lock file or from the tree itself.
`export`: which resources other nodes export that a collector's query matches; or one of them, where no more is known of
its history. `query`: what a database answered, or a program or server outside (recorded). `failure`: code that failed
and was left out."""

OF_A_NODE = frozenset(("fact", "node", "trusted", "classifier"))
"""Kinds of inputs that each node has its own of."""


class Step(Origin):
    """A computed value: `op` of `inputs`, at `span`.

    `op` is an operator (`+`, `==`, `interpolate`) or a function (`call join`), one of the records of
    `wherefrom.provenance.operations`; together with the inputs' values it determines the value, so a language can
    evaluate it again. A step without inputs is a constant of the language.
    """

    __slots__ = ("inputs", "op", "span")

    def __init__(self, op: Op, inputs: tuple[Origin, ...], span: Span | None = None) -> None:
        self.op = op
        self.inputs = inputs
        self.span = span

    def __repr__(self) -> str:
        return f"Step({self.op}, {len(self.inputs)} inputs)"


class Copy(Origin):
    """The same value, passed on by the transfer `how` (variable $port, inherited from prototype Service)."""

    __slots__ = ("how", "source", "span")

    def __init__(self, how: EdgeLabel, source: Origin, span: Span | None = None) -> None:
        self.how = how
        self.source = source
        self.span = span

    @property
    def passed_from(self) -> Origin:
        """What was passed on."""
        return self.source

    def __repr__(self) -> str:
        return f"Copy({self.how})"


class Taken:
    """What a test came to in the run: the `value` that was tested, and the part of the program that ran because of it.

    `arm` is empty, at the place where a branch could stand, if none was taken. It is nothing where the language has no
    text for it.
    """

    __slots__ = ("arm", "value")

    def __init__(self, value: object, arm: Span | None = None) -> None:
        self.value = value
        self.arm = arm

    def __repr__(self) -> str:
        return f"Taken({self.value!r}, {self.arm.text if self.arm is not None else None!r})"


class Choice(Origin):
    """`chosen` is the value because of `tests`: every test that was made to pick it, failed ones included.

    `taken` is what the tests came to, noted when they were made; answers read it and never make a test again.
    """

    __slots__ = ("chosen", "how", "span", "taken", "tests")

    def __init__(
        self,
        tests: tuple[Origin, ...],
        chosen: Origin,
        span: Span | None = None,
        how: EdgeLabel | None = None,
        taken: Taken | None = None,
    ) -> None:
        self.tests = tests
        self.chosen = chosen
        self.span = span
        self.how = how
        self.taken = taken

    @property
    def passed_from(self) -> Origin:
        """What was chosen."""
        return self.chosen

    def around(self, inner: Origin) -> Choice:
        """The same choice of a part of what was chosen."""
        return Choice(self.tests, inner, self.span, self.how, self.taken)

    def __repr__(self) -> str:
        return f"Choice({self.how}, {len(self.tests)} tests)"


class Guard:
    """The tests in force at some place of the program: a linked list, innermost first, shared by all that it guards.

    `taken` is what the test came to, as with `Choice`.
    """

    __slots__ = ("how", "parent", "span", "taken", "test")

    def __init__(
        self,
        test: Origin,
        parent: Guard | None,
        span: Span | None = None,
        how: EdgeLabel = IF,
        taken: Taken | None = None,
    ) -> None:
        self.test = test
        self.parent = parent
        self.span = span
        self.how = how
        self.taken = taken

    def __repr__(self) -> str:
        return f"Guard({self.how}{' under more' if self.parent else ''})"


class Guarded(Origin):
    """`inner`, in effect only because every test up `guard` came out as it did (the papers' outer annotation)."""

    __slots__ = ("guard", "inner")

    def __init__(self, inner: Origin, guard: Guard) -> None:
        self.inner = inner
        self.guard = guard

    @property
    def passed_from(self) -> Origin:
        """What is in effect."""
        return self.inner

    def __repr__(self) -> str:
        return f"Guarded({self.inner!r})"


def guarded(inner: Origin, guard: Guard | None) -> Origin:
    """`inner` under `guard`, if there is one."""
    return inner if guard is None else Guarded(inner, guard)


class Absent(Origin):
    """Nothing was there.  `causes` are the tests and inputs that could have made it present.

    As the origin of a value: the value that stands for nothing (`undef`, `null`). Inside a `Choice`'s tests: a search
    that fell through before it found something further out.
    """

    __slots__ = ("causes", "span", "what")

    def __init__(self, what: str, causes: tuple[Origin | Guard, ...] = (), span: Span | None = None) -> None:
        self.what = what
        self.causes = causes
        self.span = span

    def __repr__(self) -> str:
        return f"Absent({self.what})"


class Later(Absent):
    """Nothing was there, and why is worked out only when somebody asks: `search`, called with `given`, says."""

    __slots__ = ("_causes", "_search")

    def __init__(
        self,
        what: str,
        search: Callable[..., tuple[Origin | Guard, ...]],
        span: Span | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        self.what = what
        self.span = span
        self._search: Callable[..., tuple[Origin | Guard, ...]] | None = search
        self._causes = given  # the arguments of the search, until it has been made

    @property
    def causes(self) -> tuple[Origin | Guard, ...]:  # type: ignore[override]
        """What could have made it present."""
        if self._search is not None:
            self._causes = self._search(*self._causes)
            self._search = None
        return self._causes


Elements: TypeAlias = Sequence[Origin] | Mapping[str, Origin]


class Items(Origin):
    """The shadow of a composite: `elements` has the same shape as the value (a sequence or a mapping by key).

    `own` is the origin of the composite itself: that it exists and which elements it has. `placed`, where order is
    part of the meaning, says for each key what first put it where it stands.
    """

    __slots__ = ("elements", "own", "placed")

    def __init__(self, elements: Elements, own: Origin, placed: Mapping[str, Origin] | None = None) -> None:
        self.elements = elements
        self.own = own
        self.placed = placed

    def __repr__(self) -> str:
        return f"Items({len(self.elements)} elements)"


class LaterItems(Items):
    """A composite of which few elements say something: all of them are put together only when somebody asks.

    `telling` are the origins among them that may have inputs which the composite's own has not.
    """

    __slots__ = ("_elements", "_make", "telling")

    def __init__(self, make: Callable[[], Elements], own: Origin, telling: tuple[Origin, ...]) -> None:
        self.own = own
        self.placed = None
        self.telling = telling
        self._make: Callable[[], Elements] | None = make
        self._elements: Elements = ()

    @property
    def elements(self) -> Elements:  # type: ignore[override]
        """One origin for each element."""
        if self._make is not None:
            self._elements = self._make()
            self._make = None
        return self._elements


class Hidden:
    """A value that lost: what it was, where it came from, and why it is not the one we see."""

    __slots__ = ("origin", "span", "value", "why")

    def __init__(self, value: object, origin: Origin, why: EdgeLabel, span: Span | None = None) -> None:
        self.value = value
        self.origin = origin
        self.why = why
        self.span = span

    def __repr__(self) -> str:
        return f"Hidden({self.value!r}: {self.why})"


class Overridden(Origin):
    """`chosen` won over `hidden`; `decided` are the tests and inputs that permitted it or decided who wins.

    `hidden` may itself have hidden others: its origin can be `Overridden` again.
    """

    __slots__ = ("chosen", "decided", "hidden", "how", "span")

    def __init__(
        self,
        how: EdgeLabel | None,
        chosen: Origin,
        hidden: tuple[Hidden, ...],
        decided: tuple[Origin | Guard, ...] = (),
        span: Span | None = None,
    ) -> None:
        self.how = how
        self.chosen = chosen
        self.hidden = hidden
        self.decided = decided
        self.span = span

    @property
    def passed_from(self) -> Origin:
        """What won."""
        return self.chosen

    def __repr__(self) -> str:
        return f"Overridden({self.how}, hides {len(self.hidden)})"


class Covering(Overridden):
    """`chosen` was found first, and `hidden` stood further on: looked up only when somebody asks."""

    __slots__ = ("_hidden", "_later")

    def __init__(self, chosen: Origin, later: Callable[[], tuple[Hidden, ...]]) -> None:
        self.how = None
        self.chosen = chosen
        self.decided = ()
        self.span = None
        self._later = later
        self._hidden: tuple[Hidden, ...] | None = None

    @property
    def hidden(self) -> tuple[Hidden, ...]:  # type: ignore[override]
        """The values further on."""
        if self._hidden is None:
            self._hidden = self._later()
        return self._hidden


UNTRACED: Origin = Step(UNTRACED_STEP, ())
"""The origin of values made while tracing is off."""

BUILT_IN: Origin = Step(PROVIDED, ())
"""The origin of values that the language itself provides and nobody can change."""


@lru_cache(1024)
def built_in(text: str) -> Origin:
    """The origin of a text that the language itself provides: the name of a class, of the main stage."""
    return Step(BuiltIn(text), ())

"""The phase `link`: references give way to what they lead to, functions to what they give, assertions are checked.

The configuration is walked through depth first, in order. A component that a link leads to is shared, not copied: it is
one component in two places, and links in it are looked up where it stands. It is walked through under the link as well,
so a link to a component that is just being walked through would go on for ever, as it does in SmartFrog's own compiler:
here it is an error. Links and functions that meet a lazy link become lazy themselves and stay.

The phase ends: the components on the way down are all different, and there are finitely many; each attribute is
resolved once.
"""

from __future__ import annotations

from ...base.budget import OverBudget
from ...base.diagnostics import Label, LimitReached
from ...base.source import SourceFile
from ..errors import AssertionFailed, BadFunction, LinkCycle, SmartFrogError
from ..evaluate import WORK_PER_NODE
from ..parser import Limits
from ..store import Slot, span_of
from .build import FUNCTION_CLASS, FUNCTIONS
from .chain import MOST, chain
from .construct import ASSERTION_PHASE, as_application
from .functions import FUNCTIONS as PLAIN
from .functions import LOOKING_INSIDE, Wrong, named_kind
from .nodes import Application, Computed, Left, Node, Reached, Resolved, with_value
from .resolve import Lazy, NotFound, Resolver, read_path
from .schema import check_element
from .size import check_written, written_size
from .tree import Path, ToBeDefined
from .values import Float

_WAITING = frozenset((Path, Application, ToBeDefined))
_COMPOSITE = frozenset((Node, list))

_ACTIVE = _WAITING | {Node}


def _active(node: Node) -> list[str]:
    """The attributes of a component that are to be resolved or walked through."""
    return [name for name, slot in node.entries.items() if slot.value.__class__ in _ACTIVE]


class Dropped:
    """The value of an assertion that was checked and leaves nothing."""


DROPPED = Dropped()


class LinkPhase:
    """One run of the phase."""

    def __init__(self, resolver: Resolver, limits: Limits) -> None:
        self.resolver = resolver
        self.limits = limits
        resolver.remember = True
        resolver.compute = self.compute
        self.walking: dict[int, tuple[Node, Slot | None]] = {}  # with the slots that led to them
        self.done: dict[int, Node] = {}
        self.counted = -1
        self.random: JavaRandom | None = None
        self.changing = 0
        self.dropped = False
        self.count = 0  # attributes that were walked through
        self.deepest = 0
        self.shared = False  # whether a component or vector may stand in several places
        self.failed: dict[int, tuple[Node, NotFound]] = {}  # by the arguments of functions and assertions
        self.work = 0  # attributes of numbered copies
        self.max_work = limits.max_nodes * WORK_PER_NODE

    def walk(self, top: Node) -> list[tuple[SmartFrogError, str]]:
        """Resolve everything in a component; what could not be resolved, with its kind."""
        problems: list[tuple[SmartFrogError, str]] = []
        settled = self.resolver.settled
        walking, done = self.walking, self.done
        self._enter(top, None)
        self.count += len(top.entries)
        stack = [(top, iter(_active(top)))]
        while stack:
            here, names = stack[-1]
            entries = here.entries
            for name in names:
                slot = entries[name]
                value = slot.value
                if type(value) in _WAITING:
                    try:
                        slot = settled(here, name, slot)
                    except NotFound as failure:
                        problems.append((failure.problem, failure.kind))
                        continue
                    except Lazy as lazy:
                        entries[name] = self.left(here, slot, lazy)
                        continue
                    entries[name] = slot
                    value = slot.value
                    if type(value) is Node:
                        self.shared = True
                    if type(value) is Node and value.outer is None and value is not self.resolver.root:
                        value.outer = here  # it is what a function gave
                        value.name = name
                if type(value) is Node and id(value) not in done:
                    self._enter(value, slot)
                    self.count += len(value.entries)
                    stack.append((value, iter(_active(value))))
                    if len(stack) > self.deepest:
                        self.deepest = len(stack)
                    break
            else:
                stack.pop()
                del walking[id(here)]
                done[id(here)] = here
        return problems

    def _enter(self, node: Node, slot: Slot | None) -> None:
        """Begin to walk through a component; an error if that is in progress, at the link that led back to it."""
        if id(node) in self.walking:
            way = [*self.walking.values(), (node, slot)]
            self.walking.clear()
            target, link = next(((there, by) for there, by in reversed(way) if isinstance(by, Resolved)), way[-1])
            path = target.path or "the top level"
            if isinstance(link, Reached):
                reference = link.route.reference
                raise LinkCycle(reference.written, reference.span, inside=path)
            at = span_of(link) if link is not None else target.written_at
            raise LinkCycle(path, at, inside=path)
        self.walking[id(node)] = (node, slot)

    def left(self, here: Node, slot: Slot, lazy: Lazy) -> Slot:
        """A link or function that stays, being lazy or having met what is."""
        value = slot.value
        if isinstance(value, Path):
            if value.lazy:
                return Left(value, slot, None, None, here)
            stays = Path(value.parts, True, value.data, value.default, span=value.span)
            return Left(stays, slot, lazy.route, lazy.cause, here)
        assert isinstance(value, Application)
        if id(value.arguments) not in self.done:
            self.keep_written(value.arguments)
        if lazy.cause is slot:
            return slot
        value.lazy = True
        return Left(value, slot, lazy.route, lazy.cause, here)

    def keep_written(self, arguments: Node) -> None:
        """In arguments that stay as they are written, vectors of values alone are functions again, like all others."""
        waiting = [arguments]
        while waiting:
            node = waiting.pop()
            for name, slot in node.entries.items():
                value = slot.value
                if type(value) is list:
                    vector = self.resolver.as_function(node, name, slot)
                    if vector is None:
                        continue
                    value = as_application(vector, self.resolver)
                    node.entries[name] = with_value(slot, value)
                if type(value) is Application:
                    waiting.append(value.arguments)
                elif type(value) is Node:
                    waiting.append(value)

    # --- functions ---

    def compute(self, application: Application, here: Node, name: str, slot: Slot) -> Slot:
        """What a function gives, or an assertion that holds.

        What failed once fails again, for whoever refers to it next: its arguments were walked through, and those that
        could not be resolved still stand there as they were written.
        """
        before = self.changing
        arguments = application.arguments
        if id(arguments) in self.failed:
            raise self.failed[id(arguments)][1].again()
        arguments.outer = here
        try:
            if application.kind == "ASSERT":
                value = self.asserted(application, here)
            else:
                value = self.applied(application, here)
        except NotFound as failure:
            self.failed[id(arguments)] = (arguments, failure)
            raise
        application.pure = before == self.changing
        if type(value) is list and any(type(item) in _COMPOSITE for item in value):
            self.shared = True
        return Computed(value, slot, application)

    def function_name(self, arguments: Node) -> str:
        """The class of a function, without what all have in front."""
        slot = arguments.entries.get(FUNCTION_CLASS)
        name = slot.value if slot is not None else None
        if not isinstance(name, str):
            problem = BadFunction(f"`{arguments.name}`", f"`{FUNCTION_CLASS}` must be a string", arguments.written_at)
            raise NotFound(problem, None, "function")
        return name.removeprefix(FUNCTIONS)

    def applied(self, application: Application, here: Node) -> object:
        """What a function gives."""
        arguments = application.arguments
        name = self.function_name(arguments)
        if id(arguments) not in self.done:
            problems = self.walk(arguments)
            if problems:
                problem, _ = problems[0]
                raise NotFound(problem, None, "unresolved")
        values: dict[str, object] = {}
        for key, argument in arguments.entries.items():
            if key == FUNCTION_CLASS:
                continue
            value = argument.value
            if isinstance(value, Path | Application) and value.lazy and not value.data:
                raise Lazy(argument, None)
            values[key] = value
        if name in LOOKING_INSIDE:
            self.bounded(values, arguments)
        try:
            result = self.given(name, values, arguments, here)
        except Wrong as wrong:
            labels = []
            if wrong.argument is not None and wrong.argument in arguments.entries:
                labels.append(Label(span_of(arguments.entries[wrong.argument]), "this argument"))
            symbol = arguments.call.symbol if arguments.call is not None else name
            problem = BadFunction(f"`{symbol}`", wrong.reason, arguments.written_at, *labels)
            raise NotFound(problem, None, "function") from None
        except OverBudget as problem:
            raise OverBudget(problem.bound, problem.limit, problem.doing, arguments.written_at) from None
        if type(result) is Node and "doNotNullifyParent" not in arguments.entries:
            result.outer = None
        elif name == "Vector" and isinstance(result, list):
            for item in result:
                if type(item) is Node:
                    item.outer = None
        return result

    def bounded(self, values: dict[str, object], arguments: Node) -> None:
        """Refuse arguments that would be too large when written out: the same component may stand in many places."""
        for key, value in values.items():
            if type(value) in _COMPOSITE:
                check_written(value, span_of(arguments.entries[key]), self.limits)

    def given(self, name: str, values: dict[str, object], arguments: Node, here: Node) -> object:
        """The result of a function of this name."""
        plain = PLAIN.get(name)
        if plain is not None:
            return plain(values)
        match name:
            case "Next":
                self.changing += 1
                base = values.get("base", 0)
                if not isinstance(base, int):
                    raise Wrong(f"{named_kind(base)} is not a whole number", "base")
                self.counted = base if base > self.counted else self.counted + 1
                return self.counted
            case "Random":
                return self.random_number(values)
            case "Set":
                return self.numbered(values, arguments)
            case "Ref":
                return self.reference(values, here)
            case "CheckAssertions":
                return holds(values, arguments)
            case "CheckSchemaElement":
                return check_element(values, arguments, here, self.resolver)
            case "Date" | "UserInput":
                raise Wrong(
                    "it is another value each time, and a configuration is computed from its text and inputs alone"
                )
            case _:
                raise Wrong("only SmartFrog's own compiler has this function, or where it is deployed")

    def numbered(self, values: dict[str, object], arguments: Node) -> Node:
        """`Set`: a component with numbered copies of one."""

        def whole(name: str, otherwise: int) -> int:
            value = values.get(name, otherwise)
            if not isinstance(value, int) or isinstance(value, bool):
                raise Wrong(f"{named_kind(value)} is not a whole number", name)
            return int(value)

        low, high, step, size = whole("setMin", 0), whole("setMax", -1), whole("setInc", 1), whole("setSize", -1)
        prefix, element = values.get("setPrefix", "elem"), values.get("setElem")
        if (high == -1) == (size == -1):
            raise Wrong("it needs one of `setMax` and `setSize`")
        if type(element) is not Node:
            raise Wrong("it needs a component", "setElem" if "setElem" in values else None)
        if not isinstance(prefix, str):
            raise Wrong(f"{named_kind(prefix)} is not a string", "setPrefix")
        if step == 0:
            raise Wrong("the step is 0", "setInc")
        count = 1 + int((high - low) / step) if size == -1 else size
        if count < 0:
            raise Wrong("the size is negative")
        self.work += count * (1 + written_size(element)[0])
        if self.work > self.max_work:
            at = arguments.written_at
            raise LimitReached("too many attributes are written", self.max_work, at, "--max-size")
        result = Node(arguments.name, arguments.outer, arguments.written_at)
        result.data = True
        result.base = arguments
        result.state = arguments.state
        for name, slot in arguments.entries.items():
            if name not in (FUNCTION_CLASS, "setMin", "setMax", "setInc", "setSize", "setElem", "setPrefix"):
                result.entries[name] = slot
        source = arguments.entries["setElem"]
        for number in range(count):
            name = f"{prefix}{low + number * step}"
            result.entries[name] = source.with_value(element.duplicate(result, name))
        return result

    def random_number(self, values: dict[str, object]) -> object:
        """The next number of a generator; it must be given a seed."""
        self.changing += 1
        if self.random is None:
            seed = values.get("seed")
            if not isinstance(seed, int):
                raise Wrong("without a `seed` it is another number each time")
            self.random = JavaRandom(seed)
        number = self.random.next_float()
        if values.get("integer") is not True:
            return number
        low, high = values.get("min", 0), values.get("max", 10)
        if not isinstance(low, int):
            raise Wrong(f"{named_kind(low)} is not a whole number", "min")
        if not isinstance(high, int):
            raise Wrong(f"{named_kind(high)} is not a whole number", "max")
        return low if high < low else int(number * (high - low + 1)) + low

    def reference(self, values: dict[str, object], here: Node) -> object:
        """What a reference that is given as text leads to."""
        text = values.get("reference")
        path = read_path(text) if isinstance(text, str) else None
        if path is None:
            raise Wrong(f"{text!r} is no reference" if isinstance(text, str) else "it needs a string", "reference")
        if values.get("lazy") is True:
            return Path(path.parts, True, span=path.span)
        try:
            return self.resolver.follow(path, here).value
        except (NotFound, Lazy) as failure:
            if "returnNULLOnException" in values:
                return None
            why = str(failure.problem) if isinstance(failure, NotFound) else "it is lazy"
            raise Wrong(f"`{text}`: {why}", "reference") from None

    # --- assertions ---

    def asserted(self, application: Application, here: Node) -> object:
        """Check an assertion; it stays, to be checked where it runs, unless it is static."""
        copy = application.duplicate(here)
        arguments = application.arguments
        at = arguments.written_at
        name = self.function_name(arguments)
        phase = "dynamic"
        if ASSERTION_PHASE in arguments.entries:
            asked = self.resolver.settled(arguments, ASSERTION_PHASE, arguments.entries[ASSERTION_PHASE]).value
            if asked not in ("static", "staticLazy", "dynamic"):
                words = f"`{ASSERTION_PHASE}` must be static, staticLazy or dynamic, not {asked!r}"
                raise NotFound(AssertionFailed(words, at), None, "assertion")
            phase = str(asked)
        values: dict[str, object] = {}
        lazy = False
        for key, argument in list(arguments.entries.items()):
            if key in (FUNCTION_CLASS, ASSERTION_PHASE):
                continue
            try:
                settled = self.resolver.settled(arguments, key, argument)
            except Lazy:
                if phase == "static":
                    words = f"the static assertion `{key}` depends on a lazy link"
                    label = Label(span_of(argument), "not known before it runs")
                    raise NotFound(AssertionFailed(words, at, label), None, "assertion") from None
                lazy = True
                continue
            if type(settled.value) is not Node:  # which may be around the assertion
                arguments.entries[key] = settled
            values[key] = settled.value
        if not lazy:
            try:
                result = self.given(name, values, arguments, here)
            except Wrong as wrong:
                raise NotFound(BadFunction(f"`{name}`", wrong.reason, at), None, "assertion") from None
            if result is not True:
                steps = [label for key in values for label in chain(arguments.entries[key], at)][:MOST]
                raise NotFound(AssertionFailed(f"`{here.path}` does not hold: {name}", at, *steps), None, "assertion")
        if phase != "dynamic":
            self.dropped = True
            return DROPPED
        copy.arguments.entries.pop(ASSERTION_PHASE, None)
        self.keep_written(copy.arguments)
        copy.lazy = True
        return copy


def holds(values: dict[str, object], arguments: Node) -> bool:
    """Every attribute of an assertion must be true."""
    for name, value in values.items():
        if name.startswith("sf") or value is True:
            continue
        what = "is false" if value is False else f"is {named_kind(value)}, not a boolean"
        place = arguments.outer.path if arguments.outer is not None else ""
        slot = arguments.entries[name]
        at = span_of(slot)
        problem = AssertionFailed(f"the assertion `{name}` of `{place}` {what}", at, *chain(slot, at))
        raise NotFound(problem, None, "assertion")
    return True


class JavaRandom:
    """Java's generator of random numbers, as far as decimals of 32 bits go."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def next_float(self) -> Float:
        """A number from 0 up to 1."""
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return Float((self.state >> 24) / (1 << 24))


__all__ = ["DROPPED", "LinkPhase", "Reached", "SourceFile"]

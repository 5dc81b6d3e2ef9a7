"""What the outputs of a program depend on, from a masked run of it (`kernel.masks`).

A masked run costs little more than a plain one, so it answers for every output at once, even those of a whole NixOS
host: the outputs are walked once, and each keeps two masks. Its *value* is what computing it used; its *shape* is what
decided that there is such an attribute or element (the masks of the sets and lists around it). A question about an
input is then a question about bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.source import lines_of
from ...language import Selected
from ...provenance.origins import Choice, Copy, Leaf, Origin, Step
from ..kernel.errors import NixError
from ..kernel.masks import Masks
from ..kernel.values import Attrs, Slot, Value, delay, force
from ..trace.history import is_derivation, plain
from ..trace.inputs import InputGroups
from ..trace.operations import ATTRIBUTE, COMPUTED, PassedOn

if TYPE_CHECKING:
    from ...provenance.impact import ImpactTarget
    from ..kernel.masks import MaskedInput
    from .machine import Machine

OPTION_DEPTH = 8
"""How deep a set of options is searched for one."""


class MaskedOutput(NamedTuple):
    """A smallest value with what it depends on."""

    steps: list[str | int]
    slot: Slot
    value: int
    """The mask of the value itself."""
    shape: int
    """What decided that there is such a value."""
    error: NixError | None = None
    """Why it has none."""

    @property
    def mask(self) -> int:
        """All that it depends on."""
        return self.value | self.shape


class Dependence:
    """The masked run of an outcome."""

    def __init__(self, machine: Machine, root: Slot, called: Callable[[Slot], Slot] = lambda slot: slot) -> None:
        assert isinstance(machine.masks, Masks)
        self.machine = machine
        self._called = called
        """What stands for a slot on the way to a value: functions that need no argument are called."""
        self.masks = machine.masks
        self.root = root
        self._nodes: list[Origin] = []
        self._origins: dict[int, Origin] = {}

    def outputs(self) -> Iterator[MaskedOutput]:
        """All smallest values with their masks, in order of names; empty sets and lists too.

        To be called inside of an evaluation (`guarded`). In a configuration of a module system what fails is an output
        too, and derivations are none: to compute the names of all packages that options hold takes as long as the rest.
        """
        yield from self._below(self.root, [], 0, set(), False)

    def everything(self) -> Iterator[MaskedOutput]:
        """All smallest values, those that fail too, derivations by their names."""
        yield from self._below(self.root, [], 0, set(), True, named=True)

    def at(self, steps: Sequence[str | int], step: Callable[[int, Value], Slot]) -> MaskedOutput:
        """The value at a path, with its masks; of a set or list, with those of all that is in it, of a derivation its
        name.

        `step` picks the slot of the step with a number out of a value.  To be called inside of an evaluation.
        """
        slot, shape = self.root, 0
        for number in range(len(steps)):
            slot = self._opened(slot)
            value, own, problem = self._forced(slot)
            if problem is not None:
                raise problem
            shape |= own
            slot = step(number, value)
        value, own, problem = self._forced(slot)
        for row in self._below(slot, [], 0, set(), True, named=True):
            own |= row.mask
        return MaskedOutput(list(steps), slot, own, shape, problem)

    def _opened(self, slot: Slot) -> Slot:
        """A slot on the way, called if it is a function: what that uses is in its mask."""
        opened = delay(lambda: self._called(slot))
        with self.masks.apart():
            force(opened)
        return opened

    def inputs(self, output: MaskedOutput) -> InputGroups:
        """What an output depends on, in order of files and lines."""
        return InputGroups(
            tuple(self._written(output.value)),
            tuple(self._written(output.shape & ~output.value)),
            tuple(
                sorted(
                    (
                        node
                        for number in _numbers(output.mask)
                        if self._is_library(number) and isinstance(node := self.nodes()[number], Leaf)
                    ),
                    key=lambda leaf: leaf.name,
                )
            ),
        )

    def _written(self, mask: int) -> list[Leaf]:
        """The user's inputs in a mask, without the parts of files that only hold others."""
        nodes = self.nodes()
        inputs = [
            node
            for number in _numbers(mask)
            if isinstance(node := nodes[number], Leaf)
            and self.masks.inputs[number].kind != "import"
            and not self._is_library(number)
        ]
        return sorted(inputs, key=_order)

    def _is_library(self, number: int) -> bool:
        """Whether an input is a file of a library, run or read."""
        given = self.masks.inputs[number]
        if given.kind == "import":
            return not given.value
        return given.kind == "file" and not self.machine.is_own(given.name)

    @property
    def has_library(self) -> bool:
        """Whether the program has read files of libraries so far."""
        return any(self._is_library(number) for number in range(len(self.masks.inputs)))

    def _below(
        self, slot: Slot, steps: list[str | int], shape: int, above: set[int], inside: bool, named: bool = False
    ) -> Iterator[MaskedOutput]:
        value, own, problem = self._forced(slot)
        if problem is not None:
            if not inside:
                raise problem
            yield MaskedOutput(steps, slot, own, shape, problem)
            return
        if inside and is_derivation(value):
            if not named:
                return
            if (name := value.table.get("name")) is not None:
                own |= self._forced(name)[1]
            yield MaskedOutput(steps, slot, own, shape)
            return
        if not inside and (configuration := _configuration(value)) is not None:
            yield from self._below(configuration, [*steps, "config"], shape | own, above, True, named)
            return
        if type(value) not in (list, Attrs) or id(value) in above:
            yield MaskedOutput(steps, slot, own, shape)
            return
        children: list[tuple[str | int, Slot]]
        if type(value) is list:
            children = list(enumerate(value))
        else:
            children = [(name, value.table[name]) for name in value.sorted_names()]
        if not children:
            yield MaskedOutput(steps, slot, own, shape)
            return
        above.add(id(value))
        for step, child in children:
            yield from self._below(child, [*steps, step], shape | own, above, inside, named)
        above.discard(id(value))

    def _forced(self, slot: Slot) -> tuple[Value, int, NixError | None]:
        with self.masks.apart():
            try:
                value = force(slot)
            except NixError as problem:
                return None, self.masks.used | self.masks.of(slot), problem
        return value, self.masks.of(slot), None

    # --- inputs ---

    def nodes(self) -> list[Origin]:
        """An origin for every input so far, by the number of its bit."""
        for given in self.masks.inputs[len(self._nodes) :]:
            self._nodes.append(_node(given))
        return self._nodes

    def matching(self, target: ImpactTarget) -> int:
        """The inputs that `target` names: for a line, the definitions on it and all that stands in them."""
        wanted = 0
        for number, node in enumerate(self.nodes()):
            if target.matches(node):
                wanted |= 1 << number
        return wanted

    def selected(self, path: str, output: MaskedOutput) -> Selected:
        """An output as others see it: its path, its value or why it has none, an origin that depends on its inputs.

        To be called inside of an evaluation.
        """
        shape, value = self._origin(output.shape), self._origin(output.value)
        return Selected(path, shown(output), Choice((shape,), value))

    def _origin(self, mask: int) -> Origin:
        """An origin that depends on these inputs; the same one for the same mask."""
        known = self._origins.get(mask)
        if known is None:
            inputs = tuple(self._part(number) for number in _numbers(mask))
            known = self._origins[mask] = Step(COMPUTED, inputs)
        return known

    def _part(self, number: int) -> Origin:
        """The origin of an input; for a file of the user's as a program, of all of its text."""
        given = self.masks.inputs[number]
        source = self.machine.sources.get(given.name) if given.kind == "import" and given.value else None
        if source is None:
            return self.nodes()[number]
        return Step(COMPUTED, (), source.span(0, len(source.text)))

    def leaves(self, mask: int) -> list[Leaf]:
        """The inputs of a mask, without the parts of files that only hold others."""
        nodes = self.nodes()
        return [node for number in _numbers(mask) if isinstance(node := nodes[number], Leaf)]


def _numbers(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def shown(output: MaskedOutput) -> Any:
    """The value of an output as plain data, or why it has none."""
    return f"«{lines_of(output.error.message)[0]}»" if output.error is not None else plain(output.slot, strict=True)


def _order(leaf: Leaf) -> tuple[bool, str, int, str]:
    """Literals first, in order of files and lines."""
    return leaf.kind != "literal", leaf.file, leaf.span.start if leaf.span is not None else 0, leaf.name


def _node(given: MaskedInput) -> Origin:
    span = None if given.source is None else given.source.span(given.start, given.end)
    match given.kind:
        case "definition":
            return Copy(PassedOn(ATTRIBUTE, given.name), Step(COMPUTED, ()), span)
        case "names" | "elements" | "function":
            return Step(COMPUTED, (), span)
        case "import":
            return Leaf("file", given.name, span, None)
        case _:
            return Leaf(given.kind, given.name, span, given.value)


def _configuration(value: Value) -> Slot | None:
    """The configuration, if a set is what a module system gave: its `options` are no outputs."""
    if type(value) is not Attrs or "config" not in value.table or "options" not in value.table:
        return None
    return value.table["config"] if _has_options(value.table["options"], OPTION_DEPTH) else None


def _has_options(slot: Slot, depth: int) -> bool:
    """Whether a set holds an option of a module system, however deep."""
    try:
        value = force(slot)
        if type(value) is not Attrs or depth == 0:
            return False
        if "_type" in value.table:
            return bool(force(value.table["_type"]) == "option")
        return any(_has_options(child, depth - 1) for child in value.table.values())
    except NixError:
        return False

"""Why a program of the core may mean something else at level forward: the kinds of differences, found by the rules.

The statements of a program are carried out twice, side by side: by the core's definitions, and by the first pass of the
two-pass semantics, which keeps links. `differences` says which kinds there are in the two stores. A program that has
none of them must mean the same at both levels.
"""

from __future__ import annotations

from wherefrom.semantics.smartfrog import forward, valuation
from wherefrom.semantics.smartfrog.domains import Bottom, Lnk, Ref, Store, Val
from wherefrom.semantics.smartfrog.errors import Err
from wherefrom.semantics.smartfrog.operations import bind, concat, copy, find, is_prefix, prefix, resolve
from wherefrom.smartfrog.tree import Block, Extends, Further, Link, Specification

IN_PROTOTYPE = "a link in a prototype"
PLACED = "a link that is placed elsewhere"
THROUGH = "a placement, prototype or link that leads through a link"
AROUND = "a link to a component around it"
LATER = "what a link leads to is changed later"
KINDS = (IN_PROTOTYPE, PLACED, THROUGH, AROUND, LATER)


class Both:
    """The two stores, `core` and `kept`, and the links that were written: place, where names are looked up, values."""

    def __init__(self) -> None:
        self.core = Store()
        self.kept = Store()
        self.links: list[tuple[Ref, Ref, Ref, Ref, Val, Val | None]] = []
        self.kinds: set[str] = set()

    def block(self, block: Block, ns: Ref) -> None:
        """B, of both."""
        for assignment in block.assignments():
            place = concat(ns, valuation.reference(assignment.target))
            value = assignment.value
            if isinstance(value, Link):
                self.link(value, ns, place)
            elif isinstance(value, Extends):
                self.core = bind(self.core, place, Store())
                self.keep(place, Store())
                for item in value.prototypes:
                    if isinstance(item, Block):
                        self.block(item, place)
                    else:
                        self.prototype(valuation.reference(item), ns, place)
            else:
                assert not isinstance(value, Further), "the programs compared are of the levels core and forward"
                self.core = bind(self.core, place, valuation.basic(value))
                self.keep(place, valuation.basic(value))

    def keep(self, place: Ref, value: Val) -> None:
        """bind of the first pass, in which a link is no store."""
        try:
            self.kept = bind(self.kept, place, value)
        except Err:
            self.kinds.add(THROUGH)

    def link(self, link: Link, ns: Ref, place: Ref) -> None:
        """V of a link."""
        reference = valuation.reference(link.reference)
        if prefix(place) != ns:
            self.kinds.add(PLACED)
        if is_prefix(reference, place):
            self.kinds.add(AROUND)
        found_in, value = resolve(self.core, ns, reference)
        assert not isinstance(value, Bottom)
        target = concat(found_in, reference)
        self.links.append((place, ns, reference, target, value, kept_at(self.kept, target)))
        self.core = bind(self.core, place, value)
        self.keep(place, Lnk.written(link))

    def prototype(self, reference: Ref, ns: Ref, place: Ref) -> None:
        """inherit."""
        found_in, value = resolve(self.core, ns, reference)
        assert isinstance(value, Store)
        self.core = copy(self.core, value, place)
        try:
            where, kept = forward.get_link(self.kept, ns, reference, ())
        except Err:
            where, kept = Ref(), None
        if not isinstance(kept, Store) or where != concat(found_in, reference):
            self.kinds.add(THROUGH)
            return
        if has_links(kept):
            self.kinds.add(IN_PROTOTYPE)
        try:
            self.kept = copy(self.kept, kept, place)
        except Err:
            self.kinds.add(THROUGH)

    def finish(self) -> set[str]:
        """What the links lead to in the finished stores."""
        for place, ns, reference, target, value, kept in self.links:
            if not isinstance(find(self.kept, place), Lnk):
                continue
            found_in, _ = resolve(self.kept, ns, reference)
            if any(isinstance(kept_at(self.kept, Ref(target[:last])), Lnk) for last in range(1, len(target))):
                self.kinds.add(THROUGH)
            if is_prefix(target, place):
                self.kinds.add(AROUND)
            elif concat(found_in, reference) != target or find(self.core, target) != value:
                self.kinds.add(LATER)
            elif isinstance(kept_at(self.kept, target), Lnk) and not isinstance(kept, Lnk):
                self.kinds.add(LATER)  # a link to the same value: it may lead back here
        return self.kinds


def kept_at(store: Store, target: Ref) -> Val | None:
    """What is at a place, where no link is on the way to it."""
    try:
        found = find(store, target)
    except Err:
        return None
    return None if isinstance(found, Bottom) else found


def has_links(store: Store) -> bool:
    """Whether a link is in a store, however deep."""
    return any(isinstance(v, Lnk) or (isinstance(v, Store) and has_links(v)) for _, v in store)


def differences(specification: Specification) -> set[str]:
    """The kinds of differences in a program that compiles in the core."""
    both = Both()
    both.block(specification.block, Ref())
    return both.finish()

"""The paper's operations on references and stores (Defs 7-18), each by its equations."""

from __future__ import annotations

import pytest

from wherefrom.semantics.smartfrog.domains import BOTTOM, Ref, Store, Vec
from wherefrom.semantics.smartfrog.errors import Err1, Err2, Err3, Err4
from wherefrom.semantics.smartfrog.operations import (
    bind,
    concat,
    copy,
    equal,
    find,
    inherit,
    is_prefix,
    is_sub_store,
    paths,
    prefix,
    put,
    resolve,
    without,
)
from wherefrom.semantics.smartfrog.properties import leads_back, unique

AB, ABC, AXC = Ref("ab"), Ref("abc"), Ref("axc")
ROOT = Ref()
INNER = Store([("c", 3)])
S = Store([("a", INNER), ("b", Store()), ("n", 1)])


def test_def_7_concatenation() -> None:
    """Identifiers and references in any combination; the empty reference is neutral."""
    assert concat("a", "b") == AB
    assert concat(ROOT, AB) == AB == concat(AB, ROOT)
    assert concat(AB, "c") == ABC == concat("a", Ref("bc"))
    assert concat(ROOT, "a") == Ref("a")
    assert isinstance(concat("a", "b"), Ref)


def test_def_8_common_prefix_removed() -> None:
    """The whole left side if nothing is common (the printed last equation loses its head)."""
    assert without(ROOT, AB) == ROOT
    assert without(AB, ROOT) == AB
    assert without(ABC, AB) == Ref("c")
    assert without(ABC, AXC) == Ref("bc")
    assert without(Ref("xy"), AB) == Ref("xy")


def test_defs_9_to_11_comparing_references() -> None:
    """Equality, prefixes strict and not, and the longest strict prefix."""
    assert equal(AB, Ref("ab")) and not equal(AB, ABC) and not equal(ABC, AB) and not equal(AB, ROOT)
    assert is_prefix(AB, ABC) and is_prefix(AB, AB) and is_prefix(ROOT, AB) and not is_prefix(ABC, AB)
    assert is_prefix(AB, ABC, strict=True) and not is_prefix(AB, AB, strict=True)
    assert prefix(ABC) == AB and prefix(Ref("a")) == ROOT == prefix(ROOT)


def test_def_12_put_keeps_the_place() -> None:
    """A known identifier is replaced where it stands, a new one goes last."""
    assert put(Store(), "x", 1) == (("x", 1),)
    assert put(S, "b", 2) == (("a", INNER), ("b", 2), ("n", 1))
    assert put(S, "z", 2) == (*S, ("z", 2))


def test_def_13_bind_and_its_errors() -> None:
    """err1, err2 and err3, and a path through several stores."""
    assert bind(S, Ref("ac"), 4) == (("a", Store([("c", 4)])), ("b", Store()), ("n", 1))
    assert bind(S, Ref("bz"), 4)[1] == ("b", (("z", 4),))
    with pytest.raises(Err1):
        bind(S, Ref("nz"), 4)
    with pytest.raises(Err2):
        bind(S, Ref("zz"), 4)
    with pytest.raises(Err3):
        bind(S, ROOT, 4)


def test_def_14_find() -> None:
    """The value at a path; the empty path is the store; nothing below a basic value."""
    assert find(S, ROOT) is S and find(Store(), ROOT) == ()
    assert find(S, Ref("a")) == INNER and find(S, Ref("ac")) == 3
    assert find(S, Ref("x")) is BOTTOM and find(S, Ref("nx")) is BOTTOM and find(S, Ref("ax")) is BOTTOM


def test_def_15_sub_stores() -> None:
    """A store is not its own sub-store."""
    assert is_sub_store(INNER, S) and is_sub_store(Store(), S)
    assert not is_sub_store(S, S) and not is_sub_store(Store([("c", 4)]), S)
    assert paths(S) == [ROOT, Ref("a"), Ref("ac"), Ref("b"), Ref("n")]


def test_def_16_resolve_searches_outwards() -> None:
    """The whole path is tried at every level; the namespace of the hit is part of the answer."""
    s = Store([("a", Store([("b", 1)])), ("c", Store([("a", Store([("z", 9)]))]))])
    assert resolve(s, Ref("c"), AB) == (ROOT, 1)
    assert resolve(s, Ref("c"), Ref("az")) == (Ref("c"), 9)
    assert resolve(s, Ref("c"), Ref("q")) == (ROOT, BOTTOM)


def test_defs_17_and_18_copy_and_inherit() -> None:
    """Every attribute in order, overriding what is there; a prototype must be a store."""
    assert copy(S, Store([("c", 9), ("d", 8)]), Ref("a"))[0] == ("a", (("c", 9), ("d", 8)))
    assert inherit(S, ROOT, Ref("a"), Ref("b"))[1] == ("b", INNER)
    for name in ("n", "none"):
        with pytest.raises(Err4):
            inherit(S, ROOT, Ref((name,)), Ref("b"))


def test_uniqueness_can_fail() -> None:
    """Theorem 2's property is not true of every list."""
    assert unique(S)
    assert not unique(Store([("x", 1), ("x", 2)]))
    assert not unique(Store([("y", Store([("x", 1), ("x", 2)]))]))


def test_references_that_lead_back() -> None:
    """To the component itself or to one around it, and to nothing else."""
    s = Store([("a", Store([("b", Store())])), ("c", Vec())])
    assert leads_back(s, Ref("a"), Ref("a"), AB)
    assert leads_back(s, Ref("a"), Ref("b"), AB)
    assert not leads_back(s, Ref("a"), Ref("c"), AB)

"""The paper's section 7, as statements that can be tried: termination and uniqueness.

Theorem 1 says that evaluation ends. Its proof names the two things that could keep it from ending, references that lead
back to what is being defined, and shows that both take a finite snapshot; `leads_back` recognises them. Theorem 2 says
that no store, nor any store inside it, has an identifier twice; `unique` says whether that is so.
"""

from __future__ import annotations

from .domains import Ref, Store
from .operations import concat, equal, find, is_prefix, is_sub_store, paths, resolve


def leads_back(s: Store, ns: Ref, named: Ref, r: Ref) -> bool:
    """Whether the reference `named`, looked up from `ns`, finds the component at `r` or one that contains it."""
    where, _ = resolve(s, ns, named)
    target = concat(where, named)
    return equal(target, r) or is_prefix(target, r, strict=True)


def unique(s: Store) -> bool:
    """Whether `s` and all its sub-stores have each identifier once (Theorem 2).  Slow: it is Def 15 word by word."""
    stores = [t for r in paths(s) if isinstance(t := find(s, r), Store)]
    return all(len({i for i, _ in t}) == len(t) for t in stores if t is s or is_sub_store(t, s))

"""Every expression of a tree, each once, in no particular order."""

from __future__ import annotations

from collections.abc import Iterator

from .scope import children
from .tree import AttrSet, Expr, Lambda, Let, OldLet, PatternLambda, With


def descendants(tree: Expr) -> Iterator[Expr]:
    """`tree` and every expression inside it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        match node:
            case Lambda(_, body):
                stack.append(body)
            case PatternLambda():
                stack.append(node.body)
                stack.extend(formal.default for formal in node.formals if formal.default is not None)
            case AttrSet():
                stack.extend(attribute.value for attribute in node.attributes)
                for dynamic in node.dynamic:
                    stack.extend((dynamic.name, dynamic.value))
            case Let(bindings, body):
                stack.extend((bindings, body))
            case OldLet(bindings):
                stack.append(bindings)
            case With(scope, body):
                stack.extend((scope, body))
            case _:
                stack.extend(children(node))

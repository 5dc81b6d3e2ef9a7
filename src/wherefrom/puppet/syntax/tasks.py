"""Validation of scripts and plans, for a parser that is asked for tasks.

A script has no catalog: what builds one is refused outside `apply() { }`, and inside it what needs a script is.
"""

from __future__ import annotations

from typing import Any

from ...base.diagnostics import Diagnostic
from ..kernel import issues
from ..kernel.issues import a_an_uc
from .tree import (
    Apply,
    ClassDefinition,
    Collector,
    DefinedType,
    Node,
    NodeDefinition,
    Program,
    Relationship,
    Resource,
    ResourceDefaults,
    ResourceOverride,
)
from .validate import Validator

CATALOG = (NodeDefinition, Relationship, Resource, ResourceDefaults, ResourceOverride)


class TasksValidator(Validator):
    """The ordinary validator with the rules for scripts."""

    names_untitled = False

    def in_apply(self) -> bool:
        """Whether the node being checked stands in an `apply` block."""
        return any(isinstance(above, Apply) for above in self.path)

    def only_compiling(self, node: Node) -> None:
        self.accept(issues.EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING, node, what=a_an_uc(node.text_of()))

    def only_scripting(self, node: Node) -> None:
        self.accept(issues.EXPRESSION_NOT_SUPPORTED_WHEN_COMPILING, node, what=a_an_uc(node.text_of()))

    def check_catalog(self, node: Any) -> None:
        if not self.in_apply():
            self.only_compiling(node)
        else:
            check = Validator.checks.get(type(node))
            if check is not None:
                check(self, node)

    def check_collector(self, node: Collector) -> None:
        if self.in_apply() and node.query.exported:
            self.only_scripting(node)
        else:
            self.check_catalog(node)

    def check_apply(self, node: Apply) -> None:
        if self.in_apply():
            self.only_scripting(node)


TasksValidator.checks = {
    **Validator.checks,
    **dict.fromkeys(CATALOG, TasksValidator.check_catalog),
    ClassDefinition: TasksValidator.only_compiling,
    DefinedType: TasksValidator.only_compiling,
    Collector: TasksValidator.check_collector,
    Apply: TasksValidator.check_apply,
}


def validate_tasks(program: Program, strict: str, namespace: str | None = None) -> list[Diagnostic]:
    """All that Puppet's validator for scripts would say about `program`."""
    validator = TasksValidator(strict, namespace)
    validator.run(program)
    return validator.problems

"""Codes of recorded errors: what real Puppet says in words has the code of its kind, wherever it is said."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from oracle.record_puppet_corners import answers, requests
from support.puppet_cases import recorded_cases, request_of
from support.puppet_requests import case_answer
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.puppet import batch
from wherefrom.puppet.kernel.codes import CODES

MOST = 12
"""Programs for each wording: the shortest ones."""

KINDS = {
    r"Unknown variable: ": "UNKNOWN_VARIABLE",
    r"Cannot reassign variable '": "ILLEGAL_REASSIGNMENT",
    r"Attempt to assign to a reserved variable name: ": "ILLEGAL_RESERVED_ASSIGNMENT",
    r"Unknown function: ": "UNKNOWN_FUNCTION",
    r"(Unknown resource type|Resource type not found): ": "UNKNOWN_RESOURCE_TYPE",
    r"Evaluation Error: Resource not found: ": "UNKNOWN_RESOURCE",
    r"Could not find (declared )?class ": "unknown class",
    r"(?<!has )no parameter named ": "unknown attribute",
    r"has no parameter named ": "TYPE_MISMATCH",
    r"\]:\s*parameter '.*' expects an? .* value, got ": "TYPE_MISMATCH",
    r"'\w+' parameter '.*' expects an? .* value, got ": "arguments",
    r"expects a value for parameter ": "TYPE_MISMATCH",
    r"Could not find stage ": "unknown stage",
    r"Duplicate declaration: ": "duplicate declaration",
    r"Cannot alias ": "duplicate alias",
    r"Attempt to redefine entity ": "duplicate definition",
    r"The attribute '.*' has already been set|Duplicate parameter ": "DUPLICATE_ATTRIBUTE",
    r"The title '.*' has already been used ": "DUPLICATE_TITLE",
    r"Default already defined for ": "duplicate default",
    r"Parameter '.*' is already set on ": "attribute already set",
    r"Only subclasses can override parameters": "override not permitted",
    r"Could not find resource\(s\) .* for overriding": "override of nothing",
    r"Could not find resource '.*' in parameter ": "dangling relationship",
    r"No title provided and |No set of title patterns matched ": "not a reference",
    r"Failed to realize virtual resources ": "never realized",
    r"Could not find node statement with name ": "unknown node",
    r"Could not find parent resource type ": "unknown parent",
    r"Could not find scope for ": "parent not ready",
    r" is a metaparameter; please choose another ": "metaparameter redefined",
    r"Only classes can set 'stage'": "stage of a resource",
    r"Invalid tag '": "invalid tag",
    r"Somehow looped more than 1000 times ": "endless evaluation",
    r"Parameter \$.* is required but no value was given": "MISSING_REQUIRED_PARAMETER",
    r"default expression for \$.* tries to illegally access ": "parameter not evaluated",
    r"Illegal title type at index ": "ILLEGAL_TITLE_TYPE_AT",
    r"Empty string title at ": "EMPTY_STRING_TITLE_AT",
    r"Illegal Resource Type expression": "ILLEGAL_RESOURCE_TYPE",
    r"Resource Override can only operate on resources": "ILLEGAL_OVERRIDDEN_TYPE",
    r"Illegal relationship operand": "ILLEGAL_RELATIONSHIP_OPERAND_TYPE",
    r"\) from context where this is illegal": "illegal jump",
    r"Mismatched number of assignable entries and values": "ILLEGAL_MULTI_ASSIGNMENT_SIZE",
    r"Evaluation Error: Comparison of: ": "COMPARISON_NOT_POSSIBLE",
    r"Can not convert right match operand ": "MATCH_NOT_REGEXP",
    r"Evaluation Error: Operator '.*' is not applicable to ": "OPERATOR_NOT_APPLICABLE",
    r"The value '.*' cannot be converted to Numeric": "NOT_NUMERIC",
    r"The result of the . expression is Infinity": "RESULT_IS_INFINITY",
    r"Classes cannot be collected": "illegal query",
    r"-Type\[\] accepts ": "BAD_TYPE_SLICE_ARITY",
    r"-Type\[\] arguments must be types": "BAD_TYPE_SLICE_TYPE",
    r"Error creating type specialization of ": "BAD_TYPE_SPECIALIZATION",
    r"A Type's size constraint arguments must be ": "BAD_COLLECTION_SLICE_TYPE",
    r"-Type \[\] requires all arguments to be ": "BAD_INTEGER_SLICE_TYPE",
    r"First argument to Resource\[\] must be ": "ILLEGAL_RESOURCE_SPECIALIZATION",
    r"Could not find template ": "unknown template",
    r"epp\(\): Invalid EPP: ": "invalid template",
    r"The code loaded from .* (does not define|produced (?!mis-matched name, expected 'function_))": "misnamed type",
    r"(Hierarchy name|Backend) '.*' (is )?defined more than once": "Hiera configuration",
    r"This runtime does not support hiera.yaml version ": "Hiera configuration",
    r"can be defined in hierarchy '": "Hiera configuration",
    r"is only allowed in the (module|global) layer": "Hiera configuration",
    r"Recursive lookup detected ": "recursive lookup",
    r"The convert_to lookup_option for key ": "Hiera data",
    r"Endless recursion detected when attempting to serialize ": "SERIALIZATION_ENDLESS_RECURSION",
    r"The catalog operation '.*' is only available when ": "CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING",
}


@cache
def errors() -> dict[str, list[dict[str, Any]]]:
    """For each wording, programs whose recorded answer has it, and no other."""
    pairs = list(zip(requests(), answers(), strict=True))
    pairs += [(request_of(case), json.loads(case.sections["want.json"])) for case in recorded_cases()]
    programs: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for request, answer in pairs:
        said = [wording for wording in KINDS if re.search(wording, answer.get("error", ""))]
        if len(said) == 1:
            programs[said[0]].append(request)
    return programs


def codes(programs: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The codes of the errors that programs end with."""
    told: list[str] = []
    document = batch.error_document

    def noted(problem: Diagnostic, node: str | None) -> dict[str, Any]:
        told.append(problem.code)
        return document(problem, node)

    monkeypatch.setattr(batch, "error_document", noted)
    for program in programs:
        case_answer({"id": 0, "facts": {}, **program, "agent_facts": False})
    return told


@pytest.mark.parametrize("wording", KINDS)
def test_code(wording: str, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = sorted(errors()[wording], key=lambda program: len(program["manifest"]))[:MOST]
    assert programs, "no recorded answer says so"
    told = zip(codes(programs, monkeypatch), programs, strict=True)
    assert [(code, program) for code, program in told if code != CODES[KINDS[wording]]] == []

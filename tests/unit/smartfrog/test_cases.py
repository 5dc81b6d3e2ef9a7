"""Every case under `tests/cases/smartfrog`: the store or the errors, and the explanations."""

from __future__ import annotations

import json

import pytest

from support.cases import Case, load_cases
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import PureHost
from wherefrom.base.render import diagnostics_text
from wherefrom.base.source import Span
from wherefrom.language import Inputs
from wherefrom.provenance.explain import Explanation
from wherefrom.provenance.extract import chain
from wherefrom.provenance.origins import Leaf
from wherefrom.semantics.smartfrog.step import derive_and_show
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome

CASES = load_cases("smartfrog")


def run(case: Case) -> SmartFrogOutcome | list[Diagnostic]:
    try:
        return LANGUAGE.run("main.sf", PureHost(case.files), Inputs(options=case.header.get("options", {})))
    except ManyErrors as problems:
        return problems.diagnostics
    except Diagnostic as problem:
        return [problem]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case) -> None:
    """The case's store or errors are as expected, and so is everything else that it asks for."""
    result = run(case)
    if isinstance(result, SmartFrogOutcome):
        assert "want.error" not in case.sections, f"{case.name} compiles"
        expect_json(case, result.document())
        for path in case.wants("why"):
            case.expect(f"want.why {path}", story(result.explain(path)))
        if "want.why" in case.sections:
            case.expect("want.why", story(result.explain("")))
        for path in case.wants("missing"):
            case.expect(f"want.missing {path}", diagnostics_text(result.missing(path)))
        if "want.yaml" in case.sections:
            case.expect("want.yaml", result.yaml())
        if "want.text" in case.sections:
            case.expect("want.text", result.text())
    else:
        case.expect("want.error", "".join(f"{each.code} {place(each.span)}\n" for each in result))
        if "want.message" in case.sections:
            case.expect("want.message", diagnostics_text(result))
    if "want.check" in case.sections:
        case.expect("want.check", diagnostics_text(checked(case)))
    if "want.step" in case.sections:
        case.expect("want.step", derive_and_show("main.sf", PureHost(case.files), {}).text())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_check_finds_the_errors(case: Case) -> None:
    """`check` reports what compiling reports, but for a missing sfConfig: such a file may be meant to be included."""
    result = run(case)
    expected = [] if isinstance(result, SmartFrogOutcome) else [each.code for each in result]
    found = [each.code for each in checked(case) if each.severity == "error"]
    assert found == expected or (expected == ["S007"] and found == []) or "sfConfig" not in case.files["main.sf"]


def checked(case: Case) -> list[Diagnostic]:
    host = PureHost(case.files)
    inputs = Inputs(options=case.header.get("options", {}))
    return LANGUAGE.check_with(host.source("main.sf"), host, inputs)


def expect_json(case: Case, document: object) -> None:
    """Order counts, and so do 1, 1.0 and true; layout does not."""
    wanted = case.sections.get("want.json")
    if wanted is None or json.dumps(json.loads(wanted)) != json.dumps(document):
        case.expect("want.json", json.dumps(document, ensure_ascii=False) + "\n")


def story(explanation: Explanation) -> str:
    """An explanation in a few plain lines, independent of how it is rendered."""
    lines = [f"value    {json.dumps(explanation.value, ensure_ascii=False)}"]
    if explanation.where is not None:
        lines.append(f"where    {leaf(explanation.where)}")
    lines += [f"via      {hand.how}  {place(getattr(hand.origin, 'span', None))}" for hand in explanation.chain]
    for each in explanation.hidden:
        lines.append(f"hides    {json.dumps(each.value, ensure_ascii=False)}, {each.why}  {place(each.span)}")
    for key, origin in explanation.order:
        hands = "; ".join(f"{hand.how} {place(getattr(hand.origin, 'span', None))}" for hand in chain(origin))
        lines.append(f"order    {key}: {hands}")
    own = explanation.where.key if explanation.where is not None else None
    lines += [f"depends  {leaf(each)}" for each in explanation.depends if each.key != own]
    return "\n".join(lines) + "\n"


def leaf(each: Leaf) -> str:
    text = each.span.text if each.span is not None else str(each.value)
    kind = "" if each.kind == "literal" else f"{each.kind} "
    return f"{kind}{text}  {place(each.span)}" + (f"  {each.detail}" if each.detail else "")


def place(span: Span | None) -> str:
    return span.place if span is not None else "-"

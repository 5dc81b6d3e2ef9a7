"""Every proposal of `wherefrom set`, written to disk and compiled anew, gives the value that was wished for."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.wished import another
from wherefrom.base.data_texts import (
    changed_range,
    hash_changed,
    list_changed,
    yaml_key_added,
    yaml_replaced,
    yaml_text,
)
from wherefrom.base.secrets import Secret
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs, Outcome
from wherefrom.provenance.backwards import same
from wherefrom.provenance.origins import Items, Leaf
from wherefrom.puppet.hiera.files import read_yaml
from wherefrom.puppet.hiera.scalars import plain_scalar
from wherefrom.session import Session
from wherefrom.wishes import Wish, proposals

CONTROL = Path(__file__).resolve().parents[2] / "examples/control"
RELATIONS = ("require", "notify", "before", "subscribe", "alias", "tag")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_every_scalar_of_the_example(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a proposal that is no override; each proposal does, applied, what it says, and nothing else."""
    shutil.copytree(CONTROL, tmp_path / "control")
    monkeypatch.chdir(tmp_path / "control")
    random = Random(seed)
    facts = {path.stem: yaml.safe_load(path.read_text()) for path in Path("facts").glob("*.yaml")}
    session, again = Session(), Session()
    asked = 0
    for node in facts:

        def compiled(named: str | None, files: Any, session: Session = session, node: str = node) -> Outcome:
            name = named or node
            return session.run(".", Inputs(name, facts[name], {"trace": True}), files=files or None)

        for output in list(compiled(node, {}).outputs()):
            attribute = output.path.rpartition("].")[2].partition("[")[0]
            if not attribute or attribute in RELATIONS or "]." not in output.path or isinstance(output.value, Secret):
                continue
            if not isinstance(output.value, str | int) or (wished := another(output.value, random)) is None:
                continue
            asked += 1
            answer = proposals([Wish(output.path, wished)], node, compiled, lambda _: None)
            assert answer.proposals, (node, output.path, wished, answer.obstacles)
            assert answer.proposals[0].rewrites[0].kind != "override added"
            for proposal in answer.proposals:
                for name, (_, after) in proposal.files.items():
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_bytes(after)
                written = again.run(".", Inputs(node, facts[node], {}))
                assert same(written.select(output.path).value, answer.wanted[0].wanted)
                for name, (before, _) in proposal.files.items():
                    if before is None:
                        Path(name).unlink()
                    else:
                        Path(name).write_bytes(before)
    assert asked > 90


# --- data ------------------------------------------------------------------------------------------------------------

SCALARS = st.one_of(
    st.integers(-9, 999),
    st.booleans(),
    st.sampled_from(
        ["plain", "two words", "on", "017", "1:30", "a: b", "# no", "it's", 'say "x"', "", "- x", "é", "null"]
    ),
    st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=12),
)


def styled(draw: Any, value: Any) -> str:
    """A scalar in one of the styles that give it back."""
    style = draw(st.sampled_from(["", "'", '"'])) if isinstance(value, str) else ""
    return yaml_text(value, plain_scalar, style)


@st.composite
def files(draw: Any) -> tuple[str, dict[str, Any]]:
    """A file of data with comments, lists, hashes and scalars in any style."""
    lines, data = ["---"], {}
    for number in range(draw(st.integers(1, 4))):
        key = f"m{number}::k"
        lines += draw(st.sampled_from([[], ["# about it"], ["", "# two", "# lines"]]))
        shape = draw(st.sampled_from(["scalar", "list", "flow", "hash"]))
        comment = draw(st.sampled_from(["", "  # why"]))
        if shape == "scalar":
            data[key] = draw(SCALARS)
            lines.append(f"{key}: {styled(draw, data[key])}{comment}")
            continue
        values = draw(st.lists(SCALARS, min_size=1, max_size=3))
        if shape == "flow":
            lines.append(f"{key}: [{', '.join(styled(draw, value) for value in values)}]{comment}")
            data[key] = values
        elif shape == "list":
            indent = draw(st.sampled_from(["", "  "]))
            lines += [f"{key}:", *(f"{indent}- {styled(draw, value)}{comment}" for value in values)]
            data[key] = values
        else:
            lines += [f"{key}:", *(f"  e{at}: {styled(draw, value)}{comment}" for at, value in enumerate(values))]
            data[key] = {f"e{at}": value for at, value in enumerate(values)}
    return "\n".join(lines) + draw(st.sampled_from(["\n", ""])), data


def comments(text: str) -> list[str]:
    """The comments that stand on lines of their own."""
    return [line for line in text.split("\n") if line.startswith("#")]


@given(files(), SCALARS, st.data())
@settings(max_examples=examples(150), deadline=None)
def test_data_is_edited_in_its_layout(file: tuple[str, dict[str, Any]], new: Any, data: Any) -> None:
    """A value replaced, an element or a key added or removed: what is read afterwards is what was meant."""
    text, values = file
    source = SourceFile("data.yaml", text)
    read, origin = read_yaml(source)
    assert read == values
    assert isinstance(origin, Items)
    assert not isinstance(origin.elements, list)
    key = data.draw(st.sampled_from(sorted(values)))
    node = origin.elements[key]
    wanted: Any
    change: tuple[int, int, str] | None
    if isinstance(node, Leaf):
        assert node.span is not None
        wanted, change = new, yaml_replaced(node.span, values[key], new, plain_scalar)
    else:
        assert isinstance(node, Items)
        assert isinstance(node.own, Leaf)
        assert node.own.span is not None
        old = values[key]
        if isinstance(old, list):
            at = data.draw(st.integers(0, len(old)))
            wanted = data.draw(st.sampled_from([[*old[:at], new, *old[at:]], [*old[:at], *old[at + 1 :]]]))
            spans = [leaf.span for leaf in node.elements if isinstance(leaf, Leaf) and leaf.span is not None]
            change = list_changed(
                source, node.own.span, spans, old, wanted, lambda value: yaml_text(value, plain_scalar)
            )
            if changed_range(old, wanted) == (len(old), len(old), len(old)):
                return
        else:
            places = {name: leaf.span for name, leaf in node.elements.items() if isinstance(leaf, Leaf)}  # type: ignore[union-attr]
            wanted = {**old, "new": new}
            change = hash_changed(node.own.span, places, {"new": new}, (), plain_scalar)
            if len(old) > 1 and data.draw(st.booleans()):
                gone = data.draw(st.sampled_from(sorted(old)))
                wanted = {name: value for name, value in old.items() if name != gone}
                change = hash_changed(node.own.span, places, {}, [gone], plain_scalar)
    assert change is not None
    start, end, written = change
    after = text[:start] + written + text[end:]
    assert same(read_yaml(SourceFile("data.yaml", after))[0], {**values, key: wanted}), after
    assert comments(after) == comments(text)


@given(files(), SCALARS)
@settings(max_examples=examples(60), deadline=None)
def test_a_key_is_added_at_the_end(file: tuple[str, dict[str, Any]], new: Any) -> None:
    """Everything before it stays."""
    text, values = file
    for value in (new, [new, new], {"k": new}):
        at, written = yaml_key_added(text, "new::key", value, plain_scalar)
        assert at == len(text)
        assert same(read_yaml(SourceFile("data.yaml", text + written))[0], {**values, "new::key": value})

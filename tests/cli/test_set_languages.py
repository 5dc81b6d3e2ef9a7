"""`wherefrom set` for SmartFrog and Nix: what is proposed, written and compiled again has the wished value."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from support import commands
from wherefrom.language import Inputs, Outcome
from wherefrom.provenance.backwards import same
from wherefrom.session import Session
from wherefrom.wishes import Answer, Wish, proposals

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FLAKE = "nixosConfigurations.web.config."


def asked(path: str, wish: str, value: str | None, options: Mapping[str, Any]) -> Answer:
    """The proposals, of which each is compiled once more from its files alone."""
    session = Session()

    def compiled(_: str | None, files: Mapping[str, bytes | None]) -> Outcome:
        return session.run(path, Inputs(None, {}, {"trace": True, **options}), files=files or None)

    answer = proposals([Wish(wish, value)], None, compiled, lambda _: None)
    for proposal in answer.proposals:
        after = Session().run(
            path, Inputs(None, {}, options), files={name: new for name, (_, new) in proposal.files.items()}
        )
        assert same(after.select(answer.wanted[0].path).value, answer.wanted[0].wanted)
    return answer


def first(answer: Answer) -> str:
    """The kind of the best proposal and its new lines."""
    from wherefrom.base.splices import changed_lines

    proposal = answer.proposals[0]
    lines = [text for old, new in proposal.files.values() for sign, _, text in changed_lines(old, new) if sign == "+"]
    return f"{proposal.rewrites[0].kind}: {' / '.join(line.strip() for line in lines)}"


def another(value: Any) -> str:
    """Another value of the same kind, as it is typed."""
    if isinstance(value, bool):
        return "false" if value else "true"
    return str(value + 1) if isinstance(value, int | float) else f'{value}"x\\'


@pytest.mark.parametrize(
    ("file", "level"),
    [
        ("smartfrog/servers.sf", "core"),
        ("firewall/test.sf", "core"),
        ("smartfrog/placement.sf", "production"),
        ("smartfrog/replaced.sf", "core"),
    ],
)
def test_every_scalar_of_smartfrog(file: str, level: str) -> None:
    """Literals, inherited ones and placements; data references and components are not set."""
    path, options = str(EXAMPLES / file), {"level": level}
    outcome = Session().run(path, Inputs(None, {}, options))
    outputs = [output for output in outcome.outputs() if isinstance(output.value, str | int | float)]
    scalars = [output for output in outputs if not str(output.value).startswith("$.")]
    assert scalars
    for output in scalars:
        answer = asked(path, output.path, another(output.value), options)
        assert answer.proposals, (output.path, output.value, answer.obstacles)


def test_a_placement_beside_the_prototype() -> None:
    """What only one component is to have is placed; what all are to have is replaced where they have it from."""
    answer = asked(str(EXAMPLES / "smartfrog/servers.sf"), "s2:web:port", "8080", {})
    assert first(answer) == "definition added: s2:web:port 8080;"
    assert [change.path for change in answer.proposals[1].changes] == ["s1:web:port"]


FLAKES: list[tuple[str, str, str]] = [
    ("services.web.port", "9000", "value replaced: port = lib.mkForce 9000;"),
    ("services.web.tls", "false", "value replaced: tls = false;"),
    (
        "services.openssh.permitRootLogin",
        "yes",
        'value replaced: services.openssh.permitRootLogin = lib.mkDefault "yes";',
    ),
    (
        "services.web.sites.wiki.owner",
        "bob",
        'value replaced: sites.wiki = { aliases = [ "w.example.org" ]; owner = "bob"; };',
    ),
    ("networking.hostName", "www", 'value replaced: networking.hostName = "www";'),
    (
        "environment.packages",
        "[vim, git, curl, htop]",
        'value replaced: environment.packages = [ "curl" "htop" ];',
    ),
    ("environment.packages", "[vim, git]", "value replaced: environment.packages = [ ];"),
    ("environment.packages[2]", "wget", 'value replaced: environment.packages = [ "wget" ];'),
    ("services.openssh.ports", "[22]", "value replaced: services.openssh.ports = lib.mkAfter [ ];"),
    ("services.openssh.ports", "[22, 4023]", "value replaced: services.openssh.ports = lib.mkAfter [ 4023 ];"),
    ("services.web.sites.blog.root", "/var/blog", 'value replaced: sites.blog.root = "/var/blog";'),
    (
        "users.users.alice.isAdmin",
        "false",
        'value replaced: users.users.alice = { isAdmin = false; groups = [ "staff" ]; };',
    ),
]


@pytest.fixture(scope="module")
def flake() -> Callable[[str, str], Answer]:
    """Asks the example, whose value is computed once."""
    session = Session()
    inputs = Inputs(None, {}, {"trace": True, "flake": True})
    known: list[Outcome] = []

    def ask(path: str, value: str) -> Answer:
        def compiled(_: str | None, files: Mapping[str, bytes | None]) -> Outcome:
            if not files and known:
                return known[0]
            outcome = session.run(str(EXAMPLES / "flake"), inputs, language="nix", files=files or None)
            known.extend([] if files else [outcome])
            return outcome

        return proposals([Wish(FLAKE + path, value)], None, compiled, lambda _: None)

    return ask


@pytest.mark.long
@pytest.mark.parametrize(("path", "value", "expected"), FLAKES)
def test_options(flake: Callable[[str, str], Answer], path: str, value: str, expected: str) -> None:
    """The definition that is there, one more, elements of merged lists."""
    assert first(flake(path, value)) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("services.nginx.virtualHosts.wiki.port", "8443", "value replaced: secure = { port = 8443; };"),
        (
            'services.nginx.virtualHosts.blog.locations."/"',
            'a"${b}\\',
            'value replaced: blog = { port = 8080; locations = { "/" = "a\\"\\${b}\\\\"; }; };',
        ),
        (
            "services.nginx.virtualHosts.blog.title",
            "blog at port 8080",
            'value replaced: title = "${name} at port ${toString (defaults // profile // host).port}";',
        ),
    ],
)
def test_plain_nix(path: str, value: str, expected: str) -> None:
    """Literals through `//`, functions and texts."""
    assert first(asked(str(EXAMPLES / "nix/hosts.nix"), path, value, {})) == expected


def test_a_flake_on_the_command_line(tmp_path: Path) -> None:
    """`DIR#ATTR` names both; what is applied is what is there afterwards."""
    shutil.copytree(EXAMPLES / "flake", tmp_path / "flake")
    path = f"flake#{FLAKE}services.web.port"
    done = commands.wherefrom("set", path, "9000", "--apply", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "wrote flake/hosts/web.nix\n"), done.stderr
    done = commands.wherefrom("explain", path, "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["value"] == 9000

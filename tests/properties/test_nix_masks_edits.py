"""Masks are sound for more than literals: definitions, elements and arguments that are added or taken away.

What a masked run says an output does not depend on can be edited without changing the output: in programs nobody wrote,
and in configurations of a module system that nobody wrote, where an edit is a definition of an option.
"""

from __future__ import annotations

import os
from functools import cache, reduce
from pathlib import Path
from random import Random

import pytest

from support.nix_edits import Count, check_edits, some_edits
from support.nix_language import evaluate
from support.nix_programs import NAMES, failing_program, program
from wherefrom.base.host import PureHost
from wherefrom.nix.front.language import NixOutcome, Request

LIBRARY = Path(__file__).resolve().parents[2] / "examples" / "flake" / "nixlib" / "lib"
EDITS = 12
"""How many edits of a program are tried."""
FRESH = int(os.environ.get("WHEREFROM_SEED", "0")) * 1_000_000


def check_program(text: str, seed: int) -> Count:
    """Edit a program without modules."""
    random = Random(seed)
    made = some_edits(text, NAMES, ["5", '"q"', "{ }", "true"], random, EDITS)
    return check_edits(evaluate, text, "", made)


# --- configurations ---

OPTIONS = """{ config, lib, ... }:
let inherit (lib) mkOption types;
in {
  options = {
    on = mkOption { type = types.bool; default = false; };
    port = mkOption { type = types.int; default = 80; };
    name = mkOption { type = types.str; default = "host"; };
    words = mkOption { type = types.listOf types.str; default = [ ]; };
    text = mkOption { type = types.lines; default = ""; };
    users = mkOption {
      default = { };
      type = types.attrsOf (types.submodule ({ name, config, ... }: {
        options = {
          admin = mkOption { type = types.bool; default = false; };
          home = mkOption { type = types.str; default = "/home/${name}"; };
          groups = mkOption { type = types.listOf types.str; default = if config.admin then [ "wheel" ] else [ ]; };
        };
      }));
    };
    out = mkOption { type = types.attrsOf types.str; default = { }; };
  };
  config.out = {
    greeting = "${config.name}:${toString config.port}";
    users = toString (builtins.attrNames config.users);
    list = builtins.concatStringsSep "," config.words;
  } // (if config.on then { extra = config.text; } else { });
}
"""
MAIN = """let lib = import /lib; in { inherit (lib.evalModules { modules = [ ./options.nix ./a.nix ./b.nix ]; })
  config options; }"""
USERS = ("alice", "bob", "carol")


def value(random: Random, option: str) -> str:
    """A definition's value, perhaps in wrappers."""
    match option:
        case "on" | "admin":
            text = random.choice(("true", "false"))
        case "port":
            text = str(random.randint(1, 5))
        case "words" | "groups":
            text = random.choice(('[ "x" ]', '[ "y" "z" ]', "[ ]", "[ config.name ]"))
        case "text":
            text = random.choice(('"one"', '"two ${config.name}"'))
        case _:
            text = random.choice(('"n"', '"m"', '"p${toString config.port}"'))
    for _ in range(random.choice((0, 0, 1, 2))):
        text = random.choice(
            (
                f"lib.mkDefault ({text})",
                f"lib.mkForce ({text})",
                f"lib.mkIf config.on ({text})",
                f"lib.mkIf (config.port == {random.randint(1, 5)}) ({text})",
                f"lib.mkMerge [ ({text}) ]",
                f"lib.mkOverride {random.randint(1, 3)} ({text})",
            )
        )
    return text


def module(random: Random) -> str:
    """A module that defines some of the options."""
    chosen = random.sample(("port", "name", "words", "text", "on"), random.randint(1, 4))
    parts = [f"{option} = {value(random, option)};" for option in chosen if option != "on"]
    if "on" in chosen:
        parts.append(f"on = {random.choice(('true', 'false', 'lib.mkForce true', 'lib.mkDefault true'))};")
    users = []
    for user in random.sample(USERS, random.randint(0, 2)):
        own = random.sample(("admin", "home", "groups"), random.randint(0, 2))
        users.append(f"{user} = {{ {' '.join(f'{option} = {value(random, option)};' for option in own)} }};")
    if users:
        made = f"{{ {' '.join(users)} }}"
        parts.append(f"users = {random.choice((made, f'lib.mkIf config.on {made}'))};")
    body = f"{{ {' '.join(parts)} }}"
    if random.random() < 0.3:
        body = f'lib.mkIf (config.name != "z") {body}'
    return f"{{ config, lib, ... }}: {body}"


@cache
def library() -> dict[str, str]:
    return {f"/lib/{path.relative_to(LIBRARY)}": path.read_text() for path in LIBRARY.rglob("*.nix")}


def check_modules(seed: int) -> Count:
    """Edit one of two modules."""
    random = Random(seed)
    texts = {"a": module(random), "b": module(random)}
    edited = random.choice("ab")

    def run(text: str) -> NixOutcome:
        files = {f"/w/{name}.nix": text for name, text in {**texts, edited: text}.items()}
        files |= {"/w/main.nix": MAIN, "/w/options.nix": OPTIONS, **library()}
        return NixOutcome(Request("/w/main.nix", PureHost(files), {"attr_path": "config", "no_cache": True}), False)

    names = ("port", "name", "words", "text", "on", "users", *USERS, "admin", "home", "groups")
    values = ["5", '"q"', "{ }", "true", '[ "v" ]', "lib.mkForce 4", "{ admin = true; }"]
    made = some_edits(texts[edited], names, values, random, EDITS)
    return check_edits(run, texts[edited], f"{edited}.nix", made)


def total(counts: list[Count]) -> Count:
    """The sum, printed."""
    whole = reduce(Count.plus, counts, Count())
    print(f"{whole.pairs} pairs, {whole.changed} changed, {whole.said} said to be able to")
    return whole


def test_edits_of_programs() -> None:
    """Hundreds of pairs of an edit and an output."""
    assert total([check_program(program(40_000 + seed, 5), seed) for seed in range(40)]).changed > 20
    assert total([check_program(failing_program(930_000 + seed), seed) for seed in range(80)]).changed > 2


def test_edits_of_modules() -> None:
    """A definition added or taken away, another name, another value: what stays the same was said to."""
    whole = total([check_modules(60_000 + seed) for seed in range(10)])
    assert whole.changed > 50
    assert whole.said < whole.pairs * 0.8


@pytest.mark.soak
@pytest.mark.parametrize("start", [FRESH + at for at in range(400_000, 410_000, 1_000)])
def test_edits_of_programs_many(start: int) -> None:
    """Ten thousand programs."""
    assert total([check_program(program(start + seed, 5), seed) for seed in range(1_000)]).changed > 500
    assert total([check_program(failing_program(start + seed), seed) for seed in range(200)]).changed > 20


@pytest.mark.soak
@pytest.mark.parametrize("start", [FRESH + at for at in range(500_000, 501_000, 100)])
def test_edits_of_modules_many(start: int) -> None:
    """A thousand configurations."""
    assert total([check_modules(start + seed) for seed in range(100)]).changed > 500

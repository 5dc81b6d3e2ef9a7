"""Nix against wherefrom on a module system: `evalModules` of a machine out of thirty modules and four hundred options.

    python bench/nix_modules.py [--runs 5] [--json]

The library and the base modules are those of `tests/cases/nix/modules` (3,300 lines in the manner of nixpkgs: types,
submodules, priorities, `mapAttrs'`, `genAttrs`, strings built from options); further services are generated in their
shape, until there are thirty modules with four hundred options. What is evaluated is everything that the machine would
write: files, units, users, firewall.

Every run is a process of its own; `nix-instantiate` and wherefrom are run in turn, and processor time (user and system) is
what is compared, the least of the runs. `cold` starts with an empty cache and fills it, `cached` finds every file
compiled; `recorded` is the same evaluation with provenance on, and `explain` is `wherefrom explain FILE OPTION`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from compileall import compile_dir
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import wherefrom

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases" / "nix" / "modules"
GENERATED = 12
OPTION = "services.gen3.port"

SERVICE = """
{{ config, lib, pkgs, ... }}:
let
  cfg = config.services.{name};
  instance = {{ name, config, ... }}: {{
    options = {{
      address = lib.mkOption {{ type = lib.types.str; default = "127.0.0.1"; description = "Where it listens."; }};
      port = lib.mkOption {{ type = lib.types.port; default = {port}; description = "Its port."; }};
      weight = lib.mkOption {{ type = lib.types.int; default = 1; description = "Its share."; }};
      tags = lib.mkOption {{ type = lib.types.listOf lib.types.str; default = [ ]; description = "Words for it."; }};
      settings = lib.mkOption {{
        type = lib.types.attrsOf (lib.types.either lib.types.int lib.types.str);
        default = {{ }};
        description = "Lines of its file.";
      }};
    }};
    config.tags = lib.mkBefore [ name ];
    config.settings.address = lib.mkDefault "${{config.address}}:${{toString config.port}}";
  }};
  line = key: value: "${{key}} = ${{toString value}}";
  section = name: each: ''
    [${{name}}]
    ${{lib.concatStringsSep "\\n" (lib.mapAttrsToList line each.settings)}}
    tags = ${{lib.concatStringsSep "," each.tags}}
  '';
in {{
  options.services.{name} = {{
    enable = lib.mkEnableOption "the service {name}";
    user = lib.mkOption {{ type = lib.types.str; default = "{name}"; description = "As whom."; }};
    group = lib.mkOption {{ type = lib.types.str; default = cfg.user; description = "In which group."; }};
    port = lib.mkOption {{ type = lib.types.port; default = {port}; description = "Port."; }};
    openFirewall = lib.mkOption {{ type = lib.types.bool; default = false; description = "Whether others may come."; }};
    logLevel = lib.mkOption {{
      type = lib.types.enum [ "debug" "info" "warn" ];
      default = "info";
      description = "How much it says.";
    }};
    workers = lib.mkOption {{ type = lib.types.int; default = 2; description = "How many."; }};
    extraConfig = lib.mkOption {{ type = lib.types.lines; default = ""; description = "Further lines."; }};
    environment = lib.mkOption {{ type = lib.types.attrsOf lib.types.str; default = {{ }}; description = "Names."; }};
    instances = lib.mkOption {{
      type = lib.types.attrsOf (lib.types.submodule instance);
      default = {{ }};
      description = "What runs.";
    }};
    peers = lib.mkOption {{ type = lib.types.listOf lib.types.str; default = [ ]; description = "Who else."; }};
    configFile = lib.mkOption {{ type = lib.types.str; readOnly = true; description = "What is written."; }};
  }};
  config = lib.mkIf cfg.enable {{
    services.{name}.environment = lib.genAttrs [ "HOME" "STATE" ] (name: lib.mkDefault "/var/lib/{name}/${{name}}");
    services.{name}.configFile = ''
      user = ${{cfg.user}}
      level = ${{cfg.logLevel}}
      ${{lib.concatStrings (lib.mapAttrsToList section cfg.instances)}}${{cfg.extraConfig}}
    '';
    environment.etc = lib.mapAttrs'
      (name: each: lib.nameValuePair "{name}/${{name}}.conf" {{ text = section name each; }})
      cfg.instances;
    users.users.${{cfg.user}} = {{ isSystemUser = true; group = cfg.group; }};
    users.groups.${{cfg.group}} = {{ }};
    networking.firewall.allowedTCPPorts = lib.optionals cfg.openFirewall
      ([ cfg.port ] ++ map (each: each.port) (lib.attrValues cfg.instances));
    systemd.services.{name} = {{
      description = "Service {name}";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ] ++ map (peer: "${{peer}}.service") cfg.peers;
      serviceConfig = {{ ExecStart = "/bin/{name} --workers ${{toString cfg.workers}}"; User = cfg.user; }};
    }};
    assertions = [ {{ assertion = cfg.workers > 0; message = "services.{name}.workers must be positive"; }} ];
  }};
}}
"""

HOST = """
{{ config, lib, ... }}:
{{
  imports = [ ./hosts/web01.nix {imports} ];
  services = {{
{services}
  }};
}}
"""

ENABLED = """
    {name} = {{
      enable = true;
      port = lib.mkForce {port};
      openFirewall = {open};
      workers = lib.mkDefault {workers};
      extraConfig = lib.mkAfter "last = {name}";
      peers = lib.mkIf config.services.{other}.enable [ "{other}" ];
      instances = lib.genAttrs [ "one" "two" "three" ] (each: {{
        weight = 2;
        tags = [ "${{each}}-{name}" ];
        settings.limit = lib.mkOverride 70 {workers};
      }});
    }};
"""

PROGRAM = """
let
  site = import ./default.nix;
  machine = (site.evaluate [ ./bench-host.nix ]).config;
in {{
  services = {{ inherit (machine.services) nginx openssh {names}; }};
  files = builtins.mapAttrs (_: each: each.text or "") machine.environment.etc;
  units = machine.systemd.services;
  ports = machine.networking.firewall.allowedTCPPorts;
  users = builtins.attrNames machine.users.users;
}}
"""

RUN = """
import sys
from wherefrom.base.collector import own_process
own_process()  # as a command does
from wherefrom.session import Session
from wherefrom.language import Inputs
options = {"trace": sys.argv[2] == "on"}
print(Session().run(sys.argv[1], Inputs(None, {}, options)).printed("json", strict=True), flush=True)
import os, weakref
for finish in list(weakref.finalize._registry):
    finish()  # what is left to do: writing the cache
os._exit(0)  # as a command ends: nobody takes a large history apart
"""


def write_tree(folder: Path) -> Path:
    """The tree to evaluate; returns the file that is."""
    shutil.copytree(CASES, folder, dirs_exist_ok=True)
    names = [f"gen{number}" for number in range(GENERATED)]
    services = []
    for number, name in enumerate(names):
        port = 7000 + 10 * number
        (folder / f"{name}.nix").write_text(SERVICE.format(name=name, port=port))
        services.append(
            ENABLED.format(
                name=name,
                port=port + 1,
                open="true" if number % 3 else "false",
                workers=number + 1,
                other=names[number - 1],
            )
        )
    imports = " ".join(f"./{name}.nix" for name in names)
    (folder / "bench-host.nix").write_text(HOST.format(imports=imports, services="".join(services)))
    program = folder / "bench.nix"
    program.write_text(PROGRAM.format(names=" ".join(names)))
    return program


def measure(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    """Processor seconds of one process, and what it printed."""
    before = getrusage(RUSAGE_CHILDREN)
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    after = getrusage(RUSAGE_CHILDREN)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{run.stderr}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, run.stdout


def contest(program: Path, runs: int, home: Path) -> dict[str, Any]:
    """All contestants, in turn."""
    command = [sys.executable, "-m", "wherefrom", "eval", "--json", "--strict", str(program)]
    contestants: dict[str, list[str]] = {
        "nix": ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", "--json", str(program)],
        "cold": command,
        "cached": command,
        "cached off": [sys.executable, "-c", RUN, str(program), "off"],
        "cold recorded": [sys.executable, "-c", RUN, str(program), "on"],
        "cached recorded": [sys.executable, "-c", RUN, str(program), "on"],
        "explain": [sys.executable, "-m", "wherefrom", "explain", str(program), OPTION],
    }
    if not shutil.which("nix-instantiate"):
        del contestants["nix"]
    times: dict[str, list[float]] = {name: [] for name in contestants}
    printed: set[str] = set()
    environment = os.environ | {"XDG_CACHE_HOME": str(home / "cache"), "XDG_STATE_HOME": str(home / "state")}
    for _ in range(runs):
        for name, each in contestants.items():
            if name.startswith("cold"):
                shutil.rmtree(home / "cache", ignore_errors=True)
            if name == "explain":
                measure(each, environment)  # what explaining alone needs is in the cache as well
            spent, text = measure(each, environment)
            times[name].append(spent)
            if name != "explain":
                printed.add(json.dumps(json.loads(text), sort_keys=True))
            if name == "cold recorded":
                measure(contestants["cached off"], environment)
    if len(printed) != 1:
        raise SystemExit("different values")
    return {name: round(min(each), 3) for name, each in times.items()}


def main() -> None:
    """Run the contest and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compile_dir(str(Path(wherefrom.__file__).parent), quiet=1)  # as an installed package is
    with tempfile.TemporaryDirectory() as folder:
        program = write_tree(Path(folder) / "tree")
        row = contest(program, options.runs, Path(folder))
    ratios: dict[str, float] = {}
    if "nix" in row:
        ratios |= {f"{name}/nix": round(row[name] / row["nix"], 2) for name in ("cold", "cached")}
    ratios["cached recorded/cached off"] = round(row["cached recorded"] / row["cached off"], 2)
    if options.json:
        print(json.dumps({**row, **ratios}, indent=2))
        return
    for name, seconds in row.items():
        print(f"{name:16} {seconds:7.3f} s")
    for name, ratio in ratios.items():
        print(f"{name:28} {ratio:6.2f}")


if __name__ == "__main__":
    main()

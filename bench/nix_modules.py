"""A machine of thirty-odd modules with some four hundred options, which `bench/rows/nix.py` evaluates.

The library and the base modules are those of `tests/cases/nix/modules` (3,300 lines in the manner of nixpkgs: types,
submodules, priorities, `mapAttrs'`, `genAttrs`, strings built from options); further services are generated in their
shape, until there are thirty modules with four hundred options. What is evaluated is everything that the machine would
write: files, units, users, firewall.
"""

from __future__ import annotations

import shutil
from pathlib import Path

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

# Any number of things of one kind, each with its own options and defaults that look at its neighbours.
{ config, lib, ... }:
let
  inherit (lib) mkOption types;
  timer = { name, config, ... }: {
    options = {
      every = mkOption {
        type = types.coercedTo types.int (hours: "${toString hours}h") types.str;
        default = "1d";
        description = "How often.";
      };
      command = mkOption { type = types.nonEmptyStr; description = "What is run."; };
      environment = mkOption { type = types.attrsOf types.str; default = { }; description = "Its variables."; };
      unit = mkOption {
        type = types.attrsOf (types.attrsOf types.atom);
        description = "What is written.";
      };
    };
    config.unit = {
      Unit.Description = lib.mkDefault "timer ${name}";
      Service.ExecStart = config.command;
      Timer.OnUnitActiveSec = config.every;
    };
  };
in {
  options.services.timers = mkOption {
    type = types.attrsOf (types.submodule timer);
    default = { };
    description = "What is run again and again.";
  };
  config.home.file = lib.mapAttrs'
    (name: each: lib.nameValuePair ".config/timers/${name}" {
      text = lib.concatStringsSep "\n" (lib.concatLists (lib.mapAttrsToList
        (section: settings: [ "[${section}]" ] ++ lib.mapAttrsToList (key: value: "${key}=${toString value}") settings)
        each.unit));
    })
    config.services.timers;
}

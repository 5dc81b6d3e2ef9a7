# What must hold of a configuration, and what its author should know.
{ config, lib, ... }:
{
  options = {
    assertions = lib.mkOption {
      type = lib.types.listOf (lib.types.submodule {
        options = {
          assertion = lib.mkOption { type = lib.types.bool; description = "What must be true."; };
          message = lib.mkOption { type = lib.types.str; description = "What to say if it is not."; };
        };
      });
      default = [ ];
      internal = true;
      example = [ { assertion = false; message = "you can't enable this for that reason"; } ];
      description = "Conditions without which the configuration can not be used.";
    };
    warnings = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      internal = true;
      description = "Lines that are shown to the author.";
    };
    system.failed = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      readOnly = true;
      description = "Messages of the assertions that do not hold.";
    };
  };
  config.system.failed = map (each: each.message) (lib.filter (each: !each.assertion) config.assertions);
}

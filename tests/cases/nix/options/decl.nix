{ lib, ... }:
let inherit (lib) mkOption types;
in {
  options = {
    on = mkOption { type = types.bool; default = false; };
    port = mkOption { type = types.int; default = 80; };
    name = mkOption { type = types.str; default = "def"; };
    clash = mkOption { type = types.int; };
    nothing = mkOption { type = types.str; };
    pkgs = mkOption { type = types.listOf types.str; default = [ "base" ]; };
    plain = mkOption { type = types.str; default = "d"; };
    applied = mkOption { type = types.str; default = "a"; apply = x: x + "!"; };
    numbers = mkOption { type = types.int; };
    dep = mkOption { type = types.str; };
    unset = mkOption { type = types.str; };
    new.name = mkOption { type = types.int; default = 0; };
    hosts = mkOption {
      type = types.attrsOf (types.submodule {
        options.ip = mkOption { type = types.str; default = "0"; };
        options.tags = mkOption { type = types.listOf types.str; default = [ ]; };
      });
      default = { };
    };
    free = mkOption {
      type = types.submodule {
        freeformType = types.attrsOf types.int;
        options.known = mkOption { type = types.int; default = 1; };
      };
      default = { };
    };
  };
  imports = [ (lib.mkRenamedOptionModule [ "old" "title" ] [ "new" "name" ]) ];
}

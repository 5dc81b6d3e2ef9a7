# The same module for every system, as flakes are put together; what it defines is turned inside out.
{ config, lib, ... }:
let
  inherit (lib) mkOption types;
  perSystem = system: (lib.evalModules {
    prefix = [ "perSystem" system ];
    specialArgs = { inherit lib system; };
    modules = [
      {
        options.packages = mkOption { type = types.lazyAttrsOf types.str; default = { }; description = "What is built."; };
        options.checks = mkOption { type = types.lazyAttrsOf types.str; default = { }; description = "What is tried."; };
      }
      config.perSystem
    ];
  }).config;
in {
  options = {
    systems = mkOption { type = types.listOf types.str; default = [ "x86_64-linux" ]; description = "On which."; };
    perSystem = mkOption { type = types.deferredModule; default = { }; description = "For each of them."; };
    flake = mkOption {
      type = types.submodule { freeformType = types.lazyAttrsOf types.raw; };
      default = { };
      description = "All of it.";
    };
  };
  config.flake = lib.genAttrs [ "packages" "checks" ]
    (kind: lib.genAttrs config.systems (system: (perSystem system).${kind}));
}

# The library: one set, in which every file sees all others.
let
  lib = import ./basics.nix
    // import ./options.nix { inherit lib; }
    // import ./modules.nix { inherit lib; }
    // {
      types = import ./types.nix { inherit lib; };

      # A whole machine: the modules that every machine has, and those given.
      nixosSystem = { modules, specialArgs ? { }, system ? "x86_64-linux" }: lib.evalModules {
        specialArgs = { modulesPath = toString ../modules; } // specialArgs;
        modules = [
          ../modules/system.nix
          ../modules/openssh.nix
          ../modules/web.nix
          ../modules/backup.nix
          { _file = "nixosSystem"; config.system.platform = lib.mkDefault system; }
        ] ++ modules;
      };
    };
in lib

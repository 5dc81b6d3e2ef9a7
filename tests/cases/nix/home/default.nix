# A person's configuration in the manner of a home manager: modules that everybody shares, and one file per person.
{ lib ? import ../modules/lib, user ? ./users/alice.nix }:
let
  extended = lib // import ./lib/documentation.nix { inherit lib; } // import ./lib/types.nix { inherit lib; };
  evaluated = lib.evalModules {
    modules = [
      ./modules/files.nix
      ./modules/shell.nix
      ./modules/git.nix
      ./modules/timers.nix
      ./modules/systems.nix
      user
    ];
    specialArgs = { lib = extended; modulesPath = ./modules; osConfig = null; };
  };
in {
  inherit (evaluated) config options;
  idioms = import ./lib/idioms.nix;
  documentation = extended.optionDocumentation evaluated.options;
  declared = map (option: lib.showOption option.loc) (lib.collect lib.isOption evaluated.options);
  defined = lib.listToAttrs (lib.concatMap
    (option: lib.optional (option.isDefined or false && option.definitions or [ ] != [ ]) {
      name = lib.showOption option.loc;
      value = { files = map baseNameOf option.files; count = lib.length option.definitions; };
    })
    (lib.collect lib.isOption evaluated.options));
}

# The library: one set, tied into a knot so that every file sees all others.
let
  tie = self:
    let call = file: import file { lib = self; };
    in
      call ./trivial.nix
      // call ./fixed-points.nix
      // call ./lists.nix
      // call ./attrsets.nix
      // call ./strings.nix
      // call ./priorities.nix
      // call ./options.nix
      // call ./modules.nix
      // {
        sort = builtins.sort;
        generators = call ./generators.nix;
        network = call ./network.nix;
        graph = call ./graph.nix;
        types = call ./types.nix;
      };
  self = tie self;
in self

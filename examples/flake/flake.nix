{
  description = "Three machines";

  inputs.nixlib.url = "path:./nixlib";

  outputs = { self, nixlib }:
    let
      machine = host: nixlib.lib.nixosSystem {
        modules = [ ./profiles/base.nix ./profiles/debug.nix host ];
      };
    in {
      nixosConfigurations = {
        web = machine ./hosts/web.nix;
        db = machine ./hosts/db.nix;
        gate = machine ./hosts/gate.nix;
      };
    };
}

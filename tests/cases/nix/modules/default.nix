# All machines of a small site, each evaluated from the same modules.
let
  lib = import ./lib;
  inventory = import ./inventory.nix;
  pkgs = import ./packages.nix { inherit lib; };
  modules = [
    ./system/assertions.nix
    ./system/environment.nix
    ./system/users.nix
    ./system/systemd.nix
    ./system/networking.nix
    ./system/filesystems.nix
    ./system/boot.nix
    ./system/security.nix
    ./system/locale.nix
    ./system/maintenance.nix
    ./services/openssh.nix
    ./services/nginx.nix
    ./services/postgresql.nix
    ./services/redis.nix
    ./services/monitoring.nix
    ./services/haproxy.nix
    ./services/dns.nix
    ./services/small.nix
    ./services/mail.nix
    ./services/storage.nix
    ./services/wireguard.nix
    ./profiles/base.nix
  ];
  evaluate = extra: lib.evalModules {
    modules = modules ++ extra;
    specialArgs = { inherit pkgs inventory; };
  };
  machine = file: evaluate [ file ];
in {
  inherit lib inventory pkgs evaluate;
  machines = {
    web01 = machine ./hosts/web01.nix;
    web02 = machine ./hosts/web02.nix;
    db01 = machine ./hosts/db01.nix;
    mon01 = machine ./hosts/mon01.nix;
    gw01 = machine ./hosts/gw01.nix;
  };
}

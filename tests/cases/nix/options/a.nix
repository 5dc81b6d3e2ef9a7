{ config, lib, ... }:
lib.mkMerge [
  {
    on = true;
    port = lib.mkForce 443;
    name = lib.mkDefault "weak";
    clash = 1;
    nothing = lib.mkIf false "v";
    numbers = lib.mkOverride 70 7;
    hosts.h1.ip = "1";
    pkgs = [ "x" "y" ];
  }
  (lib.mkIf config.on { pkgs = lib.mkAfter [ "z" ]; hosts.h1.tags = [ "t1" ]; })
  (lib.mkIf (!config.on) {
    pkgs = [ "never" ];
    port = lib.mkForce 1;
  })
]

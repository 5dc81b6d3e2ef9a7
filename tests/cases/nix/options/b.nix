{ config, lib, ... }:
{
  imports = [ ./c.nix ];
  disabledModules = [ ./disabled.nix ];
  config = {
    port = 8080;
    name = "strong";
    clash = 2;
    pkgs = lib.mkBefore [ "w" ];
    applied = "b";
    numbers = 9;
    dep = "port is ${toString config.port}";
    old.title = 5;
    free.extra = 3;
    hosts.h1.tags = lib.mkIf true [ "t2" ];
    hosts.h2.ip = lib.mkOverride 60 "2";
  };
}

{ config, lib, pkgs, ... }:
{
  imports = [ ../profiles/web.nix ../profiles/hardened.nix ];
  networking.hostName = "web01";
  networking.interfaces.eth0.ipv4.addresses = [ { address = "10.0.1.11"; } ];
  networking.defaultGateway = "10.0.1.1";
  services.nginx.workerProcesses = 4;
  services.nginx.virtualHosts = {
    "www.example.org" = {
      serverAliases = [ "example.org" ];
      enableACME = true;
      forceSSL = true;
      default = true;
      locations."/" = { root = "/srv/www"; tryFiles = "$uri $uri/ =404"; };
      locations."/api" = { proxyPass = "http://app"; websockets = true; priority = 500; };
      locations."/status" = { return = 200; extraConfig = "allow 127.0.0.1;\ndeny all;"; };
    };
    "static.example.org".locations."/".root = "/srv/static";
  };
  services.nginx.upstreams.app.servers = {
    "10.0.1.21:8080" = { weight = 2; };
    "10.0.1.22:8080" = { };
  };
  services.memcached.memory = 256;
  fileSystems."/srv" = { device = "/dev/sdb1"; fsType = "xfs"; options = [ "noatime" "nodev" ]; };
  fileSystems."/srv/www/cache" = { device = "tmpfs"; fsType = "tmpfs"; options = [ "size=512m" ]; };
  swapDevices = [ { device = "/swapfile"; size = 2048; } ];
}

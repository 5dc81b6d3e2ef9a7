{ config, lib, pkgs, inventory, ... }:
{
  imports = [ ../profiles/hardened.nix ];
  networking.hostName = "gw01";
  networking.interfaces = {
    wan0 = { useDHCP = true; };
    lan0.ipv4.addresses = [ { address = "10.0.1.1"; } { address = "10.0.2.1"; } { address = "10.0.3.1"; } ];
  };
  networking.firewall.interfaces.lan0.allowedTCPPorts = [ 8404 ];
  networking.firewall.allowedTCPPortRanges = [ { from = 60000; to = 60010; } ];
  networking.wireguard.interfaces.wg0 = {
    ips = [ "10.100.0.1/24" ];
    listenPort = 51820;
    peers = lib.imap0 (n: name: { publicKey = builtins.hashString "sha256" name; allowedIPs = [ "${lib.network.host "10.100.0.0/24" (n + 2)}/32" ]; }) (lib.attrNames inventory.admins);
  };
  services.unbound = {
    enable = true;
    interfaces = [ "10.0.1.1" "10.0.2.1" "10.0.3.1" ];
    allowedNetworks = [ "10.0.0.0/16" ];
    forwardTo = [ "9.9.9.9" "1.1.1.1" ];
    zones."example.org" = {
      records = lib.mapAttrs (_: host: host.address) inventory.hosts // { "@" = [ "10.0.1.11" "10.0.1.12" ]; };
      aliases = { www = "web01"; db = "db01"; };
    };
  };
  services.haproxy = {
    enable = true;
    statsPort = 8404;
    maxConnections = 8192;
    frontends.web = { bind = [ "*:80" "*:443" ]; defaultBackend = "web"; acls.is_api = "path_beg /api"; use.is_api = "api"; };
    backends.web.servers = lib.mapAttrs (_: host: "${host.address}:80") (lib.filterAttrs (name: _: lib.hasPrefix "web" name) inventory.hosts);
    backends.api = { servers.app1 = "10.0.1.21:8080"; balance = "leastconn"; };
  };
  services.mail = {
    enable = true;
    domains = [ "example.org" "example.net" ];
    accounts."alice@example.org" = { aliases = [ "postmaster@example.org" "postmaster@example.net" ]; catchAll = [ "example.net" ]; };
    accounts."bob@example.org" = { aliases = [ "abuse@example.org" ]; quota = "10G"; };
    aliases."postmaster@example.org" = [ "bob@example.org" ];
    settings.message_size_limit = 52428800;
    relay = "[smtp.example.com]:587";
  };
  boot.sysctl."net.ipv4.ip_forward" = true;
}

{ config, lib, pkgs, ... }:
let
  cfg = config.services.unbound;
  zone = { name, ... }: {
    options.records = lib.mkOption {
      type = lib.types.attrsOf (lib.types.either lib.types.ipv4 (lib.types.listOf lib.types.ipv4));
      default = { };
      apply = lib.mapAttrs (_: lib.toList);
      description = "Addresses by name.";
    };
    options.aliases = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Other names."; };
    options.ttl = lib.mkOption { type = lib.types.ints.unsigned; default = 3600; description = "Seconds."; };
  };
  record = zone: ttl: name: address: "local-data: \"${if name == "@" then zone else "${name}.${zone}"}. ${toString ttl} IN A ${address}\"";
  zoneLines = name: each:
    lib.concatLists (lib.mapAttrsToList (host: map (record name each.ttl host)) each.records)
    ++ lib.concatLists (lib.mapAttrsToList (alias: to: map (record name each.ttl alias) (each.records.${to} or (throw "services.unbound.zones.${name}: alias ${alias} of unknown ${to}"))) each.aliases);
in {
  options.services.unbound = {
    enable = lib.mkEnableOption "Unbound";
    interfaces = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ "127.0.0.1" ]; description = "Addresses."; };
    allowedNetworks = lib.mkOption { type = lib.types.uniqueListOf lib.types.cidr; default = [ "127.0.0.0/8" ]; description = "Who may ask."; };
    forwardTo = lib.mkOption { type = lib.types.listOf lib.types.ipv4; default = [ ]; description = "Who is asked."; };
    zones = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule zone); default = { }; description = "Own zones."; };
    cacheSize = lib.mkOption { type = lib.types.str; default = "50m"; description = "Memory."; };
  };
  config = lib.mkIf cfg.enable {
    environment.etc."unbound/unbound.conf".text = lib.concatLines (
      [ "server:" ]
      ++ map (line: "  ${line}") (
        map (address: "interface: ${address}") cfg.interfaces
        ++ map (network: "access-control: ${network} allow") cfg.allowedNetworks
        ++ [ "msg-cache-size: ${cfg.cacheSize}" ]
        ++ lib.mapAttrsToList (name: _: "local-zone: \"${name}.\" static") cfg.zones
        ++ lib.concatLists (lib.mapAttrsToList zoneLines cfg.zones))
      ++ lib.optionals (cfg.forwardTo != [ ]) ([ "forward-zone:" "  name: \".\"" ] ++ map (to: "  forward-addr: ${to}") cfg.forwardTo));
    networking.nameservers = lib.mkBefore [ "127.0.0.1" ];
    networking.firewall.allowedUDPPorts = [ 53 ];
    networking.firewall.allowedTCPPorts = [ 53 ];
    users.users.unbound.isSystemUser = true;
    users.groups.unbound = { };
    systemd.services.unbound = {
      description = "Unbound recursive resolver";
      wantedBy = [ "multi-user.target" ];
      before = [ "nss-lookup.target" ];
      serviceConfig = { ExecStart = "${pkgs.unbound}/bin/unbound -d"; User = "unbound"; };
    };
  };
}

{ config, lib, pkgs, ... }:
let
  cfg = config.services.redis;
  instance = { name, config, ... }: {
    options = {
      enable = lib.mkEnableOption "this Redis server";
      user = lib.mkOption { type = lib.types.str; default = if name == "" then "redis" else "redis-${name}"; description = "As whom."; };
      port = lib.mkOption { type = lib.types.port; default = if name == "" then 6379 else 0; description = "Port; 0: none."; };
      bind = lib.mkOption { type = lib.types.nullOr lib.types.str; default = "127.0.0.1"; description = "Address."; };
      save = lib.mkOption { type = lib.types.listOf (lib.types.listOf lib.types.int); default = [ [ 900 1 ] [ 300 10 ] ]; description = "When to write to disk."; };
      maxmemory = lib.mkOption { type = lib.types.nullOr (lib.types.strMatching "[0-9]+(kb|mb|gb)?"); default = null; description = "Limit."; };
      settings = lib.mkOption { type = lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str (lib.types.listOf lib.types.str) ]); default = { }; description = "Settings."; };
    };
    config.settings = lib.mkMerge [
      {
        inherit (config) port;
        daemonize = false;
        dir = "/var/lib/redis${lib.optionalString (name != "") "-${name}"}";
        save = map (pair: toString pair) config.save;
      }
      (lib.mkIf (config.bind != null) { inherit (config) bind; })
      (lib.mkIf (config.maxmemory != null) { inherit (config) maxmemory; maxmemory-policy = lib.mkDefault "allkeys-lru"; })
    ];
  };
  enabled = lib.filterAttrs (_: each: each.enable) cfg.servers;
  unitName = name: "redis" + lib.optionalString (name != "") "-${name}";
in {
  options.services.redis.package = lib.mkPackageOption pkgs "redis" { };
  options.services.redis.servers = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule instance); default = { }; description = "Servers."; };
  config = lib.mkIf (enabled != { }) {
    boot.sysctl."vm.overcommit_memory" = 1;
    boot.sysctl."net.core.somaxconn" = 512;
    users.users = lib.mapAttrs' (_: each: lib.nameValuePair each.user { isSystemUser = true; }) enabled;
    users.groups = lib.mapAttrs' (_: each: lib.nameValuePair each.user { }) enabled;
    environment.etc = lib.mapAttrs' (name: each: lib.nameValuePair "${unitName name}.conf" {
      text = lib.generators.toKeyValue {
        listsAsDuplicates = true;
        keyValue = lib.generators.mkKeyValue { separator = " "; valueString = v: if builtins.isBool v then lib.boolToYesNo v else toString v; };
      } each.settings;
    }) enabled;
    systemd.services = lib.mapAttrs' (name: each: lib.nameValuePair (unitName name) {
      description = "Redis Server - ${unitName name}";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ];
      serviceConfig = { ExecStart = "${cfg.package}/bin/redis-server /etc/${unitName name}.conf"; User = each.user; Restart = "always"; };
    }) enabled;
  };
}

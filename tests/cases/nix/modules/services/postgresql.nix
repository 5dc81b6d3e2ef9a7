{ config, lib, pkgs, ... }:
let
  cfg = config.services.postgresql;
  value = v: if v == true then "on" else if v == false then "off" else if builtins.isString v then "'${lib.replaceStrings [ "'" ] [ "''" ] v}'" else toString v;
in {
  options.services.postgresql = {
    enable = lib.mkEnableOption "PostgreSQL";
    package = lib.mkPackageOption pkgs "postgresql" { };
    port = lib.mkPortOption 5432 "PostgreSQL";
    dataDir = lib.mkOption { type = lib.types.path; defaultText = "/var/lib/postgresql/VERSION"; description = "Where the data are."; };
    enableTCPIP = lib.mkEnableOption "connections over the network";
    ensureDatabases = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Databases that must exist."; };
    ensureUsers = lib.mkOption {
      type = lib.types.listOf (lib.types.submodule ({ config, ... }: {
        options.name = lib.mkOption { type = lib.types.str; description = "Name."; };
        options.permissions = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Rights."; };
        options.ownsDatabase = lib.mkOption { type = lib.types.bool; default = false; description = "Whether it owns the database of its name."; };
        config.permissions = lib.mkIf config.ownsDatabase { "DATABASE ${config.name}" = "ALL PRIVILEGES"; };
      }));
      default = [ ];
      description = "Users that must exist.";
    };
    authentication = lib.mkOption { type = lib.types.lines; default = ""; description = "Who may connect."; };
    settings = lib.mkOption { type = lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.float lib.types.str ]); default = { }; description = "Settings."; };
    initialScript = lib.mkOption { type = lib.types.lines; default = ""; description = "Commands for a new server."; };
  };
  config = lib.mkIf cfg.enable {
    services.postgresql = {
      dataDir = lib.mkDefault "/var/lib/postgresql/${lib.majorVersion cfg.package.version}";
      settings = {
        port = cfg.port;
        listen_addresses = if cfg.enableTCPIP then "*" else "localhost";
        log_line_prefix = lib.mkDefault "[%p] ";
        hba_file = builtins.toFile "pg_hba.conf" cfg.authentication;
        max_connections = lib.mkDefault 100;
      };
      authentication = lib.mkAfter "local all all peer\nhost all all 127.0.0.1/32 md5";
    };
    users.users.postgres = { isSystemUser = true; uid = 71; home = cfg.dataDir; description = "PostgreSQL server user"; };
    users.groups.postgres.gid = 71;
    networking.firewall.allowedTCPPorts = lib.mkIf cfg.enableTCPIP [ cfg.port ];
    environment.systemPackages = [ cfg.package ];
    systemd.tmpfiles.rules = [ "d ${cfg.dataDir} 0700 postgres postgres -" ];
    systemd.services.postgresql = {
      description = "PostgreSQL Server";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ];
      environment.PGDATA = cfg.dataDir;
      path = [ cfg.package ];
      preStart = lib.mkIf (cfg.initialScript != "") "psql -f ${lib.writeText "init.sql" cfg.initialScript}";
      script = lib.concatStringsSep "\n" ([ "postgres -D ${toString cfg.dataDir}" ]
        ++ map (name: "createdb --if-missing ${name}") cfg.ensureDatabases
        ++ lib.concatMap (user: [ "createuser --if-missing ${user.name}" ]
          ++ lib.mapAttrsToList (on: what: "psql -c 'GRANT ${what} ON ${on} TO ${user.name}'") user.permissions) cfg.ensureUsers);
      serviceConfig = { User = "postgres"; Type = "notify"; KillSignal = "SIGINT"; TimeoutSec = 120; };
    };
    environment.etc."postgresql/postgresql.conf".text = lib.concatLines (lib.mapAttrsToList (name: v: "${name} = ${value v}") cfg.settings);
    assertions = map (user: {
      assertion = user.ownsDatabase -> lib.elem user.name cfg.ensureDatabases;
      message = "services.postgresql: ${user.name} owns a database that is not made";
    }) cfg.ensureUsers;
  };
}

# Services that need little more than a unit, made from one table.
{ config, lib, pkgs, ... }:
let
  table = {
    chrony = { port = null; udp = 323; command = cfg: "chronyd -n ${lib.concatMapStringsSep " " (server: "server=${server}") cfg.servers}"; extra.servers = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ "0.pool.ntp.org" "1.pool.ntp.org" ]; description = "Whom to ask."; }; };
    memcached = { port = 11211; command = cfg: "memcached -m ${toString cfg.memory}"; extra.memory = lib.mkOption { type = lib.types.ints.positive; default = 64; description = "MiB."; }; };
    rabbitmq = { port = 5672; command = _: "rabbitmq-server"; extra.plugins = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Plugins."; }; };
    minio = { port = 9000; command = cfg: "minio server ${toString cfg.dataDir}"; extra.dataDir = lib.mkOption { type = lib.types.path; default = "/var/lib/minio"; description = "Data."; }; };
    consul = { port = 8500; command = cfg: "consul agent${lib.optionalString cfg.server " -server"}"; extra.server = lib.mkEnableOption "being a server"; };
    vault = { port = 8200; command = _: "vault server"; extra = { }; };
    gitea = { port = 3000; command = cfg: "gitea web --name ${lib.escapeShellArg cfg.appName}"; extra.appName = lib.mkOption { type = lib.types.str; default = "gitea: self-hosted"; description = "Title."; }; };
    jenkins = { port = 8080; command = cfg: "java ${lib.concatStringsSep " " cfg.javaOptions} -jar jenkins.war"; extra.javaOptions = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ "-Xmx512m" ]; description = "Options."; }; };
    elasticsearch = { port = 9200; command = cfg: "elasticsearch -E cluster.name=${cfg.cluster}"; extra.cluster = lib.mkOption { type = lib.types.nonEmptyStr; default = "elasticsearch"; description = "Cluster."; }; };
    keycloak = { port = 8443; command = cfg: "kc.sh start --db=${cfg.database}"; extra.database = lib.mkOption { type = lib.types.enum [ "postgres" "mariadb" "dev-file" ]; default = "dev-file"; description = "Database."; }; };
    varnish = { port = 6081; command = cfg: "varnishd -s ${cfg.storage}"; extra.storage = lib.mkOption { type = lib.types.str; default = "malloc,256M"; description = "Storage."; }; };
    docker = { port = null; command = _: "dockerd"; extra.liveRestore = lib.mkOption { type = lib.types.bool; default = true; description = "Containers survive."; }; };
    fail2ban = { port = null; command = _: "fail2ban-server -xf start"; extra.jails = lib.mkOption { type = lib.types.attrsOf lib.types.lines; default = { }; description = "Rules."; }; };
  };
  declare = name: known: {
    enable = lib.mkEnableOption name;
    package = lib.mkPackageOption pkgs name { };
    openFirewall = lib.mkOption { type = lib.types.bool; default = false; description = "Whether the port is open."; };
    user = lib.mkOption { type = lib.types.str; default = name; description = "As whom."; };
    environment = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Variables."; };
  } // lib.optionalAttrs (known.port != null) { port = lib.mkPortOption known.port name; } // known.extra;
  define = name: known:
    let cfg = config.services.${name};
    in lib.mkIf cfg.enable {
      users.users.${cfg.user} = { isSystemUser = true; group = cfg.user; };
      users.groups.${cfg.user} = { };
      networking.firewall.allowedTCPPorts = lib.mkIf (known.port != null && cfg.openFirewall) [ cfg.port ];
      networking.firewall.allowedUDPPorts = lib.mkIf (known ? udp && cfg.openFirewall) [ known.udp ];
      systemd.services.${name} = {
        description = lib.capitalize name;
        wantedBy = [ "multi-user.target" ];
        after = [ "network.target" ];
        inherit (cfg) environment;
        serviceConfig = { ExecStart = "${cfg.package}/bin/${known.command cfg}"; User = cfg.user; Restart = lib.mkDefault "on-failure"; };
      };
    };
in {
  options.services = lib.mapAttrs declare table;
  config = lib.mkMerge (lib.mapAttrsToList define table ++ [
    (lib.mkIf config.services.fail2ban.enable {
      services.fail2ban.jails.sshd = lib.mkIf config.services.openssh.enable "port = ${lib.concatMapStringsSep "," toString config.services.openssh.ports}";
      environment.etc = lib.mapAttrs' (name: text: lib.nameValuePair "fail2ban/jail.d/${name}.conf" { text = "[${name}]\n${text}\n"; }) config.services.fail2ban.jails;
    })
    (lib.mkIf config.services.keycloak.enable {
      services.postgresql = lib.mkIf (config.services.keycloak.database == "postgres") {
        enable = true;
        ensureDatabases = [ "keycloak" ];
        ensureUsers = [ { name = "keycloak"; ownsDatabase = true; } ];
      };
    })
    (lib.mkIf config.services.docker.enable {
      users.groups.docker.members = lib.attrNames (lib.filterAttrs (_: user: lib.elem "wheel" user.extraGroups) config.users.users);
      boot.kernelModules = [ "overlay" "br_netfilter" ];
      boot.sysctl."net.ipv4.ip_forward" = true;
    })
  ]);
}

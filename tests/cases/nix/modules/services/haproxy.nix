{ config, lib, pkgs, ... }:
let
  cfg = config.services.haproxy;
  section = kind: name: lines: "${kind} ${name}\n" + lib.concatMapStrings (line: "  ${line}\n") lines;
  backend = lib.types.submodule {
    options = {
      mode = lib.mkOption { type = lib.types.enum [ "http" "tcp" ]; default = "http"; description = "Mode."; };
      balance = lib.mkOption { type = lib.types.enum [ "roundrobin" "leastconn" "source" ]; default = "roundrobin"; description = "Who is next."; };
      servers = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Servers."; };
      check = lib.mkOption { type = lib.types.bool; default = true; description = "Whether they are watched."; };
    };
  };
  frontend = lib.types.submodule {
    options = {
      bind = lib.mkOption { type = lib.types.coercedTo lib.types.str lib.singleton (lib.types.nonEmptyListOf lib.types.str); description = "Where to listen."; };
      mode = lib.mkOption { type = lib.types.enum [ "http" "tcp" ]; default = "http"; description = "Mode."; };
      defaultBackend = lib.mkOption { type = lib.types.str; description = "Where to."; };
      acls = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Conditions."; };
      use = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Backend by condition."; };
    };
  };
in {
  options.services.haproxy = {
    enable = lib.mkEnableOption "HAProxy";
    frontends = lib.mkOption { type = lib.types.attrsOf frontend; default = { }; description = "Entrances."; };
    backends = lib.mkOption { type = lib.types.attrsOf backend; default = { }; description = "Exits."; };
    statsPort = lib.mkOption { type = lib.types.nullOr lib.types.port; default = null; description = "Port of the statistics page."; };
    maxConnections = lib.mkOption { type = lib.types.maximum; default = 2000; description = "Largest wish counts."; };
    config = lib.mkOption { type = lib.types.lines; default = ""; description = "What is written."; };
  };
  config = lib.mkIf cfg.enable {
    services.haproxy.config = lib.mkMerge [
      (lib.mkBefore (section "global" "" [ "maxconn ${toString cfg.maxConnections}" "log /dev/log local0" ]))
      (lib.concatStrings (lib.mapAttrsToList (name: each: section "frontend" name (
        map (bind: "bind ${bind}") each.bind
        ++ [ "mode ${each.mode}" ]
        ++ lib.mapAttrsToList (acl: condition: "acl ${acl} ${condition}") each.acls
        ++ lib.mapAttrsToList (acl: to: "use_backend ${to} if ${acl}") each.use
        ++ [ "default_backend ${each.defaultBackend}" ])) cfg.frontends))
      (lib.concatStrings (lib.mapAttrsToList (name: each: section "backend" name (
        [ "mode ${each.mode}" "balance ${each.balance}" ]
        ++ lib.mapAttrsToList (server: address: "server ${server} ${address}${lib.optionalString each.check " check"}") each.servers)) cfg.backends))
      (lib.mkIf (cfg.statsPort != null) (lib.mkAfter (section "listen" "stats" [ "bind *:${toString cfg.statsPort}" "stats enable" ])))
    ];
    environment.etc."haproxy.cfg".text = cfg.config;
    boot.sysctl."net.core.somaxconn" = cfg.maxConnections;
    users.users.haproxy.isSystemUser = true;
    users.groups.haproxy = { };
    systemd.services.haproxy = {
      description = "HAProxy";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ];
      serviceConfig = { User = "haproxy"; ExecStart = "${pkgs.haproxy}/bin/haproxy -Ws -f /etc/haproxy.cfg"; };
    };
    assertions = lib.concatLists (lib.mapAttrsToList
      (name: each: map
        (to: { assertion = cfg.backends ? ${to}; message = "services.haproxy.frontends.${name}: there is no backend ${to}"; })
        ([ each.defaultBackend ] ++ lib.attrValues each.use))
      cfg.frontends);
  };
}

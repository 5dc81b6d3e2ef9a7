{ config, lib, pkgs, ... }:
let
  cfg = config.services.nginx;
  location = { name, config, ... }: {
    options = {
      proxyPass = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Passed on to."; };
      root = lib.mkOption { type = lib.types.nullOr lib.types.path; default = null; description = "Directory."; };
      return = lib.mkOption { type = lib.types.nullOr (lib.types.either lib.types.int lib.types.str); default = null; description = "Answered at once."; };
      tryFiles = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Files to try."; };
      websockets = lib.mkOption { type = lib.types.bool; default = false; description = "Whether sockets pass."; };
      extraConfig = lib.mkOption { type = lib.types.lines; default = ""; description = "Further lines."; };
      priority = lib.mkOption { type = lib.types.int; default = 1000; description = "Order in the file."; };
    };
  };
  virtualHost = { name, config, ... }: {
    options = {
      serverName = lib.mkOption { type = lib.types.str; default = name; description = "Name."; };
      serverAliases = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Further names."; };
      listen = lib.mkOption {
        type = lib.types.listOf (lib.types.submodule {
          options.addr = lib.mkOption { type = lib.types.str; default = "0.0.0.0"; description = "Address."; };
          options.port = lib.mkOption { type = lib.types.port; description = "Port."; };
          options.ssl = lib.mkOption { type = lib.types.bool; default = false; description = "Encrypted."; };
        });
        default = [ ];
        description = "Where to listen.";
      };
      enableACME = lib.mkEnableOption "a certificate of its own";
      forceSSL = lib.mkEnableOption "redirecting to the encrypted port";
      default = lib.mkEnableOption "answering for unknown names";
      root = lib.mkOption { type = lib.types.nullOr lib.types.path; default = null; description = "Directory."; };
      locations = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule location); default = { }; description = "Parts of the site."; };
      extraConfig = lib.mkOption { type = lib.types.lines; default = ""; description = "Further lines."; };
    };
    config.listen = lib.mkDefault ([ { port = 80; } ] ++ lib.optional (config.enableACME || config.forceSSL) { port = 443; ssl = true; });
  };
  ssl = each: each.enableACME || each.forceSSL;
  locationText = path: each: "    location ${path} {\n" + lib.concatMapStrings (line: "      ${line}\n") (lib.filter (line: line != "") ([
    (lib.optionalString (each.proxyPass != null) "proxy_pass ${toString each.proxyPass};")
    (lib.optionalString (each.root != null) "root ${toString each.root};")
    (lib.optionalString (each.return != null) "return ${toString each.return};")
    (lib.optionalString (each.tryFiles != null) "try_files ${toString each.tryFiles};")
  ] ++ lib.optionals each.websockets [ "proxy_http_version 1.1;" "proxy_set_header Upgrade $http_upgrade;" ]
    ++ lib.splitString "\n" each.extraConfig)) + "    }\n";
  hostText = each: ''
      server {
        server_name ${lib.concatStringsSep " " ([ each.serverName ] ++ each.serverAliases)};
    ${lib.concatMapStringsSep "\n" (l: "    listen ${l.addr}:${toString l.port}${lib.optionalString l.ssl " ssl"}${lib.optionalString each.default " default_server"};") each.listen}
    ${lib.optionalString each.enableACME "    ssl_certificate ${config.security.acme.certificates.${each.serverName}.directory}/fullchain.pem;\n"}${lib.concatStrings (map
      (pair: locationText pair.name pair.value)
      (lib.sortOn (pair: pair.value.priority) (lib.attrsToList each.locations)))}  }
  '';
in {
  options.services.nginx = {
    enable = lib.mkEnableOption "the nginx web server";
    package = lib.mkPackageOption pkgs "nginx" { };
    user = lib.mkOption { type = lib.types.str; default = "nginx"; description = "As whom."; };
    workerProcesses = lib.mkOption { type = lib.types.either (lib.types.enum [ "auto" ]) lib.types.ints.positive; default = "auto"; description = "How many."; };
    recommendedSettings = lib.mkEnableOption "settings most people want";
    virtualHosts = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule virtualHost); default = { }; description = "Sites."; };
    upstreams = lib.mkOption {
      type = lib.types.attrsOf (lib.types.submodule {
        options.servers = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule { freeformType = lib.types.attrsOf lib.types.int; }); default = { }; description = "Servers."; };
        options.extraConfig = lib.mkOption { type = lib.types.lines; default = ""; description = "Further lines."; };
      });
      default = { };
      description = "Groups of servers behind this one.";
    };
    commonHttpConfig = lib.mkOption { type = lib.types.lines; default = ""; description = "Lines for all sites."; };
    configFile = lib.mkOption { type = lib.types.str; readOnly = true; description = "What is written."; };
  };
  config = lib.mkIf cfg.enable {
    services.nginx.commonHttpConfig = lib.mkIf cfg.recommendedSettings (lib.mkBefore ''
      sendfile on;
      tcp_nopush on;
      keepalive_timeout 65;
      gzip on;'');
    services.nginx.configFile = ''
      user ${cfg.user};
      worker_processes ${toString cfg.workerProcesses};
      http {
      ${lib.indent 2 cfg.commonHttpConfig}
      ${lib.concatStrings (lib.mapAttrsToList (name: each: "  upstream ${name} {\n${lib.concatStrings (lib.mapAttrsToList
        (server: options: "    server ${server}${lib.concatStrings (lib.mapAttrsToList (n: v: " ${n}=${toString v}") options)};\n") each.servers)}  }\n") cfg.upstreams)}${lib.concatMapStrings hostText (lib.attrValues cfg.virtualHosts)}}
    '';
    security.acme.certificates = lib.mapAttrs'
      (_: each: lib.nameValuePair each.serverName {
        extraDomainNames = each.serverAliases;
        group = cfg.user;
        reloadServices = [ "nginx" ];
      })
      (lib.filterAttrs (_: each: each.enableACME) cfg.virtualHosts);
    users.users.${cfg.user} = { isSystemUser = true; group = cfg.user; };
    users.groups.${cfg.user} = { };
    networking.firewall.allowedTCPPorts = lib.unique (lib.concatMap (each: map (l: l.port) each.listen) (lib.attrValues cfg.virtualHosts));
    environment.etc."nginx/nginx.conf".text = cfg.configFile;
    services.logrotate.settings."/var/log/nginx/*.log" = { frequency = "daily"; rotate = 14; postRotate = "systemctl kill -s USR1 nginx"; };
    boot.sysctl."net.core.somaxconn" = 1024;
    systemd.services.nginx = {
      description = "Nginx Web Server";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ] ++ map (name: "acme-${name}.service") (lib.attrNames config.security.acme.certificates);
      serviceConfig = { ExecStart = "${cfg.package}/bin/nginx -c /etc/nginx/nginx.conf"; User = cfg.user; LimitNOFILE = lib.mkDefault 65536; };
    };
    assertions = lib.mapAttrsToList
      (name: each: {
        assertion = each.forceSSL -> ssl each && (each.enableACME || config.security.acme.certificates ? ${each.serverName});
        message = "services.nginx.virtualHosts.${name}: forceSSL without a certificate";
      })
      cfg.virtualHosts ++ [ {
      assertion = lib.count (each: each.default) (lib.attrValues cfg.virtualHosts) <= 1;
      message = "services.nginx: more than one default site";
    } ];
  };
}

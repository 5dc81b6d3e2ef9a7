# Prometheus, its exporters, alerts, Grafana and Loki.
{ config, lib, pkgs, ... }:
let
  cfg = config.services.prometheus;
  exporters = {
    node = { port = 9100; package = pkgs.node_exporter; flags = _: [ ]; };
    nginx = { port = 9113; package = pkgs.node_exporter; flags = each: [ "--nginx.scrape-uri=${each.uri}" ]; };
    postgres = { port = 9187; package = pkgs.node_exporter; flags = each: [ "--dsn=${each.uri}" ]; };
    redis = { port = 9121; package = pkgs.node_exporter; flags = each: [ "--redis.addr=${each.uri}" ]; };
    haproxy = { port = 9101; package = pkgs.node_exporter; flags = _: [ ]; };
  };
  exporterOptions = name: known: {
    enable = lib.mkEnableOption "the ${name} exporter";
    port = lib.mkPortOption known.port "the ${name} exporter";
    listenAddress = lib.mkOption { type = lib.types.str; default = "0.0.0.0"; description = "Address."; };
    uri = lib.mkOption { type = lib.types.str; default = "http://localhost"; description = "What is measured."; };
    extraFlags = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Further flags."; };
    openFirewall = lib.mkOption { type = lib.types.bool; default = false; description = "Whether the port is open."; };
  };
  exporterConfig = name: known:
    let each = cfg.exporters.${name};
    in lib.mkIf each.enable {
      networking.firewall.allowedTCPPorts = lib.mkIf each.openFirewall [ each.port ];
      systemd.services."prometheus-${name}-exporter" = {
        wantedBy = [ "multi-user.target" ];
        after = [ "network.target" ];
        serviceConfig = {
          ExecStart = lib.concatStringsSep " " ([ "${known.package}/bin/${name}_exporter" "--web.listen-address=${each.listenAddress}:${toString each.port}" ] ++ known.flags each ++ each.extraFlags);
          DynamicUser = true;
          Restart = lib.mkDefault "always";
        };
      };
    };
  scrape = lib.types.submodule ({ config, ... }: {
    options = {
      job_name = lib.mkOption { type = lib.types.str; description = "Name."; };
      scrape_interval = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "How often."; };
      targets = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Whom."; };
      labels = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Labels."; };
    };
  });
  rule = lib.types.submodule ({ name, ... }: {
    options = {
      alert = lib.mkOption { type = lib.types.str; default = name; description = "Name."; };
      expr = lib.mkOption { type = lib.types.str; description = "Condition."; };
      for = lib.mkOption { type = lib.types.str; default = "5m"; description = "How long."; };
      severity = lib.mkOption { type = lib.types.enum [ "info" "warning" "critical" ]; default = "warning"; description = "How bad."; };
    };
  });
  document = {
    global = { inherit (cfg) scrape_interval; external_labels = cfg.externalLabels; };
    scrape_configs = map (each: {
      inherit (each) job_name;
      static_configs = [ { inherit (each) targets labels; } ];
    } // lib.optionalAttrs (each.scrape_interval != null) { inherit (each) scrape_interval; }) cfg.scrapeConfigs;
    rule_files = lib.optional (cfg.rules != { }) "/etc/prometheus/rules.yml";
  };
in {
  options.services.prometheus = {
    enable = lib.mkEnableOption "Prometheus";
    port = lib.mkPortOption 9090 "Prometheus";
    retention = lib.mkOption { type = lib.types.str; default = "15d"; description = "How long data are kept."; };
    scrape_interval = lib.mkOption { type = lib.types.strMatching "[0-9]+[smh]"; default = "1m"; description = "How often."; };
    externalLabels = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Labels on everything."; };
    scrapeConfigs = lib.mkOption { type = lib.types.listOf scrape; default = [ ]; description = "What is measured."; };
    rules = lib.mkOption { type = lib.types.attrsOf rule; default = { }; description = "Alerts."; };
    exporters = lib.mapAttrs exporterOptions exporters;
    alertmanager.enable = lib.mkEnableOption "the alert manager";
    alertmanager.receivers = lib.mkOption { type = lib.types.attrsOf (lib.types.listOf lib.types.str); default = { }; description = "Who is told."; };
  };
  options.services.grafana = {
    enable = lib.mkEnableOption "Grafana";
    settings = lib.mkOption { type = lib.types.attrsOf (lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str ])); default = { }; description = "Settings by section."; };
    datasources = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Where data come from."; };
  };
  options.services.loki.enable = lib.mkEnableOption "Loki";
  options.services.loki.configuration = lib.mkOption { type = lib.types.anything; default = { }; description = "Settings."; };
  config = lib.mkMerge ([
    (lib.mkIf cfg.enable {
      services.prometheus.scrapeConfigs = lib.mkBefore [ { job_name = "prometheus"; targets = [ "localhost:${toString cfg.port}" ]; } ];
      environment.etc."prometheus/prometheus.yml".text = lib.generators.toYAML document;
      environment.etc."prometheus/rules.yml" = lib.mkIf (cfg.rules != { }) {
        text = lib.generators.toYAML { groups = [ { name = "rules"; rules = map (each: { inherit (each) alert expr for; labels.severity = each.severity; }) (lib.attrValues cfg.rules); } ]; };
      };
      systemd.services.prometheus = {
        wantedBy = [ "multi-user.target" ];
        after = [ "network.target" ];
        serviceConfig.ExecStart = "${pkgs.prometheus}/bin/prometheus --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.retention.time=${cfg.retention}";
        serviceConfig.User = "prometheus";
      };
      users.users.prometheus = { isSystemUser = true; home = "/var/lib/prometheus"; };
      users.groups.prometheus = { };
      assertions = [ { assertion = lib.allUnique (map (each: each.job_name) cfg.scrapeConfigs); message = "services.prometheus: the same job twice"; } ];
    })
    (lib.mkIf cfg.alertmanager.enable {
      environment.etc."alertmanager.yml".text = lib.generators.toYAML {
        receivers = lib.mapAttrsToList (name: to: { inherit name; email_configs = map (address: { to = address; }) to; }) cfg.alertmanager.receivers;
      };
      systemd.services.alertmanager = { wantedBy = [ "multi-user.target" ]; serviceConfig.ExecStart = "${pkgs.alertmanager}/bin/alertmanager"; };
      assertions = [ { assertion = cfg.alertmanager.receivers != { }; message = "alertmanager: nobody is told"; } ];
    })
    (lib.mkIf config.services.grafana.enable {
      services.grafana.settings = {
        server = { http_port = lib.mkDefault 3000; domain = lib.mkDefault config.networking.fqdn; };
        security.admin_user = lib.mkDefault "admin";
        analytics.reporting_enabled = false;
      };
      services.grafana.datasources.prometheus = lib.mkIf cfg.enable "http://localhost:${toString cfg.port}";
      services.grafana.datasources.loki = lib.mkIf config.services.loki.enable "http://localhost:3100";
      environment.etc."grafana/grafana.ini".text = lib.generators.toINI { } config.services.grafana.settings;
      environment.etc."grafana/datasources.yml".text = lib.generators.toYAML {
        datasources = lib.mapAttrsToList (name: url: { inherit name url; type = name; }) config.services.grafana.datasources;
      };
      systemd.services.grafana = { wantedBy = [ "multi-user.target" ]; after = [ "network.target" ]; serviceConfig.ExecStart = "${pkgs.grafana}/bin/grafana-server"; };
    })
    (lib.mkIf config.services.loki.enable {
      services.loki.configuration = { auth_enabled = false; server.http_listen_port = 3100; };
      environment.etc."loki.json".text = builtins.toJSON config.services.loki.configuration;
      systemd.services.loki = { wantedBy = [ "multi-user.target" ]; serviceConfig.ExecStart = "${pkgs.loki}/bin/loki -config.file=/etc/loki.json"; };
    })
  ] ++ lib.mapAttrsToList exporterConfig exporters);
}

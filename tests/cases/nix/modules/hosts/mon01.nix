{ config, lib, pkgs, inventory, ... }:
let
  nodes = lib.attrNames inventory.hosts;
in {
  networking.hostName = "mon01";
  networking.interfaces.eth0.ipv4.addresses = [ { address = "10.0.3.11"; } ];
  services.prometheus = {
    enable = true;
    scrape_interval = "15s";
    externalLabels.site = "paris";
    scrapeConfigs = [
      { job_name = "node"; targets = map (name: "${name}:9100") nodes; labels.role = "node"; }
      { job_name = "nginx"; targets = map (name: "${name}:9113") (lib.filter (lib.hasPrefix "web") nodes); scrape_interval = "30s"; }
    ];
    rules = {
      InstanceDown = { expr = "up == 0"; severity = "critical"; };
      DiskFull = { expr = "node_filesystem_avail_bytes / node_filesystem_size_bytes < 0.1"; for = "15m"; };
    };
    alertmanager.enable = true;
    alertmanager.receivers.ops = map (admin: admin.email) (lib.attrValues inventory.admins);
  };
  services.grafana.enable = true;
  services.grafana.settings.server.root_url = "https://grafana.example.org";
  services.loki.enable = true;
  services.loki.configuration.limits_config.retention_period = "744h";
  services.keycloak = { enable = true; database = "postgres"; };
  services.nfs.exports."/srv/backup".clients."10.0.0.0/16" = [ "rw" "sync" ];
  services.cron.jobs.report = { schedule = "0 6 * * 1"; command = "/usr/local/bin/report --weekly"; };
}

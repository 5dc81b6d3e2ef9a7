{ config, lib, ... }:
{
  services.postgresql = {
    enable = true;
    enableTCPIP = true;
    settings = {
      shared_buffers = lib.mkDefault "1GB";
      max_connections = 200;
      ssl = true;
    };
    authentication = lib.mkBefore "host all all 10.0.0.0/16 scram-sha-256";
  };
  services.prometheus.exporters.postgres = { enable = true; uri = "postgresql://localhost:${toString config.services.postgresql.port}/postgres"; };
  boot.sysctl."vm.swappiness" = lib.mkOverride 90 1;
  boot.sysctl."vm.overcommit_memory" = lib.mkForce 2;
  services.restic.backups.database = {
    paths = [ "/var/backup/postgresql" ];
    repository = "sftp:backup@mon01:/srv/backup";
    prepare = "pg_dumpall > /var/backup/postgresql/all.sql";
    keep.weekly = 4;
  };
  security.limits = [ { domain = "postgres"; item = "memlock"; value = "unlimited"; } ];
}

{ config, lib, pkgs, ... }:
{
  imports = [ ../profiles/database.nix ];
  networking.hostName = "db01";
  networking.interfaces.eth0 = {
    ipv4.addresses = [ { address = "10.0.2.11"; } { address = "10.0.2.12"; } ];
    ipv4.routes = [ { network = "10.0.1.0/24"; via = "10.0.2.1"; } ];
    mtu = 9000;
  };
  services.postgresql = {
    ensureDatabases = [ "shop" "wiki" ];
    ensureUsers = [ { name = "shop"; ownsDatabase = true; } { name = "wiki"; ownsDatabase = true; permissions."ALL TABLES IN SCHEMA public" = "SELECT"; } ];
    settings.shared_buffers = "8GB";
    settings.work_mem = lib.mkMerge [ (lib.mkDefault "4MB") (lib.mkIf config.services.postgresql.enableTCPIP "64MB") ];
  };
  services.redis.servers."" = { enable = true; maxmemory = "2gb"; };
  services.redis.servers.sessions = { enable = true; port = 6380; save = [ ]; };
  fileSystems."/var/lib/postgresql" = { label = "pgdata"; fsType = "xfs"; options = lib.mkForce [ "noatime" ]; };
  boot.loader.grub.device = "/dev/nvme0n1";
}

{ lib, ... }:
{
  networking.hostName = "gate";
  system.platform = "aarch64-linux";
  debug.enable = true;

  services.sshd.ports = [ 443 ];
  services.backup.target = "db";
}

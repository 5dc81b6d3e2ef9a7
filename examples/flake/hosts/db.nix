{ config, lib, ... }:
{
  networking.hostName = "db";

  services.backup = {
    enable = true;
    paths = [ "/var/lib/db" ];
  };
  services.openssh.permitRootLogin = "prohibit-password";
}

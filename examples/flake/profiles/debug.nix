# For the day when something does not work.
{ config, lib, ... }:
{
  options.debug.enable = lib.mkEnableOption "everything that helps to find mistakes";

  config = lib.mkIf config.debug.enable {
    services.openssh.ports = [ 2222 ];
    services.openssh.permitRootLogin = lib.mkForce "yes";
    environment.packages = [ "gdb" "strace" ];
  };
}

# What all machines have.
{ config, lib, ... }:
{
  services.openssh.enable = true;
  services.openssh.ports = [ 22 ];
  services.openssh.permitRootLogin = lib.mkDefault "no";

  environment.packages = lib.mkBefore [ "vim" "git" ];

  users.users.alice = { isAdmin = true; groups = [ "staff" ]; };
  users.users.bob.groups = lib.mkIf config.services.web.enable [ "www" ];
}

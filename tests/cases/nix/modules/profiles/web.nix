{ config, lib, inventory, ... }:
{
  services.nginx = {
    enable = true;
    recommendedSettings = true;
    commonHttpConfig = "server_tokens off;";
  };
  services.prometheus.exporters.nginx = { enable = true; uri = "http://localhost/status"; openFirewall = true; };
  users.users.deploy = { isNormalUser = true; uid = 2000; group = "users"; description = "Deployment"; };
  services.memcached = { enable = true; memory = lib.mkDefault 128; };
}

{ config, lib, ... }:
{
  networking.hostName = "web";

  services.web = {
    enable = true;
    tls = true;
    port = lib.mkForce 8443;
    sites.wiki = { aliases = [ "w.example.org" ]; owner = "alice"; };
    sites.blog.root = "/srv/www/blog";
  };

  services.openssh.ports = lib.mkAfter [ 4022 ];
  environment.packages = [ "curl" ];
}

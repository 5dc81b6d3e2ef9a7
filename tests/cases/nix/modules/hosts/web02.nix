{ lib, ... }:
{
  imports = [ ./web01.nix ];
  networking.hostName = lib.mkForce "web02";
  networking.interfaces.eth0.ipv4.addresses = lib.mkForce [ { address = "10.0.1.12"; } ];
  services.nginx.virtualHosts."www.example.org".default = lib.mkForce false;
  services.nginx.virtualHosts."static.example.org" = { default = true; locations."/".extraConfig = "expires 30d;"; };
}

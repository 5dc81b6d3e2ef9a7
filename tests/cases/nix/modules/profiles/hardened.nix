# For machines that the world can reach.
{ config, lib, ... }:
{
  boot.sysctl = {
    "kernel.kptr_restrict" = lib.mkForce 2;
    "net.ipv4.conf.all.rp_filter" = true;
    "net.ipv4.tcp_syncookies" = true;
    "kernel.printk" = 3;
  };
  boot.blacklistedModules = [ "firewire-core" "usb-storage" ];
  boot.kernelParams = [ "slab_nomerge" "page_poison=1" ];
  services.openssh.settings = {
    PermitRootLogin = lib.mkForce "no";
    X11Forwarding = lib.mkForce false;
    MaxAuthTries = 3;
    Ciphers = lib.mkForce [ "chacha20-poly1305@openssh.com" ];
  };
  services.openssh.banner = lib.mkBefore "Authorised access only.";
  services.fail2ban.enable = true;
  security.sudo.rules = lib.mkAfter [ { groups = [ "deploy" ]; commands = [ "/bin/systemctl restart nginx" ]; password = false; } ];
  users.groups.deploy = { };
  security.limits = [ { domain = "*"; item = "core"; type = "hard"; value = 0; } ];
}

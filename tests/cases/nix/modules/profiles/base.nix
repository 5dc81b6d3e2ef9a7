# What every machine has.
{ config, lib, pkgs, inventory, ... }:
{
  networking.domain = lib.mkDefault "example.org";
  networking.nameservers = inventory.nameservers;
  networking.hosts = lib.mapAttrs' (name: host: lib.nameValuePair host.address [ "${name}.example.org" name ]) inventory.hosts;
  time.timeZone = lib.mkDefault "Europe/Paris";
  i18n.extraLocaleSettings.LC_TIME = lib.mkDefault "en_GB.UTF-8";
  environment.systemPackages = [ pkgs.vim pkgs.htop pkgs.tmux ];
  environment.variables.EDITOR = "vim";
  environment.shellAliases = { ll = "ls -l"; la = "ls -la"; gs = lib.mkDefault "git status"; };
  users.mutableUsers = false;
  users.users = lib.mapAttrs (name: admin: {
    isNormalUser = true;
    inherit (admin) uid description;
    extraGroups = [ "wheel" ];
    openssh.authorizedKeys = admin.keys;
  }) inventory.admins;
  services.openssh.enable = lib.mkDefault true;
  services.openssh.settings.PasswordAuthentication = lib.mkDefault false;
  services.chrony.enable = lib.mkDefault true;
  services.prometheus.exporters.node = { enable = lib.mkDefault true; openFirewall = true; };
  boot.loader.grub.enable = lib.mkDefault true;
  boot.loader.grub.device = lib.mkDefault "/dev/sda";
  fileSystems."/" = { label = lib.mkDefault "root"; fsType = lib.mkDefault "ext4"; };
  security.acme.acceptTerms = true;
  security.acme.defaultEmail = lib.mkDefault "admin@example.org";
}

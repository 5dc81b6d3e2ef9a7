"""A small NixOS configuration of two hosts, as people write them, for tests that are given a copy of nixpkgs."""

from __future__ import annotations

from pathlib import Path

BASE = """{ config, lib, pkgs, ... }:
{
  imports = [ ./users.nix ];
  time.timeZone = lib.mkDefault "Europe/Berlin";
  environment.systemPackages = with pkgs; [
    git
    htop
  ];
  services.openssh.enable = true;
  services.openssh.permitRootLogin = lib.mkDefault "no";
  environment.etc."motd-extra".text = ''
    Welcome to ${config.networking.hostName}
    zone ${config.time.timeZone}
  '';
  boot.loader.grub.device = "/dev/sda";
  fileSystems."/" = { device = "/dev/sda1"; fsType = "ext4"; };
  system.stateVersion = "20.09";
}
"""
USERS = """{ pkgs, ... }:
{
  users.users.alice = { isNormalUser = true; extraGroups = [ "wheel" ]; };
  users.users.bob.isNormalUser = true;
}
"""
WEB = """{ config, lib, pkgs, ... }:
{
  imports = [ ./base.nix ];
  networking.hostName = "web";
  networking.firewall.allowedTCPPorts = [ 80 ];
  services.nginx.enable = true;
  services.openssh.ports = [ 22 2222 ];
  services.openssh.extraConfig = ''
    MaxAuthTries 3
    AllowUsers alice
  '';
  systemd.services.hello = {
    serviceConfig.ExecStart = "${pkgs.hello}/bin/hello";
    environment.GREETING = "hi from ${config.networking.hostName}";
  };
}
"""
DESK = """{ lib, pkgs, ... }:
{
  imports = [ ./base.nix ];
  networking.hostName = "desk";
  services.openssh.enable = lib.mkForce false;
  time.timeZone = "Europe/Vienna";
  environment.systemPackages = [ pkgs.curl ];
}
"""
HOST = 'import <nixpkgs/nixos> { configuration = ./%s.nix; system = "x86_64-linux"; }\n'


def write_hosts(folder: Path) -> Path:
    """The files, and `web-host.nix` and `desk-host.nix` that evaluate them."""
    for name, text in (("base", BASE), ("users", USERS), ("web", WEB), ("desk", DESK)):
        (folder / f"{name}.nix").write_text(text)
    for name in ("web", "desk"):
        (folder / f"{name}-host.nix").write_text(HOST % name)
    return folder

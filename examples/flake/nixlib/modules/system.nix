{ config, lib, ... }:
{
  options = {
    networking.hostName = lib.mkOption {
      type = lib.types.str;
      default = "nixos";
      description = "The name of the machine.";
    };
    networking.firewall.allowedTCPPorts = lib.mkOption {
      type = lib.types.listOf lib.types.port;
      default = [ ];
      description = "Ports that the firewall lets through.";
    };
    environment.packages = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      description = "Packages that every user of the machine has.";
    };
    environment.etc = lib.mkOption {
      type = lib.types.attrsOf lib.types.lines;
      default = { };
      description = "Files in /etc and what they hold.";
    };
    system.platform = lib.mkOption {
      type = lib.types.enum [ "x86_64-linux" "aarch64-linux" ];
      description = "The machine's kind of processor.";
    };
    users.users = lib.mkOption {
      type = lib.types.attrsOf (lib.types.submodule ({ config, name, ... }: {
        options = {
          home = lib.mkOption { type = lib.types.str; default = "/home/${name}"; description = "The home directory."; };
          groups = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Groups."; };
          isAdmin = lib.mkEnableOption "administration by this user";
        };
        config.groups = lib.mkIf config.isAdmin [ "wheel" ];
      }));
      default = { };
      description = "The users of the machine.";
    };
  };

  config.environment.etc.hostname = config.networking.hostName;
}

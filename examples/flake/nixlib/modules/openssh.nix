{ config, lib, ... }:
let cfg = config.services.openssh;
in {
  imports = [ (lib.mkRenamedOptionModule [ "services" "sshd" "ports" ] [ "services" "openssh" "ports" ]) ];

  options.services.openssh = {
    enable = lib.mkEnableOption "the OpenSSH server";
    ports = lib.mkOption {
      type = lib.types.listOf lib.types.port;
      default = [ 22 ];
      description = "Ports on which the server listens.";
    };
    permitRootLogin = lib.mkOption {
      type = lib.types.enum [ "yes" "no" "prohibit-password" ];
      default = "prohibit-password";
      description = "Whether root may log in.";
    };
  };

  config = lib.mkIf cfg.enable {
    networking.firewall.allowedTCPPorts = cfg.ports;
    environment.etc."ssh/sshd_config" = ''
      PermitRootLogin ${cfg.permitRootLogin}
      ${lib.concatMapStringsSep "\n" (port: "Port ${toString port}") cfg.ports}
    '';
  };
}

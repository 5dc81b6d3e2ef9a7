{ config, lib, pkgs, ... }:
let
  cfg = config.services.openssh;
  keyed = lib.filterAttrs (_: user: user.openssh.authorizedKeys != [ ]) config.users.users;
in {
  imports = [
    (lib.mkRenamedOptionModule [ "services" "openssh" "permitRootLogin" ] [ "services" "openssh" "settings" "PermitRootLogin" ])
    (lib.mkRenamedOptionModule [ "services" "openssh" "passwordAuthentication" ] [ "services" "openssh" "settings" "PasswordAuthentication" ])
  ];
  options.services.openssh = {
    enable = lib.mkEnableOption "the OpenSSH server";
    package = lib.mkPackageOption pkgs "openssh" { };
    ports = lib.mkOption { type = lib.types.listOf lib.types.port; default = [ 22 ]; description = "Ports."; };
    openFirewall = lib.mkOption { type = lib.types.bool; default = true; description = "Whether the ports are open."; };
    settings = lib.mkOption {
      type = lib.types.submodule {
        freeformType = lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str (lib.types.listOf lib.types.str) ]);
        options = {
          PermitRootLogin = lib.mkOption { type = lib.types.enum [ "yes" "no" "prohibit-password" ]; default = "prohibit-password"; description = "Root."; };
          PasswordAuthentication = lib.mkOption { type = lib.types.bool; default = true; description = "Passwords."; };
          X11Forwarding = lib.mkOption { type = lib.types.bool; default = false; description = "Windows."; };
          Ciphers = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ "chacha20-poly1305@openssh.com" "aes256-gcm@openssh.com" ]; description = "Ciphers."; };
        };
      };
      default = { };
      description = "Settings.";
    };
    banner = lib.mkOption { type = lib.types.nullOr lib.types.lines; default = null; description = "Shown before login."; };
  };
  config = lib.mkIf cfg.enable {
    users.users.sshd = { isSystemUser = true; description = "SSH privilege separation user"; };
    users.groups.sshd = { };
    networking.firewall.allowedTCPPorts = lib.mkIf cfg.openFirewall cfg.ports;
    environment.etc = lib.mkMerge [
      {
        "ssh/sshd_config".text = lib.concatMapStrings (port: "Port ${toString port}\n") cfg.ports
          + lib.generators.toKeyValue {
            keyValue = lib.generators.mkKeyValue {
              separator = " ";
              valueString = value: if builtins.isBool value then lib.boolToYesNo value else lib.generators.mkValueString value;
            };
          } cfg.settings
          + lib.optionalString (cfg.banner != null) "Banner /etc/ssh/banner\n";
      }
      (lib.mkIf (cfg.banner != null) { "ssh/banner".text = cfg.banner; })
      (lib.mapAttrs' (name: user: lib.nameValuePair "ssh/authorized_keys.d/${name}" {
        text = lib.concatLines user.openssh.authorizedKeys;
        mode = "0444";
      }) keyed)
    ];
    systemd.services.sshd = {
      description = "SSH Daemon";
      wantedBy = [ "multi-user.target" ];
      after = [ "network.target" ];
      serviceConfig = { ExecStart = "${cfg.package}/bin/sshd -D -f /etc/ssh/sshd_config"; KillMode = "process"; Restart = "always"; };
      restartTriggers = [ config.environment.etc."ssh/sshd_config".text ];
    };
    assertions = [ {
      assertion = cfg.settings.PermitRootLogin == "yes" -> !cfg.settings.PasswordAuthentication;
      message = "services.openssh: root must not log in with a password";
    } ];
  };
}

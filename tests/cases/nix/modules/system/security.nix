# Who may do what.
{ config, lib, ... }:
let
  cfg = config.security;
  rule = lib.types.submodule {
    options = {
      users = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Who."; };
      groups = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Which groups."; };
      commands = lib.mkOption { type = lib.types.coercedTo lib.types.str lib.singleton (lib.types.nonEmptyListOf lib.types.str); default = "ALL"; description = "What."; };
      password = lib.mkOption { type = lib.types.bool; default = true; description = "Whether a password is asked for."; };
    };
  };
  line = rule: map
    (who: "${who} ALL=(ALL:ALL) ${lib.optionalString (!rule.password) "NOPASSWD: "}${lib.concatStringsSep ", " rule.commands}")
    (rule.users ++ map (group: "%${group}") rule.groups);
  limit = lib.types.submodule {
    options = {
      domain = lib.mkOption { type = lib.types.str; description = "Whom it concerns."; };
      type = lib.mkOption { type = lib.types.enum [ "hard" "soft" "-" ]; default = "-"; description = "Kind."; };
      item = lib.mkOption { type = lib.types.enum [ "nofile" "nproc" "memlock" "core" ]; description = "What is limited."; };
      value = lib.mkOption { type = lib.types.either lib.types.int (lib.types.enum [ "unlimited" ]); description = "How much."; };
    };
  };
  certificate = { name, config, ... }: {
    options = {
      domain = lib.mkOption { type = lib.types.str; default = name; description = "Name in the certificate."; };
      extraDomainNames = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Further names."; };
      email = lib.mkOption { type = lib.types.nullOr lib.types.str; default = cfg.acme.defaultEmail; description = "Whom to tell."; };
      directory = lib.mkOption { type = lib.types.str; readOnly = true; default = "/var/lib/acme/${name}"; description = "Where it is kept."; };
      group = lib.mkOption { type = lib.types.str; default = "acme"; description = "Who may read it."; };
      reloadServices = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Reloaded after renewal."; };
    };
  };
in {
  options.security = {
    sudo.enable = lib.mkOption { type = lib.types.bool; default = true; description = "Whether sudo is there."; };
    sudo.rules = lib.mkOption { type = lib.types.listOf rule; default = [ ]; description = "Rules."; };
    limits = lib.mkOption { type = lib.types.listOf limit; default = [ ]; description = "Limits of sessions."; };
    acme.defaultEmail = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Whom to tell."; };
    acme.acceptTerms = lib.mkOption { type = lib.types.bool; default = false; description = "Whether the terms were accepted."; };
    acme.certificates = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule certificate); default = { }; description = "Certificates."; };
  };
  config = lib.mkMerge [
    (lib.mkIf cfg.sudo.enable {
      security.sudo.rules = lib.mkBefore [ { groups = [ "wheel" ]; } ];
      environment.etc."sudoers" = {
        text = lib.concatLines ([ "root ALL=(ALL:ALL) SETENV: ALL" ] ++ lib.concatMap line cfg.sudo.rules);
        mode = "0440";
      };
    })
    (lib.mkIf (cfg.limits != [ ]) {
      environment.etc."security/limits.conf".text = lib.concatLines
        (map (each: "${each.domain} ${each.type} ${each.item} ${toString each.value}") cfg.limits);
    })
    (lib.mkIf (cfg.acme.certificates != { }) {
      assertions = [ { assertion = cfg.acme.acceptTerms; message = "security.acme: the terms must be accepted"; } ]
        ++ lib.mapAttrsToList
          (name: each: { assertion = each.email != null; message = "security.acme.certificates.${name}: no email"; })
          cfg.acme.certificates;
      users.users.acme = { isSystemUser = true; home = "/var/lib/acme"; };
      users.groups.acme = { };
      systemd.services = lib.mapAttrs'
        (name: each: lib.nameValuePair "acme-${name}" {
          description = "Renew the certificate of ${each.domain}";
          after = [ "network-online.target" ];
          serviceConfig = { Type = "oneshot"; User = "acme"; Group = each.group; };
          script = "renew ${lib.escapeShellArgs ([ each.domain ] ++ each.extraDomainNames)} --email ${toString each.email}";
        })
        cfg.acme.certificates;
      systemd.timers = lib.mapAttrs'
        (name: _: lib.nameValuePair "acme-${name}" {
          timerConfig = { OnCalendar = "daily"; RandomizedDelaySec = "24h"; Persistent = true; };
        })
        cfg.acme.certificates;
    })
  ];
}

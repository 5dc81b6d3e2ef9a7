# File servers and backups.
{ config, lib, pkgs, ... }:
let
  backup = { name, config, ... }: {
    options = {
      paths = lib.mkOption { type = lib.types.nonEmptyListOf lib.types.path; description = "What."; };
      exclude = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "What not."; };
      repository = lib.mkOption { type = lib.types.str; description = "Where to."; };
      passwordFile = lib.mkOption { type = lib.types.path; default = "/run/secrets/restic-${name}"; description = "Secret."; };
      calendar = lib.mkOption { type = lib.types.str; default = "daily"; description = "When."; };
      keep = lib.mkOption { type = lib.types.submodule { freeformType = lib.types.attrsOf lib.types.ints.positive; options.daily = lib.mkOption { type = lib.types.ints.positive; default = 7; description = "Days."; }; }; default = { }; description = "How many."; };
      prepare = lib.mkOption { type = lib.types.lines; default = ""; description = "Run before."; };
    };
  };
  command = each: lib.concatStringsSep " " ([ "restic" "backup" ] ++ map toString each.paths ++ map (pattern: "--exclude=${lib.escapeShellArg pattern}") each.exclude);
  forget = each: "restic forget --prune ${lib.concatStringsSep " " (lib.mapAttrsToList (unit: n: "--keep-${unit} ${toString n}") each.keep)}";
  export = { name, ... }: {
    options.clients = lib.mkOption { type = lib.types.attrsOf (lib.types.uniqueListOf lib.types.str); default = { }; description = "Who may mount it, and how."; };
    options.path = lib.mkOption { type = lib.types.path; default = name; description = "Directory."; };
  };
  share = lib.types.submodule {
    freeformType = lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str ]);
    options.path = lib.mkOption { type = lib.types.path; description = "Directory."; };
    options.browseable = lib.mkOption { type = lib.types.bool; default = true; description = "Whether it is shown."; };
  };
in {
  options.services.restic.backups = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule backup); default = { }; description = "Backups."; };
  options.services.nfs.exports = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule export); default = { }; description = "Directories for others."; };
  options.services.samba.shares = lib.mkOption { type = lib.types.attrsOf share; default = { }; description = "Shares."; };
  config = lib.mkMerge [
    (lib.mkIf (config.services.restic.backups != { }) {
      environment.systemPackages = [ pkgs.restic ];
      systemd.services = lib.mapAttrs' (name: each: lib.nameValuePair "restic-${name}" {
        description = "Backup ${name}";
        path = [ pkgs.restic ];
        environment = { RESTIC_REPOSITORY = each.repository; RESTIC_PASSWORD_FILE = each.passwordFile; };
        preStart = each.prepare;
        script = "${command each}\n${forget each}";
        serviceConfig.Type = "oneshot";
      }) config.services.restic.backups;
      systemd.timers = lib.mapAttrs' (name: each: lib.nameValuePair "restic-${name}" { timerConfig.OnCalendar = each.calendar; }) config.services.restic.backups;
    })
    (lib.mkIf (config.services.nfs.exports != { }) {
      environment.etc."exports".text = lib.concatLines (lib.mapAttrsToList
        (_: each: "${toString each.path} ${lib.concatStringsSep " " (lib.mapAttrsToList (client: options: "${client}(${lib.concatStringsSep "," options})") each.clients)}")
        config.services.nfs.exports);
      networking.firewall.allowedTCPPorts = [ 2049 ];
      systemd.services.nfsd = { wantedBy = [ "multi-user.target" ]; serviceConfig.ExecStart = "${pkgs.nfs-utils}/bin/rpc.nfsd"; };
    })
    (lib.mkIf (config.services.samba.shares != { }) {
      environment.etc."samba/smb.conf".text = lib.generators.toINI { } config.services.samba.shares;
      networking.firewall.allowedTCPPorts = [ 139 445 ];
      systemd.services.smbd = { wantedBy = [ "multi-user.target" ]; serviceConfig.ExecStart = "${pkgs.samba}/bin/smbd -F"; };
    })
  ];
}

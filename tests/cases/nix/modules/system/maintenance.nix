# Rotating logs, jobs by the clock, old files.
{ config, lib, pkgs, ... }:
let
  rotation = { name, ... }: {
    options = {
      files = lib.mkOption { type = lib.types.coercedTo lib.types.str lib.singleton (lib.types.listOf lib.types.str); default = name; description = "Which files."; };
      frequency = lib.mkOption { type = lib.types.enum [ "hourly" "daily" "weekly" "monthly" ]; default = "weekly"; description = "How often."; };
      rotate = lib.mkOption { type = lib.types.ints.positive; default = 4; description = "How many are kept."; };
      compress = lib.mkOption { type = lib.types.bool; default = true; description = "Whether old ones are compressed."; };
      postRotate = lib.mkOption { type = lib.types.lines; default = ""; description = "What to run afterwards."; };
    };
  };
  rotationText = each: ''
    ${lib.concatMapStringsSep " " (file: "\"${file}\"") each.files} {
      ${each.frequency}
      rotate ${toString each.rotate}
      ${lib.optionalString each.compress "compress"}
      missingok
    ${lib.optionalString (each.postRotate != "") ''
        postrotate
      ${lib.indent 4 each.postRotate}
        endscript
    ''}}
  '';
  job = { name, ... }: {
    options = {
      schedule = lib.mkOption { type = lib.types.strMatching "([^ ]+ ){4}[^ ]+|@[a-z]+"; description = "When."; };
      user = lib.mkOption { type = lib.types.str; default = "root"; description = "As whom."; };
      command = lib.mkOption { type = lib.types.singleLineStr; description = "What."; };
    };
  };
in {
  options = {
    services.logrotate.enable = lib.mkOption { type = lib.types.bool; default = config.services.logrotate.settings != { }; description = "Whether logs are rotated."; };
    services.logrotate.settings = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule rotation); default = { }; description = "Which logs."; };
    services.cron.jobs = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule job); default = { }; description = "Jobs."; };
  };
  config = lib.mkMerge [
    (lib.mkIf config.services.logrotate.enable {
      environment.etc."logrotate.conf".text = lib.concatMapStrings rotationText (lib.attrValues config.services.logrotate.settings);
      systemd.services.logrotate = {
        description = "Rotate logs";
        serviceConfig = { Type = "oneshot"; ExecStart = "${pkgs.logrotate}/bin/logrotate /etc/logrotate.conf"; };
      };
      systemd.timers.logrotate.timerConfig.OnCalendar = "hourly";
    })
    (lib.mkIf (config.services.cron.jobs != { }) {
      systemd.services.cron = {
        description = "Jobs by the clock";
        wantedBy = [ "multi-user.target" ];
        serviceConfig.ExecStart = "${pkgs.cron}/bin/cron -n";
      };
      environment.etc."crontab".text = lib.concatLines (lib.mapAttrsToList
        (name: each: "# ${name}\n${each.schedule} ${each.user} ${each.command}")
        config.services.cron.jobs);
    })
  ];
}

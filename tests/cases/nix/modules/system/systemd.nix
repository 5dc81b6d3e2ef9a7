# Units of the service manager, checked and written out.
{ config, lib, ... }:
let
  cfg = config.systemd;
  settings = lib.types.attrsOf (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str (lib.types.listOf lib.types.str) ]);
  names = lib.types.uniqueListOf lib.types.str;
  common = {
    enable = lib.mkOption { type = lib.types.bool; default = true; description = "Whether the unit is there at all."; };
    description = lib.mkOption { type = lib.types.str; default = ""; description = "What it is."; };
    after = lib.mkOption { type = names; default = [ ]; description = "Started after these."; };
    before = lib.mkOption { type = names; default = [ ]; description = "Started before these."; };
    requires = lib.mkOption { type = names; default = [ ]; description = "Can not run without these."; };
    wants = lib.mkOption { type = names; default = [ ]; description = "Starts these too."; };
    wantedBy = lib.mkOption { type = names; default = [ ]; description = "Started by these."; };
    unitConfig = lib.mkOption { type = settings; default = { }; description = "Section [Unit]."; };
  };
  service = { name, config, ... }: {
    options = common // {
      serviceConfig = lib.mkOption { type = settings; default = { }; description = "Section [Service]."; };
      environment = lib.mkOption { type = lib.types.attrsOf (lib.types.oneOf [ lib.types.str lib.types.path lib.types.int ]); default = { }; description = "Variables."; };
      path = lib.mkOption { type = lib.types.listOf lib.types.package; default = [ ]; description = "Packages on PATH."; };
      script = lib.mkOption { type = lib.types.lines; default = ""; description = "Shell commands to run."; };
      preStart = lib.mkOption { type = lib.types.lines; default = ""; description = "Shell commands to run before."; };
      restartTriggers = lib.mkOption { type = lib.types.listOf lib.types.unspecified; default = [ ]; description = "Restarted when these change."; };
    };
    config = lib.mkMerge [
      (lib.mkIf (config.preStart != "") { serviceConfig.ExecStartPre = lib.writeText "${name}-pre-start" config.preStart; })
      (lib.mkIf (config.script != "") { serviceConfig.ExecStart = lib.writeText "${name}-start" config.script; })
      { environment.PATH = lib.mkIf (config.path != [ ]) (lib.makeBinPath (map (package: package.outPath) config.path)); }
    ];
  };
  timer = { config, ... }: {
    options = common // {
      timerConfig = lib.mkOption { type = settings; default = { }; description = "Section [Timer]."; };
    };
    config.wantedBy = [ "timers.target" ];
  };
  socket = { ... }: {
    options = common // {
      socketConfig = lib.mkOption { type = settings; default = { }; description = "Section [Socket]."; };
    };
    config.wantedBy = [ "sockets.target" ];
  };
  unitSection = unit: {
    Unit = lib.filterAttrs (_: value: value != "" && value != [ ]) {
      Description = unit.description;
      After = lib.concatStringsSep " " unit.after;
      Before = lib.concatStringsSep " " unit.before;
      Requires = lib.concatStringsSep " " unit.requires;
      Wants = lib.concatStringsSep " " unit.wants;
    } // unit.unitConfig;
    Install = lib.optionalAttrs (unit.wantedBy != [ ]) { WantedBy = lib.concatStringsSep " " unit.wantedBy; };
  };
  serviceText = unit: lib.generators.toUnit (unitSection unit // {
    Service = unit.serviceConfig
      // lib.optionalAttrs (unit.environment != { }) {
        Environment = lib.mapAttrsToList (name: value: "\"${name}=${toString value}\"") unit.environment;
      };
  });
  enabled = lib.filterAttrs (_: unit: unit.enable);
  written = suffix: text: units: lib.mapAttrs' (name: unit: lib.nameValuePair "systemd/system/${name}${suffix}" { text = text unit; }) (enabled units);
  dependencies = lib.mapAttrs' (name: unit: lib.nameValuePair "${name}.service"
    (lib.filter (other: cfg.services ? ${lib.removeSuffix ".service" other}) (unit.requires ++ unit.after)))
    (enabled cfg.services);
in {
  options.systemd = {
    services = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule service); default = { }; description = "Services."; };
    timers = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule timer); default = { }; description = "Timers."; };
    sockets = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule socket); default = { }; description = "Sockets."; };
    tmpfiles.rules = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Lines for tmpfiles."; };
    startOrder = lib.mkOption { type = lib.types.listOf lib.types.str; readOnly = true; description = "An order in which the services can start."; };
  };
  config = {
    environment.etc = lib.mkMerge [
      (written ".service" serviceText cfg.services)
      (written ".timer" (unit: lib.generators.toUnit (unitSection unit // { Timer = unit.timerConfig; })) cfg.timers)
      (written ".socket" (unit: lib.generators.toUnit (unitSection unit // { Socket = unit.socketConfig; })) cfg.sockets)
      (lib.mkIf (cfg.tmpfiles.rules != [ ]) { "tmpfiles.d/00-system.conf".text = lib.concatLines cfg.tmpfiles.rules; })
    ];
    systemd.startOrder = lib.graph.topological dependencies;
    assertions = lib.concatLists (lib.mapAttrsToList
      (name: unit: [
        {
          assertion = unit.serviceConfig ? ExecStart || (unit.serviceConfig.Type or "") == "oneshot";
          message = "systemd.services.${name}: nothing to start";
        }
        {
          assertion = !(lib.elem "${name}.service" unit.after);
          message = "systemd.services.${name}: can not come after itself";
        }
      ])
      (enabled cfg.services))
    ++ lib.mapAttrsToList
      (name: _: { assertion = cfg.services ? ${name}; message = "systemd.timers.${name}: there is no such service"; })
      cfg.timers;
  };
}

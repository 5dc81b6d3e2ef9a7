{ config, lib, ... }:
let cfg = config.services.backup;
in {
  options.services.backup = {
    enable = lib.mkEnableOption "backups";
    paths = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ ];
      description = "What to save.";
    };
    target = lib.mkOption {
      type = lib.types.str;
      description = "The machine that takes the backups.";
    };
  };

  config = lib.mkIf cfg.enable {
    environment.packages = [ "restic" ];
  };
}

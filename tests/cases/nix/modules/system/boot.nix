# Kernel and boot loader.
{ config, lib, pkgs, ... }:
let
  cfg = config.boot;
in {
  imports = [
    (lib.mkRenamedOptionModule [ "boot" "extraKernelParams" ] [ "boot" "kernelParams" ])
    (lib.mkRemovedOptionModule [ "boot" "loader" "lilo" ] "Use GRUB.")
  ];
  options.boot = {
    kernelPackage = lib.mkPackageOption pkgs "linux" { };
    kernelParams = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Command line."; };
    kernelModules = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Modules to load."; };
    blacklistedModules = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Modules never to load."; };
    sysctl = lib.mkOption {
      type = lib.types.submodule {
        freeformType = lib.types.attrsOf (lib.types.nullOr (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str ]));
        options."net.core.somaxconn" = lib.mkOption { type = lib.types.nullOr lib.types.maximum; default = null; description = "Longest queue: the largest wish counts."; };
      };
      default = { };
      description = "Kernel settings.";
    };
    loader = {
      timeout = lib.mkOption { type = lib.types.nullOr lib.types.ints.unsigned; default = 5; description = "Seconds."; };
      grub.enable = lib.mkEnableOption "the GRUB boot loader";
      grub.device = lib.mkOption { type = lib.types.str; default = ""; description = "Disk."; };
      efi.enable = lib.mkEnableOption "booting through EFI";
    };
    initrd.availableModules = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Modules in the initial RAM disk."; };
  };
  config = {
    boot.kernelParams = lib.mkMerge [ [ "loglevel=4" ] (lib.mkIf cfg.loader.efi.enable [ "efi=runtime" ]) ];
    boot.kernelModules = lib.mkBefore [ "loop" ];
    boot.sysctl = {
      "kernel.printk" = lib.mkDefault 4;
      "fs.inotify.max_user_watches" = lib.mkDefault 524288;
    };
    environment.etc."modules-load.d/system.conf".text = lib.concatLines (lib.subtractLists cfg.blacklistedModules cfg.kernelModules);
    environment.etc."sysctl.d/60-system.conf".text = lib.concatStrings (lib.mapAttrsToList
      (name: value: lib.optionalString (value != null) "${name}=${if value == false then "0" else toString value}\n")
      cfg.sysctl);
    assertions = [
      { assertion = !(cfg.loader.grub.enable && cfg.loader.efi.enable); message = "boot.loader: GRUB and EFI exclude each other here"; }
      { assertion = cfg.loader.grub.enable -> cfg.loader.grub.device != ""; message = "boot.loader.grub: no device"; }
    ];
  };
}

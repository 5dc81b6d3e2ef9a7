# File systems in an order in which they can be mounted.
{ config, lib, ... }:
let
  fileSystem = { name, config, ... }: {
    options = {
      mountPoint = lib.mkOption { type = lib.types.path; default = name; description = "Where."; };
      device = lib.mkOption { type = lib.types.nullOr lib.types.nonEmptyStr; default = null; description = "What."; };
      label = lib.mkOption { type = lib.types.nullOr lib.types.nonEmptyStr; default = null; description = "What, by label."; };
      fsType = lib.mkOption { type = lib.types.enum [ "ext4" "xfs" "btrfs" "tmpfs" "nfs" "vfat" "auto" ]; default = "auto"; description = "Kind."; };
      options = lib.mkOption { type = lib.types.nonEmptyListOf lib.types.str; default = [ "defaults" ]; description = "Options."; };
      depends = lib.mkOption { type = lib.types.listOf lib.types.path; default = [ ]; description = "Mounted before."; };
      neededForBoot = lib.mkOption { type = lib.types.bool; default = false; description = "Whether it is mounted early."; };
      autoFormat = lib.mkOption { type = lib.types.bool; default = false; description = "Whether to format it if it is empty."; };
    };
    config = {
      device = lib.mkIf (config.label != null) (lib.mkDefault "/dev/disk/by-label/${config.label}");
      neededForBoot = lib.mkIf (lib.elem config.mountPoint [ "/" "/usr" "/var/log" ]) (lib.mkDefault true);
    };
  };
  list = lib.attrValues config.fileSystems;
  isBelow = a: b: a.mountPoint != b.mountPoint && (a.mountPoint == "/" || lib.hasPrefix (a.mountPoint + "/") b.mountPoint);
  sorted = lib.toposort (a: b: isBelow a b || lib.elem a.mountPoint b.depends) list;
  order = map (each: each.mountPoint) (sorted.result or [ ]);
in {
  options = {
    fileSystems = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule fileSystem); default = { }; description = "File systems."; };
    swapDevices = lib.mkOption {
      type = lib.types.listOf (lib.types.submodule ({ config, ... }: {
        options.device = lib.mkOption { type = lib.types.path; description = "Where."; };
        options.size = lib.mkOption { type = lib.types.nullOr lib.types.ints.positive; default = null; description = "MiB, for a file."; };
        options.priority = lib.mkOption { type = lib.types.nullOr (lib.types.ints.between 0 32767); default = null; description = "Priority."; };
      }));
      default = [ ];
      description = "Swap space.";
    };
    system.mountOrder = lib.mkOption { type = lib.types.listOf lib.types.str; readOnly = true; description = "An order for mounting."; };
  };
  config = {
    system.mountOrder = order;
    environment.etc."fstab".text = lib.concatLines (
      map (path: let each = config.fileSystems.${path}; in
        lib.concatStringsSep " " [ each.device each.mountPoint each.fsType (lib.concatStringsSep "," each.options) "0" (if each.mountPoint == "/" then "1" else "2") ]) order
      ++ map (swap: "${swap.device} none swap ${if swap.priority == null then "defaults" else "pri=${toString swap.priority}"} 0 0") config.swapDevices);
    assertions = [
      { assertion = !(sorted ? cycle); message = "fileSystems: a cycle: ${toString (map (each: each.mountPoint) (sorted.cycle or [ ]))}"; }
      { assertion = list == [ ] || config.fileSystems ? "/"; message = "fileSystems: nothing is mounted at /"; }
    ] ++ map (each: { assertion = each.device != null || each.fsType == "tmpfs"; message = "fileSystems.${each.mountPoint}: no device"; }) list;
  };
}

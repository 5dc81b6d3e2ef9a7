# Users and groups, with numbers given out where none is asked for.
{ config, lib, ... }:
let
  cfg = config.users;
  user = { name, config, ... }: {
    options = {
      name = lib.mkOption { type = lib.types.strMatching "[a-z_][a-z0-9_-]*"; default = name; description = "Login name."; };
      uid = lib.mkOption { type = lib.types.nullOr lib.types.ints.unsigned; default = null; description = "Number."; };
      group = lib.mkOption { type = lib.types.str; default = "users"; description = "Primary group."; };
      extraGroups = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Further groups."; };
      home = lib.mkOption { type = lib.types.path; default = "/var/empty"; description = "Home directory."; };
      shell = lib.mkOption { type = lib.types.str; default = "/bin/nologin"; description = "Shell."; };
      description = lib.mkOption { type = lib.types.singleLineStr; default = ""; description = "Full name."; };
      isSystemUser = lib.mkOption { type = lib.types.bool; default = false; description = "Whether it is a service's."; };
      isNormalUser = lib.mkOption { type = lib.types.bool; default = false; description = "Whether it is a person's."; };
      openssh.authorizedKeys = lib.mkOption { type = lib.types.listOf lib.types.singleLineStr; default = [ ]; description = "Keys."; };
    };
    config = lib.mkMerge [
      (lib.mkIf config.isNormalUser {
        home = lib.mkDefault "/home/${config.name}";
        shell = lib.mkDefault "/bin/bash";
      })
      (lib.mkIf config.isSystemUser { group = lib.mkDefault config.name; })
    ];
  };
  group = { name, ... }: {
    options = {
      name = lib.mkOption { type = lib.types.str; default = name; description = "Name."; };
      gid = lib.mkOption { type = lib.types.nullOr lib.types.ints.unsigned; default = null; description = "Number."; };
      members = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Members."; };
    };
  };
  # Numbers for those who asked for none: system users from 999 downwards, others from 1000 upwards.
  allocate = key: isSystem: set:
    let
      taken = lib.filter (n: n != null) (lib.mapAttrsToList (_: each: each.${key}) set);
      wanting = lib.filter (name: set.${name}.${key} == null) (lib.attrNames set);
      split = lib.partition (name: isSystem set.${name}) wanting;
      free = lib.filter (n: !(lib.elem n taken));
      number = names: numbers: lib.listToAttrs (lib.zipListsWith lib.nameValuePair names numbers);
    in
      number split.right (free (map (n: 999 - n) (lib.range 0 400)))
      // number split.wrong (free (lib.range 1000 1400))
      // lib.mapAttrs (_: each: each.${key}) (lib.filterAttrs (_: each: each.${key} != null) set);
in {
  options.users = {
    mutableUsers = lib.mkOption { type = lib.types.bool; default = true; description = "Whether users may be changed by hand."; };
    users = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule user); default = { }; description = "Users."; };
    groups = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule group); default = { }; description = "Groups."; };
    uids = lib.mkOption { type = lib.types.attrsOf lib.types.int; readOnly = true; description = "Numbers given out."; };
    gids = lib.mkOption { type = lib.types.attrsOf lib.types.int; readOnly = true; description = "Numbers given out."; };
  };
  config = {
    users.users.root = { uid = 0; home = "/root"; shell = "/bin/bash"; group = "root"; isSystemUser = true; description = "System administrator"; };
    users.groups = {
      root.gid = 0;
      wheel.gid = 1;
      users.gid = 100;
    };
    users.uids = allocate "uid" (each: each.isSystemUser) cfg.users;
    users.gids = allocate "gid" (each: true) cfg.groups;
    environment.etc."passwd".text = lib.concatLines (lib.mapAttrsToList
      (name: each: lib.concatStringsSep ":" [
        each.name "x" (toString cfg.uids.${name}) (toString (cfg.gids.${each.group} or 65534)) each.description (toString each.home) each.shell
      ])
      cfg.users);
    environment.etc."group".text = lib.concatLines (lib.mapAttrsToList
      (name: each:
        let members = lib.unique (each.members ++ lib.filter (user: lib.elem name cfg.users.${user}.extraGroups) (lib.attrNames cfg.users));
        in "${each.name}:x:${toString cfg.gids.${name}}:${lib.concatStringsSep "," members}")
      cfg.groups);
    assertions = [
      {
        assertion = lib.allUnique (lib.attrValues cfg.uids);
        message = "users: the same number twice: ${toString (lib.duplicates (lib.attrValues cfg.uids))}";
      }
    ] ++ lib.mapAttrsToList
      (name: each: {
        assertion = cfg.groups ? ${each.group};
        message = "users.users.${name}: there is no group ${each.group}";
      })
      cfg.users
    ++ lib.mapAttrsToList
      (name: each: {
        assertion = lib.xor each.isSystemUser each.isNormalUser;
        message = "users.users.${name}: must be either a system user or a normal user";
      })
      cfg.users;
  };
}

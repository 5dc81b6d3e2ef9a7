# Files below /etc, variables, packages.
{ config, lib, pkgs, ... }:
let
  cfg = config.environment;
  file = { name, config, ... }: {
    options = {
      enable = lib.mkOption { type = lib.types.bool; default = true; description = "Whether to make this file."; };
      target = lib.mkOption { type = lib.types.str; default = name; description = "Name below /etc."; };
      text = lib.mkOption { type = lib.types.nullOr lib.types.lines; default = null; description = "Content."; };
      source = lib.mkOption { type = lib.types.path; description = "File with the content."; };
      mode = lib.mkOption { type = lib.types.either (lib.types.enum [ "symlink" ]) lib.types.fileMode; default = "symlink"; description = "Mode."; };
      user = lib.mkOption { type = lib.types.str; default = "root"; description = "Owner."; };
      group = lib.mkOption { type = lib.types.str; default = "root"; description = "Group."; };
    };
    config.source = lib.mkIf (config.text != null)
      (lib.mkDefault (lib.writeText ("etc-" + lib.replaceStrings [ "/" "@" ] [ "-" "-" ] name) config.text));
  };
in {
  options.environment = {
    etc = lib.mkOption {
      type = lib.types.attrsOf (lib.types.submodule file);
      default = { };
      description = "Files below /etc.";
    };
    variables = lib.mkOption {
      type = lib.types.attrsOf (lib.types.either lib.types.str (lib.types.listOf lib.types.str));
      default = { };
      apply = lib.mapAttrs (_: value: if builtins.isList value then lib.concatStringsSep ":" value else value);
      description = "Variables of every session; lists are joined with colons.";
    };
    systemPackages = lib.mkOption {
      type = lib.types.listOf lib.types.package;
      default = [ ];
      apply = lib.unique;
      description = "Packages that every user has.";
    };
    shellAliases = lib.mkOption {
      type = lib.types.attrsOf (lib.types.nullOr lib.types.str);
      default = { };
      description = "Short forms of commands.";
    };
    pathsToLink = lib.mkOption {
      type = lib.types.uniqueListOf lib.types.str;
      default = [ ];
      description = "Directories linked into the system.";
    };
  };
  config = {
    environment.systemPackages = [ pkgs.bash pkgs.coreutils ];
    environment.pathsToLink = [ "/bin" "/share/man" ];
    environment.variables = {
      EDITOR = lib.mkDefault "vi";
      PATH = lib.mkAfter [ "/run/current-system/sw/bin" ];
    };
    environment.etc."profile".text = lib.mkMerge [
      (lib.concatLines (lib.mapAttrsToList (name: value: "export ${name}=${lib.escapeShellArg value}") cfg.variables))
      (lib.mkAfter (lib.concatLines (lib.mapAttrsToList
        (name: value: "alias ${name}=${lib.escapeShellArg value}")
        (lib.filterAttrs (_: value: value != null) cfg.shellAliases))))
    ];
    assertions = lib.mapAttrsToList
      (name: each: {
        assertion = !(lib.hasPrefix "/" each.target);
        message = "environment.etc.${name}: the target must not begin with a slash";
      })
      cfg.etc;
  };
}

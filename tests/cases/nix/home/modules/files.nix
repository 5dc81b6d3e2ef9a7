# Files below the home directory, and what is run when a configuration becomes the current one.
{ config, lib, ... }:
let
  inherit (lib) mkOption types;
  home = config.home.homeDirectory;
  relative = path: if lib.hasPrefix "${home}/" path then lib.removePrefix "${home}/" path else path;
  file = { name, config, ... }: {
    options = {
      enable = mkOption { type = types.bool; default = true; description = "Whether it is written."; };
      target = mkOption {
        type = types.str;
        apply = path: relative (if lib.hasPrefix "/" path then path else "${home}/${path}");
        defaultText = lib.literalExpression "name";
        description = "Where, below the home directory.";
      };
      text = mkOption { type = types.nullOr types.lines; default = null; description = "What it holds."; };
      executable = mkOption { type = types.nullOr types.bool; default = null; description = "Whether it can be run."; };
      mode = mkOption { type = types.str; readOnly = true; description = "Its mode."; };
    };
    config = {
      target = lib.mkDefault name;
      mode = if config.executable or false == true then "0755" else "0644";
    };
  };
in {
  options = {
    home.username = mkOption { type = types.str; description = "Who it is."; };
    home.homeDirectory = mkOption {
      type = types.path;
      default = "/home/${config.home.username}";
      defaultText = lib.literalExpression ''"/home/''${config.home.username}"'';
      apply = toString;
      description = "Where everything is.";
    };
    home.file = mkOption {
      type = types.attrsOf (types.submodule file);
      default = { };
      description = "Files to write.";
    };
    home.packages = mkOption {
      type = types.listOf types.str;
      default = [ ];
      example = [ "hello" ];
      description = "What is installed.";
    };
    home.activation = mkOption {
      type = types.attrsOf types.dagEntry;
      default = { };
      description = "What is run.";
    };
    home.activationScript = mkOption { type = types.str; internal = true; description = "All of it, in order."; };
    assertions = mkOption { type = types.listOf types.raw; default = [ ]; internal = true; description = "Must hold."; };
  };
  imports = [
    (lib.mkRenamedOptionModule [ "home" "directory" ] [ "home" "homeDirectory" ])
    (lib.mkAliasOptionModule [ "programs" "installed" ] [ "home" "packages" ])
  ];
  config = {
    home.activation.linkFiles = lib.dag.entryAfter [ "checks" ] (lib.concatMapStringsSep "\n"
      (each: "link ${each.target}") (lib.filter (each: each.enable) (lib.attrValues config.home.file)));
    home.activation.checks = "check";
    home.activationScript = lib.concatMapStringsSep "\n"
      (name: "# ${name}\n${config.home.activation.${name}.data}") (lib.dag.sorted config.home.activation);
  };
}

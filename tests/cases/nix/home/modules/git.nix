# A program with settings of any kind, older names of some of them, and further files that it includes.
{ config, lib, ... }:
let
  inherit (lib) mkOption mkEnableOption mkIf mkMerge types;
  cfg = config.programs.git;
  renamed = from: to: lib.mkRenamedOptionModule ([ "programs" "git" ] ++ from) ([ "programs" "git" "settings" ] ++ to);
  include = { config, ... }: {
    options = {
      condition = mkOption { type = types.nullOr types.str; default = null; description = "When it counts."; };
      path = mkOption { type = types.str; description = "Where it lies."; };
      contents = mkOption { type = types.iniFile; default = { }; description = "What it holds."; };
    };
    config.path = mkIf (config.contents != { }) (lib.mkDefault "~/.config/git/generated");
  };
  value = each:
    if builtins.isBool each then lib.boolToString each
    else if builtins.isList each then lib.concatMapStringsSep ", " value each
    else toString each;
  section = name: settings: "[${name}]\n" + lib.concatStrings
    (lib.mapAttrsToList (key: each: "\t${key} = ${value each}\n") (lib.filterAttrs (_: each: each != null) settings));
in {
  imports = [
    (renamed [ "userName" ] [ "user" "name" ])
    (renamed [ "userEmail" ] [ "user" "email" ])
    (lib.mkRemovedOptionModule [ "programs" "git" "svn" ] "Nobody used it.")
  ];
  options.programs.git = {
    enable = mkEnableOption "git";
    package = mkOption {
      type = types.str;
      default = "git";
      defaultText = lib.literalExpression "pkgs.git";
      description = "Which one.";
    };
    settings = mkOption {
      type = types.submodule {
        freeformType = types.iniFile;
        options.core.editor = mkOption { type = types.str; default = "vi"; description = "What edits."; };
      };
      default = { };
      example = { user.name = "Somebody"; };
      description = "Its settings.";
    };
    ignores = mkOption { type = types.listOf types.str; default = [ ]; description = "What it does not see."; };
    includes = mkOption {
      type = types.listOf (types.submodule include);
      default = [ ];
      description = "Further files.";
    };
    signing = mkOption {
      type = types.nullOr (types.submodule {
        options.key = mkOption { type = types.str; description = "With what."; };
        options.always = mkOption { type = types.bool; default = false; description = "Every time."; };
      });
      default = null;
      description = "How to sign.";
    };
  };
  config = mkIf cfg.enable (mkMerge [
    {
      home.packages = [ cfg.package ];
      home.file.".config/git/config".text = lib.concatStrings (lib.mapAttrsToList section cfg.settings);
    }
    (mkIf (cfg.ignores != [ ]) {
      home.file.".config/git/ignore".text = lib.concatStringsSep "\n" cfg.ignores + "\n";
    })
    (mkIf (cfg.signing != null) {
      programs.git.settings = {
        user.signingKey = lib.mkDefault cfg.signing.key;
        commit.gpgSign = lib.mkDefault cfg.signing.always;
      };
    })
    (mkIf (cfg.includes != [ ]) {
      programs.git.settings.include.path = map (each: each.path) cfg.includes;
    })
  ]);
}

# A shell: lines from many modules in a certain order, variables and aliases.
{ config, lib, ... }:
let
  inherit (lib) mkOption mkEnableOption mkIf mkMerge types;
  cfg = config.programs.shell;
  export = name: value: "export ${name}=${lib.escapeShellArg (toString value)}";
in {
  options.programs.shell = {
    enable = mkEnableOption "the shell";
    aliases = mkOption { type = types.attrsOf types.str; default = { }; description = "Short names."; };
    sessionVariables = mkOption {
      type = types.lazyAttrsOf (types.oneOf [ types.str types.int types.path ]);
      default = { };
      description = "Variables of every session.";
    };
    initExtra = mkOption { type = types.lines; default = ""; description = "Further lines of its file."; };
    history = mkOption {
      description = "What is remembered.";
      default = { };
      type = types.submodule {
        freeformType = types.attrsOf types.atom;
        options.size = mkOption { type = types.int; default = 1000; description = "How many lines."; };
        options.path = mkOption {
          type = types.str;
          default = "${config.home.homeDirectory}/.history";
          defaultText = lib.literalExpression ''"''${config.home.homeDirectory}/.history"'';
          description = "Where.";
        };
      };
    };
  };
  config = mkIf cfg.enable (mkMerge [
    {
      programs.shell.initExtra = lib.mkBefore (lib.concatStringsSep "\n" (lib.mapAttrsToList export cfg.sessionVariables));
      home.packages = [ "shell" ];
      home.file.".shellrc".text = cfg.initExtra;
    }
    (mkIf (cfg.aliases != { }) {
      programs.shell.initExtra = lib.mkOrder 1200
        (lib.concatStringsSep "\n" (lib.mapAttrsToList (name: value: "alias ${name}='${value}'") cfg.aliases));
    })
    (mkIf (cfg.history.size > 5000) {
      home.file.".shellrc".text = lib.mkAfter "warn 'the history is long'";
    })
  ]);
}

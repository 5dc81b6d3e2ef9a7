{ config, lib, ... }:
{
  imports = [ ./work.nix ];
  home.username = "alice";
  systems = [ "x86_64-linux" "aarch64-linux" ];
  programs.git = {
    enable = true;
    userName = "Alice";
    settings.user.email = lib.mkDefault "alice@example.org";
    settings.alias.st = "status";
    settings.core.editor = lib.mkForce "emacs";
    ignores = [ "*.o" ];
    signing.key = "ABCD";
  };
  programs.shell = {
    enable = true;
    aliases = { ll = "ls -l"; g = lib.mkIf config.programs.git.enable "git"; p = lib.mkIf (!config.programs.git.enable) "pijul"; };
    sessionVariables.EDITOR = config.programs.git.settings.core.editor;
    initExtra = "set -o vi";
    history.size = 10000;
    history.ignoreSpace = true;
  };
  programs.installed = [ "hello" ];
  services.timers.backup = { every = 6; command = "backup --to ${config.home.homeDirectory}/disk"; };
  home.activation.notice = lib.dag.entryBefore [ "linkFiles" ] "say hello";
  perSystem = { system, ... }: {
    packages.default = "alice-${system}";
    checks.style = lib.mkDefault "style";
  };
}

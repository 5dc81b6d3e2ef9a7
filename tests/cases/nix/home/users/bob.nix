{ lib, ... }:
{
  imports = [ ./work.nix ];
  home.username = "bob";
  programs.git.enable = true;
  programs.git.userName = "Bob";
  programs.shell.enable = true;
  programs.shell.sessionVariables.LIMIT = 5;
}

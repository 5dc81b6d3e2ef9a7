{ config, lib, ... }:
{
  home.directory = lib.mkDefault "/srv/alice";
  programs.git.settings = lib.mkMerge [
    { user.email = "alice@work.example"; pull.rebase = true; }
    (lib.mkIf (config.programs.git.signing != null) { commit.gpgSign = true; })
    (lib.mkIf (config.home.username == "bob") { user.email = lib.mkForce "bob@work.example"; })
  ];
  programs.git.ignores = lib.mkBefore [ ".direnv" ];
  programs.git.includes = [ { condition = "gitdir:~/work/"; contents.user.email = "alice@work.example"; } { path = "~/extra"; } ];
  programs.shell.initExtra = lib.mkAfter "echo done";
  services.timers = {
    backup.environment.TARGET = "disk";
    mail = { command = "fetch"; unit.Unit.Description = "mail"; };
  };
  perSystem = { system, ... }: { checks = lib.optionalAttrs (system == "x86_64-linux") { build = "build"; style = "strict"; }; };
}

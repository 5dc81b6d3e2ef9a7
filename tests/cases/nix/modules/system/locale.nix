# Time and language.
{ config, lib, ... }:
{
  options = {
    time.timeZone = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Time zone."; };
    i18n.defaultLocale = lib.mkOption { type = lib.types.str; default = "en_US.UTF-8"; description = "Locale."; };
    i18n.extraLocaleSettings = lib.mkOption { type = lib.types.attrsOf lib.types.str; default = { }; description = "Single categories."; };
    console.keyMap = lib.mkOption { type = lib.types.str; default = "us"; description = "Keyboard."; };
  };
  config = {
    environment.variables.TZ = lib.mkIf (config.time.timeZone != null) config.time.timeZone;
    environment.etc."locale.conf".text = lib.generators.toKeyValue { }
      ({ LANG = config.i18n.defaultLocale; } // config.i18n.extraLocaleSettings);
    environment.etc."vconsole.conf".text = "KEYMAP=${config.console.keyMap}\n";
  };
}

{ config, lib, pkgs, ... }:
let
  cfg = config.services.mail;
  virtual = lib.concatStrings (lib.mapAttrsToList (from: to: "${from} ${lib.concatStringsSep ", " to}\n") cfg.aliases);
in {
  options.services.mail = {
    enable = lib.mkEnableOption "receiving and sending mail";
    fqdn = lib.mkOption { type = lib.types.str; default = config.networking.fqdn; description = "Name to the world."; };
    domains = lib.mkOption { type = lib.types.nonEmptyListOf lib.types.str; description = "Domains."; };
    accounts = lib.mkOption {
      type = lib.types.attrsOf (lib.types.submodule ({ name, ... }: {
        options.quota = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Room."; };
        options.aliases = lib.mkOption { type = lib.types.listOf lib.types.str; default = [ ]; description = "Other addresses."; };
        options.catchAll = lib.mkOption { type = lib.types.listOf (lib.types.enum cfg.domains); default = [ ]; description = "Domains whose unknown addresses come here."; };
      }));
      default = { };
      description = "Accounts.";
    };
    aliases = lib.mkOption { type = lib.types.attrsOf (lib.types.listOf lib.types.str); default = { }; description = "Who gets what."; };
    relay = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Who sends for us."; };
    settings = lib.mkOption { type = lib.types.lazyAttrsOf (lib.types.nullOr (lib.types.oneOf [ lib.types.bool lib.types.int lib.types.str (lib.types.listOf lib.types.str) ])); default = { }; description = "Settings of Postfix."; };
    imap = lib.mkEnableOption "IMAP" // { default = true; };
  };
  config = lib.mkIf cfg.enable {
    services.mail.aliases = lib.mkMerge (lib.mapAttrsToList
      (account: each: lib.listToAttrs (map
        (address: lib.nameValuePair address [ account ])
        (each.aliases ++ map (domain: "@${domain}") each.catchAll)))
      cfg.accounts);
    services.mail.settings = {
      myhostname = cfg.fqdn;
      virtual_mailbox_domains = cfg.domains;
      virtual_alias_maps = "hash:/etc/postfix/virtual";
      relayhost = lib.mkIf (cfg.relay != null) cfg.relay;
      smtpd_tls_security_level = lib.mkDefault "may";
      message_size_limit = lib.mkDefault 20971520;
    };
    environment.etc."postfix/main.cf".text = lib.concatStrings (lib.mapAttrsToList
      (name: value: lib.optionalString (value != null) "${name} = ${if builtins.isBool value then lib.boolToYesNo value else if builtins.isList value then lib.concatStringsSep ", " value else toString value}\n")
      cfg.settings);
    environment.etc."postfix/virtual".text = virtual;
    environment.etc."dovecot/dovecot.conf" = lib.mkIf cfg.imap { text = "protocols = imap\nmail_location = maildir:/var/vmail/%d/%n\n"; };
    networking.firewall.allowedTCPPorts = [ 25 587 ] ++ lib.optionals cfg.imap [ 143 993 ];
    users.users.vmail = { isSystemUser = true; home = "/var/vmail"; };
    users.groups.vmail = { };
    systemd.services.postfix = { wantedBy = [ "multi-user.target" ]; after = [ "network.target" ]; serviceConfig.ExecStart = "${pkgs.postfix}/bin/postfix start-fg"; };
    systemd.services.dovecot = lib.mkIf cfg.imap { wantedBy = [ "multi-user.target" ]; after = [ "postfix.service" ]; serviceConfig.ExecStart = "${pkgs.dovecot}/sbin/dovecot -F"; };
    security.acme.certificates.${cfg.fqdn} = { extraDomainNames = map (domain: "mail.${domain}") cfg.domains; reloadServices = [ "postfix" "dovecot" ]; };
    assertions = lib.mapAttrsToList
      (name: _: { assertion = lib.elem (lib.last (lib.splitString "@" name)) cfg.domains; message = "services.mail.accounts.${name}: not one of our domains"; })
      cfg.accounts;
  };
}

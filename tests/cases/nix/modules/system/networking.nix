# Names, addresses, firewall.
{ config, lib, ... }:
let
  cfg = config.networking;
  portRange = lib.types.submodule {
    options.from = lib.mkOption { type = lib.types.port; description = "First port."; };
    options.to = lib.mkOption { type = lib.types.port; description = "Last port."; };
  };
  canonicalPorts = ports: lib.sort builtins.lessThan (lib.unique ports);
  rules = {
    allowedTCPPorts = lib.mkOption { type = lib.types.listOf lib.types.port; default = [ ]; apply = canonicalPorts; description = "Open TCP ports."; };
    allowedUDPPorts = lib.mkOption { type = lib.types.listOf lib.types.port; default = [ ]; apply = canonicalPorts; description = "Open UDP ports."; };
    allowedTCPPortRanges = lib.mkOption { type = lib.types.listOf portRange; default = [ ]; description = "Open ranges."; };
  };
  address = { ... }: {
    options.address = lib.mkOption { type = lib.types.ipv4; description = "Address."; };
    options.prefixLength = lib.mkOption { type = lib.types.ints.between 0 32; default = 24; description = "Bits of the network."; };
  };
  interface = { name, config, ... }: {
    options = {
      name = lib.mkOption { type = lib.types.str; default = name; description = "Name."; };
      useDHCP = lib.mkOption { type = lib.types.bool; default = config.ipv4.addresses == [ ]; description = "Whether the address comes from the network."; };
      mtu = lib.mkOption { type = lib.types.nullOr lib.types.ints.positive; default = null; description = "Largest packet."; };
      ipv4.addresses = lib.mkOption { type = lib.types.listOf (lib.types.submodule address); default = [ ]; description = "Addresses."; };
      ipv4.routes = lib.mkOption {
        type = lib.types.listOf (lib.types.submodule {
          options.network = lib.mkOption { type = lib.types.cidr; description = "Where to."; };
          options.via = lib.mkOption { type = lib.types.nullOr lib.types.ipv4; default = null; description = "Through whom."; };
        });
        default = [ ];
        description = "Routes.";
      };
    };
  };
  firewallRules = name: set: lib.concatLists [
    (map (port: "${name} tcp ${toString port}") set.allowedTCPPorts)
    (map (range: "${name} tcp ${toString range.from}-${toString range.to}") set.allowedTCPPortRanges)
    (map (port: "${name} udp ${toString port}") set.allowedUDPPorts)
  ];
  allAddresses = lib.concatLists (lib.mapAttrsToList (_: each: map (a: a.address) each.ipv4.addresses) cfg.interfaces);
in {
  options.networking = {
    hostName = lib.mkOption { type = lib.types.strMatching "[a-z0-9]([a-z0-9-]*[a-z0-9])?"; default = "localhost"; description = "Name of this machine."; };
    domain = lib.mkOption { type = lib.types.nullOr lib.types.str; default = null; description = "Domain of this machine."; };
    fqdn = lib.mkOption { type = lib.types.str; readOnly = true; description = "Full name."; };
    primaryAddress = lib.mkOption { type = lib.types.nullOr lib.types.ipv4; readOnly = true; description = "First address."; };
    nameservers = lib.mkOption { type = lib.types.uniqueListOf lib.types.ipv4; default = [ ]; description = "Name servers."; };
    defaultGateway = lib.mkOption { type = lib.types.nullOr lib.types.ipv4; default = null; description = "Router."; };
    hosts = lib.mkOption { type = lib.types.attrsOf (lib.types.listOf lib.types.str); default = { }; description = "Names by address."; };
    interfaces = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule interface); default = { }; description = "Interfaces."; };
    firewall = rules // {
      enable = lib.mkOption { type = lib.types.bool; default = true; description = "Whether to filter packets."; };
      trustedInterfaces = lib.mkOption { type = lib.types.uniqueListOf lib.types.str; default = [ ]; description = "Not filtered."; };
      interfaces = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule { options = rules; }); default = { }; description = "Rules of one interface."; };
      extraCommands = lib.mkOption { type = lib.types.lines; default = ""; description = "Further commands."; };
      rendered = lib.mkOption { type = lib.types.listOf lib.types.str; readOnly = true; description = "All rules."; };
    };
  };
  config = {
    networking = {
      fqdn = cfg.hostName + lib.optionalString (cfg.domain != null) ".${cfg.domain}";
      primaryAddress = if allAddresses == [ ] then null else lib.head allAddresses;
      hosts = lib.mkMerge [
        { "127.0.0.1" = [ "localhost" ]; }
        { "127.0.0.2" = lib.mkIf (cfg.hostName != "localhost") (lib.unique [ cfg.fqdn cfg.hostName ]); }
      ];
      firewall.trustedInterfaces = [ "lo" ];
      firewall.rendered = lib.optionals cfg.firewall.enable (
        map (name: "${name} accept") cfg.firewall.trustedInterfaces
        ++ firewallRules "*" cfg.firewall
        ++ lib.concatLists (lib.mapAttrsToList firewallRules cfg.firewall.interfaces));
    };
    environment.etc."hostname".text = cfg.hostName + "\n";
    environment.etc."hosts".text = lib.generators.toHosts cfg.hosts;
    environment.etc."resolv.conf" = lib.mkIf (cfg.nameservers != [ ]) {
      text = lib.concatMapStrings (server: "nameserver ${server}\n") cfg.nameservers
        + lib.optionalString (cfg.domain != null) "search ${cfg.domain}\n";
    };
    assertions = lib.concatLists (lib.mapAttrsToList
      (name: each: map
        (route: { assertion = (lib.network.parseNetwork route.network).isAligned; message = "networking.interfaces.${name}: ${route.network} is not a network"; })
        each.ipv4.routes)
      cfg.interfaces) ++ [
      {
        assertion = lib.allUnique allAddresses;
        message = "networking: the same address twice: ${toString (lib.duplicates allAddresses)}";
      }
    ];
    warnings = lib.optional (!cfg.firewall.enable) "The firewall is off."
      ++ lib.optional (cfg.defaultGateway != null && allAddresses != [ ]
        && !(lib.any (each: lib.any (a: lib.network.contains "${a.address}/${toString a.prefixLength}" cfg.defaultGateway) each.ipv4.addresses) (lib.attrValues cfg.interfaces)))
        "The default gateway ${cfg.defaultGateway} is in no network of this machine.";
  };
}

{ config, lib, pkgs, ... }:
let
  peer = lib.types.submodule {
    options = {
      publicKey = lib.mkOption { type = lib.types.singleLineStr; description = "Key."; };
      allowedIPs = lib.mkOption { type = lib.types.listOf lib.types.cidr; default = [ ]; description = "Networks behind it."; };
      endpoint = lib.mkOption { type = lib.types.nullOr (lib.types.strMatching "[^:]+:[0-9]+"); default = null; description = "Where it is."; };
      persistentKeepalive = lib.mkOption { type = lib.types.nullOr lib.types.int; default = null; description = "Seconds."; };
    };
  };
  tunnel = { name, ... }: {
    options = {
      ips = lib.mkOption { type = lib.types.nonEmptyListOf lib.types.cidr; description = "Own addresses."; };
      listenPort = lib.mkOption { type = lib.types.nullOr lib.types.port; default = null; description = "Port."; };
      privateKeyFile = lib.mkOption { type = lib.types.path; default = "/run/secrets/wireguard-${name}"; description = "Secret."; };
      peers = lib.mkOption { type = lib.types.listOf peer; default = [ ]; description = "The others."; };
    };
  };
  cfg = config.networking.wireguard.interfaces;
  text = each: lib.generators.toINI { } {
    Interface = { Address = each.ips; PrivateKeyFile = toString each.privateKeyFile; } // lib.optionalAttrs (each.listenPort != null) { ListenPort = each.listenPort; };
  } + lib.concatMapStrings (peer: "\n" + lib.generators.toINI { } {
    Peer = { PublicKey = peer.publicKey; AllowedIPs = peer.allowedIPs; }
      // lib.optionalAttrs (peer.endpoint != null) { Endpoint = peer.endpoint; }
      // lib.optionalAttrs (peer.persistentKeepalive != null) { PersistentKeepalive = peer.persistentKeepalive; };
  }) each.peers;
in {
  options.networking.wireguard.interfaces = lib.mkOption { type = lib.types.attrsOf (lib.types.submodule tunnel); default = { }; description = "Tunnels."; };
  config = lib.mkIf (cfg != { }) {
    boot.kernelModules = [ "wireguard" ];
    environment.systemPackages = [ pkgs.wireguard-tools ];
    environment.etc = lib.mapAttrs' (name: each: lib.nameValuePair "wireguard/${name}.conf" { text = text each; mode = "0400"; }) cfg;
    networking.firewall.allowedUDPPorts = lib.filter (port: port != null) (lib.mapAttrsToList (_: each: each.listenPort) cfg);
    networking.firewall.trustedInterfaces = lib.attrNames cfg;
    assertions = lib.mapAttrsToList
      (name: each: {
        assertion = lib.network.overlaps (lib.listToAttrs (lib.imap0 (n: network: lib.nameValuePair "peer${toString n}" network) (lib.concatMap (peer: peer.allowedIPs) each.peers))) == [ ];
        message = "networking.wireguard.interfaces.${name}: networks of two peers overlap";
      })
      cfg;
  };
}

{ config, lib, ... }:
let cfg = config.services.web;
in {
  options.services.web = {
    enable = lib.mkEnableOption "the web server";
    port = lib.mkOption {
      type = lib.types.port;
      default = 80;
      description = "Port on which the server listens.";
    };
    tls = lib.mkEnableOption "encryption";
    workers = lib.mkOption {
      type = lib.types.nullOr lib.types.int;
      default = null;
      description = "Number of processes.";
      apply = count: if count == null then 1 else count;
    };
    sites = lib.mkOption {
      type = lib.types.attrsOf (lib.types.submodule ({ name, ... }: {
        freeformType = lib.types.attrsOf lib.types.str;
        options.root = lib.mkOption {
          type = lib.types.str;
          default = "/srv/${name}";
          description = "The directory to serve.";
        };
        options.aliases = lib.mkOption {
          type = lib.types.listOf lib.types.str;
          default = [ ];
          description = "Further names.";
        };
      }));
      default = { };
      description = "The sites to serve, by name.";
    };
    banner = lib.mkOption {
      type = lib.types.str;
      description = "What the server calls itself.";
    };
  };

  config = lib.mkIf cfg.enable (lib.mkMerge [
    {
      networking.firewall.allowedTCPPorts = [ cfg.port ];
      services.web.banner = lib.mkDefault "${config.networking.hostName} on port ${toString cfg.port}";
    }
    (lib.mkIf cfg.tls {
      services.web.port = lib.mkDefault 443;
    })
  ]);
}

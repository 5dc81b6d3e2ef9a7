# Virtual hosts made from defaults, a profile and what each host says itself.
let
  defaults = { port = 80; root = "/srv/www"; };
  secure = { port = 443; };

  mkHost = name: { profile ? { }, locations ? { "/" = defaults.root; }, ... }@host:
    defaults // profile // removeAttrs host [ "profile" ] // {
      inherit locations;
      title = "${name} on port ${toString (defaults // profile // host).port}";
    };
in
{
  services.nginx.virtualHosts = builtins.mapAttrs mkHost {
    wiki = { profile = secure; };
    blog = { port = 8080; locations = { "/" = "/srv/blog"; }; };
  };
}

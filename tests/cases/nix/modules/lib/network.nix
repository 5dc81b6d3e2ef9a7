# Addresses and networks (IPv4), computed with integers.
{ lib }:
rec {
  parseAddress = text:
    let
      parts = lib.splitString "." text;
      octets = map lib.toIntBase10 parts;
    in
      if lib.length parts != 4 || lib.any (octet: octet < 0 || octet > 255) octets
      then throw "not an IPv4 address: ${text}"
      else builtins.foldl' (acc: octet: acc * 256 + octet) 0 octets;

  formatAddress = number:
    lib.concatMapStringsSep "." (shift: toString (lib.mod (number / shift) 256)) [ 16777216 65536 256 1 ];

  parseNetwork = text:
    let
      parts = lib.splitString "/" text;
      bits = lib.toInt (lib.elemAt parts 1);
      size = lib.pow 2 (32 - bits);
      address = parseAddress (lib.head parts);
    in
      if lib.length parts != 2 then throw "not a network: ${text}"
      else if bits < 0 || bits > 32 then throw "not a prefix length: ${toString bits}"
      else rec {
        inherit bits size;
        first = address / size * size;
        last = first + size - 1;
        network = formatAddress first;
        broadcast = formatAddress last;
        netmask = formatAddress (4294967296 - size);
        hosts = if bits >= 31 then size else size - 2;
        canonical = "${network}/${toString bits}";
        isAligned = first == address;
      };

  contains = network: address:
    let
      net = parseNetwork network;
      number = parseAddress address;
    in number >= net.first && number <= net.last;
  overlap = a: b:
    let
      first = parseNetwork a;
      second = parseNetwork b;
    in first.first <= second.last && second.first <= first.last;
  host = network: n:
    let net = parseNetwork network;
    in if n < 0 || n >= net.size then throw "no host ${toString n} in ${network}" else formatAddress (net.first + n);
  subnets = bits: network:
    let
      net = parseNetwork network;
      size = lib.pow 2 (32 - bits);
    in lib.genList (n: "${formatAddress (net.first + n * size)}/${toString bits}") (net.size / size);
  reverseName = address: lib.concatStringsSep "." (lib.reverseList (lib.splitString "." address)) + ".in-addr.arpa";

  # Conflicts among named networks.
  overlaps = networks:
    let
      names = lib.attrNames networks;
      pairs = lib.concatLists (lib.imap0 (n: a: map (b: { inherit a b; }) (lib.drop (n + 1) names)) names);
    in map (pair: [ pair.a pair.b ]) (lib.filter (pair: overlap networks.${pair.a} networks.${pair.b}) pairs);

  # Give each name an address of the network, in order, leaving out reserved ones.
  assign = network: reserved: names:
    let
      net = parseNetwork network;
      taken = map parseAddress reserved;
      free = lib.filter (number: !(lib.elem number taken)) (lib.range (net.first + 1) (lib.min (net.last - 1) (net.first + 254)));
    in
      if lib.length names > lib.length free then throw "${network} has no room for ${toString (lib.length names)} hosts"
      else lib.listToAttrs (lib.zipListsWith (name: number: lib.nameValuePair name (formatAddress number)) names free);
}

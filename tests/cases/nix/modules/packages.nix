# Packages that stand for real ones: derivations with names, versions and inputs, never built.
{ lib, system ? "x86_64-linux" }:
let
  build = { pname, version, inputs ? [ ], outputs ? [ "out" ], meta ? { }, ... }@args:
    derivation ({
      name = "${pname}-${version}";
      inherit system outputs;
      builder = "/bin/sh";
      args = [ "-e" "build ${pname}" ];
      buildInputs = inputs;
    } // removeAttrs args [ "inputs" "outputs" "meta" ]) // {
      inherit pname version;
      meta = { mainProgram = pname; } // meta;
    };
  fetch = { name, url, sha256 }: derivation {
    inherit name url system;
    builder = "builtin:fetchurl";
    outputHash = sha256;
    outputHashAlgo = "sha256";
    outputHashMode = "flat";
  };
  source = pname: version: fetch {
    name = "${pname}-${version}.tar.gz";
    url = "https://downloads.example.org/${pname}/${pname}-${version}.tar.gz";
    sha256 = builtins.hashString "sha256" "${pname}-${version}";
  };
  simple = pname: version: inputs: build { inherit pname version inputs; src = source pname version; };

  base = final: {
    glibc = build { pname = "glibc"; version = "2.35"; outputs = [ "out" "dev" "bin" ]; };
    zlib = simple "zlib" "1.2.13" [ final.glibc ];
    openssl = build { pname = "openssl"; version = "3.0.8"; inputs = [ final.glibc final.zlib ]; outputs = [ "out" "dev" ]; };
    pcre = simple "pcre2" "10.42" [ final.glibc ];
    readline = simple "readline" "8.2" [ final.glibc ];
    bash = simple "bash" "5.2" [ final.readline ];
    coreutils = simple "coreutils" "9.1" [ final.glibc ];
    systemd = build { pname = "systemd"; version = "252.4"; inputs = [ final.glibc final.openssl ]; outputs = [ "out" "lib" ]; };
    linux = simple "linux" "6.1.20" [ ];
    curl = simple "curl" "7.88.1" [ final.openssl final.zlib ];
    git = simple "git" "2.39.2" [ final.curl final.openssl final.pcre ];
    vim = simple "vim" "9.0" [ final.readline ];
    htop = simple "htop" "3.2.2" [ final.readline ];
    tmux = simple "tmux" "3.3a" [ final.readline ];
    rsync = simple "rsync" "3.2.7" [ final.zlib ];
    jdk = simple "openjdk" "17.0.6" [ final.zlib final.glibc ];
    python = build { pname = "python3"; version = "3.11.2"; inputs = [ final.openssl final.readline final.zlib ]; meta.mainProgram = "python3.11"; };
    go = simple "go" "1.20.2" [ final.glibc ];
  };
  servers = final: below: {
    openssh = simple "openssh" "9.2p1" [ final.openssl final.zlib ];
    nginx = simple "nginx" "1.22.1" [ final.openssl final.pcre final.zlib ];
    postgresql = build { pname = "postgresql"; version = "14.7"; inputs = [ final.openssl final.readline ]; outputs = [ "out" "lib" "doc" ]; };
    mariadb = simple "mariadb" "10.6.12" [ final.openssl final.zlib ];
    redis = simple "redis" "7.0.9" [ final.openssl final.systemd ];
    memcached = simple "memcached" "1.6.18" [ final.openssl ];
    haproxy = simple "haproxy" "2.7.3" [ final.openssl final.pcre ];
    unbound = simple "unbound" "1.17.1" [ final.openssl ];
    dhcpd = simple "kea" "2.2.0" [ final.openssl ];
    chrony = simple "chrony" "4.3" [ final.readline ];
    postfix = simple "postfix" "3.7.4" [ final.openssl final.pcre ];
    dovecot = simple "dovecot" "2.3.20" [ final.openssl ];
    samba = simple "samba" "4.17.5" [ final.python final.readline ];
    nfs-utils = simple "nfs-utils" "2.6.2" [ final.glibc ];
    prometheus = simple "prometheus" "2.42.0" [ final.go ];
    node_exporter = simple "node_exporter" "1.5.0" [ final.go ];
    alertmanager = simple "alertmanager" "0.25.0" [ final.go ];
    grafana = simple "grafana" "9.4.3" [ final.go ];
    loki = simple "loki" "2.7.4" [ final.go ];
    gitea = simple "gitea" "1.18.5" [ final.go final.git ];
    jenkins = simple "jenkins" "2.387.1" [ final.jdk ];
    rabbitmq = simple "rabbitmq-server" "3.11.10" [ final.openssl ];
    minio = simple "minio" "2023-02-27" [ final.go ];
    restic = simple "restic" "0.15.1" [ final.go ];
    fail2ban = simple "fail2ban" "1.0.2" [ final.python ];
    wireguard-tools = simple "wireguard-tools" "1.0.20210914" [ final.bash ];
    keycloak = simple "keycloak" "21.0.1" [ final.jdk ];
    docker = simple "docker" "23.0.1" [ final.go final.systemd ];
    logrotate = simple "logrotate" "3.21.0" [ final.glibc ];
    cron = simple "cron" "4.1" [ final.glibc ];
    elasticsearch = simple "elasticsearch" "7.17.9" [ final.jdk ];
    consul = simple "consul" "1.15.1" [ final.go ];
    vault = simple "vault" "1.13.0" [ final.go ];
    varnish = simple "varnish" "7.2.1" [ final.pcre ];
  };
in lib.makeExtensible (lib.extends servers base)

# One server block.
define nginx::server (
  String[1]         $server_name,
  Array[String[1]]  $aliases = [],
  Integer[1, 65535] $port    = 80,
  Enum['on', 'off'] $tls     = 'off',
) {
  file { "/etc/nginx/sites-enabled/${title}.conf":
    ensure  => file,
    content => epp('nginx/server.epp', {
      'server_name' => $server_name,
      'aliases'     => $aliases,
      'port'        => $port,
      'tls'         => $tls,
    }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }
}

# The wiki behind nginx.
#
# @param server_name  what visitors type
# @param aliases      further names, from every level of the data
# @param port         where nginx listens
class profile::wiki (
  String[1]            $server_name,
  Array[String[1]]     $aliases = [],
  Integer[1, 65535]    $port    = 80,
) {
  include nginx

  $tls = $port ? {
    443     => 'on',
    default => 'off',
  }

  nginx::server { 'wiki':
    server_name => $server_name,
    aliases     => $aliases,
    port        => $port,
    tls         => $tls,
  }

  if $facts['virtual'] == 'physical' {
    package { 'smartmontools':
      ensure => installed,
    }
  }
}

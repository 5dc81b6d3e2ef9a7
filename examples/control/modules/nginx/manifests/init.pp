# A small nginx.
#
# @param worker_connections  for each worker
# @param package             its name in the distribution
class nginx (
  Integer[1] $worker_connections = 512,
  String[1]  $package            = 'nginx',
) {
  package { $package:
    ensure => installed,
    alias  => 'nginx',
  }

  file { '/etc/nginx/nginx.conf':
    ensure  => file,
    content => epp('nginx/nginx.conf.epp', { 'worker_connections' => $worker_connections }),
    require => Package['nginx'],
    notify  => Service['nginx'],
  }

  service { 'nginx':
    ensure => running,
    enable => true,
  }
}

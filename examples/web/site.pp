# Two web servers and what makes them differ.

class motd (String $mode = '0644', String $greeting = 'Welcome to') {
  file { '/etc/motd':
    ensure  => file,
    mode    => $mode,
    content => "${greeting} ${facts['networking']['fqdn']}\n",
  }
}

class web (Integer $port = 80, Optional[String] $user = undef) {
  $owner = $user ? {
    undef   => $facts['os']['family'] ? {
      'Debian' => 'www-data',
      'RedHat' => 'apache',
      default  => 'http',
    },
    default => $user,
  }

  if $facts['os']['family'] == 'Debian' {
    $config = '/etc/apache2/ports.conf'
  } else {
    $config = '/etc/httpd/conf/ports.conf'
  }

  file { $config:
    owner   => $owner,
    content => "Listen ${port}\n",
    notify  => Service['web'],
  }

  service { 'web':
    ensure => running,
  }
}

node 'web01' {
  class { 'motd': mode => '0600' }
  include web
}

node default {
  include motd
  class { 'web': port => 8080 }
}

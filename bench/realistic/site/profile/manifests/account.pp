define profile::account(Integer $uid, String $shell, Boolean $locked = false) {
  group { $title: gid => $uid }
  user { $title: ensure => present, uid => $uid, gid => $uid, shell => $shell, home => "/home/${title}", managehome => true }
  file { "/home/${title}/.profile": content => "export SITE=${facts['site']}\n", owner => $title, mode => '0600', require => User[$title] }
}

# Who may log in, and how.
class ssh (
  Array[String[1]]  $allow_users,
  Integer[1, 65535] $port,
  String            $banner,
  String[1]         $root_login = 'no',
) {
  file { '/etc/ssh/sshd_config':
    content => epp('ssh/sshd_config.epp'),
    notify  => Service['sshd'],
  }
  file { '/etc/issue.net':
    content => $banner,
  }
  service { 'sshd':
    ensure => running,
    enable => true,
  }
}

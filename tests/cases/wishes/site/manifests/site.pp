node default {
  include ssh
  include sites
  include jobs
  include sysctl
  include users
  include proxy
  if $facts['role'] == 'mail' {
    include mail
  }
  package { ['vim', 'htop']:
    ensure => installed,
  }
  package { 'tmux': ensure => '3.3' }
}

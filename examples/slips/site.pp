# Slips that are easily made, one in each statement.  `wherefrom check` finds them all in one run.
file { '/etc/motd'
  ensure => file,
}

service { 'web':
  ensure => running
  enable => true,
}

if $port == 80 {
  notice('plain')
} else if $port == 443 {
  notice('secure')
}

package { 'nginx':
  ensure => installed,
}

# What every machine has.
#
# @param admins     mail addresses, most important first
# @param motd_mode  permissions of /etc/motd
# @param ntp_servers asked in this order
class profile::base (
  Array[String[1]] $admins,
  String[1]        $motd_mode   = '0644',
  Array[String[1]] $ntp_servers = ['pool.ntp.example.org'],
) {
  file { '/etc/motd':
    ensure  => file,
    mode    => $motd_mode,
    content => epp('profile/motd.epp', { 'admin' => $admins[0] }),
  }

  file { '/etc/ntp.conf':
    ensure  => file,
    content => $ntp_servers.map |$server| { "server ${server} iburst\n" }.join(''),
    notify  => Service['ntp'],
  }

  service { 'ntp':
    ensure => running,
    enable => true,
  }

  # Every machine tells the others its name.
  @@file { "/etc/hosts.d/${facts['networking']['hostname']}":
    ensure  => file,
    content => "${facts['networking']['ip']} ${facts['networking']['fqdn']}\n",
    tag     => 'lan',
  }
  File <<| tag == 'lan' |>>
}

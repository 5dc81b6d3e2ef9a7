class profile::base(
  Array[String] $admins,
  Hash[String, Hash] $limits,
  Array[String] $servers,
  Integer[0] $swappiness = 10,
) {
  class { 'ntp': servers => $servers }
  class { 'ssh': storeconfigs_enabled => false, server_options => lookup('profile::base::sshd', Hash, 'deep') }
  $address = $facts['networking']['ip']
  $host = $facts['networking']['hostname']
  file { '/etc/motd':
    content => epp('profile/motd.epp', { 'role' => $facts['role'], 'site' => $facts['site'], 'address' => $address }),
    mode    => '0644',
  }
  $admins.each |$number, $admin| {
    profile::account { $admin: uid => 2000 + $number, shell => $facts['os']['family'] ? { 'RedHat' => '/bin/bash', default => '/usr/bin/zsh' } }
  }
  $limits.each |$who, $limit| {
    file { "/etc/security/limits.d/${who}.conf": content => "${who} soft nofile ${limit['files']}\n" }
  }
  $pages = $facts['memory']['system']['total_bytes'] / 1048576 / 64
  file { '/etc/sysctl.d/60-memory.conf':
    content => "vm.nr_hugepages = ${pages}\nvm.swappiness = ${swappiness}\n",
  }
  if $facts['is_virtual'] and $facts['processors']['count'] > 1 {
    package { 'irqbalance': ensure => installed }
  }
  package { ['curl', 'screen', 'strace', 'tmux', 'tcpdump']: ensure => installed }
  @@sshkey { $trusted['certname']:
    type => 'ssh-ed25519', key => $facts['ssh']['ed25519']['key'], host_aliases => [$host, $address], tag => $facts['site'],
  }
  @@host { $trusted['certname']: ip => $address, host_aliases => [$host], tag => [$facts['site'], 'watched'] }
}

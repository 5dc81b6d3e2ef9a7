class profile::mail(String $relay, Array[String] $domains = []) {
  package { 'postfix': ensure => installed }
  file { '/etc/postfix/main.cf': content => template('profile/main.cf.erb'), notify => Service['postfix'] }
  service { 'postfix': ensure => running, enable => true, require => Package['postfix'] }
}

class profile::database(Integer $databases, Hash $settings, String $password) {
  class { 'mysql::server':
    root_password    => $password,
    override_options => { 'mysqld' => $settings + { 'server-id' => fqdn_rand(10000), 'bind-address' => $facts['networking']['ip'] } },
  }
  Integer[1, $databases].each |$number| {
    mysql::db { "app${number}":
      user => "app${number}", password => $password, host => '%', grant => ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    }
    file { "/srv/backup/app${number}": ensure => directory, mode => '0750' }
    cron { "backup-app${number}":
      command => "/usr/bin/mysqldump app${number} > /srv/backup/app${number}/dump.sql", hour => fqdn_rand(24, $number), minute => $number % 60,
    }
  }
}

# PostgreSQL.
#
# @param version   major version
# @param password  of the superuser; encrypted in the data
# @param settings  lines of the configuration, merged over all levels
class profile::db (
  String[1]                            $version,
  Sensitive[String[1]]                 $password,
  Hash[String[1], Variant[Integer, String]] $settings = {},
) {
  package { 'postgresql':
    ensure => $version,
  }

  file { '/etc/postgresql/postgresql.conf':
    ensure  => file,
    mode    => '0640',
    content => $settings.keys.sort.map |$name| { "${name} = ${settings[$name]}\n" }.join(''),
    require => Package['postgresql'],
  }

  file { '/root/.pgpass':
    ensure  => file,
    mode    => '0600',
    content => Sensitive(template('profile/pgpass.erb')),
  }
}

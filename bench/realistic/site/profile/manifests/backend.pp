define profile::backend(String $address, Integer $port) {
  file { "/etc/backends/${title}": content => "${address}:${port}\n" }
}

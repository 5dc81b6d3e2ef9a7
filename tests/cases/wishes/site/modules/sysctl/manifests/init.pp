# Settings of the kernel.
class sysctl (Hash $values) {
  $lines = $values.map |$name, $value| { "${name} = ${value}" }
  file { '/etc/sysctl.d/50.conf':
    content => "${lines.join("\n")}\n",
  }
}

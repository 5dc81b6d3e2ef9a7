# What runs at night.
class jobs (Hash $table) {
  $table.each |$name, $at| {
    file { "/etc/cron.d/${name}":
      content => "${at['minute']} ${at['hour']} * * * root /usr/local/bin/${name}\n",
    }
  }
}

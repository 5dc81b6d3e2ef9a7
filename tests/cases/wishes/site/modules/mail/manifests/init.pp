# A relay.
class mail (String[1] $relay, Integer $size_mb) {
  $limit = $size_mb * 1048576
  file { '/etc/mail.conf':
    content => "relay=${relay}\nmessage_size_limit=${limit}\n",
  }
}

class profile::cache(Integer $share = 25) {
  $megabytes = $facts['memory']['system']['total_bytes'] / 1048576 * $share / 100
  class { 'memcached': max_memory => $megabytes, listen_ip => $facts['networking']['ip'] }
  Profile::Backend <<| tag == $facts['site'] |>>
}

class profile::monitor {
  Host <<| tag == $facts['site'] and tag == 'watched' |>>
}

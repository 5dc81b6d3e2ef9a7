class profile::bastion {
  Sshkey <<| tag == $facts['site'] |>>
}

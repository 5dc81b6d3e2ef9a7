# A node's role is a fact, set when the machine is installed.
File {
  owner => 'root',
  group => 'root',
}

node default {
  case $facts['role'] {
    'web':      { include role::web }
    'database': { include role::database }
    default:    { include profile::base }
  }
}

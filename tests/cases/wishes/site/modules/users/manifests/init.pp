# Accounts.
class users (String[1] $home) {
  users::account { 'ops':
    uid => 1001,
  }
  users::account { 'backup':
    uid   => 1002,
    shell => '/bin/sh',
  }
}

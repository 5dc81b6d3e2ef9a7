# One account.
define users::account (Integer $uid, String[1] $shell = '/bin/bash') {
  user { $name:
    uid   => $uid,
    home  => "${users::home}/${name}",
    shell => $shell,
  }
}

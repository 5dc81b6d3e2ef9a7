# Every machine exports an account for itself, and collects those of all others.
class peer(String $home) {
  @@user { $trusted['certname']:
    home => $home,
    tag  => 'lan',
  }

  User <<| tag == 'lan' |>> { managehome => true }
}

include peer

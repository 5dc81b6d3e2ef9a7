# One of them.
define sites::vhost (
  Integer[1, 65535] $port,
  String[1]         $root,
  Integer[1]        $workers = 4,
) {
  file { "/etc/sites/${name}.conf":
    content => "listen ${port}\nroot ${root}\nworkers ${workers}\n",
  }
}

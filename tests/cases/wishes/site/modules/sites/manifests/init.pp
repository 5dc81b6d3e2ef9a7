# What the web servers of a site serve.
class sites (
  Hash[String[1], Hash] $vhosts,
  String[1]             $base_url,
) {
  $vhosts.each |$name, $settings| {
    sites::vhost { $name:
      * => $settings,
    }
  }
}

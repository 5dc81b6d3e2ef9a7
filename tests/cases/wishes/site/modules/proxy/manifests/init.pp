# How to get out.
class proxy (String[1] $url) {
  file { '/etc/profile.d/proxy.sh':
    mode    => '0644',
    content => "export http_proxy=${url}\n",
  }
}

# A web proxy in front of some hosts.
class proxy(Integer $port, Array[String] $hosts = ['app1', 'app2']) {
  file { '/etc/proxy.conf': content => template('proxy/proxy.conf.erb') }
}

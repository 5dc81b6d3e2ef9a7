class profile::cloud(String $password = 'not-a-secret') {
  $address = $facts['networking']['ip']
  $rabbit = "rabbit://openstack:${password}@${address}:5672/"
  class { 'keystone::db': database_connection => "mysql+pymysql://keystone:${password}@${address}/keystone" }
  class { 'keystone': service_name => 'httpd', default_transport_url => $rabbit }
  class { 'apache': default_vhost => false }
  class { 'keystone::wsgi::apache': ssl => false, servername => $facts['networking']['fqdn'], workers => $facts['os_workers'] }
  class { 'keystone::bootstrap': password => $password, public_url => "http://${address}:5000" }
  include keystone::cache
  class { 'nova::db': database_connection => "mysql+pymysql://nova:${password}@${address}/nova" }
  class { 'nova': default_transport_url => $rabbit, notification_topics => ['notifications', 'audit'] }
  class { 'nova::keystone::authtoken': password => $password }
  class { 'nova::conductor': workers => $facts['os_workers'] }
  include nova::scheduler
  class { 'nova::vncproxy': host => '0.0.0.0' }
  include nova::quota
}

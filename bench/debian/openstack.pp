# The controller of a small cloud: Keystone, Nova, Neutron, Glance, Cinder and Swift behind one message queue.

$password = 'not-a-secret'
$address = $facts['networking']['ip']
$rabbit = "rabbit://openstack:${password}@${address}:5672/"

class { 'keystone::db': database_connection => "mysql+pymysql://keystone:${password}@${address}/keystone" }
class { 'keystone':
  service_name        => 'httpd',
  default_transport_url => $rabbit,
  enable_fernet_setup => true,
  token_provider      => 'fernet',
}
class { 'apache': default_vhost => false }
class { 'keystone::wsgi::apache': ssl => false, servername => $facts['networking']['fqdn'], workers => 4 }
class { 'keystone::bootstrap': password => $password, public_url => "http://${address}:5000", admin_url => "http://${address}:5000" }
include keystone::cors
include keystone::cron::fernet_rotate
include keystone::cache
include keystone::messaging::amqp
include keystone::policy

class { 'glance::api::authtoken': password => $password }
class { 'glance::api::db': database_connection => "mysql+pymysql://glance:${password}@${address}/glance" }
class { 'glance': }
class { 'glance::api': enabled_backends => ['default_backend:file', 'other:http'], default_backend => 'default_backend' }
glance::backend::multistore::file { 'default_backend': filesystem_store_datadir => '/var/lib/glance/images/' }
glance::backend::multistore::http { 'other': }
class { 'glance::keystone::auth': password => $password }
class { 'glance::notify::rabbitmq': default_transport_url => $rabbit, notification_driver => 'messagingv2' }
class { 'glance::db::mysql': password => $password, allowed_hosts => ['%', $address] }
include glance::cache::logging
include glance::cors
include glance::policy

class { 'nova::db': database_connection => "mysql+pymysql://nova:${password}@${address}/nova", api_database_connection => "mysql+pymysql://nova_api:${password}@${address}/nova_api" }
class { 'nova': default_transport_url => $rabbit, notification_topics => ['notifications', 'audit'] }
class { 'nova::keystone::authtoken': password => $password }
class { 'nova::keystone::auth': password => $password }
class { 'nova::keystone': password => $password }
class { 'nova::api': }
class { 'nova::conductor': workers => 4 }
class { 'nova::scheduler': }
class { 'nova::scheduler::filter': }
class { 'nova::vncproxy': host => '0.0.0.0' }
class { 'nova::compute': vnc_enabled => true, instance_usage_audit => true, instance_usage_audit_period => 'hour' }
class { 'nova::compute::libvirt': virt_type => 'kvm', cpu_mode => 'host-model' }
class { 'nova::placement': password => $password }
class { 'nova::network::neutron': password => $password }
class { 'nova::db::mysql': password => $password }
class { 'nova::db::mysql_api': password => $password }
include nova::cron::archive_deleted_rows
include nova::cors
include nova::quota
include nova::policy

class { 'placement::db': database_connection => "mysql+pymysql://placement:${password}@${address}/placement" }
class { 'placement::keystone::authtoken': password => $password }
class { 'placement::keystone::auth': password => $password }
class { 'placement': }
class { 'placement::api': api_service_name => 'httpd' }
class { 'placement::wsgi::apache': ssl => false }

class { 'neutron': core_plugin => 'ml2', service_plugins => ['router', 'qos', 'trunk'], default_transport_url => $rabbit }
class { 'neutron::db': database_connection => "mysql+pymysql://neutron:${password}@${address}/neutron" }
class { 'neutron::keystone::authtoken': password => $password }
class { 'neutron::keystone::auth': password => $password }
class { 'neutron::server': sync_db => true }
class { 'neutron::server::notifications': }
class { 'neutron::server::notifications::nova': password => $password }
class { 'neutron::server::placement': password => $password }
class { 'neutron::plugins::ml2': type_drivers => ['flat', 'vlan', 'vxlan'], tenant_network_types => ['vxlan'], network_vlan_ranges => ['physnet1:1000:2999'], vni_ranges => ['10:100'], mechanism_drivers => ['openvswitch', 'l2population'] }
class { 'neutron::agents::ml2::ovs': local_ip => $address, tunnel_types => ['vxlan'], bridge_mappings => ['physnet1:br-ex'] }
class { 'neutron::agents::dhcp': enable_isolated_metadata => true }
class { 'neutron::agents::l3': ha_enabled => true }
class { 'neutron::agents::metadata': shared_secret => $password }
class { 'neutron::agents::metering': }
class { 'neutron::db::mysql': password => $password }
include neutron::quota
include neutron::policy
include neutron::cors

class { 'cinder::db': database_connection => "mysql+pymysql://cinder:${password}@${address}/cinder" }
class { 'cinder': default_transport_url => $rabbit }
class { 'cinder::keystone::authtoken': password => $password }
class { 'cinder::keystone::auth': password => $password }
class { 'cinder::api': default_volume_type => 'lvm', service_name => 'httpd' }
class { 'cinder::wsgi::apache': ssl => false }
class { 'cinder::scheduler': }
class { 'cinder::volume': }
class { 'cinder::glance': glance_api_servers => "http://${address}:9292" }
class { 'cinder::backends': enabled_backends => ['lvm1', 'nfs1'] }
cinder::backend::iscsi { 'lvm1': target_ip_address => $address }
cinder::backend::nfs { 'nfs1': nfs_servers => ["${address}:/srv/nfs"] }
class { 'cinder::db::mysql': password => $password }
include cinder::cron::db_purge
include cinder::quota
include cinder::policy

class { 'memcached': max_memory => 256, listen_ip => '127.0.0.1' }
class { 'swift': swift_hash_path_suffix => 'suffix' }
class { 'swift::proxy': proxy_local_net_ip => $address, pipeline => ['healthcheck', 'cache', 'tempurl', 'ratelimit', 'authtoken', 'keystone', 'proxy-server'], account_autocreate => true, node_timeout => 30 }
include swift::proxy::healthcheck
include swift::proxy::cache
include swift::proxy::tempurl
include swift::proxy::ratelimit
include swift::proxy::keystone
include swift::proxy::copy
include swift::proxy::slo
include swift::proxy::dlo
class { 'swift::proxy::authtoken': password => $password }
class { 'swift::keystone::auth': password => $password }
class { 'swift::storage::all': storage_local_net_ip => $address, devices => '/srv/node' }
class { 'swift::ringbuilder': part_power => 14, replicas => 3, min_part_hours => 1 }
Integer[1, 12].each |$i| {
  ring_object_device { "${address}:6000/d${i}": zone => $i, weight => 1 }
  ring_container_device { "${address}:6001/d${i}": zone => $i, weight => 1 }
  ring_account_device { "${address}:6002/d${i}": zone => $i, weight => 1 }
}

class { 'mysql::server': override_options => { 'mysqld' => { 'max_connections' => 1000, 'bind-address' => $address } } }
class { 'rabbitmq': delete_guest_user => true, default_user => 'openstack', default_pass => $password, repos_ensure => false }

['glance', 'nova', 'neutron', 'cinder', 'placement'].each |$name| {
  keystone_user { "${name}-operator": ensure => present, enabled => true, password => $password, email => "${name}@example.com" }
  keystone_user_role { "${name}-operator@services": ensure => present, roles => ['admin', 'service'] }
}
['public', 'private', 'management'].each |$index, $name| {
  neutron_network { $name: ensure => present, shared => $index == 0, tenant_name => 'openstack' }
  neutron_subnet { "${name}-subnet": ensure => present, cidr => "10.${index}.0.0/16", network_name => $name, tenant_name => 'openstack' }
}
['m1.tiny', 'm1.small', 'm1.large'].each |$index, $name| {
  nova_flavor { $name: ensure => present, ram => 512 * ($index + 1), disk => 10 * ($index + 1), vcpus => $index + 1 }
}

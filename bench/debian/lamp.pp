# A web server of the usual kind: Apache with twenty sites, PHP, MySQL with a database for each site, Redis, and what
# goes with them.

class { 'apache':
  default_vhost    => false,
  mpm_module       => 'prefork',
  timeout          => 60,
  keepalive        => 'On',
  log_formats      => { 'vhost_json' => '{\"host\":\"%v\",\"status\":%>s}' },
  server_signature => 'Off',
  trace_enable     => 'Off',
}
class { 'apache::mod::php': content => "AddHandler php .php\n", php_version => '8.2' }
include apache::mod::rewrite
include apache::mod::headers
include apache::mod::expires
include apache::mod::status
include apache::mod::info
include apache::mod::proxy
include apache::mod::proxy_http
include apache::mod::ssl
include apache::mod::remoteip
include apache::mod::actions
include apache::mod::userdir
include apache::mod::vhost_alias
include apache::mod::dav

class { 'mysql::server':
  root_password           => 'not-a-secret',
  remove_default_accounts => false,
  override_options        => {
    'mysqld' => {
      'max_connections'         => 200,
      'innodb_buffer_pool_size' => '1G',
      'bind-address'            => '127.0.0.1',
      'skip-name-resolve'       => true,
    },
  },
}
class { 'mysql::client': }
class { 'redis': bind => '127.0.0.1', maxmemory => '512mb', maxmemory_policy => 'allkeys-lru' }
class { 'ntp': servers => ['0.pool.ntp.org', '1.pool.ntp.org'] }
class { 'memcached': max_memory => 256, listen_ip => '127.0.0.1' }

$sites = Integer[1, 20].map |$i| { "site${i}.example.com" }

$sites.each |$index, $site| {
  $port = 8000 + $index
  $root = "/srv/www/${site}"

  apache::vhost { $site:
    port               => 80,
    docroot            => $root,
    docroot_owner      => 'www-data',
    serveraliases      => ["www.${site}", "m.${site}"],
    redirect_source    => ['/old', '/older'],
    redirect_dest      => ['/new', '/newer'],
    redirect_status    => ['permanent', 'temp'],
    headers            => ['set X-Frame-Options SAMEORIGIN', "set X-Site ${index}"],
    setenv             => ["SITE ${site}", "PORT ${port}"],
    aliases            => [
      { 'alias' => '/static', 'path' => "${root}/static" },
      { 'scriptalias' => '/cgi-bin/', 'path' => "${root}/cgi-bin/" },
    ],
    directories        => [
      { 'path' => $root, 'options' => ['FollowSymLinks', 'MultiViews'], 'allow_override' => ['All'],
        'require' => 'all granted', 'directoryindex' => 'index.php index.html' },
      { 'path' => "${root}/private", 'auth_type' => 'Basic', 'auth_name' => 'Private', 'auth_user_file' => "${root}/.htpasswd",
        'auth_require' => 'valid-user' },
      { 'path' => '\.(png|jpg)$', 'provider' => 'filesmatch', 'headers' => 'Set Cache-Control "max-age=3600"' },
    ],
    rewrites           => [
      { 'comment' => 'to the front controller', 'rewrite_cond' => ['%{REQUEST_FILENAME} !-f', '%{REQUEST_FILENAME} !-d'],
        'rewrite_rule' => ['^(.*)$ /index.php?q=$1 [L,QSA]'] },
    ],
    proxy_pass         => [
      { 'path' => '/api', 'url' => "http://127.0.0.1:${port}/", 'params' => { 'retry' => 0, 'timeout' => 5 } },
      { 'path' => '/feed', 'url' => "http://127.0.0.1:${port}/feed", 'keywords' => ['noquery'], 'reverse_urls' => ["http://feed${index}/"] },
    ],
    error_documents    => [
      { 'error_code' => '404', 'document' => '/404.html' },
      { 'error_code' => '503', 'document' => '/503.html' },
    ],
    custom_fragment    => "  # site ${index}\n  RequestHeader set X-Index ${index}\n",
    php_admin_values   => { 'open_basedir' => "${root}:/tmp", 'memory_limit' => "${index}M" },
    access_log_format  => 'combined',
    priority           => String(10 + $index),
  }
  if $index % 4 == 0 {
    apache::vhost { "${site} ssl":
      servername    => $site,
      port          => 443,
      ssl           => true,
      ssl_cert      => "/etc/ssl/certs/${site}.pem",
      ssl_key       => "/etc/ssl/private/${site}.key",
      ssl_protocol  => ['all', '-SSLv3', '-TLSv1'],
      docroot       => $root,
      docroot_owner => 'www-data',
      headers       => ["always set Strict-Transport-Security 'max-age=31536000'"],
      priority      => String(40 + $index),
    }
  }
  mysql::db { "db_${index}":
    user     => "user_${index}",
    password => "password-${index}",
    host     => 'localhost',
    grant    => ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  }
  file { ["${root}/static", "${root}/cgi-bin", "${root}/private"]:
    ensure => directory,
    owner  => 'www-data',
    mode   => '0750',
  }
  file { "${root}/index.php":
    content => inline_template("<?php // <%= @site %>: <%= @sites.length %> sites, this is number <%= @index + 1 %>\n"),
    owner   => 'www-data',
  }
  file { "${root}/.htpasswd": content => inline_template("<% (1..3).each do |n| -%>\nuser<%= n %>:<%= @port + n %>\n<% end -%>\n") }
  cron { "rotate ${site}":
    command => "/usr/local/bin/rotate ${site}",
    minute  => $index * 3 % 60,
    hour    => [1, 13],
  }
  logrotate::rule { $site:
    path         => "/var/log/apache2/${site}_*.log",
    rotate       => '14',
    rotate_every => 'day',
    compress     => true,
    postrotate   => '/etc/init.d/apache2 reload',
  }
}

$packages = ['php-mysql', 'php-redis', 'php-gd', 'php-curl', 'php-xml', 'php-mbstring', 'php-intl', 'php-zip']
ensure_packages($packages, { 'ensure' => 'installed', 'notify' => Class['apache::service'] })

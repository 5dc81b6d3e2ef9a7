class profile::web(Integer $sites, Integer $timeout = 60, String $domain = 'example.com') {
  class { 'apache': default_vhost => false, mpm_module => 'prefork', timeout => $timeout, keepalive => 'On', server_signature => 'Off' }
  include apache::mod::rewrite
  include apache::mod::headers
  include apache::mod::status
  include apache::mod::proxy
  include apache::mod::proxy_http
  include apache::mod::ssl
  Integer[1, $sites].each |$number| {
    $site = "www${number}.${facts['site']}.${domain}"
    $root = "/srv/www/${site}"
    apache::vhost { $site:
      port            => 80,
      docroot         => $root,
      serveraliases   => ["m${number}.${domain}"],
      redirect_source => ['/old'],
      redirect_dest   => ['/new'],
      headers         => ["set X-Server ${facts['networking']['hostname']}"],
      setenv          => ["SITE ${site}", "WORKERS ${facts['processors']['count']}"],
      directories     => [
        { 'path' => $root, 'options' => ['FollowSymLinks'], 'allow_override' => ['All'], 'require' => 'all granted' },
        { 'path' => "${root}/private", 'auth_type' => 'Basic', 'auth_name' => 'Private', 'auth_user_file' => "${root}/.htpasswd" },
      ],
      rewrites        => [{ 'rewrite_cond' => ['%{REQUEST_FILENAME} !-f'], 'rewrite_rule' => ['^(.*)$ /index.php?q=$1 [L,QSA]'] }],
      proxy_pass      => [{ 'path' => '/api', 'url' => "http://127.0.0.1:${8000 + $number}/" }],
    }
    file { "${root}/index.html": content => "${site}\n", mode => '0644' }
    cron { "report-${site}": command => "/usr/local/bin/report ${site}", minute => fqdn_rand(60, $site) }
    user { "site${number}": ensure => present, uid => 3000 + $number, home => $root }
    group { "site${number}": gid => 3000 + $number }
    file { "${root}/log": ensure => directory, owner => "site${number}", mode => '0700' }
  }
  @@profile::backend { $facts['networking']['hostname']: address => $facts['networking']['ip'], port => 80, tag => $facts['site'] }
}

class { 'proxy': port => 8080 }

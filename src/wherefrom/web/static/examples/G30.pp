$x = 2
class a ($p = 'd') { file { 'f': mode => $::a::p } }
if $x == 1 { $q = 'z' }
class { a: p => $q }

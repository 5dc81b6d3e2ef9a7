$x = 2
class a ($p = 'd') { file { 'f': mode => $::a::p } }
if $::x == 1 { class { a: p => 'z' } }
include a

$x = 2
class a { file { 'f': mode => '1' } }
if $::x == 1 { include a }
file { 'g': mode => '2' }
include a

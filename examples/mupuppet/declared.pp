# A counter-example in which every variable is qualified: whether a class is declared already is state too.
$x = 2
class a ($p = 'd') { file { '/tmp/f': mode => $::a::p } }
if $::x == 1 { class { a: p => 'z' } }
include a

$x = 1
$v = 'top'
class a { }
class c inherits a { file { 'f': mode => $v } }
if $x == 1 { include a }
node default { $v = 'node'
  include c }

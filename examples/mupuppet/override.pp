# The thesis' counter-example: the class would override $y if its parameter were 1.
$y = 1
class a ($x) {
  if $x == 1 { $y = 42 }
  $z = $y
}
class { a: x => 2 }
file { '/tmp/f': mode => $a::z }

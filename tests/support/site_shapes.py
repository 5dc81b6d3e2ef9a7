"""Pieces of Puppet code for `support.site_worlds`, by what they give, one on each line.

Words in angles are holes: `<t>` is an expression that gives a text, `<l>` a list of strings, `<h>` a hash of texts,
`<b>` a truth, `<w>` a word that data has too, `<q>` the same in quotes, `<n>` a number that no other piece has, `<m>`
the same number again. `<known>` is a text of data, `<same>` that again, `<its>` what it is at the node's own site and
`<there>` what it is at another one.
"""

from __future__ import annotations


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.strip("\n").splitlines())


WORDS = _lines("""
a
b
c
site00
site01
one
two
x.y
a-b
A
10
9
(a
a,b
--b
b c
/x/a
""")
"""Texts in data, in facts and in programs: few, so that they meet."""
TEXTS = _lines("""
lookup('l2')[-1]
$facts['word']
$trusted['certname']
lookup('s1')
lookup('s2')
lookup('s3')
lookup('l1')[0]
lookup('h1')['a']
lookup('h2.a.b')
<q>
<var>
<var>
<var>
""")
COMPUTED_TEXTS = _lines("""
"<w>${<t>}"
"${<t>}-${<t>}"
<t>.upcase
regsubst(<t>, <q>.regexpescape_, <t>)
join(<l>, '+')
<t>[0, 2]
(<b> ? { true => <t>, default => <t> })
<t> ? { <q> => <t>, /^(a|s)/ => <t>, default => <t> }
if <b> { <t> } else { <t> }
String(<t>)
sprintf('%s/%s', <t>, <t>)
"${<b>}"
"${<l>}"
"${<h>}"
<l>.reduce('') |$m, $x| { "${m}${x}" }
pick_(<l>.get('5'), <t>)
{ <q> => <t>, <q> => <t> }.dig(<q>)
f1(<t>)
f2(<t>, <t>)
<t>.then |$x| { "<${x}>" }
with(<t>, <t>) |$x, $y| { "${x}${y}" }
<t>.lest || { <t> }
"${<l>.size}"
"${<t>.length}"
"${<l>.index(<t>)}"
"${versioncmp(<t>, <t>)}"
"${compare(<t>, <t>)}"
"${<b> and <b>}"
assert_type(String[1, 12], <t>)
(case <t> { <q>, <q>: { <t> } /b/: { "m-$0" } default: { <t> } })
lookup('s4', default_value => <t>)
lookup(['s4', 's1'])
"${<t> in <l>}"
"${<t>.match(/(a|o)(.)/)}"
strip(<t>)
<t>.capitalize
"${<t>.empty}"
"${max(<t>.length, 3)}"
inline_epp('<%= $v %>!', { v => <t> })
epp('mod/t.epp', { a => <t>, b => <l> })
"${unwrap(Sensitive(<t>))}"
mod::join2(<t>, <t>)
md5(<t>)
lookup("k_${<t>}", default_value => <t>)
"${Integer(<t>.length) + 1}"
"${fqdn_rand(30, <t>)}"
call('f1', <t>)
<l>[-1].then |$x| { $x }.lest || { <t> }
dig_(<h>, <t>)
""")
LISTS = _lines("""
lookup('l1')
lookup('l2')
[<t>, <t>]
[<t>]
<listvar>
<listvar>
<h>.keys
<h>.values
[<q>]
""")
COMPUTED_LISTS = _lines("""
<l> + <l>
<l> - <l>
(<l> + [<t>]).unique
<l>.sort
<l>.map |$x| { "${x}<w>" }
<l>.filter |$x| { $x == <q> or <b> }
<l>.filter |$x| { $x =~ /[ab]/ }
[<l>, <t>].flatten
<t>.split(/[-,]/)
<t>.split(<q>.regexpescape_)
<l>.map |$i, $x| { "${i}${x}" }
Array(<l>.reverse_each)
<l>[0, 1]
<l>.slice(2).map |$x| { $x.join(':') }
lookup('l1', Array[String], 'unique', [<t>])
<l>.filter |$x| { $x in <l> }
lookup('l2', { merge => 'unique' })
<l> << <t>
unique(<l>)
<h>.map |$k, $v| { "${k}${v}" }
""")
HASHES = _lines("""
lookup('h1')
lookup('h2')['a']
{ 'a' => <t> }
<hashvar>
{ <t> => <t>, 'z' => <t> }
lookup('h3')
""")
COMPUTED_HASHES = _lines("""
<h> + <h>
<h>.filter |$k, $v| { $v == <q> or $k == 'a' }
lookup('h1', { merge => 'hash' })
<h> + { <t> => <t> }
lookup('h2', { merge => deep })['a']
Hash(<l>.map |$x| { [$x, $x] })
<h> - [<t>]
lookup('h1', Hash[String, String])
<h>.reduce({}) |$m, $p| { $m + { $p[1] => $p[0] } }
mod::merge(<h>, <h>)
""")
TESTS = _lines("""
<t> == <q>
<t> != <q>
<t> == <t>
<t> =~ /^[a-s]/
<t> =~ /(o|b)(.*)/
<t> in <l>
<q> in <l>
<t> in <h>
<q> in <t>
<b> and <b>
<b> or <b>
!<b>
<l>.any |$x| { $x == <q> }
<l>.all |$x| { $x != <q> }
<l>.empty
<l> == <l>
versioncmp(<t>, <q>) > 0
<t> =~ Enum[<q>, 'b']
<t> =~ String[1, 4]
<t> !~ Pattern[/-/]
<t> =~ Tee
defined(File["/x/${<t>}"])
defined(File['/x/<w>'])
defined(Notify[<t>])
<t> < <q>
<l>.size > 2
<h>['a'] == <t>
<t>.length == 1
lookup('b1')
$facts['flag']
$facts['absent'] == undef
<t> and <b>
<l>[0] == <t>
<h> == <h>
<l>.index(<t>) == 0
defined(D1[<t>])
tagged(<t>)
""")
DECLARATIONS = _lines("""
file { "/x/${facts['site']}": content => <t> }
file { "/x/${<var>}": content => <t> }
notify { "<w>-${<var>}": message => $facts['site'] }
d1 { "<w>-${<var>}": p => "${facts['site']}-${<t>}" }
notify { "n<n>-${<t>}": }
notify { 'n<n>': message => <t> }
notify { 'n<n>': message => <l> }
notify { 'n<n>': message => <h> }
notify { <t>: }
notify { <l>: }
file { "/x/${<t>}": content => <t> }
file { '/x/<w>': mode => '0644' }
file { 'f<n>': path => "/p/${<t>}" }
file { "/y<n>/${<t>}": ensure => present }
exec { "/bin/${<t>} <n>": }
exec { 'e<n>': command => "/bin/${<t>}", unless => <t> }
d1 { <t>: p => <t> }
d1 { "d<n>-${<t>}": p => <t> }
d1 { <l>: }
@notify { "v<n>-${<t>}": tag => <t> }
@file { "/v/${<t>}": }
@@notify { "ex<n>-${<t>}": message => <t> }
@@file { "/e<n>/${<t>}": tag => <q> }
notify { 'n<n>': tag => <t> }
notify { 'n<n>': message => Sensitive(<t>) }
notify { "n<n>-${<t>}": * => { 'message' => <t> } }
create_resources(notify, { "n<n>-${<t>}" => { 'message' => <t> } })
create_resources('d1', lookup('cr'))
user { "u<n>": groups => <l>, comment => <t> }
package { "p<n>-${<t>}": name => <t> }
service { 's<n>': name => <t> }
notify { 'n<n>': message => template('mod/t.erb') }
notify { 'n<n>': message => inline_template(<erb>) }
d2 { 'd<n>': s => <t>, l => <l> }
class { 'k': p => <t> }
notify { 'n<n>': require => File["/x/${<t>}"] }
notify { 'n<n>': require => File['/x/<w>'] }
notify { 'n<n>': before => <l>.map |$x| { Notify[$x] } }
file { '/n<n>': content => <t>, alias => <t> }
notify { 'n<n>': message => "${<t>}", loglevel => err }
notify { default: message => <t>; "n<n>-${<t>}": ; "m<n>-${<t>}": message => 'own' }
ensure_("/x/${<t>}")
file { '/q<n>': content => <t>, require => [File['/base'], Notify['base']] }
""")
STATEMENTS = _lines("""
$<newvar> = @("END"/L)<nl>  text ${<t>} \\<nl>  and ${<t>}<nl>  | END
$<newvar> = <t>
$<newvar> = <t>
$<newlist> = <l>
$<newhash> = <h>
if <b> { <block> }
if <b> { <block> } else { <block> }
unless <b> { <block> }
case <t> { <q>: { <block> } /^(.)(b|1)/: { $<newvar> = $1 } default: { <block> } }
<l>.each |$<loop>| { <block> }
<l>.each |$i<n>, $<loop>| { <block> }
<h>.each |$<loop>, $<loop>| { <block> }
<l>.unique.each |$<loop>| { <block> }
<l>.filter |$x| { $x != <q> }.each |$<loop>| { <block> }
if <t> =~ /^(.)(.*)/ { notify { 'n<n>': message => "$1-$2" } }
if <b> { fail(<t>) }
unless <b> { warning(<t>) }
if <t> == <q> { fail('no') }
File <| title == '/x/<w>' |> { group => <t> }
Notify <| title == <plain> |>
Notify <| tag == <plain> |>
Notify <| message == <q> |>
File <| title == "/v/<w>" |>
realize(File["/v/${<t>}"])
realize(File['/v/<w>'])
File['/x/<w>'] { owner => <t> }
File["/x/${<t>}"] { owner => <t> }
File['/base'] -> Notify["n${<t>}"]
File["/x/${<t>}"] -> Notify['base']
Notify['base'] ~> File['/x/<w>']
File['/base'] -> Notify <| tag == <q> |>
tag(<t>)
Notify { message => <t> }
include k
include "k${<t>}"
contain k
notice(<t>)
f3(<t>)
$<newvar> = File['/base']['content']
Notify <<| tag == <plain> |>>
$<newlist> = <l>.map |$x| { if $x == <q> { next('skip') } "${x}!" }
<l>.each |$x| { if $x == <q> { break() } d1 { "d<n>-${x}": } }
[$<newvar>, $<newvar>] = [<t>, <t>]
if <b> { $<maybe> = <t> }
Notify['base'] { message +> <t> }
<l>.slice(1) |$x| { notify { "n<n>-${x[0]}": } }
$<newvar> = assert_type(Enum['a', 'b', <q>], <t>)
if defined('$g1') and $g1 == <t> { <block> }
""")
MEETINGS = _lines("""
file { "/r<n>/${<known>}": } notify { 'r<m>': require => File["/r<m>/${<same>}"] }
file { "/r<n>/${<known>}": } notify { 'r<m>': require => File['/r<m>/<its>'] }
file { "/r<n>/${<known>}": } notify { 'r<m>': require => [File["/r<m>/${<same>}"], Notify['base']], message => <t> }
file { "/r<n>/${<known>}": } File['/r<m>/<its>'] { owner => <t> }
file { "/r<n>/${<known>}": } File["/r<m>/${<same>}"] { owner => <t> }
file { "/r<n>/${<known>}": } File["/r<m>/${<same>}"] -> Notify['base']
file { "/r<n>/${<known>}": } Notify['base'] ~> File['/r<m>/<its>']
file { "/r<n>/${<known>}": before => Notify['base'] }
@file { "/r<n>/${<known>}": } realize(File["/r<m>/${<same>}"])
@file { "/r<n>/${<known>}": } realize(File['/r<m>/<its>'])
@file { "/r<n>/${<known>}": } File <| title == '/r<m>/<its>' |>
@file { "/r<n>/${<known>}": } File <| title == '/r<m>/<there>' |>
@notify { 'r<n>': message => <known> } Notify <| message == '<there>' |>
@notify { 'r<n>': tag => <known> } Notify <| tag == '<there>' |>
@notify { 'r<n>': tag => <known> } Notify <| tag == '<its>' |>
notify { 'r<n>': tag => <known> } Notify <| title == 'r<m>' and tag != '<there>' |> { message => <t> }
file { "/r<n>/${<known>}": } if defined(File['/r<m>/<there>']) { notify { 'r<m>': } }
file { "/r<n>/${<known>}": } if defined(File['/r<m>/<its>']) { notify { 'r<m>': } }
if defined(File["/r<n>/${<known>}"]) { fail('there') } file { '/r<m>/<there>': }
file { "/r<n>/${<known>}": } file { '/r<m>/<there>': }
file { "/r<n>/${<known>}": } file { 'r<m>': path => '/r<m>/<there>' }
file { "/r<n>/${<known>}": } file { "/r<m>/x${<known>}": }
file { 'r<n>': path => "/r<m>/${<known>}" } notify { 'r<m>': require => File['/r<m>/<its>'] }
file { 'r<n>': path => "/r<m>/${<known>}" } notify { 'r<m>': require => File['r<m>'] }
file { "/r<n>/${<known>}": alias => 'al<m>' } notify { 'r<m>': require => File['al<m>'] }
file { ["/r<n>/${<known>}", "/r<m>/two"]: content => <t> }
d1 { "r<n>-${<known>}": p => <t> } notify { 'r<m>': require => D1["r<m>-${<same>}"] }
d1 { "r<n>-${<known>}": p => <t> } notify { 'r<m>': require => Notify["d1-r<m>-${<same>}"] }
d1 { "r<n>-${<known>}": p => <t> } notify { 'd1-r<m>-<there>': }
d1 { <known>: p => <known> } if defined(D1['<there>']) { notify { 'r<n>': } }
if <known> == '<there>' { fail('no') }
unless <known> == '<its>' { fail('no') }
if <known> == '<there>' or <known> == '<its>' { notify { 'r<n>': message => <t> } }
if <known> =~ Enum['<its>'] { notify { 'r<n>': message => <t> } }
if [<known>, <known>].unique.size == 2 { notify { 'r<n>': message => <t> } }
[<known>, <known>].unique.each |$i, $x| { notify { "r<n>-${i}": message => $x } }
[<known>, <known>].sort.each |$i, $x| { notify { "r<n>-${i}": message => $x } }
[<known>, <known>].each |$x| { notify { "r<n>-${x}": message => <t> } }
$<newhash> = { <known> => <t>, <known> => <t> }
$r<n> = <known> $<newvar> = assert_type(Enum['<its>', '<there>'], $r<m>)
$r<n> = <known> $<newvar> = assert_type(Enum['<its>'], $r<m>)
$r<n> = <known> $<newvar> = { '<its>' => <t>, '<there>' => <t> }[$r<m>].then |$x| { $x }.lest || { 'none' }
$<newvar> = <known> ? { '<there>' => <t>, default => <t> }
$<newlist> = lookup('l1').map |$x| { if $x == '<there>' { <t> } else { $x } }
$<newlist> = [<known>, '<there>'] - [<known>]
notify { 'r<n>': message => inline_epp('<%- | $v | -%>a<% if $v == "<there>" { %>b<% } %><%= $v %>', { v => <known> }) }
$r<n> = <known> notify { 'r<m>': message => inline_template('<%= @r<m> %><% if @r<m> == "<there>" %>x<% end %>') }
$r<n> = <known> notify { 'r<m>': message => inline_template('[<%= @r<m> %>]') }
$r<n> = <known> file { "/r<m>": content => inline_template('<%= [@r<m>, "<there>"].uniq.size %>') }
$r<n> = <known> notify { inline_template('r<m><%= @r<m> %>'): } if defined(Notify['r<m><there>']) { notify { 'r<m>': } }
create_resources(file, { "/r<n>/${<known>}" => { 'content' => <t> } }) File['/r<m>/<its>'] -> Notify['base']
user { "r<n>${<known>}": home => "/h/${<same>}" } file { "/h<n>/${<same>}": owner => <same> }
@@file { "/r<n>/${<known>}": tag => <known> } File <<| tag == '<there>' |>>
""")
ERB = _lines("""
<%= @g1 %>
<%= @gl.join("/") %>
<% @gl.each do |x| %>[<%= x %>]<% end %>
<%= scope["g1"] %>
<%= scope.lookupvar("g1") %>
<% if @g1 == "<w>" %>yes<% else %>no<% end %>
<%= @gh.keys.sort.join %>
<%= @gl.sort.uniq.size %>
<%= @gl.include?("<w>") %>
<%= @missing.inspect %>
<% @gh.each do |k, v| %><%= k %>=<%= v %>;<% end %>
<%= scope.call_function("upcase", [@g1]) %>
<%= @g1 =~ /^(.)b/ ? $1 : "none" %>
<% if @g1 == "<w>" %><% raise "no" %><% end %>
<%= scope.call_function("mod::join2", [@g1, "<w>"]) %>
<%= @gh.fetch("a") %>
<%= @gl[0].sub("a", "b") %>
<%= scope.call_function("lookup", ["s1"]) %>
<%= @gl.map { |x| x.upcase }.max %>
<%- y = @gl.size -%><%= y + 1 %>
<%= scope["k::p"] %>
<%= @site %>
<%= @g1.to_i + 1 %>
<%= @trusted["certname"] %>
<%= @gl.first == @g1 %>
<%= has_variable?("g1") %>
<%= @gh["a"] || "none" %>
""")
TYPES_OF_TEXT = _lines("""
Any
String
String[1]
String[1, 4]
Optional[String]
Enum['a', 'b', 'one', 'site00']
Pattern[/^[a-z]/]
Tee
Variant[Enum['a', 'b'], String[2]]
Scalar
Data
""")
TYPES_OF_LISTS = _lines("""
Any
Array[String]
Array
Array[String[1, 5]]
Array[Tee]
Array[Enum['a', 'b', 'c', 'one']]
Array[String, 1, 2]
""")
TYPES_OF_HASHES = _lines("""
Any
Hash[String, String]
Hash[String, Enum['a', 'b', 'one']]
Struct[{ a => String, Optional[b] => String[1, 3] }]
Hash[Pattern[/^a|b/], Data]
""")
FUNCTIONS = """\
function f1(String $x) { if $x == <q> { return('early') } "f1-${x}" }
function f2($x, $y = <q>) >> String { [$x, $y].join('~') }
function f3($x) { if $x == <q> { fail('f3') } }
function pick_($x, $y) { if $x == undef { $y } else { $x } }
function dig_($h, $k) { $v = $h[$k] if $v =~ String { $v } else { 'none' } }
function ensure_(String $path) { unless defined(File[$path]) { file { $path: content => 'ensured' } } }
function regexpescape_(String $x) { $x.regsubst('[^a-z0-9]', '.', 'G') }
"""
RUBY_FUNCTION = """\
Puppet::Functions.create_function(:'mod::NAME') do
  dispatch :go do
    param 'TYPE', :one
    param 'TYPE', :other
  end
  def go(one, other)
    BODY
  end
end
"""
RUBY_FUNCTIONS = {
    name: RUBY_FUNCTION.replace("NAME", name).replace("TYPE", kind).replace("BODY", body)
    for name, kind, body in (("join2", "String", "one + '&' + other"), ("merge", "Hash", "one.merge(other)"))
}

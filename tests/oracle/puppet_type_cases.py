"""The questions about Puppet's type system that real Puppet has answered (`goldens/puppet_types.json`).

Types and values are written as Puppet writes them; a value may also be `Type(arguments)`. `record_puppet_types.py`
turns each question into a manifest, `tests/unit/puppet_types/test_goldens.py` into calls of `wherefrom.puppet.types`.
"""

from __future__ import annotations

# Every pair of these is compared, and every value below is checked against each of them.
TYPES = """
Any
Undef
Default
Scalar
ScalarData
Data
RichData
RichDataKey
Numeric
Integer
Integer[1, 10]
Integer[5, 5]
Integer[default, 3]
Float
Float[1.0, 2.5]
String
String[1]
String[2, 3]
Enum
Enum['a', 'b']
Enum['A', true]
Pattern
Pattern[/^a/]
Pattern[/a/, /b/]
Regexp
Regexp[/x/]
Boolean
Boolean[true]
Array
Array[Integer]
Array[String, 1, 2]
Array[Optional[Integer], 2]
Array[0, 0]
Hash
Hash[String, Integer]
Hash[Integer, String, 1, 3]
Hash[0, 0]
Tuple
Tuple[Integer]
Tuple[Integer, String]
Tuple[Integer, 0, 3]
Tuple[Integer, String, 1, default]
Struct
Struct[{a => Integer}]
Struct[{a => Integer, Optional[b] => String}]
Struct[{a => Optional[Integer]}]
Struct[{NotUndef[a] => Optional[Integer]}]
Variant[Integer, String]
Variant[Undef, Integer]
Variant[Enum['a'], Enum['b']]
Variant
Optional
Optional[Integer]
Optional['a']
NotUndef
NotUndef[Integer]
NotUndef[Optional[Integer]]
NotUndef[Variant[Undef, String]]
Collection
Collection[1, 2]
Iterable
Iterable[Integer]
Iterable[String[1, 1]]
Iterator
Iterator[Integer]
Callable
Callable[Integer]
Callable[String, Integer, 1, 2]
Callable[0, 0]
Callable[Integer, Callable[String]]
Callable[[Integer], String]
Type
Type[Integer]
Type[Any]
Type[Type[Integer]]
CatalogEntry
Class
Class['a']
Resource
Resource['file']
File['/a']
Sensitive
Sensitive[Integer]
Timestamp
Timestamp['2000-01-01', '2010-01-01']
Timespan
Timespan[1, 10]
SemVer
SemVer['>=1.0.0 <2.0.0']
SemVer['1.2.x', '3.x']
SemVerRange
Binary
URI
URI['http://example.com']
Runtime
Runtime['ruby', 'String']
Init
Init[Integer]
Init[String]
Object
TypeSet
""".strip().splitlines()

VALUES = """
undef
default
true
false
0
1
5
11
-3
1.0
2.5
3.75
''
'a'
'A'
'ab'
'abcd'
'bcd'
/x/
/y/
[]
[1]
[1, 2]
['a']
['a', 'b', 'c']
[1, 'a']
[undef, 1]
[[1], ['a']]
{}
{a => 1}
{a => undef}
{a => 1, b => 'x'}
{1 => 'a'}
{1 => 'a', 'b' => 2}
{a => {b => [1, 2.0]}}
Integer
Integer[1, 10]
Integer[1, 3]
String
Enum['a', 'b']
Class['a']
File['/a']
Sensitive(1)
Sensitive('x')
Timestamp('2005-05-05')
Timestamp('1999-01-01T10:00:00')
Timespan(5)
Timespan(50)
SemVer('1.2.3')
SemVer('2.5.0')
SemVer('1.2.3-rc1')
SemVerRange('>=1.0.0')
Binary('YWJj')
URI('http://example.com/x')
URI('https://example.com')
""".strip().splitlines()

# How types print, and what is said about those that cannot be made.
ACCESS = """
Integer[5, 1]
Integer['a']
Integer[default, 5]
Integer[default, default]
Integer[1, 2, 3]
Integer[3]
Float[1, 2]
Float[1.5]
Float[default, 1e20]
Float['a']
Float[2.5, 1]
Any[1]
Data[1]
Scalar[1]
Undef[1]
Numeric[1]
Array[1]
Array[String, String]
Array[String, 1]
Array[String, default, 3]
Array[String, 1, 2, 3]
Array[1, 2]
Array[1, 2, 3]
Array[Integer, 0, 0]
Array[Integer, Integer[1, 2]]
Array[Any]
Array[Any, 1]
Hash[String]
Hash[String, 1]
Hash[1, 2]
Hash[String, Integer, 3]
Hash[String, Integer, 1, 2]
Hash[String, Integer, 1, 2, 3]
Hash[Any, Any]
Hash[String, Any]
Struct[1]
Struct[{a => 1}]
Struct[{'' => String}]
Struct[{Integer => String}]
Struct[{Optional[Integer] => String}]
Struct[{Enum['a', 'b'] => String}]
Struct[{a => Optional[Integer], Optional[b] => String, NotUndef[c] => Optional[String], Optional[d] => Optional[Any]}]
Struct[{Enum['a'] => Integer}]
Enum[1]
Enum['b', 'a', 'b']
Enum['a', true]
Enum['a', false]
Enum[true]
Pattern['(']
Pattern[1]
Pattern['a/b', /c/, Pattern[/d/], Regexp[/e/]]
Regexp['a/b']
Regexp[1]
Regexp[/a/, /b/]
Variant[1]
Variant[Integer]
Variant[Integer, Variant[String, Integer]]
Variant[[Integer, String]]
Callable[1, 2]
Callable['a']
Callable[String, default, 2]
Callable[0, 0]
Callable[String, Callable]
Callable[String, Optional[Callable]]
Callable[[String, 1], Integer]
Callable[[String], Integer, 3]
Callable[[0, 0], Integer]
Callable[[], Integer]
Callable[String, 1, 3, Callable[Integer]]
Runtime['ruby', 'Foo']
Runtime['ruby']
Runtime[1, 2]
Timespan[3, 1]
Timespan['1-00:00:00']
Timespan[1, 2.5]
Timespan[{hours => 3}]
Timespan[1, 2, 3]
Timestamp['2000-01-01', default]
Timestamp[1, 2]
String[1, 2, 3]
String['a']
String[1]
String[-1, 3]
String[Integer[1, 4]]
Optional['a']
Optional[1]
Optional[Integer, String]
Optional[Optional[Integer]]
NotUndef[1]
NotUndef['a']
NotUndef[Any]
NotUndef[String, Integer]
Tuple[1]
Tuple[Integer, 1]
Tuple[Integer, 1, 3]
Tuple[Integer, 'a']
Tuple[Integer, String, default, 4]
Type[1]
Type[Integer]
Sensitive[1]
Sensitive[Integer[1, 2]]
Iterable[1]
Iterable[Integer[1, 2]]
Iterator[String]
Collection[1, 2, 3]
Collection[1]
Collection['a']
Boolean[1]
Boolean[true]
SemVer['>=1.0.0', '<0.5.0']
SemVer['>=1.0.0 <2.0.0', '>=1.5.0 <3.0.0']
SemVer[1]
SemVer['nonsense']
Init[Integer, 16]
Init[1]
URI['http://u@foo.com:8080/a?b#c']
URI[{host => /x/, port => 80}]
URI[1]
URI[{nonsense => 1}]
Resource['file', 'a', 'b']
Resource['file']
Resource['file', 'a']
Resource[File]
Resource[File, 'a']
Resource[1]
Resource['a b']
Resource['foo::bar', 'x']
File[1]
File['a', 'b']
File[['a', 'b']]
File[undef]
File[[undef, 'a']]
Class['a']
Class['a', 'B::C']
Class['::a']
Class['Foo bar']
Class[1]
Class[[a, b]]
Object[{attributes => {a => Integer}}]
Object[{attributes => {a => {type => Integer, value => 3}}, constants => {c => 'x'}, equality => [a]}]
Object[{attributes => {a => 3}}]
Object[{foo => 3}]
Object[1]
TypeAlias
""".strip().splitlines()

# `T.new(arguments)`: a type, then the arguments.
NEW = """
Integer | 'a', 3
Integer |
Integer | '0x1F', 10
Integer | '0x1F'
Integer | '0x1F', 16
Integer | '0b101'
Integer | '0b101', 2
Integer | '017'
Integer | '017', 10
Integer | '017', 8
Integer | '09'
Integer | 'ff', 16
Integer | 'abc'
Integer | ''
Integer | [1]
Integer | '1', 2, 3, 4
Integer | {from => 'a'}
Integer | {from => '1', radix => 3}
Integer | {from => '1', foo => 3}
Integer | {from => '-5', abs => true}
Integer | undef
Integer | default
Integer | true
Integer | 1.99
Integer | -1.99
Integer | 1e20
Integer | '12_000'
Integer | ' 12'
Integer | '+ 12'
Integer | '- 0x1F'
Integer | Timespan(3.9)
Integer | Timestamp(1.5)
Integer | '-12', 10, true
Integer | -7, default, true
Integer[5] | '3'
Integer[1, 3] | '2'
Float | 'abc'
Float | '0b11'
Float | 'a', 1
Float | 3
Float | true
Float | '1e3'
Float | '- 3.5'
Float | '0x10'
Float | '010'
Float | '1.5', true
Float | '-1.5', true
Float | {from => '-1.5', abs => true}
Float | [1]
Float | Timespan(1.5)
Numeric | '0x1f'
Numeric | '1.5'
Numeric | '1e2'
Numeric | '017'
Numeric | '0b11'
Numeric | true
Numeric | 'abc'
Numeric | '1', 'x'
Numeric | -3, true
Numeric | undef
Boolean | 'yup'
Boolean | 'Yes'
Boolean | 'N'
Boolean | 'FALSE'
Boolean | 0
Boolean | 0.0
Boolean | 2
Boolean | undef
Boolean | 'yes', 'no'
Boolean | [1]
String | 1, 2
String |
String | 1, ''
String | undef
String | default
String | [1, 'a', undef]
String | {a => 1}
String | 1.5
String | true
String | /a/
String | Integer[1]
String | Sensitive(1)
String | SemVer('1.2.3')
String | Timespan(5)
String | Binary('YWJj')
String | URI('http://x.y')
String[3] | 12
Array | 1
Array | 3
Array | 'abc'
Array | {a => 1, b => 2}
Array | undef
Array | undef, true
Array | [1], true
Array | 5, true
Array | {a => 1}, true
Array | 1, 2
Array | Integer[1, 3]
Array | Enum['b', 'a']
Array | Binary('YWJj')
Array | 1.5
Array[Integer] | ['a']
Tuple[Integer] | ['a']
Tuple[Integer, Integer] | 2
Hash | [1, 2, 3]
Hash | [1, 2, 3, 4]
Hash | 1
Hash | 2
Hash | []
Hash | [[1, 2], [3, 4]]
Hash | [[1, 2], [1, 4]]
Hash | [[[a, 0], 1], [[a, b], 2]], 'tree'
Hash | [[[0], a], [[3], [1, 2]]], 'hash_tree'
Hash | [[[], {a => 1}], [[b], [3]]], 'tree'
Hash | [[[a], [1, 2]], [[a, 0], 5]], 'tree'
Hash | [[[a, b], 1]], 'foo'
Hash | 'abc'
Hash | 'ab'
Hash | undef
Hash[String, Integer] | [a, 1]
Hash[String, Integer] | [a, b]
Struct[{a => Integer}] | {a => 'x'}
Struct[{a => Integer}] | [a, 1]
Regexp | 'a.b', true
Regexp | 'a+'
Regexp | '('
Regexp | 1
Type | 'Integer[1,2]'
Type | '1'
Type | 'Foo'
Type | 'Hash[String, Array[Integer, 1]]'
Type | ''
Sensitive | 'a'
Sensitive | Sensitive(1)
Sensitive[Integer] | 'a'
Timespan | 3.5
Timespan | 90061
Timespan | -90061.5
Timespan | '1:10:20'
Timespan | '2-03:04:05.678'
Timespan | '-1-00:00:00'
Timespan | '10'
Timespan | 1, 2, 3, 4
Timespan | 1, 2, 3, 4, 5, 6, 7
Timespan | {days => 1, negative => true}
Timespan | {string => '10:20', format => '%H:%M'}
Timespan | 'foo'
Timespan | 'foo', '%H'
Timespan | '10', '%H'
Timespan | '10 20', ['%M', '%H %M']
Timespan | '5', '%N'
Timespan | '5', '%Q'
Timespan | true
Timestamp | '2016-09-28T10:00:01.5 UTC'
Timestamp | '2016-09-28T10:00:01 +02:00'
Timestamp | '2016-09-28 10:00:01'
Timestamp | '2016-09-28'
Timestamp | 1.5
Timestamp | 1234567890
Timestamp | -1
Timestamp | '2016', '%Y'
Timestamp | '2016-01-01', '%F', '+02:00'
Timestamp | '10 Mar 2017', '%d %b %Y'
Timestamp | '12:30 PM 2017-01-02', '%I:%M %p %F'
Timestamp | {string => '2016-01-01', timezone => 'EST'}
Timestamp | 'foo'
Timestamp | 'foo', '%F'
Timestamp | '2016-01-01 x', '%F'
SemVer | '1.2.3-rc1+b'
SemVer | '1.2.3-rc.1.2'
SemVer | 1, 2, 3
SemVer | 1, 2, 3, 'rc1', 'b4'
SemVer | {major => 1, minor => 2, patch => 3, prerelease => 'x'}
SemVer | '1.2'
SemVer | 1, 2
SemVer | '01.2.3'
SemVerRange | '>=1.0.0 <2.0.0'
SemVerRange | '1.x'
SemVerRange | SemVer('1.0.0'), SemVer('2.0.0')
SemVerRange | SemVer('1.0.0'), SemVer('2.0.0'), true
SemVerRange | default, default
SemVerRange | {min => SemVer('1.0.0'), max => SemVer('2.0.0')}
SemVerRange | 'foo'
SemVerRange | 1
Binary | 'YWJj'
Binary | [97, 98]
Binary | 'abc', '%s'
Binary | 'YWJj', '%b'
Binary | 'YW-_', '%u'
Binary | {value => 'YWJj', format => '%b'}
Binary | {value => [1, 2]}
Binary | 'a'
Binary | 'abc', '%x'
Binary | [256]
URI | 'http://u@a.b:80/c?d#e'
URI | 'http://u@a.b:8080/c?d#e'
URI | 'mailto:me@example.com'
URI | '/a/b'
URI | {scheme => 'http', host => 'x'}
URI | {scheme => 'https', host => 'x', port => 443, path => '/p', query => 'q'}
URI | 'a b'
URI | 1
Any | 1
Scalar | [1]
Optional[Integer] | '3'
Optional[Integer] | undef
NotUndef | 3
NotUndef[Integer] | '3'
Variant[Integer, String] | [1]
Enum['a'] | 'b'
Pattern[/a/] | 'b'
Callable | 1
Undef | 1
Default | 1
Init[Integer] | '3'
Init[Integer] | ['ff', 16]
Init[Integer, 16] | 'ff'
Init[Integer, 16] | '0xff'
Init[Integer, 'x'] | '1'
Init[Optional[Integer]] | '1'
Data | [Integer]
Class | 'a'
Iterable | undef
Deferred | 'foo', [1]
Deferred | 'foo'
Deferred | '$x'
Deferred | 'Foo'
Deferred | {name => 'foo', arguments => [1]}
Error | 'foo'
Error | 'foo', 'k', {a => 1}, 'CODE'
Error | {msg => 'foo', kind => 'k'}
Error | 1
Error | 'foo', 1
Collection | 1
ScalarData | undef
""".strip().splitlines()

# `String(value, format)`
FORMATS = """
255 | '%d'
255 | '%x'
255 | '%X'
255 | '%#x'
255 | '%#X'
255 | '%o'
255 | '%#o'
255 | '%b'
255 | '%#b'
255 | '%B'
255 | '%#B'
255 | '%08d'
255 | '%8d'
255 | '%-8d|'
255 | '%-8d'
255 | '%+d'
255 | '% d'
255 | '%.5d'
255 | '%e'
255 | '%E'
255 | '%f'
255 | '%.2f'
255 | '%g'
255 | '%G'
255 | '%a'
255 | '%A'
255 | '%s'
255 | '%#s'
255 | '%10s'
255 | '%-10s'
255 | '%p'
65 | '%c'
65 | '%#c'
8364 | '%c'
255 | '%q'
255 | '%5.1f'
-255 | '%x'
-255 | '%+x'
-255 | '%#x'
-255 | '%o'
-255 | '%b'
-255 | '%010d'
-1 | '%x'
-1 | '%b'
-8 | '%o'
-16 | '%08x'
0 | '%#x'
18.6 | '%d'
18.6 | '%x'
18.6 | '%f'
18.6 | '%.1f'
18.6 | '%010.3f'
18.6 | '%e'
18.6 | '%g'
18.6 | '%s'
18.6 | '%#s'
18.6 | '%p'
18.6 | '%a'
-0.5 | '%a'
1e100 | '%g'
1e-7 | '%p'
1e16 | '%s'
123456789.0 | '%g'
18.6 | '%c'
'hello' | '%s'
'hello' | '%p'
'hello' | '%#p'
'hello::World' | '%c'
'hello::world' | '%C'
'hello' | '%u'
'HELLO' | '%d'
'  x  ' | '%t'
'hello' | '%#u'
'hello' | '%10s'
'hello' | '%-10s'
'hello' | '%.2s'
'hello' | '%10.2s'
'hello' | '%#10c'
"it's" | '%p'
'it"s' | '%#p'
'a\\nb' | '%p'
"a\\nb" | '%p'
"tab\\t" | '%p'
'$x' | '%#p'
'hello' | '%x'
true | '%t'
true | '%#t'
true | '%T'
false | '%#T'
true | '%y'
false | '%Y'
true | '%#y'
true | '%d'
true | '%x'
true | '%f'
true | '%s'
true | '%p'
true | '%5t'
true | '%q'
undef | '%s'
undef | '%#s'
undef | '%p'
undef | '%#p'
undef | '%n'
undef | '%#n'
undef | '%u'
undef | '%#u'
undef | '%d'
undef | '%v'
undef | '%V'
undef | '%5v'
undef | '%q'
default | '%d'
default | '%D'
default | '%#d'
default | '%s'
default | '%p'
default | '%x'
/a.b/ | '%s'
/a.b/ | '%p'
/a.b/ | '%#s'
/a\\/b/ | '%p'
/a.b/ | '%10s'
/a.b/ | '%d'
Integer[1, 2] | '%s'
Integer[1, 2] | '%#s'
Integer[1, 2] | '%p'
Integer[1, 2] | '%20s'
Integer[1, 2] | '%d'
Data | '%s'
Binary('YWJj') | '%s'
Binary('YWJj') | '%#s'
Binary('YWJj') | '%p'
Binary('YWJj') | '%b'
Binary('YWJj') | '%B'
Binary('YWJj') | '%u'
Binary('YWJj') | '%t'
Binary('YWJj') | '%#t'
Binary('YWJj') | '%x'
SemVer('1.2.3') | '%s'
SemVer('1.2.3') | '%10s'
Timespan(5) | '%s'
Timespan(5) | '%d'
Sensitive(1) | '%s'
URI('http://x.y') | '%p'
URI('http://x.y') | '%s'
URI('http://x.y') | '%#s'
URI('http://x.y') | '%d'
[1, 'a', undef, true, 2.5] | '%a'
[1, 'a', undef, true, 2.5] | '%s'
[1, 'a'] | '%p'
[1, 'a'] | '%(a'
[1, 'a'] | '%<a'
[1, 'a'] | '%|a'
[1, 'a'] | '%{a'
[1, 'a'] | '% a'
[1, 'a'] | '%d'
[1, 'a'] | '%#a'
[1, 'a'] | '%#3a'
[1, 'a'] | '%#30a'
[1, [2, 3], 4] | '%a'
[1, [2, 3], 4] | '%#a'
[1, [2, [3, 4]], {a => [1, 2]}, 5] | '%#a'
[[1, 2], [3, 4]] | '%#a'
[] | '%a'
[] | '%#a'
{} | '%h'
{} | '%#h'
{a => 1, b => [1, 2]} | '%h'
{a => 1, b => [1, 2]} | '%s'
{a => 1, b => [1, 2]} | '%p'
{a => 1, b => [1, 2]} | '%a'
{a => 1, b => [1, 2]} | '%(h'
{a => 1, b => [1, 2]} | '% h'
{a => 1, b => [1, 2]} | '%#h'
{a => {b => {c => 1}}} | '%#h'
{a => {b => [1, {c => 2}]}} | '%#h'
{a => 1} | '%d'
{1 => 'x', 2.5 => undef, true => default} | '%p'
[1, 255] | {Array => {format => '%(a', separator => ';'}}
[1, 255] | {Array => {format => '%[a', separator => ' ', string_formats => {Integer => '%#x'}}}
[1, 'a', 2.5] | {Array => {format => '%a', string_formats => {Integer => '%d', String => '%u', Float => '%.3f'}}}
{a => 1, b => 'x'} | {Hash => {format => '%<h', separator => '; ', separator2 => ': '}}
{a => 1, b => 'x'} | {Hash => {format => '% h', separator => '&', separator2 => '=', string_formats => {Any => '%s'}}}
[1, [2, 3]] | {Array => {format => '%a', separator => '-'}}
255 | {Integer => '%x'}
255 | {Numeric => '%x'}
255 | {Float => '%x'}
255 | {Integer[0, 10] => '%d', Integer => '%x'}
5 | {Integer[0, 10] => '%b', Integer => '%x'}
[5, 50] | {Array => '%a', Integer => '%x'}
'x' | {String => '%p'}
[1] | {Array => {foo => 1}}
[1] | {Array => '%q'}
1 | 'x'
1 | '%##d'
1 | '%[{d'
1 | {1 => '%d'}
""".strip().splitlines()

# `assert_type(T, value)`: what is said about a value of the wrong type.
MISMATCHES = """
Integer | 'a'
Integer[1, 10] | 11
Integer[1, 10] | 'a'
Integer | undef
Integer | default
Integer | [1]
Integer | {a => 1}
Float | 1
Float[1.0, 2.0] | 3.5
Numeric | 'a'
String | 1
String[1] | ''
String[3] | 'ab'
String[1, 3] | 'abcd'
String | undef
Boolean | 'true'
Boolean[true] | false
Undef | 1
Enum['a', 'b'] | 'c'
Enum['a', 'b'] | 1
Enum['a', true] | 'b'
Optional[Enum['a', 'b']] | 'c'
Pattern[/^a/] | 'bcd'
Pattern[/^a/] | 1
Pattern[/^a/, /b$/] | 'xyz'
Optional[Pattern[/a/]] | 'x'
Regexp | 'a'
Regexp[/a/] | /b/
Optional[Integer] | 'a'
Optional[Integer[1, 2]] | 3
Optional[String[1]] | ''
Optional[Array[Integer]] | ['a']
NotUndef | undef
NotUndef[Integer] | 'a'
NotUndef[Optional[Integer]] | undef
Variant[Integer, String] | true
Variant[Integer, Float, Boolean] | 'a'
Variant[Integer[1, 2], String[3]] | 5
Variant[Integer[1, 2], String[3]] | 'a'
Variant[Array[Integer], Hash[String, Integer]] | ['a']
Variant[Array[Integer], Array[String]] | [1.5]
Variant[Undef, Integer, String] | true
Variant[Enum['a'], Enum['b']] | 'c'
Variant[Enum['a'], Pattern[/b/]] | 'c'
Variant[Integer, Enum['a']] | 'c'
Variant[Optional[Integer], String] | 1.5
Variant[Struct[{a => Integer}], Struct[{b => Integer}]] | {a => 'x'}
Variant[Array[Integer, 2], Array[Integer, 5]] | [1]
Array | 1
Array | {a => 1}
Array[Integer] | 'a'
Array[Integer] | ['a']
Array[Integer] | [1, 'a', 2, 'b']
Array[Integer, 2] | [1]
Array[Integer, 1, 2] | [1, 2, 3]
Array[Integer, 1] | []
Array[Array[Integer]] | [[1], ['a']]
Array[Variant[Integer, String]] | [true]
Array[Optional[Integer]] | [undef, 'a']
Array[Enum['a']] | ['a', 'b']
Array[Struct[{a => Integer}]] | [{a => 1}, {b => 2}]
Hash | [1]
Hash | 'a'
Hash[String, Integer] | {a => 'b'}
Hash[String, Integer] | {1 => 2}
Hash[String, Integer] | {a => 1, b => 'x', c => 'y'}
Hash[String, Integer, 2] | {a => 1}
Hash[Integer, String] | {a => 'x'}
Hash[String[2], Integer] | {a => 1}
Hash[String, Hash[String, Integer]] | {a => {b => 'c'}}
Hash[Enum['x'], Any] | {y => 1}
Tuple[Integer, String] | [1]
Tuple[Integer, String] | [1, 2]
Tuple[Integer, String] | ['a', 'b']
Tuple[Integer, String] | 'a'
Tuple[Integer, String, 1, 3] | [1, 2, 'x', 'y']
Tuple[Integer, 1, 2] | []
Tuple[Integer] | {a => 1}
Struct[{a => Integer}] | {a => 'b'}
Struct[{a => Integer}] | {}
Struct[{a => Integer}] | {b => 1}
Struct[{a => Integer}] | {a => 1, b => 2}
Struct[{a => Integer}] | 'x'
Struct[{a => Integer}] | [1]
Struct[{a => Integer}] | {1 => 2}
Struct[{a => Integer, Optional[b] => String}] | {a => 1, b => 2}
Struct[{a => Integer, b => Struct[{c => String}]}] | {a => 1, b => {c => 1}}
Struct[{a => Integer, b => Integer}] | {a => 'x', b => 'y'}
Struct[{a => Optional[Integer]}] | {a => 'x'}
Collection | 1
Collection[3] | [1]
Iterable | true
Iterable[Integer] | ['a']
Iterator | [1]
Callable | 1
Type | 1
Type[Integer] | String
Type[Integer[1, 2]] | Integer
Type[Array] | Integer
Class | 'a'
Class['a'] | Class['b']
Type[Class['a']] | Class['b']
Resource | 'a'
Type[File] | Class['b']
Type[File['a']] | File['b']
CatalogEntry | 1
Sensitive | 1
Sensitive[Integer] | Sensitive('a')
Sensitive[String[5]] | Sensitive('a')
Timestamp | 1
Timestamp['2000-01-01', '2010-01-01'] | Timestamp('2020-01-01')
Timespan | 1
Timespan[1, 10] | Timespan(50)
SemVer | '1.0.0'
SemVer['>=2.0.0'] | SemVer('1.0.0')
SemVerRange | 1
Binary | 'a'
URI | 'a'
URI['http://a.b'] | URI('http://c.d')
Data | Integer
Data | [Integer]
Data | {1 => 2}
RichData | Callable
Scalar | [1]
ScalarData | /a/
Default | 1
Runtime['ruby', 'String'] | 'a'
Init[Integer] | [1]
Init[Integer] | 'abc'
Object | 1
""".strip().splitlines()

# Calls of a function of the Puppet language: arguments, then the parameters.
CALLS = """
1 | String $x
'a' | Integer[1, 2] $x
1, 'a' | Integer $x
1 | Integer $x, Integer $y
1 | Integer $x, String $y = 'a', Integer $z = 3
1, 2 | Integer $x, String $y = 'a'
1, 'a', 2 | Integer $x, String *$y
 | Integer $x
 | Integer *$x
1 |
'a', 'b' | Enum['x'] $x, Integer $y
{a => 'b'} | Hash[String, Integer] $x
[1, 'a'] | Array[Integer] $x
undef | NotUndef $x
1.5 | Variant[Integer, String] $x
'a' | Optional[Integer] $x
{a => 1, c => 2} | Struct[{a => String, b => Integer}] $x
""".strip().splitlines()

# Operators on values: left, operator, right.
OPERATORS = """
'a' | == | 'A'
'ä' | == | 'Ä'
1 | == | 1.0
1 | == | '1'
true | == | 1
undef | == | ''
undef | == | undef
default | == | default
[1, 'a'] | == | [1.0, 'A']
[1] | == | [1, 2]
{a => 1} | == | {a => 1.0}
{a => 1} | == | {'A' => 1}
{a => 'x', b => 1} | == | {b => 1, a => 'X'}
{a => undef} | == | {b => undef}
/a/ | == | /a/
/a/ | == | 'a'
Integer | == | Integer
Integer[1, 2] | == | Integer[1, 2]
Variant[Integer, String] | == | Variant[String, Integer]
File['a'] | == | File['A']
File['a'] | == | Resource['FILE', 'a']
Timespan(5) | == | Timespan(5.0)
SemVer('1.2.3') | == | SemVer('1.2.3')
SemVer('1.2.3+a') | == | SemVer('1.2.3+b')
Sensitive(1) | == | Sensitive(1)
Sensitive(1) | == | Sensitive(2)
Binary('YWJj') | == | Binary('YWJj')
1 | < | 2
1 | < | 1.5
'a' | < | 'B'
'a' | < | 'b'
'a' | > | 'A'
'a' | >= | 'A'
1 | < | 'a'
'a' | < | 1
[1] | < | [2]
undef | < | 1
true | < | false
default | < | default
Timespan(1) | < | Timespan(2)
Timespan(1) | < | 2
2 | > | Timespan(1)
Timestamp(1) | < | Timestamp(2)
Timestamp(1) | < | Timespan(2)
SemVer('1.2.3') | < | SemVer('1.10.0')
SemVer('1.2.3-rc1') | < | SemVer('1.2.3')
SemVer('1.2.3') | < | '1.2.4'
/a/ | < | /b/
'ell' | in | 'Hello'
'x' | in | 'Hello'
/l+/ | in | 'hello'
'A' | in | ['a', 'b']
1 | in | [1.0]
'abc' | in | [/b/]
'abc' | in | [String]
Integer | in | ['a', 1]
/b/ | in | ['abc']
'A' | in | {a => 1}
1 | in | '123'
undef | in | [undef]
undef | in | 'a'
SemVer('1.5.0') | in | SemVerRange('>=1.0.0 <2.0.0')
SemVer('1.5.0-rc1') | in | SemVerRange('>=1.0.0 <2.0.0')
'1.5.0' | in | SemVerRange('>=1.0.0 <2.0.0')
[1] | in | [[1]]
'abc' | =~ | /B/
'abc' | =~ | /b/
'abc' | =~ | String
'abc' | =~ | Enum['abc']
1 | =~ | Integer[2]
SemVer('1.5.0') | =~ | SemVerRange('1.x')
""".strip().splitlines()

RANGES = """
>=1.0.0
>1.0.0
<2.0.0
<=2.0.0
1.2.3
=1.2.3
1.x
1.2.x
*
~1.2.3
~1.2
~1
^1.2.3
^0.2.3
^1.2
1.0.0 - 2.0.0
1.0 - 2.0.0
>=1.0.0 <2.0.0
>=1.2.3-rc1 <2.0.0
1.x || 3.x
>1.2
<=1.2
>= 1.0.0
~> 1.2
1.2.3-rc1
""".strip().splitlines()
VERSIONS = """
0.0.1 0.2.3 0.2.9 0.3.0 1.0.0-rc1 1.0.0 1.2.3-rc1 1.2.3-rc2 1.2.3 1.2.9 1.3.0 1.9.9 2.0.0-a 2.0.0 2.5.0 3.0.0
""".split()

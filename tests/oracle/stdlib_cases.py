"""Questions about every function of Debian's `stdlib` module: calls written by hand, and calls over a pool of values.

`CALLS` has, for each function, expressions one to a line; `POOL` is what the generated calls take their arguments from;
`MANIFESTS` are programs about functions that act on the catalog. Functions that answer by chance or by the clock
(`BY_CHANCE`) are asked only for their errors.
"""

from __future__ import annotations

from random import Random

POOL = (
    "undef", "''", "'a'", "'Hello World'", "'10'", "'true'", "'/etc/x'", "0", "-3", "2.5", "true", "false", "[]",
    "['a', 'b', 'a']", "[1, [2, undef], 'x']", "{}", "{'a' => 1, 'b' => [2, 3]}", "{'k' => {'n' => undef}}", "'10.0.0.1'",
)  # fmt: skip

BY_CHANCE = ("shuffle", "str2saltedsha512", "time", "pry", "validate_cmd", "validate_augeas")

CALLS: dict[str, str] = {
    "abs": "abs(-34.5)\nabs('-3')\nabs('x')\nabs([])\nabs(4)",
    "any2array": """any2array('a')
any2array('a', 'b')
any2array([1, 2])
any2array({'k' => 1, 'j' => [2]})
any2array()
any2array('')
any2array({})
any2array(undef)""",
    "any2bool": "any2bool('yes')\nany2bool('n')\nany2bool(1)\nany2bool(0)\nany2bool('x')\nany2bool([])\nany2bool('')",
    "base64": """base64('encode', 'thestring')
base64('decode', 'dGhlc3RyaW5n')
base64('encode', 'thestring', 'strict')
base64('encode', 'a long text that needs more than sixty characters so that it is broken into lines, is it not?')
base64('encode', 'a?b>', 'urlsafe')
base64('decode', 'YT9iPg==', 'urlsafe')
base64('x', 'y')
base64('encode', 1)
base64('encode', 'a', 'b')""",
    "basename": "basename('/path/to/a/file.ext')\nbasename('relative/file.ext', '.ext')\nbasename('/a/b/', 'x')\nbasename(1)\nbasename('a', 2)",
    "batch_escape": "batch_escape('a b\"c')\nbatch_escape('')\nbatch_escape(1)\nbatch_escape('50%')\nbatch_escape(['a'])",
    "bool2num": "bool2num(true)\nbool2num('yes')\nbool2num('0')\nbool2num('x')\nbool2num(1)\nbool2num(undef)",
    "bool2str": "bool2str(true)\nbool2str(true, 'yes', 'no')\nbool2str(false, 't', 'f')\nbool2str('x')\nbool2str(true, 1, 2)\nbool2str(true, 'a')",
    "camelcase": "camelcase('aa_bb')\ncamelcase(['aa_bb', 'c_d'])\ncamelcase({})\ncamelcase('')\ncamelcase(1)",
    "capitalize": "capitalize('aBC')\ncapitalize(['ab', 'cd'])\ncapitalize('')\ncapitalize(1)\ncapitalize({})",
    "ceiling": "ceiling(2.1)\nceiling('2.1')\nceiling(-2.1)\nceiling('x')\nceiling(3)",
    "chomp": "chomp(\"a\\n\")\nchomp([\"a\\r\\n\", 'b'])\nchomp('')\nchomp(1)\nchomp({})",
    "chop": "chop('ab')\nchop(['ab', 'c'])\nchop('')\nchop(\"a\\r\\n\")\nchop({})",
    "clamp": "clamp('24', [575, 187])\nclamp(16, 88, 661)\nclamp([4, 3, '99'])\nclamp(1, 2)\nclamp('a', 2, 3)\nclamp()",
    "concat": """concat(['1','2','3'], '4')
concat(['1','2','3'], '4', ['5','6','7'])
concat(['a'], {'b' => 1})
concat(['a'], [['b']])
concat('a', 'b')
concat(['a'])
concat([], undef)""",
    "convert_base": "convert_base(5, 2)\nconvert_base('254', '16')\nconvert_base('x', 2)\nconvert_base(5, 40)\nconvert_base(5.5, 2)\nconvert_base(5, '0')",
    "count": "count(['a', 'b', 'a'], 'a')\ncount(['a', '', undef, 1])\ncount('x')\ncount([])\ncount({'a' => 1})",
    "deep_merge": """deep_merge({'one' => 1, 'two' => '', 'three' => {'four' => 4}}, {'two' => 'dos', 'three' => {'five' => 5}})
deep_merge({'a' => [1]}, {'a' => [2]})
deep_merge({'a' => {'b' => {'c' => 1}}}, {'a' => {'b' => {'d' => 2}}}, {'a' => {'b' => 3}})
deep_merge({}, '')
deep_merge({'a' => 1})
deep_merge({'a' => 1}, 'x')
deep_merge({'a' => 1}, undef)""",
    "defined_with_params": "defined_with_params(User['x'], {})\ndefined_with_params('user', 1)\ndefined_with_params()\ndefined_with_params('User[x]')\ndefined_with_params(User['x'], {'ensure' => 'present'})",
    "delete": """delete(['a','b','c','b'], 'b')
delete({'a' => 1,'b' => 2,'c' => 3}, 'b')
delete({'a' => 1,'b' => 2,'c' => 3}, ['b', 'c'])
delete('abracadabra', 'bra')
delete(['a', ['b']], 'b')
delete(['a', 'b', 'c'], ['a', 'c'])
delete(1, 2)
delete('abc', 1)
delete([1, 2, 1], 1)
delete(['a'])""",
    "delete_at": "delete_at(['a','b','c'], 1)\ndelete_at(['a','b','c'], -1)\ndelete_at(['a'], 5)\ndelete_at('a', 1)\ndelete_at(['a'], 'b')\ndelete_at(['a', 'b'], '1')",
    "delete_regex": "delete_regex(['a','b','c','b'], 'b')\ndelete_regex({'a'=>1,'b'=>2,'c'=>3}, ['b','c'])\ndelete_regex(['abf','ab','ac'], '^ab.*')\ndelete_regex('a', 'b')\ndelete_regex(['a'], 1)\ndelete_regex(['a', 'bc'], ['^a', 'c$'])",
    "delete_undef_values": "delete_undef_values({'a' => 'A', 'b' => '', 'c' => undef, 'd' => false})\ndelete_undef_values(['A', '', undef, false])\ndelete_undef_values('x')\ndelete_undef_values([])\ndelete_undef_values(['undef', 'a'])\ndelete_undef_values()",
    "delete_values": "delete_values({'a'=>'A','b'=>'B','c'=>'C','B'=>'D'}, 'B')\ndelete_values({'a' => 1}, 1)\ndelete_values(['a'], 'a')\ndelete_values({}, 'x')\ndelete_values({'a' => undef}, undef)",
    "deprecation": "deprecation('key', 'message')\ndeprecation('key', 'message', false)\ndeprecation('key')\ndeprecation(1, 2)\ndeprecation('k', 'm', 'x')",
    "difference": "difference(['a','b','c'], ['b','c','d'])\ndifference([1, 1, 2], [2])\ndifference('a', 'b')\ndifference([], ['a'])\ndifference(['a'])",
    "dig": "dig({'a' => {'b' => [1, 2]}}, 'a', 'b', 1)\ndig({'a' => 1}, 'x')\ndig([1], 5)\ndig({'a' => 1}, 'a', 'b')\ndig('x', 1)",
    "dig44": "dig44({'a' => {'b' => [1, 2]}}, ['a', 'b', 1])\ndig44({'a' => 1}, ['x'], 'd')\ndig44({'a' => 1}, 'x')\ndig44('a', ['x'])\ndig44({'a' => {'b' => [1, 2]}}, ['a', 'c', 'd'], 'not_found')\ndig44({})",
    "dirname": "dirname('/path/to/a/file.ext')\ndirname('a')\ndirname('/')\ndirname('')\ndirname(1)\ndirname('/a/', '/b')",
    "dos2unix": "dos2unix(\"a\\r\\nb\")\ndos2unix('a')\ndos2unix(1)\ndos2unix(['a'])\ndos2unix(\"\\r\\n\\n\")",
    "downcase": "downcase('AbC')\ndowncase(['A', 'B'])\ndowncase({'A' => 'B'})\ndowncase(1)\ndowncase('')",
    "empty": "empty('')\nempty([])\nempty({})\nempty(0)\nempty(undef)\nempty('a')",
    "enclose_ipv6": "enclose_ipv6('::1')\nenclose_ipv6(['127.0.0.1', '::1', '[fe80::1]'])\nenclose_ipv6('x')\nenclose_ipv6(['*'])\nenclose_ipv6(1)\nenclose_ipv6('*')",
    "ensure_packages": "ensure_packages('a', 1)\nensure_packages({}, {}, {})\nensure_packages(1)\nensure_packages()\nensure_packages(['a', 'b'], {'ensure' => 'present'})",
    "ensure_resource": "ensure_resource('user')\nensure_resource('user', 1, {})\nensure_resource(1, 2, 3)\nensure_resource('user', 'dan', {'ensure' => 'present'})\nensure_resource('nothing', 'x', {})\nensure_resource('user', ['a', 'b'])",
    "ensure_resources": "ensure_resources('user')\nensure_resources('user', 'x')\nensure_resources(1, {})\nensure_resources('user', {'dan' => {'gid' => 'g'}}, {'ensure' => 'present'})\nensure_resources('user', {'a' => 1})",
    "fact": "fact('os.family')\nfact('os.release.major')\nfact('nothing')\nfact('os.nothing.x')\nfact(1)\nfact('networking.interfaces.eth0.ip')\nfact('os.\"family\"')",
    "flatten": "flatten([1, [2, [3]]])\nflatten('a')\nflatten({'a' => 1})\nflatten([])\nflatten(1, [2])",
    "floor": "floor(2.9)\nfloor('2.9')\nfloor(-2.1)\nfloor('x')\nfloor(3)",
    "fqdn_rand_string": "fqdn_rand_string(10)\nfqdn_rand_string(10, 'ABCDEF!@$%^')\nfqdn_rand_string(10, '', 'custom seed')\nfqdn_rand_string(10, 'abc', 'seed')\nfqdn_rand_string('x')\nfqdn_rand_string(0)\nfqdn_rand_string()",
    "fqdn_rotate": "fqdn_rotate(['a', 'b', 'c', 'd'])\nfqdn_rotate('abcd')\nfqdn_rotate([1, 2, 3], 'custom seed')\nfqdn_rotate('abcd', 'custom seed 1')\nfqdn_rotate(1)\nfqdn_rotate([])\nfqdn_rotate(['a'])",
    "fqdn_uuid": "fqdn_uuid('puppetlabs.com')\nfqdn_uuid('google.com')\nfqdn_uuid('')\nfqdn_uuid(1)\nfqdn_uuid('a', 'b')",
    "get_module_path": "get_module_path('nothing')\nget_module_path('stdlib')\nget_module_path()\nget_module_path('a', 'b')\nget_module_path(1)",
    "getparam": "getparam(User['x'], 'ensure')\ngetparam('User[x]', 'ensure')\ngetparam(User['x'], 1)\ngetparam(1, 'x')\ngetparam(User['x'])",
    "getvar": "getvar('facts.os.family')\ngetvar('nothing')\ngetvar('nothing', 'default')\ngetvar('::kernel')\ngetvar(1)",
    "glob": "glob('/nothing/*')\nglob(['/nothing/*', '/nowhere'])\nglob(1)\nglob()\nglob([])",
    "grep": "grep(['aaa','bbb','ccc','aaaddd'], 'aaa')\ngrep(['a'], 'b')\ngrep('a', 'b')\ngrep(['a'])\ngrep(['ab', 'cd'], '^.b')",
    "has_interface_with": "has_interface_with('lo')\nhas_interface_with('eth0')\nhas_interface_with('ipaddress', '10.0.0.5')\nhas_interface_with('macaddress', 'x')\nhas_interface_with()\nhas_interface_with('invalidkind', 'x')",
    "has_ip_address": "has_ip_address('10.0.0.5')\nhas_ip_address('x')\nhas_ip_address('127.0.0.1')\nhas_ip_address()\nhas_ip_address(1)",
    "has_ip_network": "has_ip_network('10.0.0.0')\nhas_ip_network('x')\nhas_ip_network('127.0.0.0')\nhas_ip_network()\nhas_ip_network(1)",
    "has_key": "has_key({'a' => 1}, 'a')\nhas_key({'a' => 1}, 'b')\nhas_key({'a' => undef}, 'a')\nhas_key('a', 'b')\nhas_key({})\nhas_key({1 => 2}, 1)",
    "hash": "hash(['a',1,'b',2,'c',3])\nhash([['a',1],['b',2],['c',3]])\nhash({'a' => 1})\nhash('a')\nhash(['a'])\nhash([])",
    "intersection": "intersection(['a','b','c'], ['b','c','d'])\nintersection([1, '1'], [1])\nintersection('a', 'b')\nintersection([], [])\nintersection(['a'])",
    "is_a": "is_a('a', String)\nis_a(1, String)\n'a'.is_a(String)\nis_a([1], Array[Integer])\nis_a(1, 'String')\nis_a(undef, Undef)",
    "is_absolute_path": "is_absolute_path('/usr/x')\nis_absolute_path('C:/x')\nis_absolute_path('x')\nis_absolute_path('')\nis_absolute_path(1)\nis_absolute_path(['/a'])",
    "is_array": "is_array([1])\nis_array('a')\nis_array({})\nis_array()\nis_array(undef)",
    "is_bool": "is_bool(true)\nis_bool('true')\nis_bool(undef)\nis_bool()\nis_bool(1)",
    "is_domain_name": "is_domain_name('foo.bar.com')\nis_domain_name('')\nis_domain_name('not valid')\nis_domain_name(1)\nis_domain_name('a.')\nis_domain_name('-a.com')",
    "is_email_address": "is_email_address('a@b.com')\nis_email_address('x')\nis_email_address('')\nis_email_address(1)\nis_email_address('a b@c.d')",
    "is_float": "is_float(1.5)\nis_float('1.5')\nis_float(1)\nis_float('x')\nis_float([])\nis_float('1e5')",
    "is_function_available": "is_function_available('include')\nis_function_available('nothing')\nis_function_available('pick')\nis_function_available(1)\nis_function_available()",
    "is_hash": "is_hash({})\nis_hash([])\nis_hash('a')\nis_hash()\nis_hash(undef)",
    "is_integer": "is_integer(1)\nis_integer('1')\nis_integer('0x1F')\nis_integer(1.5)\nis_integer('x')\nis_integer([])\nis_integer('-3')",
    "is_ip_address": "is_ip_address('1.2.3.4')\nis_ip_address('::1')\nis_ip_address('1.2.3.500')\nis_ip_address('x')\nis_ip_address(1)\nis_ip_address('10.0.0.0/8')",
    "is_ipv4_address": "is_ipv4_address('1.2.3.4')\nis_ipv4_address('::1')\nis_ipv4_address('x')\nis_ipv4_address(1)\nis_ipv4_address('1.2.3')",
    "is_ipv6_address": "is_ipv6_address('fe80::1')\nis_ipv6_address('1.2.3.4')\nis_ipv6_address('x')\nis_ipv6_address(1)\nis_ipv6_address('::ffff:1.2.3.4')",
    "is_mac_address": "is_mac_address('00:a0:1f:12:7f:a0')\nis_mac_address('00:a0:1f:12:7f:g0')\nis_mac_address('')\nis_mac_address(1)\nis_mac_address('80:00:02:09:fe:80:00:00:00:00:00:00:00:24:65:ff:ff:91:a3:12')",
    "is_numeric": "is_numeric(1)\nis_numeric('1.5')\nis_numeric('0x1f')\nis_numeric('x')\nis_numeric([])\nis_numeric('1e3')\nis_numeric('-8.5e-3')",
    "is_string": "is_string('a')\nis_string('1')\nis_string(1)\nis_string([])\nis_string(undef)\nis_string('0x1f')",
    "join": "join(['a', 'b'], '-')\njoin(['a', ['b']], '-')\njoin(['a', 'b'])\njoin('a')\njoin([1, undef], ',')",
    "join_keys_to_values": "join_keys_to_values({'a'=>1,'b'=>2}, ' is ')\njoin_keys_to_values({'a'=>1,'b'=>[2,3]}, ' is ')\njoin_keys_to_values({'a' => undef}, '=')\njoin_keys_to_values('a', 'b')\njoin_keys_to_values({}, 1)\njoin_keys_to_values({'a' => 1})",
    "keys": "keys({'a' => 1})\nkeys({})\nkeys('a')\nkeys({1 => 2})\nkeys([])",
    "length": "length('abc')\nlength([1, 2])\nlength({'a' => 1})\nlength(1)\nlength('')",
    "load_module_metadata": "load_module_metadata('nothing')\nload_module_metadata('nothing', true)\nload_module_metadata()\nload_module_metadata('stdlib')['name']\nload_module_metadata('a', 'b', 'c')",
    "loadjson": "loadjson('/nothing')\nloadjson('/nothing', {'a' => 1})\nloadjson()\nloadjson('/nothing', 'd')\nloadjson('/usr/share/puppet/modules/stdlib/metadata.json', {})['name']",
    "loadyaml": "loadyaml('/nothing')\nloadyaml('/nothing', {'a' => 1})\nloadyaml()\nloadyaml('/nothing', 'd')\nloadyaml('/usr/share/puppet/modules/stdlib/metadata.json', {})['name']",
    "lstrip": "lstrip('  a ')\nlstrip([' a', 'b '])\nlstrip('')\nlstrip(1)\nlstrip({})",
    "max": "max(1, 2, 3)\nmax('a', 'b')\nmax([1, 2])\nmax('10', 9)\nmax()\nmax(1, 'a')",
    "member": "member(['a','b'], 'b')\nmember(['a', 'b', 'c'], ['a', 'b'])\nmember(['a', 'b', 'c'], ['d', 'b'])\nmember('a', 'b')\nmember([1, 2], 1)\nmember(['1'], 1)\nmember([], [])",
    "merge": """merge({'one' => 1, 'two' => 2}, {'two' => 'dos', 'three' => 'tres'})
merge({'a' => 1}, {'b' => 2}, {'c' => 3})
merge({'a' => 1}, '')
merge({'a' => 1}, undef)
merge({'a' => 1})
merge({'a' => 1}, 'x')
merge('x')
['a', 'b'].merge |$x| { { $x => 1 } }
merge(['a', 'b']) |$i, $x| { { $x => $i } }
merge({'a' => 1, 'b' => 2}) |$k, $v| { { "x$k" => $v } }
merge([1]) |$x| { 'no' }
merge()""",
    "min": "min(1, 2, 3)\nmin('a', 'b')\nmin([1, 2])\nmin('10', 9)\nmin()\nmin(1, 'a')",
    "num2bool": "num2bool(1)\nnum2bool('0')\nnum2bool('x')\nnum2bool(-1)\nnum2bool([])\nnum2bool(1.5)\nnum2bool('1.5')",
    "os_version_gte": "os_version_gte('Debian', '9')\nos_version_gte('Debian', '99')\nos_version_gte('Ubuntu', '14.04')\nos_version_gte('x')\nos_version_gte(1, 2)",
    "parsehocon": "parsehocon('a = 1')\nparsehocon('{a: [1, 2]}')\nparsehocon('{', 'd')\nparsehocon('{')\nparsehocon(1)",
    "parsejson": "parsejson('{\"a\": [1, null]}')\nparsejson('{', 'd')\nparsejson('x')\nparsejson('[]')\nparsejson(1)\nparsejson('')",
    "parsepson": "parsepson('{\"a\": [1, null]}')\nparsepson('{', 'd')\nparsepson('x')\nparsepson('[]')\nparsepson(1)",
    "parseyaml": "parseyaml('a: [1, ~]')\nparseyaml('{', 'd')\nparseyaml('- a')\nparseyaml('x')\nparseyaml(1)",
    "pick": "pick(undef, '', 'a')\npick('', undef)\npick(false, 1)\npick([], 1)\npick()\npick(0, 2)\npick({'a' => [1]}, 2)",
    "pick_default": "pick_default(undef, '', 'a')\npick_default('', undef)\npick_default('', '')\npick_default()\npick_default(false, 1)\npick_default('', {'a' => 1})",
    "powershell_escape": "powershell_escape('a b\"c')\npowershell_escape('$x')\npowershell_escape('')\npowershell_escape(1)\npowershell_escape('`')",
    "prefix": "prefix(['a','b','c'], 'p')\nprefix({'a' => 1, 'b' => 2}, 'p')\nprefix(['a'])\nprefix('a', 'b')\nprefix([1], 'p')\nprefix(['a'], 1)\nprefix([], 'x')",
    "pw_hash": "pw_hash('password', 'SHA-512', 'salt')\npw_hash('password', 'MD5', 'salt')\npw_hash('', 'SHA-256', 'salt')\npw_hash('p', 'x', 'salt')\npw_hash('p', 'SHA-512', 'a b')\npw_hash('p', 'SHA-512', '')\npw_hash(undef, 'SHA-512', 'salt')\npw_hash(1, 'SHA-512', 'salt')\npw_hash('p', 'sha-256', 'salt')\npw_hash('p')",
    "range": "range('0', '9')\nrange('00', '09')\nrange('a', 'c')\nrange('host01', 'host10')\nrange(0, 9, 2)\nrange('0', '9', '2')\nrange('x')\nrange()\nrange('1..4')\nrange(5, 1)\nrange('a', 'e', 2)\nrange(1, 3, 0)",
    "regexpescape": "regexpescape('a.b*c')\nregexpescape(['a.b', '[c]'])\nregexpescape('')\nregexpescape(1)\nregexpescape({})",
    "reject": "reject(['aaa','bbb','ccc','aaaddd'], 'aaa')\nreject(['a'], 'b')\nreject('a', 'b')\nreject(['a'])\nreject(['ab', 'cd'], '^.b')",
    "reverse": "reverse('abc')\nreverse([1, 2])\nreverse('')\nreverse(1)\nreverse({})",
    "round": "round(2.5)\nround('2.4')\nround(-2.5)\nround('x')\nround(3)",
    "rstrip": "rstrip('  a ')\nrstrip([' a', 'b '])\nrstrip('')\nrstrip(1)\nrstrip({})",
    "seeded_rand": "seeded_rand(100, 'seed')\nseeded_rand(1, 'x')\nseeded_rand(0, 'x')\nseeded_rand('10', 'seed')\nseeded_rand(10)\nseeded_rand(1000000, 'other')",
    "seeded_rand_string": "seeded_rand_string(10, 'seed')\nseeded_rand_string(5, 'seed', 'ABC')\nseeded_rand_string(0, 's')\nseeded_rand_string('x', 's')\nseeded_rand_string(64, 'long')",
    "shell_escape": "shell_escape('a b')\nshell_escape('')\nshell_escape(1)\nshell_escape(\"a'b\")\nshell_escape(['a'])\nshell_escape(\"a\\nb\")",
    "shell_join": "shell_join(['a b', 'c'])\nshell_join([])\nshell_join('a')\nshell_join([1, 2])\nshell_join([\"a'b\", '$x'])",
    "shell_split": "shell_split('a \"b c\" d')\nshell_split('a\\\\ b')\nshell_split('')\nshell_split(\"'a b' c\")\nshell_split('\"a')\nshell_split(1)",
    "shuffle": "shuffle(1)\nshuffle()\nshuffle({})\nshuffle([])\nshuffle('')\nshuffle(['a'])",
    "size": "size('abc')\nsize([1, 2])\nsize({'a' => 1})\nsize(1)\nsize('')",
    "sort": "sort(['b', 'a'])\nsort('bca')\nsort([2, 1])\nsort([1, 'a'])\nsort(1)",
    "sprintf_hash": "sprintf_hash('%<foo>s : %<bar>d', {'foo' => 'a', 'bar' => 3})\nsprintf_hash('%{foo}', {'foo' => [1]})\nsprintf_hash('%<a>s', {})\nsprintf_hash('x', {})\nsprintf_hash('x', 1)",
    "squeeze": "squeeze('aabbcc')\nsqueeze('aabbcc', 'b')\nsqueeze(['aa', 'bb'])\nsqueeze(1)\nsqueeze('')",
    "str2bool": "str2bool('true')\nstr2bool('no')\nstr2bool('undefined')\nstr2bool('x')\nstr2bool(true)\nstr2bool(1)\nstr2bool('')\nstr2bool('1')\nstr2bool('Y')",
    "str2saltedpbkdf2": "str2saltedpbkdf2('Pa55w0rd', 'Using s0m3 s@lt', 1000)\nstr2saltedpbkdf2('Pa55w0rd', 'Using s0m3 s@lt', 1)\nstr2saltedpbkdf2('a')\nstr2saltedpbkdf2('a', 'b', 'c')\nstr2saltedpbkdf2(1, 'Using s0m3 s@lt', 10)\nstr2saltedpbkdf2('Pa55w0rd', 'Using s0m3 s@lt', 50000)",
    "str2saltedsha512": "str2saltedsha512()\nstr2saltedsha512(1)\nstr2saltedsha512('a', 'b')\nstr2saltedsha512([])\nstr2saltedsha512('a').length",
    "strip": "strip('  a ')\nstrip([' a', 'b '])\nstrip('')\nstrip(1)\nstrip({})",
    "suffix": "suffix(['a','b','c'], 'p')\nsuffix({'a' => 1, 'b' => 2}, 'p')\nsuffix(['a'])\nsuffix('a', 'b')\nsuffix([1], 'p')\nsuffix(['a'], 1)\nsuffix([], 'x')",
    "swapcase": "swapcase('aBcD')\nswapcase(['aB', 'c'])\nswapcase('')\nswapcase(1)\nswapcase({})",
    "time": "time('UTC', 2)\ntime(1)\nis_integer(time())\nis_integer(time('UTC'))\ntime([])",
    "to_bytes": "to_bytes('4 kB')\nto_bytes('4')\nto_bytes('1.5 GB')\nto_bytes(4)\nto_bytes('x')\nto_bytes('4 x')\nto_bytes('12K')",
    "to_json": "to_json({'a' => [1, undef, 2.5, 'x/y']})\nto_json('é')\nto_json([])\nto_json(undef)\nto_json({1 => true})\nto_json()",
    "to_json_pretty": "to_json_pretty({'a' => [1, undef], 'b' => {}})\nto_json_pretty({'a' => undef, 'b' => {'c' => undef}}, true)\nto_json_pretty([])\nto_json_pretty(1)\nto_json_pretty({'a' => [1]}, false, {'indent' => '    '})\nto_json_pretty({'a' => [1]}, undef, {'space' => '@'})",
    "to_python": "to_python({'a' => [1, undef, true, 'x']})\nto_python('a\\'b')\nto_python(1.5)\nto_python([])\nto_python(undef)",
    "to_ruby": "to_ruby({'a' => [1, undef, true, 'x']})\nto_ruby('a\\'b')\nto_ruby(1.5)\nto_ruby([])\nto_ruby(undef)",
    "to_toml": "to_toml({'a' => 1, 'b' => {'c' => 'x', 'd' => [1, 2]}})\nto_toml({})\nto_toml({'x' => [{'a' => 1}]})\nto_toml('x')\nto_toml({'a' => true, 'f' => 1.5})",
    "to_yaml": "to_yaml({'a' => [1, undef, 2.5, 'x'], 'b' => {}})\nto_yaml('yes')\nto_yaml([])\nto_yaml({'a' => [1]}, {'indentation' => 4})\nto_yaml('a: b')\nto_yaml(['a', ['b', {'c' => 'd e'}]])\nto_yaml({'t' => \"two\\nlines\\n\"})",
    "try_get_value": "try_get_value({'a' => {'b' => [1, 2]}}, 'a/b/1')\ntry_get_value({'a' => 1}, 'x', 'd')\ntry_get_value({'a' => {'b' => 1}}, 'a|b', 'd', '|')\ntry_get_value('a', 'x')\ntry_get_value({'a' => 1})\ntry_get_value({'a' => 1}, 1)",
    "type": "type('a')\ntype([1])\ntype(1.5)\ntype(undef)\ntype({'a' => 1})",
    "type3x": "type3x('a')\ntype3x([1])\ntype3x(1.5)\ntype3x(undef)\ntype3x('1')\ntype3x({})\ntype3x(true)\ntype3x()",
    "type_of": "type_of('a')\ntype_of([1])\ntype_of(1.5)\ntype_of(undef)\ntype_of({'a' => 1})",
    "union": "union(['a','b','c'], ['b','c','d'])\nunion([1], [2], [1, 3])\nunion('a', 'b')\nunion([], [])\nunion(['a'])\nunion([[1]], [[1]])",
    "unique": "unique(['a', 'b', 'a'])\nunique('aabb')\nunique({'a' => 1, 'b' => 1})\nunique(1)\nunique([])",
    "unix2dos": "unix2dos(\"a\\nb\")\nunix2dos('a')\nunix2dos(1)\nunix2dos(['a'])\nunix2dos(\"\\r\\n\\n\")",
    "upcase": "upcase('AbC')\nupcase(['a', 'B'])\nupcase({'a' => 'b'})\nupcase(1)\nupcase('')",
    "uriescape": "uriescape('a b?c=d')\nuriescape(['a b', 'c'])\nuriescape('é')\nuriescape(1)\nuriescape('')\nuriescape('[a]%20')",
    "validate_absolute_path": "validate_absolute_path('/a')\nvalidate_absolute_path('a')\nvalidate_absolute_path(['/a', 'b'])\nvalidate_absolute_path('C:/x')\nvalidate_absolute_path(undef)\nvalidate_absolute_path('')",
    "validate_array": "validate_array([1])\nvalidate_array('a')\nvalidate_array([], 1)\nvalidate_array(undef)\nvalidate_array({})",
    "validate_bool": "validate_bool(true)\nvalidate_bool('true')\nvalidate_bool(true, false)\nvalidate_bool(1)\nvalidate_bool(undef)",
    "validate_domain_name": "validate_domain_name('example.com')\nvalidate_domain_name('x y')\nvalidate_domain_name(1)\nvalidate_domain_name('')\nvalidate_domain_name('a', 'b.c')",
    "validate_email_address": "validate_email_address('a@b.com')\nvalidate_email_address('x')\nvalidate_email_address(1)\nvalidate_email_address('')\nvalidate_email_address('a@b', 'c')",
    "validate_hash": "validate_hash({})\nvalidate_hash('a')\nvalidate_hash({}, [])\nvalidate_hash(undef)\nvalidate_hash(1)",
    "validate_integer": "validate_integer(1)\nvalidate_integer('1')\nvalidate_integer(1, 0)\nvalidate_integer(5, 10, 2)\nvalidate_integer('x')\nvalidate_integer([1, 2, 3], 3)\nvalidate_integer(1, '', 5)\nvalidate_integer({})",
    "validate_ip_address": "validate_ip_address('1.2.3.4')\nvalidate_ip_address('::1')\nvalidate_ip_address('x')\nvalidate_ip_address(1)\nvalidate_ip_address('1.2.3.4', 'y')",
    "validate_ipv4_address": "validate_ipv4_address('1.2.3.4')\nvalidate_ipv4_address('::1')\nvalidate_ipv4_address('x')\nvalidate_ipv4_address(1)\nvalidate_ipv4_address(['1.2.3.4'])",
    "validate_ipv6_address": "validate_ipv6_address('::1')\nvalidate_ipv6_address('1.2.3.4')\nvalidate_ipv6_address('x')\nvalidate_ipv6_address(1)\nvalidate_ipv6_address(['::1'])",
    "validate_legacy": "validate_legacy(String, 'validate_string', 'a')\nvalidate_legacy(String, 'validate_string', 1)\nvalidate_legacy('Optional[String]', 'validate_re', 'a', '^a')\nvalidate_legacy(Integer, 'validate_integer', '1')\nvalidate_legacy(Integer, 'validate_integer', 'x')\nvalidate_legacy(Array, 'validate_array', {})\nvalidate_legacy(1)\nvalidate_legacy(Boolean, 'validate_bool', 'x')",
    "validate_numeric": "validate_numeric(1.5)\nvalidate_numeric('1.5')\nvalidate_numeric(5, 10, 2)\nvalidate_numeric('x')\nvalidate_numeric([1, 2.5, 3], 3)\nvalidate_numeric({})",
    "validate_re": "validate_re('one', '^one$')\nvalidate_re('one', ['^one', '^two'])\nvalidate_re('x', '^one$')\nvalidate_re('x', '^one$', 'own message')\nvalidate_re(1, '^1')\nvalidate_re('x')\nvalidate_re('x', ['a', 'b'])",
    "validate_slength": "validate_slength('discombobulate', 17)\nvalidate_slength(['a', 'b'], 17)\nvalidate_slength('abcdef', 3)\nvalidate_slength('a', 10, 3)\nvalidate_slength(1, 2)\nvalidate_slength('a', 'x')\nvalidate_slength('a')",
    "validate_string": "validate_string('a')\nvalidate_string(1)\nvalidate_string('a', [])\nvalidate_string(undef)\nvalidate_string({})",
    "validate_x509_rsa_key_pair": "validate_x509_rsa_key_pair('a', 'b')\nvalidate_x509_rsa_key_pair(1, 'b')\nvalidate_x509_rsa_key_pair('a')\nvalidate_x509_rsa_key_pair('', '')\nvalidate_x509_rsa_key_pair('a', 2)",
    "validate_augeas": "validate_augeas('a')\nvalidate_augeas()\nvalidate_augeas('a', 1)\nvalidate_augeas('a', 'b', 'c')\nvalidate_augeas(1, 2, 3, 4, 5)",
    "validate_cmd": "validate_cmd('a')\nvalidate_cmd()\nvalidate_cmd(1, 2)\nvalidate_cmd('a', 2)\nvalidate_cmd('a', 'b', 'c', 'd')",
    "values": "values({'a' => 1})\nvalues({})\nvalues('a')\nvalues({1 => 2})\nvalues([])",
    "values_at": "values_at(['a','b','c'], 2)\nvalues_at(['a','b','c'], ['0-1'])\nvalues_at(['a','b','c','d','e'], [0, '2-3'])\nvalues_at('a', 1)\nvalues_at(['a'], 5)\nvalues_at(['a'], 'x')\nvalues_at(['a', 'b', 'c'], ['0..1'])",
    "zip": "zip(['1','2','3'],['4','5','6'])\nzip(['1','2','3'],['4','5','6'], true)\nzip(['1','2'],['4'])\nzip('a', 'b')\nzip(['a'])\nzip([], [])\nzip(['1','2','3'],['4','5','6'], false)",
    "stdlib::end_with": "stdlib::end_with('foobar', 'bar')\nstdlib::end_with('foobar', ['foo', 'baz'])\nstdlib::end_with('foobar', '')\nstdlib::end_with(1, 'x')\n'a'.stdlib::end_with('a')",
    "stdlib::start_with": "stdlib::start_with('foobar', 'foo')\nstdlib::start_with('foobar', ['bar', 'baz'])\nstdlib::start_with('foobar', '')\nstdlib::start_with(1, 'x')\n'a'.stdlib::start_with('a')",
    "stdlib::extname": "stdlib::extname('/a/b.rb')\nstdlib::extname('.profile')\nstdlib::extname('a')\nstdlib::extname('a.tar.gz')\nstdlib::extname(1)",
    "stdlib::ip_in_range": "stdlib::ip_in_range('1.2.3.4', '1.2.0.0/16')\nstdlib::ip_in_range('1.2.3.4', ['10.0.0.0/8', '1.2.3.0/24'])\nstdlib::ip_in_range('x', '1.2.3.0/24')\nstdlib::ip_in_range('1.2.3.4', [])\nstdlib::ip_in_range('9.9.9.9', '1.2.3.0/24')",
    "stdlib::str2resource": "stdlib::str2resource('User[x]')\nstdlib::str2resource('x')\nstdlib::str2resource('')\nstdlib::str2resource(1)\nstdlib::str2resource('Class[settings]')",
    "stdlib::xml_encode": "stdlib::xml_encode('a < b & \"c\"')\nstdlib::xml_encode('a \"b\"', 'attr')\nstdlib::xml_encode('x', 'y')\nstdlib::xml_encode('')\nstdlib::xml_encode(1)",
    "stdlib::ensure": "stdlib::ensure(true)\nstdlib::ensure('absent', 'directory')\nstdlib::ensure('present', 'service')\nstdlib::ensure(1)\nstdlib::ensure(true, 'package')\nstdlib::ensure(false, 'file')",
    "stdlib::deferrable_epp": "stdlib::deferrable_epp('x/y.epp', {})\nstdlib::deferrable_epp(1, {})\nstdlib::deferrable_epp('x')\nstdlib::deferrable_epp('x/y.epp', {'a' => 1})\nstdlib::deferrable_epp('x', 1)",
    "assert_private": "assert_private()\nassert_private('message')\nassert_private('a', 'b')\nassert_private(1)\nassert_private(undef)",
    "private": "private()\nprivate('message')\nprivate('a', 'b')\nprivate(1)\nprivate(undef)",
    "pry": "pry(1)\npry('a', 'b')\npry([])\npry({})\npry(undef, undef)",
}  # fmt: skip

MANIFESTS: dict[str, list[str]] = {
    "ensure_resource": [
        "ensure_resource('user', 'dan', {'ensure' => 'present'})\nensure_resource('user', 'dan', {'ensure' => 'present'})",
        "user { 'dan': ensure => present, shell => '/bin/sh' }\nensure_resource('user', 'dan', {'ensure' => 'present'})",
        "user { 'dan': ensure => absent }\nensure_resource('user', 'dan', {'ensure' => 'present'})",
        "ensure_resource('user', ['dan', 'alex'], {'ensure' => 'present'})\nensure_resource('notify', 'n')",
        "define d($x = 1) { notify { \"$title $x\": } }\nensure_resource('d', 'a', {'x' => 2})\nensure_resource('d', 'b')",
        "class c($x = 1) { notify { \"c $x\": } }\nensure_resource('class', 'c', {'x' => 2})",
    ],
    "ensure_resources": [
        "ensure_resources('user', {'dan' => {'gid' => 'mygroup'}, 'alex' => {}}, {'ensure' => 'present'})",
        "user { 'dan': gid => 'g' }\nensure_resources('user', {'dan' => {'gid' => 'g'}})",
        "ensure_resources('nothing', {'dan' => {}})",
        "ensure_resources('file', {'/a' => {'mode' => '0644', 'require' => Notify['x']}})\nnotify { 'x': }",
        "ensure_resources('user', {})",
    ],
    "ensure_packages": [
        "ensure_packages('a')\nensure_packages(['a', 'b'])",
        "ensure_packages(['a', 'b'], {'ensure' => 'latest'})",
        "ensure_packages({'a' => {'ensure' => '1.0'}, 'b' => {}}, {'provider' => 'apt'})",
        "package { 'a': ensure => installed }\nensure_packages('a')",
        "package { 'a': ensure => absent }\nensure_packages('a')",
        "ensure_packages(['a', 'a', ''])",
        "class c { ensure_packages('x') }\ninclude c\nensure_packages('x', {'ensure' => 'installed'})",
    ],
    "defined_with_params": [
        "user { 'dan': ensure => present, shell => '/bin/sh' }\nnotify { 'r': message => String(defined_with_params(User['dan'], {'ensure' => 'present'})) }",
        "user { 'dan': ensure => present }\nnotify { 'r': message => String(defined_with_params(User[dan], {'ensure' => 'absent'})) }",
        "user { 'dan': ensure => present }\nnotify { 'r': message => String(defined_with_params('User[dan]', {})) }",
        "user { 'dan': gid => 5 }\nnotify { 'r': message => String(defined_with_params(User[dan], {'gid' => '5'})) }",
        "notify { 'r': message => String(defined_with_params(User['nobody'], {})) }",
    ],
    "getparam": [
        "user { 'dan': ensure => present, groups => ['a', 'b'] }\nnotify { 'r': message => String(getparam(User['dan'], 'groups'), '%p') }",
        "user { 'dan': ensure => present }\nnotify { 'r': message => String(getparam(User['dan'], 'shell'), '%p') }",
        "define d($x = 5) { }\nd { 'a': }\nnotify { 'r': message => String(getparam(D['a'], 'x'), '%p') }",
        "notify { 'r': message => String(getparam(User['nobody'], 'x'), '%p') }",
        "class c($x = 1) { }\ninclude c\nnotify { 'r': message => String(getparam(Class['c'], 'x'), '%p') }",
    ],
    "stdlib::str2resource": [
        "user { 'x': }\nnotify { 'r': require => stdlib::str2resource('User[x]') }",
        "notify { 'a': require => stdlib::str2resource(\"Class['settings']\") }",
        "notify { 'r': require => stdlib::str2resource('User[nobody]') }",
        "file { '/a b': }\nnotify { 'r': require => stdlib::str2resource('File[/a b]') }",
        "notify { 'r': require => stdlib::str2resource('User') }",
    ],
    "assert_private": [
        "class a { assert_private() }\ninclude a",
        "class a { assert_private('not for you') }\nclass b { include a }\ninclude b",
        "define d { assert_private() }\nd { 'x': }",
        "class a { assert_private('x', 'y') }\ninclude a",
        "class a { assert_private() notify { 'reached': } }\nclass a::b { include a }\ninclude a::b",
    ],
    "private": [
        "class a { private() }\ninclude a",
        "class a { private('not for you') }\nclass b { include a }\ninclude b",
        "define d { private() }\nd { 'x': }",
        "class a { private('x', 'y') }\ninclude a",
        "class a { private() }\nclass a::b { include a }\ninclude a::b",
    ],
    "getvar": [
        "class a { $x = 1 }\ninclude a\nnotify { 'r': message => String(getvar('a::x'), '%p') }",
        "class a { $x = {'k' => [1, 2]} }\ninclude a\nnotify { 'r': message => String(getvar('a::x.k.1'), '%p') }",
        "notify { 'r': message => String(getvar('a::x'), '%p') }",
        "$x = 5\nnotify { 'r': message => String(getvar('x'), '%p') }",
        "$x = 5\nnotify { 'r': message => String(getvar('::x'), '%p') }",
    ],
    "validate_legacy": [
        "class c($p) { validate_legacy(Stdlib::Absolutepath, 'validate_absolute_path', $p) notify { $p: } }\nclass { 'c': p => '/x' }",
        "class c($p) { validate_legacy(Stdlib::Absolutepath, 'validate_absolute_path', $p) }\nclass { 'c': p => 'x' }",
        "class c($p) { validate_legacy(Optional[Hash], 'validate_hash', $p) }\nclass { 'c': p => 5 }",
        "class c($p) { validate_legacy('Array', 'validate_array', $p) }\nclass { 'c': p => [1] }",
        "class c($p) { validate_legacy(Pattern[/^a/], 'validate_re', $p, ['^a', '^b']) }\nclass { 'c': p => 'b1' }",
    ],
}  # fmt: skip


def generated(name: str, seed: int = 7) -> list[str]:
    """Calls over the pool: with one, two and three values, drawn by the function's name."""
    if name in BY_CHANCE:
        return []
    draw = Random(f"{name} {seed}")
    calls = [f"{name}({value})" for value in draw.sample(POOL, 10)]
    calls += [f"{name}({draw.choice(POOL)}, {draw.choice(POOL)})" for _ in range(10)]
    calls += [f"{name}({draw.choice(POOL)}, {draw.choice(POOL)}, {draw.choice(POOL)})" for _ in range(3)]
    return list(dict.fromkeys(calls))

r"""What is asked of real Puppet about each core function, one expression per line.

`EXPRESSIONS` maps a function to expressions whose value (printed by `String(value, '%p')`), log lines or error are
recorded. `MANIFESTS` maps a function to whole manifests, of which the resources, log lines or error are recorded.
`record_puppet_functions.py` records the answers in `goldens/puppet_functions.json`.
"""

from __future__ import annotations

EXPRESSIONS: dict[str, str] = {
    "abs": r"""
        abs(5)
        abs(-5)
        abs(-2.5)
        abs('-7')
        abs('-7.25')
        abs('seven')
        abs(true)
        abs()
        abs(1, 2)
        abs([1])
        """,
    "alert": """
        alert('a', 1, true, undef, [1, 'b'], { 'k' => 'v' })
        alert()
        alert(Integer[1, 2], /re/, default)
        alert(1.0, 1e30, 'ä')
        alert('x') |$y| { $y }
        """,
    "all": """
        all([1, 2, 3]) |$x| { $x > 0 }
        [1, 2, 3].all |$x| { $x > 1 }
        [].all |$x| { false }
        { 'a' => 1 }.all |$k, $v| { $k == 'a' and $v == 1 }
        { 'a' => 1 }.all |$pair| { $pair[1] == 2 }
        [10, 20].all |$i, $v| { $v == ($i + 1) * 10 }
        all([1, 2])
        all(undef) |$x| { true }
        'abc'.all |$c| { $c =~ /[a-c]/ }
        3.all |$i| { $i < 3 }
        all([1]) |$a, $b, $c| { true }
        [1, undef].all |$x| { $x }
        """,
    "any": """
        any([1, 2, 3]) |$x| { $x > 2 }
        [].any |$x| { true }
        { 'a' => 1 }.any |$k, $v| { $v == 1 }
        { 'a' => 1 }.any |$pair| { $pair[0] == 'b' }
        [10, 20].any |$i, $v| { $i == 1 and $v == 20 }
        any(5.5) |$x| { true }
        any([1], 2) |$x| { true }
        Integer[1, 3].any |$x| { $x == 3 }
        Enum['b', 'a'].any |$x| { $x == 'a' }
        [0].any |$x| { $x }
        ['a'].any |String $x| { true }
        [1].any |String $x| { true }
        """,
    "annotate": """
        annotate(Integer, 1)
        annotate()
        annotate('x', 1)
        annotate(Integer, 1, 2)
        annotate(Integer, 1, 2, 3)
        """,
    "assert_type": r"""
        assert_type(Integer, 5)
        assert_type(Integer, 'five')
        assert_type(Integer[1, 10], 11)
        assert_type('Array[String]', ['a', 1])
        assert_type(String, 5) |$expected, $actual| { "wanted ${expected} got ${actual}" }
        assert_type(Optional[String], undef)
        assert_type(5, 5)
        assert_type(Integer)
        assert_type(Enum['a', 'b'], 'c')
        assert_type(Variant[Integer, Float], 'x')
        assert_type(Struct[{ 'a' => Integer }], { 'a' => 'x' })
        assert_type(Struct[{ 'a' => Integer }], { 'b' => 1 })
        assert_type(Pattern[/^a/], 'b')
        assert_type(Integer, 'x') |$only_one| { 1 }
        assert_type(Array[Integer, 2], [1])
        assert_type(Boolean, undef)
        assert_type(Hash[String, Integer], { 1 => 'a' })
        assert_type('NoSuchType', 1)
        """,
    "binary_file": """
        binary_file('nowhere/at_all')
        binary_file('/no/such/file')
        binary_file(1)
        binary_file()
        binary_file('a', 'b')
        """,
    "break": """
        [1, 2, 3].map |$x| { if $x == 2 { break() } $x }
        [1, 2, 3].filter |$x| { if $x == 3 { break() } true }
        [1, 2, 3].reduce |$m, $x| { if $x == 3 { break() } $m + $x }
        [1, 2, 3].each |$x| { if $x == 2 { break() } }
        slice([1, 2, 3, 4], 2) |$x| { break() }
        [1, 2].map |$x| { { 'a' => 1 }.filter |$k, $v| { break() } }
        [1, 2].map |$x| { [1].any |$y| { break() } }
        [1, 2].map |$x| { with(1) |$y| { break() } }
        break(1)
        [3, 4].map |$i, $x| { if $i == 1 { break() } $x }
        { 'a' => 1, 'b' => 2 }.map |$k, $v| { if $k == 'b' { break() } $v }
        [1, 2, 3].reverse_each |$x| { if $x == 2 { break() } notice($x) }
        [1, 2, 3].step(2) |$x| { notice($x) break() }
        """,
    "call": """
        call('join', ['a', 'b'], '-')
        call('upcase', 'x')
        call('map', [1, 2]) |$x| { $x + 1 }
        call('no_such_function')
        call('join', 1)
        call()
        call(Deferred('join', [['a', 'b'], '+']))
        call(Deferred('join', [[Deferred('upcase', ['a']), 'b'], '+']))
        call('sprintf', '%d', 3)
        """,
    "camelcase": """
        camelcase('hello_friend')
        camelcase('HELLO_FRIEND')
        camelcase('_a__b_')
        camelcase('')
        camelcase(['a_b', 'c_d', 1])
        camelcase(1)
        camelcase(1.5)
        camelcase(undef)
        camelcase({ 'a' => 'b' })
        camelcase(['a', true])
        """,
    "capitalize": """
        capitalize('hELLO wORLD')
        capitalize('')
        capitalize('élan')
        capitalize('ßa')
        capitalize(['aB', 'cD', 1])
        capitalize(5)
        capitalize(true)
        capitalize()
        capitalize([['a']])
        """,
    "ceiling": """
        ceiling(1.2)
        ceiling(-1.2)
        ceiling(5)
        ceiling('1.5')
        ceiling('abc')
        ceiling('0x1A')
        ceiling(undef)
        ceiling('')
        """,
    "chomp": r"""
        chomp("hello\n")
        chomp("hello\r\n")
        chomp("hello\r")
        chomp("hello\n\n")
        chomp("hello\n\r")
        chomp('')
        chomp(["a\n", 1, "b"])
        chomp(3)
        chomp(undef)
        """,
    "chop": r"""
        chop('hello')
        chop("hello\r\n")
        chop('')
        chop('ä')
        chop(['ab', 1])
        chop(3.5)
        chop({})
        """,
    "compare": r"""
        compare(1, 2)
        compare(2, 1.5)
        compare('a', 'B')
        compare('a', 'A')
        compare('a', 'A', false)
        compare('a', 'A', true)
        compare('a', '_')
        compare('ä', 'Ä')
        compare(SemVer('1.0.0'), SemVer('1.0.0-rc1'))
        compare(Timespan(1), Timespan(2))
        compare(Timestamp(10), Timestamp(5))
        compare(1, Timespan(2))
        compare(Timestamp(10), 10)
        compare(Timespan(3), 2.5)
        compare(1, 'a')
        compare([1], [2])
        compare(1, 2, true)
        compare('a', 'b', 'c')
        compare('a', 'b', true, false)
        compare(true, false)
        compare(1)
        compare(undef, 1)
        compare(Timestamp(10), Timespan(10))
        compare(SemVer('1.0.0'), '1.0.0')
        """,
    "contain": """
        contain()
        contain('')
        contain(undef)
        contain('no::such::class')
        contain(Class)
        contain(1)
        """,
    "convert_to": r"""
        '42'.convert_to(Integer)
        convert_to('ff', Integer, 16)
        3.convert_to(String)
        convert_to('1.5', Float) |$x| { $x * 2 }
        convert_to('x', Integer)
        convert_to('x')
        convert_to('x', 'y')
        convert_to([['a', 1]], Hash)
        convert_to({ 'a' => 1 }, Array)
        convert_to(1, Boolean)
        """,
    "create_resources": """
        create_resources('notify')
        create_resources('notify', 'x')
        create_resources('notify', {}, 'x')
        create_resources('notify', {}, {}, {})
        create_resources('no_such_type', { 'a' => {} })
        create_resources('notify', { 'a' => 1 })
        create_resources('notify', { 'a' => undef })
        create_resources(1, {})
        create_resources('@@class', { 'a' => {} })
        create_resources('notify', { 'a' => { 'no_such_parameter' => 1 } })
        create_resources('class', { 'no_such_class' => {} })
        """,
    "crit": """
        crit('a', 1)
        crit()
        crit([1, [2]])
        crit({ 'a' => { 'b' => undef } })
        crit("multi\nline")
        """,
    "debug": """
        debug('a', 1)
        debug()
        debug([])
        debug('x') |$y| { 1 }
        debug(undef)
        """,
    "defined": """
        defined('notify')
        defined('Notify')
        defined('no_such_thing')
        defined('$facts')
        defined('$nothing')
        defined('')
        defined('main')
        defined(Notify)
        defined(Notify['x'])
        defined(File['/x'])
        defined(Class['x'])
        defined(Type[Notify])
        defined(Type[Notify['x']])
        defined(Class)
        defined(Resource)
        defined('nothing', 'notify')
        defined(1)
        defined()
        defined(Integer)
        defined(undef)
        defined('$::facts')
        defined('settings')
        defined(Class['settings'])
        defined('Class')
        """,
    "dig": """
        dig({ 'a' => { 'b' => [10, 20] } }, 'a', 'b', 1)
        dig({ 'a' => 1 }, 'b', 'c')
        dig([1, [2, 3]], 1, -1)
        dig([1, 2], 5)
        dig(undef, 'a')
        dig({ 'a' => 1 })
        dig({ 'a' => 1 }, 'a', 'b')
        dig({ 'a' => [1] }, 'a', 'b')
        dig('abc', 1)
        dig()
        dig({ 'a' => undef }, 'a', 'b')
        dig({ 1 => { true => 'x' } }, 1, true)
        dig({ 'a' => 1 }, undef)
        dig([[1]], 0, 0, 0)
        dig({ 'a' => { 'b' => 'text' } }, 'a', 'b', 'c')
        """,
    "digest": """
        digest('abc')
        digest('')
        digest('ä')
        digest(1)
        digest()
        digest('a', 'b')
        digest(undef)
        digest([1])
        """,
    "downcase": """
        downcase('HELLO')
        downcase('ÀÉΣ')
        downcase(['A', ['B', 1], { 'C' => 'D' }])
        downcase({ 'A' => 'B', 'C' => ['D'] })
        downcase(1)
        downcase(1.5)
        downcase(undef)
        downcase(true)
        downcase([undef])
        downcase({ 'A' => true })
        downcase('İ')
        """,
    "each": """
        [1, 2].each |$x| { notice($x) }
        [1, 2].each |$i, $x| { notice("${i}=${x}") }
        { 'a' => 1, 'b' => 2 }.each |$pair| { notice($pair) }
        { 'a' => 1, 'b' => 2 }.each |$k, $v| { notice("${k}=${v}") }
        'ab'.each |$c| { notice($c) }
        3.each |$i| { notice($i) }
        Integer[5, 7].each |$i| { notice($i) }
        Enum['x', 'a'].each |$e| { notice($e) }
        [].each |$x| { notice($x) }
        each([1])
        each(undef) |$x| { $x }
        each(1.5) |$x| { $x }
        each([1]) || { 1 }
        each([1]) |$a, $b, $c| { 1 }
        [1].each |String $x| { notice($x) }
        [1].each |$x, $y = 5| { notice("${x} ${y}") }
        [[1, 2]].each |*$a| { notice($a) }
        each(-1) |$x| { notice($x) }
        each(Integer) |$x| { notice($x) }
        each(Integer[1]) |$x| { notice($x) }
        0.each |$x| { notice($x) }
        { 'a' => 1 }.each |*$a| { notice($a) }
        """,
    "emerg": """
        emerg('a', 1)
        emerg()
        emerg(Sensitive('x'))
        emerg(Binary('YWJj'))
        emerg(SemVer('1.2.3'))
        """,
    "empty": """
        empty([])
        empty([1])
        empty({})
        empty('')
        empty('a')
        empty(undef)
        empty(0)
        empty(1.5)
        empty(Binary(''))
        empty(Sensitive(''))
        empty(Sensitive('a'))
        empty(Sensitive(1))
        empty(true)
        empty()
        empty([], [])
        """,
    "epp": """
        epp('nowhere/template')
        epp('nowhere/template.epp', { 'a' => 1 })
        epp(1)
        epp('x', 1)
        epp('x', { 'a-b' => 1 })
        epp()
        """,
    "err": """
        err('a', 1)
        err()
        err(1.0e10, 0.1)
        err(-0.0, 1e16, 1e15, 123456789.123456789)
        err('a b', '')
        """,
    "eyaml_lookup_key": """
        eyaml_lookup_key('a')
        eyaml_lookup_key()
        eyaml_lookup_key('a', {})
        eyaml_lookup_key('a', {}, {})
        eyaml_lookup_key(1, 2, 3)
        """,
    "fail": """
        fail('boom')
        fail('a', 1, true, undef, [1, 'b', undef], { 'k' => 'v' })
        fail()
        fail(1.0, default, Integer)
        fail(/re/)
        fail("multi\nline")
        fail(Notify['x'])
        """,
    "file": """
        file('nowhere/at_all')
        file('a/b', '/no/such/file')
        file()
        file('')
        file(undef)
        """,
    "filter": """
        [1, 20, 3].filter |$x| { $x < 10 }
        [1, 20, 3].filter |$i, $x| { $i == 1 }
        { 'a' => 1, 'b' => 2 }.filter |$k, $v| { $v > 1 }
        { 'a' => 1, 'b' => 2 }.filter |$pair| { $pair[0] == 'a' }
        'abca'.filter |$c| { $c == 'a' }
        5.filter |$i| { $i % 2 == 0 }
        Integer[1, 4].filter |$i| { $i > 2 }
        [undef, false, 0, ''].filter |$x| { $x }
        filter([1])
        filter(undef) |$x| { true }
        filter([1], 2) |$x| { true }
        { }.filter |$k, $v| { true }
        [[1, 2], [3, 4]].filter |$x| { $x[0] == 3 }
        [3, 4].reverse_each.filter |$x| { true }
        """,
    "find_file": """
        find_file('nowhere/at_all')
        find_file(['a/b', 'c/d'])
        find_file()
        find_file(1)
        find_file('a/b', ['c/d'])
        find_file('/no/such/file')
        find_file(['a/b'], ['c/d'])
        """,
    "find_template": """
        find_template('nowhere/at_all')
        find_template(['a/b', 'c/d'])
        find_template()
        find_template(1)
        find_template('/no/such/file')
        """,
    "flatten": """
        flatten([1, [2, [3, [4]]]])
        flatten(1, [2], [[3]])
        flatten()
        flatten([])
        flatten({ 'a' => [1] })
        flatten([{ 'a' => 1 }], undef)
        flatten('ab')
        """,
    "floor": """
        floor(1.7)
        floor(-1.2)
        floor(5)
        floor('1.5')
        floor('abc')
        floor('1e3')
        floor([])
        floor(' 2.5 ')
        """,
    "fqdn_rand": """
        fqdn_rand(100)
        fqdn_rand(100, 'seed')
        fqdn_rand(100, 'seed', true)
        fqdn_rand('30', 5)
        fqdn_rand(1)
        fqdn_rand(0)
        fqdn_rand(-5)
        fqdn_rand('abc')
        fqdn_rand(4294967297, 'x')
        fqdn_rand(60, ['a', 1])
        fqdn_rand()
        fqdn_rand(10.7, 'x')
        fqdn_rand(1000, undef)
        fqdn_rand(1000, true)
        fqdn_rand(1000, 1.5)
        """,
    "generate": """
        generate('date')
        generate('/bin/a b')
        generate('/bin/../date')
        generate()
        generate('')
        generate('relative/path')
        """,
    "get": """
        get({ 'a' => [{ 'b' => 'found' }] }, 'a.0.b')
        get({ 'a' => 1 }, 'x.y', 'default')
        get({ 'a' => 1 }, '')
        get(undef, 'a', 'default')
        get(undef, 'a')
        get({ 'a.b' => 1 }, '"a.b"')
        get({ 'a.b' => { 'c' => 2 } }, "'a.b'.c")
        get({ 'a' => 1 }, 'a.b')
        get({ 'a' => 1 }, 'a.b', 'default')
        get({ 'a' => 1 }, 'a.b') |$error| { $error.message }
        get({ 'a' => 1 }, 'a.b') |$error| { "${error.kind} ${error.issue_code}" }
        get([1, 2], '1')
        get([1, 2], 'x')
        get({ 'a' => 1 }, 'a..b')
        get({ 'a' => 1 }, "a'b")
        get({ 'a' => { 'b' => undef } }, 'a.b', 7)
        get([10], '-1')
        get(1, '')
        get(1, 'a')
        get([1], 0)
        get({ '1' => 'x', 1 => 'y' }, '1')
        get({ '1' => 'x', 1 => 'y' }, '"1"')
        get({ 'a' => 1 }, 'a.')
        get({ 'a' => 1 }, '.a')
        get({ 'a b' => 1 }, 'a b')
        """,
    "getvar": """
        getvar('facts.os.family')
        getvar('facts.networking.interfaces.eth0.ip')
        getvar('facts.nothing.here', 'default')
        getvar('nothing')
        getvar('nothing', 'default')
        getvar('nothing.a.b', 'default')
        getvar('::facts.os.name')
        getvar('Facts')
        getvar('1a')
        getvar('facts-x')
        getvar('facts.os.family.x')
        getvar('facts.os.family.x') |$e| { $e.message }
        getvar('')
        getvar(1)
        getvar()
        getvar('a::b::c', 1)
        getvar('facts.os.')
        getvar('trusted.')
        getvar('trusted.certname')
        """,
    "group_by": """
        group_by([1, 2, 3, 4]) |$x| { $x % 2 == 0 }
        group_by(['a', 'b', 'c']) |$i, $x| { $i % 2 }
        group_by({ 'a' => 1, 'b' => 2, 'c' => 1 }) |$k, $v| { $v }
        group_by({ 'a' => 1, 'b' => 2 }) |$pair| { $pair[1] }
        group_by([]) |$x| { $x }
        group_by('abc') |$x| { $x }
        group_by([1])
        group_by(['a', 'A']) |$x| { downcase($x) }
        group_by([1, 1.0]) |$x| { $x }
        """,
    "hiera": """
        hiera('nothing', 'default')
        hiera('nothing')
        hiera('nothing') |$key| { "no ${key}" }
        hiera('nothing', 'x', 'override')
        hiera()
        hiera(1)
        """,
    "hiera_array": """
        hiera_array('nothing', ['a'])
        hiera_array('nothing')
        hiera_array('nothing') |$key| { [$key] }
        hiera_array()
        hiera_array(1, 2)
        """,
    "hiera_hash": """
        hiera_hash('nothing', { 'a' => 1 })
        hiera_hash('nothing')
        hiera_hash('nothing') |$key| { { $key => 1 } }
        hiera_hash()
        hiera_hash(1, 2)
        """,
    "hiera_include": """
        hiera_include('nothing', [])
        hiera_include('nothing')
        hiera_include('nothing', 'settings')
        hiera_include('nothing', undef)
        hiera_include()
        """,
    "hocon_data": """
        hocon_data()
        hocon_data({ 'path' => 'x' })
        hocon_data({ 'path' => 'x' }, 1)
        hocon_data(1, 2)
        hocon_data({}, {})
        """,
    "import": """
        import('x')
        import()
        import('a', 'b')
        import(1)
        import(undef)
        """,
    "include": """
        include()
        include('')
        include(undef)
        include('no::such::class')
        include(Class)
        include(Notify['x'])
        include(1)
        include([])
        include(Resource['class'])
        include('settings')
        include(['settings', ['settings']])
        include(Class['settings'])
        """,
    "index": r"""
        index(['a', 'b', 'c'], 'b')
        index(['a'], 'z')
        index({ 'a' => 1, 'b' => 2 }, 2)
        { 'a' => 1, 'b' => 2 }.index |$v| { $v > 1 }
        { 'a' => 1, 'b' => 2 }.index |$k, $v| { $k == 'b' }
        [5, 6].index |$x| { $x == 6 }
        [5, 6].index |$i, $x| { $i == 1 }
        index('hello', 'l')
        index('hello', /l+o/)
        index('hello', 'z')
        'abc'.index |$c| { $c == 'c' }
        index([1, 1.0], 1.0)
        index(['A'], 'a')
        index([[1]], [1])
        index('äöü', 'ü')
        index(5, 3)
        index([1])
        index(undef, 1)
        index('hello', 5)
        index([1, undef], undef)
        """,
    "info": """
        info('a', 1)
        info()
        info([])
        info('x') |$y| { 1 }
        info(undef, true)
        """,
    "inline_epp": """
        inline_epp('plain')
        inline_epp('a <%= 1 + 1 %> b')
        inline_epp('<%= $x %>', { 'x' => 'given' })
        inline_epp('<%- | $x = 5 | -%><%= $x %>')
        inline_epp('<%- | Integer $x | -%><%= $x %>', { 'x' => 'text' })
        inline_epp(1)
        inline_epp()
        inline_epp('x', 1)
        inline_epp('<% if true { %>yes<% } %>')
        inline_epp('<%# comment %>x<%% y')
        """,
    "inline_template": """
        inline_template('plain')
        inline_template('a', 'b')
        inline_template()
        inline_template('')
        inline_template('100% plain')
        """,
    "join": """
        join(['a', 'b', 'c'], ',')
        join(['a', 'b'])
        join([], '-')
        join([1, 2.5, true, undef, 'x'], '|')
        join([1, [2, [3, 4]], { 'a' => 1 }], ', ')
        join('abc', ',')
        join()
        join(['a'], 1)
        join(['a'], '-', 'x')
        join([default, Integer, /re/], ' ')
        join([Sensitive('x'), SemVer('1.0.0'), Binary('YWJj')], ' ')
        join([{ 'a' => [1, undef, 'b'] }])
        join([1e20, 1e-5, 100.0], ' ')
        join([Timestamp(0), Timespan(61)], ' ')
        join([Notify['x'], Class['y']], ' ')
        join({ 'a' => 1 })
        """,
    "json_data": """
        json_data()
        json_data({ 'path' => 'x' })
        json_data({ 'path' => 'x' }, 1)
        json_data(1, 2)
        json_data({}, {})
        """,
    "keys": """
        keys({ 'a' => 1, 2 => 'b' })
        keys({})
        keys({ undef => 1, true => 2, [1] => 3, 1.5 => 4, default => 5 })
        keys([1])
        keys()
        keys({ 'a' => 1 }, 1)
        keys(undef)
        """,
    "length": """
        length('roses')
        length('äö')
        length('')
        length([1, 2])
        length({ 'a' => 1 })
        length(Binary('YWJj'))
        length(5)
        length(undef)
        length()
        length([1], [2])
        """,
    "lest": """
        undef.lest || { 'nothing' }
        5.lest || { 'nothing' }
        false.lest || { 'nothing' }
        lest(undef)
        lest(undef) |$x| { $x }
        lest() || { 1 }
        undef.lest || { undef }
        """,
    "lookup": """
        lookup('nothing')
        lookup('nothing', Integer, 'first', 42)
        lookup('nothing', Integer, 'first', 'x')
        lookup('nothing', { 'default_value' => 'none' })
        lookup('nothing', undef, undef, undef)
        lookup(['a', 'b'])
        lookup(['a', 'b'], { 'default_value' => [1] })
        lookup('nothing') |$name| { "no ${name}" }
        lookup(['a', 'b']) |$name| { $name }
        lookup({ 'name' => 'nothing', 'default_value' => 3 })
        lookup({ 'name' => 'x', 'override' => { 'x' => 'overridden' } })
        lookup('x', { 'override' => { 'x' => 'text' }, 'value_type' => Integer })
        lookup('x', { 'default_values_hash' => { 'x' => 'from hash' } })
        lookup(['a', 'x'], { 'default_values_hash' => { 'x' => 'from hash' }, 'default_value' => 'd' })
        lookup('x', { 'default_values_hash' => { 'x' => 'text' }, 'value_type' => Integer })
        lookup('nothing', Integer) |$name| { 'text' }
        lookup()
        lookup(1)
        lookup('nothing', 'notype')
        lookup('nothing', { 'nonsense' => 1 })
        lookup('nothing', { 'default_value' => 'x', 'value_type' => Integer })
        lookup('nothing', String, 'no_such_merge')
        lookup('nothing', String, { 'strategy' => 'deep' }, 'd')
        """,
    "lstrip": r"""
        lstrip('  hello ')
        lstrip("\t\n x ")
        lstrip(['  a', 1, ' b'])
        lstrip('')
        lstrip(5)
        lstrip(undef)
        lstrip("\u00a0x")
        """,
    "map": """
        [1, 2, 3].map |$x| { $x * 10 }
        ['a', 'b'].map |$i, $x| { "${i}${x}" }
        { 'a' => 1, 'b' => 2 }.map |$k, $v| { "${k}=${v}" }
        { 'a' => 1 }.map |$pair| { $pair }
        'abc'.map |$c| { upcase($c) }
        3.map |$i| { $i }
        Integer[3, 5].map |$i| { $i }
        Enum['b', 'a'].map |$e| { $e }
        [].map |$x| { $x }
        map([1])
        map(undef) |$x| { $x }
        map(1.5) |$x| { $x }
        map([1], 2) |$x| { $x }
        [1, 2].map |Integer $x| { $x }
        [1, 'a'].map |Integer $x| { $x }
        [[1, 2], [3, 4]].map |$a| { $a[1] }
        [1, 2, 3].map |$x| { next($x + 1) }
        [1, 2].map |$x| { if $x == 1 { next() } $x }
        [1].map |$x, $y = 7| { [$x, $y] }
        { 'a' => 1 }.map |*$all| { $all }
        [1, 2].map |*$all| { $all }
        """,
    "match": r"""
        match('abc123', /([a-z]+)([1-9]+)/)
        match('abc', /x/)
        match(['abc', 'xyz'], /b/)
        match('abc123', '([a-z]+)')
        match('abc', Regexp[/b(c)/])
        match('abc', Pattern[/x/, /(a)b/])
        match('abc', [/x/, [/c/]])
        match('abc', Regexp)
        match('abc', 1)
        match(1, /a/)
        match('abc')
        match('abc', '(')
        match('ab', /(a)(x)?/)
        match('abc', Integer)
        match('abc', undef)
        match("a\nb", /a$/)
        match('foo', /(?<name>o+)/)
        """,
    "max": r"""
        max(3, 10, 7)
        max(1, 2.5)
        max('b', 'abc')
        max('10', '9')
        max([1, 5, 3])
        max(['b', 'a'])
        max(['a', 'bbb', 'cc']) |$a, $b| { compare(length($a), length($b)) }
        max(1, 'a')
        max(1, '10')
        max()
        max([])
        max(true, 'z')
        max([1, 2], [3])
        max('a', 'B')
        max(3) |$a, $b| { 0 }
        max(1, 3, 2) |$a, $b| { compare($b, $a) }
        max(1, 3) |$a| { 0 }
        max(undef, 'a')
        max([1, 'x'])
        """,
    "md5": """
        md5('abc')
        md5('')
        md5('ä')
        md5(1)
        md5()
        md5('a', 'b')
        md5(true)
        md5(undef)
        """,
    "min": r"""
        min(3, 10, 7)
        min(1, 0.5)
        min('b', 'abc')
        min('10', '9')
        min([1, 5, 3])
        min(['b', 'a'])
        min(['a', 'bbb', 'cc']) |$a, $b| { compare(length($b), length($a)) }
        min(1, 'a')
        min()
        min([])
        min(true, 'a')
        min('1e3', '99')
        min(1.0, 1)
        """,
    "module_directory": """
        module_directory('nowhere')
        module_directory(['a', 'b'])
        module_directory()
        module_directory(1)
        module_directory('a', 'b')
        """,
    "new": r"""
        new(Integer, '0x1F')
        Integer('42')
        Integer('abc')
        Integer('12', 8)
        Integer('0b101', 2)
        Integer(3.99)
        Integer(true)
        Integer(undef)
        Integer(-5, 10, true)
        Float('1.5')
        Float('x')
        Float(3)
        Numeric('0x10')
        Numeric('1e3')
        Boolean('yes')
        Boolean('maybe')
        Boolean(0)
        String(255, '%#x')
        String([1, 'a', undef])
        String({ 'a' => 1 })
        String(3.14159, '%.2f')
        String('a', '%p')
        String([1, 2], { Array => { 'format' => '%<a', 'separator' => ';' } })
        String(undef)
        String(true, '%d')
        Array({ 'a' => 1 })
        Array(5)
        Array('ab')
        Array(5, true)
        Array([1], true)
        Array(undef)
        Array(Integer[1, 3])
        Hash([['a', 1], ['b', 2]])
        Hash(['a', 1, 'b', 2])
        Hash(['a'])
        Hash([[['a', 'b'], 1], [['a', 'c'], 2]], 'tree')
        Hash(5)
        Sensitive('x')
        Sensitive('x').unwrap
        Sensitive(Sensitive('x')).unwrap
        String(Timestamp('2018-03-04T05:06:07'))
        String(Timespan('1-02:03:04'))
        String(Timespan({ 'hours' => 25 }))
        SemVer('1.2.3-rc1')
        SemVer('x')
        SemVerRange('>=1.0.0 <2.0.0')
        Binary('YWJj')
        Binary('abc', '%s')
        Regexp('a+')
        URI('http://example.com/a?b#c').host
        Tuple[Integer, String]([1, 'a'])
        Struct[{ 'a' => Integer }]({ 'a' => 1 })
        Struct[{ 'a' => Integer }]([['a', 1]])
        Integer[1, 3]('5')
        Optional[Integer]('7')
        Variant[Integer, Float]('1.5')
        Enum['a']('b')
        new(Integer)
        new('Integer', 1)
        new(Integer, 1) |$x| { $x + 1 }
        new(Integer, '1') |$x| { $x + 1 }
        Callable('x')
        Any(1)
        Init[Integer]('5')
        Type('Integer')
        Pattern[/a/]('b')
        String(10, '%b')
        String('hello', '%10s')
        String([['a', 1], { 'b' => 2 }], '%p')
        """,
    "next": """
        [1, 2, 3].map |$x| { if $x == 2 { next('two') } $x }
        [1].each |$x| { next() notice('never') }
        [1, 2, 3].reduce |$m, $x| { if $x == 2 { next($m) } $m + $x }
        with(1) |$x| { next($x + 1) }
        [1, 2].filter |$x| { next($x == 2) }
        next(1)
        next(1, 2)
        [1].map |$x| { [2].map |$y| { next(9) } }
        """,
    "notice": """
        notice('a', 1, true)
        notice()
        notice([1, 'b', undef, [true]])
        notice({ 'a' => 1, 'b' => { 'c' => undef } })
        notice(undef)
        notice(default, Integer, /re/, Sensitive('x'))
        notice(1.0, 1e30, -0.5)
        notice(Timestamp(0), Timespan(90), SemVer('1.0.0'))
        notice('x') |$y| { 1 }
        notice(Notify['x'], Class['y'])
        """,
    "partition": """
        partition([1, 2, 3, 4]) |$x| { $x > 2 }
        partition(['a', 'b', 'c']) |$i, $x| { $i == 1 }
        partition({ 'a' => 1, 'b' => 2 }) |$k, $v| { $v == 1 }
        partition({ 'a' => 1, 'b' => 2 }) |$pair| { $pair[0] == 'b' }
        partition([]) |$x| { true }
        partition('abc') |$x| { true }
        partition([1])
        """,
    "realize": """
        realize()
        realize(Notify['nothing'])
        realize('Notify[nothing]')
        realize([])
        """,
    "reduce": """
        [1, 2, 3].reduce |$sum, $x| { $sum + $x }
        [1, 2, 3].reduce(100) |$sum, $x| { $sum + $x }
        [].reduce |$m, $x| { $m }
        [].reduce(5) |$m, $x| { $m }
        [7].reduce |$m, $x| { 'never' }
        { 'a' => 1, 'b' => 2 }.reduce |$m, $x| { [$m, $x] }
        { 'a' => 1, 'b' => 2 }.reduce(0) |$m, $x| { $m + $x[1] }
        'abc'.reduce |$m, $c| { "${c}${m}" }
        5.reduce |$m, $x| { $m + $x }
        Integer[1, 4].reduce |$m, $x| { $m * $x }
        reduce([1])
        reduce(undef) |$m, $x| { $m }
        reduce([1]) |$m| { $m }
        reduce([1], 2, 3) |$m, $x| { $m }
        [1, 2].reduce(undef) |$m, $x| { $x }
        [[1, 2], [3, 4]].reduce([]) |$m, $x| { $m + $x }
        """,
    "regsubst": r"""
        regsubst('abcabc', 'b', 'X')
        regsubst('abcabc', 'b', 'X', 'G')
        regsubst('ABC', 'b', 'x', 'I')
        regsubst("a\nb", 'a.b', 'x', 'M')
        regsubst('abc', 'a b', 'x', 'E')
        regsubst('192.168.0.5', '^(\d+)\.(\d+)', '\2.\1')
        regsubst('abc', /b/, '[\0]')
        regsubst('abc', /b/, '[\&]')
        regsubst('abc', /b/, "\\`|\\'")
        regsubst('abc', /b/, '\\\\')
        regsubst('abc', /(?<n>b)/, '<\k<n>>')
        regsubst('abc', /(?<n>b)/, '<\k<z>>')
        regsubst('abc', /b/, '\9x')
        regsubst('abc', /b/, 'x', 'G')
        regsubst(['ab', 'cb'], 'b', 'x')
        regsubst('abc', Regexp[/b/], 'x')
        regsubst('abc', Regexp, 'x')
        regsubst('cat hat', /[ch]at/, { 'cat' => 'dog', 'hat' => 'cap' }, 'G')
        regsubst('cat', /c/, { 'x' => 'y' })
        regsubst('abc', 'b', 'x', 'Q')
        regsubst('abc', /b/, 'x', 'I')
        regsubst('abc', 'b', 'x', undef)
        regsubst('abc', 'b', 'x', 'G', 'U')
        regsubst('abc', '(', 'x')
        regsubst(1, 'b', 'x')
        regsubst('abc', 'b')
        regsubst('abc', '', '-', 'G')
        regsubst('aaa', 'a*', 'x', 'G')
        regsubst('hello', '(l+)', '<\1\1>')
        regsubst('äöü', 'ö', '\0\0')
        regsubst('abc', 'b', '\\')
        regsubst('abc', 'b', '\x')
        regsubst("a\nb\nc", '^', '> ', 'G')
        regsubst('foo.bar', '\.', '\\.')
        regsubst([], 'b', 'x')
        """,
    "require": """
        require()
        require('')
        require('no::such::class')
        require(Class)
        require(undef)
        """,
    "return": """
        return(1, 2)
        with(1) |$x| { return($x) }
        [1].map |$x| { return($x) }
        return()
        return(5)
        """,
    "reverse_each": """
        [1, 2, 3].reverse_each.map |$x| { $x }
        [1, 2, 3].reverse_each |$x| { notice($x) }
        { 'a' => 1, 'b' => 2 }.reverse_each.map |$x| { $x }
        'abc'.reverse_each.map |$x| { $x }
        3.reverse_each.map |$x| { $x }
        Integer[1, 5].reverse_each.map |$x| { $x }
        [1, 2, 3].reverse_each.reverse_each.map |$x| { $x }
        [].reverse_each.map |$x| { $x }
        reverse_each(undef)
        reverse_each()
        [1].reverse_each |$a, $b| { 1 }
        Array([1, 2].reverse_each)
        [1, 2, 3].reverse_each.map |$i, $x| { [$i, $x] }
        [1, 2].reverse_each =~ Iterator[Integer]
        type([1, 2].reverse_each)
        """,
    "round": """
        round(2.5)
        round(-2.5)
        round(2.4)
        round(-2.4)
        round(0)
        round(0.5)
        round(-0.5)
        round(7)
        round('2.5')
        round()
        round(undef)
        round(1e20)
        """,
    "rstrip": r"""
        rstrip(' hello  ')
        rstrip("x \t\n")
        rstrip(['a  ', 1])
        rstrip(5)
        rstrip(undef)
        rstrip('')
        """,
    "sha1": """
        sha1('abc')
        sha1('')
        sha1(1)
        sha1()
        sha1('a', 'b')
        sha1(Notify['x'])
        """,
    "sha256": """
        sha256('abc')
        sha256('')
        sha256('ä')
        sha256(1.5)
        sha256()
        sha256(undef)
        """,
    "shellquote": r"""
        shellquote('ls', 'my file', '$HOME')
        shellquote('plain')
        shellquote(Notify['x'])
        shellquote({})
        shellquote('')
        shellquote("it's")
        shellquote("it's \$5")
        shellquote(['a', ['b c']], 'd')
        shellquote('a"b')
        shellquote('a`b!')
        shellquote()
        shellquote(1)
        shellquote('ä b')
        shellquote('back\slash')
        shellquote(undef)
        """,
    "size": """
        size('roses')
        size([1, 2])
        size({ 'a' => 1 })
        size(Binary('YWJj'))
        size(5)
        size()
        size(undef)
        """,
    "slice": """
        slice([1, 2, 3, 4, 5], 2)
        [1, 2, 3, 4].slice(2) |$x| { notice($x) }
        [1, 2, 3].slice(2) |$a, $b| { notice("${a}-${b}") }
        { 'a' => 1, 'b' => 2, 'c' => 3 }.slice(2)
        { 'a' => 1, 'b' => 2, 'c' => 3 }.slice(2) |$x, $y| { notice($x, $y) }
        slice('abcde', 2)
        slice(5, 2)
        slice(Integer[1, 5], 3)
        slice(3, 3)
        slice(1, 1)
        slice(Integer[1, 3], 5)
        slice(0, 2)
        slice(Integer[1, 3], 3) |$a, $b, $c| { notice($a, $b, $c) }
        slice([1, 2], 0)
        slice([1, 2])
        slice([1, 2], 2) || { 1 }
        slice(undef, 2)
        slice([], 2)
        slice([1, 2], 'x')
        slice([1, 2, 3, 4], 2) |*$all| { notice($all) }
        """,
    "sort": """
        sort([3, 1, 2])
        sort(['b', 'A', 'c', 'a'])
        sort('hello')
        sort([3, 1, 2]) |$a, $b| { compare($b, $a) }
        sort(['b', 'A']) |$a, $b| { compare($a, $b) }
        sort([2, 1.5, 1])
        sort([1, 'a'])
        sort(['a', 1])
        sort([[2, 1], [1, 2]])
        sort([])
        sort([undef, 1])
        sort([true, false])
        sort({ 'b' => 1 })
        sort(1)
        sort()
        sort('hello') |$a, $b| { compare($b, $a) }
        sort([3, 1, 2]) |$a, $b| { notice("${a} ${b}") compare($a, $b) }
        sort([1, 2]) |$a, $b| { undef }
        sort([1, 2]) |$a, $b| { 'x' }
        sort([1, 2]) |$a, $b| { true }
        sort([undef, undef])
        sort([{ 'a' => 1 }, { 'a' => 1 }])
        sort([{ 'a' => 1 }, { 'b' => 1 }])
        sort(['ä', 'z', 'a'])
        sort([5, 3, 9, 1, 7]) |$a, $b| { notice("${a} ${b}") compare($a, $b) }
        """,
    "split": r"""
        split('a,b,,c,,', ',')
        split('a1b22c', /(\d+)/)
        split('abc', '')
        split('a b  c', ' ')
        split('a b', Regexp[/ /])
        split('', ',')
        split('abc', 'x')
        split(',a', ',')
        split('a.b', '.')
        split('a|b', '|')
        split('aXbxc', /(?i:x)/)
        split('a,b', 1)
        split('a')
        split(1, ',')
        split('a(b', '(')
        split('a,b;c', /[,;]/)
        split('äöü', '')
        split("a\nb", "\n")
        split('abc', Regexp)
        split('2024-01-02', '-')
        split('aaa', 'a')
        split('abc', 'b?')
        """,
    "sprintf": r"""
        sprintf('%05.1f|%-4s|%x', 3.14159, 'ab', 255)
        sprintf('%<x>s is %<y>d', { 'x' => 'value', 'y' => 42 })
        sprintf('%{x}-%{y}', { 'x' => 1, 'y' => 2 })
        sprintf('%d', '12')
        sprintf('%d', Notify['x'])
        sprintf('%d', 'abc')
        sprintf('%d', undef)
        sprintf('%s')
        sprintf('%y', 1)
        sprintf('%')
        sprintf('100%%')
        sprintf('%s %s', [1, 'a'], { 'b' => undef })
        sprintf('%p', 'a')
        sprintf('%x', -255)
        sprintf('%+d % d', 5, 5)
        sprintf('%e', 12345.678)
        sprintf('%c', 'x')
        sprintf('%1$s %1$s', 'a')
        sprintf('%<z>s', { 'x' => 1 })
        sprintf('%<z>s', 1)
        sprintf('%s', true)
        sprintf('%s', undef)
        sprintf('%d', 3.99)
        sprintf('%.3s', 'abcdef')
        sprintf('%*d', 5, 42)
        sprintf('%b', 10)
        sprintf('%o', 8)
        sprintf('%#x', 255)
        sprintf('%08b', 37)
        sprintf('%s', Integer)
        sprintf()
        sprintf(1)
        sprintf('%s', Notify['x'])
        sprintf('%s', default)
        sprintf('%d', [1])
        sprintf('%f', 'abc')
        sprintf('%g', 1e10)
        sprintf('%-10s|', 'x')
        sprintf('%5s|', 'ä')
        sprintf('%s', /re/)
        """,
    "step": """
        [1, 2, 3, 4, 5].step(2).map |$x| { $x }
        [1, 2, 3, 4, 5].step(2) |$x| { notice($x) }
        Integer[1, 10].step(3).map |$x| { $x }
        'abcdef'.step(2).map |$x| { $x }
        { 'a' => 1, 'b' => 2, 'c' => 3 }.step(2).map |$x| { $x }
        10.step(5).map |$x| { $x }
        [1, 2].step(0)
        [1, 2].step('x')
        [1, 2].step
        Integer[1, 10].reverse_each.step(3).map |$x| { $x }
        Integer[1, 10].step(3).reverse_each.map |$x| { $x }
        [1, 2, 3, 4].step(2).reverse_each.map |$x| { $x }
        [1, 2, 3].step(1).map |$x| { $x }
        step(undef, 1)
        """,
    "strftime": r"""
        strftime(Timestamp('2018-03-04T05:06:07'), '%Y/%m/%d %H:%M:%S')
        strftime(Timestamp('2018-03-04T05:06:07.123456789'), '%N %L %3N %6N %9N')
        strftime(Timestamp('2018-03-04T05:06:07'), '%A %a %B %b %j %U %u %w %p %I %l %e')
        strftime(Timestamp('2018-03-04T05:06:07'), '%F %T %D %R %c')
        strftime(Timestamp('2018-03-04T05:06:07'), '%s %z %Z %%')
        strftime(Timestamp('2018-03-04T05:06:07'), '%H:%M', '+02:00')
        strftime(Timestamp('2018-03-04T05:06:07'), '%H:%M %z', 'PST')
        strftime(Timestamp('2018-03-04T05:06:07'), '%-d %_d %^a %#p %010Y')
        strftime(Timestamp('2018-03-04T05:06:07'), '%G-W%V %C %y %g %h %n|%t|%r %X %x %v %k')
        strftime(Timespan({ 'hours' => 25, 'minutes' => 3 }), '%D:%H:%M')
        strftime(Timespan({ 'days' => 1, 'hours' => 2, 'minutes' => 3, 'seconds' => 4 }), '%-H %M %S')
        strftime(Timespan({ 'seconds' => 90 }), '%S')
        strftime(Timespan({ 'seconds' => 90, 'milliseconds' => 5 }), '%M:%S.%L')
        strftime(Timespan({ 'seconds' => -90 }), '%M:%S')
        strftime(Timespan({ 'seconds' => 90 }), '%Q')
        strftime(Timespan({ 'seconds' => 1, 'microseconds' => 3500 }), '%S.%6N|%-6N|%3N|%N|%_N')
        strftime(Timespan({ 'microseconds' => 3000 }), '%-6N')
        strftime(1, '%Y')
        strftime(Timestamp(0))
        strftime()
        strftime('%%')
        strftime(Timestamp(0), '%Y', 'NoSuchZone')
        """,
    "strip": r"""
        strip(" hello\t\n")
        strip(['  a  ', 1])
        strip('')
        strip(5)
        strip(undef)
        strip("\u00a0x\u00a0")
        strip(' a b ')
        """,
    "tag": """
        tag()
        tag('web')
        tag('not valid!')
        tag(['a', 'b'], 'c::d')
        tag('')
        tag(undef)
        """,
    "tagged": """
        tagged()
        tagged('class')
        tagged('nothing')
        tagged('class', 'nothing')
        tagged('settings')
        tagged('CLASS')
        """,
    "template": """
        template('nowhere/at_all.erb')
        template('/no/such/file.erb')
        template()
        template('nowhere')
        template('')
        """,
    "then": """
        3.then |$x| { $x * 2 }
        undef.then |$x| { $x * 2 }
        false.then |$x| { 'called' }
        then(1)
        then(1) || { 1 }
        then(1, 2) |$x| { 1 }
        { 'a' => { 'b' => 2 } }.dig('a').then |$x| { $x['b'] }
        """,
    "tree_each": """
        tree_each({ 'a' => [1, 2] }).map |$p| { $p }
        tree_each({ 'a' => [1, 2] }, { 'include_containers' => false }).map |$p| { $p }
        tree_each({ 'a' => [1, 2] }, { 'include_values' => false }).map |$p| { $p }
        tree_each({ 'a' => [1, 2] }, { 'include_root' => false }).map |$p| { $p }
        tree_each([1, [2, [3]], 4], { 'order' => 'breadth_first' }).map |$p| { $p }
        tree_each([1, [2, [3]], 4], { 'order' => 'breadth_first', 'include_containers' => false }).map |$p| { $p }
        tree_each([1, [2]]) |$p, $v| { notice($p, $v) }
        tree_each([1, [2]]) |$v| { notice($v) }
        tree_each([1, { 'a' => [2] }], { 'container_type' => Array }).map |$p| { $p }
        tree_each([1, [2]], { 'container_type' => Integer })
        tree_each([1], { 'include_values' => false, 'include_containers' => false })
        tree_each([1], { 'nonsense' => 1 })
        tree_each('abc')
        tree_each(undef)
        tree_each([]).map |$p| { $p }
        tree_each([[], {}]).map |$p| { $p }
        tree_each([1, [2, 3]]).reverse_each.map |$p| { $p }
        """,
    "type": r"""
        type(1)
        type('a')
        type([1, 'a'])
        type([1, 2], 'reduced')
        type([1, 2], 'generalized')
        type({ 'a' => 1, 'b' => 'x' })
        type({ 'a' => 1, 'b' => 2 }, 'reduced')
        type({ 'a' => 1 }, 'generalized')
        type(undef)
        type(default)
        type(true)
        type(1.5)
        type(/a/)
        type(Integer)
        type(Notify['x'])
        type([])
        type({})
        type(Sensitive('x'))
        type(Timestamp(0))
        type(SemVer('1.0.0'))
        type(Binary('YWJj'))
        type(1, 'nonsense')
        type()
        type([1, [2, 'a']], 'reduced')
        type({ 1 => 'a', 'b' => 2 })
        """,
    "unique": """
        unique([1, 3, 1, 'a', 'A', 'a'])
        unique('hello')
        unique({ 'a' => 1, 'b' => 2, 'c' => 1 })
        unique(['a', 'A', 'b']) |$x| { downcase($x) }
        unique({ 'a' => 1, 'b' => 3, 'c' => 2 }) |$v| { $v % 2 }
        unique([1, 1.0, true, 'true'])
        unique([[1], [1], [2]])
        unique([])
        unique(5)
        unique(Integer[1, 3])
        unique(undef)
        unique([undef, undef])
        unique('aAbB') |$c| { upcase($c) }
        unique([1]) |$a, $b| { 1 }
        """,
    "unwrap": """
        unwrap(Sensitive('secret'))
        unwrap('plain')
        Sensitive('x').unwrap |$v| { "got ${v}" }
        'x'.unwrap |$v| { "got ${v}" }
        unwrap(undef)
        unwrap()
        unwrap(Sensitive(undef))
        unwrap(Sensitive([1]))
        unwrap('a', 'b')
        """,
    "upcase": """
        upcase('hello')
        upcase('straße')
        upcase(['a', ['b', 1], { 'c' => 'd' }])
        upcase({ 'a' => 'b' })
        upcase(1)
        upcase(undef)
        upcase([true])
        upcase('ŉ')
        """,
    "values": """
        values({ 'a' => 1, 2 => 'b' })
        values({})
        values({ 'a' => undef })
        values([1])
        values()
        values(undef)
        """,
    "versioncmp": """
        versioncmp('2.6-1', '2.4.5')
        versioncmp('1.0', '1.0')
        versioncmp('1.0', '1.0.0')
        versioncmp('1.0.0', '1.0', true)
        versioncmp('1.10', '1.9')
        versioncmp('1.01', '1.1')
        versioncmp('1.0a', '1.0b')
        versioncmp('1.0A', '1.0b')
        versioncmp('1.0-1', '1.0.1')
        versioncmp('1.0-1', '1.0')
        versioncmp('', '1')
        versioncmp('a', '1')
        versioncmp('1', 'a')
        versioncmp(1, 2)
        versioncmp('1')
        versioncmp('1.0.0-rc1', '1.0.0-rc2', true)
        versioncmp('', '', true)
        versioncmp('10', '9')
        versioncmp('2.0.0+b', '2.0.0')
        """,
    "warning": """
        warning('a', 1)
        warning()
        warning([1, { 'a' => 'b' }])
        warning('quo"te')
        warning(Integer[1, 2])
        """,
    "with": """
        with(1, 2) |$x, $y| { $x + $y }
        with() || { 'none' }
        with(1)
        with(1) |$x, $y| { 1 }
        with('a') |Integer $x| { $x }
        with(1, 2, 3) |$x, *$rest| { $rest }
        with(1) |$x, $y = $x + 1| { [$x, $y] }
        with([1, 2]) |$x| { $x }
        with(1, 2) |$x| { $x }
        with(undef) |Optional[Integer] $x| { $x }
        with('a') |Enum['b'] $x| { $x }
        """,
    "yaml_data": """
        yaml_data()
        yaml_data({ 'path' => 'x' })
        yaml_data({ 'path' => 'x' }, 1)
        yaml_data(1, 2)
        yaml_data({}, {})
        """,
}

_ANNOTATED = """\
type A = Object[{ parent => Annotation, attributes => { id => Integer, text => String[1] } }]
type O = Object[{ attributes => { n => Integer } }]
$o = O(1)
"""

MANIFESTS: dict[str, list[str]] = {
    "annotate": [
        _ANNOTATED + "A.annotate($o, { 'id' => 2, 'text' => 'x' })\nnotice(A.annotate($o).text)",
        _ANNOTATED + "notice(A.annotate($o))",
        _ANNOTATED + "notice(annotate(A, $o, { 'id' => 2, 'text' => 'x' }).id)\nannotate(A, $o, 'clear')\n"
        "notice(annotate(A, $o))",
        _ANNOTATED + "notice(A.annotate($o) || { { 'id' => 5, 'text' => 'lazy' } }.text)\nnotice(A.annotate($o).id)",
        _ANNOTATED + "$p = Pcore.annotate($o, { A => { 'id' => 7, 'text' => 'y' } })\nnotice(A.annotate($p).id, $p)",
        _ANNOTATED + "A.annotate($o, { 'id' => 'x', 'text' => 'x' })",
    ],
    "contain": [
        "class a { notify { 'in a': } }\nclass b { contain a }\ninclude b",
        "class a { }\nclass b { $r = contain('a') notice($r) }\ninclude b",
        "class a { }\nclass c { }\nclass b { contain a, c }\ninclude b",
        "class a { }\nclass b { contain(Class['a']) }\ninclude b",
        "class a { }\ncontain ['a']",
    ],
    "create_resources": [
        "create_resources('notify', { 'hello' => { 'message' => 'world' } })",
        "create_resources('notify', { 'a' => {}, 'b' => { 'message' => 'own' } }, { 'message' => 'default' })",
        "create_resources('@notify', { 'v' => {} })\nrealize(Notify['v'])",
        "create_resources('@@notify', { 'v' => {} })",
        "define d($p = 'default') { notify { \"${title} ${p}\": } }\ncreate_resources(d, { 'x' => { 'p' => undef }, "
        "'y' => { 'p' => 1 } })",
        "class c($p) { notify { \"c ${p}\": } }\ncreate_resources('class', { 'c' => { 'p' => 'v' } })",
        "create_resources('Notify', { ['a', 'b'] => {} })",
        "create_resources(notify, { 'x' => { 'message' => undef } }, { 'message' => 'd' })",
        "notify { 'x': }\ncreate_resources(notify, { 'x' => {} })",
        "create_resources(notify, { 1 => {} })",
    ],
    "defined": [
        "class a { }\nnotice(defined('a'), defined(Class['a']))\ninclude a\nnotice(defined(Class['a']), defined(A))",
        "define d { }\nnotice(defined('d'), defined(D), defined(D['x']))\nd { 'x': }\nnotice(defined(D['x']))",
        "notice(defined(Notify['x']))\nnotify { 'x': }\nnotice(defined(Notify['x']), defined(Notify['y', 'x']))",
        "$v = undef\nnotice(defined('$v'), defined('$w'), defined('$::v'))",
        "class a { $in = 1 notice(defined('$in'), defined('$a::in'), defined('$a::out')) }\ninclude a",
        "@notify { 'v': }\nnotice(defined(Notify['v']))",
        "class a { }\nnotice(defined(Type[Class['a']]))",
    ],
    "fail": ["fail('stop here')", "class a { fail('in a') }\ninclude a", "define d { fail($title) }\nd { 'x': }"],
    "getvar": [
        "$x = { 'a' => [1, 2] }\nnotice(getvar('x.a.1'))",
        "class c { $v = 'inner' }\ninclude c\nnotice(getvar('c::v'), getvar('::c::v'), getvar('c::nothing', 'd'))",
        "$u = undef\nnotice(getvar('u', 'default'))",
        "with(1) |$y| { notice(getvar('y')) }",
        "function f() { getvar('facts.os.name') }\nnotice(f())",
    ],
    "include": [
        "class a { notify { 'a': } }\ninclude a\ninclude 'a', '::a'\ninclude [A, ['a']]",
        "class a { }\nclass b { }\n$r = include(a, b)\nnotice($r)",
        "class a::b { notify { 'ab': } }\ninclude Class['a::b']",
        "class a { include b }\nclass b { notify { 'b': } }\ninclude a",
        "class a($p) { }\ninclude a",
        "class a($p = 1) { notice($p) }\ninclude a\nclass { 'a': p => 2 }",
    ],
    "next": [
        "function f($x) { if $x { next('early') } 'late' }\nnotice(f(true), f(false))",
        "class a { next() }\ninclude a",
        "define d { next() }\nd { 'x': }",
    ],
    "break": ["break()", "function f() { break() }\nnotice(f())", "class a { break() }\ninclude a"],
    "realize": [
        "@notify { ['a', 'b', 'c']: }\nrealize(Notify['a'], Notify['b'])",
        "@notify { 'a': }\nrealize Notify['a']",
        "@notify { ['a', 'b']: }\nrealize([Notify['a'], [Notify['b']]])",
        "realize(Notify['later'])\n@notify { 'later': }",
        "@notify { 'a': }\n$r = realize(Notify['a'])\nnotice($r)",
        "@notify { 'a': }\nrealize(Notify['a', 'missing'])",
    ],
    "require": [
        "class a { }\nclass b { require a notify { 'b': } }\ninclude b",
        "class a { }\nclass b { require('a') $r = require(Class['a']) notice($r) }\ninclude b",
        "class a { }\nclass c { }\nclass b { require a, c }\ninclude b",
        "class a { }\ndefine d { require a }\nd { 'x': }",
    ],
    "return": [
        "function f($x) { if $x { return('early') } 'late' }\nnotice(f(true), f(false))",
        "function f() { [1, 2, 3].each |$x| { if $x == 2 { return($x * 10) } } 'end' }\nnotice(f())",
        "class a { notify { 'before': } return() notify { 'after': } }\ninclude a",
        "define d { notice('in') return() notice('never') }\nd { 'x': }",
        "function f() { return() }\nnotice(type(f()))",
        "class a { return('value') }\ninclude a",
    ],
    "tag": [
        "class a { tag('mine') notify { 'in': } }\ninclude a",
        "tag('top')\nnotify { 'x': }",
        "define d { tag('one', 'two') notify { $title: } }\nd { 'x': }",
        "class a { tag('x::y') notify { 'in': } }\ninclude a",
    ],
    "tagged": [
        "class a { tag('mine') notice(tagged('mine'), tagged('a'), tagged('other')) }\ninclude a",
        "class a { }\ninclude a\nnotice(tagged('a'), tagged('b'))",
        "define d { notice(tagged('d'), tagged('wanted')) }\nd { 'x': tag => 'wanted' }",
        "class a::b { notice(tagged('a'), tagged('b'), tagged('a::b')) }\ninclude a::b",
        "notice(tagged('class', 'nothing'))",
    ],
    "notice": [
        "class a { notice('in class') }\ninclude a",
        "notice(String[1], [Integer], { Integer => 'x' })",
        "notice(\"${[1, 'a']} ${ { 'k' => undef } }\")",
    ],
}

FILES: dict[str, str] = {
    "modules/m/files/a.txt": "content of a\n",
    "modules/m/files/sub/b.txt": "b with CRLF\r\n",
    "modules/m/templates/plain.erb": "no tags, 100% plain\n",
    "modules/m/templates/t.epp": "<%- | $name, $n = 2 | -%>\nHello <%= $name %> <%= $n %>\n",
    "modules/m/templates/free.epp": "<%= $x %> and <%= $facts['os']['name'] %>\n",
    "modules/m/templates/loop.epp": "<% [1, 2].each |$i| { -%>\n<%= $i %>\n<% } -%>\n",
    "modules/n/files/a.txt": "content of n's a\n",
}
"""The files of the environment in which `IN_MODULES` are asked."""

IN_MODULES: dict[str, list[str]] = {
    "binary_file": ["notice(binary_file('m/a.txt'))", "notice(type(binary_file('m/a.txt')))"],
    "epp": [
        "notice(epp('m/t.epp', { 'name' => 'you' }))",
        "notice(epp('m/t', { 'name' => 'you', 'n' => 5 }))",
        "notice(epp('m/t.epp'))",
        "notice(epp('m/t.epp', { 'name' => 'you', 'other' => 1 }))",
        "notice(epp('m/free.epp', { 'x' => 'given' }))",
        "$x = 'top'\nnotice(epp('m/free.epp'))",
        "notice(epp('m/loop.epp'))",
        "notice(epp('m/missing.epp'))",
    ],
    "file": [
        "notice(file('m/a.txt'))",
        "notice(file('m/sub/b.txt'))",
        "notice(file('m/missing.txt', 'n/a.txt'))",
        "notice(file('m/missing.txt', 'n/missing.txt'))",
        "notice(file('m'))",
    ],
    "find_file": [
        "notice(find_file('m/a.txt'))",
        "notice(find_file('m/missing', 'n/a.txt'))",
        "notice(find_file(['m/missing', 'n/a.txt']))",
        "notice(type(find_file('m/missing')))",
    ],
    "find_template": ["notice(find_template('m/t.epp'))", "notice(type(find_template('m/a.txt')))"],
    "module_directory": [
        "notice(module_directory('m'))",
        "notice(module_directory('missing', 'n'))",
        "notice(module_directory(['missing', 'm']))",
    ],
    "template": ["notice(template('m/plain.erb'))", "notice(template('m/plain.erb', 'm/plain.erb'))"],
}

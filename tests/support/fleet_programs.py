"""Random fleets over what nodes are easily taken for alike by: programs whose catalogs turn on a little of the facts.

Each statement of a program goes through one of the ways in which a value depends on what a node is: an element counted
from the end of a list that has another length on each node, arrays that grow, merges of levels of which some are null
or empty, captures of a regular expression, types and formats, secrets, loops over hashes, names that are computed,
exported resources. Facts are drawn from small pools, so that nodes agree in some and not in others.
"""

from __future__ import annotations

import json
from random import Random

NUMBER = "NUMBER"
"""In a statement, what makes its titles its own."""
STATEMENTS = (
    # positions from the end
    "$cNUMBER = split($facts['host'], '-')[-1] notify { 'NUMBER': message => $cNUMBER }",
    "if split($facts['host'], '-')[-1] == 'db' { notify { 'NUMBER db': } }",
    "notify { 'NUMBER': message => split($facts['host'], '-')[-2, 2] }",
    "notify { 'NUMBER': message => $facts['host'][-3, 3] }",
    "notify { 'NUMBER': message => [$facts['list'], $facts['list'][0, -2]] }",
    "notify { 'NUMBER': message => $facts['list'][-1] }",
    # arrays that grow
    "notify { 'NUMBER': message => split($facts['dns'], ',') }",
    "split($facts['dns'], ',').each |$i, $a| { notify { \"NUMBER $i\": message => $a } }",
    "notify { 'NUMBER': message => $facts['list'] + split($facts['dns'], ',') }",
    "notify { 'NUMBER': message => $facts['list'].map |$x| { [$x, $facts['n']] } }",
    "notify { 'NUMBER': message => $facts['list'].filter |$x| { $x != 'b' } }",
    "notify { 'NUMBER': message => unique($facts['list'] << $facts['role']) }",
    "notify { $facts['list'].unique.map |$x| { \"NUMBER $x\" }: message => $facts['n'] }",
    "file { \"/NUMBER/${facts['list'].length}\": ensure => file }",
    "notify { 'NUMBER': message => $facts['list'].reduce('') |$m, $x| { \"$m$x\" } }",
    "notify { 'NUMBER': message => Integer[1, $facts['n']].map |$i| { $i * 2 } }",
    # levels, merges, nulls
    "notify { 'NUMBER': message => lookup('users', { merge => deep, default_value => {} }) }",
    "lookup('users', Hash, 'deep', {}).each |$u, $how| { notify { \"NUMBER $u\": message => $how } }",
    "notify { 'NUMBER': message => lookup('words', { merge => unique, default_value => [] }) }",
    "notify { 'NUMBER': message => lookup('users', { merge => hash, default_value => {} }) }",
    "notify { 'NUMBER': message => lookup('nothing', { default_value => 'none' }) }",
    "notify { 'NUMBER': message => String(lookup('nothing', { default_value => 'none' })) }",
    "notify { 'NUMBER': message => lookup(['other', 'text'], { default_value => 0 }) }",
    "notify { 'NUMBER': message => lookup('text', { default_value => '' }) }",
    "notify { 'NUMBER': message => lookup('users.ann.uid', { default_value => undef }) }",
    "notify { 'NUMBER': message => lookup('several', { default_value => 'x' }) }",
    # captures
    "if $facts['host'] =~ /^(\\w+?)-?(\\d+)?/ { notify { 'NUMBER': message => \"$1 $2\" } }",
    "case $facts['host'] { /-(\\w+)$/: { notify { 'NUMBER': message => $1 } } default: { notify { 'NUMBER none': } } }",
    "notify { 'NUMBER': message => $facts['host'].match(/(\\d+)-(\\w+)/) }",
    "notify { 'NUMBER': message => regsubst($facts['dns'], '(\\d+)$', '<\\1>') }",
    "notify { 'NUMBER': message => $facts['host'] ? { /web/ => 'w', /(\\d)/ => $1, default => 'd' } }",
    # types and formats
    "notify { 'NUMBER': message => \"${type($facts['mixed'])}\" }",
    "notify { 'NUMBER': message => $facts['mixed'] ? { Integer => 'i', String => 's', Array => 'a', default => 'o' } }",
    "if $facts['list'] =~ Array[String, 2] { notify { 'NUMBER': } }",
    "notify { 'NUMBER': message => sprintf('%05d %-8s|%x', $facts['n'], $facts['role'], $facts['n']) }",
    "notify { 'NUMBER': message => String($facts['list'], '%#a') }",
    "notify { 'NUMBER': message => Integer(\"0${facts['n']}\", 10) * 3 % 7 }",
    "notify { 'NUMBER': message => $facts['n'] / 2.0 }",
    "notify { 'NUMBER': message => versioncmp($facts['version'], '10.2') }",
    "notify { 'NUMBER': message => String($facts['nested']) }",
    "notify { 'NUMBER': message => $facts['nested'].map |$k, $v| { \"$k=$v\" }.sort }",
    "notify { 'NUMBER': message => dig($facts, 'nested', 'a', 'b') }",
    "unless $facts['absent'] { notify { 'NUMBER': message => \"${facts['absent']}\" } }",
    "notify { 'NUMBER': message => $facts['absent'] =~ Undef }",
    # secrets
    "$sNUMBER = Sensitive(\"pw-${facts['host']}\") file { '/NUMBER': content => $sNUMBER }",
    "notify { 'NUMBER': message => Sensitive(\"pw-${facts['n']}\").unwrap.upcase }",
    "notify { 'NUMBER': message => md5(Sensitive($facts['host']).unwrap) }",
    "if Sensitive($facts['n']).unwrap > 5 { notify { 'NUMBER': } }",
    "file { '/NUMBER': content => Sensitive(\"a ${facts['role']} b\") }",
    # names that are computed, classes, defines
    "$vNUMBER = \"c${facts['n'] % 3}\" include $vNUMBER",
    "if defined(Class['c1']) { notify { 'NUMBER': } }",
    "d { \"NUMBER ${facts['role']}\": value => $facts['mixed'] }",
    "include p notify { 'NUMBER': message => $p::limit }",
    "notify { 'NUMBER': message => inline_epp('<% $facts[\"list\"].each |$x| { %><%= $x %>;<% } %>') }",
    "notify { 'NUMBER': message => inline_template(\"<%= @facts['list'].last.to_s + @trusted['certname'] %>\") }",
    "notify { 'NUMBER': message => template('m/t.erb') }",
    "notify { 'NUMBER': message => $facts[$facts['which']] }",
    "notify { 'NUMBER': message => getvar(\"facts.nested.${facts['which']}\") }",
    "if $facts['n'] > 6 { fail(\"too large: ${facts['n']}\") }",
    "File { mode => $facts['mode'] } file { '/NUMBER': ensure => $facts['ensure'] }",
    "notify { 'NUMBER': tag => $facts['role'] } Notify <| tag == 'db' |> { withpath => true }",
    # what others export
    "@@user { \"NUMBER ${facts['host']}\": uid => $facts['n'], tag => $facts['role'] }",
    "User <<| tag == $facts['role'] |>>",
    "User <<| uid == $facts['n'] |>> { comment => $facts['role'] }",
)
COMMON = """\
class c0 { notify { 'c0': } }
class c1 { notify { 'c1': message => $facts['role'] } include c2 }
class c2($word = 'w') { notify { 'c2': message => $word } }
class p($limit = $facts['n'], $list = $facts['list']) { notify { 'p': message => $list } }
define d($value) { notify { $title: message => "${value}" } }
"""
TEMPLATE = "<% @facts['list'].each_with_index do |x, i| -%>\n<%= i %> <%= x %>\n<% end -%>\n<%= @facts['host'][-1] %>\n"
HIERA = """\
version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: node, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: role, path: 'role/%{facts.role}.yaml'}
  - {name: several, glob: 'several/*.yaml'}
  - {name: common, path: common.yaml}
"""
OPTIONS = "lookup_options:\n  several: {merge: {strategy: deep, knockout_prefix: '--'}}\n  '^w.*s$': {merge: unique}\n"
DATA = (
    "users: {ann: {uid: 1, groups: [a]}}\n",
    "users: {ann: {groups: [b, c]}, bob: {uid: 2}}\n",
    "users: {cat: }\n",
    "users: {}\n",
    "users: {ann: ~, bob: {uid: ~}}\n",
    "words: [a, b]\n",
    "words: []\n",
    "words: [c, a, '%{facts.role}']\n",
    "nothing: ~\n",
    "nothing: 'some'\n",
    "text: 'of %{facts.host} at %{facts.n}'\n",
    "text: '%{lookup(\"words.0\")}'\n",
    "several: {a: [1], b: {c: '%{facts.role}'}}\n",
    "several: {a: [2, '--1'], b: ~}\n",
    "p::limit: 77\n",
    "p::list: ['%{facts.role}']\n",
    "c2::word: '%{facts.which}'\n",
    "",
)
PLACES = ("common", "role/db", "role/web", "role/eu", "several/a", "several/b")
HOSTS = ("web-01-eu", "db-2", "web-eu-db", "db-01-eu", "eu-web", "web1", "eu-db", "db-01-us-web")
ROLES = ("web", "db", "eu")
ADDRESSES = ("10.0.0.1", "10.0.0.2", "10.0.0.1,10.0.0.2", "10.0.0.2,10.0.0.1", "10.0.0.1,10.0.0.2,10.0.0.3", "")
LISTS: tuple[list[object], ...] = ([], ["a"], ["a", "b"], ["b", "a"], ["a", "b", "c"], ["a", "a"], ["c", 1])
NESTED: tuple[dict[str, object], ...] = ({}, {"a": {"b": 1}}, {"a": {"b": [1]}}, {"b": "x", "a": {}}, {"a": None})


def facts(chance: Random) -> dict[str, object]:
    """The facts of a node."""
    return {
        "host": chance.choice(HOSTS),
        "role": chance.choice(ROLES),
        "dns": chance.choice(ADDRESSES),
        "list": chance.choice(LISTS),
        "nested": chance.choice(NESTED),
        "n": chance.randrange(1, 8),
        "mixed": chance.choice((1, "1", "one", [1], {"a": 1}, True, 1.5)),
        "version": chance.choice(("9.9", "10.1", "10.2", "10.10")),
        "which": chance.choice(("role", "host", "a", "b", "n")),
        "mode": chance.choice(("0644", "0600")),
        "ensure": chance.choice(("file", "absent", "directory")),
        **({"absent": chance.choice(("here", "", False))} if chance.random() < 0.3 else {}),
    }


def fleet(chance: Random, nodes: int) -> tuple[dict[str, str], dict[str, dict[str, object]]]:
    """The files of an environment, and the facts of so many nodes."""
    program = [
        statement.replace(NUMBER, f"s{number}")
        for number, statement in enumerate(chance.sample(STATEMENTS, chance.randrange(3, 9)))
    ]
    known = {f"n{number}": facts(chance) for number in range(nodes)}
    places = [*PLACES, *(f"nodes/{node}" for node in chance.sample(sorted(known), nodes // 4))]
    files = {f"data/{place}.yaml": _data(chance) for place in places}
    files["data/common.yaml"] += OPTIONS if chance.random() < 0.7 else ""
    files |= {
        "manifests/site.pp": COMMON + "\n".join(program) + "\n",
        "modules/m/templates/t.erb": TEMPLATE,
        "hiera.yaml": HIERA,
    }
    return files, known


def _data(chance: Random) -> str:
    """A file of data: some keys, each once."""
    lines = {text.partition(":")[0]: text for text in chance.sample(DATA, chance.randrange(1, 7))}
    return "".join(lines.values()) or "{}\n"


def facts_files(known: dict[str, dict[str, object]]) -> dict[str, str]:
    """The facts as files."""
    return {f"facts/{node}.json": json.dumps(its) for node, its in known.items()}

"""Random calls of the functions that Debian's Puppet modules ship.

Every function of every installed module is called with arguments from a pool: texts, numbers, nested collections,
types, references, secrets, times. Functions that answer by chance, by the clock or by the machine are left out.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

MODULES = Path("/usr/share/puppet/modules")
BY_CHANCE = re.compile(
    r"shuffle|salted|^time$|^pry$|validate_cmd|validate_augeas|seeded|rand|uuid|generate|query|_pass|crypt|genpass|tempfile"
    r"|^date$|strftime|load_module_metadata|loadyaml|loadjson|^cache|_data$|password$|gitolite|get_certificate|ssh_keygen"
)
POOL = (
    *("undef", "''", "'a'", "'Hello World'", "'10'", "'0x1F'", "'true'", "'/etc/x'", "'a,b,,c'", "'10.0.0.1/24'"),
    *("0", "1", "-3", "2.5", "true", "false", "default", "[]", "['a', 'b', 'a']", "[1, [2, undef], 'x']", "{}"),
    *("{'a' => 1, 'b' => [2, 3]}", "{'k' => {'n' => undef}}", "{1 => 2}", "'10.0.0.1'", "'::1'", "'www.example.com'"),
    *("Integer", "File['/a']", "Class['x']", "Sensitive('s')", "/a(b)/", "['file', '/a']", "'http://a.b/c?d=e'"),
    *("'é'", "['']", "'1.2.3'"),
)


@cache
def functions() -> tuple[str, ...]:
    """The names of all functions of the installed modules."""
    names: set[str] = set()
    for home in sorted(MODULES.iterdir()):
        names |= {file.stem for file in home.glob("lib/puppet/parser/functions/*.rb")}
        new = home / "lib" / "puppet" / "functions"
        for file in new.glob("**/*.rb"):
            names.add("::".join(file.relative_to(new).with_suffix("").parts))
        for file in home.glob("functions/**/*.pp"):
            names.add("::".join((home.name, *file.relative_to(home / "functions").with_suffix("").parts)))
    return tuple(sorted(name for name in names if not BY_CHANCE.search(name.rpartition("::")[2])))


def call(random: Random) -> str:
    """A call of one of them."""
    name = random.choice(functions())
    arguments = ", ".join(random.choice(POOL) for _ in range(random.choice((0, 1, 1, 1, 2, 2, 2, 3, 4))))
    block = random.choice(("", "", "", "", " |$x| { $x }", " |$x, $y| { $y }"))
    return f"{name}({arguments}){block}"

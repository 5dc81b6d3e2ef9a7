"""What a session saves, and what writing an outcome costs beside compiling it.

    python bench/session.py [--files 500] [--items 10000] [--runs 5] [--json]

**Changes.** A Puppet environment of `--files` manifests, all of which one node uses, is compiled in a fresh session
(cold), again in the same one, and again after one file was edited: the session looks whether anything it has read is
otherwise now, reads the one file again and compiles the catalog. No cache on disk is used.

**Writing.** An outcome of `--items` components, files or sets is compiled, and then made into plain data and written as
the JSON that `--json` prints.

Times are processor time, the best of the runs, with the collector of cycles as the command line has it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import wherefrom
from wherefrom.base.collector import own_process
from wherefrom.base.json_text import indented

FACTS = {"os": {"family": "Debian"}}

MODULE = {
    "init": """
class NAME (String $owner = 'root', Integer[1, 65535] $port = 80NUMBER) {
  include NAME::install
  include NAME::config
  include NAME::service
  Class['NAME::install'] -> Class['NAME::config'] ~> Class['NAME::service']
  ['a', 'b'].each |$i, $n| { NAME::part { "NAME-$n": index => $i, label => "of $port" } }
}
""",
    "install": """
class NAME::install {
  package { 'NAME': ensure => installed }
  if $facts['os']['family'] == 'Debian' {
    package { 'NAME-common': ensure => latest }
  }
}
""",
    "config": """
class NAME::config {
  $base = "/etc/NAME"
  file { $base: ensure => directory, owner => $NAME::owner, mode => '0755' }
  ['one', 'two'].each |$f| {
    file { "$base/$f.conf":
      ensure  => file,
      owner   => $NAME::owner,
      content => "port ${NAME::port} $f",
    }
  }
}
""",
    "service": """
class NAME::service {
  $real = $facts['os']['family'] ? { 'Debian' => 'NAMEd', default => 'NAME' }
  service { $real: ensure => running, enable => true }
}
""",
    "part": """
define NAME::part (Integer $index = 0, String $label = '') {
  file { "/var/lib/NAME/$title": content => "$index: $label" }
}
""",
}


def write_environment(root: Path, files: int) -> None:
    """An environment of so many manifests, five to a module."""
    modules = files // len(MODULE)
    for number in range(modules):
        folder = root / "modules" / f"m{number}" / "manifests"
        folder.mkdir(parents=True)
        for name, text in MODULE.items():
            (folder / f"{name}.pp").write_text(text.replace("NAME", f"m{number}").replace("NUMBER", str(number)))
    (root / "manifests").mkdir()
    (root / "manifests" / "site.pp").write_text("".join(f"include m{number}\n" for number in range(modules)))


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor time of `work`, and what it gave."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure_changes(root: Path, files: int, runs: int) -> dict[str, float]:
    """Cold, again, and after one edit."""
    write_environment(root, files)
    edited = root / "modules" / "m7" / "manifests" / "config.pp"
    text = edited.read_text()

    def compile_in(session: wherefrom.Session) -> tuple[float, Any]:
        return seconds(lambda: session.compile(str(root), node="n", facts=FACTS))

    compile_in(wherefrom.Session(no_cache=True))  # imports
    cold = min(compile_in(wherefrom.Session(no_cache=True))[0] for _ in range(runs))
    session = wherefrom.Session(no_cache=True)
    compile_in(session)
    same = min(compile_in(session)[0] for _ in range(runs))
    changed = float("inf")
    for number in range(runs):
        mode = f"07{number % 8}{number // 8}"
        edited.write_text(text.replace("0755", mode))
        cost, outcome = compile_in(session)
        changed = min(changed, cost)
        assert outcome.select("File[/etc/m7].mode").value == mode
    return {"cold": cold, "same": same, "changed": changed, "ratio": changed / cold}


def programs(items: int) -> dict[str, str]:
    """A large outcome in each language, by the name of its file."""
    files = "\n".join(
        f"file {{ '/srv/f{n}': ensure => file, mode => '0644', owner => 'root', content => \"line {n}\\n\" }}"
        for n in range(items)
    )
    nix = f"""
      let service = i: {{ name = "s${{toString i}}"; port = 8000 + i; enable = true; tags = [ "a" "b" i ];
                         env = {{ A = "x"; B = "y${{toString i}}"; }}; }};
      in builtins.listToAttrs (builtins.genList (i: {{ name = "host${{toString i}}"; value = service i; }}) {items})"""
    components = "\n".join(
        f'  c{n} extends Service, {{ port {8000 + n}; host "h{n}.example.org"; data "/srv/{n}"; limits:soft {n}; }}'
        for n in range(items)
    )
    prototype = 'Service extends { user "www"; tags ["a", ["b", 1]]; limits extends { soft 1; hard 2; } }'
    tree = f"{prototype}\nsfConfig extends {{\n{components}\n}}\n"
    return {"tree.sf": tree, "files.pp": files, "sets.nix": nix}


def _write(outcome: wherefrom.Outcome) -> str:
    return indented(outcome.document())


def measure_writing(root: Path, items: int, runs: int) -> dict[str, dict[str, float]]:
    """Compiling and writing, by language.  Nix evaluates when it is asked to: its text is part of compiling."""
    rows = {}
    for name, text in programs(items).items():
        (root / name).write_text(text)
        best = {"compile": float("inf"), "write": float("inf")}
        for _ in range(runs):
            compiling, outcome = seconds(partial(wherefrom.compile, str(root / name)))
            if name.endswith(".nix"):
                compiling += seconds(outcome.text)[0]
            writing, _ = seconds(partial(_write, outcome))
            best = {"compile": min(best["compile"], compiling), "write": min(best["write"], writing)}
        rows[name] = {**best, "ratio": best["write"] / best["compile"]}
    return rows


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description="What a session saves, and what writing costs.")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    own_process()
    with tempfile.TemporaryDirectory() as folder:
        changes = measure_changes(Path(folder), options.files, options.runs)
    with tempfile.TemporaryDirectory() as folder:
        writing = measure_writing(Path(folder), options.items, min(options.runs, 3))
    if options.json:
        print(json.dumps({"changes": changes, "writing": writing}, indent=2))
        return
    print(
        f"environment of {options.files} files: cold {changes['cold']:.3f} s, again {changes['same']:.3f} s, ", end=""
    )
    print(f"one file changed {changes['changed']:.3f} s (ratio {changes['ratio']:.2f})")
    for name, row in writing.items():
        print(f"{name:>9}, {options.items:,} items: compile {row['compile']:.3f} s, ", end="")
        print(f"write {row['write']:.3f} s (ratio {row['ratio']:.2f})")


if __name__ == "__main__":
    main()

"""Options explained as options: who defined what, with which priority, and what was chosen.

The modules in `tests/cases/nix/options` are merged by two libraries that were written apart from each other; what is
said of an option must not depend on which one it was.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from wherefrom.api import compare, compile
from wherefrom.base.diagnostics import PathNotFound
from wherefrom.language import Outcome
from wherefrom.provenance.extract import leaves

ROOT = Path(__file__).resolve().parents[3]
MODULES = ROOT / "tests" / "cases" / "nix" / "options"
LIBRARIES = {
    "small": ROOT / "examples" / "flake" / "nixlib" / "lib",
    "large": ROOT / "tests" / "cases" / "nix" / "modules" / "lib",
}

library = pytest.mark.parametrize("library", [*LIBRARIES, "newer"])

NEWER = {
    "types.nix": {
        "    inherit name description check merge emptyValue;\n": """
    inherit name description emptyValue;
    check = { __functor = _: check; isV2MergeCoherent = true; };
    merge = {
      __functor = self: loc: defs: (self.v2 { inherit loc defs; }).value;
      v2 = { loc, defs }:
        let wrong = lib.filter (def: !(check def.value)) defs;
        in {
          headError = if wrong == [ ] then null else { message = lib.showDefs wrong; };
          value = merge loc defs;
          valueMeta = { count = lib.length defs; };
        };
    };
"""
    },
    "modules.nix": {
        "      inherit (merged.defsFinal') highestPrio;\n": """
      inherit (merged.defsFinal') highestPrio;
      inherit (merged.checkedAndMerged) valueMeta;
""",
        "    defsFinal = sortProperties defsFinal'.values;\n": """
    defsFinal =
      if lib.length defs == 1 && !((lib.head defs).value ? _type) then defs else sortProperties defsFinal'.values;
    checkedAndMerged =
      let
        old = {
          headError = if lib.all (def: type.check def.value) defsFinal then null else { message = ""; };
          value = type.merge loc defsFinal;
          valueMeta = { };
        };
      in if type.merge ? v2 then type.merge.v2 { inherit loc; defs = defsFinal; } else old;
""",
        "lib.all (def: type.check def.value) defsFinal then type.merge loc defsFinal\n": (
            "checkedAndMerged.headError == null then checkedAndMerged.value\n"
        ),
    },
}
"""What the library of these days does differently from the small one: types whose `merge` is a set that can be called,
with a second protocol inside, which tells what is wrong and what else is known; a short way for one bare definition."""


@cache
def library_directory(name: str) -> Path:
    """Where a library lies; the newer one is made of the small one."""
    if name in LIBRARIES:
        return LIBRARIES[name]
    folder = Path(tempfile.mkdtemp(prefix="wherefrom-library-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(LIBRARIES["small"], folder, dirs_exist_ok=True)
    for file, changes in NEWER.items():
        text = (folder / file).read_text()
        for old, new in changes.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new.removeprefix("\n"))
        (folder / file).write_text(text)
    return folder


@cache
def outcome(library: str) -> Outcome:
    """All modules, merged by one of the libraries."""
    return compile(
        str(MODULES / "default.nix"),
        roots=[str(ROOT), str(library_directory(library))],
        args={"lib": f"import {library_directory(library)}"},
        trace=True,
    )


def document(library: str, path: str) -> dict[str, Any]:
    """What a program is told of an option."""
    found = outcome(library).explain(f"config.{path}").to_json()["option"]
    assert isinstance(found, dict)
    return found


def place(span: dict[str, Any] | None) -> str | None:
    """File and line, in short."""
    return None if span is None else f"{Path(span['file']).stem}:{span['line']}"


def rows(library: str, path: str) -> set[tuple[Any, ...]]:
    """State, priority, value (or text) and place of every definition."""
    return {
        (row["status"], row["priority"], str(row.get("value", row.get("text"))), place(row["place"]))
        for row in document(library, path)["definitions"]
        if row["place"] is not None  # a renaming module defines the new option even if nobody defines the old one
    }


@library
def test_the_strongest_wins(library: str) -> None:
    """`mkForce` beats a plain definition beats the default; a definition under a false condition takes no part."""
    assert rows(library, "port") == {
        ("chosen", 50, "443", "a:5"),
        ("hidden", 100, "8080", "b:6"),
        ("hidden", 1500, "80", "decl:6"),
        ("inactive", 50, "1", "a:16"),
    }
    words = {
        row["status"]: row.get("words") for row in document(library, "port")["definitions"] if row["priority"] != 1500
    }
    assert words == {"chosen": "mkForce", "hidden": None, "inactive": "mkForce"}


@library
def test_a_false_condition_says_why(library: str) -> None:
    """The condition is quoted with its place, and the option that made it false is named with its definition."""
    (inactive,) = [row for row in document(library, "port")["definitions"] if row["status"] == "inactive"]
    (condition,) = inactive["conditions"]
    assert (condition["text"], condition["value"], place(condition["place"])) == ("!config.on", False, "a:14")
    (because,) = condition["rests_on"]
    assert (because["option"], because["value"], place(because)) == ("on", True, "a:4")


@library
def test_weak_definitions_lose(library: str) -> None:
    """`mkDefault` loses against a plain definition."""
    assert rows(library, "name") == {
        ("chosen", 100, "strong", "b:7"),
        ("hidden", 1000, "weak", "a:6"),
        ("hidden", 1500, "def", "decl:7"),
    }


@library
def test_a_conflict_has_its_table(library: str) -> None:
    """An option that fails is explained all the same, with the error."""
    explanation = outcome(library).explain("config.clash")
    assert explanation.failure is not None
    assert "conflicting definition values" in explanation.failure.message
    assert rows(library, "clash") == {("merged", 100, "2", "b:8"), ("merged", 100, "1", "a:7")}


@library
def test_an_option_with_no_live_definition(library: str) -> None:
    """All definitions are inactive and there is no default: the error, and what would have defined it."""
    explanation = outcome(library).explain("config.nothing")
    assert explanation.failure is not None
    assert rows(library, "nothing") == {("inactive", 100, "v", "a:8")}
    text = explanation.text()
    assert "edit    nothing: no definition applies" in text
    assert '"v", condition is false' in text and "mkIf false" in text


@library
def test_a_merged_list(library: str) -> None:
    """Each element knows its definition; `mkBefore` and `mkAfter` are named."""
    assert rows(library, "pkgs") == {
        ("merged", 100, "['w']", "b:9"),
        ("merged", 100, "['x', 'y']", "a:11"),
        ("merged", 100, "['z']", "a:13"),
        ("hidden", 1500, "['base']", "decl:10"),
        ("inactive", 100, "['never']", "a:15"),
    }
    option = document(library, "pkgs")
    orders = {row["order_words"]: row["order"] for row in option["definitions"] if "order" in row}
    assert orders == {"mkBefore": 500, "mkAfter": 1500}
    owners = [
        (part["value"], place(part), [place(option["definitions"][number]["place"]) for number in part["definitions"]])
        for part in option["parts"]
    ]
    assert owners == [
        ("w", "b:9", ["b:9"]),
        ("x", "a:11", ["a:11"]),
        ("y", "a:11", ["a:11"]),
        ("z", "a:13", ["a:13"]),
    ]


@library
def test_submodules(library: str) -> None:
    """A set of submodules, one of them, and options inside, each with its own definitions."""
    hosts = document(library, "hosts")
    assert {row["status"] for row in hosts["definitions"]} == {"merged", "hidden"}
    assert {part["key"]: len(part["definitions"]) for part in hosts["parts"]} == {"h1": 3, "h2": 2}
    assert rows(library, "hosts.h1.tags") == {
        ("merged", 100, "['t1']", "a:13"),
        ("merged", 100, "['t2']", "b:15"),
        ("hidden", 1500, "[]", "decl:20"),
    }
    assert rows(library, "hosts.h2.ip") == {("chosen", 60, "2", "b:16"), ("hidden", 1500, "0", "decl:19")}
    assert document(library, "hosts.h2.ip")["definitions"][-1].get("words") in ("mkOverride 60", "default")
    assert place(document(library, "hosts.h2.tags")["parts"][0]) == "c:5"
    assert rows(library, "hosts.h1") == {
        ("merged", 100, "{'ip': '1'}", "a:10"),
        ("merged", 100, "{'tags': ['t1']}", "a:13"),
        ("merged", 100, "{'tags': {'_type': 'if', 'condition': True, 'content': ['t2']}}", "b:15"),
    }


@library
def test_nobody_sets_it(library: str) -> None:
    """The default is chosen, and stands where it is written."""
    assert rows(library, "plain") == {("chosen", 1500, "d", "decl:11")}
    assert document(library, "plain")["definitions"][0]["words"] == "default"


@library
def test_apply_comes_after(library: str) -> None:
    """The value of the definitions, and what the option's `apply` made of it."""
    option = document(library, "applied")
    assert (option["value"], option["applied"]["value"], place(option["applied"])) == ("b", "b!", "decl:12")
    assert ("chosen", 100, "b", "b:10") in rows(library, "applied")


@library
def test_disabled_modules_define_nothing(library: str) -> None:
    """A module that another one disables has no row; but what it would have defined is told, and who disables it."""
    assert not any(row[3] == "disabled:1" for row in rows(library, "port"))
    (disabled,) = document(library, "port")["disabled"]
    assert (place(disabled), place(disabled["by"])) == ("disabled:1", "b:4")
    assert "disabled" not in document(library, "name")


def test_what_is_library_can_be_said() -> None:
    """`library` takes the place of what is found out: definitions there have no places worth telling."""
    told = compile(
        str(MODULES / "default.nix"),
        roots=[str(ROOT)],
        args={"lib": f"import {LIBRARIES['small']}"},
        trace=True,
        library=[str(LIBRARIES["small"]), str(MODULES / "a.nix")],
    )
    definitions = told.explain("config.port").to_json()["option"]["definitions"]
    assert [row["place"] for row in definitions if row["status"] == "chosen"] == [None]
    assert {place(row["place"]) for row in definitions if row["status"] == "hidden"} == {"b:6", "decl:6"}


@library
def test_freeform(library: str) -> None:
    """What nobody declared, in a set that takes anything."""
    assert rows(library, "free.extra") == {("chosen", 50, "4", "c:4"), ("hidden", 100, "3", "b:14")}
    assert document(library, "free.extra")["freeform"] is True
    assert rows(library, "free.known") == {("chosen", 1500, "1", "decl:27")}


@library
def test_equal_numbers(library: str) -> None:
    """Two definitions of the same priority and value are merged; the words tell the number."""
    assert rows(library, "numbers") == {
        ("merged", 70, "7", "c:3"),
        ("merged", 70, "7", "a:9"),
        ("hidden", 100, "9", "b:11"),
    }
    words = {row.get("words") for row in document(library, "numbers")["definitions"]}
    assert words == {"mkOverride 70", None}


@library
def test_a_renamed_option(library: str) -> None:
    """The new option's definition stands where the old one's was written, and says through which option it came."""
    (chosen,) = [row for row in document(library, "new.name")["definitions"] if row["status"] == "chosen"]
    assert (chosen["value"], chosen["priority"], place(chosen["place"]), chosen["via"]) == (5, 100, "b:13", "old.title")


RENAMED = """
{ lib }: lib.evalModules { modules = [ ./options.nix ./user.nix ]; }
"""

RENAMED_OPTIONS = """
{ lib, ... }:
let option = type: lib.mkOption { inherit type; default = null; };
in {
  options.new = lib.genAttrs [ "default" "force" "number" "condition" ] (_: option lib.types.unspecified);
  options.hosts = lib.genAttrs [ "a" "b" ] (_: { port = option lib.types.int; share = option lib.types.int; });
  imports = map (name: lib.mkRenamedOptionModule [ "old" name ] [ "new" name ])
    [ "default" "force" "number" "condition" ];
}
"""

RENAMED_USER = """
{ lib, config, ... }:
{
  old.default = lib.mkDefault 5;
  old.force = lib.mkForce [ 1 2 ];
  old.number = lib.mkOverride 70 (config.new.default + 1);
  old.condition = lib.mkIf (config.new.default > 3) (lib.mkDefault "on");
  hosts = lib.genAttrs [ "a" "b" ] (_: { port = 80; share = lib.mkDefault 3; });
}
"""


@library
def test_a_renamed_option_with_a_priority(library: str, tmp_path: Path) -> None:
    """What was written for the old name is shown where it was written, with its words if the library keeps the
    priority; the conditions it was written under are there too.
    """
    for name, text in (("main", RENAMED), ("options", RENAMED_OPTIONS), ("user", RENAMED_USER)):
        (tmp_path / f"{name}.nix").write_text(text.lstrip())
    directory = library_directory(library)
    merged = compile(
        str(tmp_path / "main.nix"), roots=[str(directory)], args={"lib": f"import {directory}"}, trace=True
    )
    expected = {
        "default": (5, 1000, "mkDefault", 3),
        "force": ([1, 2], 50, "mkForce", 4),
        "number": (6, 70, "mkOverride 70", 5),
        "condition": ("on", 1000, "mkDefault", 6),
    }
    for name, (value, priority, words, line) in expected.items():
        option = merged.explain(f"config.new.{name}").to_json()["option"]
        (chosen,) = [row for row in option["definitions"] if row["status"] == "chosen"]
        assert (chosen["value"], place(chosen["place"]), chosen["via"]) == (value, f"user:{line}", f"old.{name}")
        kept = library != "large"  # which defines the new option plainly, whatever the priority was
        assert (chosen["priority"], chosen.get("words")) == ((priority, words) if kept else (100, None))
        assert chosen["place"]["column"] == 3
        conditions = [condition["text"] for condition in chosen.get("conditions", [])]
        assert conditions == (["config.new.default > 3"] if name == "condition" else [])
    for host in "ab":  # one literal defines two options: neither is the other by an old name
        for name in ("port", "share"):
            for row in merged.explain(f"config.hosts.{host}.{name}").to_json()["option"]["definitions"]:
                assert "via" not in row


@library
def test_a_computed_definition(library: str) -> None:
    """The options that a definition was computed from are named."""
    (chosen,) = document(library, "dep")["definitions"]
    assert [(each["option"], each["value"], place(each)) for each in chosen["rests_on"]] == [("port", 443, "a:5")]


@library
def test_declarations_and_types(library: str) -> None:
    """Where the option is declared, and what it may be."""
    option = document(library, "hosts.h1.ip")
    assert [place(span) for span in option["declarations"]] == ["decl:19"]
    assert option["type"] == "string"
    assert document(library, "pkgs")["type"] == "list of string"


@library
def test_asked_by_its_own_name(library: str) -> None:
    """`options.port` is the option itself."""
    assert outcome(library).explain("options.port").value == 443


@library
def test_missing_options(library: str) -> None:
    """Not declared, with a close name; declared and not defined; defined under a false condition."""
    run = outcome(library)
    with pytest.raises(PathNotFound):
        run.explain("config.prot")
    (reason,) = run.missing("config.prot")
    assert "no module declares" in reason.message
    assert reason.help == "did you mean `port'?"
    (reason,) = run.missing("config.unset")
    assert "declared, but not defined" in reason.message
    (reason,) = run.missing("config.nothing")
    assert "its condition is false" in reason.message
    (reason,) = run.missing("config.hosts.h3")
    assert "`h3' is not defined in it" in reason.message


@library
def test_the_library_is_folded(library: str) -> None:
    """Inputs inside the library are counted, and listed only if everything is asked for."""
    explanation = outcome(library).explain("config.port")
    short, long = explanation.to_json(), explanation.with_everything().to_json()
    directory = str(library_directory(library))
    inside = [leaf["name"] for leaf in long["depends"] if leaf.get("name", "").startswith(directory)]
    assert short["folded"]["inputs"] == len(inside) > 0
    assert not any(leaf.get("name", "").startswith(directory) for leaf in short["depends"])
    assert short["value"] == long["value"] == 443
    assert {"path", "value", "where", "expression", "depends", "chain", "hidden"} <= short.keys()


@library
def test_dependencies_alone(library: str) -> None:
    """What masks alone tell is what the whole explanation tells, in two groups."""
    run = outcome(library)
    alone, whole = run.dependencies("config.dep"), run.explain("config.dep")
    assert alone is not None
    document = alone.to_json()
    assert document["depends"] == whole.to_json()["depends"]
    literals = {(leaf["text"], leaf["decides"]) for leaf in document["depends"] if leaf["kind"] == "literal"}
    assert ("443", "value") in literals
    assert '"w"' not in dict(literals), "what other options are made of is no input"
    assert "changes with" in alone.text(frozenset({"depends"}))
    assert document["folded"].keys() == {"inputs"}
    assert "steps" not in alone.text(frozenset({"depends"}))


@library
def test_impact_is_grouped_by_definition(library: str) -> None:
    """What a literal in a definition may change, and the definition that holds it."""
    impact = outcome(library).impact(f"{MODULES / 'a.nix'}:5:24")
    assert [path for path, _ in impact.affected] == ["config.dep", "config.port"]
    ((definition, paths),) = impact.groups
    assert definition.startswith("port, defined ")
    assert definition.endswith("a.nix:5:5 (mkForce)")
    assert sorted(paths) == ["config.dep", "config.port"]


@library
@pytest.mark.parametrize(
    ("line", "affected"),
    [
        ("a.nix:5", ["config.dep", "config.port"]),
        ("b.nix:7", ["config.name"]),
        ("b.nix:12", ["config.dep"]),
        ("a.nix:9", ["config.numbers"]),
    ],
)
def test_a_line_stands_for_its_definitions(library: str, line: str, affected: list[str]) -> None:
    """What may change with a line is what rests on the definitions on it, not on the set that they stand in."""
    assert [path for path, _ in outcome(library).impact(str(MODULES / line)).affected] == affected


def test_a_line_with_other_words_belongs_to_what_holds_them(tmp_path: Path) -> None:
    """Words that are no definition count with the one around them; where there is none, all that passed the line."""
    file = tmp_path / "a.nix"
    file.write_text(
        "let f = x: y: x.a + y; u = 1; in {\n  p = 5; q = f { a = 2; }\n    u; r = 6;\n  s.t = u; s.v = 7;\n}\n"
    )

    def affected(line: int) -> list[str]:
        return [path for path, _ in compile(str(file), trace=True).impact(f"{file}:{line}").affected]

    assert affected(1) == ["q", "s.t"]
    assert affected(2) == ["p", "q"]
    assert affected(3) == ["q", "r"]
    assert affected(4) == ["s.t", "s.v"]


@library
def test_outputs_are_those_of_the_configuration(library: str) -> None:
    """The options themselves are no outputs; an option that fails is one, and says so."""
    values = {each.path: each.value for each in outcome(library).outputs()}
    assert values["config.port"] == 443
    assert "conflicting definition values" in values["config.clash"]
    assert not any(path.startswith("options") for path in values)


def test_diff_names_edits_and_definitions(tmp_path: Path) -> None:
    """Three edits in three files: each is named for its own outputs, with the definition that counts."""
    edits = {"a.nix": ("mkForce 443", "mkForce 444"), "b.nix": ('"strong"', '"bold"'), "c.nix": ('"t3"', '"t4"')}
    runs = []
    for name in ("before", "after"):
        directory = tmp_path / name
        shutil.copytree(MODULES, directory)
        for file, (old, new) in edits.items() if name == "after" else ():
            text = (directory / file).read_text()
            (directory / file).write_text(text.replace(old, new))
        runs.append(
            compile(
                str(directory / "default.nix"),
                roots=[str(LIBRARIES["small"])],
                args={"lib": f"import {LIBRARIES['small']}"},
                trace=True,
            )
        )
    found = {each.path: each for each in compare(runs[0], runs[1]).differences}
    assert {path: [edit.after_place.rpartition("/")[2] for edit in each.edits] for path, each in found.items()} == {
        "config.dep": ["a.nix:5"],
        "config.port": ["a.nix:5"],
        "config.name": ["b.nix:7"],
        "config.hosts.h2.tags[0]": ["c.nix:5"],
    }
    assert (found["config.port"].definition or "").endswith("a.nix:5:5 (mkForce)")
    assert (found["config.hosts.h2.tags[0]"].definition or "").startswith("hosts.h2.tags, defined ")


@library
def test_a_set_of_options(library: str) -> None:
    """Asked for a part of the configuration that is no option, the options in it are told, with those that fail."""
    run = compile(
        str(MODULES / "default.nix"),
        roots=[str(ROOT), str(library_directory(library))],
        args={"lib": f"import {library_directory(library)}"},
        trace=True,
    )
    explanation = run.explain("config.new")
    (row,) = explanation.to_json()["options"]
    assert (row["path"], row["value"], place(row["definitions"][0])) == ("new.name", 5, "b:13")
    assert "new.name = 5" in explanation.text()


def test_a_set_with_options_that_fail() -> None:
    """What can be computed is told, and what can not says why."""
    run = compile(str(ROOT / "examples" / "flake"), trace=True)
    text = run.explain("nixosConfigurations.db.config.services").text()
    assert "services.backup.target fails: The option `services.backup.target' is used but not defined." in text
    assert "services.openssh.ports = [22]" in text
    assert "that nobody sets (--all)" in text


def test_what_only_looks_like_a_module_system(tmp_path: Path) -> None:
    """A function of the shape, called with anything; wrappers without their parts: values like others."""
    file = tmp_path / "x.nix"
    file.write_text(
        """let m = loc: type: defs: rec { mergedValue = defs; isDefined = true; optionalValue = type; };
        in {
          a = (m 1 2 3).mergedValue;
          b = (m [ ] 2 [ 1 ]).mergedValue;
          c = (m [ "c" ] 2 [ 1 { value._type = "if"; } { value = { _type = "merge"; contents = 1; }; } ]).isDefined;
          d = (m [ 1 ] { } { }).mergedValue;
          e = (m [ "e" ] null [ { value = { _type = "override"; priority = "x"; content = 7; }; } ]).mergedValue;
        }"""
    )
    run = compile(str(file), trace=True)
    for name, value in {"a": 3, "b": [1], "c": True, "d": {}}.items():
        assert run.explain(name).value == value
        run.explain(name).text()
        run.explain(name).to_json()
    assert run.explain("e").to_json()["option"]["path"] == "e"


def test_a_function_at_the_top_is_called_with_its_defaults(tmp_path: Path) -> None:
    """`explain` calls what `eval -A` calls, at the top and on the way."""
    file = tmp_path / "default.nix"
    file.write_text('{ port ? 80 }: { web = { name ? "w" }: { inherit name port; }; need = { x }: x; }')
    run = compile(str(tmp_path), trace=True)
    assert run.explain("web.name").value == "w"
    assert run.explain("web.port").value == 80
    assert compile(str(file), args={"port": "8080"}).explain("web.port").value == 8080
    with pytest.raises(PathNotFound):
        run.explain("need.y")


def test_programs_without_a_module_system_are_as_before(tmp_path: Path) -> None:
    """Nothing is watched where nothing merges definitions."""
    file = tmp_path / "x.nix"
    file.write_text('let l = builtins.stringLength "ab"; in { config.x = (x: x) (l + l); options = { }; }')
    run = compile(str(file), trace=True)
    assert "option" not in run.explain("config.x").to_json()
    with pytest.raises(PathNotFound):
        run.explain("config.y")
    assert all("module" not in reason.message for reason in run.missing("config.y"))


@pytest.mark.oracle
@library
def test_nix_evaluates_the_same(library: str) -> None:
    """Real Nix gives the same values with both libraries."""
    for name in ("port", "name", "pkgs", "plain", "applied", "numbers", "dep", "hosts", "free", "new"):
        command = ["nix-instantiate", "--eval", "--strict", "--json", str(MODULES), "-A", f"config.{name}"]
        command += ["--arg", "lib", f"import {library_directory(library)}"]
        answer = subprocess.run(command, capture_output=True, check=True)
        assert outcome(library).select(f"config.{name}").value == json.loads(answer.stdout)


PACKAGES = """
{ lib, config, ... }:
let
  package = name: derivation { inherit name; system = "none"; builder = "none"; } // { all = packages; };
  packages = { git = package "git-2"; vim = package "vim-9"; };
in {
  options.packages = lib.mkOption { type = lib.types.listOf lib.types.anything; default = [ ]; };
  config.packages = lib.mkMerge [
    [ packages.git ]
    (lib.mkAfter (with packages; [ vim ]))
  ];
}
"""


def test_packages_are_named_with_the_line_that_names_them(tmp_path: Path) -> None:
    """A derivation is shown by its name, and each element of a list where it was written."""
    directory = library_directory("large")
    (tmp_path / "module.nix").write_text(PACKAGES)
    (tmp_path / "host.nix").write_text(
        f"let lib = import {directory}; in lib.evalModules {{ modules = [ ./module.nix ]; }}\n"
    )
    run = compile(str(tmp_path / "host.nix"), trace=True, roots=[str(directory)])
    document = run.explain("config.packages").to_json()
    assert document["value"] == ["«derivation git-2»", "«derivation vim-9»"]
    assert [(part["line"], part["column"]) for part in document["option"]["parts"]] == [(9, 16), (10, 36)]
    alone = run.dependencies("config.packages")
    assert alone is not None
    assert '"git-2"' in {leaf.get("text") for leaf in alone.to_json()["depends"]}
    assert run.has("config.packages")
    assert not run.has("config.package")


@library
def test_a_line_of_a_merged_text(library: str) -> None:
    """The formula names what the line was made of, and steps inside the library are counted."""
    explanation = outcome(library).explain_line("config.dep", 1)
    text = explanation.text()
    assert "config.dep, line 1" in text
    assert str(library_directory(library)) not in text
    assert "port is ${toString config.port}" in text
    assert "not evaluated" not in text


SUBMODULES = """
{ lib, config, ... }: {
  options.other = lib.mkOption { type = lib.types.int; default = 2; };
  options.users = lib.mkOption { default = { }; type = lib.types.attrsOf (lib.types.submodule ({ name, config, ... }: {
    options.normal = lib.mkOption { type = lib.types.bool; default = false; };
    options.home = lib.mkOption { type = lib.types.str; default = "/"; };
    config.home = lib.mkIf config.normal (lib.mkDefault "/home/${name}");
  })); };
  config.users = lib.mkMerge [
    { alice.normal = true; }
    (lib.mkIf (config.other == 2) (builtins.listToAttrs [ { name = "b${toString config.other}"; value = { }; } ]))
  ];
}
"""


@library
def test_a_condition_of_a_submodule_rests_on_its_own_option(library: str, tmp_path: Path) -> None:
    """Not on all that decides which submodules there are."""
    (tmp_path / "m.nix").write_text(SUBMODULES)
    directory = library_directory(library)
    (tmp_path / "host.nix").write_text(f"(import {directory}).evalModules {{ modules = [ ./m.nix ]; }}\n")
    run = compile(str(tmp_path / "host.nix"), trace=True, roots=[str(directory)])
    rows = run.explain("config.users.alice.home").to_json()["option"]["definitions"]
    chosen = next(row for row in rows if row["status"] == "chosen")
    assert [each["option"] for each in chosen["conditions"][0]["rests_on"]] == ["users.alice.normal"]


FILES = """
{ lib, config, ... }: {
  options = {
    name = lib.mkOption { type = lib.types.str; default = "web"; };
    extra = lib.mkOption { type = lib.types.lines; default = ""; };
    environment.etc = lib.mkOption { type = lib.types.attrsOf (lib.types.attrsOf lib.types.raw); default = { }; };
  };
  config = {
    extra = ''
      first
      second ${config.name}
    '';
    environment.etc = {
      written.text = null;
      written.source = derivation {
        name = "w"; system = "s"; builder = "/b"; passAsFile = [ "text" ]; buildCommand = "mv $textPath $out";
        text = "# made\\n" + config.extra;
      };
      here.source = derivation {
        name = "h"; system = "s"; builder = "/b";
        buildCommand = ''
          cat >$out <<EOF
          ${config.extra}EOF
          test -f $out
        '';
      };
      changed.source = derivation {
        name = "c"; system = "s"; builder = "/b";
        buildCommand = ''
          cat >$out <<EOF
          ${config.extra}EOF
          sed -i s/first/last/ $out
        '';
      };
      shell.source = derivation {
        name = "c"; system = "s"; builder = "/b"; buildCommand = "cat >$out <<EOF\\n$HOME\\nEOF\\n";
      };
      stored.source = builtins.toFile "x" config.extra;
      copied.source = ./copied;
    };
  };
}
"""


@library
@pytest.mark.parametrize(
    ("name", "line", "text", "places"),
    [
        ("written", 1, "# made\n", ["17:16"]),
        ("written", 2, "first\n", ["10:7"]),
        ("written", 3, "second web\n", ["11:7", "4:60"]),
        ("here", 1, "first\n", ["10:7"]),
        ("here", 2, "second web\n", ["11:7", "4:60"]),
        ("stored", 2, "second web\n", ["11:7", "4:60"]),
        ("copied", 2, "of a file\n", ["2:1"]),
        ("changed", 1, None, []),
        ("shell", 1, None, []),
    ],
)
def test_lines_of_files_of_a_machine(
    library: str, name: str, line: int, text: str | None, places: list[str], tmp_path: Path
) -> None:
    """A line of a file that a derivation writes stands where it was written; what a shell changes is not guessed at."""
    (tmp_path / "m.nix").write_text(FILES)
    (tmp_path / "copied").write_text("a line\nof a file\n")
    directory = library_directory(library)
    (tmp_path / "host.nix").write_text(f"(import {directory}).evalModules {{ modules = [ ./m.nix ]; }}\n")
    run = compile(str(tmp_path / "host.nix"), trace=True, roots=[str(directory)])
    path, number, _ = run.meant(f"/etc/{name}:{line}")
    assert path == f'config.environment.etc."{name}".source'
    if text is None:
        with pytest.raises(PathNotFound, match="no lines"):
            run.explain_line(path, line)
        return
    assert number == line
    explanation = run.explain_line(path, line)
    assert explanation.value == text
    found = [f"{leaf.span.line}:{leaf.span.column}" for leaf in leaves(explanation.expression) if leaf.span is not None]
    assert found == places

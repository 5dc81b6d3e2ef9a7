"""The explorer in a real browser: every view clicked through, in the three languages, with a picture of each kept.

`make browser` runs these; the pictures are written below `build/explorer` to be looked at.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import WIDE, control_repository, explorer, opened, settled, shows, until

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "build/explorer"
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
NODE = "web01.example.org"


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return control_repository(tmp_path_factory.mktemp("explorer") / "control")


@pytest.fixture(scope="session")
def control(repository: Path) -> Iterator[str]:
    with explorer(repository, "--node", NODE) as address:
        yield address


@pytest.fixture(scope="session")
def firewall() -> Iterator[str]:
    with explorer(ROOT, "examples/firewall/test.sf") as address:
        yield address


@pytest.fixture(scope="session")
def flake() -> Iterator[str]:
    with explorer(ROOT, "examples/flake#nixosConfigurations.web") as address:
        yield address


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that asks nobody but its own server, and in which nothing goes wrong."""
    context = browser.new_context(viewport=WIDE)
    one = context.new_page()
    trouble: list[str] = []
    one.on("pageerror", lambda problem: trouble.append(str(problem)))
    one.on("console", lambda line: trouble.append(line.text) if "Content Security Policy" in line.text else None)
    one.on("request", lambda request: trouble.append(request.url) if _is_elsewhere(request.url) else None)

    def dismiss(dialog: Any) -> None:
        trouble.append(f"dialog {dialog.message}")
        dialog.dismiss()

    one.on("dialog", dismiss)
    yield one
    context.close()
    assert trouble == []


def _is_elsewhere(url: str) -> bool:
    return not re.match(r"http://127\.0\.0\.1:\d+/|file:|data:|about:|blob:", url)


def kept(page: Any, name: str) -> None:
    page.screenshot(path=str(PICTURES / f"{name}.png"))


def text(page: Any, selector: str) -> str:
    words: str = page.inner_text(selector)
    return words


# --- Puppet ----------------------------------------------------------------------------------------------------------


def test_the_catalog_is_walked_by_clicks(page: Any, control: str) -> None:
    """From the list to a resource, to a value, to its story, to a place in the source."""
    opened(page, control)
    page.click(".tree .row:has-text('File[/etc/motd]')")
    page.click(".attribute:has-text('mode') button")
    settled(page)
    assert page.evaluate("decodeURI(location.hash)") == "#File[/etc/motd].mode"
    assert text(page, ".source .hit mark") == "'0640'"
    shows(page, ".story .edit", "Debian.yaml:2")
    ladder = text(page, ".ladder")
    assert "chosen" in ladder and "hidden" in ladder and page.locator(".ladder s").count() == 1
    shows(page, ".hands", "because")
    shows(page, ".hands", "$facts['role']")
    shows(page, ".story .part:has(> h2:text-is('changes with')) .chips, .story", "fact os.family")
    kept(page, "catalog")
    page.click(".hands .place:has-text('site.pp:8')")
    settled(page)
    assert text(page, ".file-name").endswith("manifests/site.pp")
    assert page.get_attribute(".lines li.at", "data-line") == "8"


def test_what_a_value_should_be(page: Any, control: str, repository: Path) -> None:
    """The field beside a value: edits with their reach, and a patch that `git apply` takes; nothing is written."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, f"{control}#File[/etc/motd].mode")
    before = {file: file.read_bytes() for file in repository.rglob("*.*") if file.is_file()}
    field = page.locator(".wish input")
    assert field.input_value() == "0640"
    field.fill("0600")
    page.keyboard.press("Enter")
    page.wait_for_selector(".proposals li")
    proposals = text(page, ".proposals")
    assert "data/nodes/web01.example.org.yaml" in proposals and "motd_mode: '0600'" in proposals
    assert "on db01.example.org" in proposals
    shows(page, ".obstacles", "hidden by")
    kept(page, "wish")
    page.locator(".proposals button").first.click()
    page.wait_for_selector("text=copied")
    patch = page.evaluate("navigator.clipboard.readText()")
    done = subprocess.run(["git", "apply", "--check"], input=patch, text=True, cwd=repository, check=False)
    assert done.returncode == 0, patch
    field.fill("0640")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=it already has this value")
    for path, value in (("File[/etc/motd].owner", "root"), ("File[/etc/motd].mode", "0640")):
        page.evaluate(f"location.hash = '#{path}'")  # what is typed for one output is not asked for another
        page.wait_for_function("value => document.querySelector('.wish input')?.value === value", arg=value)
    assert {file: file.read_bytes() for file in repository.rglob("*.*") if file.is_file()} == before


def test_lists_by_type_and_search(page: Any, control: str) -> None:
    opened(page, control)
    page.click("text=by type")
    shows(page, ".tree", "Service")
    shows(page, ".tree", "File")
    kept(page, "by-type")
    for words, expected in (
        ("4096", "Class[Nginx]"),
        ("wiki.conf", "sites-enabled/wiki.conf"),
        ("base.pp", "Service[ntp]"),
    ):
        page.fill(".search input", words)
        settled(page)
        shows(page, ".tree", expected)
    page.fill(".search input", "Package[postgresql]")
    page.click("text=why is it not here?")
    settled(page)
    shows(page, ".middle", "profile::db")
    kept(page, "missing")


@pytest.fixture(scope="session")
def pointing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose catalog points at a file, and at a directory."""
    root = tmp_path_factory.mktemp("pointing")
    files = {
        "manifests/site.pp": "file { '/etc/acl': source => 'puppet:///modules/m/acl' }\n"
        "file { '/etc/scripts': ensure => directory, recurse => true, source => 'puppet:///modules/m/scripts' }\n",
        "modules/m/files/acl": "root\nadmin\nuser\n",
        "modules/m/files/scripts/deep/run.sh": "#!/bin/sh\nexec run\n",
    }
    for name, words in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(words)
    return root


def test_contents_of_files_that_are_pointed_at(page: Any, pointing: Path, tmp_path: Path) -> None:
    """They are attributes with a story, found by what they say, served and in a report."""
    report = tmp_path / "report.html"
    words = [sys.executable, "-m", "wherefrom", "report", ".", "--node", "web", "-o", str(report)]
    subprocess.run(words, cwd=pointing, check=True, capture_output=True)
    with explorer(pointing, ".", "--node", "web") as address:
        for where in (address, report.as_uri()):
            opened(page, where)
            page.fill(".search input", "exec run")
            settled(page)
            page.click(".tree .row:has-text('File[/etc/scripts]')")
            page.click(".attribute:has-text('content/deep/run.sh') button")
            settled(page)
            shows(page, ".source", "exec run")
            shows(page, ".story .edit", "run.sh:1")
        kept(page, "pointed-at")


def test_what_is_at_hand_is_found(page: Any, pointing: Path, control: str) -> None:
    """A file of a machine with a line of it: the answer is about that line, and can be linked to."""
    with explorer(pointing, ".", "--node", "web") as address:
        opened(page, address)
        page.fill(".search input", "/etc/acl:2")
        settled(page)
        page.click(".tree .row:has-text('File[/etc/acl] line 2')")
        settled(page)
        assert page.evaluate("decodeURI(location.hash)") == "#File[/etc/acl] line 2"
        shows(page, ".story", "line 2: admin")
        shows(page, ".story .edit", "acl:2")
        assert text(page, ".source .hit mark") == "admin"
        kept(page, "at-hand")
    opened(page, f"{control}#File[/etc/motd] line 2")
    shows(page, ".story .edit", "motd.epp:")
    opened(page, control)
    page.fill(".search input", "/etc/nginx/sites-enabled/wiki.conf:2")
    settled(page)
    shows(page, ".tree", "wiki.conf] line 2")


def test_a_text_is_tinted_by_origin(page: Any, control: str) -> None:
    opened(page, f"{control}#File[/etc/motd].content")
    fragments = page.locator("pre.text .fragment")
    assert fragments.count() > 5
    assert "".join(fragments.all_text_contents()).count("\n") == 3
    title = fragments.nth(0).get_attribute("title")
    assert "motd.epp" in title
    datum = page.locator("pre.text .kind-hiera")
    assert datum.inner_text() == "ops@example.org"
    colours = {fragments.nth(index).evaluate("e => getComputedStyle(e).backgroundColor") for index in range(6)}
    assert len(colours) > 1
    datum.hover()
    page.wait_for_selector(".fragment-note pre")
    shows(page, ".fragment-note pre", "ops@example.org")
    page.locator("pre.text .kind-fact").first.hover()
    page.wait_for_selector(".fragment-note .chip:has-text('networking.fqdn')")
    datum.click()
    settled(page)
    assert text(page, ".file-name").endswith("common.yaml")
    kept(page, "text")


def test_impact_lights_up(page: Any, control: str) -> None:
    """By a chip of the story, and by a literal of the source."""
    opened(page, f"{control}#File[/etc/motd].mode")
    page.click(".story .chip:has-text('fact os.family')")
    page.wait_for_selector(".lit-count")
    assert page.locator(".tree .row.lit").count() > 0 and page.locator(".tree .row.dimmed").count() > 0
    shows(page, ".middle", "may change")
    shows(page, ".middle", "certainly do not")
    kept(page, "impact")
    opened(page, f"{control}#File[/etc/nginx/nginx.conf].ensure")
    page.click("text=impact mode")
    page.wait_for_selector(".source button.literal")
    page.click(".source button.literal >> nth=0")
    page.wait_for_selector(".lit-count")
    assert re.search(r"/impact/.*:\d+:\d+", page.evaluate("decodeURI(location.hash)"))
    page.keyboard.press("Escape")
    assert page.locator(".dimmed").count() == 0


def test_the_list_of_inputs(page: Any, control: str) -> None:
    opened(page, control)
    page.click(".inputs button:has-text('data')")
    page.fill(".filter", "worker")
    page.click(".middle .chip >> nth=0")
    page.wait_for_selector(".lit-count")
    shows(page, ".middle", "nginx.conf")


def test_the_graph(page: Any, control: str) -> None:
    opened(page, f"{control}#/graph/Service[nginx]")
    assert page.locator("svg .node").count() >= 9 and page.locator("svg .line").count() == 5
    assert page.locator("svg .node.focus").count() == 1
    order = page.locator(".application li").all_inner_texts()
    names = [line.split("\n")[0].strip() for line in order]
    assert names.index("Package[nginx]") < names.index("File[/etc/nginx/nginx.conf]")
    kept(page, "graph")
    page.check("text=only near it")
    settled(page)
    assert page.locator("svg .node").count() < 9
    page.click("svg .node:has-text('Package[nginx]')")
    assert page.evaluate("decodeURI(location.hash)") == "#/graph/Package[nginx]"


def test_cycles_are_red(page: Any, browser: Any, tmp_path: Path) -> None:
    (tmp_path / "site.pp").write_text(
        "notify { ['a', 'b', 'c', 'd']: }\nNotify['a'] -> Notify['b'] -> Notify['c'] -> Notify['a']\n"
        "Notify['c'] -> Notify['d']\n"
    )
    with explorer(tmp_path, "site.pp") as address:
        opened(page, f"{address}#/graph")
        assert page.locator("svg .node.red").count() == 3 and page.locator("svg .line.red").count() == 3
        shows(page, ".middle", "cycle:")
        kept(page, "cycle")


def test_differences(page: Any, control: str) -> None:
    """Between nodes, since a revision, with another fact."""
    opened(page, f"{control}#/diff")
    page.select_option("label:has-text('beside') select", "db01.example.org")
    page.wait_for_selector(".edit-group")
    shows(page, ".diff", "Its role is database.")
    shows(page, ".edit-group", "fact role")
    kept(page, "diff-nodes")
    page.select_option("select[aria-label=since]", index=2)
    until(page, "document.querySelector('.diff h1').textContent.includes('since')")
    page.wait_for_selector(".cause .sides")
    shows(page, ".cause h2", "Debian.yaml:2")
    shows(page, ".sides .old", "0644")
    kept(page, "diff-revision")
    page.select_option("select[aria-label=since]", index=4)
    page.select_option("select[aria-label=until]", index=2)
    until(page, "document.querySelector('.diff h1').textContent.includes(' to ')")
    page.wait_for_selector(".cause:has-text('web.yaml:3')")
    shows(page, ".cause .sides .new", "profile::wiki::port: 443")
    page.select_option(".what-if select", "role")
    page.fill(".what-if input", "database")
    page.click("text=compare")
    until(page, "document.querySelector('.diff h1').textContent.includes('were')")
    page.wait_for_selector(".edit-group")
    shows(page, ".diff", "Package[postgresql]")


def test_the_nodes_are_switched(page: Any, control: str) -> None:
    opened(page, control)
    page.select_option(".nodes", "db01.example.org")
    page.wait_for_selector(".tree .row:has-text('Package[postgresql]')")
    assert "node=db01.example.org" in page.url


def test_it_is_live(page: Any, tmp_path: Path) -> None:
    """A change appears; an error appears with its place, and goes."""
    site = tmp_path / "site.pp"
    site.write_text("file { '/a': mode => '0600' }\n")
    site.write_text("file { '/a': mode => }\n")
    with explorer(tmp_path, "site.pp") as address:
        page.goto(f"{address}#File[/a].mode")
        page.wait_for_selector(".trouble", timeout=20_000)
        page.wait_for_timeout(1500)
        site.write_text("file { '/a': mode => '0600' }  # mended\n")
        page.wait_for_selector(".attribute:has-text('0600')", timeout=20_000)
        site.write_text("file { '/a': mode => '0644' } # now\n")
        page.wait_for_selector(".attribute:has-text('0644')", timeout=20_000)
        site.write_text("file { '/a': mode => }\n")
        page.wait_for_selector(".trouble", timeout=20_000)
        shows(page, ".trouble", "site.pp:1:22")
        kept(page, "error")
        site.write_text("file { '/a': mode => '0640' }\n")
        page.wait_for_selector(".attribute:has-text('0640')", timeout=20_000)
        assert page.locator(".trouble").count() == 0


# --- Nix and SmartFrog -----------------------------------------------------------------------------------------------


def test_a_nix_option(page: Any, flake: str) -> None:
    """The tree of the value, and what each definition became."""
    opened(page, flake)
    page.fill(".search input", "openssh.ports")
    page.click(".tree .row:has-text('ports')")
    page.fill(".search input", "")
    settled(page)
    table = text(page, ".definitions")
    assert all(word in table for word in ("merged", "hidden", "inactive", "mkAfter", "config.debug.enable"))
    kept(page, "nix-option")
    page.click(".attribute:has-text('[1]') button")
    settled(page)
    assert text(page, ".source mark") == "4022"
    page.click(".story .chip:has-text('4022')")
    page.wait_for_selector(".lit-count")
    kept(page, "nix-impact")


def test_the_firewall(page: Any, firewall: str) -> None:
    """The order of attributes, and what put each in its place."""
    opened(page, firewall)
    page.click(".tree .row:has-text('testServer')")
    settled(page)
    words = text(page, ".order")
    assert words.index("private") < words.index("public") and "though sfConfig:testServer writes public first" in words
    kept(page, "smartfrog-order")
    page.click(".order .place:has-text('default.sf:4')")
    settled(page)
    assert text(page, ".file-name").endswith("default.sf")
    page.click(".attribute:has-text('public') button")
    settled(page)
    shows(page, ".source mark", "PUB_PORT")


# --- fleet -----------------------------------------------------------------------------------------------------------


def test_the_fleet(page: Any, repository: Path, tmp_path: Path) -> None:
    """Bars of reach and causes; a line that is clicked lights up what may change with it."""
    import json

    pytest.importorskip("duckdb")
    wherefrom = [sys.executable, "-m", "wherefrom", "fleet"]
    store = ["--store", str(tmp_path / "store"), "--jobs", "1"]
    compared = [*wherefrom, "diff", "--since", "HEAD~1", *store, "--format", "json"]
    diff = subprocess.run(compared, cwd=repository, capture_output=True, check=True).stdout
    assert json.loads(diff)["groups"]
    (tmp_path / "diff.json").write_bytes(diff)
    shown = ["--node", NODE, "--store", str(tmp_path / "store"), "--diff", str(tmp_path / "diff.json")]
    with explorer(repository, *shown) as address:
        opened(page, address)
        page.click("nav.tabs >> text=fleet")
        page.wait_for_selector(".fleet .bars")
        assert page.locator(".bars").count() == 3
        widths = [float(bar.get_attribute("width")) for bar in page.locator(".bars >> nth=1 >> rect").all()]
        assert widths[0] == 100 and widths == sorted(widths, reverse=True)
        kept(page, "fleet")
        page.click(".bars >> nth=1 >> button >> nth=0")
        page.wait_for_selector(".lit-count")


# --- steps -----------------------------------------------------------------------------------------------------------


def test_a_derivation_is_walked(page: Any, control: str) -> None:
    """The redex moves, the rule is told, thesis and repaired stand side by side and differ."""
    opened(page, f"{control}#/steps/G22/1")
    page.wait_for_selector(".mark-redex")
    redex = page.locator(".mark-redex").first.inner_text()
    for _ in range(11):
        page.keyboard.press("n")
        page.wait_for_timeout(60)
    settled(page)
    shows(page, ".walk", "step 12 of 20")
    assert page.locator(".mark-redex").first.inner_text() != redex
    shows(page, ".statement", "dom(σ_α)")
    assert "thesis" in text(page, ".steps").lower() and page.locator(".environment li.differs").count() > 0
    assert page.locator(".label-chip").count() > 3
    kept(page, "steps-puppet")
    page.select_option("label:has-text('annotations') select", "where")
    until(page, "!document.body.innerText.toLowerCase().includes('by the thesis')")


@pytest.mark.parametrize("name", ["servers", "firewall", "capture", "fixpoint"])
def test_other_derivations(page: Any, control: str, name: str) -> None:
    opened(page, f"{control}#/steps/{name}/3")
    page.wait_for_selector(".statement")
    assert page.locator(".term mark").count() > 0
    kept(page, f"steps-{name}")


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("own.pp", "$x = 1\nfile { '/a': mode => $x }\n"),
        ("own.sf", "sfConfig extends { a 1; b a; }\n"),
        ("own.nix", "{ a = (x: x + 1) 2; }\n"),
    ],
)
def test_the_own_file(page: Any, tmp_path: Path, name: str, program: str) -> None:
    (tmp_path / name).write_text(program)
    with explorer(tmp_path, name) as address:
        opened(page, f"{address}#/steps/own/2")
        page.wait_for_selector(".statement")
        shows(page, ".steps h1", name)


# --- everybody -------------------------------------------------------------------------------------------------------


def test_by_keyboard_alone(page: Any, control: str) -> None:
    """From the search to a value's story and back, without a mouse."""
    opened(page, control)
    page.keyboard.press("/")
    page.keyboard.type("etc/motd")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate("document.activeElement.textContent") == "ensure"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settled(page)
    assert page.evaluate("decodeURI(location.hash)") == "#File[/etc/motd].mode"
    page.keyboard.press("w")
    assert page.evaluate("document.activeElement.className") == "story"
    while page.evaluate("document.activeElement.className") != "chip kind-fact":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".lit-count")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.wait_for_selector("svg .node")
    page.keyboard.press("s")
    page.wait_for_selector(".steps")
    page.keyboard.press("d")
    page.wait_for_selector(".diff")
    page.keyboard.press("?")
    assert page.evaluate("document.querySelector('dialog').open")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.keyboard.press("t")
    page.keyboard.press("End")
    settled(page)
    shows(page, ".tree .row.selected", "Service[nginx]")
    page.go_back()
    settled(page)


VIEWS = [
    "",
    "#File[/etc/motd].content",
    "#/impact/fact:role",
    "#/inputs/literal",
    "#/graph",
    "#/diff/with/db01.example.org",
    "#/steps/G27/9",
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_no_serious_finding_of_axe(browser: Any, control: str, view: str, scheme: str) -> None:
    """Names, roles and contrast, in light and dark."""
    assert findings(browser, control + view, scheme, WIDE, f"axe-{scheme}-{VIEWS.index(view)}") == []


def test_no_serious_finding_in_the_other_languages(browser: Any, flake: str, firewall: str) -> None:
    for number, address in enumerate(
        (f"{flake}#config.services.openssh.ports", f"{firewall}#testServer", f"{firewall}#/steps/firewall/4")
    ):
        assert findings(browser, address, "dark", WIDE, f"axe-other-{number}") == []


def test_no_serious_finding_in_large_letters(browser: Any, control: str) -> None:
    small = {"width": 750, "height": 430}
    assert findings(browser, f"{control}#File[/etc/motd].content", "light", small, "axe-large") == []


def findings(browser: Any, address: str, scheme: str, size: dict[str, int], name: str) -> list[str]:
    """What axe-core finds serious or critical."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed (make web)")
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)
    one = context.new_page()
    opened(one, address)
    one.wait_for_timeout(400)
    one.evaluate(AXE.read_text())
    violations = one.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    one.screenshot(path=str(PICTURES / f"{name}.png"))
    context.close()
    return [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def test_twice_as_large_and_on_paper(page: Any, control: str) -> None:
    """At 200 % nothing is cut off: the page scrolls downwards alone. On paper, what is beside the value is left out."""
    page.set_viewport_size({"width": 750, "height": 430})
    opened(page, f"{control}#File[/etc/motd].mode")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelector('.story').getBoundingClientRect().width") > 600
    page.screenshot(path=str(PICTURES / "large.png"), full_page=True)
    page.set_viewport_size(WIDE)
    page.emulate_media(media="print")
    assert not page.is_visible("header") and page.is_visible("h1") and page.is_visible(".story")
    page.screenshot(path=str(PICTURES / "print.png"), full_page=True)


def test_on_a_telephone(page: Any, control: str) -> None:
    """400 pixels wide: nothing is wider than the page, and the answer begins on the first screen."""
    page.set_viewport_size({"width": 400, "height": 800})
    for path in ("File[/etc/motd].mode", "Class[Profile::Base].motd_mode", "File[/etc/motd].content"):
        opened(page, f"{control}#{path}")
        page.wait_for_selector(".story .part")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.evaluate("document.querySelector('h1').getBoundingClientRect().top") < 400, path
    page.screenshot(path=str(PICTURES / "telephone.png"), full_page=True)


def test_nothing_of_a_configuration_is_code(page: Any, tmp_path: Path) -> None:
    """Titles, values, names of files and errors that look like markup are shown as they are."""
    evil = "<img src=x onerror=alert(1)>"
    name = "<img src=x onerror=alert(2)>.pp"
    (tmp_path / name).write_text(
        f"notify {{ '{evil}': message => '<script>alert(3)</script>', withpath => true }}\n"
        f"file {{ '/{evil}': content => \"a ${{1 + 1}} <svg onload=alert(4)>\\n\", notify => Notify['{evil}'] }}\n"
    )
    with explorer(tmp_path, name) as address:
        opened(page, address)
        for view in (
            f"#Notify[{evil}].message",
            f"#File[/{evil}].content",
            "#/graph",
            f"#{evil}",
            f"#/impact/fact:{evil}",
            "#/steps/own/1",
        ):
            page.goto(address + view.replace("<", "%3C").replace(">", "%3E").replace(" ", "%20"))
            settled(page)
            assert page.locator("img, main script, svg[onload], .columns script").count() == 0, view
        page.fill(".search input", evil)
        settled(page)
        shows(page, ".tree", evil)
        kept(page, "markup")
        (tmp_path / name).write_text(f"fail('{evil}')\n")
        page.wait_for_selector(".trouble", timeout=20_000)
        shows(page, ".trouble", evil)
        assert page.locator("img").count() == 0


# --- reports ---------------------------------------------------------------------------------------------------------


def written(folder: Path, target: Path, *arguments: str) -> str:
    import subprocess
    import sys

    line = [sys.executable, "-m", "wherefrom", "report", *arguments, "-o", str(target)]
    subprocess.run(line, cwd=folder, check=True, capture_output=True, timeout=120)
    return target.as_uri()


def test_a_report_works_from_disk(page: Any, repository: Path, tmp_path: Path, control: str) -> None:
    """The same views without a server; impact is what the server says."""
    address = written(repository, tmp_path / "report.html", "--nodes", "--since", "HEAD~2")
    opened(page, f"{address}?node={NODE}#File[/etc/motd].mode")
    assert text(page, ".source .hit mark") == "'0640'"
    page.click(".story .chip:has-text('fact os.family')")
    page.wait_for_selector(".lit-count")
    here = text(page, ".middle")
    kept(page, "report")
    opened(page, f"{address}?node={NODE}#/diff")
    shows(page, ".diff", "Debian.yaml:2")
    page.select_option(".nodes", "db01.example.org")
    page.wait_for_selector(".tree .row:has-text('Package[postgresql]')")
    opened(page, f"{control}#/impact/fact:os.family")
    page.wait_for_selector(".lit-count")
    assert text(page, ".middle") == here


@pytest.mark.parametrize(
    ("arguments", "view", "words"),
    [
        (("examples/firewall/test.sf",), "#testServer", "writes public first"),
        (("examples/flake#nixosConfigurations.web",), "#config.services.openssh.ports", "mkAfter"),
    ],
)
def test_reports_in_the_other_languages(
    page: Any, tmp_path: Path, arguments: tuple[str, ...], view: str, words: str
) -> None:
    address = written(ROOT, tmp_path / "report.html", *arguments)
    opened(page, address + view)
    shows(page, ".middle", words)
    opened(page, f"{address}#/steps/G22/12")
    assert page.locator(".environment li.differs").count() > 0


# --- enemies ---------------------------------------------------------------------------------------------------------


def test_another_page_can_not_read_it(browser: Any, control: str) -> None:
    """Neither by fetching, nor as a frame, a script or a picture, though it knows the address."""
    context = browser.new_context()
    other = context.new_page()
    other.route(
        "http://evil.example/*", lambda route: route.fulfill(status=200, content_type="text/html", body="<p>evil")
    )
    other.goto("http://evil.example/")
    fetched = other.evaluate("u => fetch(u + 'api/compile').then(r => r.text(), () => 'refused')", control)
    blind = other.evaluate(
        "u => fetch(u + 'api/compile', {mode: 'no-cors'}).then(r => r.type, () => 'refused')", control
    )
    assert fetched == "refused" and blind in ("opaque", "refused")
    loaded = other.evaluate(
        "u => new Promise(done => { const s = document.createElement('script'); s.src = u + 'explorer.js';"
        " s.onload = () => done('loaded'); s.onerror = () => done('refused'); document.body.append(s); })",
        control,
    )
    assert loaded == "refused"
    context.close()


def test_a_click_into_the_source_shows_the_value_there(page: Any, control: str) -> None:
    """In a lambda, which ran once for each element; and where nothing ran."""
    opened(page, f"{control}#File[/etc/motd].mode")
    page.click("button.place:has-text('base.pp')")
    settled(page)
    page.click("li[data-line='13'] code span:has-text('$motd_mode')")
    page.wait_for_selector(".value-at pre")
    assert page.inner_text(".value-at .value") == '"0640"'
    assert "data/os/Debian.yaml:2" in page.inner_text(".value-at pre")
    page.screenshot(path=PICTURES / "click.png")
    page.click("li[data-line='1'] code")
    until(page, "document.querySelector('.value-at')?.textContent.startsWith('nothing at base.pp:1 ran')")

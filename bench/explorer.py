"""The explorer with 10,000 resources, by the page's own clock: first view, search a key, explanation of a value.

    python bench/explorer.py [RESOURCES]

Needs Chromium (`/usr/bin/chromium`) and what `make browser` installs; without them it says so and measures nothing. The
bounds are the project's: first view 1.5 s, search 50 ms a key, explanation 200 ms. The first view is counted from the
request for the page until the list can be seen, with the catalog compiled before (which is `bench/puppet.py`'s matter).
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
SITE = """\
define part($port) {{
  if $facts['os'] == 'x' {{ $owner = 'root' }} else {{ $owner = 'nobody' }}
  file {{ "/etc/${{title}}": owner => $owner, mode => '0644', content => "port ${{port}} for ${{title}}\\n" }}
  service {{ $title: ensure => running, require => File["/etc/${{title}}"] }}
}}
Integer[1, {count}].each |$n| {{ part {{ "part${{n}}": port => 8000 + $n }} }}
"""
TYPED = """async (text) => {
  const input = document.querySelector('.search input');
  const times = [];
  for (let end = 1; end <= text.length; end++) {
    const began = performance.now();
    input.value = text.slice(0, end);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    times.push(performance.now() - began);
  }
  return times;
}"""
ASKED = """async (path) => {
  const began = performance.now();
  location.hash = '#' + path;
  while (!document.querySelector('.story .edit')) await new Promise((done) => setTimeout(done, 2));
  return performance.now() - began;
}"""


def missing() -> str | None:
    """What is not installed, if anything is."""
    if find_spec("playwright") is None:
        return "playwright is not installed (make browser)"
    return None if CHROMIUM.exists() else f"{CHROMIUM} is not installed"


def measure(count: int) -> list[tuple[str, list[float], int]]:
    """Of each view its name, its times and the bound, in milliseconds."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "site.pp").write_text(SITE.format(count=count // 3))
        line = [sys.executable, "-m", "wherefrom", "serve", "site.pp", "--no-browser"]
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
            assert server.stdout is not None
            try:
                shown = re.search(r"http://\S+", server.stdout.readline())
                assert shown is not None
                with sync_playwright() as tool:
                    browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
                    times = _measure(browser, shown[0])
                    browser.close()
                    return times
            finally:
                server.terminate()
                server.wait()


def main() -> None:
    """Measure, and print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    reason = missing()
    if reason is not None:
        print(f"{reason}: nothing measured")
        return
    print(f"{count:,} resources           best   median     bound")
    for what, times, bound in measure(count):
        print(f"{what:20} {min(times):7.0f}  {median(times):7.0f}   {bound:6} ms")


def _measure(browser: object, address: str) -> list[tuple[str, list[float], int]]:
    page = browser.new_page()  # type: ignore[attr-defined]
    page.goto(address)
    page.wait_for_selector(".tree .row", timeout=120_000)  # compiles
    firsts = []
    for _ in range(3):
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector(".tree .row", timeout=60_000)
        firsts.append(page.evaluate("performance.getEntriesByName('wherefrom-shown')[0].startTime"))
    page.wait_for_timeout(2000)
    keys = [time for word in ("part77", "nobody", "/etc/part12") for time in page.evaluate(TYPED, word)]
    page.evaluate(TYPED, " ")
    asked = []
    for number in (5, 77, 300, 1200, 2500):
        page.evaluate("location.hash = ''")
        page.wait_for_selector(".story .edit", state="detached")
        asked.append(page.evaluate(ASKED, f"File[/etc/part{number}].content"))
    return [("first view", firsts, 1500), ("search, a key", keys, 50), ("explanation", asked, 200)]


if __name__ == "__main__":
    main()

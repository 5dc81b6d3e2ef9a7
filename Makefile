# Two commands do everything on a fresh machine: `make demo` and `make test`.
# All need only python3 (3.11 or newer) and make; the rest is set up below .venv on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready


.PHONY: compiled demo test lint types tests oracle soak mutants bench format docs web browser pictures clean

demo: $(READY) compiled
	@echo '$$ wherefrom compile examples/firewall/test.sf'
	@$(BIN)/wherefrom compile examples/firewall/test.sf
	@echo
	@echo '$$ wherefrom explain examples/firewall/test.sf testServer'
	@$(BIN)/wherefrom explain examples/firewall/test.sf testServer
	@echo
	@echo '$$ wherefrom explain examples/web/site.pp "File[/etc/motd].mode" --node web01 --facts examples/web/facts.yaml'
	@$(BIN)/wherefrom explain examples/web/site.pp "File[/etc/motd].mode" --node web01 --facts examples/web/facts.yaml
	@echo
	@echo '$$ wherefrom explain examples/nix/hosts.nix services.nginx.virtualHosts.wiki.port'
	@$(BIN)/wherefrom explain examples/nix/hosts.nix services.nginx.virtualHosts.wiki.port

test: lint types tests

lint: $(READY)
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench

types: $(READY)
	$(BIN)/mypy

tests: $(READY) $(VENV)/.fleet $(VENV)/.ray compiled
	$(BIN)/pytest -n 2 --dist loadfile -m "not soak and not oracle and not browser"

oracle: $(READY)          # live comparison with the real tools, where they are installed
	$(BIN)/pytest -n 2 --dist loadfile -m "oracle and not soak" tests/oracle

soak: $(READY) $(VENV)/.fleet   # long fuzzing, and properties on many more examples
	$(BIN)/pytest -n 2 -m soak tests
	WHEREFROM_EXAMPLES=20 $(BIN)/pytest -n 2 -m "hypothesis and not soak and not oracle and not browser" tests

mutants: $(READY)          # small wrong changes to some rooms, and whether a test notices
	$(BIN)/python tests/support/mutants.py types hiera runtime provenance

web: web/node_modules/.ready      # the explorer's page, built into src/wherefrom/web/static
	cd web && npx --no-install tsc --noEmit && node build.mjs

browser: $(READY) compiled web/node_modules/.ready   # the explorer, clicked through in Chromium
	$(BIN)/python -m pip install --quiet --requirement requirements-browser.lock
	$(BIN)/pytest -m browser tests/browser

pictures: $(READY) compiled        # the README's pictures of the explorer
	$(BIN)/python -m pip install --quiet --requirement requirements-browser.lock
	$(BIN)/python tests/browser/pictures.py docs/pictures

bench: $(READY) compiled           # ratios, side by side with the real tools
	$(BIN)/python -m pip install --quiet --requirement requirements-bench.lock
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

format: $(READY)
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

docs: $(READY)            # write the generated parts of docs/ again
	WHEREFROM_UPDATE=1 $(BIN)/pytest -q -k "docs or manual or table" tests/unit tests/house

compiled: $(READY)         # bytecode, so that the first run is as quick as the next
	@$(BIN)/python -m compileall -q src

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

$(VENV)/.fleet: $(READY) requirements-fleet.lock
	$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-fleet.lock
	@touch $@

$(VENV)/.ray: $(READY) requirements-ray.lock       # large, and not for every machine: without it its tests are left out
	-$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-ray.lock
	@touch $@

web/node_modules/.ready: web/package.json web/package-lock.json
	cd web && npm ci --silent
	@touch $@

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wherefrom needs Python 3.11 or newer, this is " + sys.version)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Two commands do everything on a fresh machine: `make demo` and `make test`.
# All need only python3 (3.11 or newer) and make; the rest is set up below .venv on first use.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready


.PHONY: compiled demo test lint types tests long old install oracle soak mutants bench counts profile format docs site web vsix browser pictures clean

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

tests: $(READY) $(VENV)/.fleet $(VENV)/.editor $(VENV)/.ray compiled
	$(BIN)/pytest -n 2 --dist loadfile -m "not long and not soak and not oracle and not browser and not install"

long: $(READY) $(VENV)/.fleet $(VENV)/.editor $(VENV)/.ray compiled   # tests that take several seconds each
	$(BIN)/pytest -n 2 -m "long and not soak and not oracle and not browser and not install" tests

install: $(READY) compiled      # the wheel and the sdist in empty environments: every session of the docs, every recipe
	$(BIN)/pytest -m install tests/install

oracle: $(READY) $(VENV)/.editor   # live comparison with the real tools, where they are installed
	$(BIN)/pytest -n 2 --dist loadfile -m "oracle and not soak" tests/oracle

soak: $(READY) $(VENV)/.fleet $(VENV)/.editor   # long fuzzing, and properties on many more examples
	$(BIN)/pytest -n 2 -m soak tests
	WHEREFROM_EXAMPLES=20 $(BIN)/pytest -n 2 -m "hypothesis and not install and not soak and not oracle and not browser" tests

OLD ?= /usr/bin/python3
old: $(READY)              # the lexers by a Python older than 3.11.5, which matches possessive repeats otherwise
	$(OLD) -m venv --without-pip $(VENV)/old
	$(BIN)/python -m pip --python $(VENV)/old/bin/python install --quiet --requirement requirements.lock
	PYTHONPATH=src $(VENV)/old/bin/python -m pytest -q -p no:cacheprovider -m "not long and not soak" \
	    tests/unit/smartfrog tests/unit/puppet_syntax tests/unit/base

mutants: $(READY)          # small wrong changes to some rooms, and whether a test notices
	$(BIN)/python tests/support/mutants.py types hiera runtime provenance output comparison missing impact

web: web/node_modules/.ready      # the explorer's page, built into src/wherefrom/web/static
	cd web && npx --no-install tsc --noEmit && node build.mjs
	node web/notices.mjs web src/wherefrom/web/static/THIRD-PARTY-NOTICES.txt

vsix: $(READY) vscode/node_modules/.ready   # the extension for Visual Studio Code, in build/wherefrom.vsix
	cd vscode && npx --no-install tsc --noEmit && npm run --silent build
	node web/notices.mjs vscode vscode/THIRD-PARTY-NOTICES.txt
	mkdir -p build && $(BIN)/python vscode/vsix.py build/wherefrom.vsix

DRAWN := web/client/node_modules/.ready
browser: $(READY) $(VENV)/.editor compiled web/node_modules/.ready $(DRAWN)   # explorer and editor's client in Chromium
	$(BIN)/python -m pip install --quiet --requirement requirements-browser.lock
	$(BIN)/pytest -m browser tests/browser

pictures: $(READY) $(VENV)/.editor compiled $(DRAWN)   # those of the README and of docs/editor.md
	$(BIN)/python -m pip install --quiet --requirement requirements-browser.lock
	$(BIN)/python tests/browser/pictures.py docs/pictures
	$(BIN)/pytest -q -m browser tests/browser/test_client.py tests/browser/test_playground.py
	for name in client-hover client-completion playground; do cp build/explorer/$$name.png docs/pictures/; done

bench: $(READY) compiled           # all rows side by side with the real tools; writes docs/benchmarks.md and .json
	$(BIN)/python -m pip install --quiet --requirement requirements-bench.lock
	$(BIN)/python -m pip install --quiet --requirement requirements-browser.lock
	$(BIN)/python -m bench

counts: $(READY)           # counts of work of a short set, compared with those recorded
	$(BIN)/python -m bench.counts bench/counts.json --compare

profile: $(READY)          # where the time of a row goes: make profile ROW='lamp, warm'
	$(BIN)/python -m bench.profile_row $(ROW)

format: $(READY)
	$(BIN)/ruff check --fix src tests bench
	$(BIN)/ruff format src tests bench

docs: $(READY)            # write the generated parts of docs/ again
	WHEREFROM_UPDATE=1 $(BIN)/pytest -q -k "docs or manual or table" tests/unit tests/house

site: $(VENV)/.docs       # the documentation as a site, in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --quiet --strict

compiled: $(READY)         # bytecode, so that the first run is as quick as the next
	@$(BIN)/python -m compileall -q src

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

$(VENV)/.fleet: $(READY) requirements-fleet.lock
	$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-fleet.lock
	@touch $@

$(VENV)/.editor: $(READY) requirements-editor.lock
	$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-editor.lock
	@touch $@

$(VENV)/.ray: $(READY) requirements-ray.lock       # large, and not for every machine: without it its tests are left out
	-$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-ray.lock
	@touch $@

$(VENV)/.docs: $(READY) requirements-docs.lock
	$(PYTHON) -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip install --quiet --no-deps --requirement requirements-docs.lock
	@touch $@

vscode/node_modules/.ready: vscode/package.json vscode/package-lock.json
	cd vscode && npm ci --silent
	@touch $@

$(DRAWN): web/client/package.json web/client/package-lock.json
	cd web/client && npm ci --silent
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

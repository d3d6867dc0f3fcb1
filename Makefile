# Every target sets up .venv by itself; all it needs is Python 3.11+ (PYTHON=… to choose one).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One line says what pip is at; all that it prints is shown if it fails.
INSTALL := $(BIN)/python tools/setting_up.py $(BIN)/python -m pip install --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/tellapart/*/native/* src/tellapart/*/*/native/*)

# The tests start hundreds of programs: without compiled modules, each would compile them again.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache

# Pythons whose records are compared with those of $(VENV), the newest that there is.
NEWEST := .venv-newest
# Run, not only found: version managers have names for Pythons that are not switched on.
NEWEST_PYTHON ?= $(shell for v in 3.14 3.13 3.12; do \
  python$$v -c '' 2>/dev/null && command -v python$$v && break; done)
LOWEST := .venv-lowest
FRESH := .venv-fresh

.PHONY: demo test test-slow test-lowest test-newest test-fresh lint lock fuzz bench studies docs browser postgres clean

demo: $(VENV)/.installed
	@$(BIN)/tellapart demo

test: lint browser postgres
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow"

# What takes long: whole studies, programs killed again and again, all pages in a browser, all real
# files, and ten times as many examples of what must hold for any.
test-slow: $(VENV)/.test-installed browser postgres
	$(BIN)/python -m pytest -n auto -m "slow or hypothesis" --hypothesis-profile thorough

lint: $(VENV)/.test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The versions of `make test LOCK=requirements-dev.txt`, anew: the newest that pyproject.toml allows.
lock: $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra test --universal --python-version 3.11 --upgrade \
	  --no-header --no-annotate --no-emit-index-url --quiet --output-file requirements-dev.txt

# Damaged files, many more than the tests try: make fuzz CASES=100000
CASES ?= 20000
fuzz: $(VENV)/.test-installed
	CASES=$(CASES) $(BIN)/python -m pytest -n auto tests/fuzz

# The HTML report is tested in a real browser; where none can be had, those tests skip.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { apt-get install -y -qq chromium >/dev/null 2>&1 \
	            || { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1; }; } \
	  || echo "no chromium here: the browser tests will skip"

# Campaigns are tested on PostgreSQL, too, which the tests start; where it cannot be had, those skip.
postgres:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { apt-get install -y -qq postgresql >/dev/null 2>&1 \
	            || { apt-get update -qq && apt-get install -y -qq postgresql; } >/dev/null 2>&1; }; } \
	  || echo "no PostgreSQL here: the tests on it will skip"

# All that is promised in pyproject.toml, in its lowest version: what depends on none of it is left out.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -n auto -m "not slow" tests src \
	  --ignore=tests/studies --ignore=tests/fuzz --ignore=tests/test_validity.py

# The same record, byte for byte, on the newest Python.
test-newest: $(VENV)/.test-installed $(NEWEST)/.installed
	TELLAPART_OTHER_PYTHON=$(CURDIR)/$(NEWEST)/bin/python \
	  $(BIN)/python -m pytest tests/repository/test_python_versions.py

# The newest Inspect and lm-eval, run with fake models, and what they write today.
test-fresh: $(VENV)/.test-installed
	$(PYTHON) -m venv --clear $(FRESH)
	$(FRESH)/bin/python -m pip install --quiet --disable-pip-version-check inspect_ai lm_eval backports.zstd
	TELLAPART_HARNESSES=$(CURDIR)/$(FRESH)/bin/python \
	  $(BIN)/python -m pytest tests/unit/formats/test_fresh_logs.py

bench: $(VENV)/.test-installed
	$(BIN)/python -m benchmarks

# The published papers, done again, and one table of what they say: make studies FULL=--full
studies: $(VENV)/.installed
	@$(BIN)/python -m studies all $(FULL)

# The pages as a site, in build/site; a link or an anchor that leads nowhere stops it.
docs: $(VENV)/.docs-installed
	$(BIN)/mkdocs build --strict --quiet --clean
	@echo "build/site/index.html; with search: $(BIN)/python -m http.server -d build/site"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "tellapart needs Python 3.11 or newer; try: make PYTHON=python3.11 ..." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(SOURCES)
	@$(INSTALL) -e .
	@touch $@

$(VENV)/.test-installed: $(VENV)/bin/python $(SOURCES)
	@$(INSTALL) $(if $(LOCK),-c $(LOCK)) -e '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.docs-installed: $(VENV)/bin/python $(SOURCES)
	@$(INSTALL) -e '.[docs]'
	@touch $@ $(VENV)/.installed

$(LOWEST)/.installed: $(SOURCES)
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python \
	  --resolution lowest-direct -e '.[test]'
	@touch $@

$(NEWEST)/.installed: $(SOURCES)
	@test -n "$(NEWEST_PYTHON)" || { echo "no Python 3.12 or newer: make NEWEST_PYTHON=…" >&2; exit 2; }
	$(NEWEST_PYTHON) -m venv --clear $(NEWEST)
	$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check .
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(NEWEST) $(FRESH) $(ADDRESSES) build

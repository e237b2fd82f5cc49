# Needs make and Python 3.11 to 3.13 (3.14 is allowed, and was not run), nothing else. `make help` lists the targets.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq # errors are still shown

# Exits with 0 when run by a Python that is supported and can make virtual environments.
SUPPORTED := import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup test torture demo bench bench-full bench-check format clean environment dist smoke test-oldest lock licences audit docs

help:
	@echo "make setup        set up .venv with undertow and the tools of its developers (minutes the first time)"
	@echo "make test         set up .venv, then run every check: ruff, mypy, import-linter, pytest"
	@echo "make torture      what is slow and rarely fails: long statistics, whole sweeps, real corpora, examples made up anew"
	@echo "make demo         set up .venv, then train something small, show it, and write undertow-demo/report.html"
	@echo "make bench        measure speed in about 3 minutes (RECORD=1 keeps JSON and plots under benchmarks/results)"
	@echo "make bench-full   everything, with other libraries as peers: about 12 minutes, kept under benchmarks/results"
	@echo "make bench-check  as make bench, and fail where a ratio is 25% worse than in the last recorded run"
	@echo "make format       let ruff format the code and mend what it can"
	@echo "make docs         build the site into site/, and run the examples of its gallery (some minutes)"
	@echo "make dist         build wheel and sdist into dist/: the same bytes for the same commit"
	@echo "make smoke        install the wheel in empty environments (PYTHONS=...), with each extra, and use it there (the network; half an hour)"
	@echo "make test-oldest  quick tests with exactly the lower bounds of pyproject.toml, on Python 3.11 (the network; some minutes)"
	@echo "make lock         write requirements-dev.txt anew: every package that the tests need, with hashes"
	@echo "make licences     list the licence of every dependency; fails where one is not compatible"
	@echo "make audit        ask the vulnerability database of PyPI about every locked package (needs the network)"
	@echo "make clean        remove .venv, caches and build files"
	@echo
	@echo "PYTHON=... chooses the interpreter that .venv is made with (3.11 to 3.14)."

setup: $(VENV)/installed-dev
	@echo "Ready: $(BIN)/undertow, $(BIN)/python"

test: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -m "not torture"

torture: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m torture
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile anew

demo: $(VENV)/installed
	$(BIN)/undertow demo

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.bench $(if $(RECORD),--record)

bench-full: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.bench --full --record

bench-check: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.bench --check

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

# Links, names and examples that are wrong end it. To look at pages quickly: UNDERTOW_DOCS_SKIP_EXAMPLES=1
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The site is in site/index.html"

# The time of the last commit stands in the archives, so who builds it later gets the same bytes.
dist: $(VENV)/installed-dev
	rm -rf dist build
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315532800) umask 022 && \
	  $(BIN)/python -m tools.dist

# Environments are made in temporary folders, and removed.
smoke: $(VENV)/installed-dev
	$(BIN)/python -m tools.smoke $(if $(ONLY),--only $(ONLY)) $(PYTHONS)

test-oldest: $(VENV)/installed-dev
	@$(PIP) install uv
	$(BIN)/python -m tools.oldest $(PYTHONS)

lock: $(VENV)/installed-dev
	@$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --extra explorer --extra dev --universal --python-version 3.11 \
	  --constraint constraints.txt --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	  --no-header --quiet --output-file requirements-dev.txt

licences: $(VENV)/installed-dev
	$(BIN)/python -m tools.licences

audit: $(VENV)/installed-dev
	@$(PIP) install pip-audit
	$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement requirements-dev.txt

clean:
	rm -rf $(VENV) build dist site src/*.egg-info undertow-demo tests/artefacts
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find src tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} +

# Stamps: the package with its reports and pages, with the tools, and with the peers or the site's builder. Each includes those before it.
$(VENV)/installed: pyproject.toml constraints.txt | environment
	@echo "Installing undertow into $(VENV) (a minute or two the first time)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer]'
	@touch $@

# What the tests need is locked, with hashes: a package that was changed after its release is refused.
$(VENV)/installed-dev: pyproject.toml requirements-dev.txt | environment
	@echo "Installing undertow and its tools into $(VENV) (a minute or two the first time)"
	@$(PIP) install --require-hashes --requirement requirements-dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(VENV)/installed $@

$(VENV)/installed-bench: $(VENV)/installed-dev
	@echo "Installing the peers of the benchmarks into $(VENV)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer,dev,bench]'
	@touch $@

$(VENV)/installed-docs: $(VENV)/installed-dev
	@echo "Installing what the site is built with into $(VENV)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer,dev,docs]'
	@touch $@

# A .venv that is there already is used, unless PYTHON= asks for another version.
environment: $(BIN)/python
ifdef PYTHON
	@test "$$($(PYTHON) --version)" = "$$($(BIN)/python --version)" || { \
	  echo "$(VENV) was not made with PYTHON=$(PYTHON): run make clean first" >&2; \
	  exit 1; \
	}
endif

# A candidate may be on the PATH and still not run (a pyenv shim, say), so each is tried.
$(BIN)/python:
	@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3.14 python3 python); do \
	  if "$$python" -c '$(SUPPORTED)' 2>/dev/null; then \
	    echo "Creating $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    exit 1; \
	  fi; \
	done; \
	echo "undertow needs Python 3.11, 3.12, 3.13 or 3.14 with its venv module, and found none$(if $(PYTHON), in PYTHON=$(PYTHON)): install one, or name it with PYTHON=/path/to/python" >&2; \
	exit 1

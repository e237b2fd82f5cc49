# Needs make and Python 3.11 to 3.13, nothing else. `make help` lists the targets.

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq # errors are still shown

# Exits with 0 when run by a Python that is supported and can make virtual environments.
SUPPORTED := import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test torture demo bench bench-full bench-check format clean environment

help:
	@echo "make test         set up .venv, then run every check: ruff, mypy, import-linter, pytest"
	@echo "make torture      what is slow and rarely fails: long statistics, whole sweeps, real corpora, examples made up anew"
	@echo "make demo         set up .venv, then train something small, show it, and write undertow-demo/report.html"
	@echo "make bench        measure speed in about 3 minutes (RECORD=1 keeps JSON and plots under benchmarks/results)"
	@echo "make bench-full   everything, with other libraries as peers: about 12 minutes, kept under benchmarks/results"
	@echo "make bench-check  as make bench, and fail where a ratio is 25% worse than in the last recorded run"
	@echo "make format       let ruff format the code and mend what it can"
	@echo "make clean        remove .venv, caches and build files"
	@echo
	@echo "PYTHON=... chooses the interpreter that .venv is made with (3.11 to 3.13)."

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

clean:
	rm -rf $(VENV) build dist src/*.egg-info undertow-demo tests/artefacts
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find src tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} +

# Three stamps: the package with its reports and pages, with the tools, and with the peers too. Each includes those before it.
$(VENV)/installed: pyproject.toml constraints.txt | environment
	@echo "Installing undertow into $(VENV) (a minute or two the first time)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | environment
	@echo "Installing undertow and its tools into $(VENV) (a minute or two the first time)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer,dev]'
	@touch $(VENV)/installed $@

$(VENV)/installed-bench: $(VENV)/installed-dev
	@echo "Installing the peers of the benchmarks into $(VENV)"
	@$(PIP) install --constraint constraints.txt --editable '.[explorer,dev,bench]'
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
	@for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3 python); do \
	  if "$$python" -c '$(SUPPORTED)' 2>/dev/null; then \
	    echo "Creating $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    exit 1; \
	  fi; \
	done; \
	echo "undertow needs Python 3.11, 3.12 or 3.13 with its venv module, and found none$(if $(PYTHON), in PYTHON=$(PYTHON)): install one, or name it with PYTHON=/path/to/python" >&2; \
	exit 1

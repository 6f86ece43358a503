# install, check, test, bench, soak, run: everything works in .venv and touches nothing else.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help install check test bench soak run lock words

help:
	@echo "make run      the preview at http://127.0.0.1:8765 (and Discord or Slack, once their tokens are in .env)"
	@echo "make test     all tests"
	@echo "make install  only set up .venv; the command is then .venv/bin/paperclub"
	@echo "make check    format, lint and types   make bench  speed and memory   make soak  the long tests"

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Paperclub needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python has no venv here; install it with: sudo apt install python3-venv"; exit 1; }
	@$(PYTHON) -m venv .venv

# Stamps: an environment is made again only when its lock or the project's metadata changed.
.venv/.run: deploy/requirements.lock pyproject.toml | .venv/bin/python
	@echo "Setting up .venv …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r deploy/requirements.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.test: tests/requirements.lock .venv/.run
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r tests/requirements.lock
	@touch $@

install: .venv/.run

run: .venv/.run
	@exec $(BIN)/paperclub run --preview

check: .venv/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# A worker a core; tests of one file share what they set up, so they stay together.
test: .venv/.test
	$(BIN)/pytest -n auto --dist loadfile

bench: .venv/.test
	$(BIN)/python tests/bench/run.py

soak: .venv/.test
	$(BIN)/pytest -m soak

# For developers: needs uv. The locks pin versions and hashes and name no registry.
lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --extra build pyproject.toml -o deploy/requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	  --extra build --extra dev -c deploy/requirements.lock pyproject.toml -o tests/requirements.lock

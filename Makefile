# Every target sets up by itself what it needs: a virtual environment in .venv, and the package in it. PYTHON names the
# interpreter to make it with, ARGS what else to hand to pytest: make test ARGS="-k archives"

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test check lint types contract vectors docs generated clean
.NOTPARALLEL:

help:  ## Show the targets.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

demo: .venv/installed  ## Verify the sample drop in vectors/valid.
	$(BIN)/wrs-verify vectors/valid

test: .venv/installed-dev  ## Run the tests.
	$(BIN)/python -m pytest $(ARGS)

check: lint types contract test generated  ## Everything that CI runs.

lint: .venv/installed-dev  ## Lint, and check the format.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-dev  ## Check the types.
	$(BIN)/mypy

contract: .venv/installed-dev  ## Check that imports go downward only.
	$(BIN)/lint-imports

vectors: .venv/installed-dev  ## Make the vectors again.
	$(BIN)/python vectors/make.py

docs: .venv/installed-dev  ## Make the generated documentation again.
	$(BIN)/python docs/make.py

generated: vectors docs  ## Check that generated files are up to date.
	git diff --exit-code -- vectors docs README.md src/wrs_verify/examples.json
	test -z "$$(git status --porcelain -- vectors docs src/wrs_verify/examples.json)"

clean:  ## Remove what the other targets made.
	rm -rf .venv build dist *.egg-info .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "wrs-verify needs Python 3.11 or later: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo "this Python cannot make virtual environments; on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed: .venv/bin/python pyproject.toml
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed

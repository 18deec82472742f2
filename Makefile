# Every target sets up what it needs: a virtual environment in .venv, and the installation in it.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help demo test check lint types contract wheel vectors docs generated clean

help:  ## Show the targets.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

demo: .venv/installed  ## Verify the sample drop in vectors/valid.
	$(BIN)/wrs-verify vectors/valid

test: .venv/installed-dev  ## Run the tests.
	$(BIN)/python -m pytest $(ARGS)

check: lint types contract test generated wheel  ## Everything that CI runs.

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
	git diff --exit-code -- vectors docs README.md
	test -z "$$(git status --porcelain -- vectors docs)"

wheel: .venv/installed-dev  ## Check that an installed wheel loads every schema.
	$(BIN)/python -m pytest -m wheel $(ARGS)

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "wrs-verify needs Python 3.11 or later; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(PIP) install -e .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(PIP) install -e '.[dev]'
	@touch $@ .venv/installed

clean:  ## Remove what the other targets made.
	rm -rf .venv build dist *.egg-info src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

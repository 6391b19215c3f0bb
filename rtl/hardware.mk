# SPDX-License-Identifier: Apache-2.0
# Targets of the hardware, included by the Makefile: tools, lint, module tests, proofs, lock-step, synthesis. What each test costs,
# and what notices the faults of those that the merge gate leaves to `make test-all`: docs/developer/test_costs_hardware.md.

# --------------------------------------------------------------------------------- what `make test` runs

# Module tests, directories of rtl/tb, each with the reason.
TEST_MODULES := noccl_fifo # the smallest bench: nothing lost, doubled or reordered under all pauses
TEST_MODULES += noccl_fork # multicast: one flit to several outputs
TEST_MODULES += noccl_ni_failed # errors: the worst response of a burst is kept

# Sizes of them that are left out.
DEPTHS := tb/noccl_fifo/test_noccl_fifo.py::test_properties_hold_for_every_depth
OUTPUTS := tb/noccl_fork/test_noccl_fork.py::test_properties_hold_for_every_number_of_outputs
TEST_MODULES_WITHOUT := $(addprefix $(DEPTHS),[1] [2] [4]) $(addprefix $(OUTPUTS),[1] [2])

# Proofs, directories of rtl/formal, with all their mutants.
TEST_PROOFS := noccl_fork # `pdr`: for all time, without help

# Lock-step: modules of crates/noccl-cosim/tests/cosim, or names of tests in them.
TEST_LOCK_STEP := smart_4x4::quick_paths # routers with bypass: random messages, every link in every cycle

# --------------------------------------------------------------------------- what the merge gate runs

# Module tests, directories of rtl/tb.
GATE_MODULES := noccl_fifo # as above; a proof of the gate covers noccl_fork
GATE_MODULES += noccl_ni_failed # as above
GATE_MODULES += count # of the benches themselves
GATE_MODULES += noccl_rr_arbiter # its refusals; a proof of the gate covers fairness, which every bound on waiting rests on
GATE_MODULES += noccl_route # the hardware's routes are the simulator's: every seventh vector of 8x8
GATE_MODULES += noccl_tree # trees of multicasts and reductions are the simulator's: every seventh vector of 4x4
GATE_MODULES += noccl_mesh # wires between tiles, which lock-step on tiles does not have
GATE_MODULES += noccl_merge # a collective unit: responses and barriers merge, no contribution lost
GATE_MODULES += noccl_reduction # wide reductions: sums, order, credits
GATE_MODULES += noccl_compute_slice # arithmetic of short and long types
GATE_MODULES += noccl_ni # network interface: reads, writes, multicasts, atomics, back-pressure at every port
GATE_MODULES += noccl_ni_corners # its errors, refusals and full queues, which random traffic seldom meets
GATE_MODULES += noccl_dma # DMA engine: every byte of millions of transfers
GATE_MODULES += noccl_dma_registers # its refused commands
GATE_MODULES += noccl_torrent_link # two Torrent endpoints: buffer space
GATE_MODULES += noccl_torrent_copy # a Torrent endpoint that copies
GATE_MODULES += noccl_list_route # baseline that routes by a list of destinations
GATE_MODULES += noccl_pointer_list # its list
GATE_MODULES += noccl_smart_table # routers with bypass: reductions in the table
GATE_MODULES += four_state # registers have a reset

# Sizes of them, and files, that are left out.
ARBITERS := tb/noccl_rr_arbiter/test_noccl_rr_arbiter.py::test_properties_hold_for_every_number_of_requesters
TABLES := tb/noccl_merge/test_noccl_merge.py::test_properties_hold_for_every_size
ARITHMETICS := tb/noccl_reduction/test_noccl_reduction.py::test_properties_hold_for_every_arithmetic
SLICES := tb/noccl_compute_slice/test_noccl_compute_slice.py::test_properties_hold_for_every_configuration
SMART_TABLES := tb/noccl_smart_table/test_noccl_smart_table.py::test_properties_hold_for_every_size
LINKS := tb/noccl_torrent_link/test_noccl_torrent_link.py::test_properties_hold
LISTS := tb/noccl_list_route/test_noccl_list_route.py::test_properties_hold
POINTERS := tb/noccl_pointer_list/test_noccl_pointer_list.py::test_properties_hold
# Controls of the fast generators, which judge their scoreboards and not the hardware; the short ones stay. Beginnings of names.
TRAFFIC := tb/noccl_ni/test_traffic.py::test_a
TRANSFERS := tb/noccl_dma/test_transfers.py::test_a
GATE_MODULES_WITHOUT := $(addprefix $(DEPTHS),[1] [2] [4])
GATE_MODULES_WITHOUT += $(addprefix $(ARBITERS),[2] [3] [5] [6] [9])
GATE_MODULES_WITHOUT += $(addprefix $(TABLES),[2-32-1] [8-256-3])
GATE_MODULES_WITHOUT += $(addprefix $(ARITHMETICS),[3-1-2] [2-3-3] [2-1-1])
GATE_MODULES_WITHOUT += $(addprefix $(SLICES),[all] [fp64] [e5m2])
GATE_MODULES_WITHOUT += tb/noccl_compute_slice/test_arithmetic.py
GATE_MODULES_WITHOUT += $(addprefix $(SMART_TABLES),[3-128] [2-40] [1-8])
GATE_MODULES_WITHOUT += $(addprefix $(LINKS),[2] [3]) $(addprefix $(LISTS),[4] [16]) $(addprefix $(POINTERS),[1] [8])
GATE_MODULES_WITHOUT += $(addprefix $(TRAFFIC),_seed_repeats_its_run _faulty_network_is_noticed[lost)
GATE_MODULES_WITHOUT += $(addprefix $(TRANSFERS),_seed_repeats_its_run $(addprefix _faulty_network_is_noticed,[lost [doubled] [a))
GATE_MODULES_WITHOUT += tb/noccl_dma/test_noccl_dma.py
GATE_MODULES_WITHOUT += tb/noccl_route/test_noccl_route.py::test_hardware_and_network_agree_on_every_vector[collective_noc_4x4]
GATE_MODULES_WITHOUT += tb/noccl_tree/test_noccl_tree.py::test_hardware_and_simulator_agree_on_every_vector[collective_noc_8x8]

# Proofs: all but those that take longest.
GATE_PROOFS_WITHOUT := noccl_smart_counting noccl_reduction_credits noccl_reduction_issue noccl_merge noccl_router
GATE_PROOFS := $(filter-out $(GATE_PROOFS_WITHOUT),$(patsubst rtl/formal/%/formal.toml,%,$(wildcard rtl/formal/*/formal.toml)))
# One per method with its mutants: they judge the properties, which change seldom.
GATE_MUTANTS := noccl_fork # `pdr`: for all time, without help
GATE_MUTANTS += noccl_reduction_issue_two # `induction`: for all time, with the reasons as properties
GATE_MUTANTS += noccl_reduction # `depth`: a merge point of wide reductions, up to a cycle

# Lock-step: modules of crates/noccl-cosim/tests/cosim, or names of tests in them.
GATE_LOCK_STEP := $(TEST_LOCK_STEP)
GATE_LOCK_STEP += mesh_2x2:: reductions_2x2:: # 2x2 clusters at the routers, with wide reductions
GATE_LOCK_STEP += endpoints_2x2:: # the same with network interfaces, at the AXI ports
GATE_LOCK_STEP += dma_reducing_2x2:: # the same with DMA engines, transfer by transfer
GATE_LOCK_STEP += torrent:: # Torrent endpoints

# ------------------------------------------------------------------------------------------------ tools

$(RTL_VENV)/.deps: $(VENV)/.deps requirements/rtl.lock requirements/debian.toml
	$(PYTHON) -m venv $(RTL_VENV)
	$(RTL_BIN)/python $(PIP_INSTALL) -r requirements/rtl.lock
	@$(RTL_BIN)/python -c 'import find_libpython, sys; sys.exit(find_libpython.find_libpython() is None)' \
	  || { echo 'the hardware tests need a Python with a shared libpython (Debian: libpython3.11; pyenv: --enable-shared); name one with make PYTHON=...' >&2; exit 1; }
	$(BIN)/python tools/debian.py ccache .tools/bin/ccache
	$(BIN)/python tools/debian.py liblz4-dev .tools/lz4
	$(BIN)/python tools/debian.py iverilog .tools/iverilog
	@touch $@

.tools/bin/sta .tools/osu018 &: $(VENV)/.deps requirements/debian.toml
	$(BIN)/python tools/debian.py opensta .tools/bin/sta
	$(BIN)/python tools/debian.py qflow-tech-osu018 .tools/osu018
	@touch .tools/bin/sta

.PHONY: setup-rtl
setup-rtl: $(RTL_VENV)/.deps .tools/bin/sta ## Pinned tools of the hardware (simulator, linters, synthesis, solvers) in .venv-rtl

# ------------------------------------------------------------------------------------------------- lint

RTL_LINT = $(RTL_BIN)/python tools/rtl_lint.py

.PHONY: lint-rtl lint-rtl-quick format-rtl
lint-rtl: $(RTL_VENV)/.deps ## Verilator, slang and Verible over the SystemVerilog
	$(RTL_LINT)
	$(RTL_BIN)/python -m pytest -q -c rtl/pytest.ini rtl/lint

# Verilator takes a second per router of each module that is a top.
lint-rtl-quick: $(RTL_VENV)/.deps ## The same with whole networks as Verilator's only tops, for the merge gate
	$(RTL_LINT) --quick
	$(RTL_BIN)/python -m pytest -q -c rtl/pytest.ini rtl/lint

format-rtl: $(RTL_VENV)/.deps ## Format the SystemVerilog
	$(RTL_LINT) --fix

# ----------------------------------------------------------------------------------------- module tests

RTL_PYTEST := $(RTL_BIN)/python -m pytest -c rtl/pytest.ini --durations=20
# What a directory of benches leaves out.
without = $(patsubst %,--deselect '%',$1)

.PHONY: rtl rtl-quick test-modules example-picorv32 rtl-long rtl-mutants
# All cases; the merge gate and `make test` take few.
rtl rtl-long: export NOCCL_CASES := long
rtl: $(RTL_VENV)/.deps .tools/bin/sta $(BIN)/noccl ## Tests of the hardware's modules: cocotb on Verilator
	$(RTL_PYTEST) rtl/tb rtl/formal rtl/synth rtl/export rtl/examples

rtl-quick: $(RTL_VENV)/.deps .tools/bin/sta $(BIN)/noccl ## Of them those in GATE_MODULES, for the merge gate
	$(RTL_PYTEST) rtl/formal rtl/synth rtl/export rtl/examples $(addprefix rtl/tb/,$(GATE_MODULES)) $(call without,$(GATE_MODULES_WITHOUT))

test-modules: $(RTL_VENV)/.deps $(BIN)/noccl # Of them those in TEST_MODULES
	$(RTL_PYTEST) $(addprefix rtl/tb/,$(TEST_MODULES)) $(call without,$(TEST_MODULES_WITHOUT))

example-picorv32: $(RTL_VENV)/.deps $(BIN)/noccl ## PicoRV32 cores around the network of 2x2 tiles: a barrier and a multicast in C (a minute)
	$(RTL_PYTEST) rtl/examples/picorv32

rtl-long: $(RTL_VENV)/.deps ## Tests of the hardware that take minutes to compile
	$(RTL_PYTEST) rtl/long

# Each fault is switched on in one build of its bench.
rtl-mutants: $(RTL_VENV)/.deps ## Faults in hardware modules: each must be noticed by the test that it names
	$(RTL_PYTEST) rtl/mutants

# ----------------------------------------------------------------------------------------------- proofs

RTL_FORMAL := $(RTL_BIN)/python tools/rtl_formal.py

.PHONY: formal formal-quick test-proofs
formal: $(RTL_VENV)/.deps ## Prove the modules' promises, and kill a mutant per property
	$(RTL_FORMAL)

# Mutants judge the properties, which change seldom; proofs judge the hardware, which changes often.
formal-quick: $(RTL_VENV)/.deps ## The proofs in GATE_PROOFS, with mutants of one per method, for the merge gate
	$(RTL_FORMAL) $(GATE_PROOFS) --mutants-of $(GATE_MUTANTS)

test-proofs: $(RTL_VENV)/.deps # Those in TEST_PROOFS with their mutants
	$(RTL_FORMAL) $(TEST_PROOFS)

# -------------------------------------------------------------------------------------------- lock-step

# Tests build the libraries that they open, from the hardware in them, and keep them in out/cosim: crates/noccl-cosim/tests/libraries.
# A crate has one program for them, in which names of modules select. Of the whole workspace, as `make test-rust`: of one crate,
# what it needs has other features and is compiled again.
COSIM_TEST := cargo test --release --workspace --locked --test cosim --

# Modules of crates/noccl-cosim/tests/cosim, but for `-` and `_`.
SUITES := mesh-2x2 mesh-4x4 depths-2x2 links-2x2 outstanding-2x2 registered-merge-2x2 registered-merge-4x4
SUITES += reductions-2x2 reductions-4x4 reductions-two-operand
SUITES += endpoints-2x2 endpoints-4x4 dma-2x2 dma-4x4 dma-reducing-2x2
SUITES += smart-4x4 smart-8x8 torrent
# Faults in the hardware that the comparison must notice.
SUITES += mesh-mutants reductions-mutants endpoints-mutants dma-mutants smart-mutants torrent-mutants

.PHONY: cosim cosim-quick test-lock-step $(SUITES:%=cosim-%)
# All cases; the merge gate and `make test` take few.
cosim $(SUITES:%=cosim-%) cosim-endpoints cosim-dma cosim-smart cosim-mutants cosim-sides cosim-run cosim-sizes: export NOCCL_CASES := long
cosim: $(RTL_VENV)/.deps ## Mesh, network interfaces, DMA engines and Torrent endpoints in lock-step with the simulator: every handshake of every port
	$(COSIM_TEST) --skip run:: --skip replay_2x2::

$(SUITES:%=cosim-%): cosim-%: $(RTL_VENV)/.deps
	$(COSIM_TEST) $(subst -,_,$*)::

# Of tiles: a mesh as a whole takes several times as long to build. They run for seconds, so they are optimised little.
cosim-quick test-lock-step: export NOCCL_VERILATOR := $(CURDIR)/tools/verilator_quick.sh
cosim-quick: $(RTL_VENV)/.deps $(VENV)/.extension ## Of them those in GATE_LOCK_STEP, for the merge gate
	NOCCL_COSIM_TILES=1 $(COSIM_TEST) $(GATE_LOCK_STEP)
	$(BIN)/python -m pytest -q python/tests/test_hardware.py

test-lock-step: $(RTL_VENV)/.deps # Of them those in TEST_LOCK_STEP
	$(COSIM_TEST) $(TEST_LOCK_STEP)

.PHONY: cosim-endpoints cosim-dma cosim-smart cosim-mutants cosim-sides cosim-run cosim-sizes cosim-waves
cosim-endpoints: $(RTL_VENV)/.deps ## Network interfaces and mesh in lock-step with the simulator, at the AXI ports
	$(COSIM_TEST) endpoints_2x2:: endpoints_4x4::

cosim-dma: $(RTL_VENV)/.deps ## DMA engines, network interfaces and mesh in lock-step with the simulator, transfer by transfer
	$(COSIM_TEST) dma_2x2:: dma_reducing_2x2::

cosim-smart: $(RTL_VENV)/.deps ## Routers with bypass in lock-step with the simulator: random messages that overlap; NOCCL_COSIM_SEEDS seeds
	$(COSIM_TEST) smart_

cosim-mutants: $(RTL_VENV)/.deps
	$(COSIM_TEST) _mutants::

# Memories on all four sides of the clusters.
cosim-sides: $(RTL_VENV)/.deps
	$(COSIM_TEST) sides::

# Each test has processes of its own, which would make one library several times.
cosim-run: $(RTL_VENV)/.deps $(VENV)/.extension ## `noccl run --backend rtl` as a user gives it: Verilate the hardware, run collectives and random traces in lock-step
	$(COSIM_TEST) --test-threads=1 run:: replay_2x2::
	$(BIN)/python -m pytest python/tests/test_hardware.py

# Ends and odd values of what a spec may choose; each is built first (minutes).
cosim-sizes: $(RTL_VENV)/.deps ## FIFO depths 1 to 16, links of 1 to 8 cycles, 1 to 8 open transactions in lock-step on 2x2
	$(COSIM_TEST) depths_2x2:: links_2x2:: outstanding_2x2::

cosim-waves: $(RTL_VENV)/.deps ## Waves of the 2x2 mesh along a random trace: out/cosim/2x2-SEED.fst
	cargo run --release -p noccl-cosim --locked --example cosim_waves -- $(or $(SEED),0)

# Libraries whose cold builds and speed are measured, without and with assertions.
HARDWARE ?= 4x4-reducing-tiles 4x4-endpoints-tiles
.PHONY: bench-hardware
bench-hardware: $(RTL_VENV)/.deps ## Processor time to build the Verilated hardware, and its cycles per second under load; HARDWARE="4x4 ..."
	@cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && for name in $(HARDWARE); do for option in "" --no-assert; do \
	  echo "== $$name $$option"; CCACHE_DISABLE=1 NOCCL_CACHE="$$cache" \
	  cargo run --release --quiet -p noccl-cosim --locked --example cosim_speed -- $$name $$option || exit 1; done; done

# -------------------------------------------------------------------------------------------- synthesis

.PHONY: synth synth-page smart-timing
synth: $(RTL_VENV)/.deps .tools/bin/sta ## Area and timing of the modules beside the published router's (minutes)
	$(RTL_BIN)/python tools/rtl_synth.py

synth-page: $(RTL_VENV)/.deps .tools/bin/sta ## The same, written to docs/rtl/synthesis.md
	$(RTL_BIN)/python tools/rtl_synth.py --page docs/rtl/synthesis.md

smart-timing: $(RTL_VENV)/.deps .tools/bin/sta ## Hops that routers with bypass do in a cycle, by their netlists: docs/rtl/smart_timing.md (half an hour of a core)
	$(RTL_BIN)/python tools/smart_timing.py --page docs/rtl/smart_timing.md

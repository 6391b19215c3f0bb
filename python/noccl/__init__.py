# SPDX-License-Identifier: Apache-2.0
"""NoCCL: collective communication on networks-on-chip.

From one description of a mesh to a verified, measured collective:

    import noccl
    import numpy as np

    network = noccl.load("collective_noc_4x4")         # or your own TOML file
    result = noccl.all_reduce(network, np.ones((16, 512)))
    result                                             # cycles, time, energy, verified
    result.values                                      # what the network delivered

    table = noccl.compare(network, "all_reduce", sizes_bytes=["1KiB", "32KiB"])
    table.to_pandas()                                  # or to_polars(), rows(), table["cycles"]
    noccl.plot_cycles(table)                           # a Matplotlib figure; ax= for your axes

Wherever a network is asked for, the name of a preset or the path of a spec does too. A group is
"all" by default, or "row", noccl.Row(1), a list of clusters; a root is (x, y), "0,0" or "mem:0";
sizes are numbers or texts such as "4KiB"; one value does where a list is asked for.

What there is, by task (`help(noccl.compare)` explains one function):

Networks
    load, presets, members; groups and roots: Cluster, Memory, Row, Column, Rectangle, Members
A collective on your data
    multicast, reduce, all_reduce, all_gather, reduce_scatter, all_to_all, scatter, gather, scan,
    barrier; each returns a CollectiveResult (barrier: a RunReport)
Compare algorithms, load the network
    compare, traffic, stress return tables (ResultTable) and reports;
    explain says where the cycles of a run go
Whole studies
    sweep, read_sweep, sweep_status; gemm, multiply, attention, barrier_study
Schedules of your own
    make_schedule, check, run, run_values, ScheduleBuilder; synth searches one;
    read_recording reads what `noccl run --record` has written
    Definition states a collective of your own, ChunkProgram writes its schedule;
    chain_orders, destination_draws order the destinations of chains
Programs of ranks, as with MPI
    run_program(function, network, ranks=16), run_script
Pictures
    plot_cycles, plot_latency, plot_link_load, plot_timeline, plot_pareto, plot_figure,
    plot_explanation, plot_gantt, plot_load_over_time (of recordings: run(..., record=True))
    view plays runs on the mesh, in a notebook or as an HTML file
Errors
    all derive from NocclError; a message says what was wrong and what is accepted

Nothing here holds a rule of the domain: every call ends in the Rust engine.
"""

# `import noccl` loads the engine and nothing else. A name of `__all__` loads its module when it is
# first used: NumPy comes with the first array, pyarrow with the first Parquet file, Matplotlib with
# the first figure. `__init__.pyi` states the same names for type checkers and editors; a test
# compares both lists.

# Not `typing`, which takes longer than all of this.
import sys
from importlib import import_module

from noccl._native import Network as Network
from noccl._native import __version__ as __version__

_NAMES = {
    "blocks": ("all_gather", "all_to_all", "reduce_scatter"),
    "builder": ("ScheduleBuilder",),
    "checks": ("CheckReport", "StepReport", "check"),
    "chunk_program": ("ChunkProgram",),
    "collective_results": ("CollectiveResult",),
    "collectives": ("all_reduce", "barrier", "multicast", "reduce"),
    "definitions": ("Definition",),
    "errors": (
        "AlgorithmError",
        "ArgumentError",
        "CapacityError",
        "DeadlockError",
        "Diagnosis",
        "FileError",
        "HardwareError",
        "InterruptedRunError",
        "MissingExtraError",
        "NetworkError",
        "NocclError",
        "ProgramError",
        "RefusedError",
        "ScheduleError",
        "SpecError",
        "WaitEdge",
    ),
    "experiments": ("StressFailure", "StressReport", "compare", "stress", "traffic"),
    "explanation_plot": ("plot_explanation",),
    "explanations": (
        "CauseCycles",
        "Explanation",
        "PartCycles",
        "PathStep",
        "RelaxedRun",
        "ResourceUse",
        "explain",
    ),
    "figures": ("Figure", "plot_figure"),
    "hardware_report": ("HardwareReport",),
    "matrix_products": ("GemmRow", "Product", "gemm", "multiply"),
    "networks": ("load", "members", "presets"),
    "noise": ("Noise", "NoiseStatistics"),
    "orders": ("ChainOrder", "ChainOrders", "DestinationDraw", "chain_orders", "destination_draws"),
    "own_data": ("run_values",),
    "plots": ("plot_cycles", "plot_latency", "plot_link_load", "plot_timeline"),
    "programs.result": ("ProgramResult",),
    "programs.run": ("run_program", "run_script"),
    "recording_plots": ("plot_gantt", "plot_load_over_time"),
    "recordings": ("Recording", "read_recording"),
    "results": ("Result",),
    "run_reports": ("Counters", "RunReport"),
    "runs": ("Progress", "make_schedule", "run"),
    "scatter_gather": ("gather", "scan", "scatter"),
    "schedules": ("Collective", "Lengths", "Place", "Schedule"),
    "searches": ("SynthResult", "synth"),
    "studies": (
        "AttentionRow",
        "BarrierSlope",
        "BarrierStudy",
        "attention",
        "barrier_study",
    ),
    "sweeps.pareto": ("plot_pareto",),
    "sweeps.run": ("sweep",),
    "sweeps.status": ("SpecStatus", "SweepStatus", "sweep_status"),
    "sweeps.store": ("read_sweep",),
    "tables": ("ResultTable",),
    "tiles": (
        "Cluster",
        "Column",
        "Group",
        "Members",
        "Memory",
        "MultiAddress",
        "Rectangle",
        "Row",
        "Tile",
    ),
    "verified": ("Verified",),
    "views": ("View", "view"),
}
"""Module to the public names that it holds."""
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_LEFT = ("ClaimRow", "Reproduction", "reproduce")
"""Names that have left the package, with the experiments on papers."""

_PUBLIC = sorted(("Network", "__version__", *_MODULE_OF))


def __getattr__(name: str) -> object:
    """Loads a public name, or a module of the package, when it is first used (PEP 562)."""
    if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
        # `help(noccl)` is the page above: with the list, pydoc would print 5000 lines after it.
        return [*_PUBLIC]
    if name in _MODULE_OF:
        value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value
    module = None if name.startswith("__") else _submodule(name)
    if module is None:
        where = (
            "; papers' claims are measured by noccl-papers, from a checkout: make claims, or "
            "cargo run --release -p noccl-papers -- smart --quick"
        )
        ending = where if name in _LEFT else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{ending}")
    return module


def __dir__() -> list[str]:
    """All public names, loaded or not."""
    return sorted({*_PUBLIC, "__all__", *(name for name in globals() if name.startswith("__"))})


def _submodule(name: str) -> object | None:
    full_name = f"{__name__}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        # A package that the module itself lacks is another error.
        if error.name != full_name:
            raise
        return None

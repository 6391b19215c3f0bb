# SPDX-License-Identifier: Apache-2.0
"""NoCCL: collective communication on networks-on-chip.

From one description of a mesh to a verified, measured collective. `load` makes a network;
`multicast`, `reduce`, `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `scatter`,
`gather`, `scan` and `barrier` run on it with NumPy data; a `Definition` states a collective of
your own, a `ChunkProgram` writes its schedule chunk by chunk; `compare`, `traffic` and `stress`
make tables, `sweep` those of large studies; `plot_cycles`, `plot_latency`, `plot_link_load`,
`plot_pareto` and `plot_figure` draw them; `gemm`, `attention` and `barrier_study` are whole
studies; `synth` searches schedules; `run_program` and `run_script` run programs of ranks as MPI's.
Nothing here holds a rule of the domain: every call ends in the Rust engine.

`import noccl` loads the engine and nothing else. A name of `__all__` loads its module when it is
first used: NumPy comes with the first array, pyarrow with the first Parquet file, Matplotlib with
the first figure. `__init__.pyi` states the same names for type checkers and editors; a test
compares both lists.
"""

# Not `typing` either, which takes longer than all of this.
from importlib import import_module

from noccl._native import Network as Network
from noccl._native import __version__ as __version__

_NAMES = {
    "blocks": ("all_gather", "all_to_all", "reduce_scatter"),
    "builder": ("ScheduleBuilder",),
    "checks": ("CheckReport", "StepReport", "check"),
    "chunk_program": ("ChunkProgram",),
    "collectives": ("CollectiveResult", "all_reduce", "barrier", "multicast", "reduce"),
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
    "programs.run": ("ProgramResult", "run_program", "run_script"),
    "runs": ("Counters", "Progress", "RunReport", "make_schedule", "run"),
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
}
"""Module to the public names that it holds."""
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_LEFT = ("ClaimRow", "Reproduction", "reproduce")
"""Names that have left the package, with the experiments on papers."""

__all__ = sorted(("Network", "__version__", *_MODULE_OF))  # noqa: PLE0605 - a list, made once


def __getattr__(name: str) -> object:
    """Loads a public name, or a module of the package, when it is first used (PEP 562)."""
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
    """All names, loaded or not."""
    return sorted({*globals(), *__all__})


def _submodule(name: str) -> object | None:
    full_name = f"{__name__}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        # A package that the module itself lacks is another error.
        if error.name != full_name:
            raise
        return None

# SPDX-License-Identifier: Apache-2.0
"""NoCCL: collective communication on networks-on-chip.

From one description of a mesh to a verified, measured collective. `load` makes a network;
`multicast`, `reduce`, `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `scatter`,
`gather`, `scan` and `barrier` run on it with NumPy data; a `Definition` states a collective of
your own, a `ChunkProgram` writes its schedule chunk by chunk; `compare`, `traffic` and `stress`
make tables, `sweep` those of large studies; `plot_cycles`, `plot_latency`, `plot_link_load`,
`plot_pareto` and `plot_figure` draw them; `gemm`, `attention`, `barrier_study` and `reproduce` are
whole studies; `synth` searches schedules; `run_program` and `run_script` run programs of ranks as
MPI's. Nothing here holds a rule of the domain: every call ends in the Rust engine.
"""

from noccl._native import Network, __version__
from noccl.blocks import all_gather, all_to_all, reduce_scatter
from noccl.builder import ScheduleBuilder
from noccl.checks import CheckReport, StepReport, check
from noccl.chunk_program import ChunkProgram
from noccl.collectives import CollectiveResult, all_reduce, barrier, multicast, reduce
from noccl.dealt import gather, scan, scatter
from noccl.definitions import Definition
from noccl.errors import (
    AlgorithmError,
    ArgumentError,
    CapacityError,
    DeadlockError,
    Diagnosis,
    FileError,
    HardwareError,
    InterruptedRunError,
    NetworkError,
    NocclError,
    ProgramError,
    RefusedError,
    ScheduleError,
    SpecError,
    WaitEdge,
)
from noccl.experiments import StressFailure, StressReport, compare, stress, traffic
from noccl.figures import Figure, plot_figure
from noccl.gemm import GemmRow, Product, gemm, multiply
from noccl.hardware_report import HardwareReport
from noccl.networks import load, members, presets
from noccl.noise import Noise, NoiseStatistics
from noccl.orders import ChainOrder, ChainOrders, DestinationDraw, chain_orders, destination_draws
from noccl.own_data import run_values
from noccl.plots import plot_cycles, plot_latency, plot_link_load, plot_timeline
from noccl.programs.run import ProgramResult, run_program, run_script
from noccl.runs import (
    Counters,
    Progress,
    RunReport,
    make_schedule,
    run,
)
from noccl.schedules import Collective, Lengths, Place, Schedule
from noccl.searches import SynthResult, synth
from noccl.studies import (
    AttentionRow,
    BarrierSlope,
    BarrierStudy,
    ClaimRow,
    Reproduction,
    attention,
    barrier_study,
    reproduce,
)
from noccl.sweeps.pareto import plot_pareto
from noccl.sweeps.run import sweep
from noccl.sweeps.status import SpecStatus, SweepStatus, sweep_status
from noccl.sweeps.store import read_sweep
from noccl.tables import ResultTable
from noccl.tiles import (
    Cluster,
    Column,
    Group,
    Members,
    Memory,
    MultiAddress,
    Rectangle,
    Row,
    Tile,
)
from noccl.verified import Verified

__all__ = [
    "AlgorithmError",
    "ArgumentError",
    "AttentionRow",
    "BarrierSlope",
    "BarrierStudy",
    "CapacityError",
    "ChainOrder",
    "ChainOrders",
    "CheckReport",
    "ChunkProgram",
    "ClaimRow",
    "Cluster",
    "Collective",
    "CollectiveResult",
    "Column",
    "Counters",
    "DeadlockError",
    "Definition",
    "DestinationDraw",
    "Diagnosis",
    "Figure",
    "FileError",
    "GemmRow",
    "Group",
    "HardwareError",
    "HardwareReport",
    "InterruptedRunError",
    "Lengths",
    "Members",
    "Memory",
    "MultiAddress",
    "Network",
    "NetworkError",
    "NocclError",
    "Noise",
    "NoiseStatistics",
    "Place",
    "Product",
    "ProgramError",
    "ProgramResult",
    "Progress",
    "Rectangle",
    "RefusedError",
    "Reproduction",
    "ResultTable",
    "Row",
    "RunReport",
    "Schedule",
    "ScheduleBuilder",
    "ScheduleError",
    "SpecError",
    "SpecStatus",
    "StepReport",
    "StressFailure",
    "StressReport",
    "SweepStatus",
    "SynthResult",
    "Tile",
    "Verified",
    "WaitEdge",
    "__version__",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "attention",
    "barrier",
    "barrier_study",
    "chain_orders",
    "check",
    "compare",
    "destination_draws",
    "gather",
    "gemm",
    "load",
    "make_schedule",
    "members",
    "multicast",
    "multiply",
    "plot_cycles",
    "plot_figure",
    "plot_latency",
    "plot_link_load",
    "plot_pareto",
    "plot_timeline",
    "presets",
    "read_sweep",
    "reduce",
    "reduce_scatter",
    "reproduce",
    "run",
    "run_program",
    "run_script",
    "run_values",
    "scan",
    "scatter",
    "stress",
    "sweep",
    "sweep_status",
    "synth",
    "traffic",
]

# SPDX-License-Identifier: Apache-2.0
"""Comparisons, traffic sweeps and stress runs: many simulations, one table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from noccl import _native
from noccl.errors import Diagnosis, argument_names
from noccl.mesh_drawing import WITH_ROOT, mesh_of
from noccl.networks import members, network_of
from noccl.renamed import renamed_attribute
from noccl.run_reports import optional_link_name
from noccl.runs import native_progress
from noccl.sizes import sizes
from noccl.tables import ResultTable, link_rows
from noccl.tiles import group_text, tile_text
from noccl.values import form, request_text, several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.definitions import Definition
    from noccl.networks import AnyNetwork
    from noccl.noise import Noise
    from noccl.runs import OnProgress
    from noccl.schedules import Lengths
    from noccl.tiles import AnyGroup, AnyTile


def compare(
    network: AnyNetwork,
    collective: str,
    *,
    sizes_bytes: int | str | Sequence[int | str] = "1KiB",
    group: AnyGroup = "all",
    root: AnyTile | None = None,
    algorithms: str | Sequence[str] = (),
    operator: str = "sum",
    element: str = "fp64",
    seed: int = 1,
    has_links: bool = False,
    lengths: Lengths | None = None,
    definition: Definition | None = None,
    is_lock_step: bool = False,
    noise: Noise | None = None,
    on_progress: OnProgress | None = None,
) -> ResultTable:
    """Measures a collective by several algorithms at several sizes, each result verified.

    >>> from noccl import load
    >>> table = compare(load("collective_noc_4x4"), "multicast", sizes_bytes=[1024], group="row")
    >>> bool((table["verified"] == "yes").all())
    True

    Args:
        network: Network, or what `load` takes.
        collective: `multicast`, `reduce`, `all_reduce`, `barrier`, ...; also `broadcast` and such.
        sizes_bytes: Payload sizes, or one: numbers or texts such as `"4KiB"`; a barrier has none.
        group: Participants.
        root: Root; None for the paper's choice.
        algorithms: Names, or one, with `:N` for N chunks; empty for all.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type.
        seed: Seed of the random inputs.
        has_links: Keep the load of every link, which `plot_link_load` needs.
        lengths: Lengths of an all-to-all's blocks on core tiles, in place of sizes.
        definition: What a `custom` collective asks for; sizes are those of a chunk.
        is_lock_step: Core tiles: no message of a round begins before those of all earlier rounds
            have come.
        noise: Core tiles: runs under noise beside the verified one.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        One row per size and algorithm; kind `compare`.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        CapacityError: The buffers do not fit.
        DeadlockError: A run cannot finish.
    """
    request = request_text(
        locals(),
        bytes=sizes("sizes_bytes", sizes_bytes) if lengths is None else [max(lengths.longest, 1)],
        group=group_text(group),
        root=None if root is None else tile_text(root),
        algorithms=several("algorithms", algorithms),
        lengths=None if lengths is None else form("lengths", lengths),
        definition=None if definition is None else form("definition", definition),
        noise=None if noise is None else form("noise", noise),
    )
    network = network_of(network)
    with argument_names(bytes="sizes_bytes"):
        text = _native.compare(network, request, native_progress(on_progress))
    rows = [compare_row(row) for row in json.loads(text)]
    root_name = rows[0]["root"] if rows and rows[0]["collective"] in WITH_ROOT else None
    mesh = mesh_of(network, members(network, group), root_name)
    return ResultTable.from_rows("compare", rows, mesh=mesh)


def compare_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the engine with the columns of tables."""
    busiest, error = row["busiest_link"], row["sum_error"]
    noise = row.get("noise") or {}
    parameters = row["parameters"]
    return row | {
        "chunks": int(parameters["chunks"]) if "chunks" in parameters else None,
        "parameters": ", ".join(f"{name}={value}" for name, value in parameters.items()),
        "busiest_link": optional_link_name(busiest),
        "busiest_link_flits": None if busiest is None else busiest["flits"],
        "sum_error_of_bound": None if error is None else error["largest_of_bound"],
        "links": link_rows(row.get("links", []), row["cluster_region"]),
        "picked_by": parameters.get("picked_by"),
        "noise_runs": noise.get("runs"),
        "noise_mean_cycles": noise.get("mean_cycles"),
        "noise_variance_us2": noise.get("variance_us2"),
    }


def traffic(
    network: AnyNetwork,
    pattern: str,
    *,
    loads: float | Sequence[float] | None = None,
    beats: int | None = None,
    seeds: int = 1,
    latency_limit_cycles: float | None = None,
    warmup_cycles: int = 2_000,
    measure_cycles: int = 8_000,
    seed: int = 1,
    threads: int = 1,
    has_saturation: bool = True,
    on_progress: OnProgress | None = None,
) -> ResultTable:
    """Sweeps the offered load of open-loop wide writes, multicasts or reductions.

    Args:
        network: Network, or what `load` takes.
        pattern: `uniform`, `transpose`, `bit_complement`, `neighbour`, `tornado`, `hotspot`,
            `row_multicast`, `broadcast`, `corner_broadcast`, `random_multicast`, `many_to_one`.
        loads: Offered loads in beats per cluster that sends and cycle (`many_to_one`: reductions
            per cycle of the whole mesh), each above 0 and at most 1. By default 0.05 to 0.5; of the
            last four patterns tenths of the capacity.
        beats: Beats per write burst; by default 16, or the longest packet's if it has fewer.
        seeds: Runs of each load, with this many seeds from `seed` on, 1 to 1000.
        latency_limit_cycles: Mean latency from which on a load counts as saturated; three times
            that of an empty network by default.
        warmup_cycles: Cycles before measuring starts.
        measure_cycles: Cycles measured.
        seed: Seed of the injection and destination streams.
        threads: Threads of one run, 1 to 256; the result does not depend on it.
        has_saturation: Look for the saturation load, to within 1 %.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        One row per load; kind `traffic`.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        DeadlockError: A run cannot finish.
    """
    loads = None if loads is None else several("loads", loads)
    request = request_text(locals(), mode="timing")
    network = network_of(network)
    with argument_names(threads="threads", seeds="seeds"):
        report = json.loads(_native.traffic(network, request, native_progress(on_progress)))
    common = {
        name: report[name]
        for name in (
            "network",
            "pattern",
            "beats",
            "zero_load_latency_cycles",
            "capacity_beats_per_cycle",
            "saturation_beats_per_cycle",
        )
    }
    return ResultTable.from_rows("traffic", [common | point for point in report["points"]])


@dataclass(frozen=True)
class StressFailure:
    """A seed that did not end well.

    Attributes:
        seed: Seed.
        reproducer: Command line that reproduces it alone.
        wrong_transactions: Transactions that delivered wrong bytes; 0 if the run stalled.
        diagnosis: Why it stalled.
        faults: What was wrong in a program of ranks, in words.
    """

    seed: int
    reproducer: str
    wrong_transactions: int
    diagnosis: Diagnosis | None
    faults: tuple[str, ...] = ()


@dataclass(frozen=True)
class StressReport:
    """Outcome of a stress run.

    Attributes:
        runs: Seeds run.
        completed: Runs in which every transaction completed.
        stalled: Runs that could not finish.
        wrong: Completed runs with a wrong byte somewhere.
        transactions: Transactions in all runs.
        failures: Seeds that stalled or were wrong, smallest first.
    """

    runs: int
    completed: int
    stalled: int
    wrong: int
    transactions: int
    failures: tuple[StressFailure, ...]
    hung: ClassVar[property] = renamed_attribute("hung", "stalled")


def stress(
    network: AnyNetwork,
    *,
    num_seeds: int,
    first_seed: int = 0,
    kinds: str | Sequence[str] = (),
    transactions: int = 64,
    has_variants: bool = False,
    on_progress: OnProgress | None = None,
) -> StressReport:
    """Runs random overlapping transactions of all kinds with random stalls at the endpoints.

    Args:
        network: Network, or what `load` takes.
        num_seeds: Number of seeds, at most 1000000; one seed is one run.
        first_seed: First seed.
        kinds: `write`, `read`, `multicast`, `reduction`, `barrier`, `atomic`; empty for all
            of these. One of these alone: `chain`, random sets of overlapping chains of Torrent
            endpoints; `program`, random programs of ranks; `executed_program`, the same in C on
            executed cores. Routers that carry messages have no atomics.
        transactions: Transactions per seed, 64 to 16384; of programs the most steps.
        has_variants: Whether every seed draws a mesh no larger than the network's, and a variant
            of its routers.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: A count or a kind is not accepted.
    """
    network = network_of(network)
    request = request_text(
        seeds=num_seeds,
        first_seed=first_seed,
        kinds=several("kinds", kinds),
        transactions=transactions,
        has_variants=has_variants,
    )
    report = json.loads(_native.stress(network, request, native_progress(on_progress)))
    failures = tuple(
        StressFailure(
            seed=failure["seed"],
            reproducer=failure["reproducer"],
            wrong_transactions=failure["wrong_transactions"],
            diagnosis=_diagnosis(failure["diagnosis"]),
            faults=tuple(failure.get("faults", ())),
        )
        for failure in report["failures"]
    )
    counts = {
        name: report[name] for name in ("runs", "completed", "stalled", "wrong", "transactions")
    }
    return StressReport(failures=failures, **counts)


def _diagnosis(fields: dict[str, Any] | None) -> Diagnosis | None:
    return None if fields is None else Diagnosis.from_json(json.dumps(fields))

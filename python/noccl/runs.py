# SPDX-License-Identifier: Apache-2.0
"""Making, checking and running schedules."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from noccl import _native
from noccl.errors import ArgumentError
from noccl.hardware_report import HardwareReport
from noccl.noise import NoiseStatistics
from noccl.schedules import Schedule, schedule_text
from noccl.sizes import size
from noccl.tiles import group_text, tile_text
from noccl.values import are_equal, form, kind_of, request_text
from noccl.verified import Verified

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from noccl._native import Network
    from noccl.definitions import Definition
    from noccl.noise import Noise
    from noccl.schedules import Lengths
    from noccl.tiles import Group, Tile

    OnProgress: TypeAlias = Callable[["Progress"], bool | None]


@dataclass(frozen=True)
class Progress:
    """How far a long call has come.

    Attributes:
        done: Units finished: actions of a run, rows of a comparison, points, seeds.
        total: Units in all.
        simulated_cycles: Cycles simulated so far, over all runs.
    """

    done: int
    total: int
    simulated_cycles: int


def native_progress(
    on_progress: OnProgress | None,
) -> Callable[[int, int, int], bool | None] | None:
    """Adapts a callback to the form of the extension module."""
    if on_progress is None:
        return None
    if not callable(on_progress):
        raise ArgumentError(f"on_progress: {kind_of(on_progress)}; accepted: a function")
    return lambda done, total, cycles: on_progress(Progress(done, total, cycles))


@dataclass(frozen=True)
class Counters:
    """Events of a run; energy is arithmetic on them.

    Attributes:
        flit_hops: Flits that crossed a router-to-router link, all planes.
        payload_byte_hops: Payload bytes that crossed a router-to-router link.
        dma_load_bytes: Bytes read by DMA engines.
        dma_store_bytes: Bytes written by DMA engines; a multicast counts once.
        spm_write_bytes: Bytes written into scratchpads.
        dca_ops: Element operations of in-network reductions.
        software_reduce_ops: Element operations of reductions by cores.
        gemm_ops: Multiply-adds of kernels.
        error_responses: Error responses delivered.
    """

    flit_hops: int
    payload_byte_hops: int
    dma_load_bytes: int
    dma_store_bytes: int
    spm_write_bytes: int
    dca_ops: int
    software_reduce_ops: int
    gemm_ops: int
    error_responses: int


@dataclass(frozen=True, eq=False)
class RunReport:
    """What a run reports.

    Attributes:
        cycles: From the first participant's start to the last participant's end.
        time_ns: The same at the network's clock.
        payload_gb_per_s: Payload of the collective by this time, 10^9 bytes per second; None if the
            schedule claims none, and for traces.
        action_cycles: Shape (num_actions, 2), columns = start, finish [cycles].
        responses: Shape (num_actions,), worst AXI response of each: 0 OKAY, 2 SLVERR, 3 DECERR.
        counters: Event counters.
        energy_pj: Energy of the counted events; None of core tiles, which have no cost per event.
        busiest_link: Link with most flits, e.g. `wide mem:0->0,0`: clusters are `X,Y`, memory tiles
            `mem:N`; None if no flit left a tile.
        verified: Are all outputs right? Not checked in timing mode and where nothing is claimed.
        checksum: Digest over all payload that arrived anywhere, hexadecimal.
        hardware: The hardware that took the same course; None if none was asked for.
        blocked_link_cycles: On core tiles: cycles in which words could not go on over a link, over
            all links.
        noise: Runtimes under noise; None if none were asked for.
    """

    cycles: int
    time_ns: float
    payload_gb_per_s: float | None
    action_cycles: npt.NDArray[np.int64]
    responses: npt.NDArray[np.uint8]
    counters: Counters
    energy_pj: float | None
    busiest_link: str | None
    verified: Verified
    checksum: str
    hardware: HardwareReport | None = None
    blocked_link_cycles: int | None = None
    noise: NoiseStatistics | None = None

    def __eq__(self, other: object) -> bool:
        """Are all fields equal, arrays by their elements?"""
        if not isinstance(other, RunReport):
            return NotImplemented
        return all(are_equal(value, vars(other)[name]) for name, value in vars(self).items())

    __hash__ = None  # type: ignore[assignment] # An array has no hash.

    @staticmethod
    def from_json(text: str) -> RunReport:
        """Reads the form of `formats/run.schema.json`."""
        import numpy as np

        fields = json.loads(text)
        hardware, noise = fields.get("hardware"), fields.get("noise")
        actions = [(a["start_cycle"], a["finish_cycle"]) for a in fields["actions"]]
        return RunReport(
            cycles=fields["cycles"],
            time_ns=fields["time_ns"],
            payload_gb_per_s=fields["payload_gb_per_s"],
            action_cycles=np.array(actions, dtype=np.int64).reshape(-1, 2),
            responses=np.array(fields["responses"], dtype=np.uint8),
            counters=Counters(**fields["counters"]),
            energy_pj=fields["energy_pj"],
            busiest_link=optional_link_name(fields["busiest_link"]),
            verified=Verified(fields["verified"]),
            checksum=fields["checksum"],
            hardware=HardwareReport(**hardware) if hardware else None,
            blocked_link_cycles=fields.get("blocked_link_cycles"),
            noise=NoiseStatistics(**noise) if noise else None,
        )


def optional_link_name(link: dict[str, Any] | None) -> str | None:
    """A link as readers of tables see it, if there is one.

    >>> optional_link_name({"plane": "wide", "from_tile": "mem:0", "to_tile": "0,0", "flits": 5})
    'wide mem:0->0,0'
    """
    if link is None:
        return None
    return f"{link['plane']} {link['from_tile']}->{link['to_tile']}"


def make_schedule(
    network: Network,
    collective: str,
    *,
    num_bytes: int | str = 0,
    group: Group | str = "all",
    root: Tile | str | None = None,
    algorithm: str = "in_network",
    operator: str = "sum",
    element: str = "fp64",
    lengths: Lengths | None = None,
    definition: Definition | None = None,
    on_progress: OnProgress | None = None,
) -> Schedule:
    """Makes the schedule of a collective by one algorithm.

    >>> from noccl import load
    >>> make_schedule(load("collective_noc_4x4"), "reduce", num_bytes=1024).algorithm
    'in_network'

    Args:
        network: Network.
        collective: `multicast`, `reduce`, `all_reduce`, `barrier`, ..., or `custom`.
        num_bytes: Payload per participant (custom: of a chunk), e.g. `"4KiB"`; whole elements.
        group: Participants.
        root: Owner of the data or of the result; None for the paper's choice.
        algorithm: Name, with `:N` for N chunks; without, the fastest of a range is searched.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: `fp64`, `fp32`, `fp16`, `bf16`, `fp8_e4m3`, `fp8_e5m2` or `int8` to `int64`.
        lengths: Lengths of an all-to-all's blocks on core tiles, in place of `num_bytes`.
        definition: What a custom collective asks for.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        AlgorithmError: The algorithm does not do this.
        CapacityError: The buffers do not fit.
    """
    request = request_text(
        collective=collective,
        bytes=size("num_bytes", num_bytes) if lengths is None else max(lengths.longest, 1),
        group=group_text(group),
        root=None if root is None else tile_text(root),
        algorithm=algorithm,
        operator=operator,
        element=element,
        lengths=None if lengths is None else form("lengths", lengths),
        definition=None if definition is None else form("definition", definition),
    )
    return Schedule(_native.schedule(network, request, native_progress(on_progress)))


def run(
    network: Network,
    schedule: Schedule,
    *,
    mode: str = "value",
    seed: int = 1,
    threads: int = 1,
    max_cycles: int | None = None,
    backend: str = "sim",
    boundary: str | None = None,
    is_lock_step: bool = False,
    noise: Noise | None = None,
    on_progress: OnProgress | None = None,
) -> RunReport:
    """Runs a schedule cycle by cycle.

    In value mode, a schedule that claims a collective gets random inputs and its outputs are
    verified. The interpreter lock is released meanwhile.

    Args:
        network: Network.
        schedule: Schedule.
        mode: `value` (bytes move) or `timing` (counts and checksums; the same cycles).
        seed: Seed of the random inputs.
        threads: Threads, 1 to 256; the result does not depend on it.
        max_cycles: Give up, with a diagnosis, after this many cycles; None for no limit.
        backend: `sim`, or `rtl`: the hardware of the network follows, every handshake compared. The
            first run on a network Verilates its hardware: 20 CPU seconds; needs Verilator.
        boundary: Where hardware and simulator meet, with `rtl` only: `router` (None; takes every
            schedule), `axi` (network interfaces are hardware too; no chains) or `dma` (DMA engines
            too).
        is_lock_step: Core tiles: no message of a round begins before those of all earlier rounds
            have come, as on an ideal machine.
        noise: Core tiles: runs under noise beside this one.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An option that does not exist, or that the schedule does not take.
        NetworkError: A network without hardware, or without hardware at this boundary.
        ScheduleError: The checker refuses the schedule.
        DeadlockError: The run cannot finish; with the diagnosis.
        HardwareError: No hardware follows the run, or it takes another course.
        InterruptedRunError: The callback returned False.
    """
    request = run_request(
        mode=mode,
        seed=seed,
        threads=threads,
        max_cycles=max_cycles,
        backend=backend,
        boundary=boundary,
        is_lock_step=is_lock_step,
        noise=noise,
    )
    progress = native_progress(on_progress)
    return RunReport.from_json(_native.run(network, schedule_text(schedule), request, progress))


def run_request(
    *,
    mode: str = "value",
    seed: int = 1,
    threads: int = 1,
    max_cycles: int | None = None,
    backend: str = "sim",
    boundary: str | None = None,
    is_lock_step: bool = False,
    noise: Noise | None = None,
) -> str:
    """Options of a run as JSON text."""
    return request_text(
        mode=mode,
        seed=seed,
        threads=threads,
        max_cycles=max_cycles,
        backend=backend,
        boundary=boundary,
        is_lock_step=is_lock_step,
        noise=None if noise is None else form("noise", noise),
    )

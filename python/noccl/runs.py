# SPDX-License-Identifier: Apache-2.0
"""Making, checking and running schedules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from noccl import _native
from noccl.errors import ArgumentError
from noccl.networks import network_of
from noccl.recordings import Recording
from noccl.run_reports import RunReport
from noccl.schedules import Schedule, schedule_text
from noccl.sizes import size
from noccl.tiles import group_text, tile_text
from noccl.values import form, kind_of, request_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from noccl.definitions import Definition
    from noccl.networks import AnyNetwork
    from noccl.noise import Noise
    from noccl.schedules import Lengths
    from noccl.tiles import AnyGroup, AnyTile

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


def make_schedule(
    network: AnyNetwork,
    collective: str,
    *,
    num_bytes: int | str = "1KiB",
    group: AnyGroup = "all",
    root: AnyTile | None = None,
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
        network: Network, or what `load` takes.
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
    network = network_of(network)
    request = request_text(
        collective=collective,
        bytes=[size("num_bytes", num_bytes) if lengths is None else max(lengths.longest, 1)],
        group=group_text(group),
        root=None if root is None else tile_text(root),
        algorithms=[algorithm],
        operator=operator,
        element=element,
        lengths=None if lengths is None else form("lengths", lengths),
        definition=None if definition is None else form("definition", definition),
    )
    return Schedule(_native.schedule(network, request, native_progress(on_progress)))


def run(
    network: AnyNetwork,
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
    record: bool = False,
    on_progress: OnProgress | None = None,
) -> RunReport:
    """Runs a schedule cycle by cycle.

    In value mode, a schedule that claims a collective gets random inputs and its outputs are
    verified. The interpreter lock is released meanwhile.

    Args:
        network: Network, or what `load` takes.
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
        record: Keep links, blocked router ports and transactions over time: `recording` of the
            report.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An option that does not exist, or that the schedule does not take.
        NetworkError: A network without hardware, or without hardware at this boundary.
        ScheduleError: The checker refuses the schedule.
        DeadlockError: The run cannot finish; with the diagnosis.
        HardwareError: No hardware follows the run, or it takes another course.
        InterruptedRunError: The callback returned False.
    """
    request = request_text(locals(), noise=None if noise is None else form("noise", noise))
    network = network_of(network)
    progress = native_progress(on_progress)
    if not record:
        return RunReport.from_json(_native.run(network, schedule_text(schedule), request, progress))
    report, recording = _native.record(network, schedule_text(schedule), request, progress)
    return replace(RunReport.from_json(report), recording=Recording(recording))

# SPDX-License-Identifier: Apache-2.0
"""Runs of a schedule on the caller's own data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl import _native
from noccl.arrays import require_plain
from noccl.errors import ArgumentError
from noccl.networks import network_of
from noccl.run_reports import RunReport
from noccl.runs import native_progress
from noccl.schedules import place_of, schedule_text
from noccl.values import items, kind_of, request_text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.schedules import Place, Schedule


def run_values(
    network: AnyNetwork,
    schedule: Schedule,
    inputs: Sequence[tuple[Place, npt.NDArray[Any]]],
    outputs: Sequence[tuple[Place, int]],
    *,
    on_progress: OnProgress | None = None,
) -> tuple[RunReport, list[npt.NDArray[np.uint8]]]:
    """Runs a schedule on the caller's own data.

    Args:
        network: Network, or what `load` takes.
        schedule: Schedule.
        inputs: Places and what to put there before the first cycle, byte by byte: plain arrays.
        outputs: Places and numbers of bytes to read back afterwards.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        The report, and one array of bytes per output, shape (num_bytes,).

    Raises:
        NocclError: As `run`.
    """
    network = network_of(network)
    given = pairs("inputs", inputs)
    wanted = pairs("outputs", outputs)
    report, memory = _native.run_values(
        network,
        schedule_text(schedule),
        [
            (*place_of("inputs", place), _bytes_of(f"inputs at {place.tile.text}", data))
            for place, data in given
        ],
        [(*place_of("outputs", place), whole("outputs", count)) for place, count in wanted],
        request_text(mode="value", seed=1, threads=1, backend="sim", is_lock_step=False),
        native_progress(on_progress),
    )
    return RunReport.from_json(report), [np.frombuffer(data, dtype=np.uint8) for data in memory]


def pairs(name: str, values: object) -> list[tuple[Any, Any]]:
    """Pairs of anything, e.g. of places and data.

    Raises:
        ArgumentError: Something is no pair.
    """
    found = [items(name, pair) for pair in items(name, values)]
    if any(len(pair) != 2 for pair in found):  # noqa: PLR2004 - a pair
        raise ArgumentError(f"{name}: not all are pairs; accepted: a list of pairs")
    return [(first, second) for first, second in found]


def _bytes_of(name: str, data: object) -> bytes:
    if not isinstance(data, np.ndarray):
        raise ArgumentError(f"{name}: {kind_of(data)}; accepted: arrays of numbers")
    require_plain(name, data)
    return data.tobytes()

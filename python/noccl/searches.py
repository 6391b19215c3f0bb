# SPDX-License-Identifier: Apache-2.0
"""Searching the schedule of a collective."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noccl import _native
from noccl.networks import network_of
from noccl.results import Result, energy_text, verified_text
from noccl.runs import native_progress
from noccl.schedules import Schedule
from noccl.sizes import size
from noccl.tiles import Column, Rectangle, Row, group_text, tile_text
from noccl.values import items, request_text, several, text
from noccl.verified import Verified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.tiles import AnyTile, Group, Tile


@dataclass(frozen=True, repr=False)
class SynthResult(Result):
    """A searched schedule, proved by the checker and run with random bytes.

    Attributes:
        schedule: The schedule.
        method: How it was made.
        cycles: Cycles of its run.
        energy_pj: Energy of the counted events of its run, in picojoules.
        lower_bound_cycles: No algorithm can be faster; of several groups the slowest one's.
        software_bound_cycles: No algorithm of messages between two clusters can be faster.
        library: The library's best algorithm; None if faults leave it none.
        library_cycles: Its cycles.
        gain: `library_cycles` divided by `cycles`.
        num_tried: Schedules that were rated.
        num_estimated: Those of them that an estimate ruled out, without a run.
        num_untried: The library's schedules that there was no time for.
        end: `time_limit`, `tries`, `exhausted` or `interrupted`.
        host_seconds: Host seconds of search, proof and run.
        verified: Was every output byte compared?
    """

    schedule: Schedule
    method: str
    cycles: int
    energy_pj: float
    lower_bound_cycles: int
    software_bound_cycles: int
    library: str | None
    library_cycles: int | None
    gain: float | None
    num_tried: int
    num_estimated: int
    num_untried: int
    end: str
    host_seconds: float
    verified: Verified

    def _title(self) -> str:
        return f"{self.cycles:,} cycles by {self.method}, {self.schedule.num_actions} actions"

    def _facts(self) -> dict[str, str]:
        library = (
            "none" if self.library is None else f"{self.library}, {self.library_cycles:,} cycles"
        )
        bound, software = self.lower_bound_cycles, self.software_bound_cycles
        return {
            "cycles": f"{self.cycles:,}; bound {bound:,}, of software {software:,}",
            "library's best": library,
            "gain": "-" if self.gain is None else f"{self.gain:.2f} times as fast",
            "energy": energy_text(self.energy_pj),
            "verified": verified_text(self.verified),
            "search": f"{self.num_tried:,} tried, {self.host_seconds:.1f} s, end: {self.end}",
        }

    def _row(self) -> dict[str, Any]:
        row = {name: value for name, value in vars(self).items() if name != "schedule"}
        return row | {"verified": str(self.verified)}


def synth(
    network: AnyNetwork,
    collective: str,
    *,
    num_bytes: int | str = 4096,
    groups: Group | str | Sequence[Group | str] = "all",
    root: AnyTile | None = None,
    operator: str = "sum",
    element: str = "fp64",
    objective: str = "cycles",
    seed: int = 1,
    time_limit_seconds: float = 1.0,
    tries: int | None = None,
    is_software: bool = False,
    faulty_links: str | Sequence[str] = (),
    faulty_tiles: Sequence[Tile | str] = (),
    on_progress: OnProgress | None = None,
) -> SynthResult:
    """Searches the schedule of a collective: what `noccl synth` does.

    >>> from noccl import load
    >>> network = load("collective_noc_2x2")
    >>> found = synth(network, "all_gather", num_bytes=512, tries=40, time_limit_seconds=60)
    >>> found.cycles <= found.library_cycles, str(found.verified)
    (True, 'yes')

    Args:
        network: Network of clusters, or what `load` takes.
        collective: `multicast`, `reduce`, `all_reduce`, `all_gather`, `reduce_scatter` or
            `all_to_all`.
        num_bytes: Payload per participant, e.g. 4096 or `"4KiB"`; a multiple of the element.
        groups: Participants; several groups do it side by side in one schedule.
        root: Owner of the data or of the result; None for the usual one.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: `fp64`, `fp32`, `fp16`, `bf16`, `fp8_e4m3`, `fp8_e5m2` or `int8` to `int64`.
        objective: What is minimised: `cycles` or `energy`.
        seed: Seed of the search and of the random bytes.
        time_limit_seconds: Host time of the search; proof and run come after it.
        tries: Most schedules that are simulated; None for as many as there is time for.
        is_software: Without multicasts and reductions of the network.
        faulty_links: Links that do not work, by their ends, e.g. `"1,1-2,1"`.
        faulty_tiles: Tiles that do not work.
        on_progress: Called now and then; returning False ends the search, whose best is returned.

    Raises:
        ArgumentError: An argument is outside what is accepted, or faults cut participants off.
        InterruptedRunError: An end before there was any schedule.

    Source:
        S1 section 4 for the library's algorithms that it starts from; the search is this project's.
    """
    request = request_text(
        locals(),
        groups=_groups(groups),
        root=None if root is None else tile_text(root),
        bytes=size("num_bytes", num_bytes),
        faulty_links=[text("faulty_links", link) for link in several("faulty_links", faulty_links)],
        faulty_tiles=[
            tile_text(tile, "faulty_tiles") for tile in items("faulty_tiles", faulty_tiles)
        ],
    )
    network = network_of(network)
    found = json.loads(_native.synth(network, request, native_progress(on_progress)))
    report: dict[str, Any] = found["report"]
    library = report["library"]
    same = {
        name: report[name]
        for name in SynthResult.__dataclass_fields__
        if name not in {"schedule", "library", "library_cycles", "verified"}
    }
    return SynthResult(
        schedule=Schedule(json.dumps(found["schedule"])),
        library=None if library is None else library["algorithm"],
        library_cycles=None if library is None else library["cycles"],
        verified=Verified(report["verified"]),
        **same,
    )


def _groups(groups: object) -> list[str]:
    if isinstance(groups, (str, Row, Column, Rectangle)):
        return [group_text(groups, "groups")]
    return [group_text(group, "groups") for group in items("groups", groups)]

# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of a run go, and what would change them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noccl import _native
from noccl.colours import PART_COLOURS
from noccl.networks import network_of
from noccl.notebook_html import fragment, table
from noccl.notebook_plots import bars
from noccl.runs import native_progress
from noccl.schedules import Schedule, schedule_text
from noccl.sizes import size
from noccl.tiles import group_text, tile_text
from noccl.values import form, request_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from noccl.definitions import Definition
    from noccl.networks import AnyNetwork
    from noccl.runs import OnProgress
    from noccl.schedules import Lengths
    from noccl.tiles import Group, Tile


@dataclass(frozen=True)
class CauseCycles:
    """Cycles of the critical path with one cause.

    Attributes:
        cause: Key of the cause, as `arbitration` or `addition`.
        name: The cause in words.
        cycles: Cycles.
        most_at: The resource with most of them, as `link wide 0,0->1,0`; None if none has any.
        most_cycles: Cycles at that resource.
    """

    cause: str
    name: str
    cycles: int
    most_at: str | None
    most_cycles: int | None


@dataclass(frozen=True)
class PartCycles:
    """A part of a run's cycles.

    Attributes:
        part: Key of the part, as `serialisation` or `links`.
        name: The part in words.
        cycles: Cycles.
        fraction: Of all cycles.
        causes: What it is made of, longest first.
    """

    part: str
    name: str
    cycles: int
    fraction: float
    causes: tuple[CauseCycles, ...]


@dataclass(frozen=True)
class PathStep:
    """A step of the critical path.

    Attributes:
        action: Index of the action in its schedule.
        kind: What the action does, as schedules name it.
        tile: Tile whose part of the action it is.
        start_cycle: First cycle, from the start of the run.
        end_cycle: The cycle behind the last one.
    """

    action: int
    kind: str
    tile: str
    start_cycle: int
    end_cycle: int


@dataclass(frozen=True)
class ResourceUse:
    """A resource over the whole run.

    Attributes:
        resource: As `link wide 0,0->1,0`, `memory port 0,0` or `DMA engine 0,0`.
        busy_cycles: Cycles in which it works: a flit, a beat, an addition. A DMA engine that reads
            and writes in one cycle counts two.
        busy_fraction: Of the cycles of the run; of a DMA engine up to 2.
        blocked_cycles: By cause: cycles in which something waits there.
    """

    resource: str
    busy_cycles: int
    busy_fraction: float
    blocked_cycles: Mapping[str, int]


@dataclass(frozen=True)
class RelaxedRun:
    """The run on a network with more of what it waits for.

    Attributes:
        part: The part that this may shorten.
        options: Options of the command line that make the run.
        cycles: Its cycles.
    """

    part: str
    options: str
    cycles: int


@dataclass(frozen=True)
class Explanation:
    """Where the cycles of a run go; the parts sum to the cycles.

    Attributes:
        network: Name of the network.
        collective: The collective; None of a schedule that claims none.
        num_bytes: Its payload; None of a barrier and of such schedules.
        group: Its participants.
        algorithm: The algorithm with its parameters.
        cycles: Cycles, as `compare` counts them.
        time_ns: The same at the network's clock.
        method: `every_cycle`, or `by_action` where the simulator records actions only.
        parts: Parts with at least one cycle.
        path: The critical path, first step first.
        busiest: The busiest resources.
        relaxed: Runs with more of what this one waits for, fastest first.
    """

    network: str
    collective: str | None
    num_bytes: int | None
    group: str | None
    algorithm: str
    cycles: int
    time_ns: float
    method: str
    parts: tuple[PartCycles, ...]
    path: tuple[PathStep, ...]
    busiest: tuple[ResourceUse, ...]
    relaxed: tuple[RelaxedRun, ...]

    def __getitem__(self, part: str) -> int:
        """Cycles of a part; 0 of one that has none."""
        return sum(row.cycles for row in self.parts if part in (row.part, row.name))

    def __repr__(self) -> str:
        parts = ", ".join(f"{row.name} {row.cycles}" for row in self.parts)
        what = self.collective or "schedule"
        return f"<{what} by {self.algorithm}: {self.cycles} cycles ({parts})>"

    def _repr_html_(self) -> str:
        """Parts as bars, and the runs that would change them, as notebooks ask for it."""
        colours = {row.name: PART_COLOURS[row.part] for row in self.parts}
        parts = bars({row.name: row.cycles for row in self.parts}, "cycles", colours=colours)
        columns = ("cycles", "change [%]", "part", "with")
        rows = [
            (run.cycles, 100 * (run.cycles / self.cycles - 1), run.part, run.options)
            for run in self.relaxed
            if run.cycles != self.cycles
        ]
        what = self.collective or "schedule"
        title = f"{what} by {self.algorithm} on {self.network}: {self.cycles:,} cycles"
        return fragment(title, parts, *([table(columns, rows)] if rows else []))


def explain(
    network: AnyNetwork,
    what: str | Schedule,
    *,
    num_bytes: int | str = "1KiB",
    group: Group | str = "all",
    root: Tile | str | None = None,
    algorithm: str = "auto",
    operator: str = "sum",
    element: str = "fp64",
    lengths: Lengths | None = None,
    definition: Definition | None = None,
    is_lock_step: bool = False,
    has_reruns: bool = True,
    on_progress: OnProgress | None = None,
) -> Explanation:
    """Says for each cycle of a run's critical path what it is for.

    >>> from noccl import load
    >>> why = explain(load("collective_noc_4x4"), "reduce", num_bytes="4KiB", has_reruns=False)
    >>> sum(part.cycles for part in why.parts) == why.cycles
    True

    Args:
        network: Network, or what `load` takes.
        what: A collective, as `compare` takes it, or a schedule. Of a schedule the arguments up to
            `definition` say nothing.
        num_bytes: Payload per participant (custom: of a chunk), e.g. `"4KiB"`.
        group: Participants.
        root: Root; None for the paper's choice.
        algorithm: `auto` or one name; without parameters the fastest of a range is searched.
        operator: `sum`, `min`, `max`, `and` or `or`.
        element: Element type.
        lengths: Lengths of an all-to-all's blocks on core tiles, in place of `num_bytes`.
        definition: What a `custom` collective asks for.
        is_lock_step: Core tiles: no message of a round begins before those of all earlier rounds
            have come.
        has_reruns: Repeat the run with more of what it waits for?
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        AlgorithmError: The algorithm does not do this.
        ScheduleError: The checker refuses the schedule.
        DeadlockError: The run cannot finish.
    """
    network = network_of(network)
    is_schedule = isinstance(what, Schedule)
    collective = {
        "collective": what,
        "bytes": [size("num_bytes", num_bytes) if lengths is None else max(lengths.longest, 1)],
        "group": group_text(group),
        "root": None if root is None else tile_text(root),
        "algorithms": [algorithm],
        "operator": operator,
        "element": element,
        "lengths": None if lengths is None else form("lengths", lengths),
        "definition": None if definition is None else form("definition", definition),
    }
    request = request_text(
        collective=None if is_schedule else collective,
        has_reruns=has_reruns,
        is_lock_step=is_lock_step,
    )
    schedule = schedule_text(what) if isinstance(what, Schedule) else None
    return _explanation(
        json.loads(_native.explain(network, request, schedule, native_progress(on_progress)))
    )


def _explanation(fields: dict[str, Any]) -> Explanation:
    parts = (
        PartCycles(**row | {"causes": tuple(CauseCycles(**cause) for cause in row["causes"])})
        for row in fields["parts"]
    )
    busiest = (
        ResourceUse(
            resource=row["resource"],
            busy_cycles=row["busy_cycles"],
            busy_fraction=row["busy_fraction"],
            blocked_cycles={blocked["cause"]: blocked["cycles"] for blocked in row["blocked"]},
        )
        for row in fields["busiest"]
    )
    return Explanation(
        network=fields["network"],
        collective=fields["collective"],
        num_bytes=fields["bytes"],
        group=fields["group"],
        algorithm=fields["algorithm"],
        cycles=fields["cycles"],
        time_ns=fields["time_ns"],
        method=fields["method"],
        parts=tuple(parts),
        path=tuple(PathStep(**row) for row in fields["path"]),
        busiest=tuple(busiest),
        relaxed=tuple(RelaxedRun(**row) for row in fields["relaxed"]),
    )

# SPDX-License-Identifier: Apache-2.0
"""How far a signal gets in a cycle over a row of tiles: gates by netlist, wires by a constant.

T(n) = launch and capture + n (wire per mm * mm per tile + d), with d and the launch from the times
of rows of several lengths. Static timing has no wires, and a library of another technology: FO4 is
the measure that both share.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PS_PER_NS = 1000.0
MHZ_PER_GHZ = 1000.0
# More than the longest line of a mesh.
MOST_HOPS = 256
ROUNDING_PS = 1e-6


class ModelError(Exception):
    """A number that no technology has, or lengths that give no line."""


@dataclass(frozen=True)
class Technology:
    """What makes gates and hops a time.

    Attributes:
        fo4_ps: An inverter that drives four of its kind.
        wire_ps_per_mm: A wire with repeaters.
        tile_mm: From router to router.
        clock_ghz: What the goals are asked for.
    """

    fo4_ps: float = 16.0
    wire_ps_per_mm: float = 62.5
    tile_mm: float = 1.0
    clock_ghz: float = 1.0

    def __post_init__(self) -> None:
        """Refuses what is not positive.

        Raises:
            ModelError: With the name of the number.
        """
        for name in ("fo4_ps", "tile_mm", "clock_ghz"):
            if not (getattr(self, name) > 0 and math.isfinite(getattr(self, name))):
                raise ModelError(f"{name} = {getattr(self, name)}: accepted: above 0")
        if not (self.wire_ps_per_mm >= 0 and math.isfinite(self.wire_ps_per_mm)):
            raise ModelError(f"wire_ps_per_mm = {self.wire_ps_per_mm}: accepted: 0 and above")

    @property
    def period_ps(self) -> float:
        """The cycle that the goals are asked for."""
        return PS_PER_NS / self.clock_ghz

    @property
    def wire_ps(self) -> float:
        """From router to router."""
        return self.wire_ps_per_mm * self.tile_mm

    def text(self) -> str:
        """All numbers, to stand beside every result."""
        return (
            f"FO4 {self.fo4_ps:g} ps, wire {self.wire_ps_per_mm:g} ps/mm, tile {self.tile_mm:g} mm"
        )


@dataclass(frozen=True)
class Line:
    """Time over hops.

    Attributes:
        launch_fo4: What a path takes that crosses no router: launch, capture, and what comes once.
        hop_fo4: d, what each hop adds beside its wire.
        inside_fo4: The longest path that crosses no link; bounds the clock too.
        residual_fo4: Most that a measured row is off the line.
        wires_back: Links that a path crosses besides its hops, back to a router before.
        measured_fo4: Times of rows by hops, which count where there are any.
    """

    launch_fo4: float
    hop_fo4: float
    inside_fo4: float = 0.0
    residual_fo4: float = 0.0
    wires_back: int = 0
    measured_fo4: Mapping[int, float] = field(default_factory=dict)

    def wires_ps(self, technology: Technology, hops: int) -> float:
        """Those between routers."""
        return (hops + self.wires_back) * technology.wire_ps

    def crossing_ps(self, technology: Technology, hops: int) -> float:
        """T(n)."""
        gates = self.measured_fo4.get(hops, self.launch_fo4 + hops * self.hop_fo4)
        return gates * technology.fo4_ps + self.wires_ps(technology, hops)

    def parts_text(self, technology: Technology, hops: int) -> str:
        """What T(n) is made of."""
        wires_ps = self.wires_ps(technology, hops)
        hops_ps = hops * self.hop_fo4 * technology.fo4_ps
        once_ps = self.crossing_ps(technology, hops) - wires_ps - hops_ps
        return f"wires {wires_ps:.0f} ps, hops {hops_ps:.0f} ps, once {once_ps:.0f} ps"

    def time_ps(self, technology: Technology, hops: int) -> float:
        """T(n), or what a router takes inside if that is longer."""
        return max(self.crossing_ps(technology, hops), self.inside_fo4 * technology.fo4_ps)

    def clock_mhz(self, technology: Technology, hops: int) -> float:
        """The clock at which a path of so many hops fits into a cycle."""
        return MHZ_PER_GHZ * PS_PER_NS / self.time_ps(technology, hops)

    def most_hops(self, technology: Technology) -> int:
        """Hops that fit into a cycle of the technology's clock; 0 if not even one does.

        Raises:
            ModelError: Hops take next to no time, so that there is no bound.
        """
        if self.time_ps(technology, MOST_HOPS) <= technology.period_ps:
            raise ModelError(f"{MOST_HOPS} hops fit: accepted: a wire or gates that take time")
        hops = range(1, MOST_HOPS + 1)
        fits = (self.time_ps(technology, n) <= technology.period_ps + ROUNDING_PS for n in hops)
        return sum(itertools.takewhile(bool, fits))


def fit(points: Sequence[tuple[int, float]], inside_fo4: float = 0.0, wires_back: int = 0) -> Line:
    """The line of least squares through (hops, FO4).

    Raises:
        ModelError: There are not two lengths.
    """
    if len({hops for hops, _ in points}) < 2:  # noqa: PLR2004 - a line has two points.
        raise ModelError("accepted: rows of two lengths or more")
    mean_hops = sum(hops for hops, _ in points) / len(points)
    mean_fo4 = sum(fo4 for _, fo4 in points) / len(points)
    spread = sum((hops - mean_hops) ** 2 for hops, _ in points)
    slope = sum((hops - mean_hops) * (fo4 - mean_fo4) for hops, fo4 in points) / spread
    launch = mean_fo4 - slope * mean_hops
    residual = max(abs(fo4 - launch - slope * hops) for hops, fo4 in points)
    return Line(launch, slope, inside_fo4, residual, wires_back, dict(points))

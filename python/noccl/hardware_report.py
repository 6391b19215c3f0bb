# SPDX-License-Identifier: Apache-2.0
"""What hardware beside a run has done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HardwareReport:
    """Hardware that took the same course as the simulator, cycle by cycle.

    Attributes:
        boundary: Where both met: `router`, `axi` or `dma`.
        library: Folder of the Verilated hardware.
        cycles: Cycles of the hardware.
        handshakes: Handshakes that both had in common.
        cycles_per_second: Cycles per second of wall time, simulator and comparison included.
    """

    boundary: str
    library: str
    cycles: int
    handshakes: int
    cycles_per_second: float

# SPDX-License-Identifier: Apache-2.0
"""What a run reports: cycles, events, responses, and whether the outputs are right."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from noccl.hardware_report import HardwareReport
from noccl.noise import NoiseStatistics
from noccl.notebook_plots import spans
from noccl.results import Result, counted, energy_text, time_text, verified_text
from noccl.values import are_equal
from noccl.verified import Verified

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from noccl.notebook_html import Fragment
    from noccl.recordings import Recording


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


@dataclass(frozen=True, eq=False, repr=False)
class RunReport(Result):
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
        recording: The run over time; None if it was not recorded.
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
    recording: Recording | None = None

    def __eq__(self, other: object) -> bool:
        """Are all fields equal, arrays by their elements?"""
        if not isinstance(other, RunReport):
            return NotImplemented
        return all(are_equal(value, vars(other)[name]) for name, value in vars(self).items())

    __hash__: ClassVar[None] = None  # type: ignore[assignment] # An array has no hash.

    def _title(self) -> str:
        return f"{self.cycles:,} cycles, {counted(len(self.action_cycles), 'action')}"

    def _facts(self) -> dict[str, str]:
        rate = self.payload_gb_per_s
        facts = {
            "cycles": f"{self.cycles:,}",
            "time": time_text(self.time_ns) + ("" if rate is None else f", {rate:,.4g} GB/s"),
            "energy": energy_text(self.energy_pj),
            "verified": verified_text(self.verified),
            "busiest link": self.busiest_link or "none",
        }
        if self.hardware is not None:
            facts["hardware"] = "took the same course"
        if self.noise is not None:
            facts["under noise"] = f"{self.noise.mean_cycles:,.1f} cycles on average"
        return facts

    def _row(self) -> dict[str, Any]:
        names = ("cycles", "time_ns", "payload_gb_per_s", "energy_pj", "busiest_link")
        row = {name: getattr(self, name) for name in (*names, "blocked_link_cycles")}
        return row | {"verified": str(self.verified), **vars(self.counters)}

    def _pictures(self) -> list[Fragment]:
        rows = [(f"action {n}", int(a), int(b)) for n, (a, b) in enumerate(self.action_cycles)]
        return [spans(rows, self.cycles)] if rows else []

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

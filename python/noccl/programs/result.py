# SPDX-License-Identifier: Apache-2.0
"""What a program of ranks has come to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noccl.errors import ArgumentError
from noccl.files import write_file
from noccl.results import Result, time_text
from noccl.table_views import html_table

if TYPE_CHECKING:
    import pyarrow as pa

    from noccl.notebook_html import Fragment
    from noccl.recordings import Recording
    from noccl.tables import ResultTable


@dataclass(frozen=True, eq=False, repr=False)
class ProgramResult(Result):
    """What a program of ranks has returned and how long it took.

    Attributes:
        values: What the function returned, by rank; None of a script.
        cycles: From the start of all ranks to the end of the last one.
        time_ns: The same at the network's clock.
        flit_hops: Flits that crossed a router-to-router link.
        ranks: A row per rank: the cycle of its end, cycles that it computed, sent, received and
            waited, messages and bytes that it sent.
        collectives: A row per collective that was carried out alike: collective, ranks, bytes
            of a block, algorithm, calls, and why the algorithm is not the one that was named or
            that `auto` picks.
        timeline: A row per call of a rank, in the order of their ends: first and last cycle, what,
            detail. The first 131,072 calls; with `has_timeline=True` all of them.
        recording: The run over time; None if it was not recorded.
    """

    values: list[Any]
    cycles: int
    time_ns: float
    flit_hops: int
    ranks: ResultTable
    collectives: ResultTable
    timeline: ResultTable
    recording: Recording | None = None
    _trace_events: str = ""
    _messages: str = ""

    def _title(self) -> str:
        return f"{len(self.ranks)} ranks, {self.cycles:,} cycles"

    def _facts(self) -> dict[str, str]:
        calls = int(sum(self.collectives["calls"])) if len(self.collectives) else 0
        finish = self.ranks["finish_cycle"]
        return {
            "cycles": f"{self.cycles:,}",
            "time": time_text(self.time_ns),
            "ranks": f"{len(self.ranks)}, which ended in cycles {min(finish):,} to {max(finish):,}",
            "messages": f"{int(sum(self.ranks['messages'])):,}",
            "collectives": f"{calls:,} calls",
            "flit hops": f"{self.flit_hops:,}",
            "tables": "ranks, collectives, timeline; values: what each rank returned",
        }

    def _pictures(self) -> list[Fragment]:
        return [html_table(self.ranks), html_table(self.collectives)]

    def _arrow_table(self) -> pa.Table:
        return self.ranks.arrow

    def write_timeline(self, path: str | os.PathLike[str]) -> None:
        """Writes when ranks did what (`docs/formats/timeline.md`), for ui.perfetto.dev.

        Raises:
            ArgumentError: The program ran without `has_timeline=True`.
            FileError: The file cannot be written.
        """
        _write(path, self._trace_events, "write_timeline")

    def write_messages(self, path: str | os.PathLike[str]) -> None:
        """Writes what the ranks have called (`docs/formats/messages.md`), as `write_timeline`."""
        _write(path, self._messages, "write_messages")


def _write(path: str | os.PathLike[str], kept: str, method: str) -> None:
    if not kept:
        raise ArgumentError(f"{method}: accepted: a program run with has_timeline=True")
    write_file(os.fspath(path), kept.encode())

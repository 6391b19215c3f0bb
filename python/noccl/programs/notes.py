# SPDX-License-Identifier: Apache-2.0
"""Which rank runs, and where each has called last, in a file that outlives this process.

`noccl run program` makes the file and names it in `NOCCL_RANK_NOTES`. A rank that ends the
process at once, by `os._exit` or a memory fault, leaves no other trace: the command reads the file
and names the rank and its last call. The file has slots of 256 bytes: who runs, then a slot per
rank with the place of its last call. Each holds text and zeros.
"""

from __future__ import annotations

import mmap
import os

VARIABLE = "NOCCL_RANK_NOTES"
SLOT_BYTES = 256
ENGINE, OVER = b"engine", b"over"


class Notes:
    """The file, mapped into memory.

    Args:
        path: Of the file, which exists.
        ranks: Number of ranks.
    """

    def __init__(self, path: str, ranks: int) -> None:
        with open(path, "r+b") as file:
            file.truncate(SLOT_BYTES * (1 + ranks))
            self._map = mmap.mmap(file.fileno(), 0)
        self._runs = [_slot(b"rank %d" % rank) for rank in range(ranks)]
        self._engine = _slot(ENGINE)
        self._places: dict[str, bytes] = {}
        self._start = 0

    def enter(self, rank: int) -> None:
        """From now on this rank runs."""
        self._map[:SLOT_BYTES] = self._runs[rank]
        self._start = SLOT_BYTES * (1 + rank)

    def leave(self) -> None:
        """From now on no rank runs: the engine simulates."""
        self._map[:SLOT_BYTES] = self._engine
        self._start = 0

    def call(self, place: str) -> None:
        """The rank that runs calls from this place."""
        start = self._start
        if not start:
            return
        slot = self._places.get(place)
        if slot is None:
            slot = self._places[place] = _slot(place.encode(errors="replace"))
        self._map[start : start + SLOT_BYTES] = slot

    def close(self) -> None:
        """The program has ended, and what there is to say of its end will be said."""
        self._map[:SLOT_BYTES] = _slot(OVER)
        self._map.close()


def opened(ranks: int) -> Notes | None:
    """The file that the environment names; None if it names none."""
    path = os.environ.get(VARIABLE)
    return Notes(path, ranks) if path else None


def _slot(text: bytes) -> bytes:
    return text[-SLOT_BYTES:].ljust(SLOT_BYTES, b"\0")

# SPDX-License-Identifier: Apache-2.0
"""Runs over time: links, blocked router ports, actions and transactions.

`noccl.run(..., record=True).recording` has one, `noccl run schedule FILE --record RUN.json` writes
one, `read_recording` reads it (`docs/formats/run-recording.md`). `python -m noccl.recordings
RUN.json RUN.parquet` makes a Parquet file of it.
"""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl import _native
from noccl.errors import NocclError
from noccl.extras import extra
from noccl.files import with_name, write_file
from noccl.results import Result, counted
from noccl.values import text as checked_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa

_COLUMNS = {
    "what": "string",
    "name": "string",
    "start_cycle": "int64",
    "end_cycle": "int64",
    "plane": "string",
    "x": "int32",
    "y": "int32",
    "port": "string",
    "to_x": "int32",
    "to_y": "int32",
    "amount": "int64",
    "action": "int64",
    "first_beat_cycle": "int64",
    "last_beat_cycle": "int64",
}
"""Columns of the table, with Arrow's names of their types."""


@dataclass(frozen=True, repr=False)
class Recording(Result):
    """A run over time.

    As a table (`to_polars`, `to_pandas`, `to_parquet`) it has a row per link and window (`what`:
    `flits`), per blocked port, cause and window (`blocked`), per action and per transaction.

    Attributes:
        text: The recording as JSON text (`formats/recording.schema.json`).
    """

    text: str

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The recording as Python values."""
        found = json.loads(checked_text("text", self.text))
        assert isinstance(found, dict)  # noqa: S101 - the engine has written or checked it
        return found

    @property
    def window_cycles(self) -> int:
        """Cycles per window."""
        return int(self.fields["flits"]["window_cycles"])

    @property
    def num_windows(self) -> int:
        """Windows up to the last in which anything happened."""
        return int(self.fields["flits"]["num_windows"])

    @property
    def links(self) -> list[dict[str, Any]]:
        """Links that carried a flit: plane, from, to, flits."""
        return list(self.fields["flits"]["links"])

    @property
    def ports(self) -> list[dict[str, Any]]:
        """Ports that were blocked, by cause: plane, at, port, cause, cycles."""
        return list(self.fields["blocked"]["ports"])

    @cached_property
    def flits(self) -> npt.NDArray[np.int64]:
        """Shape (num_entries, 3), columns = window, index into `links`, flits."""
        return _entries(self.fields["flits"]["windows"], self.num_windows)

    @cached_property
    def blocked(self) -> npt.NDArray[np.int64]:
        """Shape (num_entries, 3), columns = window, index into `ports`, cycles."""
        return _entries(self.fields["blocked"]["windows"], self.num_windows)

    def _title(self) -> str:
        return f"{self.fields['cycles']:,} cycles on {self.fields['network']}"

    def _facts(self) -> Mapping[str, str]:
        windows = f"{self.num_windows:,} of {counted(self.window_cycles, 'cycle')}"
        return {
            "windows": windows,
            "flits": f"{sum(link['flits'] for link in self.links):,}",
            "blocked port cycles": f"{sum(port['cycles'] for port in self.ports):,}",
            "actions": f"{len(self.fields['actions']):,}",
            "transactions": f"{len(self.fields['transactions']):,}",
        }

    def _arrow_table(self) -> pa.Table:
        with extra("frames"):
            import pyarrow as pa
        about = {"noccl.kind": "recording", "noccl.version": str(self.fields["format"])}
        about |= {name: str(self.fields[name]) for name in ("network", "clock_ghz", "cycles")}
        schema = pa.schema(
            [pa.field(name, pa.type_for_alias(of)) for name, of in _COLUMNS.items()],
            metadata={key: value.encode() for key, value in about.items()},
        )
        rows = [*self._windows(), *self._actions(), *self._transactions()]
        return pa.Table.from_pylist(rows, schema=schema)

    def _windows(self) -> Iterator[dict[str, Any]]:
        sources = (("flits", self.flits, self.links), ("blocked", self.blocked, self.ports))
        for what, entries, named in sources:
            for window, index, amount in entries.tolist():
                of = named[index]
                x, y = of.get("from") or of["at"]
                to_x, to_y = of.get("to") or (None, None)
                yield {
                    "what": what,
                    "name": of.get("cause"),
                    "start_cycle": window * self.window_cycles,
                    "end_cycle": (window + 1) * self.window_cycles,
                    "plane": of["plane"],
                    "x": x,
                    "y": y,
                    "port": of.get("port"),
                    "to_x": to_x,
                    "to_y": to_y,
                    "amount": amount,
                }

    def _actions(self) -> Iterator[dict[str, Any]]:
        height = self.fields["mesh"][1]
        for index, action in enumerate(self.fields["actions"]):
            tile = action["tiles"][0] if action["tiles"] else None
            x, y = (None, None) if tile is None else divmod(tile, height)
            yield {
                "what": "action",
                "name": action["kind"],
                "start_cycle": action["start_cycle"],
                "end_cycle": action.get("finish_cycle"),
                "x": x,
                "y": y,
                "action": index,
            }

    def _transactions(self) -> Iterator[dict[str, Any]]:
        for of in self.fields["transactions"]:
            to_x, to_y = of.get("to") or (None, None)
            yield {
                "what": "transaction",
                "name": of["kind"],
                "start_cycle": of["start_cycle"],
                "end_cycle": of.get("response_cycle"),
                "x": of["from"][0],
                "y": of["from"][1],
                "to_x": to_x,
                "to_y": to_y,
                "amount": of["bytes"],
                "action": of.get("action"),
                "first_beat_cycle": of.get("first_beat_cycle"),
                "last_beat_cycle": of.get("last_beat_cycle"),
            }

    def to_parquet(self, path: Path | str) -> None:
        """Writes the table to a Parquet file.

        Raises:
            FileError: The file cannot be written.
            MissingExtraError: The extra `noccl[frames]` is not installed.
        """
        table = self._arrow_table()
        from noccl.arrow_tables import write

        write(table, path)

    def to_perfetto(self, path: Path | str) -> None:
        """Writes a JSON file that ui.perfetto.dev shows and `read_recording` reads.

        Raises:
            FileError: The file cannot be written.
        """
        write_file(path, _native.recording_file(self.text).encode())


def read_recording(path: Path | str) -> Recording:
    """Reads a recording that `to_perfetto` or `noccl run schedule --record` has written.

    Args:
        path: JSON file.

    Raises:
        FileError: The file cannot be read, is cut short, of another version, or not consistent.
    """
    return Recording(with_name(path, _native.read_recording))


def _entries(windows: str, num_windows: int) -> npt.NDArray[np.int64]:
    """Window, row and number of each entry of LEB128 numbers."""
    data = np.frombuffer(base64.b64decode(windows), dtype=np.uint8)
    if not len(data):
        return np.empty((0, 3), dtype=np.int64)
    is_end = data < 0x80  # noqa: PLR2004 - the highest bit says that more bytes follow
    first = np.concatenate([np.zeros(1, dtype=np.int64), np.flatnonzero(is_end)[:-1] + 1])
    number_idx: npt.NDArray[np.int64] = np.cumsum(is_end) - is_end
    shifts = 7 * (np.arange(len(data)) - first[number_idx])
    numbers = np.add.reduceat((data & 0x7F).astype(np.int64) << shifts, first)
    rows, at = [], 0
    for window in range(num_windows):
        count = int(numbers[at])
        pairs = numbers[at + 1 : at + 1 + 2 * count].reshape(-1, 2)
        index = np.cumsum(pairs[:, 0])
        rows.append(np.stack([np.full(count, window), index, pairs[:, 1]], axis=1))
        at += 1 + 2 * count
    return np.concatenate(rows)


def main(arguments: Sequence[str]) -> int:
    """Converts a recording to Parquet; returns the exit status."""
    if len(arguments) != 2:  # noqa: PLR2004 - a recording and a Parquet file
        sys.stderr.write("usage: python -m noccl.recordings RECORDING.json FILE.parquet\n")
        return 2
    try:
        read_recording(arguments[0]).to_parquet(arguments[1])
    except NocclError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

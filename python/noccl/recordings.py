# SPDX-License-Identifier: Apache-2.0
"""Runs over time: links, blocked router ports, actions and transactions.

`noccl.run(..., record=True).recording` has one, `noccl run schedule FILE --record RUN.json` writes
one, `read_recording` reads it (`docs/formats/run-recording.md`). `python -m noccl.recordings
RUN.json RUN.parquet` makes a Parquet file of it; it also converts back to JSON.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl import _native
from noccl.errors import NocclError
from noccl.extras import extra
from noccl.files import read_text, with_name, write_file
from noccl.results import Result, counted
from noccl.values import text as checked_text
from noccl.window_numbers import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import pyarrow as pa

    from noccl.views import View


@dataclass(frozen=True, repr=False)
class Recording(Result):
    """A run over time.

    As a table (`to_polars`, `to_pandas`, `to_parquet`) it has a row per link and window (`what`:
    `flits`), per blocked port, cause and window (`blocked`), per action, transaction and slice of
    a rank's time (`rank`).

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
        return decoded(self.fields["flits"]["windows"], self.num_windows)

    @cached_property
    def blocked(self) -> npt.NDArray[np.int64]:
        """Shape (num_entries, 3), columns = window, index into `ports`, cycles."""
        return decoded(self.fields["blocked"]["windows"], self.num_windows)

    def _title(self) -> str:
        fields = self.fields
        return f"{fields['workload']}: {fields['cycles']:,} cycles on {fields['network']}"

    def _facts(self) -> Mapping[str, str]:
        windows = f"{self.num_windows:,} of {counted(self.window_cycles, 'cycle')}"
        return {
            "windows": windows,
            "flits": f"{sum(link['flits'] for link in self.links):,}",
            "blocked port cycles": f"{sum(port['cycles'] for port in self.ports):,}",
            "actions": f"{len(self.fields['actions']):,}",
            "transactions": f"{len(self.fields['transactions']['kind']):,}",
            "ranks": f"{len(self.fields['ranks']):,}",
        }

    def _arrow_table(self) -> pa.Table:
        with extra("frames"):
            from noccl import recording_tables
        return recording_tables.table_of(self)

    def view(self) -> View:
        """The run as a page in which the mesh plays, as `noccl view` writes one of a recording."""
        from noccl.views import View

        return View((), (self.text,))

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
    """Reads a recording that `to_perfetto`, `to_parquet` or `noccl run --record` has written.

    Args:
        path: JSON file, or Parquet file (`.parquet`).

    Raises:
        FileError: The file cannot be read, is cut short, of another version, or not consistent.
        MissingExtraError: A Parquet file, and the extra `noccl[frames]` is not installed.
    """
    return Recording(with_name(path, _read))


def _read(path: str) -> str:
    if not path.lower().endswith(".parquet"):
        return _native.parse_recording(path, read_text(path))
    with extra("frames"):
        from noccl import recording_tables
    fields = recording_tables.read_fields(path)
    return _native.parse_recording(path, json.dumps({"recording": fields}))


def main(arguments: Sequence[str]) -> int:
    """Converts a recording, to Parquet or to JSON; returns the exit status."""
    if len(arguments) != 2:  # noqa: PLR2004 - a recording and a file
        sys.stderr.write("usage: python -m noccl.recordings RECORDING FILE.parquet|FILE.json\n")
        return 2
    try:
        recording = read_recording(arguments[0])
        if arguments[1].lower().endswith(".parquet"):
            recording.to_parquet(arguments[1])
        else:
            recording.to_perfetto(arguments[1])
    except NocclError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Result tables: rows of one kind as Arrow data, on disk as Parquet.

Arrow is the form of record, because every data tool reads it without copying; Polars is offered on
top, since it works on the same memory. A table knows its kind, so that a plot cannot be drawn from
the rows of another verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from noccl.errors import FileError
from noccl.files import write_file
from noccl.renamed import column_name, with_columns_of_today
from noccl.sweeps import columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LINKS = pa.list_(
    pa.struct(
        [
            pa.field("plane", pa.string(), nullable=False),
            pa.field("from_tile", pa.string(), nullable=False),
            pa.field("to_tile", pa.string(), nullable=False),
            pa.field("from_x", pa.int32(), nullable=False),
            pa.field("from_y", pa.int32(), nullable=False),
            pa.field("to_x", pa.int32(), nullable=False),
            pa.field("to_y", pa.int32(), nullable=False),
            pa.field("flits", pa.int64(), nullable=False),
        ]
    )
)
"""Loads of the used links. Tiles are `X,Y` for clusters and `mem:N` for memory tiles; x and y count
clusters from the south-west one, so that memory tiles lie outside, West of it at negative x."""


def _schema(
    kind: str, required: Mapping[str, pa.DataType], optional: Mapping[str, pa.DataType]
) -> pa.Schema:
    fields = [pa.field(name, data_type, nullable=False) for name, data_type in required.items()]
    fields += [pa.field(name, data_type, nullable=True) for name, data_type in optional.items()]
    return pa.schema(fields, metadata={b"noccl.kind": kind.encode()})


SCHEMAS: dict[str, pa.Schema] = {
    "compare": _schema(
        "compare",
        {
            "network": pa.string(),
            "backend": pa.string(),
            "collective": pa.string(),
            "algorithm": pa.string(),
            "parameters": pa.string(),
            "bytes": pa.int64(),
            "group": pa.string(),
            "num_participants": pa.int64(),
            "root": pa.string(),
            "cycles": pa.int64(),
            "lower_bound_cycles": pa.int64(),
            "payload_bound_cycles": pa.int64(),
            "cycles_over_lower_bound": pa.float64(),
            "energy_pj": pa.float64(),
            "verified": pa.string(),
            "is_in_network": pa.bool_(),
            "links": LINKS,
        },
        {
            "chunks": pa.int64(),
            "speedup_over_best_software": pa.float64(),
            "busiest_link": pa.string(),
            "busiest_link_flits": pa.int64(),
            "sum_error_of_bound": pa.float64(),
            "software_bound_cycles": pa.int64(),
            "synchronisation": pa.string(),
            "link_bound_cycles": pa.int64(),
            "core_bound_cycles": pa.int64(),
            "blocked_link_cycles": pa.int64(),
            "picked_by": pa.string(),
            "noise_runs": pa.int64(),
            "noise_mean_cycles": pa.float64(),
            "noise_variance_us2": pa.float64(),
        },
    ),
    "barriers": _schema(
        "barriers",
        {
            "clusters": pa.int64(),
            "mesh": pa.string(),
            "router": pa.string(),
            "algorithm": pa.string(),
            "cycles": pa.int64(),
        },
        {"network_cycles": pa.int64(), "formula_cycles": pa.int64()},
    ),
    "traffic": _schema(
        "traffic",
        {
            "network": pa.string(),
            "pattern": pa.string(),
            "beats": pa.int64(),
            "zero_load_latency_cycles": pa.float64(),
            "capacity_beats_per_cycle": pa.float64(),
            "offered_beats_per_cycle": pa.float64(),
            "accepted_beats_per_cycle": pa.float64(),
            "mean_latency_cycles": pa.float64(),
            "p99_latency_cycles": pa.int64(),
            "max_latency_cycles": pa.int64(),
            "packets": pa.int64(),
            "flit_hops": pa.int64(),
            "cycles": pa.int64(),
            "saturated": pa.bool_(),
        },
        {
            "saturation_beats_per_cycle": pa.float64(),
            "received_per_flow": pa.float64(),
            "open_flows": pa.float64(),
            "contribution_wait_cycles": pa.float64(),
        },
    ),
    "program": _schema(
        "program",
        {
            "rank": pa.int64(),
            "finish_cycle": pa.int64(),
            "compute_cycles": pa.int64(),
            "send_cycles": pa.int64(),
            "receive_cycles": pa.int64(),
            "wait_cycles": pa.int64(),
            "messages": pa.int64(),
            "bytes": pa.int64(),
            "memory_bytes": pa.int64(),
        },
        {},
    ),
    "timeline": _schema(
        "timeline",
        {
            "rank": pa.int64(),
            "start_cycle": pa.int64(),
            "end_cycle": pa.int64(),
            "what": pa.string(),
            "place": pa.string(),
        },
        {},
    ),
    "sweep_points": _schema("sweep_points", columns.POINT, columns.REDUCED),
    "sweep": _schema("sweep", columns.POINT | columns.OUTCOME, columns.REDUCED | columns.MEASURED),
}
"""Schema per kind of table."""


@dataclass(frozen=True)
class ResultTable:
    """Rows of one kind.

    Attributes:
        arrow: The rows; the schema is one of `SCHEMAS`.
    """

    arrow: pa.Table

    @staticmethod
    def from_rows(kind: str, rows: Sequence[Mapping[str, Any]]) -> ResultTable:
        """Makes a table of a kind; every row has a value for every required column."""
        return ResultTable(pa.Table.from_pylist(list(rows), schema=SCHEMAS[kind]))

    @staticmethod
    def from_columns(kind: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> ResultTable:
        """Makes a table of a kind from arrays, one per column."""
        schema = SCHEMAS[kind]
        arrays = [pa.array(columns[field.name]).cast(field.type) for field in schema]
        return ResultTable(pa.Table.from_arrays(arrays, schema=schema))

    @property
    def kind(self) -> str:
        """What made the rows: `compare`, `traffic`, `program` or another of `SCHEMAS`."""
        return str((self.arrow.schema.metadata or {}).get(b"noccl.kind", b""), encoding="utf-8")

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.arrow.column_names)

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column as a NumPy array of shape (num_rows,)."""
        column = column_name(self.kind, column)
        return np.asarray(self.arrow.column(column).to_numpy(zero_copy_only=False))

    def rows(self) -> list[dict[str, Any]]:
        """The rows as plain Python values, in order."""
        return list(self.arrow.to_pylist())

    def to_polars(self) -> pl.DataFrame:
        """The rows as a Polars frame over the same memory."""
        frame = pl.from_arrow(self.arrow)
        assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table never becomes a series
        return frame

    def write_parquet(self, path: Path | str) -> None:
        """Writes the table to a Parquet file.

        Raises:
            FileError: The file cannot be written.
        """
        buffer = pa.BufferOutputStream()
        pq.write_table(self.arrow, buffer)
        write_file(path, buffer.getvalue().to_pybytes())

    @staticmethod
    def read_parquet(path: Path | str) -> ResultTable:
        """Reads a table that `write_parquet` wrote.

        Raises:
            FileError: The file cannot be read, or holds another table.
        """
        try:
            arrow = pq.read_table(str(path))
        except (OSError, pa.ArrowInvalid) as error:
            raise FileError(f"{path}: cannot read: {error}") from error
        kind = ResultTable(arrow).kind
        expected = SCHEMAS.get(kind)
        table = ResultTable(_with_columns_since(with_columns_of_today(kind, arrow), expected))
        if expected is None or not table.arrow.schema.equals(expected):
            known = ", ".join(SCHEMAS)
            raise FileError(f"{path}: not a result table of this version; kinds: {known}")
        return table


def _with_columns_since(table: pa.Table, schema: pa.Schema | None) -> pa.Table:
    """A table of before with the columns that came since, which have no values."""
    for column in [] if schema is None else list(schema)[table.num_columns :]:
        if column.nullable and column.name not in table.column_names:
            table = table.append_column(column, pa.nulls(table.num_rows, column.type))
    return table


def link_rows(
    links: Sequence[Mapping[str, Any]], cluster_region: Sequence[int]
) -> list[dict[str, Any]]:
    """Flattens link loads into the columns of `LINKS`; mesh to cluster coordinates."""
    x, y = cluster_region[:2]
    return [
        {
            "plane": link["plane"],
            "from_tile": link["from_tile"],
            "to_tile": link["to_tile"],
            "from_x": link["from"][0] - x,
            "from_y": link["from"][1] - y,
            "to_x": link["to"][0] - x,
            "to_y": link["to"][1] - y,
            "flits": link["flits"],
        }
        for link in links
    ]

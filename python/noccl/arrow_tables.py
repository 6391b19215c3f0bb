# SPDX-License-Identifier: Apache-2.0
"""Result tables as Arrow data and Parquet files: all that needs pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from noccl.errors import FileError
from noccl.files import write_file
from noccl.renamed import column_name
from noccl.table_schemas import LINKS, SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np

    from noccl.table_schemas import Schema


def arrow_schema(schema: Schema) -> pa.Schema:
    """Arrow's schema, which names the kind of the table too."""
    fields = [
        pa.field(name, _arrow_type(of), nullable=name in schema.optional)
        for name, of in schema.types.items()
    ]
    return pa.schema(fields, metadata={b"noccl.kind": schema.kind.encode()})


def from_columns(
    schema: Schema, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]
) -> pa.Table:
    """A table of the columns of a schema."""
    made = arrow_schema(schema)
    arrays = [pa.array(columns[field.name], type=field.type) for field in made]
    return pa.Table.from_arrays(arrays, schema=made)


def from_rows(kind: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """A table of a kind."""
    return pa.Table.from_pylist(list(rows), schema=arrow_schema(SCHEMAS[kind]))


def at(tables: Sequence[pa.Table], kind: str, places: Sequence[int]) -> pa.Table:
    """Rows at some places of tables of a kind, one after the other, in one piece."""
    whole = pa.concat_tables(tables) if tables else arrow_schema(SCHEMAS[kind]).empty_table()
    # How many pieces there were is no part of the result.
    return whole.take(pa.array(places, type=pa.int64())).combine_chunks()


def write(table: pa.Table, path: Path | str) -> None:
    """Writes a table to a Parquet file.

    Raises:
        FileError: The file cannot be written.
    """
    buffer = pa.BufferOutputStream()
    write_to(buffer, table)
    write_file(path, buffer.getvalue().to_pybytes())


def write_to(file: Any, table: pa.Table) -> None:  # noqa: ANN401 - a file of Arrow or of Python
    """Writes a table to an open file as Parquet."""
    pq.write_table(table, file)


def read(path: Path | str) -> pa.Table:
    """Reads a result table from a Parquet file.

    Raises:
        FileError: The file cannot be read, or holds another table.
    """
    try:
        table = pq.read_table(str(path))
    except (OSError, pa.ArrowInvalid) as error:
        raise FileError(f"{path}: cannot read: {error}") from error
    kind = str((table.schema.metadata or {}).get(b"noccl.kind", b""), encoding="utf-8")
    expected = arrow_schema(SCHEMAS[kind]) if kind in SCHEMAS else None
    table = _with_columns_since(_with_columns_of_today(kind, table), expected)
    if expected is None or not table.schema.equals(expected):
        known = ", ".join(SCHEMAS)
        raise FileError(f"{path}: not a result table of this version; kinds: {known}")
    return table


def _arrow_type(of: str) -> pa.DataType:
    if of != "links":
        return pa.type_for_alias(of)
    fields = [pa.field(name, pa.type_for_alias(of), nullable=False) for name, of in LINKS.items()]
    return pa.list_(pa.struct(fields))


def _with_columns_of_today(kind: str, table: pa.Table) -> pa.Table:
    """A table whose columns have today's names."""
    fields = [field.with_name(column_name(kind, field.name)) for field in table.schema]
    schema = pa.schema(fields, metadata=table.schema.metadata)
    return pa.Table.from_arrays(table.columns, schema=schema)


def _with_columns_since(table: pa.Table, schema: pa.Schema | None) -> pa.Table:
    """A table of before with the columns that came since, which have no values."""
    for column in [] if schema is None else list(schema)[table.num_columns :]:
        if column.nullable and column.name not in table.column_names:
            table = table.append_column(column, pa.nulls(table.num_rows, column.type))
    return table

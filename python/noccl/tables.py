# SPDX-License-Identifier: Apache-2.0
"""Result tables: rows of one kind, as plain values, as Arrow data and on disk as Parquet.

Rows of a run are Python values and need no package but NumPy. Arrow is the form for other tools and
of files, because every data tool reads it without copying; Polars is offered on top, since it works
on the same memory. Both are the extra `noccl[frames]`, loaded when first asked for. A table knows
its kind, so that a plot cannot be drawn from the rows of another verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from noccl.errors import ArgumentError
from noccl.extras import extra
from noccl.notebook_html import fragment
from noccl.renamed import column_name
from noccl.results import Result
from noccl.table_schemas import SCHEMAS
from noccl.table_views import html_table, plot, text_rows, title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

    import numpy as np
    import pyarrow as pa

    from noccl.mesh_drawing import MeshDrawing


def arrow_module() -> ModuleType:
    """`noccl.arrow_tables`, loaded when the first table is wanted as Arrow data.

    Raises:
        MissingExtraError: The extra `noccl[frames]` is not installed.
    """
    with extra("frames"):
        from noccl import arrow_tables
    return arrow_tables


class ResultTable(Result):
    """Rows of one kind.

    `print` and notebooks show the first rows of the columns that matter; `columns` names all.

    Args:
        arrow: The rows as Arrow data, whose schema is that of a kind of `SCHEMAS`.
    """

    __slots__ = ("_arrow", "_columns", "_kind", "_mesh")

    def __init__(self, arrow: pa.Table) -> None:
        self._arrow: pa.Table | None = arrow
        self._columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]] | None = None
        metadata = arrow.schema.metadata or {}
        self._kind = str(metadata.get(b"noccl.kind", b""), encoding="utf-8")
        self._mesh: MeshDrawing | None = None

    @staticmethod
    def _of(
        kind: str,
        columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]],
        mesh: MeshDrawing | None = None,
    ) -> ResultTable:
        table = ResultTable.__new__(ResultTable)
        table._arrow, table._columns, table._kind, table._mesh = None, columns, kind, mesh
        return table

    @staticmethod
    def from_rows(
        kind: str, rows: Sequence[Mapping[str, Any]], *, mesh: MeshDrawing | None = None
    ) -> ResultTable:
        """Makes a table of a kind; every row has a value for every required column.

        Args:
            kind: A kind of `SCHEMAS`.
            rows: The rows.
            mesh: What notebooks draw beside the rows; no part of the data.
        """
        types = SCHEMAS[kind].types
        columns = {name: [_value(name, row, of) for row in rows] for name, of in types.items()}
        return ResultTable._of(kind, columns, mesh)

    @staticmethod
    def from_columns(kind: str, columns: Mapping[str, np.ndarray[Any, Any]]) -> ResultTable:
        """Makes a table of a kind from arrays, one per column."""
        types = SCHEMAS[kind].types
        own = {name: columns[name].astype(_NUMPY[of]) for name, of in types.items()}
        for column in own.values():
            # `__getitem__` returns the same array: nobody may change the table by it.
            column.setflags(write=False)
        return ResultTable._of(kind, own)

    @property
    def arrow(self) -> pa.Table:
        """The rows as Arrow data; the schema has the columns of `SCHEMAS`.

        Raises:
            MissingExtraError: The extra `noccl[frames]` is not installed.
        """
        if self._arrow is None:
            self._arrow = arrow_module().from_columns(SCHEMAS[self._kind], self._columns)
        return self._arrow

    @property
    def kind(self) -> str:
        """What made the rows: `compare`, `traffic`, `program` or another of `SCHEMAS`."""
        return self._kind

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.arrow.column_names if self._columns is None else self._columns)

    def __len__(self) -> int:
        if self._columns is None:
            return int(self.arrow.num_rows)
        return len(next(iter(self._columns.values())))

    def __getitem__(self, column: str) -> np.ndarray[Any, Any]:
        """A column as a NumPy array of shape (num_rows,)."""
        import numpy as np

        column = column_name(self.kind, column)
        if self._columns is None:
            return np.asarray(self.arrow.column(column).to_numpy(zero_copy_only=False))
        values = self._columns[column]
        if isinstance(values, np.ndarray):
            return values
        return _array(values, SCHEMAS[self.kind].types[column])

    def __eq__(self, other: object) -> bool:
        """Are kind, columns and all values equal?"""
        if not isinstance(other, ResultTable):
            return NotImplemented
        is_same_kind = self.kind == other.kind and self.columns == other.columns
        return is_same_kind and self.rows() == other.rows()

    __hash__: ClassVar[None] = None  # type: ignore[assignment] # As of other containers.

    def __repr__(self) -> str:
        return "\n".join([f"ResultTable: {title(self)}", *(f"  {row}" for row in text_rows(self))])

    def _repr_html_(self) -> str:
        """The first rows in a notebook, with network and plot of a comparison."""
        mesh = [] if self._mesh is None else [self._mesh.figure()]
        return fragment(f"ResultTable: {title(self)}", *mesh, plot(self), html_table(self))

    def _arrow_table(self) -> pa.Table:
        return self.arrow

    def rows(self) -> list[dict[str, Any]]:
        """The rows as plain Python values, in order."""
        return self.first_rows(len(self))

    def first_rows(self, most: int) -> list[dict[str, Any]]:
        """The first rows, at most as many as that."""
        if self._columns is None:
            return list(self.arrow.slice(0, most).to_pylist())
        columns = [
            (values if isinstance(values, list) else values.tolist())[:most]  # type: ignore[union-attr]
            for values in self._columns.values()
        ]
        names = list(self._columns)
        return [
            dict(zip(names, map(_copy, row), strict=True)) for row in zip(*columns, strict=True)
        ]

    def write_parquet(self, path: Path | str) -> None:
        """Writes the table to a Parquet file.

        Raises:
            FileError: The file cannot be written.
            MissingExtraError: The extra `noccl[frames]` is not installed.
        """
        arrow_module().write(self.arrow, path)

    @staticmethod
    def read_parquet(path: Path | str) -> ResultTable:
        """Reads a table that `write_parquet` wrote.

        Raises:
            FileError: The file cannot be read, or holds another table.
            MissingExtraError: The extra `noccl[frames]` is not installed.
        """
        return ResultTable(arrow_module().read(path))


_NUMPY = {"string": "object", "int64": "int64", "float64": "float64", "bool": "bool"}
"""Type of a column to that of its array; lists of links are objects too."""


def _value(name: str, row: Mapping[str, Any], of: str) -> Any:  # noqa: ANN401 - of any column
    """The value of a column, of the type that the column has in Arrow too."""
    value = row.get(name)
    if value is None or of == "links":
        return value
    made = _PLAIN[of](value)
    if of != "float64" and made != value:
        raise ArgumentError(f"{name}: {value!r}; accepted: a value of type {of}")
    return made


_PLAIN = {"string": str, "int64": int, "float64": float, "bool": bool}


def _array(values: Sequence[Any], of: str) -> np.ndarray[Any, Any]:
    """A column as an array, of the types that Arrow's arrays have: numbers with gaps are floats."""
    import numpy as np

    has_gaps = any(value is None for value in values)
    if of in {"int64", "float64"} and has_gaps:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if of in {"int64", "float64", "bool"} and not has_gaps:
        return np.array(values, dtype=_NUMPY[of])
    array = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):
        array[index] = np.array(_copy(value), dtype=object) if of == "links" else value
    return array


def _copy(value: Any) -> Any:  # noqa: ANN401 - of any column
    """A value that its reader may change: links are lists of mappings."""
    return [dict(link) for link in value] if isinstance(value, list) else value


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

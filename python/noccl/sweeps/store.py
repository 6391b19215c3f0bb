# SPDX-License-Identifier: Apache-2.0
"""The folder of a study's results: append-only Parquet files, each complete or absent.

`study.parquet` holds the points of the study in their order. Every batch of rows is a file of its
own, `rows-000001.parquet` and on, written beside its place, flushed to the disk and then renamed.
Nothing is ever changed but `study.parquet`, which is replaced as a whole when the study changes:
rows stay, and a row counts if its key is among the points.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, Any

from noccl.errors import ArgumentError, FileError
from noccl.tables import ResultTable, arrow_module
from noccl.values import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    import pyarrow as pa

    from noccl.sweeps.study import Study

STUDY = "study.parquet"
LOCK = ".lock"
_ROWS = "rows-"
_PARQUET = ".parquet"
_PARTIAL = ".partial"
_TRIES = 20
_PAUSE_SECONDS = 0.05


class NotWrittenError(FileError):
    """A result could not be stored; what was stored before is still there."""


class Store:
    """The one writer of a folder, until it is closed.

    Attributes:
        folder: Where the files are.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        # Before anything is made or computed: without it nothing could be stored.
        self._arrow = arrow_module()
        self.folder: str = folder_name(folder)
        self._lock = self._take()
        try:
            self._remove_partial()
            numbers = [int(name[len(_ROWS) : -len(_PARQUET)]) for name in row_files(self.folder)]
        except BaseException:
            self._lock.close()
            raise
        self._next = max(numbers, default=0) + 1

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.close()

    def begin(self, study: Study) -> set[str]:
        """Stores the points of a study, unless they are there; returns the keys that have rows."""
        points = [point.columns() for point in study.points.values()]
        table = self._arrow.from_rows("sweep_points", points)
        if not self._has(table):
            self._write(STUDY, table)
        return {key for key in stored_keys(self.folder) if key in study.points}

    def append(self, rows: list[dict[str, Any]]) -> None:
        """Stores rows.

        Raises:
            NotWrittenError: They cannot be written.
        """
        name = f"{_ROWS}{self._next:06d}{_PARQUET}"
        self._write(name, self._arrow.from_rows("sweep", rows))
        self._next += 1

    def _has(self, points: pa.Table) -> bool:
        path = os.path.join(self.folder, STUDY)
        return os.path.exists(path) and bool(read_file(path, "sweep_points").equals(points))

    def _take(self) -> Any:  # noqa: ANN401 - an open file
        try:
            os.makedirs(self.folder, exist_ok=True)
            foreign = [name for name in os.listdir(self.folder) if not _is_ours(name)]
            if foreign:
                raise FileError(
                    f"{self.folder}: holds {foreign[0]!r}, which is not of a sweep; "
                    "accepted: a new or empty folder, or one of a sweep"
                )
            lock = open(os.path.join(self.folder, LOCK), "wb")  # noqa: SIM115 - held until the end
        except OSError as error:
            raise NotWrittenError(f"{self.folder}: cannot write: {error}") from error
        # `is_locked` holds it for an instant.
        for _ in range(_TRIES):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_PAUSE_SECONDS)
            else:
                return lock
        lock.close()
        raise FileError(
            f"{self.folder}: another sweep writes here; accepted: another folder, or this one "
            "when that sweep has ended"
        )

    def _remove_partial(self) -> None:
        for name in os.listdir(self.folder):
            if name.endswith(_PARTIAL):
                os.unlink(os.path.join(self.folder, name))

    def _write(self, name: str, table: pa.Table) -> None:
        place = os.path.join(self.folder, name)
        partial = os.path.join(self.folder, f".{name}{_PARTIAL}")
        try:
            with open(partial, "wb") as file:
                self._arrow.write_to(file, table)
                file.flush()
                os.fsync(file.fileno())
            os.rename(partial, place)
            folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise NotWrittenError(f"{place}: cannot write: {error}") from error


def read_sweep(folder: str | os.PathLike[str]) -> ResultTable:
    """Reads the rows of a study that are there, in the order of its points.

    >>> read_sweep("results")
    Traceback (most recent call last):
        ...
    noccl.errors.FileError: results: no results of a sweep; accepted: a folder of `noccl sweep`

    Args:
        folder: Folder of the results; a sweep may be writing to it.

    Returns:
        One row per point that is done, refused or failed; kind `sweep`.

    Raises:
        FileError: There are no results, or a file cannot be read.
    """
    order = {key: place for place, key in enumerate(read_points(folder)["key"])}
    parts = [read_file(os.path.join(folder, name), "sweep") for name in row_files(folder)]
    places: dict[int, int] = {}
    keys = (key for part in parts for key in part["key"].to_pylist())
    for index, key in enumerate(keys):
        if key in order:
            places.setdefault(order[key], index)
    chosen = [places[place] for place in sorted(places)]
    return ResultTable(arrow_module().at(parts, "sweep", chosen))


def read_points(folder: str | os.PathLike[str]) -> ResultTable:
    """Reads the points of a study, in their order; kind `sweep_points`.

    Raises:
        ArgumentError: The folder is no path.
        FileError: There are none.
    """
    place = folder_name(folder)
    path = os.path.join(place, STUDY)
    if not os.path.exists(path):
        raise FileError(f"{place}: no results of a sweep; accepted: a folder of `noccl sweep`")
    return ResultTable(read_file(path, "sweep_points"))


def folder_name(folder: object) -> str:
    """A folder as a text.

    Raises:
        ArgumentError: It is no path.
    """
    name = os.fspath(folder) if isinstance(folder, (str, os.PathLike)) else folder
    if not isinstance(name, str) or "\0" in name:
        raise ArgumentError(f"folder: {kind_of(folder)}; accepted: the path of a folder")
    return name


def stored_keys(folder: str) -> Iterable[str]:
    """Keys of all rows."""
    for name in row_files(folder):
        yield from read_file(os.path.join(folder, name), "sweep")["key"].to_pylist()


def row_files(folder: str | os.PathLike[str]) -> list[str]:
    """Names of the files of rows, in the order in which they came."""
    names = (name for name in os.listdir(folder) if name.endswith(_PARQUET))
    return sorted((n for n in names if _is_rows(n)), key=lambda name: (len(name), name))


def is_locked(folder: str | os.PathLike[str]) -> bool:
    """Does a sweep write to the folder now?"""
    try:
        with open(os.path.join(folder, LOCK), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def read_file(path: str, kind: str) -> pa.Table:
    """A table of a kind from a file of the folder.

    Raises:
        FileError: It cannot be read, or holds another table.
    """
    table = ResultTable.read_parquet(path)
    if table.kind != kind:
        raise FileError(f"{path}: rows of kind '{table.kind}'; accepted: rows of kind '{kind}'")
    return table.arrow


def _is_rows(name: str) -> bool:
    return name.startswith(_ROWS) and name[len(_ROWS) : -len(_PARQUET)].isdecimal()


def _is_ours(name: str) -> bool:
    return name in {STUDY, LOCK} or name.endswith(_PARTIAL) or _is_rows(name)

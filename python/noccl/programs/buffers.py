# SPDX-License-Identifier: Apache-2.0
"""Buffers as mpi4py takes them: arrays, bytes, and lists of buffer, counts and datatype.

What is sent is copied when the call is made, and what is received is copied in when it has arrived,
so that no view outlives a call. All errors are raised before anything is sent.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from noccl.errors import ProgramError
from noccl.programs.constants import InPlace
from noccl.programs.datatypes import Datatype
from noccl.programs.named_datatypes import NAMED, PLAIN, of_code, of_element

_FORMS = (
    "accepted: an array or bytes, [data, datatype], [data, count], [data, count, datatype], "
    "[data, (count, displacement), datatype]"
)
_BLOCK_FORMS = (
    "accepted: [data, counts], [data, counts, datatype], "
    "[data, (counts, displacements), datatype], [data, counts, displacements, datatype]"
)
_BYTE = NAMED["BYTE"]


class Buffer:
    """Items of a datatype in memory.

    Attributes:
        datatype: Datatype of the items.
        count: Number of items.
        size: Bytes of data in the items.
    """

    __slots__ = ("_raw", "_start", "count", "datatype", "size")

    def __init__(self, raw: memoryview, start: int, count: int, datatype: Datatype) -> None:
        self._raw = raw
        self._start = start
        self.count = count
        self.datatype = datatype
        self.size = count * datatype.size

    def take(self) -> bytes:
        """The bytes of data, packed."""
        datatype, start = self.datatype, self._start
        if datatype.is_contiguous:
            raw = self._raw
            if len(raw) == self.size:
                return raw.tobytes()
            return raw[start : start + self.size].tobytes()
        places = datatype.byte_offsets(self.count) + start
        return np.frombuffer(self._raw, np.uint8)[places].tobytes()

    def put(self, data: bytes) -> None:
        """Puts bytes into the first items; there are at most `size`."""
        if not data:
            return
        datatype, start = self.datatype, self._start
        if datatype.is_contiguous:
            self._raw[start : start + len(data)] = data
            return
        places = datatype.byte_offsets(self.count)[: len(data)] + start
        np.frombuffer(self._raw, np.uint8)[places] = np.frombuffer(data, np.uint8)

    def part(self, first: int, count: int) -> Buffer:
        """Some of the items, or items beyond them that the memory has too."""
        start = self._start + first * self.datatype.extent
        found = Buffer(self._raw, start, count, self.datatype)
        found.check("part")
        return found

    def check(self, name: str) -> None:
        """Makes sure that the memory has the items.

        Raises:
            ProgramError: It has not.
        """
        needed = self._start + self.datatype.reach(self.count)
        if self._start < 0 or needed > len(self._raw):
            raise ProgramError(
                f"{name}: {self.count} items of {self.datatype.name} need {needed} bytes; "
                f"the buffer has {len(self._raw)}"
            )


def read(spec: Any, name: str, *, writable: bool = False, blocks: int = 1) -> Buffer:
    """The buffer that an argument describes.

    Args:
        spec: What mpi4py takes.
        name: The argument, for errors.
        writable: Is it received into?
        blocks: Number of equal blocks that the memory is for; the buffer is the first of them.

    Raises:
        ProgramError: It describes none, or one that is too small.
    """
    if type(spec) is np.ndarray and blocks == 1:
        # What most calls give, without what the other forms need.
        plain = PLAIN.get(spec.dtype.char)
        if plain is not None:
            try:
                raw = spec.data.cast("B")
            except TypeError:
                pass
            else:
                if not (writable and raw.readonly):
                    return Buffer(raw, 0, spec.size, plain)
    if isinstance(spec, (list, tuple)):
        data, counts, displacement, kind = _fields(spec, name)
    else:
        data, counts, displacement, kind = spec, None, 0, None
    raw, datatype = memory(data, name, kind, writable=writable)
    start = displacement * datatype.extent
    if counts is None:
        count = _inferred(raw, start, datatype, name)
        count, rest = divmod(count, blocks)
        if rest:
            raise ProgramError(f"{name}: items for {blocks} ranks are a multiple of {blocks}")
    else:
        count = _whole(f"{name}: count", counts)
    found = Buffer(raw, start, count, datatype)
    if counts is not None:
        Buffer(raw, start, count * blocks, datatype).check(name)
    return found


def memory(
    data: Any, name: str, kind: Any = None, *, writable: bool = False
) -> tuple[memoryview, Datatype]:
    """The bytes of what Python calls a buffer, and the datatype of its elements.

    Raises:
        ProgramError: It is none, its bytes do not stand side by side, or it cannot be written.
    """
    datatype = None if kind is None else _datatype(kind, name)
    if isinstance(data, np.ndarray):
        raw = _array_bytes(data, name)
        datatype = of_element(data.dtype) if datatype is None else datatype
    elif data is None and datatype is not None:
        raw = memoryview(b"")
        writable = False
    else:
        raw, found = _view_bytes(data, name)
        datatype = found if datatype is None else datatype
    if writable and raw.readonly and len(raw):
        raise ProgramError(f"{name}: cannot be written; accepted: a buffer that can, to receive")
    return raw, datatype


def _array_bytes(data: np.ndarray[Any, Any], name: str) -> memoryview:
    flags = data.flags
    if not flags.c_contiguous:
        if not flags.f_contiguous:
            raise ProgramError(
                f"{name}: the array's elements do not stand side by side; accepted: a copy, or "
                "the whole array with a derived datatype"
            )
        data = data.T
    if data.size == 0:
        return memoryview(b"")
    try:
        return data.data.cast("B")
    except (TypeError, ValueError):
        # A format that Python does not know, such as complex numbers.
        return data.reshape(-1).view(np.uint8).data


def _view_bytes(data: Any, name: str) -> tuple[memoryview, Datatype]:
    try:
        view = memoryview(data)
    except TypeError as error:
        raise ProgramError(f"{name}: {type(data).__name__}; {_FORMS}") from error
    if not view.contiguous:
        raise ProgramError(f"{name}: the elements do not stand side by side; accepted: a copy")
    datatype = _BYTE if view.format == "B" else of_code(view.format)
    if view.nbytes == 0:
        return memoryview(b""), datatype
    try:
        return view.cast("B"), datatype
    except TypeError:
        return np.asarray(view).reshape(-1).view(np.uint8).data, datatype


def _fields(spec: Any, name: str) -> tuple[Any, Any, int, Any]:
    data, counts, displacement, kind = _parts(spec, name, _FORMS)
    if isinstance(counts, (list, tuple)):
        if len(counts) != 2:  # noqa: PLR2004 - count and displacement
            raise ProgramError(f"{name}: {len(counts)} counts; {_FORMS}")
        counts, displacement = counts
    displacement = _whole(f"{name}: displacement", 0 if displacement is None else displacement)
    return data, counts, displacement, kind


def _parts(spec: Any, name: str, forms: str) -> tuple[Any, Any, Any, Any]:
    """Data, counts, displacements, datatype of a list; None for what it leaves out."""
    match len(spec):
        case 2 if isinstance(spec[1], (Datatype, str)):
            return spec[0], None, None, spec[1]
        case 2:
            return spec[0], spec[1], None, None
        case 3:
            return spec[0], spec[1], None, spec[2]
        case 4:
            return spec[0], spec[1], spec[2], spec[3]
        case _:
            raise ProgramError(f"{name}: a list of {len(spec)} items; {forms}")


def _datatype(kind: Any, name: str) -> Datatype:
    if isinstance(kind, Datatype):
        return kind
    if isinstance(kind, str):
        return of_code(kind)
    raise ProgramError(f"{name}: {type(kind).__name__}; accepted: a datatype of MPI")


def _inferred(raw: memoryview, start: int, datatype: Datatype, name: str) -> int:
    if len(raw) == 0:
        return 0
    if datatype.extent <= 0:
        raise ProgramError(f"{name}: datatype of extent {datatype.extent}; accepted: a count")
    count, rest = divmod(len(raw) - start, datatype.extent)
    if rest or count < 0:
        raise ProgramError(
            f"{name}: {len(raw) - start} bytes are not a number of {datatype.name} "
            f"({datatype.extent} bytes each); accepted: a count"
        )
    return count


def _whole(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError as error:
        raise ProgramError(f"{name}: {type(value).__name__}; accepted: a whole number") from error
    if number < 0:
        raise ProgramError(f"{name}: {number}; accepted: 0 or more")
    return number


def read_blocks(spec: Any, name: str, ranks: int, *, writable: bool = False) -> list[Buffer]:
    """A buffer per rank of an argument with counts and displacements.

    Raises:
        ProgramError: It describes none, or one that is too small.
    """
    data, counts, displacements, kind = spec, None, None, None
    if isinstance(spec, (list, tuple)):
        data, counts, displacements, kind = _block_fields(spec, name)
    raw, datatype = memory(data, name, kind, writable=writable)
    if counts is None:
        each, rest = divmod(_inferred(raw, 0, datatype, name), ranks)
        counts = [each + (rest > rank) for rank in range(ranks)]
    numbers = _per_rank(f"{name}: counts", counts, ranks)
    if displacements is None:
        starts = [sum(numbers[:rank]) for rank in range(ranks)]
    elif np.ndim(displacements) == 0:
        starts = [_whole(f"{name}: displacement", displacements) * index for index in range(ranks)]
    else:
        starts = _per_rank(f"{name}: displacements", displacements, ranks)
    found = []
    for start, count in zip(starts, numbers, strict=True):
        block = Buffer(raw, start * datatype.extent, count, datatype)
        if count:
            block.check(name)
        found.append(block)
    return found


def _block_fields(spec: Any, name: str) -> tuple[Any, Any, Any, Any]:
    data, counts, displacements, kind = _parts(spec, name, _BLOCK_FORMS)
    # As mpi4py: a pair is counts and displacements, a list is counts.
    if isinstance(counts, tuple) and len(counts) == 2:  # noqa: PLR2004
        counts, displacements = counts
    return data, counts, displacements, kind


def _per_rank(name: str, values: Any, ranks: int) -> list[int]:
    if np.ndim(values) == 0:
        values = [values] * ranks
    if len(values) != ranks:
        raise ProgramError(f"{name}: {len(values)} for {ranks} ranks; accepted: one per rank")
    return [_whole(name, value) for value in values]


def is_in_place(spec: Any) -> bool:
    """Is the argument `IN_PLACE`?"""
    return isinstance(spec, InPlace)

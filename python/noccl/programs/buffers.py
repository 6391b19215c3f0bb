# SPDX-License-Identifier: Apache-2.0
"""Buffers as mpi4py takes them: arrays, bytes, and lists of buffer, counts and datatype.

What is sent is copied when the call is made, and what is received is copied in when it has arrived,
so that no view outlives a call. All errors are raised before anything is sent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noccl.programs.buffer_forms import (
    FORMS,
    block_fields,
    datatype_of,
    item_fields,
    per_rank,
    whole,
)
from noccl.programs.constants import BOTTOM
from noccl.programs.datatypes import Datatype
from noccl.programs.failures import BufferMpiError, TypeMpiError, ValueMpiError
from noccl.programs.foreign_memory import array_of, at_addresses
from noccl.programs.mpi_values import VALUES
from noccl.programs.named_datatypes import NAMED, PLAIN, of_code, of_element

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
        self.count: int = count
        self.datatype: Datatype = datatype
        self.size: int = count * datatype.size

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
            MpiError: It has not.
        """
        first, last = (self._start + offset for offset in self.datatype.reach(self.count))
        if first < 0 or last > len(self._raw):
            place = f"begin {-first} bytes before the buffer" if first < 0 else f"need {last} bytes"
            raise ValueMpiError(
                f"{name}: {self.count} items of {self.datatype.label} {place}; "
                f"the buffer has {len(self._raw)}",
                error_class=VALUES["ERR_TRUNCATE"],
            )


def read(spec: Any, name: str, *, writable: bool = False, blocks: int = 1) -> Buffer:
    """The buffer that an argument describes.

    Args:
        spec: What mpi4py takes.
        name: The argument, for errors.
        writable: Is it received into?
        blocks: Number of equal blocks that the memory is for; the buffer is the first of them.

    Raises:
        MpiError: It describes none, or one that is too small.
    """
    if type(spec) is np.ndarray and blocks == 1:
        plain = _plain(spec, writable=writable)
        if plain is not None:
            return plain
    data, counts, displacement, kind = spec, None, 0, None
    if isinstance(spec, (list, tuple)):
        data, counts, displacement, kind = item_fields(spec, name)
        if counts is not None and kind is not None and (data is None or data is BOTTOM):
            count = whole(f"{name}: count", counts)
            return at_addresses(datatype_of(kind, name), count)
    raw, datatype = memory(data, name, kind, writable=writable)
    start = displacement * datatype.extent
    if displacement and (datatype.extent <= 0 or start > len(raw)):
        raise ValueMpiError(
            f"{name}: displacement {displacement} of {datatype.label}, extent {datatype.extent}, "
            f"in {len(raw)} bytes; accepted: one in the buffer"
        )
    if counts is None:
        count = _inferred(raw, start, datatype, name)
        count, rest = divmod(count, blocks)
        if rest:
            raise ValueMpiError(f"{name}: items for {blocks} ranks are a multiple of {blocks}")
    else:
        count = whole(f"{name}: count", counts)
    if counts is not None:
        Buffer(raw, start, count * blocks, datatype).check(name)
    return Buffer(raw, start, count, datatype)


def _plain(array: np.ndarray[Any, Any], *, writable: bool) -> Buffer | None:
    """What most calls give, without what the other forms need; None of other arrays."""
    plain = PLAIN.get(array.dtype.char)
    if plain is None or not array.dtype.isnative:
        return None
    try:
        raw = array.data.cast("B")
    except TypeError:
        return None
    return None if writable and raw.readonly else Buffer(raw, 0, array.size, plain)


def memory(
    data: Any, name: str, kind: Any = None, *, writable: bool = False
) -> tuple[memoryview, Datatype]:
    """The bytes of what Python calls a buffer, and the datatype of its elements.

    Raises:
        MpiError: It is none, its bytes do not stand side by side, or it cannot be written.
    """
    datatype = None if kind is None else datatype_of(kind, name)
    if not isinstance(data, np.ndarray):
        foreign = array_of(data, name)
        data = data if foreign is None else foreign
    if isinstance(data, np.ndarray):
        raw = _array_bytes(data, name)
        datatype = of_element(data.dtype) if datatype is None else datatype
    elif (data is None or data is BOTTOM) and datatype is not None:
        raw = memoryview(b"")
        writable = False
    else:
        raw, found = _view_bytes(data, name)
        datatype = found if datatype is None else datatype
    if writable and raw.readonly and len(raw):
        raise BufferMpiError(f"{name}: cannot be written; accepted: a buffer that can, to receive")
    return raw, datatype


def _array_bytes(data: np.ndarray[Any, Any], name: str) -> memoryview:
    flags = data.flags
    if not flags.c_contiguous:
        if not flags.f_contiguous:
            raise BufferMpiError(
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
        raise TypeMpiError(f"{name}: {type(data).__name__}; {FORMS}") from error
    if not view.contiguous:
        raise BufferMpiError(f"{name}: the elements do not stand side by side; accepted: a copy")
    datatype = _BYTE if view.format == "B" else of_code(view.format)
    if view.nbytes == 0:
        return memoryview(b""), datatype
    try:
        return view.cast("B"), datatype
    except TypeError:
        return np.asarray(view).reshape(-1).view(np.uint8).data, datatype


def _inferred(raw: memoryview, start: int, datatype: Datatype, name: str) -> int:
    if len(raw) == 0:
        return 0
    if datatype.extent <= 0:
        raise ValueMpiError(f"{name}: datatype of extent {datatype.extent}; accepted: a count")
    count, rest = divmod(len(raw) - start, datatype.extent)
    if rest or count < 0:
        raise ValueMpiError(
            f"{name}: {len(raw) - start} bytes are not a number of {datatype.label} "
            f"({datatype.extent} bytes each); accepted: a count"
        )
    return count


def read_blocks(spec: Any, name: str, ranks: int, *, writable: bool = False) -> list[Buffer]:
    """A buffer per rank of an argument with counts and displacements.

    Raises:
        MpiError: It describes none, or one that is too small.
    """
    data, counts, displacements, kind = spec, None, None, None
    if isinstance(spec, (list, tuple)):
        data, counts, displacements, kind = block_fields(spec, name)
    raw, datatype = memory(data, name, kind, writable=writable)
    if counts is None:
        each, rest = divmod(_inferred(raw, 0, datatype, name), ranks)
        counts = [each + (rest > rank) for rank in range(ranks)]
    numbers = per_rank(f"{name}: counts", counts, ranks)
    if displacements is None:
        starts = [sum(numbers[:rank]) for rank in range(ranks)]
    elif np.ndim(displacements) == 0:
        starts = [whole(f"{name}: displacement", displacements) * index for index in range(ranks)]
    else:
        starts = per_rank(f"{name}: displacements", displacements, ranks)
    found = []
    for start, count in zip(starts, numbers, strict=True):
        block = Buffer(raw, start * datatype.extent, count, datatype)
        if count:
            block.check(name)
        found.append(block)
    return found

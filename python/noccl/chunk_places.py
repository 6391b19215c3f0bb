# SPDX-License-Identifier: Apache-2.0
"""Where the chunks of a program lie, and the actions of its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from noccl.builder import ScheduleBuilder
from noccl.schedules import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noccl.tiles import Cluster


@dataclass(frozen=True)
class Line:
    """A line of a program; chunks of a reduction are added to what stands at the destination.

    Attributes:
        is_reduction: Is it no copy?
        source: Rank, buffer and first chunk.
        destination: The same.
        count: Chunks that follow each other.
    """

    is_reduction: bool
    source: tuple[int, str, int]
    destination: tuple[int, str, int]
    count: int


@dataclass(frozen=True)
class _Value:
    """Bytes of a rank's memory that hold a chunk, and the action that wrote them, if any did."""

    offset: int
    writer: int | None


class ChunkPlaces:
    """Follows lines: each write gets bytes of its own, the last one of an output those it keeps."""

    def __init__(
        self,
        ranks: Sequence[Cluster],
        num_bytes: int,
        output: int,
        scratch: int,
        operation: tuple[str, str],
    ) -> None:
        """Begins with inputs at offset 0.

        Args:
            ranks: Members by rank.
            num_bytes: Bytes of a chunk.
            output: Offset of every output.
            scratch: First offset behind inputs and outputs.
            operation: Operator and element type of reductions.
        """
        self._kinds: list[Callable[[ScheduleBuilder, list[int]], int]] = []
        self._waits: list[list[int]] = []
        self._ranks = ranks
        self._bytes = num_bytes
        self._output = output
        self._free = [scratch] * len(ranks)
        self._operator, self._element = operation
        self._values: dict[tuple[int, str, int], _Value] = {}
        self._last: dict[tuple[int, str, int], int] = {}

    def follow(self, lines: Sequence[Line]) -> None:
        """Adds the actions of a whole program."""
        for number, line in enumerate(lines):
            for place in _chunks(line.destination, line.count):
                self._last[place] = number
        for number, line in enumerate(lines):
            if line.is_reduction:
                self._reduce(number, line)
            else:
                self._copy(number, line)

    def finish(self) -> ScheduleBuilder:
        """The actions, those that can begin early first: clusters work in the order of the file."""
        kinds, waits = self._kinds, self._waits
        depths: list[int] = []
        for after in waits:
            depths.append(1 + max((depths[action] for action in after), default=0))
        order = sorted(range(len(depths)), key=lambda action: depths[action])
        numbers = {action: number for number, action in enumerate(order)}
        builder = ScheduleBuilder("")
        for action in order:
            kinds[action](builder, sorted(numbers[a] for a in waits[action]))
        return builder

    def _add(self, make: Callable[[ScheduleBuilder, list[int]], int], after: list[int]) -> int:
        self._kinds.append(make)
        self._waits.append(after)
        return len(self._waits) - 1

    def _copy(self, number: int, line: Line) -> None:
        sources = [self._value(place) for place in _chunks(line.source, line.count)]
        places = _chunks(line.destination, line.count)
        (source, *_), (target, *_) = line.source, line.destination
        if source == target and not any(self._is_output(number, place) for place in places):
            # The same bytes under another name: nobody writes into them again.
            self._values.update(zip(places, sources, strict=True))
            return
        offsets = self._offsets(number, places)
        self._values.update(zip(places, self._move(source, sources, target, offsets), strict=True))

    def _reduce(self, number: int, line: Line) -> None:
        added = [self._value(place) for place in _chunks(line.source, line.count)]
        places = _chunks(line.destination, line.count)
        own = [self._value(place) for place in places]
        (source, *_), (target, *_) = line.source, line.destination
        is_local = source == target
        if not is_local:
            slots = self._scratch(target, line.count)
            added = self._move(source, added, target, slots)
        if is_local or any(self._is_output(number, place) for place in places):
            results = self._offsets(number, places)
        else:
            # What has come is read here alone, so the result may replace it.
            results = [value.offset for value in added]
        runs = _runs([v.offset for v in own], [v.offset for v in added], results, self._bytes)
        for first, end in runs:
            operands = [own[first].offset, added[first].offset]
            fold = self._fold(target, operands, results[first], (end - first) * self._bytes)
            action = self._add(fold, _writers([*own[first:end], *added[first:end]]))
            for index in range(first, end):
                self._values[places[index]] = _Value(results[index], action)

    def _move(
        self, source: int, values: list[_Value], target: int, offsets: list[int]
    ) -> list[_Value]:
        """Copies from one rank to another one, or within one."""
        moved = []
        from_tile, to_tile = self._ranks[source], self._ranks[target]
        starts = [value.offset for value in values]
        for first, end in _runs(starts, offsets, offsets, self._bytes):
            read, written = Place(from_tile, starts[first]), Place(to_tile, offsets[first])
            transfer = _transfer(read, written, (end - first) * self._bytes)
            action = self._add(transfer, _writers(values[first:end]))
            moved += [_Value(offset, action) for offset in offsets[first:end]]
        return moved

    def _fold(
        self, rank: int, operands: list[int], result: int, num_bytes: int
    ) -> Callable[[ScheduleBuilder, list[int]], int]:
        return lambda builder, after: builder.local_reduce(
            self._ranks[rank],
            operands,
            result,
            num_bytes,
            operator=self._operator,
            element=self._element,
            after=after,
        )

    def _value(self, place: tuple[int, str, int]) -> _Value:
        _, buffer, chunk = place
        if buffer == "in":
            return _Value(chunk * self._bytes, None)
        return self._values[place]

    def _is_output(self, number: int, place: tuple[int, str, int]) -> bool:
        """Is this line the last one that writes this chunk of an output?"""
        return place[1] == "out" and self._last[place] == number

    def _offsets(self, number: int, places: list[tuple[int, str, int]]) -> list[int]:
        num_slots = sum(not self._is_output(number, place) for place in places)
        slots = iter(self._scratch(places[0][0], num_slots))
        return [
            self._output + place[2] * self._bytes if self._is_output(number, place) else next(slots)
            for place in places
        ]

    def _scratch(self, rank: int, count: int) -> list[int]:
        """Bytes of a rank for so many chunks, used once."""
        start = self._free[rank]
        self._free[rank] = start + count * self._bytes
        return [start + index * self._bytes for index in range(count)]


def _transfer(
    read: Place, written: Place, num_bytes: int
) -> Callable[[ScheduleBuilder, list[int]], int]:
    if read.tile == written.tile:
        return lambda builder, after: builder.transfer(
            read.tile, read, written, num_bytes, after=after
        )
    return lambda builder, after: builder.delivery(read, written, num_bytes, after=after)


def _chunks(place: tuple[int, str, int], count: int) -> list[tuple[int, str, int]]:
    rank, buffer, chunk = place
    return [(rank, buffer, chunk + index) for index in range(count)]


def _runs(
    one: list[int], other: list[int], third: list[int], num_bytes: int
) -> list[tuple[int, int]]:
    """Ranges of indices whose offsets follow each other in all three lists."""
    starts = [0]
    for index in range(1, len(one)):
        steps = {row[index] - row[index - 1] for row in (one, other, third)}
        if steps != {num_bytes}:
            starts.append(index)
    return list(zip(starts, [*starts[1:], len(one)], strict=True))


def _writers(values: Sequence[_Value]) -> list[int]:
    return sorted({value.writer for value in values if value.writer is not None})

# SPDX-License-Identifier: Apache-2.0
"""Accesses between two fences that conflict: MPI leaves the values that they give undefined.

They are reported, not refused, since MPI permits them. Two accesses of the same bytes conflict
unless both read or both accumulate: with one operator, or in the order of one origin's calls. What
ranks do under locks is not compared: there, flags that are polled are such accesses on purpose.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from noccl.programs.operators import NO_OP
from noccl.programs.window_messages import GET, PUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noccl.programs.window_messages import Access


class Use(NamedTuple):
    """Accesses that do not conflict with each other, unless they write.

    Attributes:
        operator: Of accumulates; `read`, `write`.
        origin: Rank of the window.
    """

    operator: str
    origin: int

    def conflicts(self, other: Use) -> bool:
        """Do accesses of the same bytes conflict?"""
        names = {self.operator, other.operator}
        if names <= {"read", NO_OP.name}:
            return False
        if names & {"read", "write"}:
            return True
        return len(names - {NO_OP.name}) > 1 and self.origin != other.origin


class Races:
    """Accesses to the memory of one rank between two fences."""

    def __init__(self) -> None:
        self._fence = -1
        # First byte, last byte (excluded) and call of accesses, disjoint and ascending.
        self._known: dict[Use, list[tuple[int, int, str]]] = {}
        self._reported: set[tuple[str, str]] = set()

    def note(self, fence: int, target: int, origin: int, access: Access, call: str) -> None:
        """Compares an access with those since the same fence."""
        if fence != self._fence:
            self._fence = fence
            self._known.clear()
        operator = {GET: "read", PUT: "write"}.get(access.kind, access.op.name)
        use = Use(operator, origin)
        for first, last in _runs(access):
            for other, known in self._known.items():
                if not use.conflicts(other):
                    continue
                for low, high, earlier in _within(known, first, last):
                    pair = (earlier, call)
                    if pair not in self._reported:
                        self._reported.add(pair)
                        _report(target, (low, high), (other.origin, origin), pair)
            self._add(use, first, last, call)

    def _add(self, use: Use, first: int, last: int, call: str) -> None:
        known = self._known.setdefault(use, [])
        for low, high, _ in [*_within(known, first, last), (last, last, "")]:
            if first < low:
                insort(known, (first, low, call))
            first = high


def _runs(access: Access) -> Iterator[tuple[int, int]]:
    """Ranges of bytes of an access."""
    size = access.count * access.datatype.size
    if not size:
        return
    if access.datatype.is_contiguous:
        yield access.start, access.start + size
        return
    places = np.unique(access.datatype.byte_offsets(access.count)) + access.start
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        yield int(run[0]), int(run[-1]) + 1


def _within(known: list[tuple[int, int, str]], first: int, last: int) -> list[tuple[int, int, str]]:
    """The parts of ranges that lie in another one."""
    begin = bisect_left(known, (first + 1,))
    begin -= begin > 0 and known[begin - 1][1] > first
    end = bisect_left(known, (last,))
    return [(max(low, first), min(high, last), call) for low, high, call in known[begin:end]]


def _report(
    target: int, place: tuple[int, int], origins: tuple[int, int], calls: tuple[str, str]
) -> None:
    warnings.warn(
        f"race: rank {origins[0]} in {calls[0]} and rank {origins[1]} in {calls[1]} access bytes "
        f"{place[0]} to {place[1]} of the window of rank {target} between the same two fences, "
        "and one of them writes; MPI leaves the values undefined",
        RuntimeWarning,
        # The call of the program.
        stacklevel=6,
    )

# SPDX-License-Identifier: Apache-2.0
"""Grids of ranks: `Create_cart` and what its communicators know."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from noccl.errors import ProgramError
from noccl.programs import constants
from noccl.programs.comm import Intracomm
from noccl.programs.link import call_site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.link import Link


class Cartcomm(Intracomm):
    """A communicator of ranks in a grid, the last dimension fastest.

    Attributes:
        dims: Ranks per dimension.
        periods: Is the first rank of a dimension a neighbour of the last one?
    """

    __slots__ = ("dims", "periods")

    def __init__(
        self,
        link: Link,
        number: int,
        rank: int,
        members: tuple[int, ...],
        dims: tuple[int, ...],
        periods: tuple[bool, ...],
    ) -> None:
        super().__init__(link, number, rank, members)
        self.dims = list(dims)
        self.periods = list(periods)

    def _again(self, link: Link, number: int, rank: int, members: tuple[int, ...]) -> Cartcomm:
        return Cartcomm(link, number, rank, members, tuple(self.dims), tuple(self.periods))

    def Get_topology(self) -> int:
        """CART."""
        return constants.CART

    def Get_dim(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    dim = ndim = property(Get_dim)

    def Get_topo(self) -> tuple[list[int], list[int], list[int]]:
        """Ranks per dimension, periods, own coordinates."""
        return list(self.dims), [int(p) for p in self.periods], self.Get_coords(self._rank)

    topo = property(Get_topo)
    coords = property(lambda self: self.Get_coords(self._rank))

    def Get_coords(self, rank: int) -> list[int]:
        """Coordinates of a rank."""
        rest = self._rank_of("rank", rank)
        found = []
        for length in reversed(self.dims):
            rest, place = divmod(rest, length)
            found.append(place)
        return found[::-1]

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        """Rank at coordinates; beyond the edge of a periodic dimension it goes on at the other."""
        if len(coords) != len(self.dims):
            raise ProgramError(f"coords: {len(coords)}; accepted: {len(self.dims)}")
        rank = 0
        for place, length, wraps in zip(coords, self.dims, self.periods, strict=True):
            if not wraps and not 0 <= place < length:
                raise ProgramError(f"coordinate {place}: accepted: 0 to {length - 1}")
            rank = rank * length + place % length
        return rank

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Source and destination of a shift; PROC_NULL beyond an edge."""
        if not 0 <= direction < len(self.dims):
            raise ProgramError(f"direction {direction}: accepted: 0 to {len(self.dims) - 1}")
        return self._beside(direction, -disp), self._beside(direction, disp)

    def _beside(self, direction: int, disp: int) -> int:
        coords = self.Get_coords(self._rank)
        coords[direction] += disp
        inside = 0 <= coords[direction] < self.dims[direction]
        if not inside and not self.periods[direction]:
            return constants.PROC_NULL
        return self.Get_cart_rank(coords)

    def Sub(self, remain_dims: Sequence[bool]) -> Cartcomm:
        """The grid of the kept dimensions that this rank is in."""
        if len(remain_dims) != len(self.dims):
            raise ProgramError(f"remain_dims: {len(remain_dims)}; accepted: {len(self.dims)}")
        coords = self.Get_coords(self._rank)
        color = 0
        for place, length, keeps in zip(coords, self.dims, remain_dims, strict=True):
            color = color if keeps else color * length + place
        found = self._split(color, self._rank, call_site(), "Sub")
        assert found is not None  # noqa: S101 - every rank has a color
        kept = [index for index, keeps in enumerate(remain_dims) if keeps]
        dims = tuple(self.dims[index] for index in kept)
        return Cartcomm(*found, dims, tuple(self.periods[index] for index in kept))


def create(comm: Intracomm, dims: Sequence[int], periods: Any, where: str) -> Cartcomm | None:
    """Makes the grid; None for ranks beyond it."""
    lengths = tuple(int(length) for length in dims)
    count = math.prod(lengths)
    if any(length < 1 for length in lengths) or count > comm.Get_size():
        raise ProgramError(
            f"dims {list(dims)}: {count} ranks; "
            f"accepted: 1 to {comm.Get_size()}, the communicator's"
        )
    if periods is None or isinstance(periods, bool):
        periods = [bool(periods)] * len(lengths)
    if len(periods) != len(lengths):
        raise ProgramError(f"periods: {len(periods)}; accepted: {len(lengths)}")
    color = 0 if comm.Get_rank() < count else constants.UNDEFINED
    found = comm._split(color, comm.Get_rank(), where, "Create_cart")
    if found is None:
        return None
    return Cartcomm(*found, lengths, tuple(bool(wraps) for wraps in periods))


def compute_dims(nnodes: int, dims: int | Sequence[int]) -> list[int]:
    """Lengths of a grid of so many ranks, as equal as possible; those that are not 0 stay.

    >>> compute_dims(12, 2), compute_dims(12, [0, 2, 0])
    ([4, 3], [3, 2, 2])

    Raises:
        ProgramError: The lengths that stay do not divide the number.
    """
    wanted = [0] * dims if isinstance(dims, int) else list(dims)
    rest, odd = divmod(nnodes, math.prod(length for length in wanted if length))
    open_places = [place for place, length in enumerate(wanted) if not length]
    if odd or (rest > 1 and not open_places):
        raise ProgramError(f"dims {wanted}: accepted: lengths whose product divides {nnodes}")
    for place, length in zip(open_places, _even(rest, len(open_places)), strict=True):
        wanted[place] = length
    return wanted


def _even(number: int, parts: int) -> list[int]:
    """Factors in descending order, the largest as small as possible."""
    if parts == 0:
        return []
    if parts == 1:
        return [number]
    choices = []
    for first in range(1, number + 1):
        if number % first == 0:
            others = _even(number // first, parts - 1)
            if others[0] <= first:
                choices.append([first, *others])
    return min(choices, key=lambda found: (found[0] - found[-1], found[0]))

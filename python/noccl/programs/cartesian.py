# SPDX-License-Identifier: Apache-2.0
"""Grids of ranks: `Create_cart` and what its communicators know."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from noccl.programs import constants
from noccl.programs.failures import MpiError, ValueMpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.topologies import Topocomm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.comm import Intracomm


class Grid:
    """Ranks in a grid, the last dimension fastest.

    Attributes:
        dims: Ranks per dimension.
        periods: Is the first rank of a dimension a neighbour of the last one?
    """

    KIND = constants.CART
    ARE_PAIRS = True

    def __init__(self, dims: Sequence[int], periods: Sequence[bool]) -> None:
        self.dims: list[int] = list(dims)
        self.periods: list[bool] = list(periods)

    def coords(self, rank: int) -> list[int]:
        """Coordinates of a rank."""
        found = []
        for length in reversed(self.dims):
            rank, place = divmod(rank, length)
            found.append(place)
        return found[::-1]

    def rank(self, coords: Sequence[int]) -> int:
        """Rank at coordinates inside the grid, or beyond the edge of a periodic dimension."""
        rank = 0
        for place, length in zip(coords, self.dims, strict=True):
            rank = rank * length + place % length
        return rank

    def shifted(self, rank: int, direction: int, disp: int) -> int:
        """Rank that is so far away; PROC_NULL beyond an edge."""
        coords = self.coords(rank)
        coords[direction] += disp
        inside = 0 <= coords[direction] < self.dims[direction]
        return self.rank(coords) if inside or self.periods[direction] else constants.PROC_NULL

    def edges_of(self, rank: int) -> tuple[list[int], list[int]]:
        """Neighbours of a rank: in each dimension the one before, then the one behind."""
        found = [
            self.shifted(rank, direction, disp)
            for direction in range(len(self.dims))
            for disp in (-1, 1)
        ]
        return found, found


class Cartcomm(Topocomm):
    """A communicator of ranks in a grid, the last dimension fastest."""

    __slots__ = ()

    def _grid(self) -> Grid:
        grid: Grid = self._alive("Get_topo").topology
        return grid

    dims: property = property(lambda self: list(self._grid().dims))
    periods: property = property(lambda self: [int(wraps) for wraps in self._grid().periods])

    def Get_dim(self) -> int:
        """Number of dimensions."""
        return len(self._grid().dims)

    dim: property = property(Get_dim)
    ndim: property = property(Get_dim)

    def Get_topo(self) -> tuple[list[int], list[int], list[int]]:
        """Ranks per dimension, periods, own coordinates."""
        return self.dims, self.periods, self.Get_coords(self._rank)

    topo: property = property(Get_topo)
    coords: property = property(lambda self: self.Get_coords(self._rank))

    def Get_coords(self, rank: int) -> list[int]:
        """Coordinates of a rank."""
        return self._grid().coords(self._rank_of("rank", rank))

    def Get_cart_rank(self, coords: Sequence[int]) -> int:
        """Rank at coordinates; beyond the edge of a periodic dimension it goes on at the other."""
        if len(coords) != len(self.dims):
            raise MpiError(f"coords: {len(coords)}; accepted: {len(self.dims)}")
        for place, length, wraps in zip(coords, self.dims, self.periods, strict=True):
            if not wraps and not 0 <= place < length:
                raise MpiError(
                    f"coordinate {place}: accepted: 0 to {length - 1}",
                    error_class=VALUES["ERR_ARG"],
                )
        return self._grid().rank(coords)

    def Shift(self, direction: int, disp: int) -> tuple[int, int]:
        """Source and destination of a shift; PROC_NULL beyond an edge."""
        if not 0 <= direction < len(self.dims):
            raise MpiError(f"direction {direction}: accepted: 0 to {len(self.dims) - 1}")
        grid = self._grid()
        return (
            grid.shifted(self._rank, direction, -disp),
            grid.shifted(self._rank, direction, disp),
        )

    def Sub(self, remain_dims: Sequence[bool]) -> Cartcomm:
        """The grid of the kept dimensions that this rank is in."""
        if len(remain_dims) != len(self.dims):
            raise MpiError(f"remain_dims: {len(remain_dims)}; accepted: {len(self.dims)}")
        coords = self.Get_coords(self._rank)
        color = 0
        for place, length, keeps in zip(coords, self.dims, remain_dims, strict=True):
            color = color if keeps else color * length + place
        found = self._split(color, self._rank, call_site(), "Sub")
        assert found is not None  # noqa: S101 - every rank has a color
        kept = [index for index, keeps in enumerate(remain_dims) if keeps]
        dims = tuple(self.dims[index] for index in kept)
        periods = tuple(bool(self.periods[index]) for index in kept)
        return _made(found, dims, periods)


def lengths_of(
    comm: Intracomm, dims: Sequence[int], periods: Any
) -> tuple[tuple[int, ...], tuple[bool, ...], int]:
    """Ranks per dimension, periods and number of ranks of a grid.

    Raises:
        MpiError: The communicator has not so many ranks.
    """
    lengths = tuple(int(length) for length in dims)
    count = math.prod(lengths)
    if any(length < 1 for length in lengths) or count > comm.Get_size():
        raise MpiError(
            f"dims {list(dims)}: {count} ranks; "
            f"accepted: 1 to {comm.Get_size()}, the communicator's",
            error_class=VALUES["ERR_ARG"],
        )
    if periods is None or isinstance(periods, bool):
        periods = [bool(periods)] * len(lengths)
    if len(periods) != len(lengths):
        raise ValueMpiError(f"periods: {len(periods)}; accepted: {len(lengths)}")
    return lengths, tuple(bool(wraps) for wraps in periods), count


def create(comm: Intracomm, dims: Sequence[int], periods: Any, where: str) -> Cartcomm:
    """Makes the grid; COMM_NULL for ranks beyond it."""
    lengths, wraps, count = lengths_of(comm, dims, periods)
    color = 0 if comm.Get_rank() < count else constants.UNDEFINED
    found = comm._split(color, comm.Get_rank(), where, "Create_cart")
    return Cartcomm() if found is None else _made(found, lengths, wraps)


def _made(found: tuple[Any, ...], dims: tuple[int, ...], periods: tuple[bool, ...]) -> Cartcomm:
    made = Cartcomm._made(*found)
    made._state.topology = Grid(dims, periods)
    return made


def compute_dims(nnodes: int, dims: int | Sequence[int]) -> list[int]:
    """Lengths of a grid of so many ranks, as equal as possible; those that are not 0 stay.

    >>> compute_dims(12, 2), compute_dims(12, [0, 2, 0])
    ([4, 3], [3, 2, 2])

    Raises:
        MpiError: The lengths that stay do not divide the number.
    """
    wanted = [0] * dims if isinstance(dims, int) else list(dims)
    rest, odd = divmod(nnodes, math.prod(length for length in wanted if length))
    open_places = [place for place, length in enumerate(wanted) if not length]
    if odd or (rest > 1 and not open_places):
        raise MpiError(
            f"dims {wanted}: accepted: lengths whose product divides {nnodes}",
            error_class=VALUES["ERR_DIMS"],
        )
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

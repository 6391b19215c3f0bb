# SPDX-License-Identifier: Apache-2.0
"""Communicators with mpi4py's names and meanings, and `compute`, which is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from noccl.errors import ProgramError
from noccl.programs import constants
from noccl.programs.background import BackgroundCollectives
from noccl.programs.groups import Group
from noccl.programs.link import call_site
from noccl.programs.object_collectives import ObjectCollectives
from noccl.programs.probes import Probes
from noccl.programs.vector_collectives import VectorCollectives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.cartesian import Cartcomm
    from noccl.programs.link import Link


class Comm(Probes, ObjectCollectives, VectorCollectives, BackgroundCollectives):
    """A communicator of ranks, as one of them sees it."""

    __slots__ = ()

    def Get_rank(self) -> int:
        """Number of this rank."""
        return self._rank

    def Get_size(self) -> int:
        """Number of ranks."""
        return self._size

    rank = property(Get_rank)
    size = property(Get_size)

    def compute(self, *, cycles: float) -> None:
        """Keeps this rank's core busy for so many cycles; fractions are rounded.

        Python code takes no simulated time by itself: what it stands for is stated here.

        Raises:
            ProgramError: A negative number.
        """
        whole = round(cycles)
        if whole < 0:
            raise ProgramError(f"compute: {cycles} cycles; accepted: 0 or more")
        if whole:
            link = self._link
            link.check()
            link.session.compute(link.rank, whole, call_site())
            link.block()

    def Get_name(self) -> str:
        """The name."""
        return self._name

    def Set_name(self, name: str) -> None:
        """Replaces the name."""
        self._name = name

    name = property(Get_name, Set_name)

    def Is_inter(self) -> bool:
        """Always False: there are no intercommunicators."""
        return False

    def Is_intra(self) -> bool:
        """Always True."""
        return True

    is_inter = property(Is_inter)
    is_intra = property(Is_intra)

    def Get_topology(self) -> int:
        """CART or UNDEFINED."""
        return constants.UNDEFINED

    topology = property(lambda self: self.Get_topology())

    def Get_attr(self, keyval: int) -> int | None:
        """The largest tag for TAG_UB; None for everything else."""
        return constants.TAG_UB if keyval == constants.KEYVAL_TAG_UB else None

    def Get_errhandler(self) -> str:
        """Always `ERRORS_RETURN`: errors are exceptions."""
        return "ERRORS_RETURN"

    def Set_errhandler(self, errhandler: object) -> None:
        """Does nothing: errors are exceptions."""

    def Abort(self, errorcode: int = 0) -> NoReturn:
        """Ends the program in all ranks."""
        from noccl.programs.hub import AbortCalled  # noqa: PLC0415 - a circle otherwise

        raise AbortCalled(errorcode)

    def Free(self) -> None:
        """Ends the communicator."""
        self._number = -1

    Disconnect = Free

    def Get_group(self) -> Group:
        """The ranks of this communicator."""
        return Group(self.members, self._link.rank)

    group = property(Get_group)

    @classmethod
    def Compare(cls, comm1: Comm, comm2: Comm) -> int:
        """IDENT, CONGRUENT, SIMILAR or UNEQUAL."""
        if comm1._number == comm2._number:
            return constants.IDENT
        found = Group.Compare(comm1.Get_group(), comm2.Get_group())
        return constants.CONGRUENT if found == constants.IDENT else found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comm):
            return NotImplemented
        return (self._number, self._link) == (other._number, other._link)

    def __hash__(self) -> int:
        return hash((self._number, self._rank))

    def __bool__(self) -> bool:
        return self._number >= 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} rank {self._rank} of {self._size}>"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{type(self).__name__}.{name}: not provided; docs/programs.md lists what is"
        )


class Intracomm(Comm):
    """A communicator that others can be made from."""

    __slots__ = ()

    def Split(self, color: int = 0, key: int = 0) -> Intracomm | None:
        """One communicator per color, ranks by key; None for the color UNDEFINED."""
        if not 0 <= color <= constants.MOST_INT and color != constants.UNDEFINED:
            raise ProgramError(
                f"Split: color {color}; accepted: 0 to {constants.MOST_INT}, or UNDEFINED"
            )
        found = self._split(color, key, call_site(), "Split")
        return None if found is None else Intracomm(*found)

    def Split_type(self, split_type: int, key: int = 0, info: object = None) -> Intracomm | None:  # noqa: ARG002
        """One communicator per tile: no two ranks share a memory."""
        color = self._rank if split_type != constants.UNDEFINED else constants.UNDEFINED
        return self.Split(color, key)

    def Dup(self, info: object = None) -> Intracomm:  # noqa: ARG002 - mpi4py's
        """A communicator of the same ranks."""
        found = self._split(0, self._rank, call_site(), "Dup")
        assert found is not None  # noqa: S101 - every rank has color 0
        return self._again(*found)

    Clone = Dup

    def _again(self, link: Link, number: int, rank: int, members: tuple[int, ...]) -> Intracomm:
        return Intracomm(link, number, rank, members)

    def Create(self, group: Group) -> Intracomm | None:
        """A communicator of a group's ranks; every rank of this one calls. None outside."""
        place = self._place_in(group)
        found = self._split(constants.UNDEFINED if place < 0 else 0, place, call_site(), "Create")
        return None if found is None else Intracomm(*found)

    def _place_in(self, group: Group) -> int:
        own = self._link.rank
        return group.members.index(own) if own in group.members else constants.UNDEFINED

    def Create_cart(
        self,
        dims: Sequence[int],
        periods: Sequence[bool] | bool | None = None,
        reorder: bool = False,
    ) -> Cartcomm | None:
        """A grid of ranks, the last dimension fastest; None for ranks beyond it."""
        from noccl.programs.cartesian import create  # noqa: PLC0415 - a circle otherwise

        del reorder  # Ranks keep their tiles.
        return create(self, dims, periods, call_site())

    def _split(
        self, color: int, key: int, where: str, name: str
    ) -> tuple[Link, int, int, tuple[int, ...]] | None:
        """What the new communicator of this rank is made from."""
        link = self._link
        link.check()
        link.has_split = True
        agreement = self._agree(where, name)
        agreement.notes[self._rank] = (color, key)
        engine_color = -1 if color == constants.UNDEFINED else color
        link.session.split(link.rank, self._number, engine_color, key, where)
        number, rank, _ = link.block()
        if number < 0:
            return None
        same = [other for other, note in agreement.notes.items() if note[0] == color]
        order = sorted(same, key=lambda other: (agreement.notes[other][1], other))
        return link, number, rank, tuple(self.members[other] for other in order)


def world(link: Link) -> Intracomm:
    """The communicator of all ranks, as this one sees it."""
    comm = Intracomm(link, link.session.world, link.rank, tuple(range(len(link.hub.links))))
    comm.Set_name("MPI_COMM_WORLD")
    return comm


def alone(link: Link) -> Intracomm:
    """The communicator of this rank alone."""
    comm = Intracomm(link, link.session.alone(link.rank), 0, (link.rank,))
    comm.Set_name("MPI_COMM_SELF")
    return comm

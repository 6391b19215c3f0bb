# SPDX-License-Identifier: Apache-2.0
"""Communicators with mpi4py's names and meanings, and `compute`, which is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, TypeVar

from noccl.programs import constants
from noccl.programs.background import BackgroundCollectives
from noccl.programs.buffer_collectives import same
from noccl.programs.buffered import BufferedSends
from noccl.programs.comm_facts import Facts
from noccl.programs.endpoint import Endpoint
from noccl.programs.failures import MpiError
from noccl.programs.fault_calls import FaultCalls
from noccl.programs.link import call_site
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES
from noccl.programs.object_collectives import ObjectCollectives
from noccl.programs.pending import PartitionedMessages
from noccl.programs.persistent import Persistent
from noccl.programs.probes import Probes
from noccl.programs.requests import Request
from noccl.programs.vector_collectives import VectorCollectives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.cartesian import Cartcomm
    from noccl.programs.graphs import Distgraphcomm, Graphcomm
    from noccl.programs.groups import Group
    from noccl.programs.link import Link


# Of `Split_type`: the info says what ranks share.
_GUIDED = (VALUES["COMM_TYPE_HW_GUIDED"], VALUES["COMM_TYPE_RESOURCE_GUIDED"])
Kind = TypeVar("Kind", bound=Endpoint)


class Comm(
    Facts,
    Persistent,
    PartitionedMessages,
    FaultCalls,
    BufferedSends,
    Probes,
    ObjectCollectives,
    VectorCollectives,
    BackgroundCollectives,
):
    """A communicator of ranks, as one of them sees it; others are made from it."""

    __slots__ = ()

    def Split(self, color: int = 0, key: int = 0) -> Intracomm:
        """One communicator per color, ranks by key; COMM_NULL for the color UNDEFINED."""
        if not 0 <= color <= constants.MOST_INT and color != constants.UNDEFINED:
            raise MpiError(
                f"Split: color {color}; accepted: 0 to {constants.MOST_INT}, or UNDEFINED",
                error_class=VALUES["ERR_ARG"],
            )
        return self._other(Intracomm, self._split(color, key, call_site(), "Split"))

    def Split_type(self, split_type: int, key: int = 0, info: Any = None) -> Intracomm:
        """One communicator per tile: no two ranks share a memory. COMM_NULL for other types."""
        is_shared = split_type == constants.COMM_TYPE_SHARED
        if split_type in _GUIDED and info:
            is_shared = info.get("mpi_hw_resource_type") == "mpi_shared_memory"
        color = self._rank if is_shared else constants.UNDEFINED
        return self.Split(color, key)

    def Dup(self, info: Any = None) -> Self:
        """A communicator of the same ranks, with the same topology and what its keys copy."""
        found = self._split(0, self._rank, call_site(), "Dup")
        made = self._other(type(self), found)
        made._state.topology = self._state.topology
        self._copy_facts(made, info)
        return made

    Clone = Dup
    Dup_with_info = Dup

    def _copy_facts(self, made: Comm, info: Any) -> None:
        """Gives a duplicate the error handler, the info or another one, and what keys copy."""
        made._state.errhandler = self._state.errhandler
        made._state.info = dict(info.items()) if info else dict(self._state.info)
        self._copy_attributes(made)

    def Idup(self, info: Any = None) -> tuple[Self, Request]:
        """The same, with a request that is over: all ranks have called."""
        return self.Dup(info), Request(self._link, None)

    Idup_with_info = Idup

    def Create(self, group: Group) -> Intracomm:
        """A communicator of a group's ranks; every rank of this one calls. COMM_NULL outside."""
        place = self._place_in(group)
        found = self._split(constants.UNDEFINED if place < 0 else 0, place, call_site(), "Create")
        return self._other(Intracomm, found)

    def _place_in(self, group: Group) -> int:
        own = self._link.rank
        return group.members.index(own) if own in group.members else constants.UNDEFINED

    @staticmethod
    def _other(kind: type[Kind], found: tuple[Any, ...] | None) -> Kind:
        return Endpoint.__new__(kind) if found is None else kind._made(*found)

    @classmethod
    def Get_parent(cls) -> Any:
        """COMM_NULL: no program has started this one."""
        return mpi().Intercomm()

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


class Intracomm(Comm):
    """A communicator of one group of ranks."""

    __slots__ = ()

    def Create_group(self, group: Group, tag: int = 0) -> Intracomm:  # noqa: ARG002 - mpi4py's
        """A communicator of a group's ranks, which alone call."""
        self._alive("Create_group")
        return self._of_group(group, call_site())

    @classmethod
    def Create_from_group(
        cls,
        group: Group,
        stringtag: str = "org.mpi4py",  # noqa: ARG003 - mpi4py's
        info: Any = None,
        errhandler: Any = None,
    ) -> Intracomm:
        """A communicator of a group's ranks, which alone call."""
        made: Intracomm = mpi().COMM_WORLD._of_group(group, call_site())
        if info:
            made.Set_info(info)
        if errhandler is not None:
            made.Set_errhandler(errhandler)
        return made

    def _of_group(self, group: Group, where: str) -> Intracomm:
        """The members learn of each other by eight bytes to the first of them and back."""
        link, members = self._link, group.members
        link.check()
        if link.rank not in members:
            raise MpiError(
                f"a communicator of {len(members)} ranks without the caller; accepted: calls of "
                "the members of the group",
                error_class=VALUES["ERR_GROUP"],
            )
        link.has_split = True
        number = link.session.group(link.rank, list(members), where)
        made = Intracomm._made(link, number, members.index(link.rank), members)
        made._tree_broadcast(
            made._tree_reduce(bytes(8), lambda x, _: x, 0, same, same, where) or b"", 0, where
        )
        return made

    def Create_intercomm(
        self, local_leader: int, peer_comm: Any, remote_leader: int, tag: int = 0
    ) -> Any:
        """A communicator of these ranks and of another group's, whose leaders know each other."""
        from noccl.programs.intercomm import create  # noqa: PLC0415 - a circle otherwise

        return create(self, local_leader, peer_comm, remote_leader, tag, call_site())

    def Create_cart(
        self,
        dims: Sequence[int],
        periods: Sequence[bool] | bool | None = None,
        reorder: bool = False,
    ) -> Cartcomm:
        """A grid of ranks, the last dimension fastest; COMM_NULL for ranks beyond it."""
        from noccl.programs.cartesian import create  # noqa: PLC0415 - the same

        del reorder  # Ranks keep their tiles.
        return create(self, dims, periods, call_site())

    def Cart_map(self, dims: Sequence[int], periods: Sequence[bool] | bool | None = None) -> int:
        """The rank that this one would have in a grid: its own."""
        from noccl.programs.cartesian import lengths_of  # noqa: PLC0415 - the same

        return (
            constants.UNDEFINED if self._rank >= lengths_of(self, dims, periods)[2] else self._rank
        )

    def Create_graph(
        self, index: Sequence[int], edges: Sequence[int], reorder: bool = False
    ) -> Graphcomm:
        """A graph that all ranks know; COMM_NULL for ranks beyond it."""
        from noccl.programs.graphs import create_graph  # noqa: PLC0415 - the same

        del reorder
        return create_graph(self, index, edges, call_site())

    def Graph_map(self, index: Sequence[int], edges: Sequence[int]) -> int:  # noqa: ARG002
        """The rank that this one would have in a graph: its own."""
        return constants.UNDEFINED if self._rank >= len(index) else self._rank

    def Create_dist_graph_adjacent(
        self,
        sources: Sequence[int],
        destinations: Sequence[int],
        sourceweights: Sequence[int] | int | None = None,
        destweights: Sequence[int] | int | None = None,
        info: object = None,
        reorder: bool = False,
    ) -> Distgraphcomm:
        """A graph of which each rank gives its own neighbours."""
        from noccl.programs.graphs import create_adjacent  # noqa: PLC0415 - the same

        del info, reorder
        weights = (sourceweights, destweights)
        return create_adjacent(self, sources, destinations, weights, call_site())

    def Create_dist_graph(
        self,
        sources: Sequence[int],
        degrees: Sequence[int],
        destinations: Sequence[int],
        weights: Sequence[int] | int | None = None,
        info: object = None,
        reorder: bool = False,
    ) -> Distgraphcomm:
        """A graph of which each rank gives edges of any ranks."""
        from noccl.programs.graphs import create_distributed  # noqa: PLC0415 - the same

        del info, reorder
        return create_distributed(self, sources, degrees, destinations, weights)


def world(link: Link) -> Intracomm:
    """The communicator of all ranks, as this one sees it."""
    members = tuple(range(len(link.hub.links)))
    return _predefined(link, link.session.world, link.rank, members, "MPI_COMM_WORLD")


def alone(link: Link) -> Intracomm:
    """The communicator of this rank alone."""
    return _predefined(link, link.session.alone(link.rank), 0, (link.rank,), "MPI_COMM_SELF")


def _predefined(
    link: Link, number: int, rank: int, members: tuple[int, ...], name: str
) -> Intracomm:
    comm = Intracomm._made(link, number, rank, members)
    comm._state.is_predefined, comm._state.name = True, name
    return comm

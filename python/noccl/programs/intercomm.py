# SPDX-License-Identifier: Apache-2.0
"""`Intercomm`: two groups of ranks, each of which sends to ranks of the other.

Messages of each direction have a communicator of the engine of their own, of the senders' group
and then the receivers', so that a sender's number there is its rank in its group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs import constants
from noccl.programs.comm import Comm, Intracomm
from noccl.programs.failures import MpiError
from noccl.programs.groups import Group
from noccl.programs.intercomm_collectives import InterCollectives
from noccl.programs.link import call_site
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from noccl.programs.link import Link


class Remote:
    """The other group, as a rank's copies of the communicator share it.

    Attributes:
        local: Communicator of the rank's own group, for collectives.
        members: Rank of the world of each rank of the other group.
        number: The engine's number of the communicator for what is sent.
    """

    __slots__ = ("local", "members", "number")

    def __init__(self, local: Intracomm, members: tuple[int, ...], number: int) -> None:
        self.local: Intracomm = local
        self.members: tuple[int, ...] = members
        self.number: int = number


class Intercomm(InterCollectives, Comm):
    """A communicator of two groups of ranks."""

    __slots__ = ()

    @classmethod
    def between(cls, link: Link, own: tuple[int, ...], others: tuple[int, ...], where: str) -> Self:
        """The communicator of a group that the caller is in, and another one.

        Raises:
            MpiError: The groups have a rank in common.
        """
        if set(own) & set(others):
            raise MpiError(
                f"an intercommunicator at {where}: rank {min(set(own) & set(others))} of the world "
                "is in both groups; accepted: groups without common ranks",
                error_class=VALUES["ERR_GROUP"],
            )
        world = mpi().COMM_WORLD
        local = world._of_group(Group.of(own, link.rank), where)
        # In one order in all ranks, so that the members of each call alike.
        pairs = sorted([(own, others), (others, own)])
        numbers = {
            pair: link.session.group(link.rank, [*pair[0], *pair[1]], where) for pair in pairs
        }
        made = cls._made(link, numbers[others, own], local.rank, own)
        made._state.remote = Remote(local, others, numbers[own, others])
        return made

    def Get_remote_size(self) -> int:
        """Number of ranks of the other group."""
        return len(self._remote.members)

    def Get_remote_group(self) -> Group:
        """The other group."""
        return Group.of(self._remote.members, self._link.rank)

    remote_size: property = property(Get_remote_size)
    remote_group: property = property(Get_remote_group)

    @classmethod
    def Create_from_groups(
        cls,
        local_group: Group,
        local_leader: int,  # noqa: ARG003 - mpi4py's
        remote_group: Group,
        remote_leader: int,  # noqa: ARG003
        stringtag: str = "org.mpi4py",  # noqa: ARG003
        info: Any = None,  # noqa: ARG003
        errhandler: Any = None,  # noqa: ARG003
    ) -> Intercomm:
        """The communicator of two groups, whose ranks alone call."""
        link = mpi().COMM_WORLD._link
        return Intercomm.between(link, local_group.members, remote_group.members, call_site())

    def Merge(self, high: bool = False) -> Intracomm:
        """The ranks of both groups, those of the one that says `high` last."""
        where = call_site()
        own, others = self._remote.local.members, self._remote.members
        (theirs,) = set(self._all_of_remote(bool(high), where))
        is_last = high if bool(high) != theirs else own > others
        members = others + own if is_last else own + others
        made: Intracomm = mpi().COMM_WORLD._of_group(Group.of(members, self._link.rank), where)
        return made

    def Dup(self, info: Any = None) -> Any:
        """A communicator of the same groups, with what its keys copy."""
        made = self.between(self._link, self.members, self._remote.members, call_site())
        self._copy_facts(made, info)
        return made

    Clone = Dup
    Dup_with_info = Dup

    def Split(self, color: int = 0, key: int = 0) -> Any:
        """One communicator per color that both groups have, ranks by key; else COMM_NULL."""
        where, own = call_site(), (color, key, self._link.rank)
        both = []
        for rows in (self._remote.local.allgather(own), self._all_of_remote(own, where)):
            same = sorted(
                (row[1], place, row[2]) for place, row in enumerate(rows) if row[0] == color
            )
            both.append(tuple(world for _, _, world in same))
        if color == constants.UNDEFINED or not both[1]:
            return Intercomm()
        return self.between(self._link, both[0], both[1], where)

    def Split_type(self, split_type: int, key: int = 0, info: Any = None) -> Any:  # noqa: ARG002
        """COMM_NULL: ranks of two groups share no tile."""
        return self.Split(constants.UNDEFINED, key)

    def Create(self, group: Group) -> Any:
        """The communicator of parts of both groups, of which each rank gives its own group's."""
        where, own = call_site(), group.members
        (others,) = set(self._all_of_remote(own, where))
        if self._link.rank not in own or not others:
            return Intercomm()
        return self.between(self._link, own, others, where)

    def Compare(self, comm: Any) -> int:
        """IDENT, CONGRUENT, SIMILAR or UNEQUAL."""
        found = super().Compare(comm)
        if found == constants.IDENT or not comm.Is_inter():
            return found if comm.Is_inter() else constants.UNEQUAL
        return max(
            found, constants.CONGRUENT, self.Get_remote_group().Compare(comm.Get_remote_group())
        )

    # ------------------------------------------------------------------ messages

    @property
    def _remote(self) -> Remote:
        remote: Remote = self._alive("Get_remote_group").remote
        return remote

    def _rank_of(self, name: str, value: Any) -> int:
        if not isinstance(value, int) or not 0 <= value < len(self._remote.members):
            raise MpiError(
                f"{name} {value}: no such rank of the other group; accepted: 0 to "
                f"{len(self._remote.members) - 1}, and PROC_NULL",
                error_class=VALUES["ERR_RANK"],
            )
        return value

    def _send_engine(
        self, data: bytes, to: int, tag: int, where: str, *, is_synchronous: bool
    ) -> int:
        link, target = self._link, self._size + to
        return link.session.isend(
            link.rank, self._remote.number, target, tag, data, is_synchronous, where
        )


def create(
    comm: Intracomm, local_leader: int, peer: Any, remote_leader: int, tag: int, where: str
) -> Intercomm:
    """The communicator of a group and of another one, whose leaders know each other by `peer`."""
    others: Any = None
    if comm.rank == comm._root_of(local_leader):
        own = list(comm.members)
        others = peer.sendrecv(own, remote_leader, tag, None, remote_leader, tag)
    others = comm.bcast(others, local_leader)
    return Intercomm.between(comm._link, comm.members, tuple(others), where)

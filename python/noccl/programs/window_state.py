# SPDX-License-Identifier: Apache-2.0
"""What all copies of a rank's window share, and its accesses to other ranks that are not over."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from noccl.programs.failures import MpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.requests import Request
from noccl.programs.waiting import wait_for
from noccl.programs.window_messages import (
    FIRST_TAG,
    FLUSH,
    GRANT,
    LOCK,
    RESPONSE,
    WITH_RESPONSE,
    Access,
    tag_of,
)
from noccl.programs.window_races import Races
from noccl.programs.window_server import Exposed, Server

if TYPE_CHECKING:
    from collections.abc import Iterable

    from noccl.programs.buffers import Buffer
    from noccl.programs.comm import Intracomm

_SHARED = VALUES["LOCK_SHARED"]


class WinState:
    """See the module.

    Attributes:
        comm: Communicator of the window alone.
        disp_units: Bytes of a unit of displacements, by rank.
        exposed: The rank's memory.
        flavor: How the window was made.
        is_fenced: Has a fence begun accesses?
        lock_all: Ranks whose lock `Lock_all` has got so far; None outside.
        locks: Ranks that `Lock` has locked; True where a message has.
        name, info, attributes, errhandler: As of communicators.
        posted: Sends of `Post`; None outside.
        num_fences: Calls of `Fence`.
        num_posted: Ranks whose accesses `Post` has begun.
        sizes: Bytes of memory, by rank.
        started: Ranks that `Start` has named, with what waits for their `Post`; None outside.
    """

    def __init__(self, comm: Intracomm, memory: memoryview, flavor: int) -> None:
        self.attributes: dict[int, Any] = {}
        self.comm = comm
        self.errhandler: Any = None
        self.exposed = Exposed(memory)
        self.flavor = flavor
        self.info: dict[str, str] = {}
        self.is_fenced = False
        self.lock_all: set[int] | None = None
        self.locks: dict[int, bool] = {}
        self.name = ""
        self.num_fences = 0
        self.num_posted = 0
        self.posted: list[Request] | None = None
        self.started: dict[int, list[Request]] | None = None
        self.server = Server.of(comm._link)
        self.server.windows[comm._number] = self.exposed
        self.sizes: list[int] = []
        self.disp_units: list[int] = []
        shared = comm._link.hub.shared
        self._races: dict[int, Races] = shared.setdefault(
            ("races", comm._number), defaultdict(Races)
        )
        # By rank, in the order of calls: requests that are open, and writes without a response.
        self._open: dict[int, list[Request]] = {}
        self._unconfirmed: dict[int, None] = {}

    def access(self, kind: int, **fields: Any) -> Access:
        """An access to this window."""
        return Access(kind, self.comm._number, **fields)

    def compare(self, rank: int, access: Access, call: str) -> None:
        """Reports what conflicts with an access between two fences."""
        if self.is_fenced and not self.locks and self.lock_all is None and self.started is None:
            self._races[rank].note(self.num_fences, rank, self.comm._rank, access, call)

    def ask(
        self,
        rank: int,
        access: Access,
        where: str,
        *,
        into: Buffer | None = None,
        is_open: bool = True,
    ) -> list[Request]:
        """Has a rank carry out an access.

        Args:
            rank: Rank of the window.
            access: What it does.
            where: Call site.
            into: What receives the response.
            is_open: Does the next synchronization with the rank wait for the requests?

        Returns:
            Requests; the last one ends with the access, or where there is no response when what is
            sent may be changed.
        """
        link, comm = self.comm._link, self.comm
        link.check()
        world = comm.members[rank]
        if world == link.rank:
            found = self.server.carry_out(world, access)
            if into is not None:
                into.put(found or b"")
            return [Request(link)]
        session, requests = link.session, []
        if access.kind in WITH_RESPONSE:
            self._unconfirmed.pop(rank, None)
            tag = tag_of(comm._number, RESPONSE)
            number = session.irecv(link.rank, session.world, world, tag, -1, where)
            requests.append(Request(link, number, into=into))
        elif is_open:
            self._unconfirmed[rank] = None
        data = access.packed()
        number = session.isend(link.rank, session.world, world, FIRST_TAG, data, False, where)
        requests.insert(0, Request(link, number))
        if is_open:
            self._open.setdefault(rank, []).extend(requests)
        return requests

    def acquire(self, rank: int, kind: int, where: str) -> None:
        """Waits for the lock of a rank."""
        link, comm = self.comm._link, self.comm
        link.check()
        session, world = link.session, comm.members[rank]
        if world == link.rank:
            task = session.begin_task(link.rank, "Win.Lock", where)
            self.exposed.lock(world, kind, lambda: session.end_task(task))
            numbers = [task]
        else:
            tag, data = tag_of(comm._number, GRANT), self.access(LOCK, count=kind).packed()
            numbers = [
                session.irecv(link.rank, session.world, world, tag, -1, where),
                session.isend(link.rank, session.world, world, FIRST_TAG, data, False, where),
            ]
        session.wait(link.rank, numbers, True, where)
        link.block()

    def taken(self, ranks: Iterable[int]) -> list[Request]:
        """The open requests of ranks, which somebody else waits for from now on."""
        return [request for rank in ranks for request in self._open.pop(rank, ())]

    def complete(self, ranks: Iterable[int], where: str) -> None:
        """Waits until accesses have been carried out at their ranks."""
        asked = list(ranks)
        requests = self.taken(asked)
        for rank in asked:
            if rank in self._unconfirmed:
                requests += self.ask(rank, self.access(FLUSH), where, is_open=False)
        wait_for(requests, is_all=True)

    def reached(self) -> list[int]:
        """Ranks with accesses that may not have been carried out."""
        return list(self._open | self._unconfirmed)

    def forget(self, rank: int) -> None:
        """Every write to the rank will have been carried out."""
        self._unconfirmed.pop(rank, None)

    def enter(self, rank: int, call: str, where: str) -> None:
        """Waits until a rank may be accessed.

        Raises:
            MpiError: No call has begun accesses to it.
        """
        if rank in self.locks:
            return
        if self.lock_all is not None:
            if rank not in self.lock_all:
                self.acquire(rank, _SHARED, where)
                self.lock_all.add(rank)
        elif self.started is not None and rank in self.started:
            wait_for(self.started[rank], is_all=True)
        elif not self.is_fenced:
            raise out_of_order(call, f"no access to rank {rank}", "after Fence, Lock or Start")

    def rank_of(self, world: int) -> int:
        """Rank of the window of a rank of the world.

        Raises:
            MpiError: It has none.
        """
        if world not in self.comm.members:
            raise MpiError(
                f"rank {world} of COMM_WORLD is not in the window's group; accepted: a group of "
                f"ranks of {list(self.comm.members)}",
                error_class=VALUES["ERR_GROUP"],
            )
        return self.comm.members.index(world)


def out_of_order(call: str, what: str, accepted: str) -> MpiError:
    """The error of a call without the synchronization that it needs."""
    return MpiError(
        f"Win.{call} at {call_site()}: {what}; accepted: {accepted}",
        error_class=VALUES["ERR_RMA_SYNC"],
    )

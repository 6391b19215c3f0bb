# SPDX-License-Identifier: Apache-2.0
"""Collectives that do not block: `Ibarrier` to `Ireduce_scatter`.

One goes on in a greenlet of its own, beside what its rank does, and runs the code of the blocking
collective. Where the network's algorithms do it and do not need the core, it is one call of the
engine. The rest is composed of messages: each is stated as soon as those that it waits for have
come, and takes the core of its tile when that has nothing else to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from greenlet import getcurrent, greenlet

from noccl.programs.constants import INTERNAL_TAG
from noccl.programs.endpoint import Endpoint
from noccl.programs.link import call_site
from noccl.programs.neighbours import NeighbourCollectives
from noccl.programs.operators import SUM, Op
from noccl.programs.requests import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noccl.programs.endpoint import Agreement
    from noccl.programs.link import Link


class Task:
    """What goes on beside the calls of a rank.

    Attributes:
        rank: Rank of the world.
        site: Call site, which `call_site` gives inside.
    """

    __slots__ = ("_body", "_link", "rank", "site")

    def __init__(self, link: Link, site: str) -> None:
        self.rank: int = link.rank
        self.site: str = site
        self._link = link
        self._body: Any = None

    def begin(self, function: Callable[[], None]) -> None:
        """Runs the function up to its first wait; what it raises before is raised here."""
        self._body = greenlet(function)
        self._body.site = self.site
        self._body.switch()

    def wait(self, requests: list[int]) -> list[tuple[int, int, int, bytes | None]]:
        """Inside: waits for all requests; whoever continued the task goes on."""
        hub = self._link.hub
        token = hub.wait_token(self)
        self._link.session.wait_in_task(self.rank, requests, token, self.site)
        hub.progress += 1
        found: list[tuple[int, int, int, bytes | None]] = self._body.parent.switch()
        return found

    def go_on(self, response: Any) -> None:
        """Continues it up to its next wait or to its end."""
        self._body.parent = getcurrent()
        self._body.switch(response)


class _Beside(NeighbourCollectives):
    """A communicator in a task: the same collectives, whose waits are those of the task."""

    __slots__ = ("_tag", "_task")
    _tag: int
    _task: Task

    def __new__(cls, comm: Endpoint, task: Task) -> Self:
        """The same communicator in a task."""
        made = super().__new__(cls)
        made._share(comm)
        made._task = task
        # Messages of collectives that go on at the same time must not be taken for each other.
        made._tag = INTERNAL_TAG + 1 + comm._state.num_collectives
        return made

    def _agree(self, where: str, *call: Any) -> Agreement:
        return super()._agree(where, _name_of(call[0]), *call[1:])

    def _by_engine(
        self, kind: str, size: int, root: int, name: str = "sum", element: str = "int8"
    ) -> bool:
        link = self._link
        if link.has_split:
            # Contributions to two collectives that merge in the network must be sent in the same
            # order by all ranks, which calls on different communicators are not.
            return False
        key = ("beside", self._number, kind, size, root, name, element)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = link.session.supports_nonblocking(link.rank, *key[1:])
        return found

    def _collective(
        self, kind: str, payload: bytes, root: int, name: str, element: str, where: str
    ) -> bytes:
        session, rank = self._link.session, self._link.rank
        request = session.icollective(rank, self._number, kind, payload, root, name, element, where)
        return self._task.wait([request])[0][3] or b""

    def _send_bytes(self, data: bytes, to: int, where: str) -> int:
        link = self._link
        return link.session.isend(link.rank, self._number, to, self._tag, data, False, where)

    def _receive_bytes(self, source: int, where: str) -> int:
        link = self._link
        return link.session.irecv(link.rank, self._number, source, self._tag, -1, where)

    def _all_of(self, requests: list[int], where: str) -> list[bytes | None]:  # noqa: ARG002
        found: list[bytes | None] = [None] * len(requests)
        if requests:
            for index, _, _, data in self._task.wait(requests):
                found[index] = data
        return found


def _name_of(blocking: str) -> str:
    return f"I{blocking.lower()}"


class BackgroundCollectives(Endpoint):
    """The collectives of buffers, each of which returns a request."""

    __slots__ = ()

    def _begin(self, name: str, *args: Any) -> Request:
        """Begins the collective of this blocking name."""
        site, link = call_site(), self._link
        link.check()
        session = link.session
        number = session.begin_task(link.rank, _name_of(name), site)
        task = Task(link, site)
        comm = _Beside(self, task)

        def body() -> None:
            getattr(comm, name)(*args)
            session.end_task(number)

        task.begin(body)
        return Request(link, number)

    def Ibarrier(self) -> Request:
        """Is over when every rank has come here."""
        return self._begin("Barrier")

    ibarrier = Ibarrier

    def Ibcast(self, buf: Any, root: int = 0) -> Request:
        """The root's buffer, in every rank."""
        return self._begin("Bcast", buf, root)

    def Igather(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> Request:
        """The blocks of all ranks at the root, by rank."""
        return self._begin("Gather", sendbuf, recvbuf, root)

    def Igatherv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> Request:
        """The buffers of all ranks at the root, each to its place."""
        return self._begin("Gatherv", sendbuf, recvbuf, root)

    def Iscatter(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> Request:
        """A block of the root's buffer for each rank, by rank."""
        return self._begin("Scatter", sendbuf, recvbuf, root)

    def Iscatterv(self, sendbuf: Any, recvbuf: Any, root: int = 0) -> Request:
        """A part of the root's buffer for each rank."""
        return self._begin("Scatterv", sendbuf, recvbuf, root)

    def Iallgather(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The blocks of all ranks, in every rank."""
        return self._begin("Allgather", sendbuf, recvbuf)

    def Iallgatherv(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The buffers of all ranks, in every rank, each to its place."""
        return self._begin("Allgatherv", sendbuf, recvbuf)

    def Ialltoall(self, sendbuf: Any, recvbuf: Any) -> Request:
        """From each rank the block that it has for this one."""
        return self._begin("Alltoall", sendbuf, recvbuf)

    def Ialltoallv(self, sendbuf: Any, recvbuf: Any) -> Request:
        """From each rank the part that it has for this one."""
        return self._begin("Alltoallv", sendbuf, recvbuf)

    def Ialltoallw(self, sendbuf: Any, recvbuf: Any) -> Request:
        """The same with a datatype per rank, displacements in bytes."""
        return self._begin("Alltoallw", sendbuf, recvbuf)

    def Ireduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM, root: int = 0) -> Request:
        """The buffers of all ranks combined item by item, at the root."""
        return self._begin("Reduce", sendbuf, recvbuf, op, root)

    def Iallreduce(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Request:
        """The buffers of all ranks combined item by item, in every rank."""
        return self._begin("Allreduce", sendbuf, recvbuf, op)

    def Ireduce_scatter_block(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Request:
        """The buffers of all ranks combined; each rank gets the block of its number."""
        return self._begin("Reduce_scatter_block", sendbuf, recvbuf, op)

    def Ireduce_scatter(
        self,
        sendbuf: Any,
        recvbuf: Any,
        recvcounts: Sequence[int] | None = None,
        op: Op = SUM,
    ) -> Request:
        """The buffers of all ranks combined; each rank gets as many items as its count says."""
        return self._begin("Reduce_scatter", sendbuf, recvbuf, recvcounts, op)

    def Iscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Request:
        """The buffers of the ranks up to this one combined."""
        return self._begin("Scan", sendbuf, recvbuf, op)

    def Iexscan(self, sendbuf: Any, recvbuf: Any, op: Op = SUM) -> Request:
        """The buffers of the ranks before this one combined; at rank 0 nothing is received."""
        return self._begin("Exscan", sendbuf, recvbuf, op)

# SPDX-License-Identifier: Apache-2.0
"""Probes: what a rank may know of a message before it receives it."""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from noccl.programs.handles import Handle
from noccl.programs.link import call_site
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES
from noccl.programs.point_to_point import PointToPoint
from noccl.programs.requests import Request
from noccl.programs.status import Status


class Probes(PointToPoint):
    """Probing, and receiving what a probe has found."""

    __slots__ = ()

    def Probe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> bool:
        """Waits for a message and leaves it."""
        if source == PROC_NULL:
            _nothing(status)
            return True
        link, pattern = self._link, self._pattern(source, tag)
        link.session.probe(link.rank, self._number, *pattern, call_site())
        found = link.block()
        if status is not None:
            status.fill(*found)
        return True

    probe = Probe

    def Iprobe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> bool:
        """Is there a message? If not, the time of a poll passes."""
        if source == PROC_NULL:
            _nothing(status)
            return True
        link, pattern = self._link, self._pattern(source, tag)
        link.check()
        where = call_site()
        found = link.session.iprobe(link.rank, self._number, *pattern, where)
        if found is None:
            link.poll()
            found = link.session.iprobe(link.rank, self._number, *pattern, where)
        if found is not None and status is not None:
            status.fill(*found)
        return found is not None

    iprobe = Iprobe

    def Mprobe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message:
        """Waits for a message; it is received through what this returns."""
        status = Status() if status is None else status
        self.Probe(source, tag, status)
        if source == PROC_NULL:
            return Message(NO_PROC)
        return Message.of(self, status.source, status.tag)

    mprobe = Mprobe

    def Improbe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message | None:
        """Is there a message? It is received through what this returns."""
        status = Status() if status is None else status
        is_there = self.Iprobe(source, tag, status)
        if source == PROC_NULL:
            return Message(NO_PROC)
        return Message.of(self, status.source, status.tag) if is_there else None

    improbe = Improbe


class Message(Handle):
    """A message that a matched probe has found; null when it has been received.

    Source and tag name it: the rank is one thread, so no other receive comes between.
    """

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_REQUEST"]

    def __new__(cls, message: Message | None = None) -> Self:
        """A copy; without an argument, a null message."""
        if not (message is None or isinstance(message, Message)):
            raise TypeError(f"Message of {type(message).__name__}; accepted: a Message")
        made = object.__new__(cls)
        made._state = None if message is None else message._state
        return made

    @classmethod
    def of(cls, comm: Any, source: int, tag: int) -> Self:
        """The message of a communicator from a rank."""
        made = cls()
        made._state = (comm, source, tag)
        return made

    def _received(self) -> tuple[Any, int, int]:
        """Communicator, source and tag; the message is null afterwards."""
        found: tuple[Any, int, int] = self._alive("Recv")
        if self is not NO_PROC:
            self._state = None
        return found

    def _is_predefined(self) -> bool:
        return self._state is not None and self._state is NO_PROC._state

    @classmethod
    def Probe(
        cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message:
        """Waits for a message."""
        found: Message = comm.Mprobe(source, tag, status)
        return found

    @classmethod
    def Iprobe(
        cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message | None:
        """Is there a message?"""
        found: Message | None = comm.Improbe(source, tag, status)
        return found

    probe = Probe
    iprobe = Iprobe

    def recv(self, status: Status | None = None) -> Any:
        """Receives it as an object."""
        comm, source, tag = self._received()
        return _nothing(status) if comm is None else comm.recv(None, source, tag, status)

    def irecv(self) -> Request:
        """Starts to receive it as an object."""
        comm, source, tag = self._received()
        found: Request = _over() if comm is None else comm.irecv(None, source, tag)
        return found

    def Recv(self, buf: Any, status: Status | None = None) -> None:
        """Receives it into a buffer."""
        comm, source, tag = self._received()
        if comm is None:
            _nothing(status)
            return
        comm.Recv(buf, source, tag, status)

    def Irecv(self, buf: Any) -> Request:
        """Starts to receive it into a buffer."""
        comm, source, tag = self._received()
        found: Request = _over() if comm is None else comm.Irecv(buf, source, tag)
        return found


def _over() -> Request:
    """A request that is over."""
    return Request(mpi().COMM_SELF._link)


def _nothing(status: Status | None) -> None:
    if status is not None:
        status.fill(PROC_NULL, ANY_TAG, 0)


NO_PROC = Message.of(None, PROC_NULL, ANY_TAG)
"""The message of PROC_NULL, which can be received many times."""

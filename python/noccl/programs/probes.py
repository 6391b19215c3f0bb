# SPDX-License-Identifier: Apache-2.0
"""Probes: what a rank may know of a message before it receives it."""

from __future__ import annotations

from typing import Any

from noccl.programs.constants import ANY_SOURCE, ANY_TAG
from noccl.programs.link import call_site
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
        return Message(self, status.source, status.tag)

    mprobe = Mprobe

    def Improbe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Message | None:
        """Is there a message? It is received through what this returns."""
        status = Status() if status is None else status
        is_there = self.Iprobe(source, tag, status)
        return Message(self, status.source, status.tag) if is_there else None

    improbe = Improbe


class Message:
    """A message that a matched probe has found.

    Source and tag name it: the rank is one thread, so no other receive comes between.
    """

    __slots__ = ("_comm", "_source", "_tag")

    def __init__(self, comm: Any, source: int, tag: int) -> None:
        self._comm, self._source, self._tag = comm, source, tag

    def recv(self, status: Status | None = None) -> Any:
        """Receives it as an object."""
        return self._comm.recv(None, self._source, self._tag, status)

    def irecv(self) -> Request:
        """Starts to receive it as an object."""
        found: Request = self._comm.irecv(None, self._source, self._tag)
        return found

    def Recv(self, buf: Any, status: Status | None = None) -> None:
        """Receives it into a buffer."""
        self._comm.Recv(buf, self._source, self._tag, status)

    def Irecv(self, buf: Any) -> Request:
        """Starts to receive it into a buffer."""
        found: Request = self._comm.Irecv(buf, self._source, self._tag)
        return found

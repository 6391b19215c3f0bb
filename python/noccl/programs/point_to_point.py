# SPDX-License-Identifier: Apache-2.0
"""Messages from rank to rank: of Python objects in lower case, of buffers in upper case."""

from __future__ import annotations

import pickle
import warnings
from typing import TYPE_CHECKING, Any

from noccl.programs.buffers import read
from noccl.programs.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from noccl.programs.endpoint import Endpoint, tag_of
from noccl.programs.link import call_site
from noccl.programs.prequests import Prequest
from noccl.programs.requests import Request
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from noccl.programs.buffers import Buffer

_NEWEST = pickle.HIGHEST_PROTOCOL


class PointToPoint(Endpoint):
    """Sending and receiving."""

    __slots__ = ()

    def _begin_send(
        self, data: bytes, dest: int, tag: int, where: str, *, is_synchronous: bool = False
    ) -> int | None:
        if dest == PROC_NULL:
            return None
        link = self._link
        link.check()
        to, tag = self._rank_of("destination", dest), tag_of(tag)
        return self._send_engine(data, to, tag, where, is_synchronous=is_synchronous)

    def _send_engine(
        self, data: bytes, to: int, tag: int, where: str, *, is_synchronous: bool
    ) -> int:
        link = self._link
        return link.session.isend(link.rank, self._number, to, tag, data, is_synchronous, where)

    def _begin_receive(self, source: int, tag: int, max_bytes: int, where: str) -> int | None:
        if source == PROC_NULL:
            return None
        link = self._link
        link.check()
        source, tag = self._pattern(source, tag)
        return link.session.irecv(link.rank, self._number, source, tag, max_bytes, where)

    def _pattern(self, source: int, tag: int) -> tuple[int, int]:
        """Source and tag as the engine takes them."""
        source = -1 if source == ANY_SOURCE else self._rank_of("source", source)
        return source, -1 if tag == ANY_TAG else tag_of(tag)

    def _end(self, number: int | None, where: str) -> tuple[int, int, bytes | None]:
        """Waits for one request; source, tag and bytes."""
        if number is None:
            return PROC_NULL, ANY_TAG, None
        link = self._link
        link.session.wait(link.rank, [number], True, where)
        ((_, source, tag, data),) = link.block()
        return source, tag, data

    def _end_receive(self, number: int | None, status: Status | None, where: str) -> bytes | None:
        source, tag, data = self._end(number, where)
        if status is not None:
            status.fill(source, tag, 0 if data is None else len(data))
        return data

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns when it may be changed."""
        where = call_site()
        self._end(self._begin_send(pickle.dumps(obj, _NEWEST), dest, tag, where), where)

    rsend = send

    def ssend(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns when the receiver has met it."""
        where = call_site()
        data = pickle.dumps(obj, _NEWEST)
        self._end(self._begin_send(data, dest, tag, where, is_synchronous=True), where)

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        """Starts to send an object."""
        data = pickle.dumps(obj, _NEWEST)
        return Request(self._link, self._begin_send(data, dest, tag, call_site()))

    irsend = isend

    def issend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        """Starts to send an object; it is over when the receiver has met it."""
        data = pickle.dumps(obj, _NEWEST)
        number = self._begin_send(data, dest, tag, call_site(), is_synchronous=True)
        return Request(self._link, number)

    def recv(
        self,
        buf: Any = None,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Receives an object."""
        if buf is not None:
            warnings.warn("recv: buf is not used; accepted: None", UserWarning, stacklevel=2)
        where = call_site()
        data = self._end_receive(self._begin_receive(source, tag, -1, where), status, where)
        return loaded(data)

    def irecv(
        self,
        buf: Any = None,  # noqa: ARG002 - mpi4py's, a store that is not needed
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
    ) -> Request:
        """Starts to receive an object."""
        number = self._begin_receive(source, tag, -1, call_site())
        return Request(self._link, number, has_object=True)

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,  # noqa: ARG002 - mpi4py's, a store that is not needed
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Sends an object and receives another."""
        data = self._both(
            pickle.dumps(sendobj, _NEWEST), dest, sendtag, source, recvtag, -1, status
        )
        return loaded(data)

    def _both(
        self,
        data: bytes,
        dest: int,
        sendtag: int,
        source: int,
        recvtag: int,
        max_bytes: int,
        status: Status | None,
    ) -> bytes | None:
        where = call_site()
        receive = self._begin_receive(source, recvtag, max_bytes, where)
        send = self._begin_send(data, dest, sendtag, where)
        # Both at once, since the order in which a rank waits for them must not matter.
        numbers = [number for number in (receive, send) if number is not None]
        link = self._link
        if numbers:
            link.session.wait(link.rank, numbers, True, where)
        finished = link.block() if numbers else []
        found, came, label = None, PROC_NULL, ANY_TAG
        for index, one, other, arrived in finished:
            if numbers[index] == receive:
                came, label, found = one, other, arrived
        if status is not None:
            status.fill(came, label, 0 if found is None else len(found))
        return found

    def Send(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Sends a buffer; returns when it may be changed."""
        where = call_site()
        self._end(self._begin_send(data_of(buf, dest), dest, tag, where), where)

    Rsend = Send

    def Ssend(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Sends a buffer; returns when the receiver has met it."""
        where = call_site()
        number = self._begin_send(data_of(buf, dest), dest, tag, where, is_synchronous=True)
        self._end(number, where)

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Starts to send a buffer. What it holds now is sent."""
        return Request(self._link, self._begin_send(data_of(buf, dest), dest, tag, call_site()))

    Irsend = Isend

    def Issend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Starts to send a buffer; it is over when the receiver has met it."""
        where = call_site()
        number = self._begin_send(data_of(buf, dest), dest, tag, where, is_synchronous=True)
        return Request(self._link, number)

    def Recv(
        self,
        buf: Any,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Receives into a buffer, which may be longer than the message."""
        where = call_site()
        into = target_of(buf, source)
        size = 0 if into is None else into.size
        data = self._end_receive(self._begin_receive(source, tag, size, where), status, where)
        if into is not None and data:
            into.put(data)

    def Irecv(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Request:
        """Starts to receive into a buffer."""
        into = target_of(buf, source)
        size = 0 if into is None else into.size
        number = self._begin_receive(source, tag, size, call_site())
        return Request(self._link, number, into=into)

    def Sendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Sends a buffer and receives into another."""
        into = target_of(recvbuf, source)
        size = 0 if into is None else into.size
        data = self._both(data_of(sendbuf, dest), dest, sendtag, source, recvtag, size, status)
        if into is not None and data:
            into.put(data)

    def Sendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> None:
        """Sends a buffer and receives into the same."""
        self.Sendrecv(buf, dest, sendtag, buf, source, recvtag, status)

    def Isendrecv(
        self,
        sendbuf: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
    ) -> Request:
        """Starts both; it is over when the receive is, as what is sent has been copied."""
        data = data_of(sendbuf, dest)
        received = self.Irecv(recvbuf, source, recvtag)
        sent = self._begin_send(data, dest, sendtag, call_site())
        return Request(self._link, sent) if source == PROC_NULL else received

    def Isendrecv_replace(
        self,
        buf: Any,
        dest: int,
        sendtag: int = 0,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
    ) -> Request:
        """The same, with one buffer."""
        return self.Isendrecv(buf, dest, sendtag, buf, source, recvtag)

    def Send_init(self, buf: Any, dest: int, tag: int = 0) -> Prequest:
        """A send that can begin many times."""
        return self._persistent(
            lambda where: self._begin_send(data_of(buf, dest), dest, tag, where), None
        )

    def Recv_init(self, buf: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Prequest:
        """A receive that can begin many times."""
        into = target_of(buf, source)
        size = 0 if into is None else into.size
        return self._persistent(lambda where: self._begin_receive(source, tag, size, where), into)

    def _persistent(self, begin: Callable[[str], int | None], into: Buffer | None) -> Prequest:
        return Prequest.of(self._link, lambda: begin(call_site()), into=into)


def loaded(data: bytes | None) -> Any:
    """The object of a message; None of an empty one and of PROC_NULL, as mpi4py has it."""
    return pickle.loads(data) if data else None  # noqa: S301 - the program's own


def data_of(buf: Any, dest: int) -> bytes:
    """What is sent of a buffer: nothing to PROC_NULL."""
    return b"" if dest == PROC_NULL else read(buf, "buf").take()


def target_of(buf: Any, source: int) -> Buffer | None:
    """The buffer that is received into: none from PROC_NULL."""
    return None if source == PROC_NULL else read(buf, "buf", writable=True)

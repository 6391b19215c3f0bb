# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.util.pkl5`: objects whose buffers are messages of their own, without a copy in pickle.

A message of an object is a head with the lengths, the bytes of pickle, and each buffer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noccl.programs import comm, intercomm, probes, requests
from noccl.programs.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from noccl.programs.failures import MpiError
from noccl.programs.memories import MpiBuffer, Pickle
from noccl.programs.mpi_lookup import mpi
from noccl.programs.stand_in.many import Many
from noccl.programs.status import Status

_LENGTH = np.dtype(np.int64)
pickle: Pickle = Pickle()


class _BigMPI:
    """What mpi4py cuts long messages with: messages of any length are one here."""

    blocksize = 2**63 - 1


_bigmpi = _BigMPI()


def _parts(obj: Any) -> list[Any]:
    """Messages of an object."""
    data, buffers = pickle.dumps_oob(obj)
    views = [memoryview(buffer) for buffer in buffers]
    lengths = [len(data), *(view.nbytes for view in views)]
    return [np.array(lengths, _LENGTH), data, *views]


def _allocated(lengths: np.ndarray[Any, Any]) -> list[MpiBuffer]:
    return [MpiBuffer.allocate(int(length)) for length in lengths]


def _object(buffers: list[MpiBuffer]) -> Any:
    return pickle.loads_oob(buffers[0], buffers[1:])


class Request(Many):
    """Sends or receives of one object."""

    KIND = requests.Request
    NULL = "REQUEST_NULL"
    _buffers: list[MpiBuffer] | None = None

    def Free(self) -> None:
        """Ends each."""
        for one in self:
            one.Free()

    def cancel(self) -> None:
        """Withdraws each."""
        for one in self:
            one.Cancel()

    def get_status(self, status: Status | None = None) -> bool:
        """Are all over?"""
        given = [status, *[None] * len(self)]
        return all(one.Get_status(into) for one, into in zip(self, given, strict=False))

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Are all over, and the object received?"""
        is_over = requests.Request.Testall(self, None if status is None else (status,))
        return is_over, self._taken() if is_over else None

    def wait(self, status: Status | None = None) -> Any:
        """Waits until all are over; returns the object received."""
        requests.Request.Waitall(self, None if status is None else (status,))
        return self._taken()

    def _taken(self) -> Any:
        buffers, self._buffers = self._buffers, None
        return None if buffers is None else _object(buffers)

    @classmethod
    def get_status_all(cls, requests: Any, statuses: list[Status] | None = None) -> bool:
        """Are all over?"""
        _filled(statuses, len(requests))
        given = [None] * len(requests) if statuses is None else statuses
        return all(one.get_status(into) for one, into in zip(requests, given, strict=False))

    @classmethod
    def testall(cls, requests: Any, statuses: Any = None) -> tuple[bool, list[Any] | None]:
        """Are all over, and the objects received?"""
        if not all(one.get_status() for one in requests):
            return False, None
        return True, cls.waitall(requests, statuses)

    @classmethod
    def waitall(cls, requests: Any, statuses: Any = None) -> list[Any]:
        """Waits until all are over; returns the objects received."""
        _filled(statuses, len(requests))
        given = [*(statuses or ()), *[None] * len(requests)]
        return [one.wait(into) for one, into in zip(requests, given, strict=False)]


def _filled(statuses: Any, count: int) -> None:
    if isinstance(statuses, list):
        statuses += [Status() for _ in range(count - len(statuses))]


class Message(Many):
    """The messages of one object that a matched probe has found."""

    KIND = probes.Message
    NULL = "MESSAGE_NULL"

    def recv(self, status: Status | None = None) -> Any:
        """Receives the object."""
        if self[0] == mpi().MESSAGE_NO_PROC:
            return self[0].recv(status)
        return self._begun(status).wait()

    def irecv(self) -> Request:
        """Starts to receive the object."""
        if self[0] == mpi().MESSAGE_NO_PROC:
            return Request([self[0].irecv()])
        return self._begun(None)

    def _begun(self, status: Status | None) -> Request:
        lengths = np.empty(len(self) - 1, _LENGTH)
        self[0].Recv(lengths, status)
        buffers = _allocated(lengths)
        made = Request([one.Irecv(buffer) for one, buffer in zip(self[1:], buffers, strict=True)])
        made._buffers = buffers
        if status is not None:
            status.count = int(lengths.sum())
        return made

    @classmethod
    def probe(
        cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Any:
        """Waits for the messages of an object."""
        return _matched(comm, comm.Mprobe, source, tag, status)

    @classmethod
    def iprobe(
        cls, comm: Any, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Any:
        """Are there the messages of an object?"""
        return _matched(comm, comm.Improbe, source, tag, status)


def _matched(comm: Any, probe: Any, source: int, tag: int, status: Status | None) -> Any:
    status = Status() if status is None else status
    head = probe(source, tag, status)
    if head is None or source == PROC_NULL:
        return None if head is None else Message([head])
    found, total = [head], 0
    source, tag = status.source, status.tag
    # The head stays, and later messages of the sender with this tag are behind it.
    for _ in range(status.count // _LENGTH.itemsize):
        found.append(comm.Mprobe(source, tag, status))
        total += status.count
    status.count = total
    return Message(found)


class Comm(comm.Comm):
    """A communicator."""

    __slots__ = ()

    def _sent(self, start: str, obj: Any, dest: int, tag: int) -> Request:
        begin = getattr(self, start)
        parts = [None] if dest == PROC_NULL else _parts(obj)
        return Request([begin(part, dest, tag) for part in parts])

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns when it may be changed."""
        self._sent("Isend", obj, dest, tag).wait()

    def bsend(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns at once."""
        self._sent("Ibsend", obj, dest, tag).wait()

    def ssend(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns when the receiver has met it."""
        self._sent("Issend", obj, dest, tag).wait()

    def isend(self, obj: Any, dest: int, tag: int = 0) -> Request:  # type: ignore[override]
        """Starts to send an object."""
        return self._sent("Isend", obj, dest, tag)

    def ibsend(self, obj: Any, dest: int, tag: int = 0) -> Request:  # type: ignore[override]
        """Starts to send an object; the request is over at once."""
        return self._sent("Ibsend", obj, dest, tag)

    def issend(self, obj: Any, dest: int, tag: int = 0) -> Request:  # type: ignore[override]
        """Starts to send an object; it is over when the receiver has met it."""
        return self._sent("Issend", obj, dest, tag)

    def recv(
        self,
        buf: Any = None,
        source: int = ANY_SOURCE,
        tag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Receives an object; the bytes of pickle into `buf`, if they fit."""
        status = Status() if status is None else status
        if source == PROC_NULL:
            self.Recv(None, source, tag, status)
            return None
        self.Probe(source, tag, status)
        source, tag = status.source, status.tag
        lengths = np.empty(status.count // _LENGTH.itemsize, _LENGTH)
        self.Recv(lengths, source, tag)
        buffers = _allocated(lengths)
        if buf is not None and memoryview(buf).nbytes >= lengths[0]:
            buffers[0] = MpiBuffer(buf)[: int(lengths[0])]
        for buffer in buffers:
            self.Recv(buffer, source, tag, status)
        status.count = int(lengths.sum())
        return _object(buffers)

    def irecv(self, buf: Any = None, source: int = ANY_SOURCE, tag: int = ANY_TAG) -> Any:  # noqa: ARG002
        """Raises an error: how many messages an object has is known when its head has arrived."""
        raise MpiError("pkl5: irecv; accepted: recv, or mprobe and then irecv of the message")

    def sendrecv(
        self,
        sendobj: Any,
        dest: int,
        sendtag: int = 0,
        recvbuf: Any = None,
        source: int = ANY_SOURCE,
        recvtag: int = ANY_TAG,
        status: Status | None = None,
    ) -> Any:
        """Sends an object and receives another."""
        sent = self.isend(sendobj, dest, sendtag)
        found = self.recv(recvbuf, source, recvtag, status)
        sent.wait()
        return found

    def mprobe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Any:
        """Waits for the messages of an object."""
        return Message.probe(self, source, tag, status)

    def improbe(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, status: Status | None = None
    ) -> Any:
        """Are there the messages of an object?"""
        return Message.iprobe(self, source, tag, status)


class Intracomm(Comm, comm.Intracomm):
    """A communicator of one group of ranks."""

    __slots__ = ()


class Intercomm(Comm, intercomm.Intercomm):
    """A communicator of two groups of ranks."""

    __slots__ = ()

# SPDX-License-Identifier: Apache-2.0
"""Buffered sends: they return at once, whatever the receiver does.

The simulation keeps a copy of each message, so that the buffer that a program attaches is not used;
detaching it waits, as in MPI, until what was sent has left.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from noccl.programs.buffers import memory
from noccl.programs.constants import BUFFER_AUTOMATIC
from noccl.programs.failures import MpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.point_to_point import PointToPoint, data_of
from noccl.programs.requests import Request

if TYPE_CHECKING:
    from noccl.programs.link import Link


class Store:
    """Buffered sends of a rank.

    Attributes:
        attached: Buffers by number of their communicator, -1 for the rank's.
        requests: Sends that have begun, likewise.
    """

    def __init__(self) -> None:
        self.attached: dict[int, Any] = {}
        self.requests: dict[int, list[int]] = {}

    @staticmethod
    def of(link: Link) -> Store:
        """The store of a rank."""
        store: Store = link.hub.shared.setdefault(("buffered sends", link.rank), Store())
        return store

    def attach(self, number: int, buffer: Any) -> None:
        """Attaches a buffer."""
        if number in self.attached:
            raise MpiError(
                "Attach_buffer: a buffer is attached; accepted: after Detach_buffer",
                error_class=VALUES["ERR_BUFFER"],
            )
        if buffer is not BUFFER_AUTOMATIC:
            memory(buffer, "buf", writable=True)
        self.attached[number] = buffer

    def detach(self, number: int, link: Link) -> Any:
        """Waits for what has begun; the buffer that was attached, None without one."""
        self.flush(number, link)
        return self.attached.pop(number, None)

    def flush(self, number: int, link: Link) -> None:
        """Waits for what has begun: of the rank's buffer, in all communicators."""
        numbers = [number] if number >= 0 else [n for n in self.requests if n not in self.attached]
        requests = [one for n in numbers for one in self.requests.pop(n, [])]
        if requests:
            link.check()
            link.session.wait(link.rank, requests, True, call_site())
            link.block()


class BufferedSends(PointToPoint):
    """`Bsend`, its forms, and the buffer of a communicator."""

    __slots__ = ()

    def bsend(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Sends an object; returns at once."""
        self._buffer(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL), dest, tag)

    def ibsend(self, obj: Any, dest: int, tag: int = 0) -> Request:
        """Sends an object; the request is over at once."""
        self._buffer(pickle.dumps(obj, pickle.HIGHEST_PROTOCOL), dest, tag)
        return Request(self._link)

    def Bsend(self, buf: Any, dest: int, tag: int = 0) -> None:
        """Sends a buffer; returns at once."""
        self._buffer(data_of(buf, dest), dest, tag)

    def Ibsend(self, buf: Any, dest: int, tag: int = 0) -> Request:
        """Sends a buffer; the request is over at once."""
        self._buffer(data_of(buf, dest), dest, tag)
        return Request(self._link)

    def _buffer(self, data: bytes, dest: int, tag: int) -> int | None:
        number = self._begin_send(data, dest, tag, call_site())
        if number is not None:
            Store.of(self._link).requests.setdefault(self._number, []).append(number)
        return None

    def Attach_buffer(self, buf: Any) -> None:
        """Attaches a buffer to the communicator."""
        Store.of(self._link).attach(self._number, buf)

    def Detach_buffer(self) -> Any:
        """Waits for the buffered sends of the communicator; returns the buffer."""
        return Store.of(self._link).detach(self._number, self._link)

    def Flush_buffer(self) -> None:
        """Waits for the buffered sends of the communicator."""
        Store.of(self._link).flush(self._number, self._link)

    def Iflush_buffer(self) -> Request:
        """The same with a request, which is over."""
        self.Flush_buffer()
        return Request(self._link)

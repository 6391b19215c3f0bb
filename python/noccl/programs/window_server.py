# SPDX-License-Identifier: Apache-2.0
"""Serves the accesses of other ranks to the windows of a rank, in the order of their arrival.

A rank's server receives for as long as the program runs, concurrently with what the rank does, so
that an access is carried out while its target computes, waits or has ended. It is a task without a
greenlet: nothing in it waits but for the next message.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from noccl.programs.buffers import Buffer
from noccl.programs.mpi_values import VALUES
from noccl.programs.window_messages import (
    ACCUMULATE,
    COMPLETE,
    FIRST_TAG,
    FLUSH,
    GET,
    GRANT,
    LOCK,
    PUT,
    RESPONSE,
    SWAP,
    UNLOCK,
    Access,
    tag_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from noccl.programs.link import Link
    from noccl.programs.session import Finished

_SHARED = VALUES["LOCK_SHARED"]
_SITE = "the library of windows"


class Exposed:
    """A window's memory in its rank, and who has access to it.

    Attributes:
        memory: Its bytes.
        num_completes: Calls of `Complete` that no `Wait` has ended.
    """

    def __init__(self, memory: memoryview) -> None:
        self.memory = memory
        self.num_completes = 0
        self._wanted: tuple[int, Callable[[], None]] | None = None
        self._holders: dict[int, int] = {}
        self._queue: deque[tuple[int, int, Callable[[], None]]] = deque()

    def lock(self, source: int, kind: int, grant: Callable[[], None]) -> None:
        """Calls `grant` when a rank has the lock: in the order of calls."""
        self._queue.append((source, kind, grant))
        self._grant()

    def unlock(self, source: int) -> None:
        """A rank returns its lock."""
        del self._holders[source]
        self._grant()

    def _grant(self) -> None:
        while self._queue:
            source, kind, grant = self._queue[0]
            is_free = not self._holders or (
                kind == _SHARED and set(self._holders.values()) == {_SHARED}
            )
            if not is_free:
                return
            self._queue.popleft()
            self._holders[source] = kind
            grant()

    def complete(self) -> None:
        """A rank has ended its accesses."""
        self.num_completes += 1
        if self._wanted is not None and self.num_completes >= self._wanted[0]:
            wanted, self._wanted = self._wanted, None
            wanted[1]()

    def when_complete(self, number: int, call: Callable[[], None]) -> None:
        """Calls when so many ranks have ended their accesses."""
        if self.num_completes >= number:
            call()
        else:
            self._wanted = number, call

    def carry_out(self, access: Access) -> bytes:
        """Reads or writes items; what the origin gets."""
        items = Buffer(self.memory, access.start, access.count, access.datatype)
        if access.kind == PUT:
            items.put(access.data)
            return b""
        before = items.take()
        if access.kind == SWAP:
            compared, new = access.data[: items.size], access.data[items.size :]
            if before == compared:
                items.put(new)
        elif access.kind != GET:
            items.put(access.combined(before))
        return b"" if access.kind == ACCUMULATE else before


class Server:
    """The windows of a rank.

    Attributes:
        rank: Rank of the world.
        windows: By number.
    """

    def __init__(self, link: Link) -> None:
        self.rank = link.rank
        self.windows: dict[int, Exposed] = {}
        self._link = link
        self._closer = _Closer(link.rank)
        self._receive()

    @staticmethod
    def of(link: Link) -> Server:
        """The server of a rank, which begins with its first window."""
        shared, key = link.hub.shared, ("windows", link.rank)
        if key not in shared:
            shared[key] = Server(link)
        server: Server = shared[key]
        return server

    def _receive(self) -> None:
        session = self._link.session
        number = session.irecv(self.rank, session.world, -1, FIRST_TAG, -1, _SITE)
        session.wait_in_task(self.rank, [number], self._link.hub.wait_token(self), _SITE)

    def go_on(self, response: list[Finished]) -> None:
        """A message has arrived."""
        ((_, source, _, message),) = response
        self._receive()
        access = Access.unpacked(message or b"")
        if access.kind == LOCK:
            grant = lambda: self._respond(source, access.window, GRANT)  # noqa: E731 - one line
            self.windows[access.window].lock(source, access.count, grant)
            return
        found = self.carry_out(source, access)
        if found is not None:
            self._respond(source, access.window, RESPONSE, found)

    def carry_out(self, source: int, access: Access) -> bytes | None:
        """Does what a rank asks for; what it gets, None if it waits for nothing."""
        window = self.windows[access.window]
        if access.kind == COMPLETE:
            window.complete()
            return None
        if access.kind == UNLOCK:
            window.unlock(source)
        if access.kind in {UNLOCK, FLUSH}:
            return b""
        found = window.carry_out(access)
        return None if access.kind in {PUT, ACCUMULATE} else found

    def _respond(self, rank: int, window: int, kind: int, data: bytes = b"") -> None:
        session, tag = self._link.session, tag_of(window, kind)
        number = session.isend(self.rank, session.world, rank, tag, data, False, _SITE)
        # Nobody waits for its end, but the engine forgets only what has been waited for.
        token = self._link.hub.wait_token(self._closer)
        session.wait_in_task(self.rank, [number], token, _SITE)


class _Closer:
    """What a response does when it has left: nothing."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def go_on(self, response: list[Finished]) -> None:
        """It has left."""

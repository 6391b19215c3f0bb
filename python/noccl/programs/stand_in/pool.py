# SPDX-License-Identifier: Apache-2.0
"""Calls that one rank gives out and others do, as futures of Python.

Waiting for a future, by whatever function of `concurrent.futures`, receives results until it is
done. Simulated time knows no timeouts: they are not kept.
"""

from __future__ import annotations

import collections
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from noccl.programs.constants import ANY_SOURCE
from noccl.programs.failures import MpiError
from noccl.programs.status import Status

if TYPE_CHECKING:
    from noccl.programs.comm import Intracomm

_END = None
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]


class _Until(threading.Event):
    """What waits for futures: receives results until it is set."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - Python's
        """Receives results until it is set."""
        while not self.is_set():
            self._pool.receive()
        return True


class _Waiters(list[Any]):
    """Who waits for a future, each of which then receives results itself."""

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool

    def append(self, waiter: Any) -> None:
        """Adds one."""
        if not isinstance(waiter.event, _Until):
            waiter.event = _Until(self._pool)
        super().append(waiter)


class _Done(threading.Condition):
    """What a future signals: waiting for it receives results until the future is done."""

    def __init__(self, pool: Pool, future: Future[Any]) -> None:
        super().__init__()
        self._pool = pool
        self._future = future

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002 - Python's
        """Receives results until the future is done."""
        while self._future._state not in {"FINISHED", "CANCELLED_AND_NOTIFIED"}:
            self._pool.receive()
        return True


class Pool:
    """Calls given out by one rank of a communicator, results received from the others."""

    def __init__(self, comm: Intracomm, root: int, most: int | None) -> None:
        self.comm = comm
        others = [rank for rank in range(comm.Get_size()) if rank != root]
        self.workers: list[int] = others if most is None else others[:most]
        self._idle = collections.deque(self.workers)
        self._queue: collections.deque[tuple[Future[Any], Call]] = collections.deque()
        self._begun: dict[int, Future[Any]] = {}

    def submit(self, call: Call) -> Future[Any]:
        """Gives a call out, now or when a worker is idle."""
        future: Future[Any] = Future()
        future._condition = _Done(self, future)
        future._waiters = _Waiters(self)
        self._queue.append((future, call))
        self._give_out()
        return future

    def _give_out(self) -> None:
        while self._queue and (self._idle or not self.workers):
            future, call = self._queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            if not self.workers:
                _conclude(future, *_done(call))
                continue
            worker = self._idle.popleft()
            self._begun[worker] = future
            self.comm.send(call, worker)

    def receive(self) -> None:
        """Receives one result."""
        if not self._begun:
            raise MpiError("futures: waits for a call that no worker does; accepted: submit before")
        status = Status()
        is_good, value = self.comm.recv(None, ANY_SOURCE, 0, status)
        future = self._begun.pop(status.Get_source())
        self._idle.append(status.Get_source())
        self._give_out()
        _conclude(future, is_good, value)

    def finish(self, *, cancels: bool) -> None:
        """Receives all results."""
        if cancels:
            for future, _ in self._queue:
                future.cancel()
        while self._begun:
            self.receive()

    def end(self) -> None:
        """Ends the workers."""
        for rank in range(self.comm.Get_size()):
            if rank != self.comm.Get_rank():
                self.comm.send(_END, rank)


def _done(call: Call) -> tuple[bool, Any]:
    """Does a call: has it returned, and what it has returned or raised."""
    function, args, kwargs = call
    try:
        return True, function(*args, **kwargs)
    except Exception as error:
        return False, error


def _conclude(future: Future[Any], is_good: bool, value: Any) -> None:
    if is_good:
        future.set_result(value)
    else:
        future.set_exception(value)


def serve(comm: Intracomm, root: int) -> None:
    """Does calls of the root until it ends them."""
    served, key = comm._link.hub.shared, ("served", comm._link.rank)
    served[key] = comm, root
    while True:
        call = comm.recv(None, root, 0)
        if call is _END:
            del served[key]
            return
        comm.send(_done(call), root)

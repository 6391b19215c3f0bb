# SPDX-License-Identifier: Apache-2.0
"""Requests: sends and receives that go on while the rank does other things.

A test that finds nothing lets the time of a poll pass, so that a loop of tests comes to an end.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from noccl.errors import ProgramError
from noccl.programs import constants
from noccl.programs.link import call_site
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noccl.programs.buffers import Buffer
    from noccl.programs.link import Link


class Request:
    """A send or a receive that has begun.

    Args:
        link: The rank's end of the session.
        number: Of the engine; None for what is over at once.
        into: Buffer that is received into.
        has_object: Is a Python object received?
    """

    __slots__ = ("_has_object", "_into", "_link", "_number", "_status", "_value")

    def __init__(
        self,
        link: Link | None = None,
        number: int | None = None,
        *,
        into: Buffer | None = None,
        has_object: bool = False,
    ) -> None:
        self._link = link
        self._number = number
        self._into = into
        self._has_object = has_object
        self._status = Status()
        self._value: Any = None

    def _finish(self, source: int, tag: int, data: bytes | None) -> None:
        self._number = None
        self._status.fill(source, tag, 0 if data is None else len(data))
        if data is None:
            return
        if self._into is not None:
            self._into.put(data)
        elif self._has_object:
            self._value = pickle.loads(data)  # noqa: S301 - the program's own objects

    def _taken(self) -> Any:
        """The object received, given away."""
        value, self._value = self._value, None
        return value

    def __bool__(self) -> bool:
        return self._is_active()

    def Wait(self, status: Status | None = None) -> bool:
        """Waits until it is over."""
        self.Waitall([self], None if status is None else [status])
        return True

    def wait(self, status: Status | None = None) -> Any:
        """Waits until it is over; returns the object received."""
        self.Wait(status)
        return self._taken()

    def Test(self, status: Status | None = None) -> bool:
        """Is it over?"""
        return self.Testall([self], None if status is None else [status])

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        """Is it over, and the object received?"""
        return (True, self._taken()) if self.Test(status) else (False, None)

    def Get_status(self, status: Status | None = None) -> bool:
        """Is it over?"""
        return self.Test(status)

    def Cancel(self) -> None:
        """Withdraws a receive that no message has met, or a send that has not begun."""
        if self._number is not None and self._link is not None:
            if not self._link.session.cancel(self._link.rank, self._number):
                return
            self._number = None
            self._status.fill(constants.ANY_SOURCE, constants.ANY_TAG, 0, cancelled=True)

    cancel = Cancel

    def Free(self) -> None:
        """Does nothing: a send goes on, and what nobody uses goes by itself."""

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Waits until all are over."""
        _wait(requests, is_all=True)
        _fill(requests, range(len(requests)), statuses)
        return True

    @classmethod
    def waitall(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[Any]:
        """Waits until all are over; returns the objects received."""
        cls.Waitall(requests, statuses)
        return [request._taken() for request in requests]

    @classmethod
    def Waitany(cls, requests: Sequence[Request], status: Status | None = None) -> int:
        """Waits until one is over; returns its index, UNDEFINED if none is active."""
        indices = cls._some(requests, is_blocking=True)
        if not indices:
            return constants.UNDEFINED
        _fill(requests, indices[:1], None if status is None else [status])
        return indices[0]

    @classmethod
    def waitany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Waits until one is over; returns its index and the object received."""
        index = cls.Waitany(requests, status)
        return index, None if index == constants.UNDEFINED else requests[index]._taken()

    @classmethod
    def Waitsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Waits until some are over; returns their indices, None if none is active."""
        if not any(request._is_active() for request in requests):
            return None
        indices = cls._some(requests, is_blocking=True, is_many=True)
        _fill(requests, indices, statuses)
        return indices

    @classmethod
    def waitsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Waits until some are over; returns their indices and the objects received."""
        indices = cls.Waitsome(requests, statuses)
        if indices is None:
            return None, None
        return indices, [requests[index]._taken() for index in indices]

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: list[Status] | None = None) -> bool:
        """Are all over?"""
        if not _test(requests, is_all=True):
            return False
        _fill(requests, range(len(requests)), statuses)
        return True

    @classmethod
    def testall(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> tuple[bool, list[Any] | None]:
        """Are all over, and the objects received?"""
        if not cls.Testall(requests, statuses):
            return False, None
        return True, [request._taken() for request in requests]

    @classmethod
    def Testany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, bool]:
        """Is one over? Its index, UNDEFINED if none is."""
        if not any(request._is_active() for request in requests):
            return constants.UNDEFINED, True
        indices = cls._some(requests, is_blocking=False)
        if not indices:
            return constants.UNDEFINED, False
        _fill(requests, indices[:1], None if status is None else [status])
        return indices[0], True

    @classmethod
    def testany(
        cls, requests: Sequence[Request], status: Status | None = None
    ) -> tuple[int, bool, Any]:
        """Is one over? Its index and the object received."""
        index, is_over = cls.Testany(requests, status)
        return index, is_over, None if index < 0 else requests[index]._taken()

    @classmethod
    def Testsome(
        cls, requests: Sequence[Request], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Indices of those that are over; None if none is active."""
        if not any(request._is_active() for request in requests):
            return None
        indices = cls._some(requests, is_blocking=False, is_many=True)
        _fill(requests, indices, statuses)
        return indices

    def _is_active(self) -> bool:
        """Has its end not been reported yet?"""
        return self._number is not None or self._link is not None

    @classmethod
    def _some(
        cls, requests: Sequence[Request], *, is_blocking: bool, is_many: bool = False
    ) -> list[int]:
        """Indices of those that are over and not reported; waits for one if asked to."""

        def over() -> list[int]:
            found = [i for i, r in enumerate(requests) if r._number is None and r._is_active()]
            return found if is_many else found[:1]

        if not over():
            if is_blocking:
                _wait(requests, is_all=False)
            else:
                _test(requests, is_all=False)
        return over()


class Prequest(Request):
    """A request that can begin many times."""

    __slots__ = ("_begin", "_own")

    def __init__(
        self, link: Link, begin: Callable[[], int | None], *, into: Buffer | None = None
    ) -> None:
        super().__init__(None, into=into)
        self._own = link
        self._begin = begin

    def Start(self) -> None:
        """Begins."""
        if self._number is not None:
            raise ProgramError("Start: the request has not ended; accepted: Wait before")
        self._link = self._own
        self._number = self._begin()

    @classmethod
    def Startall(cls, requests: Sequence[Prequest]) -> None:
        """Begins all."""
        for request in requests:
            request.Start()


def _live(requests: Sequence[Request]) -> tuple[Link | None, list[int]]:
    live = [index for index, request in enumerate(requests) if request._number is not None]
    return (requests[live[0]]._link if live else None), live


def _wait(requests: Sequence[Request], *, is_all: bool) -> None:
    link, live = _live(requests)
    if link is None:
        return
    numbers: list[int] = [requests[index]._number for index in live]  # type: ignore[misc]
    link.session.wait(link.rank, numbers, is_all, call_site())
    for index, source, tag, data in link.block():
        requests[live[index]]._finish(source, tag, data)


def _test(requests: Sequence[Request], *, is_all: bool) -> bool:
    link, live = _live(requests)
    if link is None:
        return True
    link.check()
    over = _over(link, requests, live)
    if len(over) < (len(live) if is_all else 1):
        link.poll()
        over = _over(link, requests, live)
    is_met = len(over) >= (len(live) if is_all else 1)
    if is_met:
        # They have ended, so that this takes no time.
        _wait([requests[index] for index in over], is_all=True)
    return is_met


def _over(link: Link, requests: Sequence[Request], live: list[int]) -> list[int]:
    """Which of the live ones have ended."""
    is_over = link.session.is_over
    return [index for index in live if is_over(requests[index]._number)]  # type: ignore[arg-type]


def _fill(
    requests: Sequence[Request], indices: Sequence[int], statuses: list[Status] | None
) -> None:
    """Reports the end of requests: into statuses, and so that they are not reported again."""
    for place, index in enumerate(indices):
        request = requests[index]
        request._link = None
        if statuses is not None:
            if place == len(statuses):
                statuses.append(Status())
            found = request._status
            statuses[place].fill(
                found.source, found.tag, found.count_bytes, cancelled=found.cancelled
            )

# SPDX-License-Identifier: Apache-2.0
"""Requests: sends and receives that go on while the rank does other things."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Self

from noccl.programs import constants
from noccl.programs.failures import MpiError
from noccl.programs.link import Link
from noccl.programs.mpi_values import VALUES
from noccl.programs.request_status import StatusQueries
from noccl.programs.status import Status
from noccl.programs.waiting import PENDING, report, test_for, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.buffers import Buffer


class Request(StatusQueries):
    """A send or a receive that has begun.

    Args:
        link: The rank's end of the session.
        number: Of the engine; None for what is over at once.
        into: Buffer that is received into.
        has_object: Is a Python object received?
    """

    __slots__ = ("_has_object", "_into", "_link", "_number", "_status", "_value")
    _is_complete = False
    _link: Link | None
    _number: int | None
    _into: Buffer | None
    _value: Any
    _has_object: bool

    def __new__(
        cls,
        link: Link | Request | None = None,
        number: int | None = None,
        *,
        into: Buffer | None = None,
        has_object: bool = False,
    ) -> Self:
        """A request; of another one, a copy; without an argument, a null request."""
        made = object.__new__(cls)
        made._state = None if link is None else object()
        if isinstance(link, Request):
            other, link = link, link._link
            number, into, has_object = other._number, other._into, other._has_object
            made._state = other._state
        elif not (link is None or isinstance(link, Link)):
            raise TypeError(f"{cls.__name__} of {type(link).__name__}; accepted: a Request")
        made._link = link
        made._number = number
        made._into = into
        made._has_object = has_object
        made._status = Status()
        made._value = None
        return made

    def _settle(self) -> None:
        """Ends a request that the rank has completed."""

    def _finish(self, source: int, tag: int, data: bytes | None) -> None:
        self._number = None
        self._status.fill(source, tag, 0 if data is None else len(data))
        if data is None:
            return
        if self._into is not None:
            self._into.put(data)
        elif self._has_object and data:
            self._value = pickle.loads(data)  # noqa: S301 - the program's own objects

    def _taken(self) -> Any:
        """The object received, given away."""
        value, self._value = self._value, None
        return value

    def __bool__(self) -> bool:
        return self._is_active()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Request):
            return NotImplemented
        return self._state is other._state or not (self or other)

    __hash__ = None  # type: ignore[assignment]

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

    def Cancel(self) -> None:
        """Withdraws a receive that no message has met, or a send that has not begun."""
        if not self:
            raise MpiError(
                "Request.Cancel: the request is null or over; accepted: one that has begun",
                error_class=VALUES["ERR_REQUEST"],
            )
        if self._number is not None and self._link is not None and self._number != PENDING:
            if not self._link.session.cancel(self._link.rank, self._number):
                return
            self._number = None
            self._status.fill(constants.ANY_SOURCE, constants.ANY_TAG, 0, cancelled=True)

    cancel = Cancel

    def Free(self) -> None:
        """Ends the request; what it has begun goes on."""
        if not self:
            raise MpiError(
                "Request.Free: the request is null or over; accepted: one that has begun",
                error_class=VALUES["ERR_REQUEST"],
            )
        self._link = self._number = None

    @classmethod
    def Waitall(cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> bool:
        """Waits until all are over."""
        wait_for(requests, is_all=True)
        report(requests, range(len(requests)), statuses)
        return True

    @classmethod
    def waitall(
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
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
        report(requests, indices[:1], None if status is None else [status])
        return indices[0]

    @classmethod
    def waitany(cls, requests: Sequence[Request], status: Status | None = None) -> tuple[int, Any]:
        """Waits until one is over; returns its index and the object received."""
        index = cls.Waitany(requests, status)
        return index, None if index == constants.UNDEFINED else requests[index]._taken()

    @classmethod
    def Waitsome(
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
    ) -> list[int] | None:
        """Waits until some are over; returns their indices, None if none is active."""
        if not any(request._is_active() for request in requests):
            return None
        indices = cls._some(requests, is_blocking=True, is_many=True)
        report(requests, indices, statuses)
        return indices

    @classmethod
    def waitsome(
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Waits until some are over; returns their indices and the objects received."""
        indices = cls.Waitsome(requests, statuses)
        if indices is None:
            return None, None
        return indices, [requests[index]._taken() for index in indices]

    @classmethod
    def Testall(cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None) -> bool:
        """Are all over?"""
        if not test_for(requests, is_all=True):
            return False
        report(requests, range(len(requests)), statuses)
        return True

    @classmethod
    def testall(
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
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
        report(requests, indices[:1], None if status is None else [status])
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
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
    ) -> list[int] | None:
        """Indices of those that are over; None if none is active."""
        if not any(request._is_active() for request in requests):
            return None
        indices = cls._some(requests, is_blocking=False, is_many=True)
        report(requests, indices, statuses)
        return indices

    @classmethod
    def testsome(
        cls, requests: Sequence[Request], statuses: Sequence[Status] | None = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        """Indices of those that are over, and the objects received; None if none is active."""
        indices = cls.Testsome(requests, statuses)
        if indices is None:
            return None, None
        return indices, [requests[index]._taken() for index in indices]

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
                wait_for(requests, is_all=False)
            else:
                test_for(requests, is_all=False)
        return over()

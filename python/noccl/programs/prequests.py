# SPDX-License-Identifier: Apache-2.0
"""Persistent requests: sends, receives and collectives that can begin many times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs.failures import MpiError
from noccl.programs.mpi_values import VALUES
from noccl.programs.requests import Request
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noccl.programs.buffers import Buffer
    from noccl.programs.link import Link


class Prequest(Request):
    """A request that can begin many times."""

    __slots__ = ("_begin", "_own")
    _begin: Callable[[], int | None]
    _own: Link | None

    def __new__(cls, request: Any = None, *_: Any, **__: Any) -> Self:
        """A copy of another one; without an argument, a null request."""
        is_copy = isinstance(request, Prequest)
        if not (is_copy or request is None or (isinstance(request, Request) and not request)):
            raise TypeError(f"Prequest of {type(request).__name__}; accepted: a Prequest")
        made = super().__new__(cls, request)
        made._own = request._own if is_copy else None
        if is_copy:
            made._begin = request._begin
        return made

    @classmethod
    def of(cls, link: Link, begin: Callable[[], int | None], *, into: Buffer | None = None) -> Self:
        """A request by what begins it."""
        made = cls()
        made._state, made._own, made._begin, made._into = object(), link, begin, into
        return made

    def __bool__(self) -> bool:
        return self._own is not None

    def Start(self) -> None:
        """Begins."""
        if self._own is None:
            raise MpiError(
                "Start: the request is null; accepted: one of Send_init and the like",
                error_class=VALUES["ERR_REQUEST"],
            )
        if self._number is not None:
            raise MpiError(
                "Start: the request has not ended; accepted: Wait before",
                error_class=VALUES["ERR_REQUEST"],
            )
        self._link = self._own
        self._status = Status()
        self._number = self._begin()

    def Pready(self, partition: int) -> None:
        """A part of a message may be sent."""
        self.Pready_list([partition])

    def Pready_range(self, partition_low: int, partition_high: int) -> None:
        """Parts, the last included, may be sent."""
        self.Pready_list(range(partition_low, partition_high + 1))

    def Pready_list(self, partitions: Sequence[int]) -> None:
        """Parts may be sent."""
        raise self._has_no_parts("Pready", partitions)

    def Parrived(self, partition: int) -> bool:
        """Has a part arrived?"""
        raise self._has_no_parts("Parrived", [partition])

    @staticmethod
    def _has_no_parts(call: str, parts: Sequence[int]) -> MpiError:
        return MpiError(
            f"{call}: parts {list(parts)} of a message that has none; accepted: requests of "
            "Psend_init and Precv_init",
            error_class=VALUES["ERR_REQUEST"],
        )

    def Free(self) -> None:
        """Ends the request; what it has begun goes on."""
        super().Free()
        self._own = None

    @classmethod
    def Startall(cls, requests: Sequence[Prequest]) -> None:
        """Begins all."""
        for request in requests:
            request.Start()

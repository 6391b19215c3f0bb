# SPDX-License-Identifier: Apache-2.0
"""Requests that the rank itself completes: generalized ones, and partitioned messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs.constants import ANY_SOURCE, ANY_TAG, PROC_NULL
from noccl.programs.endpoint import tag_of
from noccl.programs.failures import MpiError, as_mpi_errors
from noccl.programs.link import call_site
from noccl.programs.mpi_lookup import mpi
from noccl.programs.mpi_values import VALUES
from noccl.programs.point_to_point import PointToPoint, data_of, target_of
from noccl.programs.prequests import Prequest
from noccl.programs.requests import Request
from noccl.programs.waiting import PENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Tags of partitioned messages, which no other receive takes.
_FIRST_TAG = 2**39


class Grequest(Request):
    """A request that the program completes."""

    __slots__ = ("_functions", "_given", "_is_complete")
    _functions: tuple[Any, Any, Any]
    _given: tuple[Sequence[Any], dict[str, Any]]

    def __new__(cls, request: Any = None, *_: Any, **__: Any) -> Self:
        """A copy of another one; without an argument, a null request."""
        is_copy = isinstance(request, Grequest)
        if not (is_copy or request is None or (isinstance(request, Request) and not request)):
            raise TypeError(f"Grequest of {type(request).__name__}; accepted: a Grequest")
        made = super().__new__(cls, request)
        made._is_complete = is_copy and request._is_complete
        made._functions = request._functions if is_copy else (None, None, None)
        made._given = request._given if is_copy else ((), {})
        return made

    @classmethod
    def Start(
        cls,
        query_fn: Callable[..., None] | None = None,
        free_fn: Callable[..., None] | None = None,
        cancel_fn: Callable[..., None] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """A request that is over after `Complete`; the functions are called as MPI has it."""
        made = cls()
        made._state, made._link, made._number = object(), mpi().COMM_SELF._link, PENDING
        made._functions = (query_fn, free_fn, cancel_fn)
        made._given = (args or (), kwargs or {})
        return made

    def Complete(self) -> None:
        """The request is over."""
        self._is_complete = True

    def complete(self, obj: Any = None) -> None:
        """The request is over; `wait` returns the object."""
        self._value = obj
        self._is_complete = True

    def Cancel(self) -> None:
        """Calls the function for that."""
        self._call(2, self._is_complete)

    cancel = Cancel

    def _settle(self) -> None:
        self._number = None
        self._status.fill(ANY_SOURCE, ANY_TAG, 0)
        try:
            self._call(0, self._status)
        finally:
            self._call(1)

    def _call(self, index: int, *first: Any) -> None:
        function, (args, kwargs) = self._functions[index], self._given
        if function is not None:
            with as_mpi_errors():
                function(*first, *args, **kwargs)


class _Partitioned(Prequest):
    """A message whose sender says of its parts when they are ready; it leaves with the last."""

    __slots__ = ("_begin_parts", "_is_send", "_partitions", "_waits_for")
    _begin_parts: Callable[[], int | None]
    _is_send: bool
    _partitions: int
    _waits_for: set[int]

    def Start(self) -> None:
        """Begins: what is received at once, what is sent when all parts are ready."""
        super().Start()
        if self._is_send:
            self._number = PENDING
            self._waits_for = set(range(self._partitions))

    def Pready_list(self, partitions: Sequence[int]) -> None:
        """Parts may be sent."""
        for partition in partitions:
            if self._number != PENDING or partition not in self._waits_for:
                raise MpiError(
                    f"Pready: part {partition}; accepted: once for each of {self._partitions} of a "
                    "send, after Start",
                    error_class=VALUES["ERR_ARG"],
                )
            self._waits_for.remove(partition)
        if not self._waits_for:
            self._number = self._begin_parts()

    def Parrived(self, partition: int) -> bool:
        """Has a part arrived?"""
        if self._is_send or not 0 <= partition < self._partitions:
            raise MpiError(
                f"Parrived: part {partition}; accepted: 0 to {self._partitions - 1} of a receive",
                error_class=VALUES["ERR_ARG"],
            )
        return self.Get_status()


class PartitionedMessages(PointToPoint):
    """`Psend_init` and `Precv_init`."""

    __slots__ = ()

    def Psend_init(
        self,
        buf: Any,
        partitions: int,
        dest: int,
        tag: int = 0,
        info: object = None,  # noqa: ARG002 - mpi4py's
    ) -> Prequest:
        """A send in parts that can begin many times."""
        made = _Partitioned.of(self._link, lambda: None)
        made._begin_parts = lambda: self._send_parts(data_of(buf, dest), dest, tag)
        made._partitions, made._is_send = partitions, True
        return made

    def Precv_init(
        self,
        buf: Any,
        partitions: int,
        source: int,
        tag: int = 0,
        info: object = None,  # noqa: ARG002 - mpi4py's
    ) -> Prequest:
        """A receive in parts that can begin many times."""
        into = target_of(buf, source)
        size = 0 if into is None else into.size
        begin = lambda: self._receive_parts(size, source, tag)  # noqa: E731 - what begins it
        made = _Partitioned.of(self._link, begin, into=into)
        made._partitions, made._is_send = partitions, False
        return made

    def _send_parts(self, data: bytes, dest: int, tag: int) -> int | None:
        if dest == PROC_NULL:
            return None
        to, tag = self._rank_of("destination", dest), _FIRST_TAG + tag_of(tag)
        self._link.check()
        return self._send_engine(data, to, tag, call_site(), is_synchronous=False)

    def _receive_parts(self, size: int, source: int, tag: int) -> int | None:
        if source == PROC_NULL:
            return None
        link, source, tag = self._link, self._rank_of("source", source), _FIRST_TAG + tag_of(tag)
        link.check()
        return link.session.irecv(link.rank, self._number, source, tag, size, call_site())

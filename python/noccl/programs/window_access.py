# SPDX-License-Identifier: Apache-2.0
"""Accesses to the windows of other ranks: `Put` to `Compare_and_swap`, with and without requests.

All errors are raised at the call, in the rank that makes it: it knows the sizes of all windows.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from noccl.programs.buffer_forms import datatype_of, whole
from noccl.programs.buffers import Buffer, read
from noccl.programs.failures import MpiError, ValueMpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.operators import NO_OP, REPLACE, SUM, Op
from noccl.programs.requests import Request
from noccl.programs.window_epochs import Epochs
from noccl.programs.window_messages import ACCUMULATE, GET, GET_ACCUMULATE, PUT, SWAP

if TYPE_CHECKING:
    from noccl.programs.datatypes import Datatype
    from noccl.programs.window_state import WinState

_PROC_NULL = VALUES["PROC_NULL"]
_TARGET = "accepted: a displacement, (displacement, count), (displacement, count, datatype), None"


class Accesses(Epochs):
    """Reading and writing of memory of other ranks."""

    __slots__ = ()

    def Put(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Writes a buffer into a window."""
        self._access("Put", PUT, origin, target_rank, target)

    def Get(self, origin: Any, target_rank: int, target: Any = None) -> None:
        """Reads a window into a buffer."""
        self._access("Get", GET, origin, target_rank, target)

    def Accumulate(self, origin: Any, target_rank: int, target: Any = None, op: Op = SUM) -> None:
        """Combines a buffer with items of a window, into the window."""
        self._access("Accumulate", ACCUMULATE, origin, target_rank, target, op)

    def Get_accumulate(
        self, origin: Any, result: Any, target_rank: int, target: Any = None, op: Op = SUM
    ) -> None:
        """The same, and the items before it into another buffer."""
        self._access("Get_accumulate", GET_ACCUMULATE, origin, target_rank, target, op, result)

    def Rput(self, origin: Any, target_rank: int, target: Any = None) -> Request:
        """As `Put`; the request is over when the buffer may be changed."""
        return self._access("Rput", PUT, origin, target_rank, target)

    def Rget(self, origin: Any, target_rank: int, target: Any = None) -> Request:
        """As `Get`; the request is over when the buffer has the items."""
        return self._access("Rget", GET, origin, target_rank, target)

    def Raccumulate(
        self, origin: Any, target_rank: int, target: Any = None, op: Op = SUM
    ) -> Request:
        """As `Accumulate`; the request is over when the buffer may be changed."""
        return self._access("Raccumulate", ACCUMULATE, origin, target_rank, target, op)

    def Rget_accumulate(
        self, origin: Any, result: Any, target_rank: int, target: Any = None, op: Op = SUM
    ) -> Request:
        """As `Get_accumulate`; the request is over when the result has the items."""
        name = "Rget_accumulate"
        return self._access(name, GET_ACCUMULATE, origin, target_rank, target, op, result)

    def Fetch_and_op(
        self, origin: Any, result: Any, target_rank: int, target_disp: int = 0, op: Op = SUM
    ) -> None:
        """As `Get_accumulate`, of one item."""
        name = "Fetch_and_op"
        self._one_item(name, origin=origin, result=result)
        self._access(name, GET_ACCUMULATE, origin, target_rank, target_disp, op, result)

    def Compare_and_swap(
        self, origin: Any, compare: Any, result: Any, target_rank: int, target_disp: int = 0
    ) -> None:
        """Replaces an item that equals another one; the item before it into `result`."""
        name = "Compare_and_swap"
        self._one_item(name, origin=origin, compare=compare, result=result)
        compared = read(compare, "compare").take()
        self._access(name, SWAP, origin, target_rank, target_disp, REPLACE, result, compared)

    @staticmethod
    def _one_item(call: str, **buffers: Any) -> None:
        # As mpi4py, which raises no error of MPI here.
        kinds = set()
        for name, spec in buffers.items():
            buffer = read(spec, name)
            kinds.add(buffer.datatype.label)
            if buffer.count != 1 or not buffer.datatype._is_predefined():
                raise ValueError(
                    f"Win.{call}: {name}: {buffer.count} items of {buffer.datatype.label}; "
                    "accepted: one item of a predefined datatype"
                )
        if len(kinds) > 1:
            raise ValueError(
                f"Win.{call}: datatypes {', '.join(sorted(kinds))}; accepted: one datatype"
            )

    def _access(
        self,
        call: str,
        kind: int,
        origin: Any,
        target_rank: int,
        target: Any,
        op: Op = REPLACE,
        result: Any = None,
        compared: bytes = b"",
    ) -> Request:
        state, where = self._window(call), call_site()
        if target_rank == _PROC_NULL:
            return Request(state.comm._link)
        rank = state.comm._rank_of("target_rank", target_rank)
        is_read = kind in {GET, GET_ACCUMULATE, SWAP}
        into = read(origin if kind == GET else result, "result", writable=True) if is_read else None
        is_ignored = op == NO_OP and into is not None
        given = into if into is not None and (is_ignored or kind == GET) else read(origin, "origin")
        start, count, datatype = _items(state, call, rank, given, target)
        self._check(call, given, into, count * datatype.size)
        if kind in {ACCUMULATE, GET_ACCUMULATE}:
            _check_operator(call, op, datatype)
        state.enter(rank, call, where)
        data = b"" if given is into else compared + given.take()
        access = state.access(kind, start=start, count=count, datatype=datatype, op=op, data=data)
        state.compare(rank, access, f"Win.{call} at {where}")
        return state.ask(rank, access, where, into=into)[-1]

    @staticmethod
    def _check(call: str, given: Buffer, into: Buffer | None, size: int) -> None:
        for buffer in (given, given if into is None else into):
            if buffer.size != size:
                raise MpiError(
                    f"Win.{call}: a buffer of {buffer.size} bytes for {size} bytes of the target; "
                    "accepted: as many",
                    error_class=VALUES["ERR_ARG"],
                )


def _check_operator(call: str, op: Any, datatype: Datatype) -> None:
    if not isinstance(op, Op) or not op._is_predefined():
        raise MpiError(
            f"Win.{call}: operator {op!r}; accepted: a predefined one, which the target has too",
            error_class=VALUES["ERR_OP"],
        )
    if op not in (NO_OP, REPLACE):
        # What it does not combine is refused here, not in the target.
        op.combine(datatype, b"", b"")


def _items(
    state: WinState, call: str, rank: int, given: Buffer, target: Any
) -> tuple[int, int, Datatype]:
    """First byte, number and datatype of the target's items.

    Raises:
        MpiError: The window does not have them.
    """
    parts = list(target) if isinstance(target, (list, tuple)) else [target]
    if len(parts) > 3:  # noqa: PLR2004 - displacement, count, datatype
        raise ValueMpiError(f"Win.{call}: target: {len(parts)} items; {_TARGET}")
    displacement, count, kind = [*parts, None, None, None][:3]
    try:
        units = operator.index(0 if displacement is None else displacement)
    except TypeError as error:
        found = type(displacement).__name__
        raise ValueMpiError(f"Win.{call}: target: {found}; {_TARGET}") from error
    items = given.count if count is None else whole("target: count", count)
    datatype = given.datatype if kind is None else datatype_of(kind, "target")
    start, size = units * state.disp_units[rank], state.sizes[rank]
    first, last = (start + offset for offset in datatype.reach(items))
    if units < 0 or first < 0 or last > size:
        raise MpiError(
            f"Win.{call}: bytes {first} to {last} of the window of rank {rank}; accepted: 0 to "
            f"{size}",
            error_class=VALUES["ERR_DISP" if units < 0 else "ERR_RMA_RANGE"],
        )
    return start, items, datatype

# SPDX-License-Identifier: Apache-2.0
"""What a program asks of requests without ending them: they can be waited for afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.programs import constants
from noccl.programs.handles import Handle
from noccl.programs.mpi_values import VALUES
from noccl.programs.status import Status
from noccl.programs.waiting import test_for

if TYPE_CHECKING:
    from collections.abc import Sequence


class StatusQueries(Handle):
    """`Get_status` and the forms of it for many requests."""

    __slots__ = ()
    ERROR_CLASS = VALUES["ERR_REQUEST"]
    _status: Status

    def Get_status(self, status: Status | None = None) -> bool:
        """Is it over?"""
        return self.Get_status_all([self], None if status is None else [status])

    @classmethod
    def Get_status_all(cls, requests: Sequence[Any], statuses: list[Status] | None = None) -> bool:
        """Are all over?"""
        is_over = test_for(requests, is_all=True)
        if is_over:
            _say(requests, range(len(requests)), statuses)
        return is_over

    @classmethod
    def Get_status_any(
        cls, requests: Sequence[Any], status: Status | None = None
    ) -> tuple[int, bool]:
        """Is one over? Its index, UNDEFINED if none is."""
        found = cls.Get_status_some(requests)
        if found is None:
            if status is not None:
                status.take(Status())
            return constants.UNDEFINED, True
        if not found:
            return constants.UNDEFINED, False
        _say(requests, found[:1], None if status is None else [status])
        return found[0], True

    @classmethod
    def Get_status_some(
        cls, requests: Sequence[Any], statuses: list[Status] | None = None
    ) -> list[int] | None:
        """Indices of those that are over; None if none is active."""
        active = [index for index, request in enumerate(requests) if request._is_active()]
        if not active:
            return None
        test_for([requests[index] for index in active], is_all=False)
        found = [index for index in active if requests[index]._number is None]
        _say(requests, found, statuses)
        return found

    get_status = Get_status
    get_status_all = Get_status_all
    get_status_any = Get_status_any
    get_status_some = Get_status_some


def _say(
    requests: Sequence[Any], indices: Sequence[int], statuses: Sequence[Status] | None
) -> None:
    if statuses is None:
        return
    for place, index in enumerate(indices):
        if place >= len(statuses):
            if not isinstance(statuses, list):
                return
            statuses.append(Status())
        statuses[place].take(requests[index]._status)

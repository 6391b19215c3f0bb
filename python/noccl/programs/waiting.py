# SPDX-License-Identifier: Apache-2.0
"""Waiting for requests and testing them, several at once.

A test that finds nothing lets the time of a poll pass, so that a loop of tests comes to an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.programs.failures import MpiError
from noccl.programs.link import call_site
from noccl.programs.mpi_values import VALUES
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.link import Link
    from noccl.programs.requests import Request

# Number of a request that the rank itself completes.
PENDING = -1


def _live(requests: Sequence[Request]) -> tuple[Link | None, list[int]]:
    live = [index for index, request in enumerate(requests) if request._number is not None]
    return (requests[live[0]]._link if live else None), live


def wait_for(requests: Sequence[Request], *, is_all: bool) -> None:
    """Waits until one or all that have begun are over."""
    link, live = _live(requests)
    if link is None:
        return
    numbers: list[int] = [requests[index]._number for index in live]  # type: ignore[misc]
    if PENDING in numbers:
        if _settle(requests, live, is_all=is_all):
            wait_for([one for one in requests if one._number != PENDING], is_all=is_all)
        return
    link.session.wait(link.rank, numbers, is_all, call_site())
    for index, source, tag, data in link.block():
        requests[live[index]]._finish(source, tag, data)


def test_for(requests: Sequence[Request], *, is_all: bool) -> bool:
    """Is one or are all that have begun over? Finishes those that are if so."""
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
        wait_for([requests[index] for index in over], is_all=True)
    return is_met


def _over(link: Link, requests: Sequence[Request], live: list[int]) -> list[int]:
    """Which of the live ones have ended."""
    is_over = link.session.is_over
    found = []
    for index in live:
        number = requests[index]._number
        if requests[index]._is_complete if number == PENDING else is_over(number):  # type: ignore[arg-type]
            found.append(index)
    return found


def _settle(requests: Sequence[Request], live: list[int], *, is_all: bool) -> bool:
    """Ends those that the rank has completed itself; must the others be waited for?

    Raises:
        MpiError: Only the rank that waits could complete one.
    """
    pending = [index for index in live if requests[index]._number == PENDING]
    complete = [index for index in pending if requests[index]._is_complete]
    for index in complete:
        requests[index]._settle()
    if complete and not is_all:
        return False
    if len(complete) < len(pending) and (is_all or len(pending) == len(live)):
        raise MpiError(
            f"{call_site()} waits for a request that its rank completes; accepted: after Complete "
            "or Pready of all parts",
            error_class=VALUES["ERR_REQUEST"],
        )
    return True


def report(
    requests: Sequence[Request], indices: Sequence[int], statuses: Sequence[Status] | None
) -> None:
    """Reports the end of requests: into statuses, and so that they are not reported again.

    A list of statuses gets as many as are reported, a tuple is filled as far as it goes.
    """
    for place, index in enumerate(indices):
        request = requests[index]
        request._link = None
        if statuses is not None:
            if place >= len(statuses):
                if not isinstance(statuses, list):
                    continue
                statuses.append(Status())
            found = request._status
            statuses[place].fill(
                found.source, found.tag, found.count_bytes, cancelled=found.cancelled
            )

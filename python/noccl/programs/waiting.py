# SPDX-License-Identifier: Apache-2.0
"""Waiting for requests and testing them, several at once.

A test that finds nothing lets the time of a poll pass, so that a loop of tests comes to an end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noccl.programs.link import call_site
from noccl.programs.status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl.programs.link import Link
    from noccl.programs.requests import Request


def _live(requests: Sequence[Request]) -> tuple[Link | None, list[int]]:
    live = [index for index, request in enumerate(requests) if request._number is not None]
    return (requests[live[0]]._link if live else None), live


def wait_for(requests: Sequence[Request], *, is_all: bool) -> None:
    """Waits until one or all that have begun are over."""
    link, live = _live(requests)
    if link is None:
        return
    numbers: list[int] = [requests[index]._number for index in live]  # type: ignore[misc]
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
    return [index for index in live if is_over(requests[index]._number)]  # type: ignore[arg-type]


def report(
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

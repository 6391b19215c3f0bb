# SPDX-License-Identifier: Apache-2.0
"""A rank's end of the session: which rank calls, and where a call stands in the user's code.

A communicator that reaches another rank, through a variable that ranks share, would act for the
wrong rank; `check` notices that. Call sites are kept per place in the code, since looking a line
up costs more than the rest of a short call.
"""

from __future__ import annotations

import os
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

from greenlet import getcurrent

from noccl.errors import ProgramError

if TYPE_CHECKING:
    from noccl.programs.hub import Hub
    from noccl.programs.notes import Notes
    from noccl.programs.session import Session

# The host's file of last calls, while a program runs that has one.
_notes: Notes | None = None
_PACKAGE = os.path.dirname(__file__) + os.sep
# By id of a code object, which is kept so that the id stays its own: None if it is of this package,
# else the sites by instruction.
_SITES: dict[int, tuple[CodeType, dict[int, str] | None]] = {}


class Link:
    """What a rank's communicators share.

    Attributes:
        rank: Rank of the world.
        session: The engine; after the end an object whose every method ends the rank.
        hub: Runs the ranks.
        has_split: Has the rank made a communicator?
    """

    __slots__ = ("has_split", "hub", "rank", "session", "to_hub")

    def __init__(self, rank: int, session: Session, hub: Hub, to_hub: Any) -> None:
        self.rank: int = rank
        self.session: Session = session
        self.hub: Hub = hub
        self.to_hub: Any = to_hub
        self.has_split: bool = False

    def check(self) -> None:
        """Makes sure that it is this rank that calls.

        Raises:
            ProgramError: Another rank calls.
        """
        current = self.hub.current
        if current != self.rank:
            raise ProgramError(
                f"rank {current} uses an object of rank {self.rank}; accepted: communicators, "
                "requests of the rank itself, not kept in variables that ranks share",
                rank=current,
            )

    def block(self) -> Any:
        """Hands over to the hub; returns the response to the blocking call made before."""
        hub = self.hub
        if hub.current != self.rank:
            self.check()
        hub.progress += 1
        return self.to_hub()

    def poll(self) -> None:
        """Lets the time of one poll pass."""
        self.pause(None)

    def pause(self, cycles: int | None) -> None:
        """Lets so many cycles pass; None: those of one poll."""
        self.check()
        self.session.poll(self.rank, cycles, call_site())
        self.to_hub()


def note_calls(notes: Notes | None) -> None:
    """From now on places of calls are noted there, until it is None."""
    global _notes  # noqa: PLW0603 - a program at a time; an argument of every call would cost more
    _notes = notes


def call_site() -> str:
    """`file:line` of the innermost call outside this package."""
    frame = sys._getframe(1)
    while True:
        code = frame.f_code
        known = _SITES.get(id(code))
        if known is None:
            known = _new_code(code)
        sites = known[1]
        if sites is not None:
            break
        outer = frame.f_back
        if outer is None:
            # What goes on beside a rank's calls has been begun somewhere.
            return str(getattr(getcurrent(), "site", "unknown"))
        frame = outer
    site = sites.get(frame.f_lasti)
    if site is None:
        site = sites[frame.f_lasti] = f"{_shown(code.co_filename)}:{frame.f_lineno}"
    if _notes is not None:
        _notes.call(site)
    return site


def _new_code(code: CodeType) -> tuple[CodeType, dict[int, str] | None]:
    is_ours = code.co_filename.startswith(_PACKAGE)
    known: tuple[CodeType, dict[int, str] | None] = (code, None if is_ours else {})
    _SITES[id(code)] = known
    return known


def _shown(path: str) -> str:
    inside = os.getcwd() + os.sep
    return path.removeprefix(inside)

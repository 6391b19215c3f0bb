# SPDX-License-Identifier: Apache-2.0
"""Ends a program in which a rank never calls, or polls for what never comes.

A timer of the process interrupts whatever Python code runs. If meanwhile no rank has made a
blocking call other than a poll, for longer than allowed, the run is over. The handler leaves the
rank's greenlet instead of raising in it, so that no `except` in the rank can keep it alive. Time in
which the engine simulates one step is not counted. Signals reach the main thread only: in other
threads there is no such limit.
"""

from __future__ import annotations

import gc
import signal
import threading
import time
import traceback
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from noccl.programs.hub import Hub

_MOST_TICK_SECONDS = 0.5
# A shorter one would interrupt its own handler, again and again.
_LEAST_TICK_SECONDS = 0.01
_TICKS_PER_LIMIT = 5
_SECONDS_TO_END = 0.5


class Watchdog:
    """Watches a hub while it runs; a context manager."""

    def __init__(self, hub: Hub, host_seconds: float | None) -> None:
        self._hub = hub
        self._limit = host_seconds
        self._is_on = (
            host_seconds is not None and threading.current_thread() is threading.main_thread()
        )
        self._handler_before: Any = None
        self._timer_before = (0.0, 0.0)
        self._progress = -1
        self._switches = -1
        self._since = 0.0
        self._ends_at: float | None = None

    def __enter__(self) -> Watchdog:
        if self._is_on and self._limit is not None:
            self._since = time.monotonic()
            self._handler_before = signal.signal(signal.SIGALRM, self._on_tick)
            tick = self._limit / _TICKS_PER_LIMIT
            tick = min(_MOST_TICK_SECONDS, max(_LEAST_TICK_SECONDS, tick))
            self._timer_before = signal.setitimer(signal.ITIMER_REAL, tick, tick)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_on:
            signal.setitimer(signal.ITIMER_REAL, *self._timer_before)
            signal.signal(signal.SIGALRM, self._handler_before)

    def end(self, action: Callable[[], object]) -> None:
        """Does what ends one rank; leaves the rank as it stands if that takes too long.

        Raises:
            ProgramError: It took too long.
        """
        self._ends_at = time.monotonic() + _SECONDS_TO_END
        action()

    def _on_tick(self, _: int, frame: FrameType | None) -> None:
        if _ignores_exceptions(frame):
            # A rank that is left there does not end; the next tick tries again.
            return
        hub, now = self._hub, time.monotonic()
        if self._ends_at is not None:
            if now > self._ends_at and hub.current is not None:
                hub.interrupt("does not end", hub.current, "")
            return
        is_in_one_step = hub.current is None and hub.switches == self._switches
        if hub.progress != self._progress or is_in_one_step:
            self._since = now
        polls = hub.switches - self._switches
        self._progress, self._switches = hub.progress, hub.switches
        if self._limit is None or now - self._since < self._limit:
            return
        self._give_up(frame, has_polls=polls > 0)

    def _give_up(self, frame: FrameType | None, *, has_polls: bool) -> None:
        hub, limit = self._hub, f"{self._limit:g} seconds on this machine"
        if has_polls:
            hub.interrupt(
                f"ranks poll for what does not come: {limit} without any other call; "
                "accepted: a message for each poll, or a larger host_seconds",
                None,
                "",
            )
        rank = hub.current
        if rank is None or frame is None:
            return
        place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        hub.interrupt(
            f"rank {rank} has made no call for {limit}; it is at {place}; "
            "accepted: ranks that call or return, or a larger host_seconds",
            rank,
            "".join(traceback.format_stack(frame)),
        )


def _ignores_exceptions(frame: FrameType | None) -> bool:
    """Does a callback run, of a weak reference or of the garbage collection?"""
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code.co_filename == weakref.__file__ or frame.f_code in collecting:
            return True
        frame = frame.f_back
    return False

# SPDX-License-Identifier: Apache-2.0
"""Runs ranks as greenlets of one thread, in an order that nothing on the host decides.

Ranks that can go on do so by ascending rank, each until its next blocking call; then the engine
simulates until one can go on again. When a rank raises, the others are ended: their `finally`
blocks run, and every further call of theirs ends them again.
"""

from __future__ import annotations

import contextlib
import ctypes
import traceback
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from greenlet import getcurrent, greenlet

from noccl.errors import ProgramError
from noccl.programs import notes
from noccl.programs.link import Link, note_calls
from noccl.programs.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from noccl.programs.session import Session

_TOKENS = 2**32


class Waiter(Protocol):
    """What waits for requests of a rank beside the rank's own calls."""

    rank: int

    def go_on(self, response: Any, /) -> None:
        """The wait is over."""


class RankEnded(BaseException):
    """Raised in a rank that ends because the run does."""


class AbortCalled(BaseException):
    """Raised in the rank that calls `Abort`."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Hub:
    """The ranks of one run.

    Attributes:
        current: Rank that runs; None while the engine simulates.
        progress: Number of blocking calls so far, polls not counted.
        switches: Number of times that a rank was continued.
        links: Each rank's end of the session.
        shared: What ranks put down for each other without a message, by whoever needs it.
        at_end: What a rank does when its code has ended, by rank.
        on_switch: Called with the rank before it is continued and with None after; None: nobody.
    """

    def __init__(self, session: Session, ranks: int, *, host_seconds: float | None) -> None:
        self.session = session
        self.current: int | None = None
        self.progress: int = 0
        self.switches: int = 0
        self.shared: dict[Any, Any] = {}
        self.at_end: dict[int, Callable[[], None]] = {}
        self.on_switch: Callable[[int | None], None] | None = None
        self._waiting: dict[int, Waiter] = {}
        self._num_waits = 0
        to_hub = getcurrent().switch
        self.links: list[Link] = [Link(rank, session, self, to_hub) for rank in range(ranks)]
        self._home = getcurrent()
        self._interruption: ProgramError | None = None
        self._values: list[Any] = [None] * ranks
        self._greenlets: list[Any] = []
        self._host_seconds = host_seconds
        self._notes: notes.Notes | None = None

    def run(self, function: Callable[[Link], object]) -> list[Any]:
        """Runs the function in every rank; returns what each has returned.

        Raises:
            ProgramError: A rank raised, or nobody can go on.
        """
        self._greenlets = [greenlet(self._body(link, function)) for link in self.links]
        with Watchdog(self, self._host_seconds) as watchdog, self._noted():
            try:
                self._loop()
            except BaseException as error:
                rank, self.current = self.current, None
                # Before the others end, since ending them adds frames of theirs.
                failure = self._failure(rank, error)
                self._end_all(watchdog)
                if failure is error:
                    raise
                raise failure from error
        return self._values

    @contextlib.contextmanager
    def _noted(self) -> Iterator[None]:
        self._notes = noted = notes.opened(len(self.links))
        note_calls(noted)
        try:
            yield
        finally:
            note_calls(None)
            if noted is not None:
                noted.close()

    def interrupt(self, message: str, rank: int | None, stack: str) -> NoReturn:
        """Ends the run from wherever it is: in a rank's code, this leaves the rank as it stands."""
        self._interruption = error = ProgramError(message, rank=rank, rank_traceback=stack)
        if getcurrent() is self._home:
            raise error
        self._home.throw(error)
        # The rank is continued only to be ended.
        raise RankEnded

    def wait_token(self, waiter: Waiter) -> int:
        """A number for a wait beside the calls of a rank, by which the engine names its end."""
        self._num_waits = token = (self._num_waits + 1) % _TOKENS
        self._waiting[token] = waiter
        return token

    def _body(self, link: Link, function: Callable[[Link], object]) -> Callable[[Any], None]:
        def body(_: Any) -> None:
            try:
                self._values[link.rank] = function(link)
            except SystemExit as error:
                # As under mpiexec: a rank that ends with a status ends the program.
                if error.code not in (None, 0):
                    raise
            if link.rank in self.at_end:
                self.at_end.pop(link.rank)()
            link.session.finish(link.rank)

        return body

    def _loop(self) -> None:
        session = self.session
        continues = [rank.switch for rank in self._greenlets]
        ready: list[tuple[int, Any]] = [(rank, None) for rank in range(len(continues))]
        on_switch, noted = self.on_switch, self._notes
        while ready:
            for who, response in ready:
                if who < 0:
                    waiter = self._waiting.pop(-1 - who)
                    rank, go_on = waiter.rank, waiter.go_on
                else:
                    rank, go_on = who, continues[who]
                self.current = rank
                self.switches += 1
                if noted is not None:
                    noted.enter(rank)
                if on_switch is None:
                    go_on(response)
                else:
                    on_switch(rank)
                    try:
                        go_on(response)
                    finally:
                        on_switch(None)
            self.current = None
            if noted is not None:
                noted.leave()
            ready = session.advance()

    def _failure(self, rank: int | None, error: BaseException) -> BaseException:
        """The error that the caller sees; the engine is told."""
        if isinstance(error, KeyboardInterrupt):
            return error
        is_told = rank is None or error is self._interruption
        if isinstance(error, ProgramError) and (is_told or error.rank is not None):
            self._tell(rank, str(error))
            return error
        frames = traceback.extract_tb(error.__traceback__)
        # The hub's own frames say nothing about the program.
        own = [frame for frame in frames if frame.filename != __file__]
        place = _place(own)
        if rank is None:
            return error
        message = f"rank {rank}{place}: {_said(error)}"
        text = "".join(traceback.format_list(own)) + "".join(
            traceback.format_exception_only(type(error), error)
        )
        self._tell(rank, message)
        return ProgramError(
            message, rank=rank, rank_traceback=text, exit_status=_exit_status(error)
        )

    def _tell(self, rank: int | None, message: str) -> None:
        if rank is not None:
            self.session.fail(rank, message)

    def _end_all(self, watchdog: Watchdog) -> None:
        over: Any = _Over()
        for link in self.links:
            link.session = over
        for rank, ending in enumerate(self._greenlets):
            if not ending:
                continue
            self.current = rank
            if self.on_switch is not None:
                self.on_switch(rank)
            try:
                watchdog.end(lambda ending=ending: ending.throw(RankEnded))  # type: ignore[misc]
            except (RankEnded, Exception, SystemExit, AbortCalled) as last:
                # What a rank raises while it ends has no reader: the run's error is known.
                del last
            finally:
                if self.on_switch is not None:
                    self.on_switch(None)
            if ending:
                # It refuses to end. Were it collected, it would be continued once more.
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(ending))
        self.current = None


class _Over:
    """The session after the end: whoever calls it ends."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        def call(*_: Any, **__: Any) -> NoReturn:
            raise RankEnded

        return call


def _place(frames: list[traceback.FrameSummary]) -> str:
    package = __file__.rpartition("hub.py")[0]
    outside = [frame for frame in frames if not frame.filename.startswith(package)]
    if not outside:
        return ""
    return f" ({outside[-1].filename}:{outside[-1].lineno})"


def _exit_status(error: BaseException) -> int:
    """With which the process ends, as it would outside: 1 unless the rank has said otherwise."""
    code = error.code if isinstance(error, SystemExit | AbortCalled) else None
    return code & 0xFF or 1 if isinstance(code, int) else 1


def _said(error: BaseException) -> str:
    if isinstance(error, AbortCalled):
        return f"called Abort({error.code})"
    if isinstance(error, SystemExit):
        return f"ended with exit status {error.code!r}"
    if isinstance(error, ProgramError):
        return str(error)
    return "".join(traceback.format_exception_only(type(error), error)).strip()

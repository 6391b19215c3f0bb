# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.util.sync`: order, counters and locks of ranks, all on one-sided accesses to one rank.

What a rank waits for it reads again and again; each read is a message, so that time passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from noccl.programs.mpi_lookup import mpi
from noccl.programs.stand_in.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Condition", "Counter", "Mutex", "Semaphore", "Sequential"]


class Sequential:
    """One rank after the other, by their numbers."""

    def __init__(self, comm: Any, tag: int = 0) -> None:
        self.comm, self.tag = comm, tag

    def begin(self) -> None:
        """Waits for the rank before."""
        if self.comm.rank > 0:
            self.comm.Recv([None, 0, "B"], self.comm.rank - 1, self.tag)

    def end(self) -> None:
        """Lets the rank behind begin."""
        if self.comm.rank + 1 < self.comm.size:
            self.comm.Send([None, 0, "B"], self.comm.rank + 1, self.tag)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class Counter:
    """A number of all ranks, which each call raises."""

    def __init__(
        self,
        start: Any = 0,
        step: Any = 1,
        *,
        typecode: str = "i",
        comm: Any = None,
        info: Any = None,
        root: int = 0,
    ) -> None:
        self._step = step
        self._words = Words([start], typecode, comm, info, root)

    def next(self, incr: Any = None) -> Any:
        """Raises the number by the step or by `incr`; the number before."""
        return self._words.change(0, self._step if incr is None else incr, mpi().SUM)

    def __next__(self) -> Any:
        return self.next()

    def __iter__(self) -> Iterator[Any]:
        return self

    def free(self) -> None:
        """Ends it, in all ranks."""
        self._words.free()


class _Acquired:
    """What a `with` statement acquires and releases."""

    acquire: Callable[..., bool]
    release: Callable[..., None]

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


# Words of a mutex: tickets given out, and the one whose rank has it.
_GIVEN, _SERVED = 0, 1


class Mutex(_Acquired):
    """What one rank at a time has, in the order of their calls."""

    def __init__(self, *, recursive: bool = False, comm: Any = None, info: Any = None) -> None:
        self._is_recursive = bool(recursive)
        self._count = 0
        self._words = Words([0, 0], "q", comm, info)

    def acquire(self, blocking: bool = True) -> bool:
        """Gets it; has it been got?"""
        words = self._words
        words.check()
        if self._count:
            if not self._is_recursive:
                raise RuntimeError("acquire: the rank has it; accepted: release before")
        elif blocking:
            ticket = words.change(_GIVEN, 1, mpi().SUM)
            words.wait(lambda: bool(words.read(_SERVED) == ticket))
        else:
            ticket = words.read(_SERVED)
            if not words.swap(_GIVEN, ticket, ticket + 1):
                return False
        self._count += 1
        return True

    def release(self) -> None:
        """Gives it up."""
        self.check_held("release")
        self._count -= 1
        if not self._count:
            self._words.change(_SERVED, 1, mpi().SUM)

    def locked(self) -> bool:
        """Has this rank got it?"""
        return self.count() > 0

    def count(self) -> int:
        """How many calls of `release` would give it up."""
        self._words.check()
        return self._count

    @property
    def is_held(self) -> bool:
        """Has this rank got it, and is it not freed?"""
        return self._words.is_open and self._count > 0

    def check_held(self, call: str) -> None:
        """Raises `RuntimeError` where the rank does not have it."""
        if not self.count():
            raise RuntimeError(
                f"{call}: the rank does not have the mutex; accepted: acquire before"
            )

    def given_up(self) -> int:
        """Gives it up whatever the count, which is returned."""
        count, self._count = self._count, 1
        self.release()
        return count

    def got_again(self, count: int) -> None:
        """Gets it with a count."""
        self.acquire()
        self._count = count

    def free(self) -> None:
        """Gives it up and ends it, in all ranks."""
        if self.is_held:
            self.given_up()
        self._words.free()


class Condition(_Acquired):
    """What ranks wait for until others notify them, while they have a mutex."""

    def __init__(
        self,
        mutex: Mutex | None = None,
        *,
        recursive: bool = True,
        comm: Any = None,
        info: Any = None,
    ) -> None:
        self._is_own = mutex is None
        self._mutex = Mutex(recursive=recursive, comm=comm, info=info) if mutex is None else mutex
        comm = self._mutex._words.comm
        # Tickets given out, then the ticket of each rank that waits, else 0.
        self._words = Words([0] * (comm.size + 1), "q", comm, info)

    def acquire(self, blocking: bool = True) -> bool:
        """Gets the mutex; has it been got?"""
        self._words.check()
        return self._mutex.acquire(blocking)

    def release(self) -> None:
        """Gives the mutex up."""
        self._words.check()
        self._mutex.release()

    def locked(self) -> bool:
        """Has this rank got the mutex?"""
        return self._mutex.locked()

    def wait(self) -> bool:
        """Gives the mutex up until the rank is notified."""
        words = self._words
        self._check("wait")
        own = 1 + words.comm.rank
        words.change(own, words.change(0, 1, mpi().SUM) + 1, mpi().REPLACE)
        count = self._mutex.given_up()
        words.wait(lambda: words.read(own) == 0)
        self._mutex.got_again(count)
        return True

    def wait_for(self, predicate: Callable[[], Any]) -> Any:
        """Waits until a function says so; what it says."""
        self._check("wait_for")
        found = predicate()
        while not found:
            self.wait()
            found = predicate()
        return found

    def notify(self, n: int = 1) -> int:
        """Notifies those that have waited longest; their number."""
        self._check("notify")
        words = self._words
        tickets = [(words.read(1 + rank), 1 + rank) for rank in range(words.comm.size)]
        chosen = sorted(row for row in tickets if row[0])[:n]
        for _, index in chosen:
            words.change(index, 0, mpi().REPLACE)
        return len(chosen)

    def notify_all(self) -> int:
        """Notifies all that wait; their number."""
        return self.notify(self._words.comm.size)

    def _check(self, call: str) -> None:
        self._words.check()
        self._mutex.check_held(call)

    def free(self) -> None:
        """Gives the mutex up and ends the condition, in all ranks."""
        if self._words.is_open and self._mutex.is_held:
            self._mutex.given_up()
        if self._is_own:
            self._mutex.free()
        self._words.free()


class Semaphore(_Acquired):
    """What as many ranks as its value says have at a time."""

    def __init__(
        self, value: int = 1, *, bounded: bool = True, comm: Any = None, info: Any = None
    ) -> None:
        if value < 0:
            raise ValueError(f"value {value}: accepted: 0 or more")
        self._value, self._bounded = value, bounded
        self._counter = Counter(value, comm=comm, info=info)

    def acquire(self, blocking: bool = True) -> bool:
        """Gets one; has one been got?"""
        words = self._counter._words

        def is_got() -> bool:
            left = words.read(0)
            return left > 0 and words.swap(0, left, left - 1)

        words.check()
        if blocking:
            words.wait(is_got)
            return True
        left = words.read(0)
        while left > 0 and not words.swap(0, left, left - 1):
            left = words.read(0)
        return bool(left > 0)

    def release(self, n: int = 1) -> None:
        """Gives some back."""
        if n < 1:
            raise ValueError(f"n {n}: accepted: 1 or more")
        if self._bounded and self._counter.next(0) + n > self._value:
            raise ValueError(f"released more than {self._value} times; accepted: acquire before")
        self._counter.next(n)

    def free(self) -> None:
        """Ends it, in all ranks."""
        self._counter.free()

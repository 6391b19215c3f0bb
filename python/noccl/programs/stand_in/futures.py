# SPDX-License-Identifier: Apache-2.0
"""`mpi4py.futures` over the ranks that there are: one gives out calls, the others do them.

`MPICommExecutor` is for all ranks of a communicator. Where the ranks of a script come to
`MPIPoolExecutor`, rank 0 goes on with the script and the others become its workers until it ends,
as `python -m mpi4py.futures` has it. Without other ranks, a call is done when it is submitted.
"""

from __future__ import annotations

from concurrent.futures import (
    ALL_COMPLETED,
    FIRST_COMPLETED,
    FIRST_EXCEPTION,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    TimeoutError,  # noqa: A004 - as mpi4py names it
    as_completed,
    wait,
)
from typing import TYPE_CHECKING, Any, Self

from noccl.programs.failures import MpiError
from noccl.programs.mpi_lookup import mpi
from noccl.programs.stand_in.pool import Call, Pool, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from noccl.programs.comm import Intracomm

__all__ = [
    "ALL_COMPLETED",
    "FIRST_COMPLETED",
    "FIRST_EXCEPTION",
    "BrokenExecutor",
    "CancelledError",
    "Executor",
    "Future",
    "InvalidStateError",
    "MPICommExecutor",
    "MPIPoolExecutor",
    "ProcessPoolExecutor",
    "ThreadPoolExecutor",
    "TimeoutError",
    "as_completed",
    "get_comm_workers",
    "wait",
]


class MPIPoolExecutor(Executor):
    """Gives calls to the other ranks of the script.

    Args:
        max_workers: Most ranks that do calls; None for all others.
        initializer: Called first by each of them.
        initargs: Its arguments.
        options: Of mpi4py's processes, which have none here.
    """

    def __init__(
        self,
        max_workers: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        **options: Any,
    ) -> None:
        del options
        if max_workers is not None and max_workers < 1:
            raise ValueError("max_workers must be greater than 0")
        self._is_open = True
        self._pool = self._opened(max_workers)
        if initializer is not None:
            begun: list[Call] = [(initializer, tuple(initargs), {})] * max(
                1, len(self._pool.workers)
            )
            for future in [self._pool.submit(call) for call in begun]:
                future.result()

    def _opened(self, max_workers: int | None) -> Pool:
        world = mpi().COMM_WORLD
        shared, key = world._link.hub.shared, ("futures", world.Get_rank())
        if key not in shared:
            shared[key] = world.Dup()
            if world.Get_rank() != 0:
                serve(shared[key], 0)
                raise SystemExit(0)
            world._link.hub.at_end[0] = Pool(shared[key], 0, None).end
        return Pool(shared[key], 0, max_workers)

    @property
    def num_workers(self) -> int:
        """Number of ranks that do calls."""
        return len(self._pool.workers) if self._is_open else 0

    @property
    def _max_workers(self) -> int:
        return self.num_workers

    def bootup(self, wait: bool = True) -> Self:  # noqa: ARG002 - mpi4py's
        """Does nothing: the ranks have begun."""
        return self

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Gives out a call."""
        if not self._is_open:
            raise RuntimeError("cannot schedule new futures after shutdown")
        return self._pool.submit((fn, args, kwargs))

    def map(
        self,
        fn: Callable[..., Any],
        *iterables: Any,
        timeout: float | None = None,
        chunksize: int = 1,
        unordered: bool = False,
        **options: Any,
    ) -> Iterator[Any]:
        """Results of calls with each of the arguments; unordered: as they come."""
        del options
        return self.starmap(
            fn, zip(*iterables, strict=False), timeout, chunksize, unordered=unordered
        )

    def starmap(
        self,
        fn: Callable[..., Any],
        iterable: Iterable[tuple[Any, ...]],
        timeout: float | None = None,
        chunksize: int = 1,
        unordered: bool = False,
        **options: Any,
    ) -> Iterator[Any]:
        """The same with tuples of arguments."""
        del timeout, options
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        futures = [self.submit(fn, *args) for args in iterable]
        ready = as_completed(futures) if unordered else iter(futures)
        return (future.result() for future in ready)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Receives all results; no more calls are taken."""
        if self._is_open:
            self._is_open = False
            self._pool.finish(cancels=cancel_futures)


class _CommExecutor(MPIPoolExecutor):
    """Calls for the other ranks of a communicator."""

    def __init__(self, comm: Intracomm, root: int, most: int | None) -> None:
        self._is_open = True
        self._pool = Pool(comm, root, most)


class MPICommExecutor:
    """Gives the root of a communicator an executor, whose calls the other ranks do.

    Args:
        comm: The communicator, all of whose ranks enter; None for COMM_WORLD.
        root: Rank that gets the executor; the others get None.
        options: `max_workers`.
    """

    def __init__(self, comm: Intracomm | None = None, root: int = 0, **options: Any) -> None:
        self._comm: Intracomm = mpi().COMM_WORLD if comm is None else comm
        if not 0 <= root < self._comm.Get_size():
            raise ValueError("Expecting root in range(comm.size)")
        self._root = root
        self._most = options.get("max_workers")
        self._executor: _CommExecutor | None = None

    def __enter__(self) -> _CommExecutor | None:
        comm = self._comm.Dup()
        if comm.Get_rank() == self._root:
            self._executor = _CommExecutor(comm, self._root, self._most)
        else:
            serve(comm, self._root)
        return self._executor

    def __exit__(self, *_: object) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown()
            executor._pool.end()


def get_comm_workers() -> Any:
    """The communicator of the workers, which all of them ask for.

    Raises:
        MpiError: In a rank that is none.
    """
    link = mpi().COMM_WORLD._link
    served, key = link.hub.shared, ("workers", link.rank)
    if ("served", link.rank) not in served:
        raise MpiError("get_comm_workers: no worker; accepted: in the calls that workers do")
    comm, root = served["served", link.rank]
    if key not in served:
        served[key] = comm.Create_group(comm.Get_group().Excl([root]))
    return served[key]

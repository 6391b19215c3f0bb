# SPDX-License-Identifier: Apache-2.0
"""What a run of ranks asks of the engine.

The engine simulates; it knows messages of bytes, communicators by number and collectives of equal
blocks. Everything else that MPI offers is composed from these in this package. The methods are
called by the code of ranks directly; only `advance` is called by the hub.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl._native import Network

Finished = tuple[int, int, int, "bytes | None"]
"""Of a request that has finished: index in the list asked for, source, tag, bytes received."""


class Session(Protocol):
    """A run that goes on while its ranks do; arguments are given by position.

    `rank` is a rank of the world, sources and destinations are ranks of the communicator. A source
    or tag of -1 is any; any tag matches tags below 2^31 only, so that the messages of this package
    are never taken by a rank. A blocking call states what the rank waits for; `advance` later
    returns the response. `place` is the call site, for messages.
    """

    @property
    def world(self) -> int:
        """Number of the communicator of all ranks."""

    @property
    def clock_ghz(self) -> float:
        """Cycles per nanosecond of the network."""

    def alone(self, rank: int, /) -> int:
        """Number of the communicator of this rank alone."""

    def group(self, rank: int, ranks: list[int], place: str, /) -> int:
        """Number of a communicator that its members make: the n-th call of each is one."""

    def isend(
        self,
        rank: int,
        comm: int,
        destination: int,
        tag: int,
        data: bytes,
        synchronous: bool,
        place: str,
    ) -> int:
        """Starts to send; the number of the request."""

    def irecv(
        self, rank: int, comm: int, source: int, tag: int, max_bytes: int, place: str, /
    ) -> int:
        """Starts to receive at most so many bytes, -1 for any; the number of the request."""

    def iprobe(
        self, rank: int, comm: int, source: int, tag: int, place: str
    ) -> tuple[int, int, int] | None:
        """Source, tag and bytes of a message that has arrived; no time passes."""

    def is_over(self, request: int, /) -> bool:
        """Has a request ended? No time passes."""

    def cancel(self, rank: int, request: int, /) -> bool:
        """Withdraws a receive; False if it has met a message, and then it has to be waited for."""

    def now(self, rank: int, /) -> int:
        """Cycle of the rank."""

    def wait(self, rank: int, requests: Sequence[int], all: bool, place: str, /) -> None:  # noqa: A002
        """Waits for all or for any; response: list of `Finished`."""

    def poll(self, rank: int, cycles: int | None, place: str, /) -> None:
        """Lets time pass: so many cycles, or what the poll of a queue costs."""

    def probe(self, rank: int, comm: int, source: int, tag: int, place: str, /) -> None:
        """Waits for a message and leaves it; response: source, tag, bytes."""

    def compute(self, rank: int, cycles: int, place: str, /) -> None:
        """The rank's core is busy for so many cycles."""

    def collective(
        self,
        rank: int,
        comm: int,
        kind: str,
        payload: bytes,
        root: int,
        operator: str,
        element: str,
        place: str,
    ) -> None:
        """Takes part in a collective; response: bytes, none where the rank gets nothing."""

    def icollective(
        self,
        rank: int,
        comm: int,
        kind: str,
        payload: bytes,
        root: int,
        operator: str,
        element: str,
        place: str,
    ) -> int:
        """The same beside what the rank does; a request, whose data are what the rank gets."""

    def supports_nonblocking(
        self,
        rank: int,
        comm: int,
        kind: str,
        num_bytes: int,
        root: int,
        operator: str,
        element: str,
        /,
    ) -> bool:
        """Do the network's algorithms do it beside what its ranks do?"""

    def begin_task(self, rank: int, name: str, place: str, /) -> int:
        """Begins what the hub does beside a rank's calls; the number of the request."""

    def end_task(self, task: int, /) -> None:
        """It is over."""

    def wait_in_task(self, rank: int, requests: Sequence[int], token: int, place: str, /) -> None:
        """Waits for all beside the rank's call; the response comes for -1 - `token`."""

    def supports(
        self,
        rank: int,
        comm: int,
        kind: str,
        num_bytes: int,
        root: int,
        operator: str,
        element: str,
        /,
    ) -> bool:
        """Do the network's algorithms do it, where each rank gives so many bytes?"""

    def note_composed(
        self, rank: int, comm: int, collective: str, num_bytes: int | None, reason: str, /
    ) -> None:
        """The package composes a collective of messages: every rank says so."""

    def split(self, rank: int, comm: int, color: int, key: int, place: str, /) -> None:
        """Splits a communicator; response: number or -1, rank, size."""

    def finish(self, rank: int, /) -> None:
        """The rank is over."""

    def fail(self, rank: int, message: str, /) -> None:
        """The rank has failed; the run is over."""

    def advance(self) -> list[tuple[int, Any]]:
        """Simulates until a rank can go on; ranks and their responses, none when all are over."""

    def record_times(self) -> None:
        """Before the first call: keeps when ranks compute, send and receive."""

    def record_run(self) -> None:
        """Before the first call: keeps everything for `recording`."""

    def recording(self, workload: str, /) -> str:
        """What ranks and the network did over time, as JSON text."""

    def record_messages(self) -> None:
        """Before the first call: keeps calls for `messages`."""

    def messages(self, source: str, /) -> str:
        """What the ranks have called, as the text of a message trace."""

    def trace_events(self) -> str:
        """What each rank did over time, as the text of a file of trace events."""

    def timeline(self) -> tuple[list[bytes], list[str]]:
        """Calls by column, and names.

        A value per call: ranks (4 bytes), first cycles and ends (8 bytes), what was called and
        where (4 bytes each, numbers of names).
        """

    def report(self) -> str:
        """Cycles, what each rank did, flits, how collectives were carried out, as JSON text."""


def open_session(
    network: Network,
    ranks: int,
    *,
    collectives: str,
    max_cycles: int | None,
    noise_seed: int | None,
) -> Session:
    """Opens a session of the engine on a network.

    Raises:
        ArgumentError: More ranks than the network takes, or an unknown algorithm.
        RefusedError: A network on which no programs run.
    """
    from noccl import _native  # noqa: PLC0415 - late, so that tests can stand in for it

    return _native.ProgramSession(
        network, ranks, collectives=collectives, max_cycles=max_cycles, noise_seed=noise_seed
    )

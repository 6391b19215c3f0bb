# SPDX-License-Identifier: Apache-2.0
"""Runs a function or a script in every rank of a simulated network.

What ranks need is imported when the first program runs, so that `import noccl` stays quick.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.errors import ArgumentError
from noccl.files import write_file
from noccl.networks import network_of
from noccl.programs.session import Session, open_session
from noccl.results import Result, time_text
from noccl.table_views import html_table
from noccl.tables import ResultTable
from noccl.values import kind_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from noccl.networks import AnyNetwork
    from noccl.notebook_html import Fragment
    from noccl.programs.hub import Hub
    from noccl.programs.link import Link


MOST_RANKS = 2**32 - 1
MOST_SECONDS = 366 * 24 * 3600.0


@dataclass(frozen=True, eq=False, repr=False)
class ProgramResult(Result):
    """What a program of ranks has returned and how long it took.

    Attributes:
        values: What the function returned, by rank; None of a script.
        cycles: From the start of all ranks to the end of the last one.
        time_ns: The same at the network's clock.
        flit_hops: Flits that crossed a router-to-router link.
        ranks: A row per rank: the cycle of its end, cycles that it computed, sent, received and
            waited, messages and bytes that it sent.
        collectives: A row per collective that was carried out alike: collective, ranks, bytes
            of a block, algorithm, calls, and why the algorithm is not the one that was named or
            that `auto` picks.
        timeline: A row per call of a rank, in the order of their ends: first and last cycle, what,
            detail. The first 131,072 calls; with `has_timeline=True` all of them.
    """

    values: list[Any]
    cycles: int
    time_ns: float
    flit_hops: int
    ranks: ResultTable
    collectives: ResultTable
    timeline: ResultTable
    _trace_events: str = ""
    _messages: str = ""

    def _title(self) -> str:
        return f"{len(self.ranks)} ranks, {self.cycles:,} cycles"

    def _facts(self) -> dict[str, str]:
        calls = int(sum(self.collectives["calls"])) if len(self.collectives) else 0
        finish = self.ranks["finish_cycle"]
        return {
            "cycles": f"{self.cycles:,}",
            "time": time_text(self.time_ns),
            "ranks": f"{len(self.ranks)}, which ended in cycles {min(finish):,} to {max(finish):,}",
            "messages": f"{int(sum(self.ranks['messages'])):,}",
            "collectives": f"{calls:,} calls",
            "flit hops": f"{self.flit_hops:,}",
            "tables": "ranks, collectives, timeline; values: what each rank returned",
        }

    def _pictures(self) -> list[Fragment]:
        return [html_table(self.ranks), html_table(self.collectives)]

    def _arrow_table(self) -> pa.Table:
        return self.ranks.arrow

    def write_timeline(self, path: str | os.PathLike[str]) -> None:
        """Writes when ranks did what (`docs/formats/timeline.md`), for ui.perfetto.dev.

        Raises:
            ArgumentError: The program ran without `has_timeline=True`.
            FileError: The file cannot be written.
        """
        _write(path, self._trace_events, "write_timeline")

    def write_messages(self, path: str | os.PathLike[str]) -> None:
        """Writes what the ranks have called (`docs/formats/messages.md`), as `write_timeline`."""
        _write(path, self._messages, "write_messages")


def _write(path: str | os.PathLike[str], kept: str, method: str) -> None:
    if not kept:
        raise ArgumentError(f"{method}: accepted: a program run with has_timeline=True")
    write_file(os.fspath(path), kept.encode())


def run_program(
    function: Callable[..., Any],
    network: AnyNetwork,
    *,
    ranks: int,
    collectives: str = "auto",
    args: Sequence[Any] = (),
    max_cycles: int | None = None,
    noise_seed: int | None = None,
    host_seconds: float | None = 60.0,
    has_timeline: bool = False,
) -> ProgramResult:
    """Runs `function(comm, *args)` in every rank; `comm` has the methods of mpi4py.

    Python code takes no simulated time; messages, collectives and `comm.compute(cycles=...)` do.
    Inside, `import mpi4py` gives a module whose `MPI.COMM_WORLD` is `comm`. Equal calls give equal
    cycles.

    Args:
        function: What each rank does.
        network: Network, or what `load` takes.
        ranks: Number of ranks, placed on tiles in their order.
        collectives: Algorithm of collectives; `auto` for the network's choice.
        args: Further arguments of the function, the same objects in all ranks.
        max_cycles: Give up after this many cycles; None for no limit.
        noise_seed: Seed of the delays that a network with noise in its spec has; None for none.
        host_seconds: Give up when no rank makes a call for this long on this machine, polls not
            counted; None for no limit. Works in the main thread only.
        has_timeline: Keep what `write_timeline` and `write_messages` of the result write.

    Raises:
        ProgramError: A rank raised, calls of ranks do not fit, or nobody can go on.
        ArgumentError: An argument is outside what is accepted.
        RefusedError: No programs run on this network.
    """
    if not callable(function):
        raise ArgumentError(f"function: {kind_of(function)}; accepted: a function of (comm, *args)")
    arguments = tuple(args)
    session, name = _opened(network, ranks, collectives, max_cycles, noise_seed)
    return run_on(
        session,
        lambda comm: function(comm, *arguments),
        ranks,
        name=name,
        host_seconds=host_seconds,
        has_timeline=has_timeline,
    )


def run_script(
    path: str | os.PathLike[str],
    network: AnyNetwork,
    *,
    ranks: int,
    collectives: str = "auto",
    args: Sequence[str] = (),
    max_cycles: int | None = None,
    noise_seed: int | None = None,
    host_seconds: float | None = 60.0,
    has_prefix: bool = False,
    has_timeline: bool = False,
) -> ProgramResult:
    """Runs an unchanged mpi4py script in every rank, as `mpiexec -n RANKS python SCRIPT` would.

    Each rank has variables of its own, those of modules that lie beside the script included.

    Args:
        path: Script.
        network: Network, or what `load` takes.
        ranks: Number of ranks, placed on tiles in their order.
        collectives: Algorithm of collectives; `auto` for the network's choice.
        args: What the script sees in `sys.argv[1:]`.
        max_cycles: Give up after this many cycles; None for no limit.
        noise_seed: Seed of the delays that a network with noise in its spec has; None for none.
        host_seconds: As for `run_program`.
        has_prefix: Begin each line that a rank prints with its number.
        has_timeline: As for `run_program`.

    Raises:
        ProgramError: A rank raised, calls of ranks do not fit, or nobody can go on.
        ArgumentError: An argument is outside what is accepted.
        FileError: The script cannot be read.
        RefusedError: No programs run on this network.
    """
    from noccl.programs.script import Script  # noqa: PLC0415 - only when a program runs

    script = Script(path, [str(arg) for arg in args], has_prefix=has_prefix)
    session, name = _opened(network, ranks, collectives, max_cycles, noise_seed)
    return run_on(
        session,
        script.run,
        ranks,
        name=name,
        host_seconds=host_seconds,
        surroundings=script.around,
        has_timeline=has_timeline,
    )


def run_on(
    session: Session,
    function: Callable[[Any], Any],
    ranks: int,
    *,
    name: str,
    host_seconds: float | None = 60.0,
    surroundings: Callable[[Hub], contextlib.AbstractContextManager[object]] | None = None,
    has_timeline: bool = False,
) -> ProgramResult:
    """Runs `function(comm)` in every rank of a session that has just been opened."""
    from noccl.programs.hub import Hub  # noqa: PLC0415 - only when a program runs
    from noccl.programs.mpi4py_module import installed  # noqa: PLC0415 - the same

    if host_seconds is not None:
        _check_seconds(host_seconds)
    if has_timeline:
        session.record_times()
        session.record_messages()
    hub = Hub(session, ranks, host_seconds=host_seconds)
    with installed(hub, name) as module, _entered(surroundings, hub):

        def body(_: Link) -> Any:
            return function(module.COMM_WORLD)

        values = hub.run(body)
    report = json.loads(session.report())
    return ProgramResult(
        values=values,
        cycles=report["cycles"],
        time_ns=report["cycles"] / session.clock_ghz,
        flit_hops=report["flit_hops"],
        ranks=ResultTable.from_rows("program", report["ranks"]),
        collectives=ResultTable.from_rows("collectives", report["collectives"]),
        timeline=_timeline(session),
        _trace_events=session.trace_events() if has_timeline else "",
        _messages=session.messages(f"a Python program on {name}") if has_timeline else "",
    )


def _timeline(session: Session) -> ResultTable:
    """The calls, which may be millions: no row becomes a Python object."""
    (ranks, starts, ends, whats, places), names = session.timeline()
    known = np.array(names, dtype=object)
    return ResultTable.from_columns(
        "timeline",
        {
            "rank": np.frombuffer(ranks, "<u4"),
            "start_cycle": np.frombuffer(starts, "<u8"),
            "end_cycle": np.frombuffer(ends, "<u8"),
            "what": known[np.frombuffer(whats, "<u4")],
            "place": known[np.frombuffer(places, "<u4")],
        },
    )


def _check_seconds(seconds: object) -> None:
    accepted = "accepted: more than 0 and at most a year, or None"
    if not isinstance(seconds, int | float) or not 0 < seconds <= MOST_SECONDS:
        found = seconds if isinstance(seconds, float) else kind_of(seconds)
        raise ArgumentError(f"host_seconds: {found}; {accepted}")


@contextlib.contextmanager
def _entered(
    surroundings: Callable[[Hub], contextlib.AbstractContextManager[object]] | None, hub: Hub
) -> Iterator[None]:
    with contextlib.nullcontext() if surroundings is None else surroundings(hub):
        yield


def _opened(
    network: AnyNetwork,
    ranks: int,
    collectives: str,
    max_cycles: int | None,
    noise_seed: int | None,
) -> tuple[Session, str]:
    elaborated = network_of(network)
    count = whole("ranks", ranks, least=1, most=MOST_RANKS)
    most = None if max_cycles is None else whole("max_cycles", max_cycles, least=1)
    seed = None if noise_seed is None else whole("noise_seed", noise_seed)
    session = open_session(
        elaborated,
        count,
        collectives=text("collectives", collectives),
        max_cycles=most,
        noise_seed=seed,
    )
    return session, elaborated.name

# SPDX-License-Identifier: Apache-2.0
"""Runs a function or a script in every rank of a simulated network.

What ranks need is imported when the first program runs, so that `import noccl` stays quick.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.errors import ArgumentError
from noccl.networks import network_of
from noccl.programs.result import ProgramResult
from noccl.programs.session import Session, open_session
from noccl.recordings import Recording
from noccl.tables import ResultTable
from noccl.values import kind_of, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from noccl.networks import AnyNetwork
    from noccl.programs.hub import Hub
    from noccl.programs.link import Link


MOST_RANKS = 2**32 - 1
MOST_SECONDS = 366 * 24 * 3600.0


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
    record: bool = False,
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
        record: Keep what ranks wait for, links, blocked router ports and transactions over time:
            `recording` of the result.

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
        record=record,
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
    record: bool = False,
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
        record: As for `run_program`.

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
        what=os.path.basename(os.fspath(path)),
        has_timeline=has_timeline,
        record=record,
    )


def run_on(
    session: Session,
    function: Callable[[Any], Any],
    ranks: int,
    *,
    name: str,
    host_seconds: float | None = 60.0,
    surroundings: Callable[[Hub], contextlib.AbstractContextManager[object]] | None = None,
    what: str = "a Python program",
    has_timeline: bool = False,
    record: bool = False,
) -> ProgramResult:
    """Runs `function(comm)` in every rank of a session that has just been opened."""
    from noccl.programs.hub import Hub  # noqa: PLC0415 - only when a program runs
    from noccl.programs.mpi4py_module import installed  # noqa: PLC0415 - the same

    if host_seconds is not None:
        _check_seconds(host_seconds)
    if has_timeline:
        session.record_times()
        session.record_messages()
    if record:
        session.record_run()
    hub = Hub(session, ranks, host_seconds=host_seconds)
    with installed(hub, name) as module, _entered(surroundings, hub):

        def body(_: Link) -> Any:
            return function(module.COMM_WORLD)

        values = hub.run(body)
    report = json.loads(session.report())
    recorded = session.recording(f"{what}, {ranks} ranks") if record else ""
    return ProgramResult(
        values=values,
        cycles=report["cycles"],
        time_ns=report["cycles"] / session.clock_ghz,
        flit_hops=report["flit_hops"],
        ranks=ResultTable.from_rows("program", report["ranks"]),
        collectives=ResultTable.from_rows("collectives", report["collectives"]),
        timeline=_timeline(session),
        recording=Recording(recorded) if record else None,
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

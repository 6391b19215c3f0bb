# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
import threading
import time

import pytest

import noccl

# Many seconds of work, which none of the calls below finishes.
MANY_SEEDS = 20_000


def test_progress_is_reported_and_ends_at_the_total(mesh4x4_collective: noccl.Network) -> None:
    seen: list[noccl.Progress] = []
    report = noccl.stress(mesh4x4_collective, num_seeds=20, on_progress=seen.append)
    assert report.completed == report.runs == 20
    assert seen[-1].done == seen[-1].total == 20
    assert [p.done for p in seen] == sorted(p.done for p in seen)


def test_a_callback_that_returns_false_stops_the_call(mesh4x4_collective: noccl.Network) -> None:
    with pytest.raises(noccl.InterruptedRunError):
        noccl.stress(mesh4x4_collective, num_seeds=MANY_SEEDS, on_progress=lambda _: False)


def test_an_exception_of_the_callback_reaches_the_caller(
    mesh4x4_collective: noccl.Network,
) -> None:
    def fail(progress: noccl.Progress) -> None:
        raise LookupError(progress.total)

    with pytest.raises(LookupError, match=str(MANY_SEEDS)):
        noccl.stress(mesh4x4_collective, num_seeds=MANY_SEEDS, on_progress=fail)


def test_an_interrupt_ends_the_call(mesh4x4_collective: noccl.Network) -> None:
    # A shell starts background jobs with SIGINT ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            noccl.stress(mesh4x4_collective, num_seeds=MANY_SEEDS)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_while_the_engine_works(mesh4x4_collective: noccl.Network) -> None:
    is_over = threading.Event()
    ticks: list[float] = []

    def tick() -> None:
        while not is_over.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    with pytest.raises(noccl.InterruptedRunError):
        noccl.stress(
            mesh4x4_collective,
            num_seeds=MANY_SEEDS,
            on_progress=lambda _: time.monotonic() - start < 0.3,
        )
    is_over.set()
    thread.join()
    # A held lock would let the other thread run at the few wake-ups of the caller only.
    assert len(ticks) >= 10

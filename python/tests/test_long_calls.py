# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
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


def test_a_callback_that_returns_false_ends_the_call(mesh4x4_collective: noccl.Network) -> None:
    with pytest.raises(noccl.InterruptedRunError):
        noccl.stress(mesh4x4_collective, num_seeds=MANY_SEEDS, on_progress=lambda _: False)


def test_an_exception_of_the_callback_reaches_the_caller(
    mesh4x4_collective: noccl.Network,
) -> None:
    def fail(progress: noccl.Progress) -> None:
        raise LookupError(progress.total)

    with pytest.raises(LookupError, match=str(MANY_SEEDS)):
        noccl.stress(mesh4x4_collective, num_seeds=MANY_SEEDS, on_progress=fail)


LONG = {
    "schedule": 'noccl.make_schedule(n, "all_reduce", num_bytes=32768, algorithm="chain")',
    "compare": 'noccl.compare(n, "all_reduce", sizes_bytes=[32768])',
    "stress": "noccl.stress(n, num_seeds=1_000_000)",
    "gemm": 'noccl.gemm("summa", meshes=["256x256"])',
    "orders": 'noccl.chain_orders(n, source="0,0", destinations="all", by=["latency"])',
}

# Prints the seconds from the signal to the exception.
INTERRUPTED = """
import os, signal, threading, time
import noccl

# A shell starts background jobs with SIGINT ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
sent = []

def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

n = noccl.load("collective_noc_64x64")
threading.Timer(0.4, send).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], flush=True)
# What the engine has left behind would hold a processor until it ends.
os._exit(0)
"""


@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_every_long_call_within_two_seconds(name: str) -> None:
    code = INTERRUPTED.format(call=LONG[name])
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    # Two seconds, and allowance for a loaded machine.
    assert float(run.stdout) < 2.5


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

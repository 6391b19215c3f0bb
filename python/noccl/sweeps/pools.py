# SPDX-License-Identifier: Apache-2.0
"""Where points are computed: processes of this machine, or what `noccl.sweeps.ray_pool` has.

Processes of the local pool are started as commands of their own. The standard library's pools start
a child by importing the caller's script once more, which needs a guard in every script, or by fork,
which the engine's threads do not survive; and their children live on when the caller is killed.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from noccl.errors import NocclError
from noccl.values import whole

MOST_PROCESSES = 1024
"""Most processes of the local pool."""
_MOST_DEATHS = 5
"""How often a process may end on the same request before it is given up."""


class Pool(Protocol):
    """Computes requests of `noccl.sweeps.execute.respond`."""

    @property
    def size(self) -> int:
        """How many requests are computed at a time."""

    def submit(self, request: str) -> Future[str]:
        """Begins a request; its response is the future's result."""

    def look(self) -> None:
        """Looks after what runs; called every second or so."""

    def close(self) -> None:
        """Ends everything at once, requests that are being computed too."""


class LocalPool:
    """Processes of this machine. One that is killed is replaced, and its request begins again."""

    def __init__(self, processes: int | None = None) -> None:
        most = MOST_PROCESSES
        chosen = len(os.sched_getaffinity(0)) if processes is None else processes
        self._size = whole("processes", chosen, least=1, most=most)
        self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="noccl-sweep")
        self._idle: queue.SimpleQueue[subprocess.Popen[str]] = queue.SimpleQueue()
        self._all: list[subprocess.Popen[str]] = []
        self._is_closed = False
        for _ in range(self._size):
            self._idle.put(self._start())

    @property
    def size(self) -> int:
        """Number of processes."""
        return self._size

    @property
    def process_ids(self) -> list[int]:
        """The processes that run now."""
        return [worker.pid for worker in self._all if worker.poll() is None]

    def submit(self, request: str) -> Future[str]:
        """Begins a request on the next idle process."""
        return self._threads.submit(self._respond, request)

    def look(self) -> None:
        """Nothing to do: a process that ends is noticed at once."""

    def close(self) -> None:
        """Ends all processes and waits for them."""
        self._is_closed = True
        for worker in self._all:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        # Once more: a process may have been started in place of another one meanwhile.
        for worker in self._all:
            worker.kill()
            worker.wait()
            for pipe in (worker.stdin, worker.stdout):
                _close(pipe)

    def _respond(self, request: str) -> str:
        worker = self._idle.get()
        try:
            for _ in range(_MOST_DEATHS):
                response = _exchange(worker, request)
                if response or self._is_closed:
                    return response
                worker = self._start()
        finally:
            self._idle.put(worker)
        raise NocclError(
            f"a process of the sweep ended {_MOST_DEATHS} times on the same points, last with "
            f"{self._last_code()}; accepted: more memory, or fewer processes"
        )

    def _start(self) -> subprocess.Popen[str]:
        # The processes share the processors: one thread each. Ctrl-C is for the caller alone.
        worker = subprocess.Popen(
            [sys.executable, "-m", "noccl.sweeps.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"RAYON_NUM_THREADS": "1"},
            encoding="utf-8",
            process_group=0,
        )
        self._all.append(worker)
        return worker

    def _last_code(self) -> str:
        codes = [worker.returncode for worker in self._all if worker.poll() is not None]
        return f"exit code {codes[-1]}" if codes else "no exit code"


def _exchange(worker: subprocess.Popen[str], request: str) -> str:
    """A response, or nothing if the process has ended."""
    if worker.stdin is None or worker.stdout is None:
        return ""
    try:
        worker.stdin.write(request + "\n")
        worker.stdin.flush()
        response = worker.stdout.readline()
    except (OSError, ValueError):
        response = ""
    if not response.endswith("\n"):
        worker.kill()
        worker.wait()
        return ""
    return response


def _close(pipe: Any) -> None:  # noqa: ANN401 - one of two streams, or none
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        # What was still to be written has nobody to read it.
        pass

# SPDX-License-Identifier: Apache-2.0
"""Points computed by a Ray cluster."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, InvalidStateError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from noccl.errors import ArgumentError, NocclError
from noccl.sweeps.execute import respond

if TYPE_CHECKING:
    from collections.abc import Callable

_LOOK_SECONDS = 5.0
"""How often nodes and idle processors are looked at."""
_COPY_SECONDS = 20.0
"""A request without response for so long, ten times as long as a batch usually takes, is begun once
more if processors are idle: Ray needs more than a minute to report a node that has lost its link.
Each further copy waits twice as long, since a long point may be the reason."""


@dataclass(eq=False)
class Batch:
    """A request, and how many copies of it have begun and run somewhere in the cluster."""

    request: str
    future: Future[str] = field(default_factory=Future)
    num_copies: int = 0
    num_begun: int = 0
    begun_seconds: float = 0.0

    def is_late(self, now_seconds: float) -> bool:
        """Whether the last copy has run for longer than a batch usually takes."""
        most_seconds = _COPY_SECONDS * 2.0 ** (self.num_begun - 1)
        return now_seconds - self.begun_seconds >= most_seconds


class RayPool:
    """A Ray cluster; every machine has this package in the same build.

    Ray repeats a task whose process is killed, but a task on a node that has lost its link waits
    until the connection ends, for minutes or for ever. So when a node is dead, each open request
    gets one more copy: a request has the same response wherever it is computed, and the first
    response counts.

    Ray asks for processors once per waiting task of a function. What it has asked of a node that
    has lost its link gets no response, yet counts, so the last tasks of that function would not
    begin on any node. So copies, and all requests after them, are tasks of a new function.
    """

    def __init__(self, address: str) -> None:
        try:
            self._ray = importlib.import_module("ray")
        except ImportError as error:
            raise ArgumentError(
                f"ray={address!r}: the package ray is missing; accepted: pip install 'noccl[ray]', "
                "or processes of this machine"
            ) from error
        self._was_there = bool(self._ray.is_initialized())
        if not self._was_there:
            self._connect(address)
        self._num_functions = 0
        self._remote = self._new_remote()
        self._open: list[Batch] = []
        self._running: list[Any] = []
        # Ray reports ends of tasks in threads of its own.
        self._lock = threading.Lock()
        self._alive = self._nodes()
        self._next_look = time.monotonic() + _LOOK_SECONDS

    @property
    def size(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, request: str) -> Future[str]:
        """Begins a request somewhere in the cluster."""
        batch = Batch(request)
        self._open.append(batch)
        batch.future.add_done_callback(lambda _: self._open.remove(batch))
        self._begin(batch)
        return batch.future

    def look(self) -> None:
        """Begins open requests once more if a node has died or if processors are idle."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        before, self._alive = self._alive, self._nodes()
        lost = sorted(before[node] for node in before.keys() - self._alive.keys())
        if lost:
            batches = list(self._open)
            names = ", ".join(lost)
            count = f"{len(batches)} batches of points begin again on other nodes"
            sys.stderr.write(f"warning: Ray has lost {names}: {count}\n")
        else:
            late = [batch for batch in list(self._open) if batch.is_late(now)]
            batches = late[: self._num_idle()] if late else []
        if batches:
            self._remote = self._new_remote()
        for batch in batches:
            self._begin(batch)

    def close(self) -> None:
        """Ends what still runs; leaves a cluster that was there before."""
        for running in list(self._running):
            self._ray.cancel(running, force=True)
        if not self._was_there:
            self._ray.shutdown()

    def _connect(self, address: str) -> None:
        try:
            self._ray.init(address=None if address == "local" else address, log_to_driver=False)
        except (ConnectionError, ImportError, RuntimeError, ValueError) as error:
            raise ArgumentError(
                f"ray={address!r}: Ray cannot connect: {str(error).partition(chr(10))[0]}; "
                "accepted: address of the head of a cluster that runs (host:port), auto for the "
                "cluster of this machine, local to start one"
            ) from error

    def _nodes(self) -> dict[str, str]:
        """Nodes that live: their ids, and how messages name them."""
        nodes = (node for node in self._ray.nodes() if node["Alive"])
        return {
            node["NodeID"]: f"node {node['NodeManagerAddress']} (id {node['NodeID'][:8]})"
            for node in nodes
        }

    def _num_idle(self) -> int:
        return int(self._ray.available_resources().get("CPU", 0))

    def _new_remote(self) -> Any:  # noqa: ANN401 - Ray's
        self._num_functions += 1
        return self._ray.remote(_function(self._num_functions))

    def _begin(self, batch: Batch) -> None:
        running = self._remote.remote(batch.request)
        with self._lock:
            batch.num_copies += 1
            batch.num_begun += 1
            batch.begun_seconds = time.monotonic()
            self._running.append(running)
        copy: Future[str] = running.future()
        copy.add_done_callback(functools.partial(self._end, batch, running))

    def _end(self, batch: Batch, running: Any, copy: Future[str]) -> None:  # noqa: ANN401 - Ray's
        try:
            error = copy.exception()
        except CancelledError as cancelled:
            error = cancelled
        with self._lock:
            self._running.remove(running)
            batch.num_copies -= 1
            is_last = batch.num_copies == 0
        try:
            if error is None:
                batch.future.set_result(copy.result())
            elif is_last:
                batch.future.set_exception(_refusal(error))
        except InvalidStateError:
            # Another copy was first.
            pass


def _function(number: int) -> Callable[[str], str]:
    """A function of its own for Ray, which tells functions apart by their names."""

    def compute(request: str) -> str:
        return respond(request)

    compute.__name__ = compute.__qualname__ = f"noccl_sweep_{number}"
    return compute


def _refusal(error: BaseException) -> NocclError:
    """What ends the sweep if no copy of a request has a response."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    # Ray's text has the trace of the other process first and its error last.
    return NocclError(
        f"a task of the sweep failed on the Ray cluster: {lines[-1].strip()}; accepted: nodes that "
        "have this build of noccl and enough memory for a process per processor"
    )

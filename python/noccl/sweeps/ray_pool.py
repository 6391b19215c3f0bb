# SPDX-License-Identifier: Apache-2.0
"""Points computed by a Ray cluster."""

from __future__ import annotations

import functools
import importlib
import sys
import time
from concurrent.futures import CancelledError, Future, InvalidStateError
from dataclasses import dataclass, field
from typing import Any

from noccl.errors import ArgumentError
from noccl.sweeps.execute import respond

_LOOK_SECONDS = 5.0
"""How often the nodes are looked at: Ray's list says within about 20 s that one is dead."""


@dataclass(eq=False)
class _Batch:
    """A request, and how many copies of it run somewhere in the cluster."""

    request: str
    future: Future[str] = field(default_factory=Future)
    num_copies: int = 0


class RayPool:
    """A Ray cluster; every machine has this package in the same build.

    Ray repeats a task whose process is killed, but a task on a node that has lost its link waits
    until the link is back. So when a node is dead, each open request gets one more copy: a request
    has the same response wherever it is computed, and the first response counts.
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
            self._ray.init(address=None if address == "local" else address, log_to_driver=False)
        self._remote = self._ray.remote(respond)
        self._open: list[_Batch] = []
        self._running: list[Any] = []
        self._alive = self._nodes()
        self._next_look = time.monotonic() + _LOOK_SECONDS

    @property
    def size(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, request: str) -> Future[str]:
        """Begins a request somewhere in the cluster."""
        batch = _Batch(request)
        self._open.append(batch)
        batch.future.add_done_callback(lambda _: self._open.remove(batch))
        self._begin(batch)
        return batch.future

    def look(self) -> None:
        """Begins open requests once more if a node has died since the last look."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK_SECONDS
        before, self._alive = self._alive, self._nodes()
        lost = sorted(before[node] for node in before.keys() - self._alive.keys())
        if not lost:
            return
        batches = list(self._open)
        for batch in batches:
            self._begin(batch)
        names = ", ".join(lost)
        sys.stderr.write(f"warning: Ray has lost {names}: {len(batches)} requests begin again\n")

    def close(self) -> None:
        """Ends what still runs; leaves a cluster that was there before."""
        for running in list(self._running):
            self._ray.cancel(running, force=True)
        if not self._was_there:
            self._ray.shutdown()

    def _nodes(self) -> dict[str, str]:
        """Nodes that live: their ids, and how messages name them."""
        nodes = (node for node in self._ray.nodes() if node["Alive"])
        return {node["NodeID"]: f"node {node['NodeManagerAddress']}" for node in nodes}

    def _begin(self, batch: _Batch) -> None:
        running = self._remote.remote(batch.request)
        batch.num_copies += 1
        self._running.append(running)
        copy: Future[str] = running.future()
        copy.add_done_callback(functools.partial(self._end, batch, running))

    def _end(self, batch: _Batch, running: Any, copy: Future[str]) -> None:  # noqa: ANN401 - Ray's
        batch.num_copies -= 1
        self._running.remove(running)
        try:
            error = copy.exception()
        except CancelledError as cancelled:
            error = cancelled
        try:
            if error is None:
                batch.future.set_result(copy.result())
            elif batch.num_copies == 0:
                batch.future.set_exception(error)
        except InvalidStateError:
            # Another copy was first.
            pass

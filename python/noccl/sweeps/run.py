# SPDX-License-Identifier: Apache-2.0
"""A study from its file to its table: what has rows already is not computed again."""

from __future__ import annotations

import collections
import json
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from noccl.errors import ArgumentError, InterruptedRunError, NocclError
from noccl.runs import Progress
from noccl.sweeps.points import engine_digest
from noccl.sweeps.pools import LocalPool
from noccl.sweeps.ray_pool import RayPool
from noccl.sweeps.store import Store, read_sweep
from noccl.sweeps.study import read_study
from noccl.values import text

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from noccl.runs import OnProgress
    from noccl.sweeps.points import Point
    from noccl.sweeps.pools import Pool
    from noccl.sweeps.study import Study
    from noccl.tables import ResultTable

BATCH_SECONDS = 2.0
"""A batch begins no other point after so long: a process that is killed loses little more, and
storing a batch (one flush of the disk) costs little beside it."""
_LEAST_OF_BATCH = 32
_MOST_OF_BATCH = 2000
_LOOK_SECONDS = 0.2


def sweep(
    study: str | os.PathLike[str] | Mapping[str, Any],
    folder: str | os.PathLike[str],
    *,
    processes: int | None = None,
    ray: str | None = None,
    on_progress: OnProgress | None = None,
) -> ResultTable:
    """Runs a study of many points, or what is left of it.

    Every finished batch is stored at once. A call that ends early, for whatever reason, is gone on
    with by the same call; rows do not depend on interruptions, on the pool or on the order.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> product = {"specs": ["collective_noc_4x4"], "collectives": ["reduce"], "bytes": ["1KiB"]}
    >>> product |= {"algorithms": ["tree:2", "in_network"], "backends": ["model", "sim"]}
    >>> table = sweep({"product": [product]}, folder, processes=1)
    >>> [row["outcome"] for row in table.rows()]
    ['done', 'done', 'done', 'done']

    Args:
        study: TOML file, or what such a file holds.
        folder: Folder of the results; new, empty, or of an earlier sweep.
        processes: Processes of the pool; None for the processors of this machine.
        ray: Address of a Ray cluster (`auto` for the one that is configured), which computes in
            place of processes of this machine.
        on_progress: Called now and then with the points that have rows; returning False ends the
            call. `simulated_cycles` counts those of this call.

    Returns:
        One row per point, in the order of the study; kind `sweep`.

    Raises:
        ArgumentError: The study or an argument is not accepted, or Ray is not installed.
        SpecError: A spec or an override is wrong.
        FileError: The folder holds something else, or cannot be written.
        InterruptedRunError: The callback returned False; what was finished is stored.
    """
    asked = read_study(study)
    if ray is not None and processes is not None:
        raise ArgumentError("processes: accepted: with the local pool, not with ray")
    with Store(folder) as store:
        stored = store.begin(asked)
        missing = [point for key, point in asked.points.items() if key not in stored]
        if missing:
            pool = LocalPool(processes) if ray is None else RayPool(text("ray", ray))
            try:
                _Course(asked, store, pool, on_progress).run(missing)
            finally:
                pool.close()
    return read_sweep(folder)


class _Course:
    """The points that are left, those that are being computed, and what has come of them."""

    def __init__(
        self, study: Study, store: Store, pool: Pool, on_progress: OnProgress | None
    ) -> None:
        self._study = study
        self._store = store
        self._pool = pool
        self._on_progress = on_progress
        self._left: collections.deque[Point] = collections.deque()
        self._running: dict[Future[str], list[Point]] = {}
        self._cycles = 0

    def run(self, points: list[Point]) -> None:
        self._left.extend(points)
        self._report()
        while self._left or self._running:
            # Twice as many as are computed: the next batch waits where the last one ends.
            while self._left and len(self._running) < 2 * self._pool.size:
                self._submit()
            done, _ = wait(self._running, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                self._take(future)
            self._pool.look()
            self._report()

    def _submit(self) -> None:
        # A share that takes too long comes back in part; one that takes less is a file too many.
        share = max(_LEAST_OF_BATCH, len(self._left) // (2 * self._pool.size))
        count = min(share, _MOST_OF_BATCH, len(self._left))
        batch = [self._left.popleft() for _ in range(count)]
        specs = {point.spec_digest: self._study.specs[point.spec_digest] for point in batch}
        request = {
            "engine": engine_digest(),
            "seconds": BATCH_SECONDS,
            "specs": specs,
            "points": [asdict(point) for point in batch],
        }
        self._running[self._pool.submit(json.dumps(request))] = batch

    def _take(self, future: Future[str]) -> None:
        batch = self._running.pop(future)
        response = json.loads(future.result())
        if "error" in response:
            raise NocclError(response["error"])
        rows = response["rows"]
        self._store.append(rows)
        self._left.extendleft(reversed(batch[len(rows) :]))
        simulated = (row["cycles"] for row in rows if row["backend"] == "sim")
        self._cycles += sum(cycles or 0 for cycles in simulated)

    def _report(self) -> None:
        if self._on_progress is None:
            return
        total = len(self._study.points)
        open_points = len(self._left) + sum(map(len, self._running.values()))
        if self._on_progress(Progress(total - open_points, total, self._cycles)) is False:
            raise InterruptedRunError(
                f"{self._store.folder}: ended with {total - open_points} of {total} points stored; "
                "the same call goes on"
            )

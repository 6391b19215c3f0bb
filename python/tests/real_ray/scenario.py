# SPDX-License-Identifier: Apache-2.0
"""A sweep on a Ray cluster that loses something in mid-run, as a process of its own.

Prints what happened as JSON, with seconds since the sweep began; messages of the sweep are on
stderr. Usage: `scenario.py EVENT FOLDER NODES_FOLDER`.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import ray

import noccl
from noccl.sweeps import run
from tests.real_ray.cluster import Cluster, cluster

STUDY: dict[str, Any] = {
    "product": [
        {
            "specs": ["collective_noc_8x8"],
            "collectives": ["multicast", "reduce", "all_reduce"],
            "bytes": ["1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB"],
            "groups": ["all", "row", "column:1"],
            "algorithms": ["tree:2", "chain:2", "in_network", "tree:1", "tree:3", "chain:4"],
        }
    ]
}
_BATCH_SECONDS = 0.3
_KILLS = 4
# The workers of the second node are starting: what Ray has asked of that node has no response yet.
_EARLY_SECONDS = 1.0


class Watch:
    """Lets an event happen once some rows are there, and notes when Ray knows of it."""

    def __init__(self, nodes: Cluster, event: str) -> None:
        self._nodes = nodes
        self._event = event
        self._begun_seconds = time.monotonic()
        self._is_due = True
        self.notes: dict[str, Any] = {"num_kills": 0}

    def on_progress(self, progress: noccl.Progress) -> None:
        """Begins the event in mid-run."""
        if not self._is_due or self._event == "none" or not self._has_begun(progress.done):
            return
        self._is_due = False
        self.note("event")
        actions = {
            "link": self._nodes.cut_link,
            "link_early": self._nodes.cut_link,
            "frozen": self._nodes.freeze_node,
            "frozen_unnoticed": self._nodes.freeze_node,
            "raylet": self._nodes.kill_node,
        }
        if self._event in actions:
            actions[self._event]()
            threading.Thread(target=self._watch_nodes, daemon=True).start()
        else:
            threading.Thread(target=self._kill_workers, daemon=True).start()

    def _has_begun(self, num_rows: int) -> bool:
        if self._event == "link_early":
            return time.monotonic() - self._begun_seconds > _EARLY_SECONDS
        return num_rows > 0

    def note(self, name: str) -> None:
        """Seconds since the sweep began, under a name."""
        self.notes[f"{name}_seconds"] = time.monotonic() - self._begun_seconds

    def _watch_nodes(self) -> None:
        while True:
            dead = [node for node in ray.nodes() if not node["Alive"]]
            if dead:
                self.note("dead")
                self.notes["lost"] = [[node["NodeManagerAddress"], node["NodeID"]] for node in dead]
                return
            time.sleep(0.1)

    def _kill_workers(self) -> None:
        most = 1000 if self._event == "all_workers" else _KILLS
        while self.notes["num_kills"] < most:
            # One of a cluster, or all that run, so that the same points fail again and again.
            for process in self._nodes.workers()[: None if self._event == "all_workers" else 1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    self.notes["num_kills"] += 1
            time.sleep(0.1 if self._event == "all_workers" else 0.7)


def main() -> None:
    """Runs the scenario of the command line."""
    event, folder, nodes_folder = sys.argv[1:]
    # The nodes end with the scenario.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run.BATCH_SECONDS = _BATCH_SECONDS
    with cluster(
        Path(nodes_folder),
        has_two_nodes=event not in {"none", "worker", "all_workers"},
        is_in_namespaces=event.startswith("link"),
        has_quick_death=event != "frozen_unnoticed",
    ) as nodes:
        watch = Watch(nodes, event)
        try:
            noccl.sweep(STUDY, folder, ray=nodes.address, on_progress=watch.on_progress)
        except noccl.NocclError as error:
            watch.notes["error"] = str(error)
        watch.note("end")
    sys.stdout.write(json.dumps(watch.notes) + "\n")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""The Ray pool beside a stand-in with the functions of Ray that it calls.

Ray is no part of the pinned environment; docs/sweeps.md has the command that runs the same on Ray.
"""

from __future__ import annotations

import sys
import threading
import time
import types
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import noccl
from noccl.sweeps import ray_pool, run
from tests.sweep_studies import content, study


class Ray(types.ModuleType):
    """Ray's module: remote functions are computed by threads."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__("ray")
        self.is_there = is_there
        self.addresses: list[str | None] = []
        self.cancelled: list[Any] = []
        self.threads: set[int] = set()
        self._pool = ThreadPoolExecutor(3)
        self.begun = 0
        # Once set: only the first request is computed before one is cancelled.
        self.is_held = False
        self._goes_on = threading.Event()
        # Once set: what is begun before a node is lost waits for it to come back.
        self.loses_a_node = False
        self.is_lost = threading.Event()

    def is_initialized(self) -> bool:
        return self.is_there

    def init(self, *, address: str | None, log_to_driver: bool) -> None:
        self.addresses.append(address)

    def shutdown(self) -> None:
        self.addresses.append("shutdown")
        self._pool.shutdown()

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def nodes(self) -> list[dict[str, Any]]:
        if self.loses_a_node and self.begun > 0:
            self.is_lost.set()
        lives = {"a": True, "b": not self.is_lost.is_set()}
        addresses = {"a": "10.0.0.1", "b": "10.0.0.2"}
        return [
            {"NodeID": node, "Alive": alive, "NodeManagerAddress": addresses[node]}
            for node, alive in lives.items()
        ]

    def cancel(self, reference: Any, *, force: bool) -> None:
        assert force
        self.cancelled.append(reference)
        self._goes_on.set()

    def remote(self, function: Any) -> Any:
        def noted(request: str) -> str:
            self.threads.add(threading.get_ident())
            self.begun += 1
            is_first_on_lost = self.loses_a_node and self.begun == 1
            if is_first_on_lost or (self.is_held and self.begun > 1):
                self._goes_on.wait(20)
            return str(function(request))

        def begin(request: str) -> Reference:
            return Reference(self._pool.submit(noted, request))

        return types.SimpleNamespace(remote=begin)


class Reference:
    def __init__(self, future: Future[str]) -> None:
        self._future = future

    def future(self) -> Future[str]:
        return self._future


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    ray = Ray(is_there=False)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(run, "BATCH_SECONDS", 0.01)
    monkeypatch.setattr(run, "_LEAST_OF_BATCH", 1)
    return ray


def test_a_cluster_gives_the_bytes_of_the_local_pool(ray: Ray, tmp_path: Path) -> None:
    noccl.sweep(study(), tmp_path / "ray", ray="ray://head:10001")
    noccl.sweep(study(), tmp_path / "local", processes=1)
    assert content(tmp_path / "ray") == content(tmp_path / "local")
    assert ray.addresses == ["ray://head:10001", "shutdown"]
    assert len(ray.threads) > 1


def test_a_cluster_that_was_there_stays(ray: Ray, tmp_path: Path) -> None:
    ray.is_there = True
    noccl.sweep(study(bytes=[64]), tmp_path / "results", ray="auto")
    assert ray.addresses == []


def test_requests_of_a_call_that_ends_are_cancelled(ray: Ray, tmp_path: Path) -> None:
    def ended(progress: noccl.Progress) -> bool:
        return progress.done == 0

    ray.is_held = True
    with pytest.raises(noccl.InterruptedRunError, match="the same call goes on"):
        noccl.sweep(study(), tmp_path / "results", ray="local", on_progress=ended)
    assert ray.addresses == [None, "shutdown"]
    assert ray.cancelled


def test_requests_on_a_node_that_is_lost_are_computed_on_others(
    ray: Ray,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ray_pool, "_LOOK_SECONDS", 0.1)
    ray.loses_a_node = True
    begun = time.monotonic()
    noccl.sweep(study(), tmp_path / "ray", ray="auto")
    assert time.monotonic() - begun < 15, "nobody waits for the node that is lost"
    noccl.sweep(study(), tmp_path / "local", processes=1)
    assert content(tmp_path / "ray") == content(tmp_path / "local")
    assert "Ray has lost node 10.0.0.2" in capfd.readouterr().err


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(noccl.ArgumentError, match=r"pip install 'noccl\[ray\]'"):
        noccl.sweep(study(), tmp_path / "results", ray="auto")


def test_processes_are_of_the_local_pool(tmp_path: Path) -> None:
    with pytest.raises(noccl.ArgumentError, match="not with ray"):
        noccl.sweep(study(), tmp_path / "results", ray="auto", processes=2)
    wrong: list[Any] = [0, 1025, "2"]
    for processes in wrong:
        with pytest.raises(noccl.ArgumentError, match="processes"):
            noccl.sweep(study(), tmp_path / "results", processes=processes)

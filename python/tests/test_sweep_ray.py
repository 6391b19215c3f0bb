# SPDX-License-Identifier: Apache-2.0
"""The Ray pool beside a stand-in with the functions of Ray that it calls.

`make test-ray` runs sweeps on Ray itself (`tests/real_ray`).
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
        self.names: list[str] = []
        self._pool = ThreadPoolExecutor(8)
        self.begun = 0
        self.idle_cpus = 0.0
        # Once set: only the first request is computed before one is cancelled.
        self.is_held = False
        self._goes_on = threading.Event()
        # Once set: what is begun before a node is lost waits for it to come back.
        self.loses_a_node = False
        self.is_lost = threading.Event()
        # Once set: the first request has no response, and no node is reported.
        self.has_silent_node = False
        # Once set: how every task ends.
        self.failure: Exception | None = None

    def is_initialized(self) -> bool:
        return self.is_there

    def init(self, *, address: str | None, log_to_driver: bool) -> None:
        if address == "10.0.0.3:6379":
            raise ConnectionError(f"no head at {address}\nmore")
        self.addresses.append(address)

    def shutdown(self) -> None:
        self.addresses.append("shutdown")
        self._pool.shutdown()

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 3.0}

    def available_resources(self) -> dict[str, float]:
        return {"CPU": self.idle_cpus}

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
        self.names.append(function.__qualname__)
        is_of_lost = self.loses_a_node and len(self.names) == 1

        def noted(request: str) -> str:
            self.threads.add(threading.get_ident())
            self.begun += 1
            if self.failure is not None:
                raise self.failure
            # Of a function that has waited for the lost node, Ray begins no last task elsewhere.
            is_on_lost = is_of_lost and (self.begun == 1 or self.is_lost.is_set())
            is_silent = self.has_silent_node and self.begun == 1
            if is_on_lost or is_silent or (self.is_held and self.begun > 1):
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
    assert "Ray has lost node 10.0.0.2 (id b): " in capfd.readouterr().err


def test_idle_processors_compute_what_has_no_response(
    ray: Ray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_pool, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(ray_pool, "_COPY_SECONDS", 0.5)
    ray.has_silent_node = True
    ray.idle_cpus = 1.0
    begun = time.monotonic()
    noccl.sweep(study(), tmp_path / "ray", ray="auto")
    assert time.monotonic() - begun < 15, "nobody waits for the node that says nothing"
    noccl.sweep(study(), tmp_path / "local", processes=1)
    assert content(tmp_path / "ray") == content(tmp_path / "local")
    assert len(set(ray.names)) == len(ray.names) > 1


def test_busy_processors_compute_no_second_copy(
    ray: Ray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_pool, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(ray_pool, "_COPY_SECONDS", 0.0)
    noccl.sweep(study(bytes=[64]), tmp_path / "ray", ray="auto")
    assert ray.names == ["noccl_sweep_1"]


def test_copies_wait_twice_as_long_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "_COPY_SECONDS", 20.0)
    once = ray_pool.Batch("", num_begun=1, begun_seconds=100.0)
    twice = ray_pool.Batch("", num_begun=2, begun_seconds=100.0)
    assert [once.is_late(119.0), once.is_late(120.0)] == [False, True]
    assert [twice.is_late(139.0), twice.is_late(140.0)] == [False, True]


def test_a_task_that_fails_everywhere_ends_the_sweep(ray: Ray, tmp_path: Path) -> None:
    ray.failure = RuntimeError("trace of the worker\nNo module named 'noccl'\n")
    with pytest.raises(noccl.NocclError, match="cluster: No module named 'noccl'; accepted: nodes"):
        noccl.sweep(study(), tmp_path / "results", ray="auto")


def test_an_address_without_cluster_is_named(ray: Ray, tmp_path: Path) -> None:
    with pytest.raises(noccl.ArgumentError, match=r"no head at 10\.0\.0\.3:6379; accepted"):
        noccl.sweep(study(), tmp_path / "results", ray="10.0.0.3:6379")


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

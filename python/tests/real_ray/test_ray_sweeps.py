# SPDX-License-Identifier: Apache-2.0
"""Sweeps on real Ray: rows are those of the local pool, whatever the cluster loses.

`make test-ray` installs Ray and names this folder; the ordinary run of the tests does not have it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

import noccl
from tests.real_ray.scenario import STUDY
from tests.sweep_studies import content

_MOST_SECONDS = 170
_RECOMPUTED_SECONDS = 30
"""Within so many seconds after Ray has reported a node dead its points are computed elsewhere."""
_NAMESPACES = ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork"]
_NAMESPACES += ["--kill-child", "--mount-proc"]
_TRIAL = "ip link add name head0 type veth peer name node0 && mount -t tmpfs ray /mnt"
_TRIAL += " && unshare --net --mount true"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("local") / "results"
    noccl.sweep(STUDY, folder, processes=2)
    return content(folder)


def played(event: str, folder: Path, *prefix: str) -> tuple[dict[str, Any], str]:
    """What a scenario notes, and its messages."""
    # Sockets need short paths.
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as nodes:
        words = [
            *prefix,
            sys.executable,
            "-m",
            "tests.real_ray.scenario",
            event,
            str(folder),
            nodes,
        ]
        # Nodes listen to the network: with a token of this test no other user gives them tasks.
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        settings = token | {"RAY_TMPDIR": nodes}
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | settings,
            text=True,
        )
        try:
            output, messages = process.communicate(timeout=_MOST_SECONDS)
        except subprocess.TimeoutExpired:
            # The scenario kills its nodes, or the namespace of processes does.
            process.terminate()
            output, messages = process.communicate()
            pytest.fail(f"{event}: not ended after {_MOST_SECONDS} s: {messages}")
    assert process.returncode == 0, messages
    notes: dict[str, Any] = json.loads(output.splitlines()[-1])
    print(event, notes)
    return notes, messages


def check_loss(notes: dict[str, Any], messages: str) -> None:
    assert notes["event_seconds"] < notes["dead_seconds"], "Ray knew before the event"
    assert notes["end_seconds"] - notes["dead_seconds"] < _RECOMPUTED_SECONDS
    [[address, node]] = notes["lost"]
    assert f"warning: Ray has lost node {address} (id {node[:8]}): " in messages


def test_one_node_gives_the_bytes_of_the_local_pool(expected: bytes, tmp_path: Path) -> None:
    notes, messages = played("none", tmp_path / "results")
    assert content(tmp_path / "results") == expected
    assert "error" not in notes
    assert "warning: Ray has lost" not in messages


def test_a_machine_without_cluster_is_an_error_of_the_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    for address in ("auto", "nonsense"):
        with pytest.raises(noccl.ArgumentError, match=f"{address}.*: Ray cannot connect: .*accept"):
            noccl.sweep(STUDY, tmp_path / "results", ray=address)


def test_killed_workers_cost_no_rows(expected: bytes, tmp_path: Path) -> None:
    notes, _ = played("worker", tmp_path / "results")
    assert notes["num_kills"] >= 2
    assert content(tmp_path / "results") == expected


def test_points_that_kill_every_worker_end_the_sweep(tmp_path: Path) -> None:
    notes, _ = played("all_workers", tmp_path / "results")
    assert notes["num_kills"] >= 4
    assert "a task of the sweep failed on the Ray cluster: " in notes["error"]
    assert noccl.sweep_status(tmp_path / "results").all.done > 0


@pytest.mark.parametrize("event", ["link", "link_early"])
def test_points_on_a_node_without_link_are_computed_elsewhere(
    event: str, expected: bytes, tmp_path: Path
) -> None:
    missing = [name for name in ("ip", "unshare") if shutil.which(name) is None]
    assert not missing, f"{missing}: not installed; accepted: iproute2 and util-linux"
    trial = subprocess.run(
        [*_NAMESPACES, "sh", "-c", _TRIAL], capture_output=True, text=True, check=False
    )
    if trial.returncode != 0:
        pytest.skip(f"the kernel refuses network namespaces: {trial.stderr.strip()}")
    notes, messages = played(event, tmp_path / "results", *_NAMESPACES)
    check_loss(notes, messages)
    assert notes["lost"][0][0] == "10.99.0.2"
    assert content(tmp_path / "results") == expected


@pytest.mark.parametrize("event", ["frozen", "raylet"])
def test_points_on_a_node_that_is_lost_are_computed_elsewhere(
    event: str, expected: bytes, tmp_path: Path
) -> None:
    check_loss(*played(event, tmp_path / "results"))
    assert content(tmp_path / "results") == expected


def test_idle_processors_compute_what_a_silent_node_does_not(
    expected: bytes, tmp_path: Path
) -> None:
    notes, _ = played("frozen_unnoticed", tmp_path / "results")
    assert "dead_seconds" not in notes, "Ray knew of it: nothing was idle"
    assert content(tmp_path / "results") == expected

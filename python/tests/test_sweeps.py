# SPDX-License-Identifier: Apache-2.0
"""Sweeps: products, what is refused, rows that do not depend on how a sweep came to its end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import noccl
from noccl.sweeps import __main__ as command
from noccl.sweeps import execute, pools, run, store
from noccl.sweeps.study import read_study

NOCCL = Path(sys.executable).with_name("noccl")
SPEC = "collective_noc_4x4"
BOTH = {
    "specs": [SPEC],
    "collectives": ["multicast", "reduce"],
    "bytes": ["1KiB", 2048],
    "groups": ["all", "row"],
    "algorithms": ["tree:2", "chain:2", "in_network"],
    "backends": ["model", "sim"],
}
STUDY = """\
[[product]]
specs = ["collective_noc_4x4"]
collectives = ["multicast", "reduce", "all_reduce"]
bytes = ["1KiB", "2KiB", "4KiB"]
groups = ["all", "row", "column:1"]
algorithms = ["tree:2", "chain:2", "in_network"]
backends = ["model", "sim"]
"""
# Files of a few points, so that a sweep of seconds can be killed between many of them.
SMALL_BATCHES = """\
import sys
from noccl.sweeps import __main__ as command, run
run.BATCH_SECONDS = 0.02
sys.exit(command.main(sys.argv[1:]))
"""


def study(**fields: Any) -> dict[str, Any]:
    return {"product": [BOTH | fields]}


def content(folder: Path) -> bytes:
    """The table of a folder as bytes of a Parquet file."""
    place = folder.with_suffix(".parquet")
    noccl.read_sweep(folder).write_parquet(place)
    return place.read_bytes()


def started(path: Path, folder: Path, *options: str) -> subprocess.Popen[bytes]:
    arguments = ["run", str(path), f"--output={folder}", "--processes=2", *options]
    return subprocess.Popen([sys.executable, "-c", SMALL_BATCHES, *arguments])


def children(process: int) -> list[int]:
    path = Path(f"/proc/{process}/task/{process}/children")
    tasks = path.parents[1].glob("*/children")
    return [int(word) for task in tasks for word in task.read_text().split()]


def is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(condition: Any, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """The study as a file, and what an uninterrupted sweep stores."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "study.toml"
    path.write_text(STUDY)
    noccl.sweep(path, folder / "results", processes=1)
    return path, content(folder / "results")


def test_a_product_has_every_combination_once() -> None:
    asked = read_study(study(seed=3))
    assert len(asked.points) == 2 * 2 * 2 * 3 * 2
    assert len(read_study({"product": [BOTH, BOTH]}).points) == 48
    overrides = {"router": {"input_fifo_flits": [2, 4]}, "memory.latency_cycles": [10, 20, 30]}
    variants = read_study(study(overrides=overrides))
    assert (len(variants.points), len(variants.specs)) == (6 * 48, 6)
    names = {point.spec for point in variants.points.values()}
    assert f"{SPEC}, router.input_fifo_flits=4, memory.latency_cycles=30" in names


def test_a_barrier_has_no_size_and_movements_no_operator() -> None:
    fields = {"collectives": ["barrier", "reduce"], "operators": ["sum", "max"]}
    points = read_study(study(**fields)).points.values()
    assert {(p.bytes, p.operator) for p in points if p.collective == "barrier"} == {(0, None)}
    assert {p.operator for p in points if p.collective == "reduce"} == {"sum", "max"}


def test_a_key_is_of_everything_that_a_row_depends_on() -> None:
    asked = {point.key for point in read_study(study()).points.values()}
    for other in (
        {"overrides": {"memory.latency_cycles": 77}},
        {"seed": 2},
        {"bytes": [512]},
        {"roots": ["1,1"]},
        {"algorithms": ["tree:3"]},
        {"backends": ["model"], "operators": ["min"], "collectives": ["reduce"]},
    ):
        assert not asked & {point.key for point in read_study(study(**other)).points.values()}


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"colectives": ["reduce"]}, ["product[0].colectives: unknown", "`collectives`"]),
        ({"collectives": ["redcue"]}, ["product[0].collectives[0]", "redcue", "`reduce`"]),
        ({"algorithms": ["tree:2", "in_netwrok"]}, ["algorithms[1]", "`in_network`"]),
        ({"algorithms": ["all"]}, ["algorithms[0]", "one algorithm"]),
        ({"backends": ["modle"]}, ["backends[0]", "'modle'", "sim, model", "`model`"]),
        ({"specs": ["collective_nox_4x4"]}, ["specs[0]", "collective_noc_4x4"]),
        ({"specs": ["nowhere/my.toml"]}, ["specs[0]", "nowhere/my.toml"]),
        ({"overrides": {"router": {"input_fifo_flit": 2}}}, ["specs[0]", "input_fifo_flits"]),
        ({"overrides": {"router": {"input_fifo_flits": []}}}, ["input_fifo_flits: empty"]),
        ({"overrides": 3}, ["overrides", "int"]),
        ({"bytes": ["1 kilobyte"]}, ["bytes[0]", "1 kilobyte", "4KiB"]),
        ({"bytes": []}, ["product[0].bytes: empty"]),
        ({"bytes": "1KiB"}, ["product[0].bytes", "a list"]),
        ({"groups": ["row:4", "rwo"]}, ["groups[0]"]),
        ({"groups": ["rwo"]}, ["groups[0]", "rwo"]),
        ({"roots": ["mem0"]}, ["roots[0]", "mem0"]),
        ({"operators": ["mean"]}, ["operators[0]", "sum, min, max"]),
        ({"elements": ["fp65"]}, ["elements[0]", "`fp64`"]),
        ({"seed": -1}, ["product[0].seed", "-1"]),
        ({"seed": 1.5}, ["product[0].seed"]),
        ({"bytes": list(range(8, 10**6, 8))}, ["points; accepted: at most 1000000"]),
    ],
)
def test_a_study_with_a_mistake_is_refused_before_anything_runs(
    tmp_path: Path, fields: dict[str, Any], parts: list[str]
) -> None:
    folder = tmp_path / "results"
    with pytest.raises(noccl.NocclError) as refusal:
        noccl.sweep(study(**fields), folder)
    for part in parts:
        assert part in str(refusal.value)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["product: missing"]),
        ("product = []", ["product", "[[product]]"]),
        ("[[prodct]]\nspecs = []", ["prodct: unknown", "`product`"]),
        ("[[product]]\nspecs = [", ["a study in TOML"]),
        ("[[product]]\n", ["product[0].collectives: missing"]),
    ],
)
def test_a_file_that_is_no_study_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, parts: list[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text)
    assert command.main(["run", str(path), f"--output={tmp_path / 'results'}"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"error: {path}: ")
    assert all(part in message for part in parts)
    assert os.listdir(tmp_path) == ["study.toml"]


def test_both_backends_give_the_rows_of_compare(tmp_path: Path) -> None:
    rows = noccl.sweep(study(), tmp_path / "results", processes=1).rows()
    assert {row["outcome"] for row in rows} == {"done"}
    network = noccl.load(SPEC)
    for row in rows:
        if row["backend"] == "model":
            assert row["verified"] == "not_checked"
            continue
        same = noccl.compare(
            network,
            row["collective"],
            sizes_bytes=[row["bytes"]],
            group=row["group"],
            algorithms=[row["algorithm"]],
        ).rows()[0]
        for column in ("cycles", "energy_pj", "verified", "lower_bound_cycles", "busiest_link"):
            assert row[column] == same[column]


def test_a_network_from_its_stored_text_is_the_same() -> None:
    for preset in (SPEC, "tilepro64_4x4", "smart_8x8"):
        text = noccl.load(preset).to_toml()
        assert execute._network(text).to_toml() == text


def test_impossible_points_are_rows_with_their_reason(tmp_path: Path) -> None:
    asked = study(groups=["all", "row:5"], bytes=[12, 1024], specs=[SPEC, "collective_noc_8x8"])
    rows = noccl.sweep(asked, tmp_path / "results", processes=1).rows()
    refused = [row for row in rows if row["outcome"] == "refused"]
    assert all(row["reason"] and row["cycles"] is None for row in refused)
    outside = [row for row in rows if row["spec"] == SPEC and row["group"] == "row:5"]
    parts = [row for row in rows if row["collective"] == "reduce" and row["bytes"] == 12]
    assert outside
    assert parts
    assert all((row in refused) == (row in [*outside, *parts]) for row in rows)


def test_a_sweep_killed_at_any_moment_goes_on_to_the_same_bytes(
    whole: tuple[Path, bytes], tmp_path: Path
) -> None:
    path, expected = whole
    folder = tmp_path / "results"
    draw = random.Random(7)
    kills = 0
    seen: list[int] = []
    while True:
        sweep = started(path, folder)
        before = len(store.row_files(folder)) if folder.exists() else 0
        more = draw.randint(2, 12)
        wait_until(
            lambda before=before, more=more, sweep=sweep: (
                sweep.poll() is not None
                or (folder.exists() and len(store.row_files(folder)) >= before + more)
            )
        )
        time.sleep(draw.random() * 0.03)
        workers = children(sweep.pid) if sweep.poll() is None else []
        sweep.kill()
        code = sweep.wait()
        assert wait_until(lambda workers=workers: not any(map(is_there, workers)))
        if code == 0:
            break
        assert code == -signal.SIGKILL
        kills += 1
        found = noccl.sweep_status(folder)
        seen.append(found.all.done)
        assert not found.is_running
    assert kills >= 2
    assert seen == sorted(seen)
    assert content(folder) == expected


def test_a_killed_process_of_the_pool_is_replaced(
    whole: tuple[Path, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, expected = whole
    monkeypatch.setattr(run, "BATCH_SECONDS", 0.02)
    made: list[pools.LocalPool] = []

    def pool(processes: int | None) -> pools.LocalPool:
        made.append(pools.LocalPool(processes))
        return made[0]

    monkeypatch.setattr(run, "LocalPool", pool)
    killed: list[int] = []

    def kill_one(progress: noccl.Progress) -> None:
        newest = made[0].process_ids[-1]
        is_due = progress.done > 30 * len(killed) and len(killed) < 4
        if is_due and newest not in killed:
            killed.append(newest)
            os.kill(newest, signal.SIGKILL)

    noccl.sweep(path, tmp_path / "results", processes=2, on_progress=kill_one)
    assert len(killed) >= 3
    assert content(tmp_path / "results") == expected


def test_a_process_that_always_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools.sys, "executable", "/bin/false")
    with pytest.raises(noccl.NocclError, match="ended 5 times on the same points"):
        noccl.sweep(study(), tmp_path / "results", processes=1)


def test_a_call_that_ends_early_stores_what_is_finished(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    with pytest.raises(noccl.InterruptedRunError, match="0 of 48 points"):
        noccl.sweep(study(), folder, processes=1, on_progress=lambda _: False)
    found = noccl.sweep_status(folder)
    assert (found.all.total, found.all.missing, found.is_running) == (48, 48, False)
    assert found.next_missing[0].startswith(f"{SPEC}: multicast 1024 B by tree:2")
    assert len(noccl.sweep(study(), folder, processes=1)) == 48
    assert noccl.sweep_status(folder).all == noccl.SpecStatus("all", 48, 48, 0, 0)


def test_a_larger_study_reuses_rows_and_a_smaller_one_shows_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    small, large = study(bytes=[1024]), study(bytes=[1024, 4096])
    noccl.sweep(small, folder, processes=1)
    files = store.row_files(folder)
    first = {name: (folder / name).read_bytes() for name in files}
    computed = []
    noccl.sweep(large, folder, processes=1, on_progress=lambda p: computed.append(p.done))
    assert computed[0] == 24
    assert len(noccl.read_sweep(folder)) == 48
    assert {name: (folder / name).read_bytes() for name in files} == first
    assert (
        noccl.sweep(small, folder, processes=1).rows()
        == noccl.sweep(small, tmp_path / "other", processes=1).rows()
    )


def test_the_command_reports_ends_and_goes_on(tmp_path: Path) -> None:
    large = STUDY.replace("noc_4x4", "noc_16x16").replace('"4KiB"', '"32KiB"')
    (tmp_path / "study.toml").write_text(large)
    folder = tmp_path / "study.sweep"
    sweep = subprocess.Popen([NOCCL, "sweep", "study.toml"], cwd=tmp_path)
    assert wait_until(lambda: folder.exists() and (folder / "study.parquet").exists())
    module = children(sweep.pid)
    busy = subprocess.run(
        [NOCCL, "sweep", "study.toml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (busy.returncode, "another sweep writes here" in busy.stderr) == (2, True)
    sweep.kill()
    sweep.wait()
    # Whoever starts it is killed: it ends, and so do its processes.
    assert wait_until(lambda: not any(map(is_there, module)))
    assert wait_until(lambda: not noccl.sweep_status(folder).is_running)
    (tmp_path / "study.toml").write_text(STUDY)
    ended = subprocess.run(
        [NOCCL, "sweep", "study.toml", "--json"], cwd=tmp_path, capture_output=True, check=True
    )
    assert json.loads(ended.stdout)["specs"][0]["done"] == 162
    status = subprocess.run([NOCCL, "sweep", "status", folder], capture_output=True, check=True)
    assert status.stdout.split()[-6:] == [b"all", b"162", b"162", b"0", b"0", b"0"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_cleanly(tmp_path: Path, ending: signal.Signals) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    folder = tmp_path / "results"
    sweep = started(tmp_path / "study.toml", folder)
    assert wait_until(lambda: folder.exists() and bool(store.row_files(folder)))
    workers = children(sweep.pid)
    sweep.send_signal(ending)
    assert sweep.wait(timeout=20) == 3
    assert not any(map(is_there, workers))
    assert 0 < noccl.sweep_status(folder).all.done < 162


def test_folders_of_other_things_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(noccl.FileError, match=r"thesis\.tex"):
        noccl.sweep(study(), tmp_path)
    with pytest.raises(noccl.FileError, match="no results of a sweep"):
        noccl.sweep_status(tmp_path)
    with pytest.raises(noccl.FileError, match="cannot write"):
        noccl.sweep(study(), tmp_path / "thesis.tex" / "results")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    noccl.sweep(study(bytes=[1024]), folder, processes=1)
    part = folder / store.row_files(folder)[0]
    part.write_bytes(part.read_bytes()[:100])
    with pytest.raises(noccl.FileError, match=part.name):
        noccl.sweep(study(), folder, processes=1)


def test_wrong_bytes_are_a_failed_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point, *_ = read_study(study(backends=["sim"])).points.values()
    measure = execute._measure
    monkeypatch.setattr(execute, "_measure", lambda *a: measure(*a) | {"verified": "no"})
    row = execute.row_of(point, noccl.load(SPEC).to_toml())
    assert (row["outcome"], row["reason"]) == ("failed", "wrong bytes arrived")
    folder = tmp_path / "results"
    with store.Store(folder) as opened:
        opened.begin(read_study(study(backends=["sim"])))
        opened.append([row])
    assert noccl.sweep_status(folder).all.failed == 1
    assert command.main(["status", str(folder)]) == 1


def test_another_build_of_the_engine_is_refused() -> None:
    request = {"engine": "0" * 32, "seconds": 1, "specs": {}, "points": []}
    assert "another build of noccl" in json.loads(execute.respond(json.dumps(request)))["error"]


def test_rows_hold_no_more_than_their_point_decides(tmp_path: Path) -> None:
    noccl.sweep(study(), tmp_path / "one", processes=1)
    noccl.sweep(study(), tmp_path / "two", processes=2)
    one, two = (noccl.read_sweep(tmp_path / name) for name in ("one", "two"))
    assert one.arrow.equals(two.arrow)
    assert one.kind == "sweep"
    assert pq.read_schema(tmp_path / "one" / "rows-000001.parquet").equals(one.arrow.schema)

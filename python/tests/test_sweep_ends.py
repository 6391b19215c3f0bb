# SPDX-License-Identifier: Apache-2.0
"""Sweeps that end early, in every manner: rows do not depend on how a sweep came to its end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import noccl
from noccl.sweeps import pools, run, store
from tests.sweep_studies import (
    NOCCL,
    SPEC,
    STUDY,
    children,
    content,
    is_there,
    started,
    study,
    wait_until,
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """The study as a file, and what an uninterrupted sweep stores."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "study.toml"
    path.write_text(STUDY)
    noccl.sweep(path, folder / "results", processes=1)
    return path, content(folder / "results")


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
        # The sixth may go on to its end.
        more = draw.randint(1, 6) if kills < 5 else 10**6
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
    monkeypatch.setattr(sys, "executable", "/bin/false")
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


def test_the_command_refuses_a_missing_file_without_an_interpreter(tmp_path: Path) -> None:
    environment = os.environ | {"NOCCL_PYTHON": str(tmp_path / "none")}
    for name, reason in (("missing.toml", "No such file"), (".", "Is a directory")):
        words: list[str | Path] = [NOCCL, "sweep", name]
        ended = subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 2
        assert ended.stderr.startswith(f"error: {name}: cannot read: {reason}")


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


def test_rows_hold_no_more_than_their_point_decides(tmp_path: Path) -> None:
    noccl.sweep(study(), tmp_path / "one", processes=1)
    noccl.sweep(study(), tmp_path / "two", processes=2)
    one, two = (noccl.read_sweep(tmp_path / name) for name in ("one", "two"))
    assert one.arrow.equals(two.arrow)
    assert one.kind == "sweep"
    assert pq.read_schema(tmp_path / "one" / "rows-000001.parquet").equals(one.arrow.schema)


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


def test_ctrl_c_ends_the_command_once(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("noc_4x4", "noc_16x16"))
    command = [str(NOCCL), "sweep", "study.toml", "-o", "results"]
    sweep = subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, process_group=0
    )
    folder = tmp_path / "results"
    assert wait_until(lambda: folder.exists() and bool(store.row_files(folder)))
    # A terminal sends it to all processes of the command.
    os.killpg(sweep.pid, signal.SIGINT)
    _, message = sweep.communicate(timeout=20)
    found = noccl.sweep_status(folder)
    assert sweep.returncode == 3
    lines = [f"interrupted: results has {found.all.done} of 162 points"]
    assert message.splitlines() == [*lines, "go on with the same command"]
    assert not found.is_running


def test_an_interrupt_in_a_destructor_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("noc_4x4", "noc_16x16"))
    code = """\
import os, signal, sys
from noccl.sweeps import __main__ as command, run

class Lost:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

submit = run.LocalPool.submit
def interrupted(pool, request):
    Lost()
    run.LocalPool.submit = submit
    return submit(pool, request)
run.LocalPool.submit = interrupted
sys.exit(command.main(["run", "study.toml", "--output=results", "--processes=2"]))
"""
    words = [sys.executable, "-c", code]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 3, ended
    assert b"interrupted: results has" in ended.stderr


def test_a_second_interrupt_does_not_cut_the_end_short() -> None:
    code = """\
import os, signal, time
from noccl.sweeps import __main__ as command
signal.signal(signal.SIGINT, command._interrupt)
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(os.getpid(), number)
    time.sleep(0.1)
    print("ended")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"ended\n")

# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs, traces and replays: the same run, exact totals, who waits for whom."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import noccl

NOCCL = Path(sys.executable).with_name("noccl")
PARTS = ("compute", "send", "receive", "wait")


def ring(comm: Any) -> None:
    comm.compute(cycles=400 * (comm.rank + 1))
    comm.sendrecv(b"x" * 4000, dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
    comm.Barrier()


def recorded(spec: str) -> tuple[noccl.ProgramResult, noccl.Recording]:
    result = noccl.run_program(ring, spec, ranks=4, record=True)
    assert result.recording is not None
    return result, result.recording


def calls_of(recording: noccl.Recording, rank: int) -> dict[str, int]:
    """Cycles that a rank has waited, by call."""
    waits: dict[str, int] = {}
    for activity, start, end, call in recording.fields["ranks"][rank]["slices"]:
        if activity == "wait" and call is not None:
            name = recording.fields["calls"][call]["call"]
            waits[name] = waits.get(name, 0) + end - start
    return waits


@pytest.mark.parametrize("spec", ["collective_noc_4x4", "tilepro64_4x4", "smart_4x4"])
def test_a_recorded_program_is_the_same_program(spec: str, tmp_path: Path) -> None:
    result, recording = recorded(spec)
    plain = noccl.run_program(ring, spec, ranks=4)
    assert plain.recording is None
    assert plain.ranks.arrow.equals(result.ranks.arrow)
    assert plain.timeline.arrow.equals(result.timeline.arrow)
    fields = recording.fields
    assert sum(link["flits"] for link in recording.links) == result.flit_hops > 0
    assert bool(fields["transactions"]["kind"]) == (spec == "collective_noc_4x4")
    for row, rank in zip(result.ranks.rows(), fields["ranks"], strict=True):
        starts, ends = (np.array([one[n] for one in rank["slices"]]) for n in (1, 2))
        assert starts.tolist() == [0, *ends[:-1]]
        assert ends[-1] == row["finish_cycle"] == sum(rank["cycles"].values())
        assert rank["cycles"]["compute"] == row["compute_cycles"]
        if spec == "tilepro64_4x4":
            assert [rank["cycles"][part] for part in PARTS] == [
                row[f"{part}_cycles"] for part in PARTS
            ]
    recording.to_perfetto(tmp_path / "run.json")
    recording.to_parquet(tmp_path / "run.parquet")
    assert noccl.read_recording(tmp_path / "run.json") == recording
    assert noccl.read_recording(tmp_path / "run.parquet") == recording
    frame = polars.read_parquet(tmp_path / "run.parquet").filter(what="rank")
    waits = frame.filter(name="wait").select(polars.col("end_cycle") - polars.col("start_cycle"))
    assert waits.sum().item() == sum(rank["cycles"]["wait"] for rank in fields["ranks"])
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    named = [event for event in events if event["args"].get("call_site")]
    assert any("test_program_recordings.py" in event["args"]["call_site"] for event in named)


def test_ranks_wait_for_the_slowest_one() -> None:
    _, recording = recorded("collective_noc_4x4")
    awaited = {call["awaits"] for call in recording.fields["calls"]}
    # Rank 3 computes longest: its message comes last to rank 0, and it calls the barrier last.
    assert any("a message from rank 3" in text for text in awaited), awaited
    assert "4 ranks, of which rank 3 called last" in awaited
    first, last = calls_of(recording, 0), calls_of(recording, 3)
    assert first["wait"] >= 1200 > last.get("wait", 0)
    figure = noccl.plot_gantt(recording)
    assert figure.axes[0].get_ylabel() == "rank"
    legend = figure.axes[0].get_legend()
    assert legend is not None
    drawn = {text.get_text() for text in legend.get_texts()}
    assert {"compute", "wait", "wait in barrier"} <= drawn


def said(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in (NOCCL, *words)]
    return subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)


def test_the_command_line_records_traces_scripts_and_replays(tmp_path: Path) -> None:
    ends = {"from": {"cluster": {"x": 0, "y": 0}}, "to": {"cluster": {"x": 1, "y": 0}}, "beats": 70}
    other = ends | {"from": {"cluster": {"x": 1, "y": 1}}}
    entries = [{"start_cycles": [3], "kind": {"wide_write": of}} for of in (ends, other)]
    trace = {"format": 1, "trace": {"transactions": entries}}
    (tmp_path / "writes.json").write_text(json.dumps(trace), encoding="utf-8")
    done = said("run", "trace", "writes.json", "--record", "trace.json", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = noccl.read_recording(tmp_path / "trace.json")
    assert run.fields["workload"] == "trace of 2 transactions"
    assert (
        sum(link["flits"] for link in run.links) == json.loads(done.stdout)["counters"]["flit_hops"]
    )
    transactions = run.fields["transactions"]
    # The burst rules cut 70 beats.
    assert sorted(transactions["action"]) == [0, 0, 1, 1]
    assert {port["cause"] for port in run.ports} >= {"memory_port"}
    script = "from mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nprint('done')\n"
    (tmp_path / "meet.py").write_text(script, encoding="utf-8")
    on = ("--spec", "collective_noc_2x2")
    for option, file in (("--record", "meet.messages"), ("--record-run", "meet.parquet")):
        done = said("run", "program", "meet.py", "--ranks", 4, *on, option, file, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    script_run = noccl.read_recording(tmp_path / "meet.parquet")
    assert script_run.fields["workload"] == "meet.py, 4 ranks"
    words = ("run", "messages", "meet.messages", *on, "--record-run", "replay.json", "--json")
    done = said(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    replay = noccl.read_recording(tmp_path / "replay.json")
    assert replay.fields["cycles"] == json.loads(done.stdout)["cycles"]
    assert replay.links == script_run.links
    assert [rank["cycles"] for rank in replay.fields["ranks"]] == [
        rank["cycles"] for rank in script_run.fields["ranks"]
    ]
    refused = said(*words[:-2], "replay.csv", cwd=tmp_path)
    assert refused.returncode != 0
    assert (
        "--record-run 'replay.csv': accepted: a file that ends in .json or .parquet"
        in refused.stderr
    )

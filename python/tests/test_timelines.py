# SPDX-License-Identifier: Apache-2.0
"""Timelines of programs: what stands in the file, and what is drawn of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noccl
from noccl import timelines

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("compute", "send", "receive", "wait")


def ring(comm: Any) -> None:
    comm.compute(cycles=100 * (comm.rank + 1))
    comm.sendrecv(b"x" * 400, dest=(comm.rank + 1) % comm.size, source=comm.rank - 1)
    comm.Barrier()


def recorded(path: Path, spec: str) -> tuple[noccl.ProgramResult, timelines.Timeline]:
    result = noccl.run_program(ring, spec, ranks=4, has_timeline=True)
    result.write_timeline(path)
    return result, timelines.read_timeline(path)


@pytest.mark.parametrize("spec", ["tilepro64_4x4", "collective_noc_4x4", "smart_4x4"])
def test_slices_of_a_rank_are_all_of_its_time(spec: str, tmp_path: Path) -> None:
    result, timeline = recorded(tmp_path / "ring.json", spec)
    assert (timeline.network, timeline.cycles) == (spec, result.cycles)
    for row in result.ranks.rows():
        slices = timeline.ranks[row["rank"]]
        ends = [0, *(end for _, end, _ in slices)]
        assert [start for start, _, _ in slices] == ends[:-1]
        assert ends[-1] == row["finish_cycle"]
        # A core of core tiles does one thing at a time, so slices and counts are the same.
        if spec == "tilepro64_4x4":
            sums = [timeline.cycles_of(row["rank"], part) for part in PARTS]
            assert sums == [row[f"{part}_cycles"] for part in PARTS]
            assert all(sums)
        assert timeline.cycles_of(row["rank"], "compute") == row["compute_cycles"]


def test_keeping_times_changes_no_cycle(tmp_path: Path) -> None:
    result, _ = recorded(tmp_path / "ring.json", "tilepro64_4x4")
    without = noccl.run_program(ring, "tilepro64_4x4", ranks=4)
    assert without.ranks.arrow.equals(result.ranks.arrow)
    with pytest.raises(noccl.ArgumentError, match="has_timeline=True"):
        without.write_timeline(tmp_path / "none.json")
    with pytest.raises(noccl.ArgumentError, match="has_timeline=True"):
        without.write_messages(tmp_path / "none.messages")


def test_events_are_those_of_the_calls_at_the_clock_of_the_network(tmp_path: Path) -> None:
    path = tmp_path / "ring.json"
    result, timeline = recorded(path, "tilepro64_4x4")
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    calls = [event for event in events if event["ph"] == "X" and event["tid"] == 1]
    rows = sorted(result.timeline.rows(), key=lambda row: row["rank"])
    assert [call["args"]["end_cycle"] for call in calls] == [row["end_cycle"] for row in rows]
    assert [call["name"] for call in calls] == [row["what"] for row in rows]
    for call in calls:
        assert call["ts"] == pytest.approx(
            call["args"]["start_cycle"] / timeline.clock_ghz / 1000, rel=1e-12
        )


def test_shares_of_a_column_are_the_parts_of_its_time() -> None:
    slices = ((0, 25, "compute"), (25, 50, "wait"), (50, 60, "send"), (60, 75, "compute"))
    timeline = timelines.Timeline("any", 1.0, 100, (slices,))
    found = timelines.shares(timeline, 0, 2, (0, 100))
    assert found["compute"] == pytest.approx(np.array([0.5, 0.3]))
    assert found["send"] == pytest.approx(np.array([0.0, 0.2]))
    assert found["wait"] == pytest.approx(np.array([0.5, 0.0]))
    assert timeline.cycles_of(0, "compute", (20, 62)) == 7


def test_a_picture_has_a_panel_per_timeline_and_a_name_per_colour() -> None:
    slices = ((0, 25, "compute"), (25, 50, "wait"))
    timeline = timelines.Timeline("any", 2.0, 50, (slices, slices))
    figure = timelines.plot_times([timeline, timeline], ["one", "other"], [(0, 50), (10, 30)])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["one", "other"]
    assert figure.axes[1].get_xlim() == pytest.approx((0.005, 0.015))
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["compute", "wait"]
    blue = np.asarray(figure.axes[0].images[0].get_array())[5, 10]
    assert tuple(np.rint(255 * np.asarray(blue)).astype(int)) == (0x1A, 0x55, 0xDC)
    with pytest.raises(noccl.ArgumentError, match="1 titles"):
        timelines.plot_times([timeline, timeline], ["one"])


def test_a_file_of_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"otherData": {"version": 2}}', encoding="utf-8")
    with pytest.raises(noccl.FileError, match="version 2; accepted: 1"):
        timelines.read_timeline(path)
    assert timelines.main([str(path)]) == 1
    assert "not a timeline" in capsys.readouterr().err


def command(*words: object) -> subprocess.CompletedProcess[str]:
    run = [str(Path(sys.executable).parent / "noccl"), *map(str, words)]
    return subprocess.run(run, capture_output=True, check=False, text=True)


@pytest.fixture(scope="module")
def solver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solver in C, over ports and over calls."""
    folder = tmp_path_factory.mktemp("solver")
    source = ROOT / "programs" / "examples" / "conjugate_gradient.c"
    for name, options in (("ports", []), ("calls", ["--calls"])):
        made = command("build", source, "-o", folder / f"{name}.elf", "-D", "POINTS=16", *options)
        assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.parametrize(
    ("program", "columns"),
    [
        (
            "ports",
            {
                "execute": "compute_cycles",
                "wait for space": "send_wait_cycles",
                "wait for words": "receive_wait_cycles",
            },
        ),
        ("calls", {part: f"{part}_cycles" for part in PARTS}),
    ],
)
def test_slices_of_a_compiled_program_are_the_cycles_of_its_report(
    program: str, columns: dict[str, str], solver: Path, tmp_path: Path
) -> None:
    path, elf = tmp_path / "solver.json", solver / f"{program}.elf"
    options = ["--program", "--ranks", 4, "--spec", "tilepro64_4x4", "--json"]
    run = command("run", elf, *options, "--timeline", path)
    assert run.returncode == 0, run.stderr
    assert run.stdout == command("run", elf, *options).stdout
    timeline = timelines.read_timeline(path)
    for row in json.loads(run.stdout)["ranks"]:
        assert timeline.ranks[row["rank"]][-1][1] == row["finish_cycle"]
        for kind, column in columns.items():
            assert timeline.cycles_of(row["rank"], kind) == row[column]


def test_a_trace_of_messages_has_a_timeline_and_pictures_are_drawn_elsewhere(
    solver: Path, tmp_path: Path
) -> None:
    trace, path = tmp_path / "cg.messages", tmp_path / "cg.json"
    on = ["--spec", "collective_noc_4x4"]
    recorded = [tmp_path / "own.json", path]
    run = ["run", solver / "calls.elf", "--program", "--ranks", 4, *on, "--record", trace]
    assert command(*run, "--timeline", recorded[0]).returncode == 0
    assert command("run", trace, "--messages", *on, "--timeline", path).returncode == 0
    own, replayed = map(timelines.read_timeline, recorded)
    assert own.ranks == replayed.ranks
    assert timelines.main([str(path)]) == 0
    assert "<svg" in path.with_suffix(".svg").read_text(encoding="utf-8")
    refused = command(*run, "--timeline", tmp_path / "cg.svg")
    assert refused.returncode != 0
    assert "python -m noccl.timelines makes a picture" in refused.stderr

# SPDX-License-Identifier: Apache-2.0
"""Recordings of runs: totals, files as other tools read them, and files that are wrong."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
import pyarrow.parquet as pq
import pytest

import noccl

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

NETWORK = "collective_noc_4x4"


@pytest.fixture(scope="module")
def report() -> noccl.RunReport:
    schedule = noccl.make_schedule(NETWORK, "all_reduce", num_bytes="8KiB", algorithm="in_network")
    return noccl.run(NETWORK, schedule, record=True)


@pytest.fixture(scope="module")
def recording(report: noccl.RunReport) -> noccl.Recording:
    assert report.recording is not None
    return report.recording


def test_windows_have_the_flits_and_cycles_of_the_whole_run(
    report: noccl.RunReport, recording: noccl.Recording
) -> None:
    flits = np.bincount(recording.flits[:, 1], weights=recording.flits[:, 2])
    assert flits.tolist() == [link["flits"] for link in recording.links]
    assert flits.sum() == report.counters.flit_hops
    blocked = np.bincount(recording.blocked[:, 1], weights=recording.blocked[:, 2])
    assert blocked.tolist() == [port["cycles"] for port in recording.ports]
    assert recording.num_windows <= 1024
    assert recording.fields["transactions"]["left_out"] == 0
    starts = [action["start_cycle"] for action in recording.fields["actions"]]
    assert starts == report.action_cycles[:, 0].tolist()


def test_a_run_without_a_record_is_the_same_run(report: noccl.RunReport) -> None:
    schedule = noccl.make_schedule(NETWORK, "all_reduce", num_bytes="8KiB", algorithm="in_network")
    plain = noccl.run(NETWORK, schedule)
    assert plain.recording is None
    assert (plain.cycles, plain.counters) == (report.cycles, report.counters)


def test_parquet_is_read_by_arrow_and_polars(
    recording: noccl.Recording, report: noccl.RunReport, tmp_path: Path
) -> None:
    recording.to_parquet(tmp_path / "run.parquet")
    arrow = pq.read_table(tmp_path / "run.parquet")
    assert arrow.schema.metadata[b"noccl.version"] == b"2"
    frame = polars.read_parquet(tmp_path / "run.parquet")
    assert frame.equals(recording.to_polars())
    by_kind = frame.group_by("what").agg(polars.col("amount").sum())
    sums = dict(by_kind.iter_rows())
    assert sums["flits"] == report.counters.flit_hops
    assert sums["blocked"] == sum(port["cycles"] for port in recording.ports)
    transactions = frame.filter(what="transaction")
    assert (transactions["first_beat_cycle"] >= transactions["start_cycle"]).all()
    assert (transactions["end_cycle"] >= transactions["last_beat_cycle"]).all()
    assert recording.to_pandas().shape == (len(frame), 20)
    assert noccl.read_recording(tmp_path / "run.parquet") == recording


def test_trace_events_are_those_of_the_format(
    recording: noccl.Recording, report: noccl.RunReport, tmp_path: Path
) -> None:
    """The rules of the trace-event format: phases, numbers, and slices of a track that nest."""
    recording.to_perfetto(tmp_path / "run.json")
    file = json.loads((tmp_path / "run.json").read_text())
    assert file["displayTimeUnit"] == "ns"
    tracks: dict[tuple[int, int], list[tuple[float, float]]] = {}
    names = set()
    area: dict[str, float] = {}
    last: dict[tuple[int, str], tuple[float, float]] = {}
    for event in file["traceEvents"]:
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        if event["ph"] == "M":
            assert event["name"] in {"process_name", "thread_name"}
            names.add((event["pid"], event["tid"]))
        elif event["ph"] == "X":
            args = event["args"]
            assert event["ts"] * 1000 == pytest.approx(args["start_cycle"])
            assert event["dur"] * 1000 == pytest.approx(args["end_cycle"] - args["start_cycle"])
            track = tracks.setdefault((event["pid"], event["tid"]), [])
            track.append((event["ts"], event["ts"] + event["dur"]))
        else:
            assert event["ph"] == "C"
            key = (event["pid"], event["name"])
            at, value = last.get(key, (0.0, 0.0))
            if event["pid"] == 1:
                area["flits"] = area.get("flits", 0) + (event["ts"] - at) * 1000 * value
            last[key] = (event["ts"], event["args"]["value"])
    assert tracks.keys() <= names
    for slices in tracks.values():
        for (_, end), (start, _) in zip(sorted(slices), sorted(slices)[1:], strict=False):
            assert end <= start + 1e-9
    num_slices = len(recording.fields["actions"]) + len(recording.fields["transactions"]["kind"])
    assert sum(map(len, tracks.values())) == num_slices
    # A counter holds its value up to its next event; all end with 0.
    assert area["flits"] == pytest.approx(report.counters.flit_hops)
    assert all(value == 0 for _, value in last.values())


def test_a_file_that_was_written_is_read(recording: noccl.Recording, tmp_path: Path) -> None:
    recording.to_perfetto(tmp_path / "run.json")
    assert noccl.read_recording(tmp_path / "run.json") == recording
    command = [sys.executable, "-m", "noccl.recordings", "run.json", "run.parquet"]
    subprocess.run(command, cwd=tmp_path, check=True)
    frame = polars.read_parquet(tmp_path / "run.parquet")
    assert frame.equals(recording.to_polars())


def _changed(fields: dict[str, Any], path: str, value: object) -> str:
    *outer, last = path.split(".")
    of = fields
    for name in outer:
        of = of[name]
    of[last] = value
    return json.dumps({"recording": fields})


def _rank(cycles: int = 9, end: int = 9, call: int | None = None) -> dict[str, Any]:
    rank = {"at": [0, 0], "cycles": {"wait": cycles}, "slices_left_out": 0}
    return rank | {"slices": [["wait", 0, end, call]]}


def _num_bars(figure: Figure) -> int:
    return sum(len(bars.get_paths()) for bars in figure.axes[0].collections)


def test_wrong_files_say_what_and_where(recording: noccl.Recording, tmp_path: Path) -> None:
    recording.to_perfetto(tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text()
    windows = base64.b64decode(recording.fields["flits"]["windows"])
    short = base64.b64encode(windows[:-5]).decode()
    wrong = {
        text[: len(text) // 2]: "at line 1 column",
        text[:-40]: "at line 1 column",
        "[]": "recording",
        "network = 3": "not a recording of a run",
        '{"traceEvents": []}': "missing field `recording`",
    }
    for path, value, said in (
        ("format", 1, "recording.format: 1; accepted: 2"),
        ("mesh", [4, 4], "tiles: 20; accepted: 16, as in the mesh"),
        ("mesh", "wide", "invalid type: string"),
        ("transactions.bytes", [], "transactions.bytes: 0 of 24 transactions"),
        ("transactions.from", [99] * 24, "transactions.from[0]: no tile; accepted: below 20"),
        ("ranks", [_rank(call=3)], "ranks[0].slices[0]: call 3; accepted: below 0"),
        ("ranks", [_rank(end=0)], "ranks[0].slices[0]: cycles 0 to 0; accepted: from 0 on"),
        ("ranks", [_rank(cycles=8)], "ranks[0].cycles: 8 in all, 9 in the slices"),
        ("flits.num_windows", 1_000_000, "flits.num_windows: 1000000; accepted: at most 1024"),
        ("flits.window_cycles", 3, "flits.window_cycles: 3; accepted: a power of two"),
        ("flits.windows", short, "flits.windows: window"),
        ("flits.windows", "%", "flits.windows: "),
        ("blocked.ports", [], "blocked.windows: window"),
        ("clock_ghz", 0, "clock_ghz: 0; accepted: above 0"),
    ):
        fields = json.loads(text)["recording"]
        wrong[_changed(fields, path, value)] = said
    fields = json.loads(text)["recording"]
    fields["flits"]["links"][3]["flits"] += 1
    wrong[json.dumps({"recording": fields})] = "flits.links[3]: "
    for content, said in wrong.items():
        (tmp_path / "wrong.json").write_text(content)
        with pytest.raises(noccl.FileError, match=r"wrong\.json") as error:
            noccl.read_recording(tmp_path / "wrong.json")
        assert said in str(error.value)


def test_figures_draw_every_action_and_all_flits(recording: noccl.Recording) -> None:
    gantt = noccl.plot_gantt(recording)
    tiles = sum(len(action["tiles"]) for action in recording.fields["actions"])
    assert _num_bars(gantt) == tiles
    transactions = noccl.plot_gantt(recording, what="transactions")
    assert _num_bars(transactions) == len(recording.fields["transactions"]["kind"])
    film = noccl.plot_load_over_time(recording, panels=4)
    arrows = [np.asarray(axes.collections[0].get_array()) for axes in film.axes[:4]]
    edges = np.linspace(0, recording.num_windows, 5).astype(int)
    cycles = np.diff(edges) * recording.window_cycles
    drawn = sum(a.sum() * n for a, n in zip(arrows, cycles, strict=True))
    wide = sum(link["flits"] for link in recording.links if link["plane"] == "wide")
    assert drawn == pytest.approx(wide)
    with pytest.raises(noccl.ArgumentError, match=r"accepted: .*wide"):
        noccl.plot_load_over_time(recording, plane="none")
    with pytest.raises(noccl.ArgumentError, match="accepted: actions, ranks, transactions"):
        noccl.plot_gantt(recording, what="tiles")
    with pytest.raises(noccl.ArgumentError, match="panels"):
        noccl.plot_load_over_time(recording, panels=0)


def test_other_routers_have_links_and_actions() -> None:
    for network in ("smart_8x8", "tilepro64_4x4", "esp_4x5"):
        algorithm = "auto" if network == "esp_4x5" else "tree"
        schedule = noccl.make_schedule(network, "multicast", num_bytes=512, algorithm=algorithm)
        found = noccl.run(network, schedule, record=True)
        assert found.recording is not None
        flits = sum(link["flits"] for link in found.recording.links)
        assert flits == found.counters.flit_hops > 0
        assert found.recording.fields["actions"]
        assert not found.recording.ports

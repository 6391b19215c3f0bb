# SPDX-License-Identifier: Apache-2.0
"""Core tiles from Python: messages, streams, lengths, lock-step, noise, columns of tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

import noccl

if TYPE_CHECKING:
    from pathlib import Path


def ping_pong() -> noccl.Schedule:
    """A word there, a stream to all, a word back."""
    builder = noccl.ScheduleBuilder("ping_pong", first="send", claims_rounds=True)
    here, there = noccl.Cluster(0, 0), noccl.Cluster(1, 0)
    ping = builder.message(noccl.Place(here, 0), noccl.Place(there, 64), 8, round=0)
    stream = builder.static_multicast(
        noccl.Place(there, 64), noccl.Rectangle(0, 0, 2, 1), 128, 8, after=[ping]
    )
    builder.message(noccl.Place(there, 64), noccl.Place(here, 256), 8, round=1, after=[stream])
    return builder.build()


def test_a_schedule_of_messages_and_streams_is_built_checked_and_run() -> None:
    network = noccl.load("tilepro64_2x1")
    schedule = ping_pong()
    document = json.loads(schedule.text)
    assert (document["first"], document["claims_rounds"]) == ("send", True)
    assert document["actions"][0]["kind"]["message"]["round"] == 0
    noccl.check(network, schedule)
    report = noccl.run(network, schedule)
    # Send, two FIFOs, queue to core, receive, four words.
    assert list(report.action_cycles[0]) == [0, 15 + 2 + 1 + 15 + 4]
    assert report.blocked_link_cycles == 0
    assert noccl.run(network, schedule, is_lock_step=True).cycles == report.cycles
    place, row = noccl.Place(noccl.Cluster(0, 0), 0), noccl.Row(0)
    with pytest.raises(noccl.ArgumentError, match="group"):
        noccl.ScheduleBuilder("x").static_multicast(place, row, 0, 8)  # type: ignore[arg-type]


def test_rounds_that_share_a_link_are_refused() -> None:
    builder = noccl.ScheduleBuilder("rounds", claims_rounds=True)
    for column in (0, 1):
        builder.message(
            noccl.Place(noccl.Cluster(column, 0), 0),
            noccl.Place(noccl.Cluster(2, 0), 64 + 8 * column),
            8,
            round=0,
        )
    with pytest.raises(noccl.ScheduleError, match="round 0"):
        noccl.check(noccl.load("tilepro64_3x1"), builder.build())


def test_blocks_of_different_lengths_are_compared_and_mistakes_name_the_rank() -> None:
    network = noccl.load("tilepro64_2x1")
    lengths = noccl.Lengths(sends=[[0, 1024], [8, 0]])
    table = noccl.compare(network, "all_to_all", lengths=lengths, algorithms=["torus", "auto"])
    assert set(table["verified"]) == {"yes"}
    assert table["core_bound_cycles"][0] == 2 * 15 + 8 * 34 + 4
    assert table.rows()[1]["picked_by"].startswith("runs of ")
    schedule = noccl.make_schedule(network, "all_to_all", lengths=lengths, algorithm="pairwise")
    assert noccl.run(network, schedule).verified
    for wrong, message in [
        (noccl.Lengths([[0, 8]]), "without lengths of rank 1"),
        (noccl.Lengths([[0, 8], [8]]), "1 lengths of rank 1"),
        (noccl.Lengths([[0, 8], [8, 0], [0, 0]]), "rank 2, which there is not"),
        (noccl.Lengths([[0, 8], [8, 0]], [[0, 8], [4, 0]]), "rank 1, which expects 4"),
        (noccl.Lengths([[0, "x"], [8, 0]]), "lengths"),  # type: ignore[list-item]
    ]:
        with pytest.raises(noccl.NocclError, match=message):
            noccl.compare(network, "all_to_all", lengths=wrong)


def test_noise_and_bounds_are_columns_and_tables_of_before_are_read(tmp_path: Path) -> None:
    noisy = {"core.noise_per_billion_messages": 20_000_000, "core.noise_cycles": 5000}
    network = noccl.load("tilepro64_3x3", overrides=noisy)
    table = noccl.compare(
        network, "barrier", algorithms=["dissemination"], noise=noccl.Noise(seed=1, runs=50)
    )
    row = table.rows()[0]
    assert row["noise_runs"] == 50
    assert row["noise_mean_cycles"] > row["cycles"]
    assert row["link_bound_cycles"] is None
    schedule = noccl.make_schedule(network, "barrier", algorithm="dissemination")
    noise = noccl.run(network, schedule, noise=noccl.Noise(seed=1, runs=50)).noise
    assert noise is not None
    assert noise.mean_cycles == row["noise_mean_cycles"]
    since = [name for name in table.columns if name.startswith(("noise", "picked"))]
    pq.write_table(table.arrow.drop_columns(since), tmp_path / "old.parquet")
    old = noccl.ResultTable.read_parquet(tmp_path / "old.parquet")
    assert old.rows()[0] == row | dict.fromkeys(since)

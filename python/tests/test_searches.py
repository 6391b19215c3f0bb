# SPDX-License-Identifier: Apache-2.0
"""Searched schedules from Python."""

from __future__ import annotations

import pytest

import noccl


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


def test_a_searched_schedule_is_proved_and_runs_in_its_cycles(network: noccl.Network) -> None:
    found = noccl.synth(
        network,
        "multicast",
        num_bytes="4KiB",
        root=noccl.Cluster(0, 0),
        is_software=True,
        tries=40,
        time_limit_seconds=300,
    )
    assert found.verified
    assert found.end == "tries"
    assert noccl.run(network, found.schedule).cycles == found.cycles
    assert found.library_cycles is not None
    assert found.lower_bound_cycles <= found.cycles <= found.library_cycles


def test_groups_run_side_by_side_around_a_fault(network: noccl.Network) -> None:
    found = noccl.synth(
        network,
        "all_gather",
        num_bytes=512,
        groups=[noccl.Rectangle(0, 0, 2, 4), "2,0,2,4"],
        faulty_links=["0,1-1,1"],
        tries=40,
        time_limit_seconds=300,
    )
    assert found.verified
    assert noccl.check(network, found.schedule)


def test_a_callback_ends_a_search_which_returns_its_best(network: noccl.Network) -> None:
    steps = []

    def enough(progress: noccl.Progress) -> bool:
        steps.append(progress.done)
        return len(steps) < 8

    found = noccl.synth(
        network, "reduce", num_bytes=1024, time_limit_seconds=300, on_progress=enough
    )
    assert found.end == "interrupted"
    assert found.verified


def test_what_is_impossible_names_argument_and_what_is_accepted(network: noccl.Network) -> None:
    with pytest.raises(noccl.ArgumentError, match="a time above 0"):
        noccl.synth(network, "reduce", time_limit_seconds=0)
    with pytest.raises(noccl.ArgumentError, match="two neighbours"):
        noccl.synth(network, "reduce", faulty_links=["0,0-3,3"])
    with pytest.raises(noccl.ArgumentError, match="without common clusters"):
        noccl.synth(network, "reduce", groups=["row:0", "column:0"])

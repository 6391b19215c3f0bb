# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import noccl
from noccl import Cluster

NOCCL = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "noccl"


def test_orders_come_as_asked_for_and_as_on_the_command_line() -> None:
    network = noccl.load("torrent_4x5")
    by = ["open_path", "id"]
    found = noccl.chain_orders(network, source=Cluster(1, 1), destinations="0,0,3,3", by=by)
    assert [row.order for row in found.rows] == by
    assert found.has_loopback
    arguments = "order --spec torrent_4x5 --source 1,1 --destinations 0,0,3,3 --json --by"
    printed = json.loads(
        subprocess.check_output([NOCCL, *arguments.split(), ",".join(by)], text=True)
    )
    for row, other in zip(found.rows, printed["rows"], strict=True):
        assert [at.text for at in row.destinations] == other["destinations"]
        assert (row.hops, row.cycles) == (other["hops"], other["cycles"])
        assert len(set(row.destinations)) == found.num_destinations == 8


def test_draws_have_their_number_of_destinations_and_hops_of_every_order() -> None:
    draws = noccl.destination_draws(
        noccl.load("torrent_8x8"), source="0,0", counts=[3, 7], draws=2, by=["nearest", "greedy"]
    )
    assert [(d.num_destinations, d.draw) for d in draws] == [(3, 0), (3, 1), (7, 0), (7, 1)]
    for draw in draws:
        assert len(set(draw.destinations)) == draw.num_destinations
        assert set(draw.hops) == set(draw.shared_links) == {"nearest", "greedy"}


def test_without_the_optional_solver_its_order_says_what_would_be_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("ortools", "ortools.sat", "ortools.sat.python"):
        monkeypatch.setitem(sys.modules, name, None)
    network = noccl.load("torrent_4x5")
    with pytest.raises(noccl.AlgorithmError, match="open_path"):
        noccl.chain_orders(network, source="0,0", destinations="all", by=["cp_sat"])


def test_impossible_orders_are_refused_with_what_would_be_accepted() -> None:
    network = noccl.load("torrent_4x5")
    with pytest.raises(noccl.AlgorithmError, match="fixed_start"):
        noccl.chain_orders(network, source="0,0", destinations="all", by=["shortest"])
    with pytest.raises(noccl.ArgumentError, match="1 to 19"):
        noccl.destination_draws(network, source="0,0", counts=[20])

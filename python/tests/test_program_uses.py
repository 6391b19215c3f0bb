# SPDX-License-Identifier: Apache-2.0
"""The result of a program says which algorithm carried out which collectives, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import noccl
from noccl.programs.endpoint import reason_of
from noccl.programs.operators import Op

RANKS = 4


def rows(
    program: Any, network: str, collectives: str = "auto"
) -> dict[tuple[str, int | None], Any]:
    """Rows by collective and bytes."""
    result = noccl.run_program(program, network, ranks=RANKS, collectives=collectives)
    return {(row["collective"], row["bytes"]): row for row in result.collectives.rows()}


def program(comm: Any) -> None:
    own, out = np.arange(64, dtype=np.int64), np.zeros(64, dtype=np.int64)
    for _ in range(3):
        comm.Allreduce(own, out)
    comm.Barrier()
    comm.bcast({"any": "object"})
    comm.Allgatherv(own[: comm.rank], [np.zeros(6, np.int64), (0, 1, 2, 3)])
    comm.Allreduce(own, out, Op.Create(lambda x, y, _: None))
    comm.Iallreduce(own, out).Wait()
    comm.Scan(own, out)


def test_each_call_is_counted_once_under_the_algorithm_that_carried_it_out() -> None:
    found = rows(program, "collective_noc_4x4", "tree")
    sums = found["all_reduce", 512]
    assert sums["calls"] == 3
    assert sums["algorithm"].startswith("tree")
    assert sums["reason"] is None
    objects = found["bcast", None]
    assert (objects["algorithm"], objects["calls"]) == ("messages", 1)
    assert "Python objects" in objects["reason"]
    assert "differ in length" in found["Allgatherv", None]["reason"]
    assert "concurrently" in found["Iallreduce", 512]["reason"]
    assert "operator" in found["Allreduce", 512]["reason"]
    assert found["Scan", 512]["reason"] == "always composed"
    assert found["barrier", 0]["calls"] == 1
    assert found["barrier", 0]["reason"] == "the named algorithm does not carry this out here"
    assert sum(row["calls"] for row in found.values()) == 9


@pytest.mark.parametrize("network", ["smart_4x4", "tilepro64_4x4"])
def test_every_network_names_its_algorithms(network: str) -> None:
    found = rows(program, network)
    assert sum(row["calls"] for row in found.values()) == 9
    assert found["barrier", 0]["calls"] == 1


def test_calls_in_chunks_say_so() -> None:
    def long(comm: Any) -> None:
        own = np.arange(8 << 10, dtype=np.int64)
        comm.Allreduce(own, np.zeros_like(own))

    found = list(rows(long, "collective_noc_2x2").values())
    assert all("chunk" in row["reason"] for row in found)
    assert sum(row["calls"] for row in found) > 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gather", "Python objects"),
        ("Gather", "always composed"),
        ("Iscan", "always composed"),
        ("Ialltoallw", "differ in length"),
        ("Reduce_scatter", "differ in length"),
        ("Reduce_scatter_block", "no algorithm"),
        ("Barrier", "no algorithm"),
        ("Ibarrier", "concurrently"),
    ],
)
def test_reasons_follow_from_the_call(name: str, reason: str) -> None:
    assert reason in reason_of(name)

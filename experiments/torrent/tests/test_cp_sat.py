# SPDX-License-Identifier: Apache-2.0
"""Tests of the optional solver, against all permutations and the built-in one (`make optima`)."""

from __future__ import annotations

import itertools
import random

import noccl
from noccl.cp_sat import shortest_path


def test_a_proved_path_is_the_shortest_of_all_permutations() -> None:
    stream = random.Random(1)
    for num in range(1, 7):
        distances = [[stream.randint(1, 9) for _ in range(num + 1)] for _ in range(num + 1)]
        lengths = [
            sum(distances[a][b] for a, b in itertools.pairwise((0, *order)))
            for order in itertools.permutations(range(1, num + 1))
        ]
        found = shortest_path(distances)
        assert sorted(found.order) == list(range(1, num + 1))
        assert found.length == found.lower_bound == min(lengths)


def test_the_built_in_order_of_few_destinations_is_as_short_as_the_proved_one() -> None:
    network = noccl.load("torrent_8x8")
    for draw in noccl.destination_draws(
        network, source="3,4", counts=[5, 12], draws=4, by=["open_path"]
    ):
        text = "set:" + ";".join(at.text for at in draw.destinations)
        found = noccl.chain_orders(network, source="3,4", destinations=text, by=["cp_sat"])
        assert found.rows[0].order == "cp_sat"
        assert sorted(found.rows[0].destinations) == list(draw.destinations)
        assert found.rows[0].hops == draw.hops["open_path"]

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json

import pytest
from matplotlib.patches import Rectangle

import noccl


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


def test_the_parts_of_every_subject_sum_to_its_cycles(network: noccl.Network) -> None:
    schedule = noccl.make_schedule(network, "all_reduce", num_bytes="4KiB", algorithm="tree")
    cases = [
        noccl.explain(network, schedule, has_reruns=False),
        noccl.explain(network, "reduce", num_bytes=4096, root="1,1", algorithm="in_network"),
        noccl.explain(network, "barrier", has_reruns=False),
        noccl.explain(noccl.load("tilepro64_4x4"), "all_to_all", num_bytes=128, has_reruns=False),
    ]
    for why in cases:
        assert sum(part.cycles for part in why.parts) == why.cycles > 0
        assert [sum(c.cycles for c in part.causes) for part in why.parts] == [
            part.cycles for part in why.parts
        ]
        assert why.path
        assert str(why.cycles) in repr(why)
        assert len(repr(why)) < 300
    report = noccl.run(network, schedule, mode="timing")
    assert cases[0].cycles == report.cycles
    assert cases[1]["reduction_unit"] == cases[1]["reduction unit"] > 0
    assert cases[1]["links"] == 0
    assert [why.method for why in cases] == ["every_cycle"] * 3 + ["by_action"]


def test_reruns_are_runs_of_the_options_that_they_name(network: noccl.Network) -> None:
    why = noccl.explain(network, "multicast", num_bytes="8KiB", algorithm="in_network")
    assert why.relaxed
    for rerun in why.relaxed:
        settings = [option.strip().split("=", 1) for option in rerun.options.split("-P ")[1:]]
        overrides = {name: json.loads(value) for name, value in settings}
        changed = noccl.load("collective_noc_4x4", overrides=overrides)
        again = noccl.explain(
            changed, "multicast", num_bytes="8KiB", algorithm=why.algorithm, has_reruns=False
        )
        assert again.cycles == rerun.cycles


def test_bars_are_as_long_as_the_runs(network: noccl.Network) -> None:
    cases = [
        noccl.explain(network, "multicast", num_bytes=n, algorithm="in_network", has_reruns=False)
        for n in (1024, 4096)
    ]
    figure = noccl.plot_explanation(*cases)
    (axes,) = figure.axes
    ends = {0: 0.0, 1: 0.0}
    for bar in axes.patches:
        assert isinstance(bar, Rectangle)
        row = round(bar.get_y() + bar.get_height() / 2)
        ends[row] = max(ends[row], bar.get_x() + bar.get_width())
    assert [ends[0], ends[1]] == [why.cycles for why in cases]


def test_wrong_subjects_are_refused(network: noccl.Network) -> None:
    with pytest.raises(noccl.ArgumentError, match="accepted"):
        noccl.explain(network, "shuffle")
    with pytest.raises(noccl.ArgumentError, match="one algorithm"):
        noccl.explain(network, "reduce", algorithm="tree,chain")
    with pytest.raises(noccl.ArgumentError, match="at least one"):
        noccl.plot_explanation()

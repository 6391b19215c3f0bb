# SPDX-License-Identifier: Apache-2.0
"""Cycles over energy of a sweep: what is drawn, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import noccl
from noccl.sweeps import __main__ as command
from noccl.sweeps.pareto import front
from tests.sweep_studies import study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep") / "results"
    noccl.sweep(study(algorithms=["tree:2", "row_column:2", "in_network"]), folder, processes=2)
    return folder


def test_nobody_is_better_than_the_front() -> None:
    draw = np.random.default_rng(3)
    for _ in range(20):
        points = [tuple(point) for point in draw.integers(0, 12, (30, 2)).tolist()]
        best = front(points)
        is_worse = [any(o != p and o[0] <= p[0] and o[1] <= p[1] for o in points) for p in points]
        assert best == sorted({p for p, worse in zip(points, is_worse, strict=True) if not worse})


def test_a_panel_is_one_workload_with_its_measured_points(folder: Path) -> None:
    table = noccl.read_sweep(folder)
    figure = noccl.plot_pareto(table, collective="reduce", num_bytes="1KiB", group="all")
    (axes,) = (axes for axes in figure.axes if axes.get_visible())
    assert axes.get_title() == "reduce, 1 KiB, group all, 16 clusters"
    drawn = {
        dots.get_label(): tuple(np.asarray(dots.get_offsets())[0]) for dots in axes.collections
    }
    expected = {
        row["algorithm"]: (row["cycles"], row["energy_pj"] / 1000)
        for row in table.rows()
        if (row["collective"], row["bytes"], row["group"]) == ("reduce", 1024, "all")
        and row["backend"] == "sim"
    }
    assert drawn.keys() == expected.keys() == {"tree:2", "row_column:2", "in_network"}
    assert all(drawn[name] == pytest.approx(expected[name]) for name in drawn)
    assert figure.get_supxlabel() == "cycles, simulated"
    by_model = noccl.plot_pareto(table, collective="reduce", backend="model")
    assert by_model.get_supxlabel() == "cycles, by the model"
    assert len(by_model.axes) == 6


def test_chosen_algorithms_alone_are_drawn(folder: Path) -> None:
    table = noccl.read_sweep(folder)
    figure = noccl.plot_pareto(table, num_bytes=2048, algorithms=["tree:2", "row_column:2"])
    labels = {dots.get_label() for axes in figure.axes for dots in axes.collections}
    assert labels == {"tree:2", "row_column:2"}


def test_what_cannot_be_drawn_is_refused_with_what_can(folder: Path) -> None:
    table = noccl.read_sweep(folder)
    for fields, parts in (
        ({"collective": "barrier"}, "accepted: multicast, reduce"),
        ({"num_bytes": 77}, "accepted: 1024, 2048"),
        ({"backend": "rtl"}, "accepted: model, sim"),
        ({"algorithms": ["tree"]}, "accepted: tree:2, row_column:2, in_network"),
    ):
        with pytest.raises(noccl.ArgumentError, match=parts):
            noccl.plot_pareto(table, **fields)
    with pytest.raises(noccl.ArgumentError, match="kind 'sweep'"):
        noccl.plot_pareto(
            noccl.compare(noccl.load("collective_noc_4x4"), "multicast", sizes_bytes=[64])
        )


def test_networks_without_costs_of_events_are_not_in_the_front(tmp_path: Path) -> None:
    """Core tiles have no energy: as 0 it would win against every network that has one."""
    cores = study(specs=["tilepro64_8x8"], bytes=[64], algorithms=["tree:2"], backends=["sim"])
    both = study(bytes=[64], algorithms=["tree:2"], backends=["sim"])
    cores["product"] += both["product"]
    table = noccl.sweep(cores, tmp_path / "both", processes=1)
    energies = {row["network"]: row["energy_pj"] for row in table.rows()}
    assert energies["tilepro64_8x8"] is None
    assert energies["collective_noc_4x4"] > 0
    drawn = noccl.plot_pareto(table, collective="reduce", group="all")
    assert len([axes for axes in drawn.axes if axes.get_visible()]) == 1
    with pytest.raises(noccl.ArgumentError, match="no row has an energy"):
        noccl.plot_pareto(table, network="tilepro64_8x8")


def test_too_many_workloads_say_how_to_choose(tmp_path: Path) -> None:
    asked = study(bytes=[64 * n for n in range(1, 8)], groups=["all"], backends=["model"])
    table = noccl.sweep(asked, tmp_path / "results", processes=1)
    with pytest.raises(noccl.ArgumentError, match=r"14 workloads; accepted: 12; choose one coll"):
        noccl.plot_pareto(table)


def test_the_command_draws(folder: Path, tmp_path: Path) -> None:
    for name in ("a.svg", "b.png"):
        path = tmp_path / name
        assert command.main(["plot", str(folder), f"--output={path}", "--bytes=1KiB"]) == 0
        assert path.stat().st_size > 5000
    again = tmp_path / "again.svg"
    assert command.main(["plot", str(folder), f"--output={again}", "--bytes=1KiB"]) == 0
    assert again.read_bytes() == (tmp_path / "a.svg").read_bytes()
    assert command.main(["plot", str(folder), "--output=a.bmp"]) == 2
    assert command.main(["plot", str(folder), f"--output={tmp_path}/no/a.svg"]) == 4

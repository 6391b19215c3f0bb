# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noccl
from noccl.table_schemas import LINKS, SCHEMAS

NETWORK = noccl.load("collective_noc_4x4")


@pytest.fixture(scope="module")
def comparison() -> noccl.ResultTable:
    return noccl.compare(
        NETWORK, "multicast", sizes_bytes=[1024, 4096], group="row", has_links=True
    )


@pytest.fixture(scope="module")
def sweep() -> noccl.ResultTable:
    return noccl.traffic(
        NETWORK, "uniform", loads=[0.02, 0.1], warmup_cycles=200, measure_cycles=1000,
        has_saturation=False,
    )  # fmt: skip


def drawn_texts(figure: Any) -> str:
    svg = io.StringIO()
    figure.savefig(svg, format="svg")
    assert "<svg" in svg.getvalue()
    (axes, *_) = figure.axes
    legend = axes.get_legend()
    texts = [*axes.texts, *(legend.get_texts() if legend else [])]
    return " ".join(text.get_text() for text in texts)


def test_a_comparison_has_every_mechanism_verified_and_above_its_bound(
    comparison: noccl.ResultTable,
) -> None:
    assert (comparison["verified"] == "yes").all()
    assert (comparison["cycles"] >= comparison["lower_bound_cycles"]).all()
    assert set(comparison["algorithm"]) >= {"chain", "tree", "in_network"}
    in_network = [row for row in comparison.rows() if row["is_in_network"]]
    assert {row["algorithm"] for row in in_network} == {"in_network"}
    assert [row["bytes"] for row in in_network] == [1024, 4096]


def test_reductions_have_columns_of_their_own() -> None:
    network = noccl.load("smart_4x4")
    table = noccl.traffic(
        network, "many_to_one", loads=[0.1], warmup_cycles=100, measure_cycles=400, beats=1
    )
    row = table.rows()[0]
    assert row["received_per_flow"] == 1.0
    assert row["open_flows"] > 0.0
    assert row["contribution_wait_cycles"] >= 0.0


def test_tables_read_back_from_parquet_with_their_kind(
    comparison: noccl.ResultTable, sweep: noccl.ResultTable, tmp_path: Path
) -> None:
    for table in (comparison, sweep):
        table.write_parquet(tmp_path / "table.parquet")
        again = noccl.ResultTable.read_parquet(tmp_path / "table.parquet")
        assert again.kind == table.kind
        assert again.arrow.equals(table.arrow)


def test_a_polars_frame_has_the_same_rows(comparison: noccl.ResultTable) -> None:
    frame = comparison.to_polars()
    assert frame["cycles"].to_list() == comparison["cycles"].tolist()
    assert frame.columns == comparison.columns


@pytest.mark.parametrize("content", [b"no parquet", b""])
def test_a_file_that_is_no_table_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "table.parquet").write_bytes(content)
    with pytest.raises(noccl.FileError, match=r"table\.parquet"):
        noccl.ResultTable.read_parquet(tmp_path / "table.parquet")


def test_a_foreign_parquet_file_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), str(tmp_path / "foreign.parquet"))
    with pytest.raises(noccl.FileError, match="kinds: compare, barriers, traffic"):
        noccl.ResultTable.read_parquet(tmp_path / "foreign.parquet")


def test_cycles_are_drawn_with_one_line_per_algorithm_and_the_bound(
    comparison: noccl.ResultTable,
) -> None:
    figure = noccl.plot_cycles(comparison)
    names = drawn_texts(figure)
    expected = {*comparison["algorithm"], "chain:1", "lower bound"}
    assert all(name in names for name in expected)
    sizes = set(comparison["bytes"])
    for line in figure.axes[0].get_lines():
        drawn = list(np.asarray(line.get_xdata()))
        assert len(drawn) == len(set(drawn))
        assert set(drawn) <= sizes


def test_latency_is_drawn_per_pattern(sweep: noccl.ResultTable) -> None:
    assert drawn_texts(noccl.plot_latency(sweep)) == "uniform"


def test_link_loads_are_drawn_for_the_chosen_row(comparison: noccl.ResultTable) -> None:
    figure = noccl.plot_link_load(comparison, row=len(comparison) - 1)
    (axes, colorbar) = figure.axes
    last = comparison.rows()[-1]
    wide = [link for link in last["links"] if link["plane"] == "wide"]
    (arrows,) = [c for c in axes.collections if hasattr(c, "U")]
    assert sorted(np.asarray(arrows.get_array())) == sorted(link["flits"] for link in wide)
    assert colorbar.get_ylabel() == "flits per link"
    # Row 0 of a 4x4 network with memory tiles in the West: one coordinate system, that of clusters.
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["\u22121", "0", "1", "2", "3"]
    assert axes.get_xlabel().startswith("cluster x")
    for link in wide:
        for end in ("from", "to"):
            place = f"{link[f'{end}_x']},{link[f'{end}_y']}"
            is_memory = link[f"{end}_tile"].startswith("mem:")
            assert is_memory or link[f"{end}_tile"] == place
            assert is_memory == (link[f"{end}_x"] < 0)


def test_a_plot_refuses_the_rows_of_another_verb(
    comparison: noccl.ResultTable, sweep: noccl.ResultTable
) -> None:
    for draw, table in (
        (noccl.plot_cycles, sweep),
        (noccl.plot_link_load, sweep),
        (noccl.plot_latency, comparison),
        (noccl.plot_latency, noccl.ResultTable.from_rows("traffic", [])),
    ):
        with pytest.raises(noccl.ArgumentError, match="accepted"):
            draw(table)


def test_cycles_of_different_groups_are_not_drawn_as_one(comparison: noccl.ResultTable) -> None:
    other = noccl.compare(NETWORK, "multicast", sizes_bytes=[1024], algorithms=["in_network"])
    mixed = noccl.ResultTable(pa.concat_tables([comparison.arrow, other.arrow]))
    with pytest.raises(noccl.ArgumentError, match="2 different"):
        noccl.plot_cycles(mixed)


@pytest.mark.parametrize(("row", "plane"), [(99, "wide"), (-1, "wide"), (0, "narrow")])
def test_a_row_or_plane_that_is_not_there_is_refused(
    comparison: noccl.ResultTable, row: int, plane: str
) -> None:
    with pytest.raises(noccl.ArgumentError, match="accepted"):
        noccl.plot_link_load(comparison, row=row, plane=plane)


def some_rows(kind: str, *, num_rows: int, has_gaps: bool) -> list[dict[str, Any]]:
    """Rows with values of the types of a kind's columns."""
    link = {name: "a" if of == "string" else 3 for name, of in LINKS.items()}
    samples = {"string": "x", "int64": 7, "float64": 2, "bool": True, "links": [link, link]}
    schema = SCHEMAS[kind]
    return [
        {
            name: None if has_gaps and row == 0 and name in schema.optional else samples[of]
            for name, of in schema.types.items()
        }
        for row in range(num_rows)
    ]


@pytest.mark.parametrize("kind", SCHEMAS)
@pytest.mark.parametrize(("num_rows", "has_gaps"), [(0, False), (2, False), (2, True)])
def test_plain_rows_are_those_of_arrow(kind: str, num_rows: int, has_gaps: bool) -> None:
    table = noccl.ResultTable.from_rows(kind, some_rows(kind, num_rows=num_rows, has_gaps=has_gaps))
    arrow = noccl.ResultTable(table.arrow)
    assert (len(table), table.kind, table.columns) == (len(arrow), kind, arrow.columns)
    assert table.rows() == arrow.rows()
    assert [[type(value) for value in row.values()] for row in table.rows()] == [
        [type(value) for value in row.values()] for row in arrow.rows()
    ]
    assert table == arrow
    for name in table.columns:
        one, other = table[name], arrow[name]
        assert one.dtype == other.dtype
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_the_rows_of_a_table_are_copies(comparison: noccl.ResultTable) -> None:
    rows = comparison.rows()
    rows[0]["links"][0]["flits"] = -1
    rows[0]["cycles"] = -1
    assert comparison.rows() != rows
    assert comparison != noccl.ResultTable.from_rows("compare", rows)


def test_a_value_of_another_type_is_refused() -> None:
    row = some_rows("barriers", num_rows=1, has_gaps=False)[0]
    for wrong in ({"cycles": 1.5}, {"mesh": 4}):
        with pytest.raises(noccl.ArgumentError, match="accepted: a value of type"):
            noccl.ResultTable.from_rows("barriers", [row | wrong])

# SPDX-License-Identifier: Apache-2.0
"""Results say what matters in a few lines, draw themselves in notebooks and become frames."""

from __future__ import annotations

import builtins
import pickle
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

import noccl
from noccl.notebook_html import text

NETWORK = "collective_noc_4x4"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m'

RESULTS: dict[str, Callable[[], Any]] = {
    "collective": lambda: noccl.reduce(NETWORK, np.ones((16, 512))),
    "blocks": lambda: noccl.all_gather(NETWORK, np.ones((4, 64)), group="row"),
    "run": lambda: noccl.barrier(NETWORK),
    "check": lambda: noccl.check(NETWORK, noccl.make_schedule(NETWORK, "reduce", num_bytes=64)),
    "comparison": lambda: noccl.compare(NETWORK, "reduce", sizes_bytes=["1KiB", "2KiB"]),
    "barriers": lambda: noccl.compare(NETWORK, "barrier"),
    "core tiles": lambda: noccl.compare("tilepro64_3x3", "barrier"),
    "traffic": lambda: noccl.traffic(
        NETWORK, "uniform", loads=0.1, warmup_cycles=100, measure_cycles=200, has_saturation=False
    ),
    "program": lambda: noccl.run_program(lambda comm: comm.allreduce(1), NETWORK, ranks=4),
    "search": lambda: noccl.synth("collective_noc_2x2", "all_gather", num_bytes=512, tries=20),
    "product": lambda: noccl.multiply(np.ones((8, 8)), np.ones((8, 8)), mesh="4x4", inner=8),
    "barrier study": lambda: noccl.barrier_study(clusters=[2, 4, 8, 16]),
}


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return {name: make() for name, make in RESULTS.items()}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_a_few_lines_with_what_matters(name: str, results: dict[str, Any]) -> None:
    result = results[name]
    assert isinstance(result, noccl.Result)
    lines = repr(result).splitlines()
    assert 2 <= len(lines) <= 10, repr(result)
    assert all(len(line) <= 100 for line in lines)
    assert lines[0].startswith(f"{type(result).__name__}: ")
    assert str(result) == repr(result)
    assert "<Verified" not in repr(result)
    if hasattr(result, "cycles"):
        assert f"{result.cycles:,}" in repr(result)


def test_a_table_says_how_many_rows_it_does_not_show(results: dict[str, Any]) -> None:
    table = results["comparison"]
    assert len(table) == 16
    assert repr(table).splitlines()[-1] == "  … 9 more"
    empty = noccl.ResultTable.from_rows("compare", [])
    assert repr(empty).startswith("ResultTable: 0 rows of kind compare")


class Page(HTMLParser):
    """Elements, attributes and texts of a piece of HTML whose elements are all closed."""

    def __init__(self, piece: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(piece)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.elements.add(tag)
        self.attributes += attrs

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_draws_itself_without_another_file(name: str, results: dict[str, Any]) -> None:
    piece = results[name]._repr_html_()
    page = Page(piece)
    assert "table" in page.elements
    assert not page.elements & {"script", "link", "img", "iframe"}
    assert not any(key.startswith("on") for key, _ in page.attributes)
    assert re.findall(r"url\(|@import|https?:(?!//www\.w3\.org/2000/svg)", piece) == []
    assert 'data-jp-theme-light="false"' in piece
    assert len(piece) < 120_000


def test_a_collective_is_drawn_with_its_group_and_its_root() -> None:
    piece = noccl.multicast(NETWORK, np.ones(64), group="row:1", root=(2, 3))._repr_html_()
    assert piece.count('fill-opacity="0.45"') == 4
    assert piece.count('stroke-width="3"') == 1
    assert "4 members filled, root 2,3 bold" in piece
    network = noccl.load(NETWORK, overrides={"memory.latency_cycles": 20})
    drawing = network._repr_html_()
    assert drawing.count("<rect") == 20
    assert "memory.latency_cycles" in drawing
    assert "fill-opacity" not in drawing
    large = noccl.load("collective_noc_64x64")._repr_html_()
    assert "<rect" not in large


def test_the_bars_of_a_comparison_are_its_rows_of_the_largest_size(
    results: dict[str, Any],
) -> None:
    table = results["comparison"]
    piece = table._repr_html_()
    names = re.findall(r'text-anchor="end">([a-z_0-9:=]+)</text>', piece)
    largest = [row for row in table.rows() if row["bytes"] == 2048]
    assert len(names) == len(set(names)) == len(largest)
    assert "cycles at 2048 bytes; dashed: lower bound" in piece


def test_texts_of_callers_never_become_markup() -> None:
    assert Page(text(HOSTILE)).elements == set()
    rows = noccl.compare(NETWORK, "reduce").rows()
    for column, value in rows[0].items():
        if not isinstance(value, str):
            continue
        table = noccl.ResultTable.from_rows("compare", [rows[0] | {column: HOSTILE}])
        piece = table._repr_html_()
        assert not Page(piece).elements & {"script", "img"}, column
        assert "\x1b" not in piece


@pytest.mark.parametrize("name", RESULTS)
def test_the_frames_of_a_result_have_its_numbers(name: str, results: dict[str, Any]) -> None:
    result = results[name]
    polars, pandas = result.to_polars(), result.to_pandas()
    assert polars.columns == list(pandas.columns)
    assert len(polars) == len(pandas) >= 1
    if "cycles" in polars.columns and hasattr(result, "cycles"):
        assert polars["cycles"].to_list() == [result.cycles] == pandas["cycles"].tolist()


def test_frames_of_several_results_make_one_table() -> None:
    results = [
        noccl.reduce(NETWORK, np.ones((16, 64)), algorithm=name) for name in ("tree", "in_network")
    ]
    frame = pl.concat([result.to_polars() for result in results])
    assert frame["algorithm"].to_list() == ["tree", "in_network"]
    assert frame["verified"].to_list() == ["yes", "yes"]


@pytest.mark.parametrize(
    ("package", "convert", "extra"),
    [("pandas", "to_pandas", "pandas"), ("polars", "to_polars", "frames")],
)
def test_a_frame_without_its_package_names_the_extra(
    package: str,
    convert: str,
    extra: str,
    results: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(noccl.MissingExtraError, match=rf"noccl\[{extra}\]"):
        getattr(results["collective"], convert)()


def test_a_result_is_stored_with_its_drawing(results: dict[str, Any]) -> None:
    result = results["collective"]
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again._repr_html_() == result._repr_html_()


def test_a_schedule_prints_no_json() -> None:
    schedule = noccl.make_schedule(NETWORK, "reduce", num_bytes=1024)
    assert repr(schedule) == "<Schedule in_network: actions: 1>"
    assert repr(noccl.Schedule("{}")) == "<Schedule: a text that is none>"

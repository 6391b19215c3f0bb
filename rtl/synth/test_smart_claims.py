# SPDX-License-Identifier: Apache-2.0
"""Claims about hardware and clocks of S2's plots, by hand; the committed file and page agree."""

from __future__ import annotations

import tomllib

import pytest

import rtl_area
import rtl_synth_rows
import smart_claims
import wire_model
from repository import ROOT
from wire_model import Line, Technology

PAGE = ROOT / "docs" / "rtl" / "smart_timing.md"

LINES = {
    "data": Line(10.0, 1.0),
    "data_bitwise": Line(10.0, 3.0),
    "data_arithmetic": Line(10.0, 12.0),
    "control_1": Line(50.0, 1.5),
    "control_1_no_lookup": Line(40.0, 1.5),
    "control_2": Line(30.0, 1.5, inside_fo4=45.0),
    "control_2_no_lookup": Line(30.0, 1.5),
    "multiplexer": Line(9.0, 1.0),
    "multiplexer_or": Line(9.0, 2.0),
}


def areas() -> dict[str, rtl_synth_rows.Result]:
    found = {
        "smart_counts": (5000.0, 200),
        "smart_buffers": (3000.0, 640),
    }
    return {
        name: rtl_synth_rows.Result(rtl_area.Area(ge, 1000.0, number), None)
        for name, (ge, number) in found.items()
    }


def test_the_slowest_path_sets_the_clock() -> None:
    technology = Technology()

    def clock(hops: int, setup: int) -> float:
        return smart_claims.clock_mhz(LINES, technology, hops, setup)

    assert clock(8, 1) == pytest.approx(1e6 / ((50 + 12) * 16 + 500))
    # Inside a router; and flits.
    assert clock(1, 2) == pytest.approx(1e6 / (45 * 16))
    quick = LINES | {"control_2": Line(5.0, 0.5)}
    assert smart_claims.clock_mhz(quick, technology, 8, 2) == pytest.approx(
        1e6 / ((10 + 24) * 16 + 500)
    )
    slow = quick | {"data_arithmetic": Line(60.0, 12.0)}
    assert smart_claims.clock_mhz(slow, technology, 8, 2) == pytest.approx(
        1e6 / ((60 + 24) * 16 + 125)
    )


def test_claims_are_ratios_of_areas_and_times_and_differences_of_hops() -> None:
    found = smart_claims.claims(LINES, areas(), Technology())
    assert found["27-flip-flops"][0] == pytest.approx(200 / 640)
    assert found["27-gates"][0] == pytest.approx(6.0 / 4.0)
    with_it, without = (base + 7 * 1.5 + 7 * 62.5 / 16 for base in (50, 40))
    assert found["28-setup-1"][0] == pytest.approx(with_it / without)
    assert found["28-setup-2"][0] == 1.0
    assert found["29-multiplexer"][0] == 1000 // (62.5 + 16)
    assert found["29-or"][0] == 1000 // (62.5 + 32)
    assert found["29-router"][0] == (1000 - 160) // (62.5 + 16) - (1000 - 160) // (62.5 + 48)


def test_the_file_says_every_clock_and_claim() -> None:
    text = smart_claims.text(LINES, areas(), Technology())
    table = tomllib.loads(text)
    assert table["technology"] == "FO4 16 ps, wire 62.5 ps/mm, tile 1 mm"
    assert [(c["hpc_max"], c["setup_cycles"]) for c in table["clock"]] == smart_claims.SETTINGS
    assert table["clock"][0]["mhz"] == 670
    assert table["claim"].keys() == smart_claims.claims(LINES, areas(), Technology()).keys()


def test_the_committed_page_and_file_say_the_same() -> None:
    table = tomllib.loads(smart_claims.FILE.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert wire_model.Technology().text() == table["technology"]
    assert table["technology"] in page
    for name, number in table["claim"].items():
        assert f"- {name}: {number['ours']:.3g} ({number['detail']})" in page
    rows = [
        line.split("|")[1:-1] for line in page.split("## Clocks")[1].splitlines() if "|" in line
    ]
    written = [tuple(float(cell) for cell in row) for row in rows[2:]]
    for (hpc_max, setup, mhz), clock in zip(written, table["clock"], strict=True):
        assert (hpc_max, setup) == (clock["hpc_max"], clock["setup_cycles"])
        assert mhz == pytest.approx(clock["mhz"], abs=1)

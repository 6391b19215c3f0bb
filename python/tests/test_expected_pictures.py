# SPDX-License-Identifier: Apache-2.0
"""Plots, pieces of notebooks and the report page are those that somebody has looked at.

The expected ones are in `pictures/`, as text. `NOCCL_WRITE_GOLDEN=1` writes them anew: look at them
then, in light and dark.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noccl
from noccl.colours import DARK_HUES, HUES, styles
from noccl.drawings import repeatable
from tests.sweep_studies import NOCCL, study

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = Path(__file__).parent / "pictures"
STYLE = ROOT / "crates/noccl/src/report/style.css"
NAME = "collective_noc_4x4"


def assert_expected(name: str, text: str) -> None:
    """Is a picture the expected one, but for the last decimals, in which processors differ?"""
    path = EXPECTED / name
    if "NOCCL_WRITE_GOLDEN" in os.environ:
        path.write_text(text, encoding="utf-8")
    assert rounded(text) == rounded(path.read_text(encoding="utf-8")), f"{path} is another picture"


def rounded(text: str) -> str:
    return re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.1f}", text)


def links() -> noccl.ResultTable:
    return noccl.compare("collective_noc_2x2", "reduce", algorithms="in_network", has_links=True)


def program() -> noccl.ProgramResult:
    def work(comm: Any) -> None:
        comm.compute(cycles=100 * (1 + comm.rank))
        comm.allreduce(comm.rank)

    return noccl.run_program(work, NAME, ranks=4)


PLOTS: dict[str, Callable[[Path], Any]] = {
    "cycles": lambda _: noccl.plot_cycles(
        noccl.compare(NAME, "multicast", group="row", sizes_bytes=["1KiB", "8KiB"])
    ),
    "links": lambda _: noccl.plot_link_load(links()),
    "latency": lambda _: noccl.plot_latency(
        noccl.traffic(NAME, "uniform", loads=[0.05, 0.2], measure_cycles=500, has_saturation=False)
    ),
    "timeline": lambda _: noccl.plot_timeline(program().timeline),
    "pareto": lambda folder: noccl.plot_pareto(
        noccl.sweep(study(bytes=["1KiB"], groups=["all"], backends=["model"]), folder, processes=1)
    ),
}


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_the_expected_one(name: str, tmp_path: Path) -> None:
    text = io.StringIO()
    with repeatable(font_size=9):
        PLOTS[name](tmp_path / "sweep").savefig(text, format="svg", metadata={"Date": None})
    assert_expected(f"{name}.svg", text.getvalue())


def test_another_colour_is_another_picture_and_a_last_decimal_is_not() -> None:
    text = (EXPECTED / "cycles.svg").read_text(encoding="utf-8")
    assert rounded(text) != rounded(text.replace(HUES[1][0], HUES[2][0]))
    assert rounded('x="1.23456"') == rounded('x="1.23457"') != rounded('x="1.43456"')


def test_a_piece_of_a_notebook_is_the_expected_one() -> None:
    results = (
        noccl.load(NAME),
        noccl.reduce(NAME, np.ones((4, 64)), group="row:1", root=(3, 1), algorithm="tree:2"),
        noccl.compare(NAME, "reduce", sizes_bytes="1KiB", algorithms=["tree", "in_network"]),
        noccl.explain(NAME, "reduce", root="1,1", algorithm="in_network"),
    )
    pieces = [result._repr_html_() for result in results]
    style = re.compile(r"<style>.*?</style>", re.DOTALL)
    assert len({style.findall(piece)[0] for piece in pieces}) == 1
    text = "\n".join([style.findall(pieces[0])[0], *(style.sub("", piece) for piece in pieces)])
    assert_expected("notebook.html", text)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report page of a few rows, two of the case's planes without traffic to speak of."""
    folder = tmp_path_factory.mktemp("report")
    arguments = ["--spec", "collective_noc_2x2", "--bytes", "1KiB,2KiB", "--links", "--json"]
    algorithms = ["--algorithms", "tree:1,double_tree:1,chain:2,point_to_point,in_network"]
    rows = subprocess.run(
        [NOCCL, "compare", "all_reduce", *arguments, *algorithms],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    (folder / "rows.json").write_text(rows, encoding="utf-8")
    subprocess.run([NOCCL, "report", "rows.json"], cwd=folder, check=True, capture_output=True)
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_report_page_is_the_expected_one(page: str) -> None:
    # The style sheet is compared with what it must be below, the version with nothing.
    text = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    assert_expected("report.html", text.replace(noccl.__version__, "VERSION"))


def test_an_algorithm_has_one_colour_on_the_report_page_and_in_plots(page: str) -> None:
    found = {
        name: (int(hue), shade)
        for hue, shade, name in re.findall(r'class="line-name c(\d)([abc])">([^<]+)<', page)
    }
    assert len(found) >= 5
    for name, style in styles(found).items():
        hue, shade = found[name]
        assert style.colour == HUES[hue]["abc".index(shade)], name


def test_the_colours_of_the_report_page_are_those_of_plots() -> None:
    light: dict[tuple[int, int], str] = {}
    dark: dict[tuple[int, int], str] = {}
    for line in STYLE.read_text(encoding="utf-8").splitlines():
        rules = re.findall(r"\.c(\d)([abc]) \{ --c: (#[0-9a-f]{6}); \}", line)
        (dark if line.startswith("  ") else light).update(
            {(int(hue), "abc".index(shade)): colour for hue, shade, colour in rules}
        )
    for found, hues in ((light, HUES), (dark, DARK_HUES)):
        assert found == {(h, s): c for h, row in enumerate(hues) for s, c in enumerate(row)}


def test_the_report_page_is_readable_on_a_phone(page: str) -> None:
    sizes = re.findall(r"font(?:-size)?: (?:\d+ )?(\d+)px", STYLE.read_text(encoding="utf-8"))
    assert sizes
    assert min(map(int, sizes)) >= 12
    # Drawings shrink, or their box scrolls: what shrinks fits into 400 pixels but for its margins.
    narrow = re.findall(r'class="narrow-only"><svg viewBox="[^"]*" width="(\d+)"', page)
    scale = re.findall(r'<svg viewBox="[^"]*" width="(\d+)"[^>]*aria-label="Colour scale', page)
    assert narrow
    assert scale
    assert all(int(width) <= 368 for width in narrow + scale)
    maps = page.count('aria-label="Flits per link')
    assert page.count('<div class="scrolled"><svg') == maps > 0
    heads = re.findall(r"<th(?: [^>]*)?>([^<]*)", page)
    assert heads[:4] == ["payload", "algorithm", "verified", "cycles"]


def test_planes_without_traffic_are_hidden(page: str) -> None:
    figures = page.split('<figure class="heat">')[1:]
    assert any("<details>" in figure for figure in figures)
    for figure in figures:
        shown, _, hidden = figure.split("</figure>")[0].partition("<details>")
        flits = [int(number) for number in re.findall(r"at most (\d+) flits", shown)]
        assert flits
        assert all(10 * number >= max(flits) for number in flits)
        for number in re.findall(r"at most (\d+) flits", hidden):
            assert 0 < 10 * int(number) < max(flits)

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import check_pages

LONG = "x" * 121
PAGES = ["docs/a.md", "docs/how-to/b.md", "README.md"]


def found(root: Path, texts: dict[str, str]) -> list[str]:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return [finding.where for finding in check_pages.lint(map(Path, texts), root)]


def test_names_are_those_that_readers_see() -> None:
    assert doctest.testmod(check_pages).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_a_long_cell_is_found_with_its_line(page: str, tmp_path: Path) -> None:
    assert found(tmp_path, {page: f"| a |\n|---|\n| {LONG} |\n"}) == [f"{page}:3"]


@pytest.mark.parametrize(
    "text",
    [
        f"| {LONG[1:]} | b |\n",
        f"| [short]({LONG}) |\n",
        f"```console\n| {LONG} |\n```\n",
        f"{LONG} a \\| b\n",
    ],
)
def test_other_long_lines_are_accepted(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"docs/a.md": text}) == []


def test_a_bar_within_a_cell_does_not_end_it(tmp_path: Path) -> None:
    text = f"| {LONG[:60]} \\| {LONG[:60]} |\n"
    assert found(tmp_path, {"docs/a.md": text}) == ["docs/a.md:1"]


@pytest.mark.parametrize("page", ["docs/developer/a.md", "docs/design/0001.md", "CONTRIBUTING.md"])
def test_pages_for_developers_are_free(page: str, tmp_path: Path) -> None:
    assert found(tmp_path, {page: f"| {LONG} |\n" + "word " * 60_001}) == []


def test_words_of_all_pages_count_together(tmp_path: Path) -> None:
    half = "word " * 30_000
    pages = {"docs/a.md": half, "README.md": half, "docs/cli.md": "word " * 9}
    assert found(tmp_path, pages) == []
    table = "| of | a |\n|---|---|\n"
    assert found(tmp_path, {**pages, "docs/b.md": table}) == []
    assert found(tmp_path, {**pages, "docs/b.md": f"{table}\nword\n"}) == ["docs"]

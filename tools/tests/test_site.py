# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

import page_drawings
import preset_values
import repository
import site_api
import site_notebooks
import site_pages
import site_tables


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "README.md": "[t](docs/tutorial.md#two) ![p](docs/images/p.svg)",
        "docs/README.md": "[all](tutorial.md)",
        "docs/tutorial.md": "[s](../formats/run.json) [k](../tools) [w](https://example.org)",
        "docs/papers/S1.md": "[home](../README.md) [c](../../src/a.rs) [g](../../guide/README.md)",
        "docs/design/README.md": "notes",
        "docs/images/p.svg": "",
        "formats/run.json": "{}",
        "guide/README.md": "[b](b.toml)",
        "guide/b.toml": "",
        "src/a.rs": "",
        "tools/x.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("page", "text", "on_site"),
    [
        ("docs/papers/S1.md", "[home](../README.md)", "[home](../all_pages.md)"),
        ("docs/papers/S1.md", "[c](../../src/a.rs#L1)", "[c](../repository/src/a.rs.txt#L1)"),
        ("docs/tutorial.md", "[f](../formats/run.json)", "[f](repository/formats/run.json)"),
        ("docs/tutorial.md", "[n](design) [k](../tools)", "[n](design/README.md) k"),
        ("README.md", "![p](docs/images/p.svg)", "![p](images/p.svg)"),
        (
            "README.md",
            "[![p](docs/images/p.svg)](docs/tutorial.md#y)",
            "[![p](images/p.svg)](tutorial.md#y)",
        ),
        ("guide/README.md", "[r](../README.md)", "[r](../../index.md)"),
        ("docs/tutorial.md", "[w](https://a.b) [x](#y)", "[w](https://a.b) [x](#y)"),
        ("docs/tutorial.md", "```md\n[c](../src/a.rs)\n```", "```md\n[c](../src/a.rs)\n```"),
    ],
)
def test_a_link_leads_to_the_same_file_on_the_site(
    page: str, text: str, on_site: str, root: Path
) -> None:
    assert site_pages.rewrite_links(text, page, root) == on_site


def test_runs_are_played_where_the_page_is_built_and_pictures_elsewhere() -> None:
    text = "a\n\n<!-- run: bytes=4KiB&second=ring -->\n[![Two <runs>](p.png)](how.md)\n\nb"
    assert site_pages.with_live_runs(text, "papers/S1.md", is_built=False) == text
    played = site_pages.with_live_runs(text, "papers/S1.md", is_built=True)
    frame = 'src="../noccl/view.html#bytes=4KiB&amp;second=ring" title="Two &lt;runs&gt;"'
    assert frame in played
    assert "p.png" not in played
    fenced = f"```md\n{text}\n```"
    assert site_pages.with_live_runs(fenced, "papers/S1.md", is_built=True) == fenced


def test_files_outside_the_pages_are_found_through_pages_outside_too(root: Path) -> None:
    pages = [str(path.relative_to(root)) for path in root.glob("docs/**/*.md")]
    found = site_pages.linked_files(pages, root)
    assert found == {"formats/run.json", "src/a.rs", "guide/README.md", "guide/b.toml"}


def test_lists_and_named_fences_are_written_for_python_markdown() -> None:
    text = "1. a\n   b\n   - c\n\n   d\n\ne\n  f\n\n```toml x.toml\n- g\n  - h\n```\n"
    today = site_pages.for_python_markdown(text)
    inside = "1. a\n    b\n    - c\n\n    d\n\ne\n  f\n\n"
    assert today == inside + '```toml title="x.toml"\n- g\n  - h\n```\n'


@pytest.mark.parametrize(
    ("text", "for_python_markdown"),
    [
        ("- a\n\n  b\n- c\n", "- a\n\n    b\n\n- c\n"),
        ("- a\n  b\n- c\n", "- a\n    b\n- c\n"),
        ("| `a \\| b` | c \\| d |\n", "| `a | b` | c \\| d |\n"),
        ("`a \\| b`\n", "`a \\| b`\n"),
        ("<!-- x -->\n| a |\n", "\n<!-- x -->\n\n| a |\n"),
    ],
)
def test_items_of_paragraphs_bars_and_comments(text: str, for_python_markdown: str) -> None:
    assert site_pages.for_python_markdown(text) == for_python_markdown


def test_a_linked_table_follows_its_page_once_with_all_rows(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.csv").write_text('name,cycles\n"<a, b>",1 200\nc,-\n', encoding="utf-8")
    found = site_tables.linked_tables("[a](a.csv) [a](a.csv) [b](b.md)", "docs/p.md", tmp_path)
    assert found.count("<details") == 1
    assert found.count("<tr>") == 3
    assert "a.csv: 2 rows" in found
    assert "<td>&lt;a, b&gt;</td><td class=number>1 200</td>" in found
    assert site_tables.linked_tables("[b](b.md)", "docs/p.md", tmp_path) == ""


def test_long_texts_of_a_linked_table_are_below_their_row() -> None:
    long = "a <b> " * 30
    text = f'claim,why,result\n1,"{long}",holds\n2,,fails\n'
    found = site_tables.table(text)
    assert "<th>why" not in found
    assert found.count("<tr") == 4
    assert found.count('<tr class="detail"><td colspan="2">') == 1
    assert "<em>why:</em> a &lt;b&gt; " in found
    assert site_tables.split_long_rows(found) == found


def test_a_figure_that_is_only_linked_is_shown_once() -> None:
    text = "[4a](S1/a.svg) and [4a](S1/a.svg), ![b](S1/b.svg)\n\n```md\n[c](c.svg)\n```\n"
    shown = site_tables.linked_figures(text)
    assert re.findall(r'<img src="([^"]*)"', shown) == ["S1/a.svg"]
    assert site_tables.linked_figures("![b](S1/b.svg)") == ""


def test_a_long_last_column_of_a_wide_table_becomes_rows_of_its_own() -> None:
    def row(tag: str, cells: list[str]) -> str:
        return "<tr>\n" + "".join(f"<{tag}>{cell}</{tag}>\n" for cell in cells) + "</tr>\n"

    def wide(last: str) -> str:
        heads = row("th", [*"abcde", "why"])
        body = row("td", [*"12345", last]) + row("td", [*"67890", ""])
        return f"<p>x</p><table>{heads}{body}</table>"

    long = "<em>reason</em> " * 40
    split = site_tables.split_long_rows(wide(long))
    assert "<th>why" not in split
    assert f'colspan="5"><details><summary>why</summary>{long}</details>' in split
    assert split.count("<tr") == 4
    assert site_tables.split_long_rows(wide("short")) == wide("short")


def test_columns_of_numbers_are_set_to_the_right_and_units_stay_beside_numbers() -> None:
    def row(cells: list[str], tag: str = "td") -> str:
        return "<tr>\n" + "".join(f"<{tag}>{cell}</{tag}>\n" for cell in cells) + "</tr>\n"

    body = row(["1 KiB", "1 200 (2.1)", "7"]) + row(["row 4", "8 / 1 / 0", "<code>a</code>"])
    found = site_tables.align_numbers(f"<table>{row([*'abc'], 'th')}{body}</table>")
    assert found.count('class="number"') == 3
    assert '<td class="number">1 200 (2.1)</td><td>7</td>' in found
    assert "<td>1\u00a0KiB</td>" in found
    assert site_tables.align_numbers(found) == found


def test_every_public_name_has_a_topic() -> None:
    page = site_api.page()
    names = re.findall(r" as (\w+)$", site_api.STUB.read_text(encoding="utf-8"), re.MULTILINE)
    missing = [n for n in names if not n.startswith("__") and f".{n}\n" not in page]
    assert (len(names) > 90, missing) == (True, [])


def test_a_module_without_topic_is_refused(tmp_path: Path) -> None:
    stub = tmp_path / "stub.pyi"
    stub.write_text("from noccl.novel import Thing as Thing\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no topic for novel"):
        site_api.page(stub)


def test_a_notebook_is_a_page_of_its_cells_and_their_outputs(tmp_path: Path) -> None:
    outputs = [
        {"data": {"text/plain": "<Figure>", "image/png": ["QUJD\n", "REVG\n"]}},
        {"data": {"text/plain": "t", "text/html": "<div>\n\n<b>x</b></div>"}},
        {"name": "stdout", "text": ["1 < 2\n"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["a = 1\n", "a"], "outputs": outputs},
    ]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    page = site_notebooks.page(path)
    assert page.startswith(
        "# Title\n\n[Download this notebook](n.ipynb)\n\n```python\na = 1\na\n```"
    )
    assert 'src="data:image/png;base64,QUJDREVG"' in page
    assert '<div class="output"><div> <b>x</b></div></div>' in page
    assert '<pre class="output">1 &lt; 2\n</pre>' in page


@pytest.mark.parametrize(
    "module", [site_pages, site_tables, site_notebooks, site_api, preset_values]
)
def test_examples_in_docstrings_hold(module: object) -> None:
    failed, attempted = doctest.testmod(module)  # type: ignore[arg-type]
    assert attempted > 0
    assert failed == 0


def test_the_drawings_of_the_pages_are_fresh() -> None:
    stale = [
        str(path)
        for path, draw in page_drawings.drawings().items()
        if repository.read(path) != draw().svg()
    ]
    assert stale == [], "run make gen"


def test_the_bars_of_the_readme_are_the_rows_of_its_table() -> None:
    table = repository.read(Path("README.md"))
    rows = re.findall(r"^32 KiB +(\S+) +([\d ]*\d) +\d\.\d{3} ", table, re.MULTILINE)
    svg = page_drawings.first_result(table).svg()
    assert len(rows) > 4
    for name, cycles in rows:
        assert f">{name}</text>" in svg
        assert f">{int(cycles.replace(' ', '')):,}</text>" in svg


def test_drawings_fit_a_phone_and_have_dark_colours_and_a_name() -> None:
    for path, draw in page_drawings.drawings().items():
        svg = draw().svg()
        assert 'width="340"' in svg
        assert "@media (prefers" in svg
        assert re.search(r'aria-label="[^"]{20,}"', svg), path

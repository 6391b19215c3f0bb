# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV files, and figures, inside the pages that link to them.

Long tables are files beside their page, for programs that read them. A reader of the site sees the
same rows at the end of the page, collapsed, and need not open the file. Columns that hold
paragraphs become rows of their own, so that the other columns fit.
Figures that a page only links to are in it too, collapsed as well.
"""

from __future__ import annotations

import csv
import html
import io
import os
import re
from pathlib import Path

import check_links
import repository

# A table with so many columns has no width left for a last column of so many characters.
_MANY_COLUMNS = 6
_LONG_CELL = 160
# A column of a CSV file with a longer cell is shown below the rows.
_LONG_CSV_CELL = 120
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>\s*(.*?)\s*</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh][^>]*>.*?</t[dh]>", re.DOTALL)
_FIGURE = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s:]*\.svg)\)")
_CELL_TAGS = re.compile(r"^<t[dh][^>]*>|</t[dh]>$")
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"[-+\u2212]?[\d\s,.]*\d ?%?(?: \([\d.]+\)|(?: / [\d.]+)+)?")
# A number and its unit stay on one line.
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|(?:[KMG]iB|GB/s|GHz|µs|ns|nJ|pJ)\b)")


def table(text: str) -> str:
    r"""A CSV file as an HTML table; numbers are set to the right, long texts below their row.

    >>> table("name,cycles\nring,12\n").count("<td")
    2
    """
    heads, *body = list(csv.reader(io.StringIO(text)))
    columns = range(len(heads))
    cells = {i: [row[i] for row in body if len(row) > i] for i in columns}
    long = [i for i in columns if max(map(len, cells[i]), default=0) > _LONG_CSV_CELL]
    short = [i for i in columns if i not in long]

    def line(row: list[str], tag: str) -> str:
        row_cells = (
            f"<{tag}{' class=number' if _is_number(cells[i]) else ''}>{html.escape(row[i])}</{tag}>"
            for i in short
            if len(row) > i
        )
        return f"<tr>{''.join(row_cells)}</tr>"

    def details(row: list[str]) -> str:
        texts = [
            f"<p><em>{html.escape(heads[i])}:</em> {html.escape(row[i])}</p>"
            for i in long
            if len(row) > i and row[i]
        ]
        if not texts:
            return ""
        names = html.escape(", ".join(heads[i] for i in long if len(row) > i and row[i]))
        text = f"<details><summary>{names}</summary>{''.join(texts)}</details>"
        return f'<tr class="detail"><td colspan="{len(short)}">{text}</td></tr>'

    lines = "".join(line(row, "td") + details(row) for row in body)
    # `split_long_rows` is for tables of pages, which have no attribute.
    opening = "<table data-split>" if long else "<table>"
    return f"{opening}<thead>{line(heads, 'th')}</thead><tbody>{lines}</tbody></table>"


def _is_number(cells: list[str]) -> bool:
    return all(_NUMBER.fullmatch(cell) or cell in {"", "-"} for cell in cells)


def align_numbers(page: str) -> str:
    """A page in HTML, with columns of numbers set to the right, as in tables of CSV files.

    Args:
        page: HTML of the page, tables as Python-Markdown writes them.
    """
    return _TABLE.sub(lambda found: _aligned(found.group(0)), page)


def _aligned(table_html: str) -> str:
    table_html = _BEFORE_UNIT.sub("\u00a0", table_html)
    rows = [_CELL.findall(row) for row in _ROW.findall(table_html)]
    texts = [[_TAG.sub("", cell).replace("\u00a0", " ") for cell in row] for row in rows[1:]]
    columns = list(zip(*texts, strict=False))
    are_numbers = [any(column) and _is_number([*column]) for column in columns]

    def row(found: re.Match[str]) -> str:
        cells = _CELL.findall(found.group(1))
        for i, cell in enumerate(cells):
            if i < len(are_numbers) and are_numbers[i]:
                cells[i] = re.sub(r"^<(t[dh])>", r'<\1 class="number">', cell)
        return f"<tr>{''.join(cells)}</tr>"

    return _ROW.sub(row, table_html)


def linked_tables(text: str, page: str, root: Path = repository.ROOT) -> str:
    """Collapsed tables, in HTML, of the CSV files that a page links to, each once.

    Args:
        text: The page.
        page: Its path in the repository.
        root: The repository.
    """
    targets = dict.fromkeys(
        target
        for target, _ in check_links.LINK.findall(check_links.prose(text))
        if target.endswith(".csv")
    )
    collapsed = []
    for target in targets:
        path = root / os.path.normpath(os.path.join(os.path.dirname(page), target))
        data = path.read_text(encoding="utf-8")
        rows = len(list(csv.reader(io.StringIO(data)))) - 1
        collapsed.append(
            f"<details data-search-exclude><summary>{html.escape(path.name)}: {rows} rows</summary>"
            f'<div class="md-typeset__scrollwrap"><div class="md-typeset__table">{table(data)}'
            "</div></div></details>\n"
        )
    return "\n\n" + "\n".join(collapsed) if collapsed else ""


def linked_figures(text: str) -> str:
    """Collapsed figures, in HTML, that a page links to and does not show.

    >>> linked_figures("![shown](a.svg) [Fig. 2](S1/b.svg)").count("<img")
    1
    """
    figures = dict.fromkeys(_FIGURE.findall(check_links.prose(text)))
    shown = "".join(
        f'<figure><img src="{target}" alt="{html.escape(name)}" loading="lazy">'
        f"<figcaption>{html.escape(name)}</figcaption></figure>"
        for name, target in figures
    )
    title = "1 figure" if len(figures) == 1 else f"{len(figures)} figures"
    if not shown:
        return ""
    return f"\n\n<details data-search-exclude><summary>{title}</summary>{shown}</details>\n"


def split_long_rows(page: str) -> str:
    """A page in HTML, with long last columns of its wide tables as collapsed rows.

    Args:
        page: HTML of the page, tables as Python-Markdown writes them.
    """
    return _TABLE.sub(lambda found: _split(found.group(0)), page)


def _split(table_html: str) -> str:
    rows = [_CELL.findall(row) for row in _ROW.findall(table_html)]
    heads = rows[0]
    longest = max(len(_TAG.sub("", row[-1])) for row in rows)
    if len(heads) < _MANY_COLUMNS or longest <= _LONG_CELL:
        return table_html
    title = _TAG.sub("", heads[-1])

    def row(found: re.Match[str]) -> str:
        cells = _CELL.findall(found.group(1))
        first = f"<tr>{''.join(cells[:-1])}</tr>"
        text = _CELL_TAGS.sub("", cells[-1])
        if cells == heads or not text.strip():
            return first
        detail = f"<details><summary>{title}</summary>{text}</details>"
        return f'{first}<tr class="detail"><td colspan="{len(heads) - 1}">{detail}</td></tr>'

    return _ROW.sub(row, table_html)

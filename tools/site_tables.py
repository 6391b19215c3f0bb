# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV files, and figures, inside the pages that link to them.

Long tables are files beside their page, for programs that read them. A reader of the site sees the
same rows at the end of the page, collapsed, and need not open the file. And a wide table whose
last column holds paragraphs gets these as rows of their own, so that the other columns fit.
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
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>\s*(.*?)\s*</tr>", re.DOTALL)
_CELL = re.compile(r"<t[dh][^>]*>.*?</t[dh]>", re.DOTALL)
_FIGURE = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s:]*\.svg)\)")
_CELL_TAGS = re.compile(r"^<t[dh][^>]*>|</t[dh]>$")
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"[-+\u2212]?[\d\s,.]*\d ?%?")


def table(text: str) -> str:
    r"""A CSV file as an HTML table; a column of numbers is set to the right.

    >>> table("name,cycles\nring,12\n").count("<td")
    2
    """
    rows = list(csv.reader(io.StringIO(text)))
    heads, body = rows[0], rows[1:]
    is_number = [
        all(len(row) > i and (_NUMBER.fullmatch(row[i]) or row[i] in {"", "-"}) for row in body)
        for i in range(len(heads))
    ]

    def line(row: list[str], tag: str) -> str:
        cells = (
            f"<{tag}{' class=number' if is_number[i] else ''}>{html.escape(cell)}</{tag}>"
            for i, cell in enumerate(row[: len(heads)])
        )
        return f"<tr>{''.join(cells)}</tr>"

    lines = "".join(line(row, "td") for row in body)
    return f"<table><thead>{line(heads, 'th')}</thead><tbody>{lines}</tbody></table>"


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

# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV files as tables of the pages that link to them.

Long tables are files beside their page, for programs that read them. A reader of the site sees the
same rows at the end of the page, collapsed, and need not open the file.
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

# SPDX-License-Identifier: Apache-2.0
"""How result tables show themselves: the columns that matter, a few rows of them, a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noccl.notebook_html import Fragment, number_text, table
from noccl.notebook_plots import bars

if TYPE_CHECKING:
    from noccl.tables import ResultTable

_MAIN = {
    "compare": (
        *("algorithm", "bytes", "cycles", "speedup_over_best_software"),
        *("cycles_over_lower_bound", "energy_pj", "verified"),
    ),
    "traffic": (
        *("offered_beats_per_cycle", "accepted_beats_per_cycle", "mean_latency_cycles"),
        *("p99_latency_cycles", "saturated"),
    ),
    "program": ("rank", "finish_cycle", "compute_cycles", "wait_cycles", "messages", "bytes"),
    "sweep": ("network", "collective", "group", "bytes", "algorithm", "cycles", "energy_pj"),
}
"""Kind to the columns that are shown; of other kinds the first ones."""
_NAMED = ("chunks", "chains", "inner", "forwarding", "order", "form", "structure", "counters")
"""Parameters that an algorithm's name has beside it."""
_MOST_COLUMNS = 7
_TEXT_ROWS = 7
_HTML_ROWS = 20
_SHORT_NAMES = {
    "speedup_over_best_software": "speedup",
    "cycles_over_lower_bound": "cycles/bound",
    "offered_beats_per_cycle": "offered",
    "accepted_beats_per_cycle": "accepted",
    "mean_latency_cycles": "mean latency",
    "p99_latency_cycles": "p99 latency",
}


def title(shown: ResultTable) -> str:
    """What the rows are and how many there are."""
    count, columns = len(shown), len(shown.columns)
    return f"{count} row{'s' * (count != 1)} of kind {shown.kind}, {columns} columns"


def text_rows(shown: ResultTable) -> list[str]:
    """The first rows as lines of text, below their head."""
    names, rows = _main(shown, _TEXT_ROWS)
    cells = [list(names), *([_text(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    is_word = [bool(rows) and isinstance(value, str) for value in (rows or [names])[0]]
    lines = [
        "  ".join(
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(row, widths, is_word, strict=True)
        ).rstrip()
        for row in cells
    ]
    left = len(shown) - len(rows)
    return lines + ([f"… {left} more"] if left > 0 else [])


def html_table(shown: ResultTable) -> Fragment:
    """The first rows as a table."""
    names, rows = _main(shown, _HTML_ROWS)
    left = len(shown) - len(rows)
    more = f"<div>… {left} more rows</div>" if left > 0 else ""
    return Fragment(table(names, rows) + more)


def plot(shown: ResultTable) -> Fragment:
    """Cycles of a comparison's algorithms at its largest size; nothing for other kinds."""
    if shown.kind != "compare" or len(shown) == 0:
        return Fragment("")
    most = max(shown["bytes"])
    rows = [row for row in shown.rows() if row["bytes"] == most]
    cycles = {name_of(row): float(row["cycles"]) for row in rows}
    bound = float(rows[0]["lower_bound_cycles"])
    what = f"cycles at {most} bytes; dashed: lower bound of {bound:,.0f} cycles"
    return bars(dict(sorted(cycles.items(), key=lambda pair: pair[1])), what, mark=bound)


def name_of(row: dict[str, Any]) -> str:
    """Algorithm of a row with the parameters that tell it from other rows.

    >>> name_of({"algorithm": "chain", "parameters": "barrier=hardware, chunks=2, forwarding=push"})
    'chain:2:push'
    >>> name_of({"algorithm": "counter", "parameters": "counters=centre, structure=pairwise"})
    'counter:pairwise:centre'
    """
    settings = dict(pair.split("=", 1) for pair in row["parameters"].split(", ") if "=" in pair)
    words = [settings[name] for name in _NAMED if name in settings]
    return ":".join([str(row["algorithm"]), *words])


def _main(shown: ResultTable, most: int) -> tuple[list[str], list[list[Any]]]:
    """Names and values of the columns that matter, of the first rows."""
    columns = [*_MAIN.get(shown.kind, shown.columns[:_MOST_COLUMNS])]
    rows = [
        [name_of(row) if (shown.kind, c) == ("compare", "algorithm") else row[c] for c in columns]
        for row in shown.first_rows(most)
    ]
    return [_SHORT_NAMES.get(column, column) for column in columns], rows


def _text(value: object) -> str:
    if value is None:
        return "-"
    return number_text(value) if isinstance(value, float) else str(value)

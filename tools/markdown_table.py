# SPDX-License-Identifier: Apache-2.0
"""Tables of pages that are printed too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table that reads well as plain text too."""
    everything = [headings, *lines]
    widths = [max(map(len, column)) for column in zip(*everything, strict=True)]
    texts = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in everything
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([texts[0], rule, *texts[1:]])

# SPDX-License-Identifier: Apache-2.0
"""Notebooks as pages of the site: their text, their code, and what is stored as its output.

Nothing runs here: `python/tests/test_notebooks.py` runs them and compares the outputs. A notebook
is JSON, so that the site needs no converter.
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any


def page(path: Path) -> str:
    """The page of a notebook, with a link to the file."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = [part for cell in cells for part in _cell(cell)]
    link = f"[Download this notebook]({path.name})"
    # The title first, which the first cell has.
    return "\n\n".join([*parts[:1], link, *parts[1:]]) + "\n"


def _cell(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    return [f"```python\n{source}\n```", *map(_output, cell["outputs"])]


def _output(output: dict[str, Any]) -> str:
    """What a cell shows: a piece of HTML, a picture, or text.

    >>> _output({"data": {"text/plain": ["a <b>"]}})
    '<pre class="output">a &lt;b&gt;</pre>'
    """
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "text/html" in data:
        # Of one block: Markdown ends raw HTML at an empty line.
        lines = "".join(data["text/html"]).splitlines()
        return f'<div class="output">{" ".join(line for line in lines if line.strip())}</div>'
    if "image/png" in data:
        code = "".join(data["image/png"]).replace("\n", "")
        return f'<p class="output"><img alt="Figure" src="data:image/png;base64,{code}"></p>'
    return f'<pre class="output">{html.escape("".join(data["text/plain"]))}</pre>'

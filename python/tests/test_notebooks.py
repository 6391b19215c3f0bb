# SPDX-License-Identifier: Apache-2.0
"""The notebooks of the site run from top to bottom and show what is stored in them.

They run in a kernel of Jupyter, as their readers run them. `NOCCL_WRITE_GOLDEN=1` stores the
outputs anew. Pictures are compared by their presence: processors differ in last bits of PNG files.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs/notebooks").glob("*.ipynb"))
PICTURE = "image/png"
# The package has types, its functions have none.
READ: Any = nbformat.read
WRITE: Any = nbformat.write


@pytest.fixture(autouse=True)
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of this environment, whatever else is installed on the machine."""
    # Sessions that earlier tests left must end in the thread that made them, and the client has
    # threads that collect garbage too.
    gc.collect()
    spec = tmp_path / "jupyter/kernels/python3"
    spec.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    text = json.dumps({"argv": command, "display_name": "Python 3", "language": "python"})
    (spec / "kernel.json").write_text(text, encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))


def executed(path: Path, folder: Path) -> Any:
    notebook = READ(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
    )
    return client.execute()


def shown(notebook: Any) -> list[object]:
    """What the cells show, pictures by their presence."""
    found: list[object] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = dict(output.get("data", {"text": output.get("text", "")}))
            if PICTURE in data:
                # Only a size stands beside a picture, or where in memory it was.
                data = {PICTURE: True}
            found.append(data)
    return found


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored_in_it(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    stored = READ(path, as_version=4)
    today = executed(path, folder)
    if "NOCCL_WRITE_GOLDEN" in os.environ:
        WRITE(today, path)
        return
    assert shown(today) == shown(stored)


def test_notebooks_show_figures_tables_and_networks() -> None:
    kinds = {
        kind
        for path in NOTEBOOKS
        for cell in READ(path, as_version=4).cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    }
    assert {PICTURE, "text/html", "text/plain"} <= kinds
    assert len(NOTEBOOKS) == 3
    assert all(path.stat().st_size < 300_000 for path in NOTEBOOKS)

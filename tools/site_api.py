# SPDX-License-Identifier: Apache-2.0
"""The page of the site with the Python API: every public name, by topic.

The names come from the package's stub file, and their texts from docstrings, so nothing has to be
imported or built. A public name without a topic is an error: a reader would not find it.
"""

from __future__ import annotations

import ast
from pathlib import Path

import repository

STUB = repository.ROOT / "python" / "noccl" / "__init__.pyi"
# Topic to the modules whose names it has, in the order of the page.
TOPICS = {
    "Networks and tiles": ("_native", "networks", "tiles"),
    "Collectives on your data": (
        *("collectives", "blocks", "scatter_gather", "collective_results", "verified", "results"),
    ),
    "Comparisons and measurements": (
        *("experiments", "explanations", "studies", "matrix_products", "tables"),
    ),
    "Figures": ("plots", "explanation_plot", "recording_plots", "figures", "views"),
    "Schedules": (
        "schedules",
        "builder",
        "chunk_program",
        "checks",
        "runs",
        "run_reports",
        "recordings",
        "own_data",
    ),
    "Collectives of your own, searches": ("definitions", "searches", "orders"),
    "Programs of ranks": ("programs.run", "programs.result", "noise"),
    "Sweeps": ("sweeps.run", "sweeps.store", "sweeps.status", "sweeps.pareto"),
    "Hardware": ("hardware_report",),
    "Errors": ("errors",),
}


def public_names(stub: str) -> dict[str, list[str]]:
    """Public names of the package by the module that defines them.

    >>> public_names("from noccl.tiles import Row as Row")
    {'tiles': ['Row']}
    """
    names: dict[str, list[str]] = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            module = node.module.removeprefix("noccl.")
            names.setdefault(module, []).extend(alias.name for alias in node.names)
    return names


def page(stub: Path = STUB) -> str:
    """The page: a heading per topic, a directive of mkdocstrings per name.

    Raises:
        ValueError: A module with public names has no topic.
    """
    names = public_names(stub.read_text(encoding="utf-8"))
    if without := set(names) - {module for modules in TOPICS.values() for module in modules}:
        raise ValueError(f"tools/site_api.py: no topic for {', '.join(sorted(without))}")
    lines = [
        "# Python API",
        "",
        "Every public name of the package `noccl`, from its docstrings. [The Python package]"
        "(python.md) introduces them by examples.",
    ]
    for topic, modules in TOPICS.items():
        lines += ["", f"## {topic}"]
        for module in modules:
            for name in names.get(module, []):
                if not name.startswith("__"):
                    lines += ["", f"::: noccl.{module}.{name}"]
    return "\n".join(lines) + "\n"

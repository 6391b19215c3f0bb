# SPDX-License-Identifier: Apache-2.0
"""Every source file opens with its licence line.

Without the line nobody can tell under which terms a file that was copied elsewhere stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import repository
from repository import Finding

LINE = "SPDX-License-Identifier: Apache-2.0"
SUFFIXES = frozenset(
    {
        ".rs",
        ".py",
        ".pyi",
        ".sh",
        ".toml",
        ".in",
        ".yaml",
        ".yml",
        ".sv",
        ".svh",
        ".vlt",
        ".cpp",
        ".h",
        ".c",
        ".S",
        ".ld",
        ".js",
        ".ts",
        ".mjs",
    }
)
NAMES = frozenset({"Makefile", "run"})
# The line may stand below a shebang.
LINES_SEARCHED = 2


def needs_line(path: Path) -> bool:
    """Tells whether a file of this name carries the line: those whose format has comments."""
    return path.suffix in SUFFIXES or path.name in NAMES


def lint(paths: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Finds files without the line."""
    for path in paths:
        if not needs_line(path):
            continue
        head = repository.read(path, root).splitlines()[:LINES_SEARCHED]
        if not any(line.removesuffix(" */").endswith(LINE) for line in head):
            yield Finding(str(path), f"the first line must be a comment with '{LINE}'")


if __name__ == "__main__":
    repository.main("licence lines", lambda: lint(repository.files(), repository.ROOT))

# SPDX-License-Identifier: Apache-2.0
"""No source file outgrows what a reader holds in mind.

Exceptions stand in `file_length_exceptions.toml`, each with a limit of its own and the reason.
An exception that is no longer needed is a finding too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import repository
from repository import Finding

MAX_LINES = {".rs": 600, ".py": 300, ".pyi": 300, ".sv": 300, ".svh": 300}
EXCEPTIONS = repository.ROOT / "tools" / "file_length_exceptions.toml"


@dataclass(frozen=True)
class Allowance:
    """A file that may be longer.

    Attributes:
        max_lines: Its own limit.
        reason: Why it is not cut.
    """

    max_lines: int
    reason: str


def allowances(text: str) -> dict[Path, Allowance]:
    """Reads the exceptions: a table per path with `max_lines` and `reason`."""
    table = tomllib.loads(text)
    return {Path(path): Allowance(**entry) for path, entry in table.items()}


def lint(paths: Iterable[Path], root: Path, allowed: dict[Path, Allowance]) -> Iterator[Finding]:
    """Finds files over their limit, and allowances without need."""
    paths = list(paths)
    for path in paths:
        limit = MAX_LINES.get(path.suffix)
        if limit is None:
            continue
        num_lines = len(repository.read(path, root).splitlines())
        allowance = allowed.get(path)
        if allowance is not None and num_lines <= limit:
            yield Finding(str(path), f"{num_lines} lines need no exception; remove it")
        elif num_lines > (allowance.max_lines if allowance else limit):
            most = allowance.max_lines if allowance else limit
            yield Finding(str(path), f"{num_lines} lines; at most {most}: cut it by subject")
    for path in sorted(set(allowed) - set(paths)):
        yield Finding(str(path), "has an exception for its length but does not exist")


if __name__ == "__main__":
    repository.main(
        "file lengths",
        lambda: lint(
            repository.files(),
            repository.ROOT,
            allowances(EXCEPTIONS.read_text(encoding="utf-8")),
        ),
    )

# SPDX-License-Identifier: Apache-2.0
"""What the repository's lints share: the list of files and how findings are printed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        where: Path relative to the root, with a line number if there is one.
        what: What is wrong and what would be accepted.
    """

    where: str
    what: str


def files(root: Path = ROOT) -> list[Path]:
    """Lists the files that are tracked or could be, relative to the root, in a stable order.

    Ignored files do not count; neither do tracked files that the working tree lacks.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = sorted({name for name in listed.split("\0") if name})
    return [Path(name) for name in names if (root / name).is_file()]


def read(path: Path, root: Path = ROOT) -> str:
    """Reads a text file below the root."""
    return (root / path).read_text(encoding="utf-8")


def main(name: str, lint: Callable[[], Iterable[Finding]]) -> None:
    """Runs a lint, prints what it finds and exits with 1 if that is anything."""
    findings = list(lint())
    for finding in findings:
        print(f"{finding.where}: {finding.what}", file=sys.stderr)
    if findings:
        print(f"{name}: {len(findings)} found", file=sys.stderr)
    sys.exit(1 if findings else 0)

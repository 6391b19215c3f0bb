# SPDX-License-Identifier: Apache-2.0
"""No 0 stands for a measurement that is missing.

Where claims are judged and systems are compared, a missing measurement that counts as 0 would
satisfy a claim. An error, an index or NaN, which satisfies none, takes its place; where 0 is right,
a comment above that begins with `// 0:` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import repository
from repository import Finding

FOLDERS = (
    Path("crates/noccl-studies/src/analytic"),
    Path("crates/noccl-studies/src/baselines"),
    Path("crates/noccl-papers/src"),
)
DEFAULT = re.compile(r"\bunwrap_or\(0|\bmap_or\(0|\bunwrap_or_default\(\)")
REASON = "// 0:"
# Lines above a default in which its reason may stand: calls are laid out over several.
LINES_ABOVE = 3


def lint(paths: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Finds defaults of 0 that nothing explains, outside tests."""
    for path in paths:
        if path.suffix != ".rs" or not any(folder in path.parents for folder in FOLDERS):
            continue
        lines = repository.read(path, root).split("\n#[cfg(test)]")[0].splitlines()
        for index, line in enumerate(lines):
            above = lines[max(0, index - LINES_ABOVE) : index]
            is_explained = any(other.lstrip().startswith(REASON) for other in above)
            if DEFAULT.search(line) and not is_explained:
                what = f"0 for what is missing; accepted: an error, NaN, or '{REASON} why'"
                yield Finding(f"{path}:{index + 1}", what)


if __name__ == "__main__":
    repository.main("defaults of 0", lambda: lint(repository.files(), repository.ROOT))

# SPDX-License-Identifier: Apache-2.0
"""No 0 stands for a measurement, an entry or an index that is missing.

A missing measurement that counts as 0 satisfies a claim, and a missing index that counts as 0 is
the index of another. An error, an `Option` that becomes "-" or null where it is printed, or NaN
takes its place. Where 0 is right, a comment above that begins with `// 0:` says why, or a function
of `noccl_net::counts` whose name does. Tests are free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import repository
from repository import Finding

_ZERO = r"\(\s*0(?:\.0*)?(?:_?[iuf](?:8|16|32|64|128|size))?\s*,?"
# Formatted code may have the 0 on a line of its own.
DEFAULT = re.compile(
    rf"\bunwrap_or{_ZERO}\s*\)|\bmap_or{_ZERO}(?<=,)|\b(?:unwrap_or|map_or)_default\(\)"
    r"|\b(?:unwrap_or|map_or)\(\s*\w+::(?:default|new)\(\)"
    r"|\bunwrap_or_else\(\s*(?:Default|Vec|String|HashMap|BTreeMap)::(?:default|new)\s*\)"
)
REASON = "// 0:"
# Lines above a default in which its reason may be: calls are laid out over several.
LINES_ABOVE = 3
OF_TESTS = re.compile(r"^( *)#\[cfg\((?:all\()?test\b[^\n]*\n", re.MULTILINE)


def lint(paths: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Finds defaults of 0 that nothing explains, outside tests."""
    for path in paths:
        if not is_production(path):
            continue
        text = without_tests(repository.read(path, root))
        lines = text.splitlines()
        for match in DEFAULT.finditer(text):
            index = text.count("\n", 0, match.start())
            above = lines[max(0, index - LINES_ABOVE) : index]
            if not any(other.lstrip().startswith(REASON) for other in above):
                what = (
                    f"0 for what is missing; accepted: an error, an Option, NaN, a function of "
                    f"noccl_net::counts, or '{REASON} why'"
                )
                yield Finding(f"{path}:{index + 1}", what)


def is_production(path: Path) -> bool:
    """Is it a Rust source of a crate, but no module of tests?"""
    parts = path.parts
    is_source = (parts[:1], parts[2:3]) == (("crates",), ("src",))
    return is_source and path.suffix == ".rs" and not {"tests", "tests.rs"} & set(parts)


def without_tests(text: str) -> str:
    """The text with items of tests left empty, so that lines keep their numbers."""
    kept, begin = "", 0
    for match in OF_TESTS.finditer(text):
        if match.start() >= begin:
            end = end_of_item(text, match.end(), match[1])
            kept += text[begin : match.start()] + "\n" * text.count("\n", match.start(), end)
            begin = end
    return kept + text[begin:]


def end_of_item(text: str, start: int, indent: str) -> int:
    """Where an item of formatted code ends: at a semicolon, a comma or its closing brace."""
    ends = re.compile(rf"^{indent}(?:[^ \n/#][^\n]*[;,}}]|\}}[^\n]*)$", re.MULTILINE)
    found = ends.search(text, start)
    return found.end() if found else len(text)


if __name__ == "__main__":
    repository.main("defaults of 0", lambda: lint(repository.files(), repository.ROOT))

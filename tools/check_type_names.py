# SPDX-License-Identifier: Apache-2.0
"""One word, one meaning: a crate defines a type name once.

Where two modules of a crate have a `Plane` each, a reader has to know which one is meant. Tests may
name their helpers as they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import repository
from repository import Finding

_TYPE = re.compile(
    r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|union|type) ([A-Z]\w*)", re.MULTILINE
)
_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod tests \{", re.MULTILINE)
# Names that may occur twice, with the reason.
ALLOWED: Mapping[tuple[str, str], str] = {
    ("noccl-studies", "Backend"): "both are public, and published schemas name them",
}


def types(text: str) -> Iterator[tuple[str, int]]:
    """Types that a file defines outside its tests, with their lines."""
    code = _TESTS.split(text)[0]
    for found in _TYPE.finditer(code):
        yield found[1], code.count("\n", 0, found.start()) + 1


def is_source(path: Path) -> bool:
    """Is a file a source of a crate, and no test?"""
    is_test = "tests" in path.parts or path.stem == "tests" or path.stem.startswith("prop_")
    return path.match("*.rs") and path.parts[0] == "crates" and "src" in path.parts and not is_test


def lint(
    paths: Iterable[Path], root: Path, allowed: Mapping[tuple[str, str], str] = ALLOWED
) -> Iterator[Finding]:
    """Finds the second definition of a name in a crate, and exceptions without need."""
    first: dict[tuple[str, str], Path] = {}
    twice: set[tuple[str, str]] = set()
    for path in filter(is_source, paths):
        for name, line in types(repository.read(path, root)):
            key = (path.parts[1], name)
            other = first.setdefault(key, path)
            if other == path:
                continue
            twice.add(key)
            if key not in allowed:
                yield Finding(f"{path}:{line}", f"type {name} is also in {other}; rename one")
    for crate, name in sorted(set(allowed) - twice):
        yield Finding(crate, f"type {name} occurs once and needs no exception; remove it")


if __name__ == "__main__":
    repository.main("type names", lambda: lint(repository.files(), repository.ROOT))

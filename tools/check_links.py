# SPDX-License-Identifier: Apache-2.0
"""Links between pages lead somewhere, and files of crates that a page names are there.

A page that is moved, a heading that gets another word or a test in another crate breaks what nobody
follows until a reader does. Addresses of other sites are not looked at; accepted design notes and
the changelog may name files of their time.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import repository
from repository import Finding

_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
SITE = re.compile(r"[a-z]+:")
# A file or folder of a crate in inline code, such as `noccl-sim/tests/formula_*.rs`.
_SOURCE = re.compile(r"`(?:crates/)?(noccl(?:-[a-z]+)?/(?:src|tests|examples)/[^`\s]*)`")
_BRACES = re.compile(r"(.*)\{([^}]*)\}(.*)")
_HISTORY = ("CHANGELOG.md", "docs/design/")


def prose(page: str) -> str:
    """A page with its fences blanked, so that line numbers stay."""
    return _FENCE.sub(lambda m: "\n" * m.group(0).count("\n"), page)


def anchor(heading: str) -> str:
    """What a link to a heading has behind `#`."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@functools.cache
def anchors(path: Path) -> frozenset[str]:
    """All headings of a page, as links name them."""
    return frozenset(anchor(h) for h in _HEADING.findall(prose(path.read_text(encoding="utf-8"))))


def lint(pages: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Finds links to files and headings that do not exist."""
    for page in pages:
        for number, line in enumerate(prose(repository.read(page, root)).splitlines(), start=1):
            for target, heading in LINK.findall(line):
                if SITE.match(target):
                    continue
                path = (
                    Path(os.path.normpath(root / page.parent / target)) if target else root / page
                )
                where = f"{page}:{number}"
                if not path.exists():
                    yield Finding(where, f"no file '{target}'")
                elif heading and path.suffix == ".md" and heading not in anchors(path):
                    yield Finding(where, f"no heading '#{heading}' in {path.relative_to(root)}")


def patterns(name: str) -> list[str]:
    """What a name with braces stands for: `{a,b}.rs` is `a.rs` and `b.rs`."""
    found = _BRACES.fullmatch(name)
    if found is None:
        return [name]
    before, choices, after = found.groups()
    return [p for choice in choices.split(",") for p in patterns(before + choice + after)]


def lint_sources(pages: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Finds names of files in crates that do not exist."""
    for page in pages:
        if str(page).startswith(_HISTORY):
            continue
        for number, line in enumerate(repository.read(page, root).splitlines(), start=1):
            for name in _SOURCE.findall(line):
                for pattern in patterns(name):
                    if not any((root / "crates").glob(pattern.rstrip("/"))):
                        yield Finding(f"{page}:{number}", f"no file 'crates/{pattern}'")


def main() -> None:
    """Runs both lints over all pages."""
    pages = [path for path in repository.files() if path.suffix == ".md"]
    root = repository.ROOT
    repository.main("links", lambda: [*lint(pages, root), *lint_sources(pages, root)])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Links between pages lead somewhere: to a file, and to a heading of it.

A page that is moved, or a heading that gets another word, breaks links that nobody follows until a
reader does. Addresses of other sites are not looked at.
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
_LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_SITE = re.compile(r"[a-z]+:")


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
            for target, heading in _LINK.findall(line):
                if _SITE.match(target):
                    continue
                path = (
                    Path(os.path.normpath(root / page.parent / target)) if target else root / page
                )
                where = f"{page}:{number}"
                if not path.exists():
                    yield Finding(where, f"no file '{target}'")
                elif heading and path.suffix == ".md" and heading not in anchors(path):
                    yield Finding(where, f"no heading '#{heading}' in {path.relative_to(root)}")


if __name__ == "__main__":
    repository.main(
        "links",
        lambda: lint([f for f in repository.files() if f.suffix == ".md"], repository.ROOT),
    )

# SPDX-License-Identifier: Apache-2.0
"""Pages for users stay readable: short cells of tables, and a limit to the words of all pages.

A cell is measured as readers see it, without the targets of links. Words are those outside tables,
console output included; the command line's reference is generated and does not count. Pages for
developers and design notes are free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import check_links
import repository
from repository import Finding

LONGEST_CELL = 120
MOST_WORDS = 60_000
# Pages with longer cells in generated tables: ends of paths in netlists (`make synth-page`).
LONGER_CELLS = {Path("docs/rtl/synthesis.md"): 130}
_OF_DEVELOPERS = ("docs/developer/", "docs/design/")
_GENERATED = Path("docs/cli.md")
_HOME = Path("README.md")
_ROW = re.compile(r"^ *\|.*$", re.MULTILINE)
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^]]*)\]\([^)]*\)")
_MARKS = re.compile(r"`|\*\*|\\(?=\|)")


def is_for_users(page: Path) -> bool:
    """Is a page one of the handbook, by its path from the root?"""
    name = page.as_posix()
    is_of_handbook = name.startswith("docs/") and page.suffix == ".md"
    return page == _HOME or (is_of_handbook and not name.startswith(_OF_DEVELOPERS))


def visible(cell: str) -> str:
    """A cell without what its readers do not see.

    >>> visible(" the [spec](formats/spec.md) of `smart_8x8` ")
    'the spec of smart_8x8'
    """
    return _MARKS.sub("", _LINK.sub(r"\1", cell)).strip()


def long_cells(pages: Mapping[Path, str]) -> Iterator[Finding]:
    """Finds cells that are longer than accepted."""
    for page, text in pages.items():
        accepted = LONGER_CELLS.get(page, LONGEST_CELL)
        for number, line in enumerate(check_links.prose(text).splitlines(), start=1):
            if not _ROW.match(line):
                continue
            longest = max(len(visible(cell)) for cell in _BETWEEN_CELLS.split(line))
            if longest > accepted:
                what = f"a cell of {longest} characters; accepted: {accepted}, and notes below"
                yield Finding(f"{page}:{number}", what)


def num_words(text: str) -> int:
    r"""The words of a page outside its tables.

    >>> num_words("two words\n\n| of | a |\n|---|---|\n")
    2
    """
    return len(_ROW.sub("", text).split())


def too_many_words(pages: Mapping[Path, str]) -> Iterator[Finding]:
    """Finds that all pages together have more words than accepted."""
    words = {page: num_words(text) for page, text in pages.items() if page != _GENERATED}
    total = sum(words.values())
    if total > MOST_WORDS:
        longest = sorted(words, key=lambda page: -words[page])[:3]
        names = ", ".join(f"{page} {words[page]}" for page in longest)
        yield Finding("docs", f"{total} words; accepted: {MOST_WORDS}; most: {names}")


def lint(paths: Iterable[Path], root: Path) -> Iterator[Finding]:
    """Runs both over the pages for users."""
    pages = {page: repository.read(page, root) for page in paths if is_for_users(page)}
    yield from long_cells(pages)
    yield from too_many_words(pages)


if __name__ == "__main__":
    repository.main("pages for users", lambda: lint(repository.files(), repository.ROOT))

# SPDX-License-Identifier: Apache-2.0
"""Pages of the repository as pages of the site.

Pages in docs/ link to each other, to sources and to pages outside docs/ by relative paths, so that
they also work where the repository is read without a site. The site contains docs/ only: a file
outside that some page links to gets a path inside, and every link is written anew between these
paths. Nothing here depends on the generator of the site; `site_hooks.py` calls it.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import check_links
import repository

# Pages outside docs/ that have a place in the navigation; docs/README.md would be the site's home.
_PLACES = {
    "README.md": "index.md",
    "docs/README.md": "all_pages.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
# What browsers show as it is; other files get `.txt`, so that they are shown too and not saved.
_SHOWN = frozenset({".json", ".svg", ".csv", ".md", ".txt"})
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
# A picture that leads somewhere; the picture itself is a link for `_LINK`.
_LINKED_PICTURE = re.compile(r"\[(!\[[^\]]*\]\([^)\s]*\))\]\(([^)\s#]*)(#[^)\s]*)?\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_NAMED_FENCE = re.compile(r"^```(\w+) ([\w.-]+)$", re.MULTILINE)
_COMMENT = re.compile(r"^(<!--.*?-->)$", re.MULTILINE)
_CELLS = re.compile(r"^ *\|.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
LIVE_PAGE = "noccl/view.html"
"""The page of `noccl view` on the site."""
_LIVE = re.compile(r"^<!-- run: (\S+) -->\n\[?!\[([^\]]*)\].*$", re.MULTILINE)
_ITEM = re.compile(r"([-*]|\d+\.) ")


def site_path(path: str) -> str:
    """Path in the site's sources of a file, named by its path in the repository.

    >>> site_path("docs/papers/S1.md"), site_path("formats/run.schema.json")
    ('papers/S1.md', 'repository/formats/run.schema.json')
    >>> site_path("rtl/hardware.mk"), site_path("docs/notebooks/own.ipynb")
    ('repository/rtl/hardware.mk.txt', 'notebooks/own.md')
    """
    if path in _PLACES:
        return _PLACES[path]
    if path.startswith("docs/"):
        # `site_notebooks` makes a page of a notebook.
        return path.removeprefix("docs/").replace(".ipynb", ".md")
    return f"repository/{path}" + ("" if Path(path).suffix in _SHOWN else ".txt")


def outside_prose(text: str, change: Callable[[str], str]) -> str:
    """Changes a page except for its fences."""
    parts = _FENCE.split(text)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def rewrite_links(text: str, page: str, root: Path = repository.ROOT) -> str:
    """The links of a page as links between files of the site; of a folder without a page, its text.

    Args:
        text: The page.
        page: Its path in the repository.
        root: The repository.
    """
    here = os.path.dirname(site_path(page)) or "."

    def link(found: re.Match[str]) -> str:
        words, target, heading = found.group(1), found.group(2), found.group(3) or ""
        if not target or check_links.SITE.match(target):
            return found.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(page), target))
        if (root / path).is_dir():
            if not (root / path / "README.md").is_file():
                return words
            path = f"{path}/README.md"
        return f"[{words}]({os.path.relpath(site_path(path), here)}{heading})"

    def links(part: str) -> str:
        return _LINKED_PICTURE.sub(link, _LINK.sub(link, part))

    return outside_prose(text, links)


def with_live_runs(text: str, site_page: str, *, is_built: bool) -> str:
    """The runs that a page shows: played by the page of `noccl view` if it is built, else pictures.

    Such a picture stands below a comment with the fragment that chooses the run.

    Args:
        text: The page.
        site_page: Its path in the site's sources.
        is_built: Is the page of `noccl view` there?
    """
    if not is_built:
        return text
    address = os.path.relpath(LIVE_PAGE, os.path.dirname(site_page) or ".")

    def frame(found: re.Match[str]) -> str:
        source = html.escape(f"{address}#{found.group(1)}")
        return (
            f'<iframe src="{source}" title="{html.escape(found.group(2))}" loading="lazy"'
            ' style="width: 100%; height: 700px; border: 1px solid #8886"></iframe>\n\n'
            f"[Open the run in a window]({address}#{found.group(1)})"
        )

    return outside_prose(text, lambda part: _LIVE.sub(frame, part))


def linked_files(pages: Iterable[str], root: Path = repository.ROOT) -> set[str]:
    """Files outside docs/ that pages link to, directly or by pages outside docs/."""
    found: set[str] = set()
    waiting = [*pages]
    while waiting:
        page = waiting.pop()
        prose = check_links.prose((root / page).read_text(encoding="utf-8"))
        for target, _ in check_links.LINK.findall(prose):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            is_outside = target and not check_links.SITE.match(target) and path[:5] != "docs/"
            if is_outside and path not in found and (root / path).is_file():
                found.add(path)
                waiting += [path] if path.endswith(".md") else []
    return found


def for_python_markdown(text: str) -> str:
    r"""What Python-Markdown reads otherwise than code hosts: file names, comments, lists, cells.

    >>> print(for_python_markdown("- a\n  - b"))
    - a
        - b
    """
    named = _NAMED_FENCE.sub(r'```\1 title="\2"', text)

    def change(prose: str) -> str:
        apart = _COMMENT.sub(r"\n\1\n", prose)
        # In cells a code host reads `\|` as a bar, Python-Markdown reads all of the code literally.
        bars = _CELLS.sub(lambda row: _CODE.sub(_bars, row.group(0)), apart)
        return _indented(bars)

    return outside_prose(named, change)


def _bars(code: re.Match[str]) -> str:
    return code.group(0).replace(r"\|", "|")


def _indented(prose: str) -> str:
    """Contents of list items by four columns, where two or three are enough elsewhere.

    An item after an item of several paragraphs gets the empty line that Python-Markdown needs.
    """
    lines, is_in_list, has_paragraphs = prose.splitlines(keepends=True), False, False
    for index, line in enumerate(lines):
        words = line.lstrip(" ")
        columns = len(line) - len(words)
        if not words.strip():
            has_paragraphs = is_in_list
        elif columns == 0:
            if has_paragraphs and _ITEM.match(words) and lines[index - 1].strip():
                lines[index] = f"\n{line}"
            is_in_list, has_paragraphs = bool(_ITEM.match(words)), False
        elif is_in_list and columns in {2, 3}:
            lines[index] = f"    {words}"
    return "".join(lines)

# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: pages from outside docs/, links, tables of CSV files, notebooks, the API page.

They only pass texts to `site_pages`, `site_tables`, `site_notebooks` and `site_api`, which are
tested without MkDocs.
At the end the site is searched for requests to other sites: it has to work from a folder.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))

import check_links
import repository
import site_api
import site_notebooks
import site_pages
import site_tables

ROOT = repository.ROOT
_INDEX = "docs/README.md"
_BUILT_PAGE = ROOT / "page/dist/noccl.html"
# What users rarely search for comes after what they do.
_LATE = ("developer/", "design/", "repository/")
# Path in the site's sources to the path in the repository, of pages outside docs/.
_origins: dict[str, str] = {}
# What a browser loads by itself.
_REQUEST = re.compile(
    r"<(?:script|img|iframe|source|link(?=[^>]*rel=\"?(?:stylesheet|preload|icon|preconnect)))"
    r"[^>]*(?:src|href)=\"?(?:https?:)?//[^\s\">]+"
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Headings get the anchors that links between pages have."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = lambda text, _: check_links.anchor(text)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds what pages link to outside docs/, notebooks, and the API page."""
    pages = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    index = files.get_file_from_path("README.md")
    if index is not None:
        files.remove(index)
    outside = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}
    outside |= site_pages.linked_files([*pages, *outside])
    for path in sorted(outside | {_INDEX}):
        _origins[site_pages.site_path(path)] = path
        files.append(
            File.generated(config, site_pages.site_path(path), abs_src_path=str(ROOT / path))
        )
    files.append(File.generated(config, "python_api.md", content=site_api.page()))
    if _BUILT_PAGE.is_file():
        source = str(_BUILT_PAGE)
        files.append(File.generated(config, site_pages.LIVE_PAGE, abs_src_path=source))
    for notebook in sorted((ROOT / "docs").glob("notebooks/*.ipynb")):
        name = f"notebooks/{notebook.stem}.md"
        files.append(File.generated(config, name, content=site_notebooks.page(notebook)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapts links, lists and fences, and adds tables."""
    del config, files
    path = page.file.src_uri
    if path.startswith(_LATE):
        page.meta["search"] = {"boost": 0.3}
    if path == "python_api.md" or path.startswith("notebooks/"):
        return markdown
    origin = _origins.get(path, f"docs/{path}")
    text = site_pages.rewrite_links(markdown, origin)
    text = site_pages.with_live_runs(text, path, is_built=_BUILT_PAGE.is_file())
    figures, tables = site_tables.linked_figures(text), site_tables.linked_tables(markdown, origin)
    return site_pages.for_python_markdown(text) + figures + tables


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Aligns numbers in tables, and splits rows of wide ones."""
    del page, config, files
    return site_tables.split_long_rows(site_tables.align_numbers(html))


def on_post_build(config: MkDocsConfig) -> None:
    """Refuses pages that load something from another site."""
    for path in sorted(Path(config.site_dir).rglob("*.html")):
        found = _REQUEST.search(path.read_text(encoding="utf-8"))
        if found is not None:
            name = path.relative_to(config.site_dir)
            raise PluginError(f"{name} loads from another site: {found.group(0)}")

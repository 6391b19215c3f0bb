# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

import check_links


def found(root: Path, text: str) -> list[tuple[str, str]]:
    (root / "docs").mkdir(exist_ok=True)
    (root / "docs" / "b.md").write_text("# One `two`: three\n\n```text\n# no\n```\n", "utf-8")
    (root / "docs" / "a.md").write_text(f"first\n{text}\n# Here\n", encoding="utf-8")
    findings = check_links.lint([Path("docs/a.md")], root)
    return [(finding.where, finding.what) for finding in findings]


@pytest.mark.parametrize(
    "text",
    [
        "[x](b.md)",
        "[x](b.md#one-two-three) and [y](#here)",
        "[x](../docs/b.md) ![plot](../docs)",
        "[x](https://example.org/no#such)",
        "```text\n[x](no.md)\n```",
    ],
)
def test_links_that_lead_somewhere_are_accepted(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[x](no.md)", "no file 'no.md'"),
        ("[x](b.md#no)", "no heading '#no' in docs/b.md"),
        ("fine [x](b.md), wrong [y](#no)", "no heading '#no' in docs/a.md"),
    ],
)
def test_links_that_lead_nowhere_are_found_with_their_line(
    text: str, what: str, tmp_path: Path
) -> None:
    assert found(tmp_path, text) == [("docs/a.md:2", what)]

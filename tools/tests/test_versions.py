# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import tomllib
from typing import Any

import repository


def test_manifests_and_citation_name_one_version() -> None:
    def table(name: str) -> dict[str, Any]:
        return tomllib.loads((repository.ROOT / name).read_text(encoding="utf-8"))

    version = table("Cargo.toml")["workspace"]["package"]["version"]
    assert table("pyproject.toml")["project"]["version"] == version
    citation = (repository.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (\S+)$", citation, re.MULTILINE) == [version]

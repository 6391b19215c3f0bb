# SPDX-License-Identifier: Apache-2.0
"""Laws of the tools that come from Debian packages."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest

import debian

CONTENT = b"a package"


def package(content: bytes) -> debian.Package:
    return debian.Package(
        version="1",
        architecture="amd64",
        sha256=hashlib.sha256(content).hexdigest(),
        program="usr/bin/tool",
        environment={"TOOL_LIB": "usr/lib/tool"},
    )


def test_other_content_than_the_pinned_one_is_refused() -> None:
    debian.verify(package(CONTENT), CONTENT)
    with pytest.raises(debian.PackageError, match="accepted"):
        debian.verify(package(CONTENT), CONTENT + b"!")


def test_the_command_finds_the_unpacked_files_even_in_a_path_with_a_space() -> None:
    text = debian.command_text(package(CONTENT), Path("/a b"))
    assert text.startswith("#!/bin/sh\n")
    assert "TOOL_LIB='/a b/usr/lib/tool' exec '/a b/usr/bin/tool' \"$@\"" in text


def test_every_pinned_package_reads() -> None:
    known = debian.packages(debian.LOCK.read_text())
    assert {"valgrind", "ccache", "liblz4-dev"} <= set(known)


def test_a_need_that_is_not_pinned_is_refused() -> None:
    text = '["tool"]\nversion = "1"\narchitecture = "all"\nsha256 = "0"\nneeds = ["library"]'
    with pytest.raises(debian.PackageError, match="tool needs library"):
        debian.packages(text)


def test_a_command_with_needs_looks_into_its_own_libraries_first() -> None:
    needing = dataclasses.replace(package(CONTENT), needs=("library",))
    text = debian.command_text(needing, Path("/at"))
    assert "LD_LIBRARY_PATH=/at/usr/lib/x86_64-linux-gnu" in text

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import check_glossary

GLOSSARY = check_glossary.parse(
    """
    [everywhere]
    fabric = "network"
    fan-out = "fork set"
    [identifiers]
    node = "tile"
    [[allow]]
    paths = ["docs/papers/*"]
    words = ["*"]
    reason = "their words"
    [[allow]]
    paths = ["graph.rs"]
    words = ["node"]
    reason = "a graph"
    """
)


def found(name: str, text: str, root: Path) -> list[str]:
    path = Path(name)
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    return [finding.where for finding in check_glossary.lint([path], root, GLOSSARY)]


@pytest.mark.parametrize(
    "text",
    ["the fabric is", "a Fabric", "fan-out of four", "use `fabric_width` here"],
)
def test_a_banned_word_is_found_in_prose(text: str, tmp_path: Path) -> None:
    assert found("docs/a.md", f"fine\n{text}\n", tmp_path) == ["docs/a.md:2"]


@pytest.mark.parametrize(
    "code", ["let num_node = 1;", "struct NodeId;", "fn f(node: u8) {}", "let c = '\"'; node()"]
)
def test_a_word_banned_in_identifiers_is_found_in_code(code: str, tmp_path: Path) -> None:
    assert found("a.rs", code, tmp_path) == ["a.rs:1"]


@pytest.mark.parametrize(
    "code",
    ["// a node\n", "/* node\nnode */", 'let s = "node";', "let nodding = 1;", "fn knode() {}"],
)
def test_comments_strings_and_longer_words_are_no_identifiers(code: str, tmp_path: Path) -> None:
    assert found("a.rs", code, tmp_path) == []


def test_code_after_a_floor_division_is_still_code(tmp_path: Path) -> None:
    assert found("a.py", "x = 4 // node\n", tmp_path) == ["a.py:1"]


def test_exceptions_hold_for_their_files_and_words_only(tmp_path: Path) -> None:
    assert found("docs/papers/S1.md", "fabric", tmp_path) == []
    assert found("graph.rs", "let node = fabric;", tmp_path) == ["graph.rs:1"]
    assert found("other.rs", "let node = 1;", tmp_path) == ["other.rs:1"]


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=6), min_size=1))
def test_words_of_an_identifier_are_the_same_in_every_spelling(words: list[str]) -> None:
    snake = "_".join(words)
    camel = "".join(word.capitalize() for word in words)
    assert check_glossary.identifier_words(snake) == words
    assert check_glossary.identifier_words(camel) == words
    assert check_glossary.identifier_words(snake.upper()) == words

# SPDX-License-Identifier: Apache-2.0
"""One word per thing, in identifiers and in prose.

The sources of this project use the same word for different things and different words for the same
one; a reader who meets a second word looks for a second thing. The list stands in `glossary.toml`,
the meanings in `docs/glossary.md`.
"""

from __future__ import annotations

import fnmatch
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import repository
from repository import Finding

LIST = repository.ROOT / "tools" / "glossary.toml"
CODE = frozenset({".rs", ".py", ".pyi", ".sv", ".svh"})
PROSE = frozenset({".md", ".toml"})

# Comments and literals are prose; what remains of a source file is code.
_STRING = r'"(?:\\.|[^"\\])*"'
_NOT_RUST = re.compile(
    rf"""//[^\n]* | /\*.*?\*/ | r\#+".*?"\#+ | '(?:\\.|[^'\\\n])' | {_STRING}""",
    re.VERBOSE | re.DOTALL,
)
_NOT_PYTHON = re.compile(rf'\#[^\n]* | """.*?""" | {_STRING}', re.VERBOSE | re.DOTALL)
_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]")


@dataclass(frozen=True)
class Allow:
    """Words that are right in some files.

    Attributes:
        paths: Patterns of paths relative to the root.
        words: The words, or `*` for all.
        reason: Why.
    """

    paths: tuple[str, ...]
    words: frozenset[str]
    reason: str

    def covers(self, path: Path, word: str) -> bool:
        """Tells whether `word` is allowed in the file."""
        if not self.words & {word, "*"}:
            return False
        return any(fnmatch.fnmatch(str(path), pattern) for pattern in self.paths)


@dataclass(frozen=True)
class Glossary:
    """The banned words.

    Attributes:
        everywhere: Word to what to write instead, in prose and code.
        identifiers: The same, for code only.
        allow: Exceptions.
    """

    everywhere: dict[str, str]
    identifiers: dict[str, str]
    allow: tuple[Allow, ...]


def parse(text: str) -> Glossary:
    """Reads the list."""
    table = tomllib.loads(text)
    allow = tuple(
        Allow(tuple(entry["paths"]), frozenset(entry["words"]), entry["reason"])
        for entry in table.get("allow", [])
    )
    return Glossary(table["everywhere"], table["identifiers"], allow)


def code_only(source: str, suffix: str) -> str:
    """Blanks comments and literals, so that line numbers stay."""
    not_code = _NOT_PYTHON if suffix in {".py", ".pyi"} else _NOT_RUST
    return not_code.sub(lambda m: "\n" * m.group(0).count("\n"), source)


def identifier_words(identifier: str) -> list[str]:
    """Splits `num_XYPorts` into `num`, `xy`, `ports`."""
    return [part.lower() for part in _PART.findall(identifier)]


def words_of(path: Path, text: str) -> Iterator[tuple[int, str, bool]]:
    """Yields (line, word, is it part of an identifier) of a file."""
    for number, line in enumerate(text.splitlines(), start=1):
        for match in _WORD.finditer(line):
            yield number, match.group(0).lower(), False
    if path.suffix in CODE:
        for number, line in enumerate(code_only(text, path.suffix).splitlines(), start=1):
            for match in _IDENTIFIER.finditer(line):
                yield from ((number, word, True) for word in identifier_words(match.group(0)))


def lint(paths: Iterable[Path], root: Path, glossary: Glossary) -> Iterator[Finding]:
    """Finds banned words, each once per line."""
    for path in paths:
        if path.suffix not in CODE | PROSE:
            continue
        seen: set[tuple[int, str]] = set()
        for number, word, is_identifier in words_of(path, repository.read(path, root)):
            instead = glossary.everywhere.get(word)
            if instead is None and is_identifier:
                instead = glossary.identifiers.get(word)
            if instead is None or (number, word) in seen:
                continue
            seen.add((number, word))
            if not any(allow.covers(path, word) for allow in glossary.allow):
                yield Finding(f"{path}:{number}", f"'{word}': write {instead}")


if __name__ == "__main__":
    repository.main(
        "glossary",
        lambda: lint(repository.files(), repository.ROOT, parse(LIST.read_text(encoding="utf-8"))),
    )

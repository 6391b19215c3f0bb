# SPDX-License-Identifier: Apache-2.0
"""The field's words, in identifiers and in prose.

A reader looks for a unit under the word of the textbook, and takes a word that has two meanings for
the wrong one. So the lint finds ambiguous words, and metaphors that stand for a word of the field.
The list is `glossary.toml`, the meanings are in `docs/glossary.md`.

What still has metaphors is listed there too, with their number: it may only fall.
`check_glossary.py --shrink` lowers the numbers to those of today.
"""

from __future__ import annotations

import fnmatch
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
# Of a page: what a program has written or prints, code and identifiers, and where links lead to.
_NOT_TEXT = re.compile(
    r"""^<!--[ ][^\n]*?generated[ ].*?^<!--[ ]end[ ]of[^\n]*$ | ^```.*?^```$ | ``.*?`` | `[^`\n]*`
        | \]\([^)\s]*\)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_PENDING = re.compile(r'^"([^"]+)" = (\d+)$', re.MULTILINE)


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
        metaphors: Word to the word of the field.
        pending: Folder or file to the metaphors that it may still have.
    """

    everywhere: Mapping[str, str]
    identifiers: Mapping[str, str]
    allow: tuple[Allow, ...]
    metaphors: Mapping[str, str]
    pending: Mapping[str, int]


def parse(text: str) -> Glossary:
    """Reads the list."""
    table = tomllib.loads(text)
    allow = tuple(
        Allow(tuple(entry["paths"]), frozenset(entry["words"]), entry["reason"])
        for entry in table.get("allow", [])
    )
    return Glossary(
        table["everywhere"],
        table["identifiers"],
        allow,
        table.get("metaphors", {}),
        table.get("pending", {}),
    )


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


def metaphors_of(path: Path, text: str, glossary: Glossary) -> Iterator[tuple[int, str]]:
    """Yields (line, metaphor) of a file; of a page in its prose only."""
    if path.suffix == ".md":
        text = _NOT_TEXT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for number, word, _ in words_of(path, text):
        if word in glossary.metaphors and not any(a.covers(path, word) for a in glossary.allow):
            yield number, word


def entry_of(path: Path, pending: Iterable[str]) -> str | None:
    """The longest entry of the list that a file belongs to."""
    own = (e for e in pending if path.is_relative_to(e))
    return max(own, key=len, default=None)


def pending_counts(paths: Iterable[Path], root: Path, glossary: Glossary) -> Counter[str]:
    """Metaphors of each entry of the list, today."""
    counts = Counter(dict.fromkeys(glossary.pending, 0))
    for path in paths:
        entry = entry_of(path, glossary.pending)
        if entry is not None and path.suffix in CODE | PROSE:
            counts[entry] += len(list(metaphors_of(path, repository.read(path, root), glossary)))
    return counts


def lint_metaphors(paths: Iterable[Path], root: Path, glossary: Glossary) -> Iterator[Finding]:
    """Finds metaphors where none may be, more than there were, and entries that are done."""
    paths = [path for path in paths if path.suffix in CODE | PROSE]
    for path in paths:
        if entry_of(path, glossary.pending) is None:
            for number, word in metaphors_of(path, repository.read(path, root), glossary):
                instead = glossary.metaphors[word]
                yield Finding(f"{path}:{number}", f"'{word}': write {instead}")
    for entry, count in pending_counts(paths, root, glossary).items():
        if count > glossary.pending[entry]:
            what = f"{count} metaphors, only {glossary.pending[entry]} are listed"
            yield Finding(entry, what)
        elif count == 0:
            yield Finding(entry, "no metaphors left: take it off the list of pending ones")


def shrunk(text: str, counts: Mapping[str, int]) -> str:
    """The list with numbers that have fallen, without entries that are done."""

    def line(found: re.Match[str]) -> str:
        entry, listed = found.group(1), int(found.group(2))
        return f'"{entry}" = {min(listed, counts.get(entry, listed))}'

    return re.sub(r'^"[^"]+" = 0\n', "", _PENDING.sub(line, text), flags=re.MULTILINE)


def main() -> None:
    """Runs both lints, or lowers the numbers of the list."""
    text = LIST.read_text(encoding="utf-8")
    glossary = parse(text)
    paths = repository.files()
    if "--shrink" in sys.argv[1:]:
        counts = pending_counts(paths, repository.ROOT, glossary)
        LIST.write_text(shrunk(text, counts), encoding="utf-8")
        return
    repository.main(
        "glossary",
        lambda: [
            *lint(paths, repository.ROOT, glossary),
            *lint_metaphors(paths, repository.ROOT, glossary),
        ],
    )


if __name__ == "__main__":
    main()

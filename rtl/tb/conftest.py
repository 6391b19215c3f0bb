# SPDX-License-Identifier: Apache-2.0
"""Ends a run of the benches: too few random transactions or a missed cover point fail it."""

from __future__ import annotations

from pathlib import Path

import pytest

from common import count, cover

_collected: set[Path] = set()
_partial: set[str] = set()


def pytest_deselected(items: list[pytest.Item]) -> None:
    _partial.update(item.path.parent.name for item in items)


def pytest_collection_finish(session: pytest.Session) -> None:
    _collected.update(item.path for item in session.items)
    if any("::" in argument for argument in session.config.args):
        _partial.update(path.parent.name for path in _collected)


def complete_benches() -> set[str]:
    """Benches with all their tests in this run."""
    every = {bench: set((cover.TB / bench).glob("test_*.py")) for bench in cover.benches()}
    return {bench for bench, files in every.items() if files <= _collected} - _partial


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if count.checked:
        terminalreporter.write_line(count.summary())
    if cover.hits:
        terminalreporter.write_line(cover.summary())
    for point in cover.missed(complete_benches()):
        terminalreporter.write_line(f"cover point never reached: {point}", red=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    is_stopped = session.config.option.collectonly or session.shouldstop or session.shouldfail
    if is_stopped or session.testsfailed:
        return
    if count.is_too_few() or cover.missed(complete_benches()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

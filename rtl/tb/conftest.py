# SPDX-License-Identifier: Apache-2.0
"""Prints how many random transactions the benches have checked; too few fail a full run."""

from __future__ import annotations

import pytest

from common import count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if count.checked:
        terminalreporter.write_line(count.summary())


def pytest_sessionfinish(session: pytest.Session) -> None:
    if count.is_too_few():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

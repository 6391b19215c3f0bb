# SPDX-License-Identifier: Apache-2.0
"""The slang compiler's command line, which its Python package does not install: same options."""

from __future__ import annotations

import shlex
import sys

from pyslang.driver import Driver


def main(arguments: list[str]) -> bool:
    """Elaborates; diagnostics go to the standard streams. Tells whether all is well."""
    driver = Driver()
    driver.addStandardArgs()
    command_line = shlex.join(["slang", *arguments])
    ready = driver.parseCommandLine(command_line) and driver.processOptions()
    if not ready or not driver.parseAllSources():
        return False
    return bool(driver.runFullCompilation(quiet=True))


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)

# SPDX-License-Identifier: Apache-2.0
"""Puts what cargo has built into the wheel: the extension module and the command line.

Both come from one build of the workspace. Maturin, the usual tool, builds the extension alone: with
other features of shared dependencies, so that everything is compiled a second time; and it takes a
module or a program, not both.
"""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CargoBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the Rust workspace before the wheel is written."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Runs cargo and names the files that it made."""
        words = ["cargo", "build", "--release", "--locked", "-p", "noccl-cli", "-p", "noccl-py"]
        subprocess.run(words, cwd=self.root, check=True)
        built = Path(target_directory(self.root)) / "release"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(built / "lib_native.so")] = "noccl/_native.abi3.so"
        build_data["shared_scripts"][str(built / "noccl")] = "noccl"


def target_directory(root: str) -> str:
    """Where cargo builds, as its own settings and environment say."""
    words = ["cargo", "metadata", "--format-version=1", "--no-deps", "--locked"]
    text = subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout
    return str(json.loads(text)["target_directory"])

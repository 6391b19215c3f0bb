# SPDX-License-Identifier: Apache-2.0
"""Types of the extension module; stubtest compares them with the module.

Structured arguments and results are JSON text of the formats in `formats/`; the modules above give
them types. Nothing outside the package should import this module.
"""

from collections.abc import Callable
from typing import final

__all__ = [
    "Network",
    "__version__",
    "attention",
    "barrier_study",
    "check",
    "compare",
    "gemm",
    "load",
    "members",
    "multiply",
    "order",
    "order_draws",
    "parse_size",
    "path_hops",
    "presets",
    "read_text",
    "reproduce",
    "run",
    "run_values",
    "schedule",
    "stress",
    "traffic",
    "write_file",
]

__version__: str

_OnProgress = Callable[[int, int, int], bool | None]

@final
class Network:
    """An elaborated network: total, immutable, made only by `load`."""

    @property
    def name(self) -> str:
        """Name of the network."""
    @property
    def width(self) -> int:
        """Columns of clusters."""
    @property
    def height(self) -> int:
        """Rows of clusters."""
    @property
    def mesh_width(self) -> int:
        """Columns of the mesh, memory tiles included."""
    @property
    def mesh_height(self) -> int:
        """Rows of the mesh, memory tiles included."""
    @property
    def num_clusters(self) -> int:
        """Number of clusters."""
    @property
    def num_memories(self) -> int:
        """Number of memory tiles."""
    @property
    def warnings(self) -> list[str]:
        """Settings of the spec that have no effect."""
    @property
    def old_names(self) -> list[str]:
        """Names of before that the spec is written with, and what they are now."""
    def to_json(self) -> str:
        """Tiles, links and address map as JSON text (`formats/network.schema.json`)."""

def presets() -> list[str]: ...
def parse_size(text: str) -> tuple[int, str | None]: ...
def read_text(path: str) -> str: ...
def write_file(path: str, content: bytes) -> None: ...
def load(preset_or_file: str, overrides: list[tuple[str, str]]) -> Network: ...
def members(network: Network, group: str) -> list[tuple[int, int]]: ...
def schedule(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def check(network: Network, schedule: str) -> str: ...
def path_hops(network: Network, tiles: list[str]) -> str: ...
def order(network: Network, request: str) -> str: ...
def order_draws(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def run(network: Network, schedule: str, request: str, on_progress: _OnProgress | None) -> str: ...
def run_values(
    network: Network,
    schedule: str,
    inputs: list[tuple[str, int, bytes]],
    outputs: list[tuple[str, int, int]],
    request: str,
    on_progress: _OnProgress | None,
) -> tuple[str, list[bytes]]: ...
def compare(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def traffic(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def stress(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def gemm(request: str, on_progress: _OnProgress | None) -> str: ...
def multiply(
    request: str, a: bytes, b: bytes, on_progress: _OnProgress | None
) -> tuple[int, int, int, bytes]: ...
def reproduce(paper: str, is_quick: bool, on_progress: _OnProgress | None) -> str: ...
def barrier_study(clusters: list[int], on_progress: _OnProgress | None) -> str: ...
def attention(request: str, on_progress: _OnProgress | None) -> str: ...

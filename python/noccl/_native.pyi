# SPDX-License-Identifier: Apache-2.0
"""Types of the extension module; stubtest compares them with the module.

Structured arguments and results are JSON text of the formats in `formats/`; the modules above give
them types. Nothing outside the package should import this module.
"""

from collections.abc import Callable, Sequence
from typing import Any, final

__all__ = [
    "Network",
    "ProgramSession",
    "__version__",
    "attention",
    "barrier_study",
    "check",
    "compare",
    "compare_by_model",
    "explain",
    "gemm",
    "live_page",
    "load",
    "members",
    "multiply",
    "order",
    "order_draws",
    "parse_recording",
    "parse_size",
    "path_hops",
    "point_word",
    "presets",
    "read_text",
    "record",
    "recording_file",
    "run",
    "run_values",
    "schedule",
    "stress",
    "synth",
    "tile_name",
    "traffic",
    "view",
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
    def cluster_region(self) -> tuple[int, int, int, int]:
        """Clusters on the mesh: x and y of the south-west one, columns, rows."""
    @property
    def memory_tiles(self) -> list[tuple[int, int]]:
        """Columns and rows of the memory tiles on the mesh; `mem:N` is the N-th."""
    @property
    def overrides(self) -> list[tuple[str, str]]:
        """Fields of the spec that `load` was asked to change, dotted paths, with their values."""
    @property
    def warnings(self) -> list[str]:
        """Settings of the spec that have no effect."""
    @property
    def old_names(self) -> list[str]:
        """Names of before that the spec is written with, and what they are now."""
    def to_json(self) -> str:
        """Tiles, links and address map as JSON text (`formats/network.schema.json`)."""
    def to_toml(self) -> str:
        """The whole spec as TOML text, overrides applied."""
    def _repr_html_(self) -> str:
        """The drawing of the mesh, as notebooks ask for it."""

@final
class ProgramSession:
    """A program of ranks that goes on while its ranks do (`noccl.programs.session.Session`)."""

    def __new__(
        cls,
        network: Network,
        ranks: int,
        *,
        collectives: str,
        max_cycles: int | None,
        noise_seed: int | None,
    ) -> ProgramSession: ...
    @property
    def world(self) -> int:
        """Number of the communicator of all ranks."""
    @property
    def clock_ghz(self) -> float:
        """Cycles per nanosecond of the network."""
    def group(self, rank: int, ranks: list[int], place: str) -> int: ...
    def alone(self, rank: int) -> int: ...
    def record_times(self) -> None: ...
    def record_run(self) -> None: ...
    def recording(self, workload: str) -> str: ...
    def record_messages(self) -> None: ...
    def messages(self, source: str) -> str: ...
    def trace_events(self) -> str: ...
    def timeline(self) -> tuple[list[bytes], list[str]]: ...
    def isend(
        self,
        rank: int,
        comm: int,
        destination: int,
        tag: int,
        data: bytes,
        synchronous: bool,
        place: str,
    ) -> int: ...
    def irecv(
        self, rank: int, comm: int, source: int, tag: int, max_bytes: int, place: str
    ) -> int: ...
    def iprobe(
        self, rank: int, comm: int, source: int, tag: int, place: str
    ) -> tuple[int, int, int] | None: ...
    def cancel(self, rank: int, request: int) -> bool: ...
    def now(self, rank: int) -> int: ...
    def is_over(self, request: int) -> bool: ...
    def wait(self, rank: int, requests: Sequence[int], all: bool, place: str) -> None: ...  # noqa: A002
    def poll(self, rank: int, cycles: int | None, place: str) -> None: ...
    def probe(self, rank: int, comm: int, source: int, tag: int, place: str) -> None: ...
    def compute(self, rank: int, cycles: int, place: str) -> None: ...
    def collective(
        self,
        rank: int,
        comm: int,
        kind: str,
        payload: bytes,
        root: int,
        operator: str,
        element: str,
        place: str,
    ) -> None: ...
    def icollective(
        self,
        rank: int,
        comm: int,
        kind: str,
        payload: bytes,
        root: int,
        operator: str,
        element: str,
        place: str,
    ) -> int: ...
    def supports_nonblocking(
        self,
        rank: int,
        comm: int,
        kind: str,
        bytes: int,  # noqa: A002
        root: int,
        operator: str,
        element: str,
    ) -> bool: ...
    def begin_task(self, rank: int, name: str, place: str) -> int: ...
    def end_task(self, task: int) -> None: ...
    def wait_in_task(self, rank: int, requests: Sequence[int], token: int, place: str) -> None: ...
    def supports(
        self,
        rank: int,
        comm: int,
        kind: str,
        bytes: int,  # noqa: A002
        root: int,
        operator: str,
        element: str,
    ) -> bool: ...
    def note_composed(
        self,
        rank: int,
        comm: int,
        collective: str,
        bytes: int | None,  # noqa: A002
        reason: str,
    ) -> None: ...
    def split(self, rank: int, comm: int, color: int, key: int, place: str) -> None: ...
    def finish(self, rank: int) -> None: ...
    def fail(self, rank: int, message: str) -> None: ...
    def advance(self) -> list[tuple[int, Any]]: ...
    def report(self) -> str: ...

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
def record(
    network: Network, schedule: str, request: str, on_progress: _OnProgress | None
) -> tuple[str, str]: ...
def parse_recording(name: str, text: str) -> str: ...
def recording_file(recording: str) -> str: ...
def run_values(
    network: Network,
    schedule: str,
    inputs: list[tuple[str, int, bytes]],
    outputs: list[tuple[str, int, int]],
    request: str,
    on_progress: _OnProgress | None,
) -> tuple[str, list[bytes]]: ...
def compare(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def compare_by_model(network: Network, request: str) -> str: ...
def explain(
    network: Network, request: str, schedule: str | None, on_progress: _OnProgress | None
) -> str: ...
def point_word(kind: str, text: str) -> str: ...
def tile_name(network: Network, text: str) -> str: ...
def view(request: str, schedule: str | None, on_progress: _OnProgress | None) -> str: ...
def live_page(views: Sequence[str], recordings: Sequence[str]) -> str: ...
def traffic(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def synth(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def stress(network: Network, request: str, on_progress: _OnProgress | None) -> str: ...
def gemm(request: str, on_progress: _OnProgress | None) -> str: ...
def multiply(
    request: str, a: bytes, b: bytes, on_progress: _OnProgress | None
) -> tuple[int, int, int, bytes]: ...
def barrier_study(clusters: list[int], on_progress: _OnProgress | None) -> str: ...
def attention(request: str, on_progress: _OnProgress | None) -> str: ...

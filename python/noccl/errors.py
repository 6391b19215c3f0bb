# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as a class hierarchy.

The classes mirror the kinds of error of the Rust facade, so that a caller can tell a misspelt key
from a run that stalls without reading messages. Every message says what was wrong, where, and what
would be accepted.
"""

from __future__ import annotations

import contextlib
import json
import re
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class NocclError(Exception):
    """Anything that this package raises on purpose."""


class SpecError(NocclError):
    """The spec file, the preset name or an override is wrong."""


class NetworkError(NocclError):
    """The spec describes no possible network, or a set of tiles is not on it."""


class AlgorithmError(NocclError):
    """The algorithm does not do this collective, or not with these parameters."""


class ScheduleError(NocclError):
    """The checker refuses the schedule: unmet postcondition, cycle of waits, illegal action."""


class ArgumentError(NocclError):
    """An argument is outside what is accepted."""


class CapacityError(NocclError):
    """Buffers do not fit into a memory; the message has the bytes needed and available."""


class FileError(NocclError):
    """A file cannot be read or written, or holds something else than it should."""


class RefusedError(NocclError):
    """The backend does not do this kind of workload."""


class HardwareError(NocclError):
    """No hardware follows the run, or it and the simulator differ; the message has the place."""


class InterruptedRunError(NocclError):
    """The progress callback asked to end the call."""


class MissingExtraError(NocclError, ImportError):
    """A package of an optional extra is not installed; the message has the command for it."""


class ProgramError(NocclError):
    """A program of ranks is wrong or cannot go on; the message names ranks and their call sites.

    Attributes:
        rank: Rank whose call or exception ended the run; None if it was no single one.
        rank_traceback: Stack of that rank as text; empty if there is none.
        exit_status: What the rank has ended with by `sys.exit` or `Abort`; 1 if it has not.
    """

    def __init__(
        self,
        message: str,
        *,
        rank: int | None = None,
        rank_traceback: str = "",
        exit_status: int = 1,
    ) -> None:
        super().__init__(message)
        self.rank = rank
        self.rank_traceback = rank_traceback
        self.exit_status = exit_status


@dataclass(frozen=True)
class WaitEdge:
    """One participant of a wait: `waiter` cannot go on before `awaited` does something.

    Attributes:
        waiter: Who waits: transaction and place.
        awaited: For whom.
        place: Link, table or queue.
        since_cycle: Since which cycle.
    """

    waiter: str
    awaited: str
    place: str
    since_cycle: int


@dataclass(frozen=True)
class Diagnosis:
    """Why a run cannot finish.

    Attributes:
        cycle: Cycle at which the run was given up.
        last_progress_cycle: Last cycle in which anything moved.
        summary: One sentence.
        waits: A cycle of waits if there is one, else the chain to the one that waits for nobody.
    """

    cycle: int
    last_progress_cycle: int
    summary: str
    waits: tuple[WaitEdge, ...]

    @staticmethod
    def from_json(text: str) -> Diagnosis:
        """Reads the form that the engine writes."""
        fields = json.loads(text)
        waits = tuple(WaitEdge(**edge) for edge in fields.pop("waits"))
        return Diagnosis(waits=waits, **fields)


class DeadlockError(NocclError):
    """The run cannot finish: a cycle of waits, or a member that never contributes.

    Attributes:
        diagnosis: Who waits for whom, where, since which cycle.
    """

    def __init__(self, message: str, diagnosis: Diagnosis) -> None:
        super().__init__(message, diagnosis)
        self.diagnosis = diagnosis

    def __str__(self) -> str:
        return str(self.args[0])


_BY_NAME = {
    error.__name__: error
    for error in (
        SpecError,
        NetworkError,
        AlgorithmError,
        ScheduleError,
        ArgumentError,
        CapacityError,
        FileError,
        RefusedError,
        HardwareError,
        InterruptedRunError,
        ProgramError,
    )
}


_ARGUMENTS = MappingProxyType(
    {
        "bytes": "num_bytes",
        "faulty-link": "faulty_links",
        "faulty-tile": "faulty_tiles",
        "latency-limit": "latency_limit_cycles",
        "links": "has_links",
        "lock-step": "is_lock_step",
        "only": "kinds",
        "seeds": "num_seeds",
        "spec": "network",
        "start-skew": "start_skew_cycles",
        "time-limit": "time_limit_seconds",
        "variants": "has_variants",
    }
)
"""Options of the command line whose arguments here have other names."""
_SAME = (
    *(
        "algorithms",
        "backend",
        "beats",
        "boundary",
        "clusters",
        "collective",
        "collectives",
        "counts",
    ),
    *("definition", "destinations", "draws", "element", "group", "kernel", "lengths", "loads"),
    *("max-cycles", "measure-cycles", "mesh", "mode", "noise", "objective", "operator", "ranks"),
    *("root", "seed", "submatrix", "threads", "transactions", "tries", "warmup-cycles"),
)
"""Options whose arguments have the same name, with `_` for `-`."""
# Not inside what a caller wrote, which stands between quotes.
_OPTION = re.compile(r"(?<![\w'`-])--([a-z][a-z-]*)")
_OVERRIDE = re.compile(r"^-P ([\w.]+)=")
_WORDS = (
    (re.compile(r"expected (?:u8|u16|u32|u64|usize)\b"), "expected a whole number, 0 or more"),
    (re.compile(r"expected f64\b"), "expected a number"),
    (re.compile(r"^KERNEL\b"), "kernel"),
)
"""Types of the engine, and its words for arguments by position."""
_IN_THIS_CALL: ContextVar[Mapping[str, str] | None] = ContextVar("argument_names", default=None)


@contextlib.contextmanager
def argument_names(**names: str) -> Iterator[None]:
    """Surrounds a call of the engine: what options are called in errors, as keywords say.

    >>> with argument_names(bytes="sizes_bytes"):
    ...     python_terms("--bytes '0': accepted: at least one byte")
    "sizes_bytes '0': accepted: at least one byte"
    """
    token = _IN_THIS_CALL.set(names)
    try:
        yield
    finally:
        _IN_THIS_CALL.reset(token)


def python_terms(message: str) -> str:
    """A message of the engine with the names of arguments for those of options.

    >>> python_terms("--boundary 'axi': accepted with --backend rtl only")
    "boundary 'axi': accepted with backend rtl only"
    >>> python_terms("-P memory.latency=3: no field 'latency' here")
    "overrides: memory.latency=3: no field 'latency' here"
    """
    here = _IN_THIS_CALL.get() or {}

    def name(option: re.Match[str]) -> str:
        word = option.group(1)
        known = {**_ARGUMENTS, **here}
        if word in known:
            return known[word]
        return word.replace("-", "_") if word in _SAME else option.group(0)

    message = _OVERRIDE.sub(r"overrides: \1=", _OPTION.sub(name, message))
    for pattern, words in _WORDS:
        message = pattern.sub(words, message)
    return message


def from_native(name: str, message: str, diagnosis: str | None) -> NocclError:
    """Makes the exception that the extension module raises.

    Args:
        name: Class name.
        message: Message of the Rust error.
        diagnosis: JSON text, for a `DeadlockError` only.
    """
    if diagnosis is not None:
        return DeadlockError(message, Diagnosis.from_json(diagnosis))
    return _BY_NAME[name](python_terms(message))

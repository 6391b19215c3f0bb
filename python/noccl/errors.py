# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as a class hierarchy.

The classes mirror the kinds of error of the Rust facade, so that a caller can tell a misspelt key
from a run that stalls without reading messages. Every message says what was wrong, where, and what
would be accepted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


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


def from_native(name: str, message: str, diagnosis: str | None) -> NocclError:
    """Makes the exception that the extension module raises.

    Args:
        name: Class name.
        message: Message of the Rust error.
        diagnosis: JSON text, for a `DeadlockError` only.
    """
    if diagnosis is not None:
        return DeadlockError(message, Diagnosis.from_json(diagnosis))
    return _BY_NAME[name](message)

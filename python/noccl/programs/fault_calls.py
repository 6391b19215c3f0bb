# SPDX-License-Identifier: Apache-2.0
"""What MPI has for ranks that fail: a rank that fails ends the program, so that none has failed."""

from __future__ import annotations

from typing import Any

import numpy as np

from noccl.programs.background import BackgroundCollectives
from noccl.programs.buffers import memory
from noccl.programs.constants import IN_PLACE
from noccl.programs.failures import ValueMpiError
from noccl.programs.groups import NAMED, Group
from noccl.programs.operators import BAND
from noccl.programs.requests import Request


class FaultCalls(BackgroundCollectives):
    """The methods."""

    __slots__ = ()

    def Is_revoked(self) -> bool:
        """Always False."""
        self._alive("Is_revoked")
        return False

    def Get_failed(self) -> Group:
        """No ranks."""
        self._alive("Get_failed")
        return Group(NAMED["GROUP_EMPTY"]).Dup()

    def Ack_failed(self, num_to_ack: int | None = None) -> int:  # noqa: ARG002 - mpi4py's
        """None have been acknowledged."""
        self._alive("Ack_failed")
        return 0

    def Agree(self, flag: int) -> int:
        """The bits that all ranks give."""
        result = np.array([flag], np.int32)
        self.Allreduce(IN_PLACE, result, BAND)  # type: ignore[attr-defined]
        return int(result[0])

    def Iagree(self, flag: Any) -> Request:
        """The same of a buffer with a number of MPI's type int."""
        raw, _ = memory(flag, "flag", writable=True)
        if len(raw) != np.dtype(np.int32).itemsize:
            raise ValueMpiError(f"Iagree: {len(raw)} bytes; accepted: those of one int")
        return self.Iallreduce(IN_PLACE, np.frombuffer(raw, np.int32), BAND)

    def Shrink(self) -> Any:
        """A communicator of the same ranks."""
        return self.Dup()  # type: ignore[attr-defined]

    def Ishrink(self) -> tuple[Any, Request]:
        """The same, with a request that is over."""
        return self.Idup()  # type: ignore[attr-defined,no-any-return]

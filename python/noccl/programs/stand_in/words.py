# SPDX-License-Identifier: Apache-2.0
"""Numbers in the memory of a rank that all ranks read and change, for `mpi4py.util.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from noccl.programs.mpi_lookup import mpi

if TYPE_CHECKING:
    from collections.abc import Callable

_FIRST_PAUSE_CYCLES = 64
_LONGEST_PAUSE_CYCLES = 1 << 16


class Words:
    """Numbers in the memory of a rank, which all ranks change in one step each."""

    def __init__(
        self, values: list[Any], typecode: str, comm: Any, info: Any, root: int = 0
    ) -> None:
        self.comm = mpi().COMM_SELF if comm is None else comm
        self._kind, self._root = np.dtype(typecode), root
        num_bytes = len(values) * self._kind.itemsize if self.comm.rank == root else 0
        self._window = mpi().Win.Allocate(num_bytes, self._kind.itemsize, info, self.comm)
        if self.comm.rank == root:
            self._window.Lock(root)
            np.frombuffer(self._window.tomemory(), self._kind)[:] = values
            self._window.Unlock(root)
        self.comm.Barrier()

    @property
    def is_open(self) -> bool:
        """Has it not been freed?"""
        return self._window is not None

    def check(self) -> None:
        """Raises `RuntimeError` after `free`."""
        if self._window is None:
            raise RuntimeError("used after free; accepted: calls before it")

    def change(self, index: int, value: Any, op: Any) -> Any:
        """Combines a number with a value; the number before."""
        given, found = np.array([value], self._kind), np.zeros(1, self._kind)
        self._accessed("Fetch_and_op", given, found, self._root, index, op)
        return found[0].item()

    def read(self, index: int) -> Any:
        """A number."""
        return self.change(index, 0, mpi().NO_OP)

    def swap(self, index: int, compared: Any, value: Any) -> bool:
        """Replaces a number that equals another one; has it?"""
        arrays = [np.array([one], self._kind) for one in (value, compared, 0)]
        self._accessed("Compare_and_swap", *arrays, self._root, index)
        return bool(arrays[2][0] == compared)

    def _accessed(self, call: str, *arguments: Any) -> None:
        self.check()
        if self.comm.rank == self._root:
            # Takes time too, so that a loop of accesses to the own memory lets the others act.
            self.comm._link.poll()
        self._window.Lock(self._root, mpi().LOCK_SHARED)
        getattr(self._window, call)(*arguments)
        self._window.Unlock(self._root)

    def wait(self, is_met: Callable[[], bool]) -> None:
        """Until something is so; reads ever less often, so as not to delay others' messages."""
        cycles = _FIRST_PAUSE_CYCLES
        while not is_met():
            self.comm._link.pause(cycles)
            cycles = min(2 * cycles, _LONGEST_PAUSE_CYCLES)

    def free(self) -> None:
        """Ends it, in all ranks."""
        if self._window is not None:
            self._window.Free()
            self._window = None

# SPDX-License-Identifier: Apache-2.0
"""Collectives of Python objects: the lower-case half of MPI's collectives.

Objects have no length that all ranks know, so these are composed from messages.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from noccl.programs.composed import Composed
from noccl.programs.failures import TypeMpiError, ValueMpiError
from noccl.programs.link import call_site
from noccl.programs.operators import SUM, Op, chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _dump(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


_load = pickle.loads


class ObjectCollectives(Composed):
    """`bcast` to `exscan`."""

    __slots__ = ()

    def bcast(self, obj: Any, root: int = 0) -> Any:
        """The root's object, in every rank."""
        where, root = call_site(), self._root_of(root)
        self._agree(where, "bcast", "root", root)
        if self._rank == root:
            self._tree_broadcast(_dump(obj), root, where)
            return obj
        return _load(self._tree_broadcast(b"", root, where))

    def gather(self, sendobj: Any, root: int = 0) -> list[Any] | None:
        """The objects of all ranks at the root, None elsewhere."""
        where, root = call_site(), self._root_of(root)
        self._agree(where, "gather", "root", root)
        found = self._direct_gather(_dump(sendobj), root, where)
        return None if found is None else [_load(data) for data in found]

    def scatter(self, sendobj: Sequence[Any] | None, root: int = 0) -> Any:
        """One of the root's objects for each rank."""
        where, root = call_site(), self._root_of(root)
        self._agree(where, "scatter", "root", root)
        blocks = None
        if self._rank == root:
            blocks = [_dump(value) for value in self._one_each("scatter", sendobj)]
        return _load(self._direct_scatter(blocks, root, where))

    def allgather(self, sendobj: Any) -> list[Any]:
        """The objects of all ranks, in every rank."""
        where = call_site()
        self._agree(where, "allgather")
        return [_load(data) for data in self._ring_all_gather(_dump(sendobj), where)]

    def alltoall(self, sendobj: Sequence[Any]) -> list[Any]:
        """From each rank the object that it has for this one."""
        where = call_site()
        self._agree(where, "alltoall")
        blocks = [_dump(value) for value in self._one_each("alltoall", sendobj)]
        return [_load(data) for data in self._pairwise_all_to_all(blocks, where)]

    def reduce(self, sendobj: Any, op: Op | Callable[[Any, Any], Any] = SUM, root: int = 0) -> Any:
        """The objects of all ranks combined, at the root; None elsewhere."""
        where, root, op = call_site(), self._root_of(root), chosen(op)
        self._agree(where, "reduce", "op", op.name, "root", root)
        return self._tree_reduce(_load(_dump(sendobj)), op, root, _dump, _load, where)

    def allreduce(self, sendobj: Any, op: Op | Callable[[Any, Any], Any] = SUM) -> Any:
        """The objects of all ranks combined, in every rank."""
        where, op = call_site(), chosen(op)
        self._agree(where, "allreduce", "op", op.name)
        value = self._tree_reduce(_load(_dump(sendobj)), op, 0, _dump, _load, where)
        return _load(self._tree_broadcast(_dump(value) if self._rank == 0 else b"", 0, where))

    def scan(self, sendobj: Any, op: Op | Callable[[Any, Any], Any] = SUM) -> Any:
        """The objects of the ranks up to this one combined."""
        where, op = call_site(), chosen(op)
        self._agree(where, "scan", "op", op.name)
        value = _load(_dump(sendobj))
        return self._doubling_scan(value, op, _dump, _load, where, is_exclusive=False)

    def exscan(self, sendobj: Any, op: Op | Callable[[Any, Any], Any] = SUM) -> Any:
        """The objects of the ranks before this one combined; None at rank 0."""
        where, op = call_site(), chosen(op)
        self._agree(where, "exscan", "op", op.name)
        value = _load(_dump(sendobj))
        return self._doubling_scan(value, op, _dump, _load, where, is_exclusive=True)

    def _one_each(self, name: str, values: Any) -> list[Any]:
        try:
            found = [None] * self._size if values is None else list(values)
        except TypeError as error:
            kind = type(values).__name__
            raise TypeMpiError(f"{name}: {kind}; accepted: an object per rank") from error
        if len(found) != self._size:
            raise ValueMpiError(
                f"{name}: {len(found)} objects for {self._size} ranks; accepted: one per rank"
            )
        return found

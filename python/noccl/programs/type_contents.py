# SPDX-License-Identifier: Apache-2.0
"""How a datatype was made: MPI's envelope and contents, mpi4py's `decode`."""

from __future__ import annotations

from typing import Any

from noccl.programs.layouts import Layout
from noccl.programs.mpi_values import VALUES

_INDEXED = frozenset({"INDEXED", "HINDEXED", "INDEXED_BLOCK", "HINDEXED_BLOCK", "STRUCT"})
_COUNTS_OF = {"SUBARRAY": ("sizes", "subsizes", "starts"), "DARRAY": ("gsizes",)}


class Contents(Layout):
    """What a datatype says of its origin."""

    __slots__ = ()

    @property
    def combiner(self) -> int:
        """What has made it, as a number of MPI."""
        return VALUES[f"COMBINER_{self._alive('combiner').combiner}"]

    is_named: property = property(lambda self: self._alive("is_named").is_named)
    is_predefined: property = property(lambda self: self._state is None or self._state.is_given)

    def Get_envelope(self) -> tuple[int, int, int, int, int]:
        """Numbers of integers, addresses, counts and datatypes of the contents; the combiner."""
        integers, counts = self._numbers()
        bases = self._alive("Get_envelope").bases
        return len(integers), 0, len(counts), len(bases), self.combiner

    def Get_contents(self) -> tuple[list[int], list[int], list[int], list[Any]]:
        """Integers, addresses, counts and datatypes that it was made from."""
        integers, counts = self._numbers()
        bases = self._alive("Get_contents").bases
        # New handles, since a program frees them.
        return integers, [], counts, [type(base)(base) for base in bases]

    envelope: property = property(Get_envelope)
    contents: property = property(Get_contents)

    def decode(self) -> tuple[Any, str, dict[str, Any]]:
        """The datatype that it was made from, the combiner, its arguments."""
        origin = self._alive("decode")
        values = dict(origin.values)
        if origin.is_named:
            return self, "NAMED", values
        if origin.is_given:
            return type(self)(), origin.combiner, values
        # New handles, since a program frees them.
        kinds = [type(base)(base) for base in origin.bases]
        if origin.combiner == "STRUCT":
            return type(self)(), "STRUCT", values | {"datatypes": kinds}
        return kinds[0], origin.combiner, values

    def _numbers(self) -> tuple[list[int], list[int]]:
        """Integers and counts, in MPI's order."""
        origin = self._alive("contents")
        values = origin.values
        if origin.combiner == "SUBARRAY":
            integers = [len(values["sizes"]), values["order"]]
        elif origin.combiner == "DARRAY":
            lists = [*values["distribs"], *values["dargs"], *values["psizes"]]
            ranks = [values["size"], values["rank"], len(values["gsizes"])]
            integers = [*ranks, *lists, values["order"]]
        elif origin.is_given:
            return list(values.values()), []
        else:
            integers = []
        names = _COUNTS_OF.get(origin.combiner, tuple(values))
        counts: list[int] = []
        if origin.combiner in _INDEXED:
            counts.append(len(values["displacements"]))
        for name in names:
            value = values[name]
            counts += value if isinstance(value, list) else [value]
        return integers, counts

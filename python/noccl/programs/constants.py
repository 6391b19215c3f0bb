# SPDX-License-Identifier: Apache-2.0
"""MPI's constants, with the values of MPICH.

Programs compare them and print them; values of another implementation would differ.
"""

from __future__ import annotations

ANY_SOURCE = -2
ANY_TAG = -1
PROC_NULL = -1
ROOT = -3
UNDEFINED = -32766
TAG_UB = 2**30
"""Largest tag."""
MOST_INT = 2**31 - 1
"""Largest number of MPI's type int."""
KEYVAL_TAG_UB = 1681915905

IDENT, CONGRUENT, SIMILAR, UNEQUAL = 0, 1, 2, 3
COMM_TYPE_SHARED = 1
CART, GRAPH, DIST_GRAPH = 2, 1, 3
THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = 0, 1, 2, 3
ORDER_C, ORDER_FORTRAN = 56, 57
SUCCESS = 0
MAX_PROCESSOR_NAME = 128


class Marker:
    """An object that a program gives in place of a buffer, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


class InPlaceType(Marker):
    """The type of `IN_PLACE`: the data stand in the receive buffer."""


class BottomType(Marker):
    """The type of `BOTTOM`: addresses of the process instead of a buffer."""


class BufferAutomaticType(Marker):
    """The type of `BUFFER_AUTOMATIC`: buffered sends get what they need."""


IN_PLACE = InPlaceType("IN_PLACE")
BOTTOM = BottomType("BOTTOM")
BUFFER_AUTOMATIC = BufferAutomaticType("BUFFER_AUTOMATIC")

# Above what a rank may use: messages that this package composes collectives from; the engine gives
# none from this tag on to a receive of any tag. A collective is over before the next one of a
# communicator begins, and messages between two ranks keep their order, so that one tag suffices.
INTERNAL_TAG = 2**31
"""Tag of the messages of composed collectives."""

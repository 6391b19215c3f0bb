# SPDX-License-Identifier: Apache-2.0
"""Accesses to a rank's window, as the message that asks for one.

A message has 32 bytes before its data, so that its cycles are those of an access in MPI, and the
description of a derived datatype of the target.
"""

from __future__ import annotations

import functools
import pickle
import struct
from dataclasses import dataclass, field

from noccl.programs.datatypes import Datatype
from noccl.programs.named_datatypes import NAMED as DATATYPES
from noccl.programs.operators import NAMED as OPERATORS
from noccl.programs.operators import NO_OP, REPLACE, Op

PUT, GET, ACCUMULATE, GET_ACCUMULATE, SWAP, FLUSH, LOCK, UNLOCK, COMPLETE = range(9)
WITH_RESPONSE = frozenset({GET, GET_ACCUMULATE, SWAP, FLUSH, UNLOCK})
"""Those whose response tells that they have been carried out."""

# Kind, operator, datatype, bytes of its description, window, start in bytes, number of items.
_HEAD = struct.Struct("<BBHIQqQ")
_DATATYPES = list(DATATYPES)
_NUMBERS = {label: number for number, label in enumerate(_DATATYPES)}
_OPERATORS = list(OPERATORS)
_DERIVED = 0xFFFF

FIRST_TAG = 2**40
"""Tag of messages that ask for an access, and the first tag of windows."""
RESPONSE, GRANT, POST = 1, 2, 3


def tag_of(window: int, kind: int) -> int:
    """Tag of the messages of a window that no window's server receives."""
    return FIRST_TAG + 4 * window + kind


@dataclass(frozen=True, slots=True)
class Access:
    """What a rank asks of the owner of a window.

    Attributes:
        kind: What is done.
        window: Number of the window.
        start: Where the items begin, in bytes of the window.
        count: Number of items; of a lock its type.
        datatype: Of the items.
        op: Operator of an accumulate.
        data: Bytes of the origin; of a swap those to compare with, then the new ones.
    """

    kind: int
    window: int
    start: int = 0
    count: int = 0
    datatype: Datatype = field(default_factory=lambda: DATATYPES["BYTE"])
    op: Op = field(default_factory=lambda: REPLACE)
    data: bytes = b""

    def packed(self) -> bytes:
        """The message."""
        number = _NUMBERS[self.datatype.label] if self.datatype._is_predefined() else _DERIVED
        described = pickle.dumps(self.datatype) if number == _DERIVED else b""
        head = _HEAD.pack(
            self.kind,
            _OPERATORS.index(self.op.name),
            number,
            len(described),
            self.window,
            self.start,
            self.count,
        )
        return head + described + self.data

    @classmethod
    def unpacked(cls, message: bytes) -> Access:
        """What a message asks for."""
        kind, op, number, length, window, start, count = _HEAD.unpack_from(message)
        first = _HEAD.size + length
        described = message[_HEAD.size : first]
        datatype = _described(described) if length else DATATYPES[_DATATYPES[number]]
        return cls(
            *(kind, window, start, count, datatype, OPERATORS[_OPERATORS[op]], message[first:])
        )

    def combined(self, before: bytes) -> bytes:
        """The items after an accumulate."""
        if self.op.name == NO_OP.name:
            return before
        return self.op.combine(self.datatype, before, self.data)


@functools.lru_cache(maxsize=256)
def _described(description: bytes) -> Datatype:
    datatype: Datatype = pickle.loads(description)  # noqa: S301 - of this program
    return datatype

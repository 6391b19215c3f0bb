# SPDX-License-Identifier: Apache-2.0
"""Operators of reductions: on Python objects, on bytes of a datatype, and the engine's.

What the network's algorithms do not combine is combined here, in the order of ranks, so that
operators that do not commute give what MPI gives.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from noccl.programs.failures import MpiError, ValueMpiError
from noccl.programs.handles import Copied
from noccl.programs.memories import MpiBuffer
from noccl.programs.mpi_values import VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

    from noccl.programs.datatypes import Datatype

_UNSIGNED = {"uint8": "int8", "uint16": "int16", "uint32": "int32", "uint64": "int64"}
# The same bits whatever the sign.
_SIGNLESS = frozenset({"sum", "and", "or"})


class _Meaning:
    """What all copies of an operator share."""

    __slots__ = ("arrays", "engine_name", "is_commutative", "name", "objects", "user")

    def __init__(
        self,
        name: str,
        objects: Callable[[Any, Any], Any],
        arrays: Callable[..., Any] | None,
        engine_name: str,
        user: Callable[..., Any] | None,
        is_commutative: bool,
    ) -> None:
        self.name = name
        self.objects = objects
        self.arrays = arrays
        self.engine_name = engine_name
        self.user = user
        self.is_commutative = is_commutative


class Op(Copied):
    """An operator.

    Attributes:
        name: MPI's name; `user` for a function.
        engine_name: The engine's name; empty if it has none.
    """

    __slots__ = ("engine_name", "name")
    ERROR_CLASS = VALUES["ERR_OP"]
    _state: _Meaning | None
    engine_name: str
    name: str

    def __new__(cls, op: Op | None = None, *_: Any, **__: Any) -> Self:
        """A copy of the same operator; without one, a null operator."""
        made = super().__new__(cls, op)
        made.name = "" if op is None else op.name
        made.engine_name = "" if op is None else op.engine_name
        return made

    @classmethod
    def of(
        cls,
        name: str,
        objects: Callable[[Any, Any], Any],
        arrays: Callable[..., Any] | None = None,
        *,
        engine_name: str = "",
        user: Callable[..., Any] | None = None,
        is_commutative: bool = True,
    ) -> Self:
        """An operator by what it does to objects, to arrays and to buffers."""
        made = cls()
        made._state = _Meaning(name, objects, arrays, engine_name, user, is_commutative)
        made.name, made.engine_name = name, engine_name
        return made

    def __repr__(self) -> str:
        return f"<Op {self.name or 'null'}>"

    def __reduce__(self) -> Any:
        state = self._state
        if state is None or state.user is None:
            return super().__reduce__()
        return type(self).Create, (state.user, state.is_commutative)

    def _forget(self) -> None:
        self._state, self.name, self.engine_name = None, "", ""

    def __call__(self, x: Any, y: Any) -> Any:
        """Combines two Python objects, `x` of the lower rank."""
        if self._state is None:
            raise ValueMpiError("call of OP_NULL", error_class=self.ERROR_CLASS)
        return self._state.objects(x, y)

    def _is_predefined(self) -> bool:
        return self._state is not None and self.name in NAMED

    @property
    def is_predefined(self) -> bool:
        """Is it one of MPI's?"""
        return self._state is None or self._is_predefined()

    def Is_commutative(self) -> bool:
        """May operands be exchanged?"""
        return bool(self._alive("Is_commutative").is_commutative)

    is_commutative: property = property(Is_commutative)

    @classmethod
    def Create(cls, function: Callable[..., Any], commute: bool = False) -> Self:
        """An operator from a function of (in, inout, datatype), as MPI's."""
        objects = lambda x, y: function(x, y, None)  # noqa: E731 - one of two arguments
        return cls.of("user", objects, user=function, is_commutative=commute)

    def Free(self) -> None:
        """Ends it."""
        self._alive("Free")
        if self._is_predefined():
            raise MpiError(
                f"Free of {self.name}: accepted: an operator that the program has made",
                error_class=VALUES["ERR_OP"],
            )
        self._forget()

    def Reduce_local(self, inbuf: Any, inoutbuf: Any) -> None:
        """Combines two buffers of this rank into the second."""
        from noccl.programs.buffers import read  # noqa: PLC0415 - a circle otherwise

        left, right = read(inbuf, "inbuf"), read(inoutbuf, "inoutbuf", writable=True)
        if left.size != right.size or left.datatype != right.datatype:
            raise ValueMpiError(
                f"Reduce_local: {left.count} of {left.datatype.label} and {right.count} of "
                f"{right.datatype.label}; accepted: as many of one datatype",
                error_class=VALUES["ERR_ARG"],
            )
        right.put(self.combine(right.datatype, left.take(), right.take()))

    def engine_element(self, datatype: Datatype) -> str:
        """The engine's element on whose bits this operator does the same; empty: there is none."""
        if not self.engine_name:
            return ""
        element = datatype.engine_element
        if element in _UNSIGNED:
            return _UNSIGNED[element] if self.engine_name in _SIGNLESS else ""
        return element

    def combine(self, datatype: Datatype, left: bytes, right: bytes) -> bytes:
        """Combines packed items, `left` of the lower ranks.

        Raises:
            MpiError: The operator is not defined on the datatype.
        """
        meaning = self._alive("combine")
        if meaning.user is not None:
            return self._combine_by_user(datatype, left, right)
        if datatype.element is None or meaning.arrays is None:
            raise self._refusal(datatype)
        x = np.frombuffer(left, datatype.element)
        y = np.frombuffer(right, datatype.element)
        try:
            with np.errstate(all="ignore"):
                combined = meaning.arrays(x, y)
        except (TypeError, IndexError) as error:
            raise self._refusal(datatype) from error
        result = np.asarray(combined).astype(datatype.element, copy=False)
        return bytes(result.tobytes())

    def _refusal(self, datatype: Datatype) -> MpiError:
        return MpiError(
            f"operator {self.name} on {datatype.label}: not defined; accepted: numbers for SUM, "
            "PROD, MIN, MAX, integers for BAND, BOR, BXOR, pairs for MINLOC, "
            "MAXLOC, or a user operator",
            error_class=VALUES["ERR_OP"],
        )

    def _combine_by_user(self, datatype: Datatype, left: bytes, right: bytes) -> bytes:
        if datatype.is_contiguous:
            result = bytearray(right)
            self._user_call(memoryview(bytearray(left)), memoryview(result), datatype)
            return bytes(result)
        # The function sees items as they lie in a buffer.
        count = len(right) // datatype.size
        places = datatype.byte_offsets(count)
        sides = np.zeros((2, count * datatype.extent), np.uint8)
        sides[0, places] = np.frombuffer(left, np.uint8)
        sides[1, places] = np.frombuffer(right, np.uint8)
        self._user_call(memoryview(sides[0]), memoryview(sides[1]), datatype)
        return bytes(sides[1, places])

    def _user_call(self, left: memoryview, right: memoryview, datatype: Datatype) -> None:
        buffers = MpiBuffer.frombuffer(left), MpiBuffer.frombuffer(right)
        self._alive("combine").user(*buffers, datatype)


def _larger(x: Any, y: Any) -> Any:
    return y if y > x else x


def _smaller(x: Any, y: Any) -> Any:
    return y if y < x else x


def _max_location(x: Any, y: Any) -> Any:
    (u, i), (v, j) = x, y
    if u == v:
        return (u, i) if i <= j else (v, j)
    return (u, i) if u > v else (v, j)


def _min_location(x: Any, y: Any) -> Any:
    (u, i), (v, j) = x, y
    if u == v:
        return (u, i) if i <= j else (v, j)
    return (u, i) if u < v else (v, j)


def _pairs(better: Callable[..., Any]) -> Callable[..., Any]:
    def combined(x: Any, y: Any) -> Any:
        same = x["value"] == y["value"]
        chosen = np.where(better(x["value"], y["value"]), x, y)
        chosen["index"] = np.where(same, np.minimum(x["index"], y["index"]), chosen["index"])
        return chosen

    return combined


def _integers(ufunc: Callable[..., Any]) -> Callable[..., Any]:
    def combined(x: Any, y: Any) -> Any:
        if x.dtype.kind not in "iub":
            raise TypeError
        return ufunc(x, y)

    return combined


def _numbers(ufunc: Callable[..., Any]) -> Callable[..., Any]:
    def combined(x: Any, y: Any) -> Any:
        if x.dtype.kind not in "iufc":
            raise TypeError
        return ufunc(x, y)

    return combined


MAX = Op.of("MAX", _larger, _numbers(np.maximum), engine_name="max")
MIN = Op.of("MIN", _smaller, _numbers(np.minimum), engine_name="min")
SUM = Op.of("SUM", operator.add, _numbers(np.add), engine_name="sum")
PROD = Op.of("PROD", operator.mul, _numbers(np.multiply))
BAND = Op.of("BAND", operator.and_, _integers(np.bitwise_and), engine_name="and")
BOR = Op.of("BOR", operator.or_, _integers(np.bitwise_or), engine_name="or")
BXOR = Op.of("BXOR", operator.xor, _integers(np.bitwise_xor))
LAND = Op.of("LAND", lambda x, y: bool(x) & bool(y), np.logical_and)
LOR = Op.of("LOR", lambda x, y: bool(x) | bool(y), np.logical_or)
LXOR = Op.of("LXOR", lambda x, y: bool(x) ^ bool(y), np.logical_xor)
MAXLOC = Op.of("MAXLOC", _max_location, _pairs(np.greater))
MINLOC = Op.of("MINLOC", _min_location, _pairs(np.less))
REPLACE = Op.of("REPLACE", lambda _, y: y, lambda _, y: y, is_commutative=False)
NO_OP = Op.of("NO_OP", lambda x, _: x, lambda x, _: x, is_commutative=False)

NAMED = {
    op.name: op
    for op in (
        *(MAX, MIN, SUM, PROD, BAND, BOR, BXOR, LAND, LOR, LXOR, MAXLOC, MINLOC, REPLACE, NO_OP),
    )
}
"""The predefined operators by name."""


def chosen(op: Any) -> Op:
    """The operator that an argument names.

    Raises:
        MpiError: It is none.
    """
    if isinstance(op, Op):
        return op
    if callable(op):
        return Op.of("function", op, is_commutative=False)
    raise MpiError(
        f"op: {type(op).__name__}; accepted: an operator of MPI or a function",
        error_class=VALUES["ERR_OP"],
    )

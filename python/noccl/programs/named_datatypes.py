# SPDX-License-Identifier: Apache-2.0
"""MPI's predefined datatypes, and which one the elements of an array have."""

from __future__ import annotations

from typing import Any

import numpy as np

from noccl.errors import ProgramError
from noccl.programs.datatypes import Datatype


def _pair(name: str, value: str, index: str) -> Datatype:
    """A value and an index as a C structure; the packed form has no gap."""
    fields = [("value", value), ("index", index)]
    laid_out, packed = np.dtype(fields, align=True), np.dtype(fields)
    assert laid_out.fields is not None and packed.fields is not None  # noqa: PT018, S101 - has two
    places = [(laid_out.fields[field][1], packed.fields[field][0]) for field, _ in fields]
    offsets = np.concatenate([start + np.arange(kind.itemsize) for start, kind in places])
    return Datatype(name, packed, offsets=offsets, size=packed.itemsize, extent=laid_out.itemsize)


_TABLE = (
    # MPI's names, NumPy's type, the engine's name.
    ("BYTE PACKED", "u1", "uint8"),
    ("CHAR SIGNED_CHAR INT8_T INTEGER1", "i1", "int8"),
    ("UNSIGNED_CHAR UINT8_T", "u1", "uint8"),
    ("SHORT INT16_T INTEGER2", "i2", "int16"),
    ("UNSIGNED_SHORT UINT16_T", "u2", "uint16"),
    ("INT INT32_T INTEGER INTEGER4", "i4", "int32"),
    ("UNSIGNED UNSIGNED_INT UINT32_T", "u4", "uint32"),
    ("LONG LONG_LONG INT64_T INTEGER8 AINT OFFSET COUNT", "i8", "int64"),
    ("UNSIGNED_LONG UNSIGNED_LONG_LONG UINT64_T", "u8", "uint64"),
    ("FLOAT REAL REAL4", "f4", "fp32"),
    ("DOUBLE DOUBLE_PRECISION REAL8", "f8", "fp64"),
    ("C_BOOL BOOL CXX_BOOL LOGICAL1", "?", ""),
    ("C_FLOAT_COMPLEX COMPLEX COMPLEX8 F_COMPLEX", "c8", ""),
    ("C_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX16 F_DOUBLE_COMPLEX", "c16", ""),
    ("LONG_DOUBLE", "g", ""),
)

NAMED: dict[str, Datatype] = {}
"""The predefined datatypes by name."""
for _names, _code, _element in _TABLE:
    for _name in _names.split():
        NAMED[_name] = Datatype(_name, np.dtype(_code), engine_element=_element)
for _name, _value, _index in (
    ("FLOAT_INT", "f4", "i4"),
    ("DOUBLE_INT", "f8", "i4"),
    ("LONG_INT", "i8", "i4"),
    ("SHORT_INT", "i2", "i4"),
    ("INT_INT", "i4", "i4"),
    ("TWOINT", "i4", "i4"),
):
    NAMED[_name] = _pair(_name, _value, _index)

# As mpi4py finds the datatype of an array; the half has no name in MPI but one in the engine.
_BY_CHARACTER: dict[str, Datatype] = {
    character: NAMED[name]
    for character, name in {
        "b": "SIGNED_CHAR", "B": "UNSIGNED_CHAR", "h": "SHORT", "H": "UNSIGNED_SHORT", "i": "INT",
        "I": "UNSIGNED", "l": "LONG", "L": "UNSIGNED_LONG", "q": "LONG_LONG",
        "Q": "UNSIGNED_LONG_LONG", "f": "FLOAT", "d": "DOUBLE", "?": "C_BOOL", "g": "LONG_DOUBLE",
        "F": "C_FLOAT_COMPLEX", "D": "C_DOUBLE_COMPLEX", "c": "CHAR", "S": "CHAR",
    }.items()
}  # fmt: skip
_BY_CHARACTER["e"] = Datatype("FLOAT16", np.dtype("f2"), engine_element="fp16")


PLAIN = {code: kind for code, kind in _BY_CHARACTER.items() if code in "bBhHiIlLqQfd"}
"""Those whose arrays Python's views know, by NumPy's character."""


def of_element(element: np.dtype[Any]) -> Datatype:
    """The datatype of the elements of an array.

    Raises:
        ProgramError: There is none.
    """
    found = _BY_CHARACTER.get(element.char)
    if found is None or not element.isnative:
        raise ProgramError(
            f"array of {element}: no datatype of MPI; accepted: [array, datatype] with the "
            "datatype named, or numbers in the order of bytes of this machine"
        )
    return found


def of_code(code: str) -> Datatype:
    """The datatype of a type code of NumPy, such as `d` or `int32`, or of a name of MPI.

    Raises:
        ProgramError: There is none.
    """
    if code in NAMED:
        return NAMED[code]
    try:
        return of_element(np.dtype(code))
    except TypeError as error:
        raise ProgramError(f"datatype {code!r}: unknown; accepted: MPI's and NumPy's") from error

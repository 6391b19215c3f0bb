# SPDX-License-Identifier: Apache-2.0
"""MPI's predefined datatypes, and which one the elements of an array have."""

from __future__ import annotations

from typing import Any

import numpy as np

from noccl.programs.datatypes import Datatype
from noccl.programs.failures import BufferMpiError, KeyMpiError
from noccl.programs.layouts import Origin
from noccl.programs.mpi_values import VALUES


def _pair(label: str, value: str, index: str, name: str) -> Datatype:
    """A value and an index as a C structure; the packed form has no gap."""
    fields = [("value", value), ("index", index)]
    laid_out, packed = np.dtype(fields, align=True), np.dtype(fields)
    assert laid_out.fields is not None and packed.fields is not None  # noqa: PT018, S101 - has two
    places = [(laid_out.fields[field][1], packed.fields[field][0]) for field, _ in fields]
    offsets = np.concatenate([start + np.arange(kind.itemsize) for start, kind in places])
    return Datatype.of(
        label,
        packed,
        Origin("NAMED", {}, (), name),
        offsets=offsets,
        size=packed.itemsize,
        extent=laid_out.itemsize,
        alignment=laid_out.alignment,
    )


_TABLE = (
    # MPI's name with other names of it, mpi4py's code, NumPy's type, the engine's name.
    ("BYTE", "B", "u1", "uint8"),
    ("PACKED", "B", "u1", "uint8"),
    ("CHAR", "c", "S1", "int8"),
    ("CHARACTER", "c", "S1", "int8"),
    ("WCHAR", "U", "U1", ""),
    ("SIGNED_CHAR", "b", "i1", "int8"),
    ("INT8_T SINT8_T", "i1", "i1", "int8"),
    ("INTEGER1", "i1", "i1", "int8"),
    ("UNSIGNED_CHAR", "B", "u1", "uint8"),
    ("UINT8_T", "u1", "u1", "uint8"),
    ("SHORT SIGNED_SHORT", "h", "i2", "int16"),
    ("INT16_T SINT16_T", "i2", "i2", "int16"),
    ("INTEGER2", "i2", "i2", "int16"),
    ("UNSIGNED_SHORT", "H", "u2", "uint16"),
    ("UINT16_T", "u2", "u2", "uint16"),
    ("INT SIGNED_INT", "i", "i4", "int32"),
    ("INT32_T SINT32_T", "i4", "i4", "int32"),
    ("INTEGER F_INT", "i", "i4", "int32"),
    ("INTEGER4", "i4", "i4", "int32"),
    ("LOGICAL F_BOOL", "i", "i4", ""),
    ("UNSIGNED UNSIGNED_INT", "I", "u4", "uint32"),
    ("UINT32_T", "u4", "u4", "uint32"),
    ("LONG SIGNED_LONG", "l", "i8", "int64"),
    ("LONG_LONG SIGNED_LONG_LONG", "q", "q", "int64"),
    ("INT64_T SINT64_T", "i8", "i8", "int64"),
    ("INTEGER8", "i8", "i8", "int64"),
    ("AINT", "p", "i8", "int64"),
    ("OFFSET", "p", "i8", "int64"),
    ("COUNT", "p", "i8", "int64"),
    ("UNSIGNED_LONG", "L", "u8", "uint64"),
    ("UNSIGNED_LONG_LONG", "Q", "Q", "uint64"),
    ("UINT64_T", "u8", "u8", "uint64"),
    ("FLOAT FLOAT32_T", "f", "f4", "fp32"),
    ("REAL F_FLOAT", "f", "f4", "fp32"),
    ("REAL4", "f4", "f4", "fp32"),
    ("DOUBLE FLOAT64_T", "d", "f8", "fp64"),
    ("DOUBLE_PRECISION F_DOUBLE", "d", "f8", "fp64"),
    ("REAL8", "f8", "f8", "fp64"),
    ("FLOAT16_T", "e", "f2", "fp16"),
    ("C_BOOL BOOL", "b1", "?", ""),
    ("CXX_BOOL", "?", "?", ""),
    ("LOGICAL1", "?", "?", ""),
    ("C_COMPLEX C_FLOAT_COMPLEX", "F", "c8", ""),
    ("CXX_FLOAT_COMPLEX", "F", "c8", ""),
    ("COMPLEX F_COMPLEX F_FLOAT_COMPLEX", "F", "c8", ""),
    ("COMPLEX8", "c8", "c8", ""),
    ("C_DOUBLE_COMPLEX", "D", "c16", ""),
    ("CXX_DOUBLE_COMPLEX", "D", "c16", ""),
    ("DOUBLE_COMPLEX F_DOUBLE_COMPLEX", "D", "c16", ""),
    ("COMPLEX16", "c16", "c16", ""),
    ("LONG_DOUBLE", "g", "g", ""),
    ("REAL16", "f16", "g", ""),
    ("C_LONG_DOUBLE_COMPLEX", "G", "G", ""),
    ("CXX_LONG_DOUBLE_COMPLEX", "G", "G", ""),
    ("COMPLEX32", "c32", "G", ""),
)
# What MPI calls them where that is not `MPI_` and the name.
_OTHER_NAMES = {"LONG_LONG": "MPI_LONG_LONG_INT", "FLOAT16_T": "MPIX_C_FLOAT16"}

NAMED: dict[str, Datatype] = {}
"""The predefined datatypes by name."""
for _names, _code, _kind, _element in _TABLE:
    _first = _names.split()[0]
    _made = Datatype.of(
        _first,
        np.dtype(_kind),
        Origin("NAMED", {}, (), _OTHER_NAMES.get(_first, f"MPI_{_first}")),
        engine_element=_element,
        code=_code,
    )
    NAMED |= dict.fromkeys(_names.split(), _made)
for _first, _value in (
    *(("FLOAT_INT", "f4"), ("DOUBLE_INT", "f8"), ("LONG_INT", "i8"), ("SHORT_INT", "i2")),
    ("LONG_DOUBLE_INT", "g"),
):
    NAMED[_first] = _pair(_first, _value, "i4", f"MPI_{_first}")
NAMED |= dict.fromkeys(("INT_INT", "TWOINT"), _pair("INT_INT", "i4", "i4", "MPI_2INT"))
# In MPICH too these are null on machines without such a type.
for _first in [
    "BFLOAT16_T",
    "COMPLEX4",
    "INTEGER16",
    "LOGICAL2",
    "LOGICAL4",
    "LOGICAL8",
    "LOGICAL16",
    "REAL2",
]:
    NAMED[_first] = Datatype()
NAMED["DATATYPE_NULL"] = Datatype()

_C_TYPES = (
    "?:C_BOOL b:SIGNED_CHAR h:SHORT i:INT l:LONG q:LONG_LONG B:UNSIGNED_CHAR H:UNSIGNED_SHORT "
    "I:UNSIGNED L:UNSIGNED_LONG Q:UNSIGNED_LONG_LONG f:FLOAT d:DOUBLE g:LONG_DOUBLE F:C_COMPLEX "
    "D:C_DOUBLE_COMPLEX G:C_LONG_DOUBLE_COMPLEX b1:C_BOOL i1:INT8_T i2:INT16_T i4:INT32_T "
    "i8:INT64_T u1:UINT8_T u2:UINT16_T u4:UINT32_T u8:UINT64_T f2:FLOAT16_T f4:FLOAT c8:C_COMPLEX "
    "f8:DOUBLE c16:C_DOUBLE_COMPLEX f16:LONG_DOUBLE c32:C_LONG_DOUBLE_COMPLEX"
)
_OTHER_CODES = (
    "e:FLOAT16_T Zf:C_COMPLEX Zd:C_DOUBLE_COMPLEX Zg:C_LONG_DOUBLE_COMPLEX n:COUNT "
    "N:UNSIGNED_LONG p:AINT P:UNSIGNED_LONG c:CHAR a:CHAR S:CHAR S1:CHAR s:CHAR 1s:CHAR U:WCHAR "
    "U1:WCHAR u:UINT16_T 1u:UINT16_T w:WCHAR 1w:WCHAR M:INT64_T M8:INT64_T m:INT64_T m8:INT64_T"
)
_FORTRAN_TYPES = (
    "l:LOGICAL i:INTEGER r:REAL s:REAL d:DOUBLE_PRECISION c:COMPLEX z:DOUBLE_COMPLEX i1:INTEGER1 "
    "i2:INTEGER2 i4:INTEGER4 i8:INTEGER8 r4:REAL4 r8:REAL8 r16:REAL16 c8:COMPLEX8 c16:COMPLEX16 "
    "c32:COMPLEX32"
)


def _by_code(text: str) -> dict[str, Datatype]:
    return {code: NAMED[name] for code, _, name in (row.partition(":") for row in text.split())}


C_TYPES = _by_code(_C_TYPES)
"""mpi4py's `_typedict_c`: the types of C."""
FORTRAN_TYPES = _by_code(_FORTRAN_TYPES)
"""mpi4py's `_typedict_f`: the types of Fortran."""
BY_CODE = C_TYPES | _by_code(_OTHER_CODES)
"""mpi4py's `_typedict`: every code of a type."""

# As mpi4py finds the datatype of an array.
_BY_CHARACTER = {code: kind for code, kind in BY_CODE.items() if code in "bBhHiIlLqQfd?gFDGceSU"}
PLAIN = {code: kind for code, kind in _BY_CHARACTER.items() if code in "bBhHiIlLqQfd"}
"""Those whose arrays Python's views know, by NumPy's character."""


def of_element(element: np.dtype[Any]) -> Datatype:
    """The datatype of the elements of an array.

    Raises:
        MpiError: There is none.
    """
    found = _BY_CHARACTER.get(element.char)
    if found is None or not element.isnative:
        raise BufferMpiError(
            f"array of {element}: no datatype of MPI; accepted: [array, datatype] with the "
            "datatype named, or numbers in the order of bytes of this machine",
            error_class=VALUES["ERR_TYPE"],
        )
    return found


def of_code(code: str) -> Datatype:
    """The datatype of a type code of NumPy, such as `d` or `int32`, or of a name of MPI.

    Raises:
        MpiError: There is none.
    """
    if code in NAMED:
        return NAMED[code]
    if code in BY_CODE:
        return BY_CODE[code]
    try:
        # NumPy reads a zero as the end of the code.
        return of_element(np.dtype(code.replace("\0", "?0")))
    except TypeError as error:
        raise KeyMpiError(
            f"datatype {code!r}: unknown; accepted: MPI's and NumPy's",
            error_class=VALUES["ERR_TYPE"],
        ) from error

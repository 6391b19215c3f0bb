# SPDX-License-Identifier: Apache-2.0
"""The forms in which mpi4py takes buffers: lists of data, counts, displacements and datatype."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from noccl.programs.constants import IN_PLACE
from noccl.programs.datatypes import Datatype
from noccl.programs.failures import TypeMpiError, ValueMpiError
from noccl.programs.named_datatypes import of_code

FORMS = (
    "accepted: an array or bytes, [data, datatype], [data, count], [data, count, datatype], "
    "[data, (count, displacement), datatype]"
)
BLOCK_FORMS = (
    "accepted: [data, counts], [data, counts, datatype], "
    "[data, (counts, displacements), datatype], [data, counts, displacements, datatype]"
)


def item_fields(spec: Any, name: str) -> tuple[Any, Any, int, Any]:
    """Data, count, displacement and datatype of what is sent or received."""
    data, counts, displacement, kind = _parts(spec, name, FORMS)
    if isinstance(counts, (list, tuple)):
        if len(counts) != 2:  # noqa: PLR2004 - count and displacement
            raise ValueMpiError(f"{name}: {len(counts)} counts; {FORMS}")
        counts, displacement = counts
    displacement = whole(f"{name}: displacement", 0 if displacement is None else displacement)
    return data, counts, displacement, kind


def _parts(spec: Any, name: str, forms: str) -> tuple[Any, Any, Any, Any]:
    """Data, counts, displacements, datatype of a list; None for what it leaves out."""
    match len(spec):
        case 2 if isinstance(spec[1], (Datatype, str)):
            return spec[0], None, None, spec[1]
        case 2:
            return spec[0], spec[1], None, None
        case 3:
            return spec[0], spec[1], None, spec[2]
        case 4:
            return spec[0], spec[1], spec[2], spec[3]
        case _:
            raise ValueMpiError(f"{name}: a list of {len(spec)} items; {forms}")


def datatype_of(kind: Any, name: str) -> Datatype:
    """The datatype that an argument names."""
    if isinstance(kind, Datatype):
        return kind
    if isinstance(kind, str):
        return of_code(kind)
    raise TypeMpiError(f"{name}: {type(kind).__name__}; accepted: a datatype of MPI")


def whole(name: str, value: Any) -> int:
    """A number that is 0 or more."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise TypeMpiError(f"{name}: {type(value).__name__}; accepted: a whole number") from error
    if number < 0:
        raise ValueMpiError(f"{name}: {number}; accepted: 0 or more")
    return number


def block_fields(spec: Any, name: str) -> tuple[Any, Any, Any, Any]:
    """Data, counts, displacements and datatype of a block per rank."""
    data, counts, displacements, kind = _parts(spec, name, BLOCK_FORMS)
    # As mpi4py: a pair is counts and displacements, a list is counts.
    if isinstance(counts, tuple) and len(counts) == 2:  # noqa: PLR2004
        counts, displacements = counts
    return data, counts, displacements, kind


def per_rank(name: str, values: Any, ranks: int) -> list[int]:
    """A number per rank."""
    if np.ndim(values) == 0:
        values = [values] * ranks
    if len(values) != ranks:
        raise ValueMpiError(f"{name}: {len(values)} for {ranks} ranks; accepted: one per rank")
    return [whole(name, value) for value in values]


def is_in_place(spec: Any) -> bool:
    """Is the argument `IN_PLACE`, or as mpi4py has it None?"""
    return spec is None or spec is IN_PLACE

# SPDX-License-Identifier: Apache-2.0
"""Datatypes of Fortran's kinds, which a program asks for by range and precision."""

from __future__ import annotations

from typing import Any, Self

from noccl.programs.failures import MpiError
from noccl.programs.layouts import Origin
from noccl.programs.mpi_values import VALUES
from noccl.programs.type_contents import Contents

_UNDEFINED = VALUES["UNDEFINED"]
# Decimal digits of integers, and digits and exponents of IEEE numbers, that kinds of so many bytes
# have: those of every compiler of this machine.
_INTEGERS = ((2, 1), (4, 2), (9, 4), (18, 8))
_REALS = ((6, 37, 4), (15, 307, 8), (33, 4931, 16))


class FortranTypes(Contents):
    """The methods, of the class; they give predefined datatypes, which are not freed."""

    __slots__ = ()

    @classmethod
    def Create_f90_integer(cls, r: int) -> Self:
        """Integers of so many decimal digits."""
        for most, num_bytes in _INTEGERS:
            if r <= most:
                return cls._kind("F90_INTEGER", {"r": r}, f"INTEGER{num_bytes}")
        raise _refusal("Create_f90_integer", f"{r} digits; accepted: up to {_INTEGERS[-1][0]}")

    @classmethod
    def Create_f90_real(cls, p: int, r: int) -> Self:
        """Numbers of p digits and exponents up to r."""
        return cls._kind("F90_REAL", {"p": p, "r": r}, f"REAL{_num_bytes(p, r)}")

    @classmethod
    def Create_f90_complex(cls, p: int, r: int) -> Self:
        """Pairs of such numbers."""
        return cls._kind("F90_COMPLEX", {"p": p, "r": r}, f"COMPLEX{2 * _num_bytes(p, r)}")

    @classmethod
    def _kind(cls, combiner: str, values: dict[str, Any], name: str) -> Self:
        from noccl.programs.named_datatypes import NAMED  # noqa: PLC0415 - a circle otherwise

        made = cls(NAMED[name])
        made._state = Origin(combiner, values)
        return made


def _num_bytes(p: int, r: int) -> int:
    digits, exponent = (0 if value == _UNDEFINED else value for value in (p, r))
    for most_digits, most_exponent, num_bytes in _REALS:
        if digits <= most_digits and exponent <= most_exponent:
            return num_bytes
    raise _refusal("Create_f90_real", f"{p} digits, exponent {r}; accepted: up to {_REALS[-1][:2]}")


def _refusal(call: str, what: str) -> MpiError:
    return MpiError(f"{call}: {what}", error_class=VALUES["ERR_ARG"])

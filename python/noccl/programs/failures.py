# SPDX-License-Identifier: Apache-2.0
"""`MPI.Exception`, classes and codes of errors, and what this package refuses to do.

Every error of a call is an exception with a class of MPI, whatever the error handler, so that a
program that tests `Get_error_class` finds what it finds in real MPI.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import traceback
from typing import TYPE_CHECKING, Any, NoReturn

from noccl.errors import ProgramError
from noccl.programs.mpi_values import ERROR_TEXTS, VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_OWN = VALUES["ERR_LASTCODE"] + 1
_new_codes = itertools.count(_FIRST_OWN)
_own_texts: dict[int, str] = {}
_own_classes: dict[int, int] = {}


@functools.total_ordering
class MpiError(ProgramError, RuntimeError):
    """`MPI.Exception`: an error of a call, with its class.

    Args:
        what: The message, or as in mpi4py a code.
        error_class: One of MPI's.
        options: Of `ProgramError`.
    """

    error_code: int = 0

    def __init__(
        self, what: str | int = 0, *, error_class: int = VALUES["ERR_OTHER"], **options: Any
    ) -> None:
        if isinstance(what, int):
            self.error_code = VALUES["ERR_UNKNOWN"] if what < 0 else what
            super().__init__(error_string(self.error_code), **options)
        else:
            self.error_code = error_class
            super().__init__(what, **options)

    @property
    def error_class(self) -> int:
        """Class of the code."""
        return error_class_of(self.error_code)

    @property
    def error_string(self) -> str:
        """Text of the code."""
        return str(self)

    def Get_error_code(self) -> int:
        """The code."""
        return self.error_code

    def Get_error_class(self) -> int:
        """Class of the code."""
        return self.error_class

    def Get_error_string(self) -> str:
        """Text of the code."""
        return self.error_string

    def __repr__(self) -> str:
        return f"MPI.Exception({self.error_code})"

    def __int__(self) -> int:
        return self.error_code

    def __bool__(self) -> bool:
        return self.error_code != 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, MpiError)):
            return NotImplemented
        return self.error_code == int(other)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, (int, MpiError)):
            return NotImplemented
        return self.error_code < int(other)

    def __hash__(self) -> int:
        return hash(self.error_code)


class UnsupportedError(MpiError, NotImplementedError):
    """A call of MPI that this package does not do: mpi4py raises `NotImplementedError` there."""

    def __init__(self, what: str) -> None:
        super().__init__(what, error_class=VALUES["ERR_UNSUPPORTED_OPERATION"])


class ValueMpiError(MpiError, ValueError):
    """An argument whose value does not fit, where mpi4py raises `ValueError`."""


class TypeMpiError(MpiError, TypeError):
    """An argument of a type that does not fit, where mpi4py raises `TypeError`."""


class KeyMpiError(MpiError, KeyError):
    """A name that there is not, where mpi4py raises `KeyError`."""

    __str__ = MpiError.__str__


class BufferMpiError(MpiError, BufferError):
    """Memory that cannot be used as asked for, where mpi4py raises `BufferError`."""


@contextlib.contextmanager
def as_mpi_errors() -> Iterator[None]:
    """What a function of the program raises within a call of MPI becomes an error of that call.

    As in mpi4py its stack is printed.

    Raises:
        MpiError: ERR_OTHER, or the function's own.
    """
    try:
        yield
    except MpiError:
        traceback.print_exc()
        raise
    except Exception as error:
        traceback.print_exc()
        name = type(error).__name__
        raise MpiError(f"{name}: {error}; accepted: a function that raises nothing") from error


def refuse(name: str, reason: str, instead: str) -> NoReturn:
    """Refuses a call.

    Raises:
        UnsupportedError: Always.
    """
    raise UnsupportedError(f"{name}: {reason}; accepted: {instead}")


def error_class_of(code: int) -> int:
    """Class of an error code."""
    return _own_classes.get(code, code)


def error_string(code: int) -> str:
    """Text of an error code."""
    if code in _own_texts:
        return _own_texts[code]
    return ERROR_TEXTS.get(code, "Unknown error class")


def last_used_code() -> int:
    """The last code or class of the program, or of MPI."""
    return max(_own_classes, default=_FIRST_OWN - 1)


def add_error_class() -> int:
    """A new class of errors."""
    code = next(_new_codes)
    _own_classes[code], _own_texts[code] = code, ""
    return code


def add_error_code(errorclass: int) -> int:
    """A new code of a class."""
    code = add_error_class()
    _own_classes[code] = errorclass
    return code


def add_error_string(errorcode: int, string: str) -> None:
    """Gives a code of the program its text."""
    _own(errorcode)
    _own_texts[errorcode] = string


def remove_error_string(errorcode: int) -> None:
    """Takes the text of a code of the program away."""
    _own(errorcode)
    _own_texts[errorcode] = ""


def remove_error_code(errorcode: int) -> None:
    """Ends a code or a class of the program; its number is not given again.

    Raises:
        MpiError: It has a text, or is a class that has codes.
    """
    _own(errorcode)
    codes = [code for code, of in _own_classes.items() if of == errorcode != code]
    if _own_texts[errorcode] or codes:
        raise MpiError(
            f"error code {errorcode}: has {'codes' if codes else 'a text'}; accepted: after "
            "Remove_error_code, Remove_error_string",
            error_class=VALUES["ERR_ARG"],
        )
    del _own_texts[errorcode], _own_classes[errorcode]


def _own(code: int) -> None:
    if code not in _own_classes:
        raise MpiError(
            f"error code {code}: accepted: what Add_error_class or Add_error_code has returned",
            error_class=VALUES["ERR_ARG"],
        )

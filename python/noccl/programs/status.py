# SPDX-License-Identifier: Apache-2.0
"""What a receive says about its message."""

from __future__ import annotations

import array
from typing import TYPE_CHECKING, Any

from noccl.programs import constants

if TYPE_CHECKING:
    from noccl.programs.datatypes import Datatype


class Status:
    """Source, tag and length of a message, as MPI's status.

    Attributes:
        source: Rank of the communicator that has sent.
        tag: Tag of the message.
        error: Always 0: errors are exceptions.
        cancelled: Was the request cancelled?
    """

    __slots__ = ("__weakref__", "cancelled", "count_bytes", "error", "source", "tag")

    def __init__(self, status: Status | None = None) -> None:
        self.source: int = constants.ANY_SOURCE
        self.tag: int = constants.ANY_TAG
        self.error: int = 0
        self.cancelled: bool = False
        self.count_bytes: int = 0
        if status is not None:
            if not isinstance(status, Status):
                raise TypeError(f"Status of {type(status).__name__}; accepted: a Status")
            self.take(status)

    def __reduce__(self) -> Any:
        return _again, (type(self), self.source, self.tag, self.error, self.count_bytes)

    def take(self, status: Status) -> None:
        """Takes over another one."""
        self.fill(status.source, status.tag, status.count_bytes, cancelled=status.cancelled)
        self.error = status.error

    def fill(self, source: int, tag: int, count_bytes: int, *, cancelled: bool = False) -> None:
        """Takes over what a request has found."""
        self.source, self.tag, self.count_bytes = source, tag, count_bytes
        self.cancelled = cancelled

    @property
    def count(self) -> int:
        """Bytes of the message."""
        return self.count_bytes

    @count.setter
    def count(self, count: int) -> None:
        self.count_bytes = count

    def Get_source(self) -> int:
        """Rank that has sent."""
        return self.source

    def Set_source(self, source: int) -> None:
        """Replaces the source."""
        self.source = source

    def Get_tag(self) -> int:
        """Tag of the message."""
        return self.tag

    def Set_tag(self, tag: int) -> None:
        """Replaces the tag."""
        self.tag = tag

    def Get_error(self) -> int:
        """Always 0."""
        return self.error

    def Get_count(self, datatype: Datatype | None = None) -> int:
        """Whole elements of the message, bytes without a datatype; UNDEFINED if there is a part."""
        size = 1 if datatype is None else datatype.Get_size()
        if size == 0:
            return 0
        whole, rest = divmod(self.count_bytes, size)
        return constants.UNDEFINED if rest else whole

    def Get_elements(self, datatype: Datatype) -> int:
        """Basic elements of the message."""
        datatype.Get_size()
        return self.count_bytes // datatype.basic_bytes

    def Set_error(self, error: int) -> None:
        """Replaces the error."""
        self.error = error

    def Set_cancelled(self, flag: bool) -> None:
        """Replaces whether the request was cancelled."""
        self.cancelled = flag

    def Set_elements(self, datatype: Datatype, count: int) -> None:
        """Replaces the length, in basic elements."""
        datatype.Get_size()
        self.count_bytes = count * datatype.basic_bytes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Status):
            return NotImplemented
        return self.tomemory().tobytes() == other.tomemory().tobytes()

    __hash__ = None  # type: ignore[assignment]

    def tomemory(self) -> memoryview:
        """The fields as integers of MPI's form in Fortran."""
        fields = [self.count_bytes, int(self.cancelled), self.source, self.tag, self.error]
        return memoryview(array.array("i", fields))

    def py2f(self) -> list[int]:
        """The fields as a list."""
        return self.tomemory().tolist()

    @classmethod
    def f2py(cls, arg: list[int]) -> Status:
        """A status of the list of another one."""
        made = cls()
        count, cancelled, source, tag, made.error = arg
        made.fill(source, tag, count, cancelled=bool(cancelled))
        return made

    def Is_cancelled(self) -> bool:
        """Was the request cancelled?"""
        return self.cancelled


def _again(kind: type[Status], source: int, tag: int, error: int, count_bytes: int) -> Status:
    """A status of the fields of another one."""
    made = kind()
    made.fill(source, tag, count_bytes)
    made.error = error
    return made

# SPDX-License-Identifier: Apache-2.0
"""Fields of a table of a study, with messages that say where they stand."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from noccl.errors import ArgumentError
from noccl.values import items, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_T = TypeVar("_T")


class Fields:
    """A table of a study.

    Attributes:
        file: Name of the study.
        table: Where the table stands in it; empty for the whole study.
    """

    def __init__(self, file: str, table: str, fields: object) -> None:
        if not isinstance(fields, Mapping):
            raise ArgumentError(f"{file}: {table}: {kind_of(fields)}; accepted: a table of fields")
        self.file = file
        self.table = table
        self._fields: dict[str, Any] = dict(fields)

    def place(self, field: str) -> str:
        """A field as messages name it."""
        path = f"{self.table}.{field}" if self.table else field
        return f"{self.file}: {path}"

    def allow(self, *names: str) -> None:
        """Refuses fields with other names.

        Raises:
            ArgumentError: There is one.
        """
        for field in self._fields:
            if field not in names:
                hint = near(str(field), names)
                raise ArgumentError(
                    f"{self.place(str(field))}: unknown; accepted: {listed(names)}{hint}"
                )

    def get(self, field: str, default: object) -> object:
        """A field that may be absent."""
        return self._fields.get(field, default)

    def each(
        self,
        field: str,
        read: Callable[[str, object], _T],
        *,
        default: list[object] | None = None,
    ) -> list[_T]:
        """The items of a list, each once, read one by one.

        Raises:
            ArgumentError: The field is missing and has no default, is no list, or is empty.
        """
        place = self.place(field)
        if field not in self._fields and default is None:
            raise ArgumentError(f"{place}: missing; accepted: a list of at least one")
        values = items(place, self._fields.get(field, default))
        if not values:
            raise ArgumentError(f"{place}: empty; accepted: a list of at least one")
        found = [read(f"{place}[{index}]", value) for index, value in enumerate(values)]
        return list(dict.fromkeys(found))


def listed(names: Iterable[str]) -> str:
    """Names as messages list them."""
    return ", ".join(names)


def near(found: str, names: Iterable[str]) -> str:
    """A hint at the name that may have been meant.

    >>> near("collectivs", ["specs", "collectives"])
    '; did you mean `collectives`?'
    """
    nearest = difflib.get_close_matches(found, list(names), n=1)
    return f"; did you mean `{nearest[0]}`?" if nearest else ""

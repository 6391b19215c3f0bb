# SPDX-License-Identifier: Apache-2.0
"""Names of before, still read, each with a DeprecationWarning that says what it is now."""

from __future__ import annotations

import warnings

COLUMNS = {("barriers", "plan"): "algorithm"}
"""Kind of table and name of before to today's name of a column."""


def renamed_attribute(old: str, new: str) -> property:
    """An attribute that reads the one it is called now."""

    def read(self: object) -> object:
        _warn(f"{type(self).__name__}.{old} is now .{new}", frames=1)
        return getattr(self, new)

    read.__doc__ = f"Deprecated: `{new}`."
    return property(read)


def column_name(kind: str, name: str) -> str:
    """Today's name of a column of a table."""
    now = COLUMNS.get((kind, name))
    if now is None:
        return name
    _warn(f"the column {name} of tables of kind {kind} is now {now}", frames=2)
    return now


def _warn(message: str, *, frames: int) -> None:
    # To whoever reads the attribute or asks for the column, `frames` calls above the caller.
    warnings.warn(message, DeprecationWarning, stacklevel=2 + frames)

# SPDX-License-Identifier: Apache-2.0
"""Sizes as callers write them: whole numbers of bytes, or the texts that the command line reads."""

from __future__ import annotations

import warnings

from noccl import _native
from noccl.errors import argument_names
from noccl.values import several, text, whole


def size(name: str, value: object) -> int:
    """Bytes of a size; a unit that elsewhere may mean 1000 bytes is told by a warning.

    >>> size("num_bytes", "4KiB")
    4096

    Raises:
        ArgumentError: It is no size.
    """
    return _size(name, value)


def sizes(name: str, values: object) -> list[int]:
    """Bytes of several sizes, or of one.

    Raises:
        ArgumentError: One is no size.
    """
    found = []
    for index, value in enumerate(several(name, values)):
        found.append(_size(f"{name}[{index}]", value))
    return found


def _size(name: str, value: object) -> int:
    if not isinstance(value, str):
        return whole(name, value)
    with argument_names(bytes=name):
        num_bytes, note = _native.parse_size(text(name, value))
    if note is not None:
        # To the caller of the package's function, which has called one of the two above.
        warnings.warn(note, stacklevel=4)
    return num_bytes

# SPDX-License-Identifier: Apache-2.0
"""Files in and out, by the engine.

A written file is complete or as before, whatever happens while it is written: the engine writes it
beside its place and moves it there. Links are written through, devices are written into.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from noccl import _native
from noccl.errors import FileError
from noccl.values import kind_of

if TYPE_CHECKING:
    from pathlib import Path

_T = TypeVar("_T")


def read_text(path: Path | str) -> str:
    """The text of a file.

    Raises:
        FileError: It cannot be read, is too large, or is no text.
    """
    return with_name(path, _native.read_text)


def write_file(path: Path | str, content: bytes) -> None:
    """Writes a file.

    Raises:
        FileError: It cannot be written; what was there is still there.
    """
    with_name(path, lambda name: _native.write_file(name, content))


def with_name(path: Path | str, call: Callable[[str], _T]) -> _T:
    """Calls something with the name of a file.

    Raises:
        FileError: It is no name, or what the call raises.
    """
    try:
        return call(os.fspath(path))
    except TypeError as error:
        raise FileError(f"path: {kind_of(path)}; accepted: a string or a Path") from error
    except ValueError as error:
        # Characters that no name of a file can have.
        raise FileError(f"{path!r}: {error}") from error

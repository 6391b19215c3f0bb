# SPDX-License-Identifier: Apache-2.0
"""Optional packages, imported by the first call that needs them.

The package itself needs NumPy, and greenlet for programs of ranks. Whoever lacks another package is
told what to install, not which import of ours failed.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from noccl.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRAS: dict[str, tuple[str, ...]] = {
    "frames": ("pyarrow", "polars"),
    "pandas": ("pyarrow", "pandas"),
    "plot": ("matplotlib",),
}
"""Extra to its packages, as in pyproject.toml. `ray` and `cp-sat` are named where they are used."""


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Surrounds imports of packages of an extra.

    Args:
        name: One of `EXTRAS`.

    Raises:
        MissingExtraError: A package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS[name]:
            raise
        raise MissingExtraError(
            f"the package {package} is not installed; accepted: pip install 'noccl[{name}]', "
            "or make extras in a checkout"
        ) from error

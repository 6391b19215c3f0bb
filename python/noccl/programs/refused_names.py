# SPDX-License-Identifier: Apache-2.0
"""Names of MPI that are not provided: classes and methods whose use is refused with a reason."""

from __future__ import annotations

from typing import Any

from noccl.programs.failures import refuse
from noccl.programs.handles import Copied
from noccl.programs.mpi_names import Names, refused
from noccl.programs.mpi_values import VALUES


class _Refusal:
    """A function, method or attribute that is refused when it is called.

    Args:
        name: With the class.
        row: Of the table.
    """

    def __init__(self, name: str, row: Names) -> None:
        self._name = name
        self._row = row

    def __call__(self, *_: Any, **__: Any) -> Any:
        refuse(self._name, self._row.reason, self._row.instead)


def function(name: str, row: Names) -> Any:
    """A function of the module that is refused."""
    return _Refusal(f"MPI.{name}", row)


def add_to(kind: type, name: str = "") -> None:
    """Gives a class the methods of mpi4py's that are refused."""
    label = name or kind.__name__
    for method, row in refused(label).items():
        setattr(kind, method, _Refusal(f"{label}.{method}", row))


def make(name: str, base: type = Copied, error: str = "") -> type:
    """A class of which there are null objects only."""
    fields: dict[str, Any] = {
        "__slots__": (),
        "__doc__": f"Not provided: MPI.{name}.",
        # Where pickle finds it.
        "__module__": "mpi4py.MPI",
    }
    if error:
        fields["ERROR_CLASS"] = VALUES[error]
    made = type(name, (base,), fields)
    add_to(made)
    return made

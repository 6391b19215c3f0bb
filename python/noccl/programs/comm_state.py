# SPDX-License-Identifier: Apache-2.0
"""What all copies of a rank's communicator share."""

from __future__ import annotations

from typing import Any


class CommState:
    """See the module.

    Attributes:
        attributes: Values by key.
        errhandler: What `Set_errhandler` was given; None without one.
        info: Keys with values.
        is_predefined: Is it COMM_WORLD or COMM_SELF?
        name: Of the communicator.
        num_collectives: Collective calls so far.
        remote: The other group of ranks; None without one.
        topology: Of a grid or a graph; None without one.
    """

    __slots__ = (
        "attributes",
        "errhandler",
        "info",
        "is_predefined",
        "name",
        "num_collectives",
        "remote",
        "topology",
    )

    def __init__(self) -> None:
        self.attributes: dict[int, Any] = {}
        self.errhandler: Any = None
        self.info: dict[str, str] = {}
        self.is_predefined: bool = False
        self.name: str = ""
        self.num_collectives: int = 0
        self.remote: Any = None
        self.topology: Any = None

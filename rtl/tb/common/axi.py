# SPDX-License-Identifier: Apache-2.0
"""Independent AXI managers and memories, under this project's names for the two sides of a port."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotbext.axi import (
        AxiMasterRead as ManagerRead,
    )
    from cocotbext.axi import (
        AxiMasterWrite as ManagerWrite,
    )
    from cocotbext.axi import (
        AxiRamRead as MemoryRead,
    )
    from cocotbext.axi import (
        AxiRamWrite as MemoryWrite,
    )
    from cocotbext.axi import (
        AxiReadBus as ReadBus,
    )
    from cocotbext.axi import (
        AxiResp as Resp,
    )
    from cocotbext.axi import (
        AxiWriteBus as WriteBus,
    )

__all__ = [
    "ManagerRead",
    "ManagerWrite",
    "MemoryRead",
    "MemoryWrite",
    "ReadBus",
    "Resp",
    "WriteBus",
]

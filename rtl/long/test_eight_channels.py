# SPDX-License-Identifier: Apache-2.0
"""Random transfers of a DMA engine before a network interface of eight write channels.

A build of its own, 46 CPU seconds. In the merge gate engines in lock-step with the simulator have
sixteen channels (`make cosim-dma-reductions-2x2`), those of `test_transfers.py` have four.
"""

from __future__ import annotations

import rtl_traffic
from common import runner

TRANSACTIONS = 30_000


def test_eight_write_channels_work_as_four_do() -> None:
    command = rtl_traffic.program(rtl_traffic.ENGINE, rtl_traffic.EIGHT_CHANNELS)
    found = rtl_traffic.run(command, TRANSACTIONS, runner.DEFAULT_SEED)
    assert found.failure is None, found.failure
    assert found.transactions >= TRANSACTIONS

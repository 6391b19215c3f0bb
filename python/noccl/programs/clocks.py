# SPDX-License-Identifier: Apache-2.0
"""The module `time` as ranks of a script see it: its clocks go with the simulation.

Python code takes no simulated time, so that a rank that measured itself by the host's clock would
get numbers that say nothing about its network. Outside of ranks, and while a module that lies not
beside the script is imported for the first time, the functions are those of the host.
"""

from __future__ import annotations

import time
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from noccl.programs.hub import Hub

_CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time")


def simulated_time(hub: Hub) -> types.ModuleType:
    """A module `time` whose clocks begin at 0 and whose `sleep` lets simulated time pass."""
    module = types.ModuleType("time", time.__doc__)
    module.__dict__.update(vars(time))
    for name in _CLOCKS:
        setattr(module, name, _clock(hub, getattr(time, name), 1e-9))
        setattr(module, f"{name}_ns", _clock(hub, getattr(time, f"{name}_ns"), 1))
    module.sleep = _sleep(hub)  # type: ignore[attr-defined]
    return module


def _clock(hub: Hub, host: Callable[[], Any], unit: float) -> Callable[[], Any]:
    def clock() -> Any:
        rank = hub.current
        if rank is None:
            return host()
        session = hub.session
        return type(unit)(session.now(rank) / session.clock_ghz * unit)

    return clock


def _sleep(hub: Hub) -> Callable[[float], None]:
    def sleep(seconds: float, /) -> None:
        """Lets so much simulated time pass in the rank that calls."""
        rank = hub.current
        if rank is None:
            time.sleep(seconds)
            return
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        cycles = round(seconds * 1e9 * hub.session.clock_ghz)
        hub.links[rank].pause(cycles)

    return sleep

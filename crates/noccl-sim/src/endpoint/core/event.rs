// SPDX-License-Identifier: Apache-2.0
//! What the cores of clusters do at a known cycle.

use serde::{Deserialize, Serialize};

/// What a core, or the DMA engine that it commands, does. Fields are tiles, instances and actions of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CoreEvent {
    /// The control core begins its next action, if it can.
    WakeControl { tile: u32 },
    /// The compute cores begin their next action, if they can.
    WakeCompute { tile: u32 },
    /// The control core has executed the instructions of an action.
    Issued { instance: u32 },
    /// The first request of a DMA movement leaves the engine.
    DmaStart { instance: u32 },
    /// The core can see that an instance is over.
    Over { instance: u32 },
    /// The compute cores have finished, unless the network borrowed their FPUs.
    Computed { instance: u32 },
    /// The store of an arrival reaches the NI.
    Arrive { instance: u32 },
    /// The core sees that its instance is over, and its program may submit what follows.
    Ended { instance: u32 },
    /// The store of a barrier's member reaches the NI.
    Store { instance: u32 },
    /// The poll that has seen the full counter of a software barrier is over.
    Polled { action: u32 },
    /// The interrupt that releases the members of a software barrier reaches the NI.
    Release { action: u32 },
}

// SPDX-License-Identifier: Apache-2.0
//! Driver events; `detail` is an instance.

/// An agent begins its next action, if it can.
pub(crate) const WAKE_CONTROL: u32 = 0;
pub(crate) const WAKE_COMPUTE: u32 = 1;
/// The control core has executed the instructions of an action.
pub(crate) const ISSUED: u32 = 2;
/// The first request of a DMA movement leaves the engine.
pub(crate) const DMA_START: u32 = 3;
/// The core can see that an instance is over.
pub(crate) const OVER: u32 = 4;
/// The compute cores have finished, unless the network borrowed their FPUs.
pub(crate) const COMPUTED: u32 = 5;
/// The store of an arrival reaches the NI.
pub(crate) const ARRIVE: u32 = 6;
/// The core of a share sees that it is over, and its program may state what follows.
pub(crate) const ENDED: u32 = 7;
/// The store of a barrier's member reaches the NI.
pub(crate) const STORE: u32 = 8;

/// Events from here on are the barriers'.
pub(crate) const BARRIER_EVENTS: u32 = 16;
